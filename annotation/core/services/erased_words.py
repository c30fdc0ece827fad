"""Names and numbers of people, taken out of what was written about them.

Also out of what is else never changed: an event of a release says the same without the name.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Model, Q, QuerySet

from annotation.basics.sentences import Said, ngettext
from annotation.basics.sentences import sentence as _
from annotation.core.queries.comments import BLANKED
from annotation.core.services import audit_log
from annotation.models import (
    Exclusion,
    Intent,
    Job,
    Person,
    PhaseRun,
    Release,
    ReleaseEvent,
    Study,
    Visit,
)

# Kinds of texts that may name somebody, as researchers know them.
_PLACES = {
    "history": _("the history"),
    "exclusions": _("reasons of exclusions"),
    "openings": _("reasons of early openings"),
    "visits": _("notes on visits"),
    "ledger": _("notes of the ledger"),
    "adjudications": _("reasons of adjudications"),
    "relabellings": _("reasons of changed labels"),
    "events": _("reasons beside releases"),
    "releases": _("change logs of releases"),
    "jobs": _("imports and drafts of releases"),
}
# What stands in a text where a name or a number was.
ERASED = BLANKED
# Shorter names are also other words; platforms' numbers are longer than this.
_SHORTEST = 3
# A panel's id may be anything that somebody wrote into an address, such as "answers". Where it has
# letters alone it must be as long as no word of ours, or it would take words out of our records.
_SHORTEST_OF_LETTERS = 16


def words_of(people: Iterable[Person], visits: Sequence[Visit] = ()) -> list[str]:
    """What says who somebody was, the longest first: a name may be part of an address."""
    ids = {visit.submission_id for visit in visits}
    words = set()
    for person in people:
        words |= {person.email, person.name}
        ids.add(person.platform_id)
    words |= {
        external_id
        for external_id in ids
        if not external_id.isalpha() or len(external_id) >= _SHORTEST_OF_LETTERS
    }
    return sorted((word for word in words if len(word) >= _SHORTEST), key=len, reverse=True)


@dataclass(frozen=True)
class NamePlaces:
    """Where names and numbers stand: how many texts of each place, and which releases have some.

    The file of a release stays as it was published; what this study says of it later does not.
    """

    places: Counter[str]
    releases: list[int]

    @property
    def n_texts(self) -> int:
        return self.places.total()

    def said(self) -> list[Said]:
        """Where, and what becomes of it; empty where nobody is named."""
        if not self.n_texts:
            return []
        where = ", ".join(
            f"{name} ({self.places[place]})"
            for place, name in _PLACES.items()
            if self.places[place]
        )
        lines: list[Said] = [
            _("Where they stand in texts of this study, … takes their place: %(where)s.")
            % {"where": where}
        ]
        if self.releases:
            lines.append(
                ngettext(
                    "The file of release %(numbers)s names somebody, and stays as it was"
                    " published: make the next release, and take that file back where you"
                    " published it.",
                    "The files of the releases %(numbers)s name somebody, and stay as they were"
                    " published: make the next release, and take those files back where you"
                    " published them.",
                    len(self.releases),
                )
                % {"numbers": ", ".join(map(str, self.releases))}
            )
        return lines


def find(study: Study, people: Iterable[Person], visits: Sequence[Visit] = ()) -> NamePlaces:
    """Where an erasure would take words out of texts; nothing is changed."""
    places: Counter[str] = Counter()
    releases = []
    for place, model, pk, _changed in _changes(study, words_of(people, visits), visits):
        places[place] += 1
        if model is Release:
            releases.append(pk)
    numbers = Release.objects.filter(pk__in=releases).order_by("number")
    return NamePlaces(places, list(numbers.values_list("number", flat=True)))


def erase(study: Study, words: Sequence[str], visits: Sequence[Visit] = ()) -> None:
    """Take names and numbers out of what was written about people, and leave the rest."""
    for _where, model, pk, changed in _changes(study, words, visits):
        # The base manager: what is otherwise never changed, such as a release, refuses its own.
        model._base_manager.filter(pk=pk).update(**changed)


def _changes(
    study: Study, words: Sequence[str], visits: Sequence[Visit]
) -> Iterator[tuple[str, type[Model], int, dict[str, Any]]]:
    """Each row that names somebody: its place, model, key, and columns without these words."""
    if not words:
        return
    # A thousand labels that were changed together have one reason.
    seen: dict[str, Any] = {}

    def without(value: Any) -> Any:
        if not isinstance(value, str):
            return _values_without(value, words)
        if value not in seen:
            seen[value] = _without(value, words)
        return seen[value]

    for place, rows, names in _written(study, visits):
        # No objects: on SQLite nobody can save an answer until all has been read.
        for pk, *values in rows.order_by().values_list("pk", *names):
            changed = {
                name: redacted
                for name, value in zip(names, values, strict=True)
                if (redacted := without(value)) != value
            }
            if changed:
                yield place, rows.model, pk, changed


def _written(
    study: Study, visits: Sequence[Visit]
) -> list[tuple[str, "QuerySet[Any]", tuple[str, ...]]]:
    """All that researchers, platforms and programs wrote freely: place, rows, columns."""
    excluded = Exclusion.objects.filter(
        Q(annotator__study=study) | Q(assignment__annotator__study=study)
    )
    opened = PhaseRun.objects.filter(assignment__annotator__study=study).exclude(reason="")
    events = ReleaseEvent.objects.filter(release__study=study).exclude(reason="")
    # Whose answers a file has may have been typed, and a refusal quotes the file; letters are kept
    # as they were typed, and so are the notes of a release.
    jobs = Job.objects.filter(study=study, kind__in=(*Job.NAMING_KINDS, Job.Kind.RELEASE))
    return [
        ("history", audit_log.of_study(study), ("said",)),
        ("exclusions", excluded, ("reason", "lifted_reason")),
        ("openings", opened, ("reason",)),
        ("visits", Visit.objects.filter(pk__in=[visit.pk for visit in visits]), ("doubt", "note")),
        ("ledger", Intent.objects.filter(visit__in=visits), ("error", "note")),
        ("adjudications", study.adjudications.all(), ("reason",)),
        ("relabellings", study.relabellings.all(), ("reason",)),
        ("events", events, ("reason",)),
        # The next release would tell it again.
        ("releases", Release._base_manager.filter(study=study), ("notes", "changes")),
        ("jobs", jobs, ("parameters", "error", "message")),
    ]


def _without(text: str, words: Sequence[str]) -> str:
    """A text, or a stored sentence with its values, without these words."""
    if len(text) < _SHORTEST:
        return text
    if "\n" in text:
        # Of problems each line is a sentence.
        return "\n".join(_without(line, words) for line in text.split("\n"))
    try:
        stored = json.loads(text) if text.startswith(("{", "[")) else None
        if stored is not None:
            without = _values_without(stored, words)
            return text if without == stored else json.dumps(without, ensure_ascii=False)
    except (ValueError, RecursionError):
        # No sentence of ours. Brackets in hundreds keep nobody in a text.
        pass
    for word in words:
        if word in text:
            text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", ERASED, text)
    return text


def _values_without(stored: Any, words: Sequence[str]) -> Any:
    if isinstance(stored, str):
        return _without(stored, words)
    if isinstance(stored, list):
        return [_values_without(value, words) for value in stored]
    if isinstance(stored, dict):
        # The sentence itself is ours, and found again in the catalogue by every character.
        ours = {"say", "plural", "count"}
        return {
            name: value if name in ours else _values_without(value, words)
            for name, value in stored.items()
        }
    return stored


def forget(person: Person, study: Study) -> None:
    """Nobody would know afterwards which words in reasons and in the history are their name."""
    erase(study, words_of([person]))
    person.delete()
