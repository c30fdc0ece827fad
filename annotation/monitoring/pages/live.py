"""The live page of a study: how far it is and how reliable, without reloading."""

from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from annotation.basics.numbers import decimal, grouped, number, percent
from annotation.basics.sentences import in_words
from annotation.core import access
from annotation.core.pages.frame import show, study_page, url
from annotation.core.pages.navigation import Text
from annotation.core.pages.plot_files import plot_file
from annotation.core.pages.populations import population_of
from annotation.core.services import workers
from annotation.kinds.live_measures import MORE
from annotation.kinds.queries.interval_words import interval_with_ends
from annotation.kinds.rating.queries.plots import condition_name
from annotation.kinds.registry import kind_of
from annotation.models import Item, Study
from annotation.monitoring.pages.end_of_collection import end_in_words
from annotation.monitoring.queries import live as reading
from annotation.monitoring.queries.live import Live
from annotation.monitoring.queries.live_plots import every_plot

# Seconds between two questions of a page that is looked at.
POLL_SECONDS = 10


@dataclass(frozen=True)
class Tile:
    """One number with its name, and what a reader has to know about it."""

    name: Text
    value: str
    note: Text = ""


@dataclass(frozen=True)
class TableItem:
    """One of a pair of items, as the table has it."""

    item: Item
    score: str
    address: str


@dataclass(frozen=True)
class Part:
    """What was measured in one phase."""

    heading: str
    tiles: list[Tile]
    # What the intervals leave out, once where several leave out the same.
    notes: list[str]
    next_answers: str
    pairs: list[tuple[TableItem, TableItem, str]]
    undecided: list[tuple[TableItem, str]]
    n_more: int
    # The pairs of items with neighbouring scores, `n_more` of which are uncertain.
    n_neighbours: int


@study_page
@require_GET
def live(request: HttpRequest, study: Study) -> HttpResponse:
    live_figures = reading.live(study, population_of(request))
    has_worker = workers.is_running()
    query = f"?population={live_figures.population}"
    return show(
        request,
        study,
        "monitoring/live.html",
        title=_("Live progress"),
        section="live",
        now_url=url(study, "live_now") + query,
        poll_seconds=POLL_SECONDS,
        etag=_etag(live_figures, has_worker),
        **_shown(live_figures, has_worker=has_worker),
    )


@study_page
@require_GET
def now(request: HttpRequest, study: Study) -> HttpResponse:
    """The part of the page that changes; 304 if nothing has."""
    live_figures = reading.live(study, population_of(request))
    has_worker = workers.is_running()
    etag = _etag(live_figures, has_worker)
    unchanged = get_conditional_response(request, etag=etag)
    if unchanged is not None:
        return unchanged
    html = render_to_string(
        "monitoring/_live.html",
        {
            "study": study,
            "is_reader": access.is_reader(request.user, study),
            **_shown(live_figures, has_worker=has_worker),
        },
        request=request,
    )
    response = HttpResponse(html)
    response["ETag"] = etag
    # Asked again each time; kept by nobody but the browser that asked.
    response["Cache-Control"] = "private, no-cache"
    return response


@study_page
@require_GET
def plot(request: HttpRequest, study: Study, name: str, kind: str) -> HttpResponse:
    """One figure as a file that stands alone, as it is now."""
    population = population_of(request)
    # Programs read the data: their columns have the same names for everybody.
    with translation.override("en" if kind == "tsv" else translation.get_language()):
        plots = {each.key: each for each in every_plot(reading.live(study, population))}
    if name not in plots:
        raise Http404
    parts = [study.slug, "live", *(["simulated"] if population == "simulated" else []), name]
    made = plot_file(request, plots[name], kind, stem="-".join(parts))
    return made or redirect(f"{url(study, 'live')}?population={population}")


def _etag(live_figures: Live, has_worker: bool) -> str:
    language = translation.get_language()
    return f'"{live_figures.fingerprint}-{language}-{int(has_worker)}"'


def _shown(live_figures: Live, *, has_worker: bool) -> dict[str, Any]:
    study, tally = live_figures.study, live_figures.tally
    return {
        "live": live_figures,
        "population": live_figures.population,
        "is_measured": kind_of(study).monitoring.is_measured,
        "has_begun": bool(live_figures.people.joined or (tally and tally.n_answers)),
        "is_draft": study.is_draft,
        "is_made": bool(live_figures.design and live_figures.design.is_made),
        "is_over": _is_over(live_figures),
        "is_finished": study.state == Study.State.FINISHED,
        "has_worker": has_worker,
        "state": _state(live_figures),
        "counts": _counts(live_figures),
        "not_counted": _not_counted(live_figures),
        "not_measured": _not_measured(live_figures),
        "end": end_in_words(live_figures),
        "parts": _parts(live_figures),
        "plots": every_plot(live_figures),
        "plot_page": "admin:annotation_study_live_plot",
        "plot_query": f"population={live_figures.population}",
        "announcement": _announcement(live_figures),
    }


