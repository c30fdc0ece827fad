"""Who may take part in a study on Prolific: the filters there are, and those of a listing."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.cache import cache

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.platforms.errors import RefusedError, UnavailableError
from annotation.core.platforms.people_filters import (
    Bound,
    ChosenFilter,
    FilterKind,
    PeopleFilter,
    Selection,
)
from annotation.crowds.platforms.prolific.http import Client, rows_of
from annotation.crowds.platforms.prolific.options import Options
from annotation.crowds.platforms.values import is_number
from annotation.models import Intent, Listing, Ticket

CACHED_SECONDS = 3600
_MAX_LABELS = 8
# Of what is stored of a filter, what Prolific's API takes; the rest is for people to read.
_SENT = ("filter_id", "selected_values", "selected_range", "weightings")
_RANGES = {
    "integer": FilterKind.INTEGER,
    "float": FilterKind.DECIMAL,
    "date": FilterKind.DATE,
}
_BOUNDS = {"min": "least", "max": "most"}
# Ids of people are pasted into the listing's own fields.
_OF_PEOPLE = "ParticipantID"
_BALANCED = "ChoiceID"


# -- the filters that there are ---------------------------------------------------------------
def catalogue(client: Client, workspace: str) -> list[PeopleFilter]:
    """All filters, by title; kept for an hour. Raises UnavailableError."""
    place = f"{client.installation.api} {workspace}"
    key = f"prolific-filters-{hashlib.sha256(place.encode()).hexdigest()}"
    cached: list[PeopleFilter] | None = cache.get(key)
    if cached is not None:
        return cached
    query = {"workspace_id": workspace} if workspace else {}
    rows = rows_of(client.get("filters/", **query))
    filters = sorted(_readable(rows), key=lambda each: (each.title.casefold(), each.key))
    cache.set(key, filters, CACHED_SECONDS)
    return filters


def offered(client: Client, listing: Listing) -> Iterator[PeopleFilter]:
    """The filters without what Likeness itself made there. Raises UnavailableError.

    Names of studies and groups hold titles, which not everybody on this server may read; they are
    chosen on the page of a listing.
    """
    made_here = Intent.objects.filter(
        kind=Intent.Kind.PUBLISH,
        listing__platform=listing.platform,
        listing__environment=listing.environment,
    ).exclude(remote_id="")
    ids = set(made_here.values_list("remote_id", flat=True))
    for each in catalogue(client, Options.of(listing.options).workspace):
        if each.kind is not FilterKind.CHOICES:
            yield each
        elif choices := {key: label for key, label in each.choices.items() if key not in ids}:
            yield replace(each, choices=choices)


def _readable(rows: Iterable[Mapping[str, Any]]) -> Iterator[PeopleFilter]:
    """Those whose form is documented; a filter of another form is left out."""
    for row in rows:
        key, data_type, choices = (row.get(name) for name in ("filter_id", "data_type", "choices"))
        title, description, question = (
            row.get(name) or "" for name in ("title", "description", "question")
        )
        if not all(isinstance(text, str) for text in (key, title, description, question)):
            continue
        bounds: dict[str, Bound | None] = {}
        labels: dict[str, str] = {}
        if row.get("type") == "range" and data_type in _RANGES:
            kind = _RANGES[data_type]
            bounds = {each: _bound(row.get(name), kind) for name, each in _BOUNDS.items()}
        elif row.get("type") == "select" and data_type != _OF_PEOPLE and isinstance(choices, dict):
            kind = FilterKind.CHOICES
            labels = {str(value): str(label) for value, label in choices.items()}
        if bounds or labels:
            yield PeopleFilter(
                key=str(key),
                title=title or str(key),
                kind=kind,
                description=description,
                question=question,
                choices=labels,
                can_be_balanced=bool(labels) and data_type == _BALANCED,
                **bounds,
            )


def _bound(value: Any, kind: FilterKind) -> Bound | None:
    """A bound as Python has it; None if it is missing or of another kind."""
    try:
        if kind is FilterKind.DATE:
            return date.fromisoformat(value[:10]) if isinstance(value, str) else None
        number = Decimal(str(value))
    except (InvalidOperation, ValueError):
        return None
    if isinstance(value, bool) or not number.is_finite():
        return None
    return int(number) if kind is FilterKind.INTEGER else number


# -- what is stored of a listing --------------------------------------------------------------
def stored(people_filter: PeopleFilter, selection: Selection) -> dict[str, Any]:
    """As Prolific's API takes it, with the words that people read."""
    row: dict[str, Any] = {"filter_id": people_filter.key, "title": people_filter.title}
    if people_filter.kind is not FilterKind.CHOICES:
        row["data_type"] = people_filter.kind.value
        bounds = {"lower": selection.lower, "upper": selection.upper}
        row["selected_range"] = {
            name: _in_json(value) for name, value in bounds.items() if value is not None
        }
        return row
    values = list(selection.values)
    row["selected_values"] = values
    row["choices"] = {value: people_filter.choices.get(value, value) for value in values}
    if selection.is_balanced and people_filter.can_be_balanced:
        row["weightings"] = dict.fromkeys(values, 1)
    return row


def _in_json(value: Bound) -> int | float | str:
    if isinstance(value, date):
        return value.isoformat()
    return value if isinstance(value, int) else float(value)


def chosen(options: Options) -> list[ChosenFilter]:
    return [
        ChosenFilter(str(row.get("filter_id", "")), _words(row), _selection(row))
        for row in options.filters
    ]


