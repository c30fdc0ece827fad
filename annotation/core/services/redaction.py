"""Names and numbers of people, taken out of what was written about them.

Also out of what is else never changed: an event of a release says the same without the name.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
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
from annotation.models.kinds import CrowdPlatform

# Kinds of texts that may name somebody, as researchers know them.
_PLACES = {
    "history": _("the history"),
    "exclusions": _("reasons of exclusions"),
    "openings": _("reasons of early openings"),
    "visits": _("notes on visits"),
    "ledger": _("notes of the ledger"),
    "adjudications": _("reasons of adjudications"),
    "relabellings": _("reasons of changed labels"),
    "events": _("reasons given with releases"),
    "releases": _("change logs of releases"),
    "jobs": _("imports and drafts of releases"),
}
# What stands in a text where a name or a number was.
ERASED = BLANKED
# Shorter names are also other words; platforms' numbers are longer than this.
_MIN_WORD_LENGTH = 3
# Thai, Khmer, Japanese, Chinese, Korean and their neighbours put no space around a name, or join
# endings to it. Their names often have two characters.
_JOINED = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]"
)
_MIN_JOINED_LENGTH = 2
# Ids that researchers wrote, and those that a platform vouched for. Where one has letters alone it
# must be as long as no word of ours, or it would take words out of our records.
_MIN_LENGTH_OF_LETTERS = 16
# Anybody can come to a listing by an id such as "2.1", a date or the name of a file. An id that
# nobody vouched for is looked for only if it can be no word, number or name of ours.
_RANDOM_ID = re.compile(r"(?=.*[A-Za-z])(?=.*[0-9])[A-Za-z0-9]{12,}|[A-Za-z]{16,}", re.ASCII)
_TOKEN = re.compile(r"\w+")


def words_of(people: Iterable[Person], visits: Sequence[Visit] = ()) -> list[str]:
    """What says who somebody was, the longest first: a name may be part of an address."""
    words = set()
    vouched = {visit.submission_id for visit in visits if visit.verified_at}
    invented = {visit.submission_id for visit in visits if not visit.verified_at}
    people = list(people)
    platforms = set(CrowdPlatform.values)
    of_platforms = [person for person in people if person.platform in platforms]
    # Of a visit that is emptied in the same moment, the one that was read says it.
    known = {visit.person_id for visit in visits if visit.verified_at}
    known |= _known_to_platforms(of_platforms)
    for person in people:
        words |= {person.email, person.name}
        # A researcher wrote the person's id, or a platform knows somebody by it.
        is_vouched_for = person.platform not in platforms or person.pk in known
        (vouched if is_vouched_for else invented).add(person.platform_id)
    words |= {
        external_id
        for external_id in vouched
        if not external_id.isalpha() or len(external_id) >= _MIN_LENGTH_OF_LETTERS
    }
    words |= {external_id for external_id in invented if _RANDOM_ID.fullmatch(external_id)}
    return sorted(filter(_is_long_enough, words), key=len, reverse=True)


def _is_long_enough(word: str) -> bool:
    return len(word) >= (_MIN_JOINED_LENGTH if _JOINED.search(word) else _MIN_WORD_LENGTH)


def _known_to_platforms(people: Iterable[Person]) -> set[int | None]:
    """Primary keys of those of whom a platform has shown a sitting."""
    keys = [person.pk for person in people if person.pk is not None]
    shown = Visit.objects.filter(person__in=keys, verified_at__isnull=False)
    return set(shown.values_list("person_id", flat=True))


class _Words:
    """Words to be found in texts: ten thousand people in ten thousand texts are not compared."""

    def __init__(self, words: Sequence[str]) -> None:
        self._by_token: dict[str, list[tuple[int, str]]] = defaultdict(list)
        # A word without a letter or digit can stand anywhere, and so can one inside of another.
        self._anywhere: list[tuple[int, str]] = []
        for rank, word in enumerate(words):
            token = None if _JOINED.search(word) else _TOKEN.search(word)
            (self._by_token[token[0]] if token else self._anywhere).append((rank, word))

    def that_may_be_in(self, text: str) -> list[str]:
        """In their order. A word stands in a text between others, and so do its first letters."""
        candidates = set(self._anywhere)
        for token in _TOKEN.findall(text):
            candidates.update(self._by_token.get(token, ()))
        return [word for _rank, word in sorted(candidates)]


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
        """Where, and what becomes of it; empty if nobody is named."""
        if not self.n_texts:
            return []
        where = ", ".join(
            f"{name} ({self.places[place]})"
            for place, name in _PLACES.items()
            if self.places[place]
        )
        lines: list[Said] = [
            _("Names and ids in these texts of the study are replaced by “…”: %(where)s.")
            % {"where": where}
        ]
        if self.releases:
            lines.append(
                ngettext(
                    "The file of release %(numbers)s names somebody, and it cannot "
                    "change. Make a new release, and withdraw that file where you "
                    "published it.",
                    "The files of releases %(numbers)s name somebody, and they cannot "
                    "change. Make a new release, and withdraw those files where you "
                    "published them.",
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


def erase(
    study: Study,
    words: Sequence[str],
    visits: Sequence[Visit] = (),
    *,
    since: datetime | None = None,
) -> None:
    """Take names and numbers out of what was written about people, and leave the rest.

    `since`: only out of the history and of letters from then on.
    """
    for _where, model, pk, changed in _changes(study, words, visits, since):
        # The base manager: what is otherwise never changed, such as a release, refuses its own.
        model._base_manager.filter(pk=pk).update(**changed)


def _changes(
    study: Study,
    words: Sequence[str],
    visits: Sequence[Visit],
    since: datetime | None = None,
) -> Iterator[tuple[str, type[Model], int, dict[str, Any]]]:
    """Each row that names somebody: its place, model, key, and columns without these words."""
    if not words:
        return
    # A thousand labels that were changed together have one reason.
    seen: dict[str, Any] = {}
    to_be_found = _Words(words)

    def without(value: Any) -> Any:
        if not isinstance(value, str):
            return _values_without(value, to_be_found)
        if value not in seen:
            seen[value] = _without(value, to_be_found)
        return seen[value]

    written = _written(study, visits) if since is None else _written_since(study, since)
    for place, rows, names in written:
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


def _written_since(
    study: Study, since: datetime
) -> list[tuple[str, "QuerySet[Any]", tuple[str, ...]]]:
    """What may name somebody who was added then and never came."""
    letters = Job.objects.filter(study=study, kind=Job.Kind.SEND_LINKS, created_at__gte=since)
    return [
        ("history", audit_log.of_study(study).filter(at__gte=since), ("said",)),
        ("jobs", letters, ("parameters", "error", "message")),
    ]


def _without(text: str, words: _Words) -> str:
    """A text, or a stored sentence with its values, without these words."""
    if len(text) < _MIN_JOINED_LENGTH:
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
    for word in words.that_may_be_in(text):
        if word in text:
            pattern = re.escape(word)
            if not _JOINED.search(word):
                pattern = rf"(?<!\w){pattern}(?!\w)"
            text = re.sub(pattern, ERASED, text)
    return text


def _values_without(stored: Any, words: _Words) -> Any:
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


def forget(person: Person, study: Study, *, since: datetime | None = None) -> None:
    """Take a person out of what was written in a study, and delete who is in no other.

    Nobody would know afterwards which words in reasons and in the history are their name.
    `since`: when they were added, of somebody who never came: whoever adds and removes "Bob" must
    not take another Bob out of the history.
    """
    erase(study, words_of([person]), since=since)
    if not person.annotators.exists() and not person.visits.exists():
        person.delete()