def _state(live_figures: Live) -> str:
    """Why fewer people come than might; empty if the study is open."""
    return {
        Study.State.PAUSED.value: _(
            "Paused: nobody new can join; people who have started can continue. Reopen the study"
            " on its overview."
        ),
        Study.State.CLOSED.value: _(
            "Closed: nobody new can join; people who have started can finish."
        ),
        Study.State.FINISHED.value: _("The study is finished. These are the final numbers."),
    }.get(live_figures.study.state, "")


def _is_over(live_figures: Live) -> bool:
    """Whether no answers are to come."""
    return live_figures.end.reason in {"done", "over"}


def _not_counted(live_figures: Live) -> str:
    """Why there are no numbers of answers yet; empty if there are."""
    if live_figures.tally is not None:
        return ""
    if _is_over(live_figures):
        return _("These answers will be counted within a minute.")
    return _("Not counted yet. The answers are counted every minute.")


def _not_measured(live_figures: Live) -> str:
    """Why nothing is said of reliability and agreement; for whom nothing was measured."""
    tally = live_figures.tally
    if tally is None:
        return _("Not computed yet. The answers are counted first.")
    if tally.n_counted:
        return ngettext(
            "This will be computed within a few minutes, from %(n)s answer that counts.",
            "This will be computed within a few minutes, from %(n)s answers that count.",
            tally.n_counted,
        ) % {"n": grouped(tally.n_counted)}
    if _is_over(live_figures):
        return _("There are no figures, because nobody completed a booklet.")
    return _("No figures yet: answers count once somebody has completed a booklet.")


def _counts(live_figures: Live) -> list[Tile]:
    people, tally = live_figures.people, live_figures.tally
    tiles = []
    if tally is not None:
        tiles = [
            Tile(
                _("Answers"),
                grouped(tally.n_answers),
                _("all of them count towards the scores")
                if tally.n_answers and tally.n_answers == tally.n_counted
                else ngettext(
                    "%(n)s of them, from a completed booklet, counts towards the scores",
                    "%(n)s of them, from completed booklets, count towards the scores",
                    tally.n_counted,
                )
                % {"n": grouped(tally.n_counted)},
            ),
            Tile(_("Answers in the last hour"), grouped(tally.in_last_hour)),
            Tile(_("Answers in the last 24 hours"), grouped(tally.in_last_day)),
        ]
    tiles.append(Tile(_("People joined"), grouped(people.joined)))
    tiles.append(Tile(_("People active"), grouped(people.active)))
    for name, n in (
        (_("Waiting"), people.waiting),
        (_("People who have finished"), people.submitted),
        (_("Timed out"), people.lapsed),
        (_("Withdrawn"), people.withdrawn),
        (_("Excluded (among those who joined)"), people.excluded),
    ):
        if n:
            tiles.append(Tile(name, grouped(n)))
    return tiles


def _interval(figure: dict[str, Any]) -> str:
    if figure["low"] is None or figure["high"] is None:
        why = in_words(figure.get("why"))
        return _("No interval: %(reason)s.") % {"reason": why} if why else ""
    low, high = number(figure["low"], 2), number(figure["high"], 2)
    if not figure.get("over"):
        return _("95 %% interval: %(low)s to %(high)s") % {"low": low, "high": high}
    return interval_with_ends(figure["over"], low, high)


def _figure_tile(name: Text, figure: dict[str, Any], *, is_over: bool) -> Tile:
    if figure["value"] is None:
        reason = in_words(figure["reason"])
        # Nothing is to come that would tell it.
        why = _("Not available: %(reason)s.") if is_over else _("Not available yet: %(reason)s.")
        return Tile(name, "–", why % {"reason": reason} if reason else "")
    return Tile(name, number(figure["value"], 2), _interval(figure))


def _parts(live_figures: Live) -> list[Part]:
    if live_figures.latest is None:
        return []
    parts = []
    for figures, details in zip(live_figures.latest.phases, live_figures.details, strict=True):
        heading = condition_name(figures) if len(live_figures.details) > 1 else ""
        parts.append(
            Part(
                heading,
                _measured_tiles(live_figures, figures),
                _notes(figures),
                _next_answers(live_figures, figures),
                [
                    (
                        _item(live_figures, pair[0], pair[2]),
                        _item(live_figures, pair[1], pair[3]),
                        percent(pair[4]) if pair[2] != pair[3] else _("equal scores"),
                    )
                    for pair in details.get("pairs", [])
                    if pair[0] in live_figures.items and pair[1] in live_figures.items
                ],
                [
                    (
                        _item(live_figures, pk, None),
                        ", ".join(f"{name}: {n}" for name, n in chosen),
                    )
                    for pk, chosen in details.get("undecided", [])
                    if pk in live_figures.items
                ],
                details.get("n_uncertain", details.get("n_undecided", 0)),
                details.get("n_neighbours", 0),
            )
        )
    return parts


