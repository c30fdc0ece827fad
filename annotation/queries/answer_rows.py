"""Every stored answer about an item as a row of a file, whichever kind of answer."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from django.db.models import FloatField
from django.db.models.functions import Cast

import scoring
from annotation.models import Design
from annotation.models.kinds import QuestionKind
from annotation.queries import answers, run_status
from annotation.queries.answers import Population
from annotation.queries.exporting import STATUSES, Cell, iso, status_of
from annotation.queries.rating_answers import ItemTable
from scoring.arrays import IntArray

_CHUNK = 2000


class AnsweredPhase(Protocol):
    """One phase of answers, whichever kind."""

    @property
    def all(self) -> scoring.Ratings | scoring.Labels: ...
    @property
    def judgment_pks(self) -> IntArray: ...


class Answered(Protocol):
    """The counted answers of a design."""

    @property
    def items(self) -> ItemTable: ...
    @property
    def phases(self) -> Sequence[AnsweredPhase]: ...


class AnsweredStudy(Protocol):
    """One population's answers, read once for all tables."""

    @property
    def design(self) -> Design: ...
    @property
    def population(self) -> Population: ...
    @property
    def read(self) -> Answered: ...


_COLUMNS = (
    "pk",
    "superseded_at",
    "is_excluded",
    "run",
    "assignment__annotator__pseudonym",
    "assignment__annotator__source",
    "question__block__phase__number",
    "question__block__phase__condition",
    "question__block__purpose",
    "assignment__booklet__number",
    "question__screen",
    "question__position",
    "question__item_id",
    "value",
    "shown_at",
    "answered_at",
    "active_ms",
    "comment",
)


class AnswerRows(ABC):
    """Every stored answer of one population, in the order of storing; counts them by status."""

    KIND: QuestionKind

    def __init__(self, of: AnsweredStudy, *, is_surplus_only: bool = False) -> None:
        self.of = of
        self.is_surplus_only = is_surplus_only
        self.by_status = dict.fromkeys(STATUSES, 0)

    @abstractmethod
    def said(self, judgment: int, rating: float | None) -> Cell:
        """What an answer said, as its column has it."""

    def __iter__(self) -> Iterator[Sequence[Cell]]:
        of = self.of
        orders = _orders(of.read.phases)
        stored = answers.judgments_of(of.design, of.population).filter(kind=self.KIND)
        if self.is_surplus_only:
            # The word decides below; this spares reading what is scored.
            stored = stored.current().exclude(answers.is_in_counted_run())
        rows = (
            stored.filter(withdrawn_at=None)
            .order_by("pk")
            .annotate(
                run=run_status.of_judgment(),
                is_excluded=answers.is_excluded(),
                # At most three decimals, so that the nearest float reads the same.
                value=Cast("rating", FloatField()),
            )
            .values_list(*_COLUMNS)
        )
        keys = of.read.items.keys
        number = of.read.items.number
        for (
            pk,
            superseded_at,
            is_excluded,
            run,
            pseudonym,
            source,
            phase,
            condition,
            purpose,
            booklet,
            screen,
            position,
            item,
            rating,
            shown_at,
            answered_at,
            active_ms,
            comment,
        ) in rows.iterator(chunk_size=_CHUNK):
            status = status_of(run, superseded_at=superseded_at, is_excluded=is_excluded)
            if self.is_surplus_only and status != run_status.SURPLUS:
                continue
            self.by_status[status] += 1
            yield (
                pseudonym,
                source,
                status,
                phase,
                condition,
                purpose,
                booklet,
                screen,
                position,
                keys[number[item]],
                self.said(pk, rating),
                orders.get(pk),
                iso(shown_at),
                iso(answered_at),
                active_ms,
                comment,
                iso(superseded_at),
            )


def _orders(phases: Iterable[AnsweredPhase]) -> dict[int, int]:
    """Place of each counted answer in its person's phase, by the judgment's key."""
    found: dict[int, int] = {}
    for phase in phases:
        assert phase.all.order is not None  # read_ratings always numbers them
        pairs = zip(phase.judgment_pks.tolist(), phase.all.order.tolist(), strict=True)
        found.update(pairs)
    return found