def _selection(row: Mapping[str, Any]) -> Selection:
    if isinstance(row.get("selected_values"), list):
        values = [str(value) for value in row["selected_values"]]
        return Selection(values=values, is_balanced=bool(row.get("weightings")))
    span = row.get("selected_range")
    span = span if isinstance(span, dict) else {}
    kind = FilterKind(row.get("data_type", "decimal"))
    return Selection(lower=_bound(span.get("lower"), kind), upper=_bound(span.get("upper"), kind))


def _words(row: Mapping[str, Any]) -> Said:
    title = str(row.get("title") or row.get("filter_id", ""))
    if isinstance(row.get("selected_values"), list):
        return _choices_in_words(row, title)
    span = row.get("selected_range")
    span = span if isinstance(span, dict) else {}
    values = {"title": title, **span}
    if "upper" not in span:
        return _("%(title)s: at least %(lower)s") % {"lower": "–", **values}
    if "lower" not in span:
        return _("%(title)s: at most %(upper)s") % values
    return _("%(title)s: from %(lower)s to %(upper)s") % values


def _choices_in_words(row: Mapping[str, Any], title: str) -> Said:
    labels = row.get("choices", {})
    names = [str(labels.get(value, value)) for value in row["selected_values"]]
    values = {
        "title": title,
        "choices": ", ".join(names[:_MAX_LABELS]),
        "n": len(names) - _MAX_LABELS,
    }
    if row.get("weightings"):
        if len(names) > _MAX_LABELS:
            return _("%(title)s: %(choices)s and %(n)s more, equally many of each") % values
        return _("%(title)s: %(choices)s, equally many of each") % values
    if len(names) > _MAX_LABELS:
        return _("%(title)s: %(choices)s and %(n)s more") % values
    return _("%(title)s: %(choices)s") % values


# -- what is sent -----------------------------------------------------------------------------
def study_filters(listing: Listing) -> list[dict[str, Any]]:
    """All but those that name single people: those picked, and earlier studies."""
    options = Options.of(listing.options)
    own = listing.tickets.order_by("pk").values_list("remote_id", flat=True)
    excluded = [*own, *_with_later_places(listing, options.excluded_studies)]
    allowed = _with_later_places(listing, options.allowed_studies)
    return _merged(
        [
            *(picked(options)),
            _list_filter("previous_studies_blocklist", excluded),
            _list_filter("previous_studies_allowlist", allowed),
        ]
    )


def named_people(listing: Listing) -> list[dict[str, Any]]:
    """People by their ids: read when they are sent, because nothing else may store them."""
    options = Options.of(listing.options)
    return _merged(
        [
            _list_filter("custom_blocklist", options.excluded_people),
            _list_filter("custom_allowlist", options.allowed_people),
        ]
    )


def picked(options: Options) -> list[dict[str, Any]]:
    return [{name: row[name] for name in _SENT if name in row} for row in options.filters]


def _with_later_places(listing: Listing, studies: Iterable[str]) -> list[str]:
    """Those studies, and those that were made for more places of the same listings."""
    ids = list(studies)
    of_account = Ticket.objects.filter(platform=listing.platform, environment=listing.environment)
    listings = of_account.filter(remote_id__in=ids).values("listing")
    later = of_account.filter(listing__in=listings).order_by("pk")
    return list(dict.fromkeys([*ids, *later.values_list("remote_id", flat=True)]))


def _list_filter(key: str, values: Iterable[str]) -> dict[str, Any]:
    return {"filter_id": key, "selected_values": list(values)}


def _merged(filters: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each filter once, without those that choose nothing: Prolific takes no filter twice."""
    by_key: dict[str, dict[str, Any]] = {}
    for each in filters:
        if each.get("selected_values") == []:
            continue
        before = by_key.setdefault(each["filter_id"], each)
        if before is not each and "selected_values" in each:
            values = [*before["selected_values"], *each["selected_values"]]
            before["selected_values"] = list(dict.fromkeys(values))
    return list(by_key.values())


def n_eligible(client: Client, listing: Listing) -> int:
    """How many people pass all filters; Prolific says 0 for fewer than 25.

    Raises UnavailableError.
    """
    body: dict[str, Any] = {"filters": [*study_filters(listing), *named_people(listing)]}
    if workspace := Options.of(listing.options).workspace:
        body["workspace_id"] = workspace
    answer = client.compute("eligibility-count/", body)
    count = answer.get("count") if isinstance(answer, dict) else None
    if not is_number(count):
        raise UnavailableError(_("Prolific did not return a number of people."))
    return int(count)


def refuse_other_people(sent: Iterable[Mapping[str, Any]], study: Any) -> None:
    """Raise RefusedError if the draft does not have every filter as it was sent."""
    rows = study.get("filters") if isinstance(study, dict) else None
    there = {
        row.get("filter_id"): _comparable(row)
        for row in (rows if isinstance(rows, list) else [])
        if isinstance(row, dict)
    }
    for each in sent:
        if there.get(each["filter_id"]) != _comparable(each):
            raise RefusedError(
                _(
                    "Prolific's draft does not have the filter “%(filter)s” as Likeness sent it, "
                    "so it was not published. Choose that filter again, then publish again."
                )
                % {"filter": each["filter_id"]}
            )


def _comparable(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """What a filter says, whatever the order of its parts; nulls are as good as missing.

    Weightings are ratios: 1 to 1 is 50 to 50.
    """
    values, span, weightings = (row.get(name) or {} for name in _SENT[1:])
    shares = {value: share for value, share in weightings.items() if is_number(share)}
    total = sum(shares.values()) or 1
    return (
        frozenset(map(str, values)),
        {name: value for name, value in span.items() if value is not None},
        {value: round(share / total, 6) for value, share in shares.items()},
    )
