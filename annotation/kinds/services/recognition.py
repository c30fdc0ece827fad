"""People who take part in several rounds of a study: who they were before, and who can repeat."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef

from annotation.basics.errors import StateError
from annotation.basics.sentences import sentence as _
from annotation.models import (
    Annotator,
    Assignment,
    Block,
    Item,
    Judgment,
    Person,
    PhaseRun,
    Study,
)

ROSTER = "roster"
# People of a panel are known within one study: their ids say nothing about those of another.
_PANEL = "study-"
# A sentence names at most so many people who are in doubt.
_NAMED = 5

Doubt = Literal["ask", "same", "others"]


class Entry(Protocol):
    """One line of a roster."""

    @property
    def platform_id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def email(self) -> str: ...


@dataclass(frozen=True)
class Match:
    """Somebody on a list, and who they are, or may be, in an earlier round."""

    entry: Entry
    person: Person
    study: Study


@dataclass(frozen=True)
class Matches:
    """The matches by the id of the entry; the other entries are unknown people."""

    sure: dict[str, Match] = field(default_factory=dict)
    in_doubt: dict[str, Match] = field(default_factory=dict)


class InDoubtError(StateError):
    """Some on the list may be people of an earlier round, and somebody has to say."""

    def __init__(self, matches: Sequence[Match]) -> None:
        named = ", ".join(match.entry.platform_id for match in matches[:_NAMED])
        if len(matches) > _NAMED:
            named += ", …"
        super().__init__(
            _(
                "Nobody has been added yet. These people may have taken part in an earlier "
                "round: %(people)s. Say whether they are the same people."
            )
            % {"people": named}
        )
        self.matches = list(matches)


def earlier_rounds(study: Study, by: User | None) -> list[Study]:
    """The rounds that a study continues, the latest first, if they have the same owner.

    Those that `by` may change: who takes part there is told to nobody else. None: the operator.
    """
    rounds: list[Study] = []
    earlier = study.earlier_round
    while earlier is not None and earlier not in rounds:
        rounds.append(earlier)
        earlier = earlier.earlier_round
    return [
        earlier_round
        for earlier_round in rounds
        if earlier_round.owner_id == study.owner_id
        and earlier_round.erased_at is None
        and (by is None or Study.objects.edited_by(by).filter(pk=earlier_round.pk).exists())
    ]


def matches(study: Study, entries: Collection[Entry], by: User | None) -> Matches:
    """Who of a list took part in an earlier round of the same owner.

    The id and the address of an entry are compared. It is surely the same person if the id is the
    same and nothing else differs, or if both have the same address and it is the id of one of
    them. People who withdrew or were erased cannot be recognised, and are not found.
    """
    matches = Matches()
    taken: set[int] = set()
    for earlier in earlier_rounds(study, by):
        people = _people_of(earlier)
        by_id = {person.platform_id: person for person in people}
        by_address: dict[str, list[Person]] = {}
        for person in people:
            for address in _addresses(person):
                by_address.setdefault(address, []).append(person)
        for entry in entries:
            if entry.platform_id in matches.sure or entry.platform_id in matches.in_doubt:
                continue
            alike = {
                person.pk: person
                for person in (
                    *([by_id[entry.platform_id]] if entry.platform_id in by_id else []),
                    *(p for address in _addresses(entry) for p in by_address.get(address, [])),
                )
                if person.pk not in taken
            }
            if not alike:
                continue
            person = next(iter(alike.values()))
            is_sure = len(alike) == 1 and _is_sure(entry, person)
            kind = matches.sure if is_sure else matches.in_doubt
            kind[entry.platform_id] = Match(entry, person, earlier)
            taken.add(person.pk)
    return matches


def _people_of(study: Study) -> list[Person]:
    """The people of a roster: platforms recognise their own people."""
    return list(
        Person.objects.filter(
            Exists(
                Annotator.objects.filter(study=study, person=OuterRef("pk"), withdrawn_at=None)
            ),
            platform=ROSTER,
        )
        .exclude(platform_id="")
        .order_by("pk")
    )


def _is_sure(entry: Entry, person: Person) -> bool:
    if entry.platform_id != person.platform_id:
        # The address is the same: one of the two ids is wrong, unless it is the address itself.
        return "@" in entry.platform_id or "@" in person.platform_id
    if entry.email and person.email:
        return _plain(entry.email) == _plain(person.email)
    # Every list that is numbered from 1 has a person with that id.
    return not (entry.name and person.name and _plain(entry.name) != _plain(person.name))


def _addresses(person: Entry | Person) -> set[str]:
    return {_plain(text) for text in (person.email, person.platform_id) if "@" in text}


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


# -- Who has something to repeat ----------------------------------------------------------------


@dataclass(frozen=True)
class Repeaters:
    """People of the earlier round who rated there what this study can ask them again."""

    # The people who would be recognised if they took part here.
    n_known: int
    # Of those who are on this study's roster or took part, how many they are, and how many of them
    # are among those above.
    n_here: int
    n_known_here: int
    # The people whom a platform would send: they are recognised when they come.
    n_of_platforms: int


def repeaters(study: Study, *, but: Collection[str] = ()) -> Repeaters:
    """`but`: ids of the items that calibrate, which nobody repeats."""
    earlier = study.earlier_round
    if earlier is None:
        return Repeaters(0, 0, 0, 0)
    people = {
        pk: environment
        for pk, environment in _rated(study, earlier, but)
        if not environment.startswith(_PANEL)
    }
    here = set(
        study.annotators.filter(source="real", person__isnull=False).values_list(
            "person_id", flat=True
        )
    )
    return Repeaters(
        n_known=len(people),
        n_here=len(here),
        n_known_here=len(here & people.keys()),
        n_of_platforms=sum(bool(environment) for environment in people.values()),
    )


def _rated(study: Study, earlier: Study, but: Collection[str]) -> list[tuple[int, str]]:
    """Keys and realms of the people who rated in the earlier round what became items here."""
    level = set(
        study.items.without_checks()
        .exclude(key__in=but)
        .filter(derived_from__isnull=False)
        .values_list("derived_from_id", flat=True)
    )
    seen: set[int | None] = set()
    origins: set[int] = set()
    # Up to what an item was made of, perhaps over several copies.
    while level:
        seen |= level
        rows = list(
            Item.objects.filter(pk__in=level).values_list("pk", "study_id", "derived_from_id")
        )
        origins |= {pk for pk, study_id, _above in rows if study_id == earlier.pk}
        level = {above for _pk, _study, above in rows if above is not None} - seen
    if not origins:
        return []
    is_complete = PhaseRun.objects.filter(
        assignment=OuterRef("assignment"),
        phase=OuterRef("question__block__phase"),
        completed_at__isnull=False,
    )
    # The items that people rated are compared here: a query would name each of many.
    rated = (
        Judgment.objects.current()
        .filter(
            Exists(is_complete),
            assignment__annotator__study=earlier,
            assignment__annotator__person__isnull=False,
            question__block__purpose=Block.Purpose.MAIN,
            rating__isnull=False,
        )
        .exclude(assignment__state=Assignment.State.WITHDRAWN)
        .order_by()
        .values_list(
            "question__item_id",
            "assignment__annotator__person_id",
            "assignment__annotator__person__environment",
        )
    )
    return list({row[1:] for row in rated.iterator() if row[0] in origins})


def refuse_without_repeats(study: Study, *, but: Collection[str] = ()) -> None:
    """Raise StateError if nobody who can come would repeat what they rated before.

    People who come by an open link cannot be recognised.
    """
    # A pilot has its own people.
    if study.pilot_of_id is not None:
        return
    counts = repeaters(study, but=but)
    if counts.n_known_here or counts.n_of_platforms:
        return
    raise StateError(
        _(
            "Nobody on the roster rated these items in the earlier round, so nobody can repeat "
            "them. Add the people of that round with the same ids or addresses, or let repeats "
            "come from this study."
        )
    )