def _item(live_figures: Live, pk: int, score: float | None) -> TableItem:
    item = live_figures.items[pk]
    address = f"{url(live_figures.study, 'items')}?page={reading.page_of_item(item)}"
    return TableItem(item, number(score), address)


def _notes(figures: dict[str, Any]) -> list[str]:
    measured = [figure for name in ("reliability", "alpha") if (figure := figures[name])]
    notes = [in_words(figure.get("why")) for figure in measured if figure["low"] is not None]
    return list(dict.fromkeys(filter(None, notes)))


def _measured_tiles(live_figures: Live, figures: dict[str, Any]) -> list[Tile]:
    tiles = []
    part, is_over = kind_of(live_figures.study).monitoring, _is_over(live_figures)
    if figures["reliability"] is not None:
        name = str(part.reliability_heading)
        tiles.append(_figure_tile(name, figures["reliability"], is_over=is_over))
    tiles.append(_figure_tile(str(part.agreement_heading), figures["alpha"], is_over=is_over))
    if figures["certain_share"] is not None:
        # Ratings of all items are on one scale, whichever pool an item is from.
        in_pools = kind_of(live_figures.study).items.compares_items
        n_pairs = (
            _("of %(n)s pairs of items in the same pool")
            if in_pools
            else _("of %(n)s pairs of items")
        )
        tiles.append(
            Tile(
                _("Item pairs that differ significantly"),
                percent(figures["certain_share"]),
                n_pairs % {"n": grouped(figures["n_pairs"])},
            )
        )
    return tiles


def _next_answers(live_figures: Live, figures: dict[str, Any]) -> str:
    """What so many answers more would add, in a sentence; or that it cannot be told."""
    if live_figures.end.reason == "done":
        return _("All places are completed. More answers would need more places.")
    if live_figures.end.reason == "over":
        return _("The study is finished, so there will be no more answers.")
    n_phases = len(live_figures.details)
    if figures["reliability"] is None:
        sentences = _alpha_then(figures, n_phases=n_phases)
    else:
        sentences = _reliability_then(figures)
    if not sentences:
        return _("No forecast yet: most questions need a second answer first.")
    if n_phases > 1:
        sentences.append(_("The 100 answers are spread evenly over the phases."))
    return " ".join(sentences)


def _reliability_then(figures: dict[str, Any]) -> list[str]:
    now, then = figures["reliability"]["value"], figures["then"]
    sentences = []
    if now is not None and then is not None:
        sentences.append(
            _(
                "If the new answers are of the same quality, the reliability above may rise from"
                " about %(now)s to about %(then)s (Spearman-Brown formula)."
            )
            % {"now": decimal(now, 2), "then": decimal(then, 2)}
        )
    certain, certain_then = figures["certain_share"], figures["certain_share_then"]
    if certain is not None and certain_then is not None:
        n_more = round((certain_then - certain) * figures["n_pairs"])
        sentences.append(
            _("The number of item pairs that differ significantly is not expected to grow.")
            if n_more <= 0
            else ngettext(
                "%(n)s more item pair is expected to differ significantly.",
                "%(n)s more item pairs are expected to differ significantly.",
                n_more,
            )
            % {"n": grouped(n_more)}
        )
    return sentences


def _alpha_then(figures: dict[str, Any], *, n_phases: int) -> list[str]:
    """Of labels: how much narrower the interval of alpha would be."""
    low, high, n = figures["alpha"]["low"], figures["alpha"]["high"], figures["n"]
    if low is None or high is None or not n:
        return []
    half = (high - low) / 2
    then = half * (n / (n + MORE / n_phases)) ** 0.5
    sentence = _(
        "The interval of alpha would narrow from ±%(now)s to at best ±%(then)s; if the new "
        "answers are about the same items, less. Alpha itself does not grow with the number of "
        "answers."
    )
    return [sentence % {"now": decimal(half, 3), "then": decimal(then, 3)}]


def _announcement(live_figures: Live) -> str:
    """What a screen reader is told when it changes: tenths of the places, and the end."""
    places = live_figures.places
    if not places.total:
        return ""
    if places.done == places.total:
        return _("All places are completed.")
    tenths = int(10 * places.share_done)
    done = (
        _("%(n)s of the places are completed.") % {"n": percent(tenths / 10, 0)} if tenths else ""
    )
    return f"{done} {_state(live_figures)}".strip()
