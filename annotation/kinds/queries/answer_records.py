"""What the tables of rating and label studies have in common: the records of answers and runs."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple, Protocol

import numpy as np
from django.db.models import FloatField
from django.db.models.functions import Cast

from annotation.basics.cells import Cell
from annotation.core.queries import comments, counted_answers, run_status
from annotation.core.queries.counted_answers import Population
from annotation.core.queries.run_status import STATUSES, status_of
from annotation.kinds.rating.queries import phases as rating_phases
from annotation.kinds.rating.queries.answer_pools import pools_left_out
from annotation.kinds.rating.queries.answers import REPEAT, ItemTable, PhaseAnswers
from annotation.kinds.rating.queries.phases import Run
from annotation.models import Annotator, Assignment, Design, Study
from annotation.models.kinds import QuestionKind
from scoring.arrays import IntArray

_CHUNK = 2000


class AnnotatorName(NamedTuple):
    pseudonym: str
    source: str


class Answered(Protocol):
    """The counted answers of a design."""

    @property
    def items(self) -> ItemTable: ...
    @property
    def phases(self) -> Sequence[PhaseAnswers[Any]]: ...


class AnsweredStudy(Protocol):
    """One population's answers, read once for all tables."""

    @property
    def study(self) -> Study: ...
    @property
    def design(self) -> Design: ...
    @property
    def population(self) -> Population: ...
    @property
    def read(self) -> Answered: ...
    @property
    def people(self) -> list[AnnotatorName]:
        """The annotators by number."""

    def answer(self, phase: Any, row: int) -> Cell:
        """What the answer in a row of a phase says, as its column has it."""


def annotator_names(study: Study, pks: Iterable[int]) -> list[AnnotatorName]:
    """The rows of these annotators, in their order."""
    rows = Annotator.objects.filter(study=study).values_list("pk", "pseudonym", "source")
    names = {pk: AnnotatorName(pseudonym, source) for pk, pseudonym, source in rows.iterator()}
    return [names[pk] for pk in pks]


# -- Stored answers -----------------------------------------------------------------------------


class AnswerRecord(NamedTuple):
    """A stored answer, scored or not."""

    pseudonym: str
    source: str
    status: str
    phase_number: int
    condition: str
    # The purpose of the question's block.
    block: str
    booklet: int
    screen: int
    position: int
    item: str
    # The rating, or the categories.
    answer: Cell
    # The answer's place in the person's phase; None if it is not scored.
    order: int | None
    shown_at: datetime | None
    answered_at: datetime | None
    active_ms: int | None
    comment: str
    superseded_at: datetime | None


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


class AnswerRecords(ABC):
    """Every stored answer of one population, in the order of storing; counts them by status."""

    KIND: QuestionKind

    def __init__(self, answered: AnsweredStudy, *, is_surplus_only: bool = False) -> None:
        self.answered = answered
        self.is_surplus_only = is_surplus_only
        self.by_status = dict.fromkeys(STATUSES, 0)

    @abstractmethod
    def answer(self, judgment: int, rating: float | None) -> Cell:
        """What a stored answer says, as its column has it."""

    def __iter__(self) -> Iterator[AnswerRecord]:
        answered = self.answered
        orders = _orders(answered.read.phases)
        stored = counted_answers.judgments_of(answered.design, answered.population).filter(
            kind=self.KIND
        )
        if self.is_surplus_only:
            # The status decides below; this filter only avoids reading scored answers.
            stored = stored.current().exclude(counted_answers.is_in_counted_run())
        rows = (
            stored.filter(withdrawn_at=None)
            .order_by("pk")
            .annotate(
                run=run_status.of_judgment(),
                is_excluded=counted_answers.is_excluded(),
                # At most three decimals, so that the nearest float reads the same.
                value=Cast("rating", FloatField()),
            )
            .values_list(*_COLUMNS)
        )
        keys = answered.read.items.keys
        number = answered.read.items.number
        for (
            pk,
            superseded_at,
            is_excluded,
            run,
            pseudonym,
            source,
            phase_number,
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
            yield AnswerRecord(
                pseudonym=pseudonym,
                source=source,
                status=status,
                phase_number=phase_number,
                condition=condition,
                block=purpose,
                booklet=booklet,
                screen=screen,
                position=position,
                item=keys[number[item]],
                answer=self.answer(pk, rating),
                order=orders.get(pk),
                shown_at=shown_at,
                answered_at=answered_at,
                active_ms=active_ms,
                comment=comments.in_a_table(comment, superseded_at),
                superseded_at=superseded_at,
            )


def _orders(phases: Iterable[PhaseAnswers[Any]]) -> dict[int, int]:
    """Place of each counted answer in its person's phase, by the judgment's key."""
    orders: dict[int, int] = {}
    for phase in phases:
        assert phase.all.order is not None  # read_ratings always numbers them
        pairs = zip(phase.judgment_pks.tolist(), phase.all.order.tolist(), strict=True)
        orders.update(pairs)
    return orders


# -- Counted answers ----------------------------------------------------------------------------


class CountedAnswer(NamedTuple):
    """A counted answer of one phase, from the arrays."""

    pseudonym: str
    phase_number: int
    condition: str
    item: str
    pool: str
    # The rating, or the categories.
    answer: Cell
    order: int
    active_ms: int | None
    # In seconds since 1970; nan if unknown.
    answered_at: float
    # Given once more by the same person, and in no score.
    is_repeat: bool


class RepeatRecord(NamedTuple):
    """A counted repeat, beside what the same person had said before."""

    repeat: CountedAnswer
    # Empty if there is none.
    before: Cell
    # Annotations between the two, if both are of one phase.
    n_between: int | None
    # Where a rating before was given, and the hours from it to this one.
    before_in: str = ""
    hours_between: float | None = None


def counted_answer(answered: AnsweredStudy, phase: PhaseAnswers[Any], row: int) -> CountedAnswer:
    every, items = phase.all, answered.read.items
    assert every.order is not None  # the code that reads them numbers them
    unit, active_ms = int(every.unit[row]), float(phase.active_ms[row])
    return CountedAnswer(
        pseudonym=answered.people[int(every.annotator[row])].pseudonym,
        phase_number=phase.phase.number,
        condition=phase.phase.condition,
        item=items.keys[unit],
        pool=items.clusters[unit],
        answer=answered.answer(phase, row),
        order=int(every.order[row]),
        active_ms=None if np.isnan(active_ms) else int(active_ms),
        answered_at=float(phase.answered_at[row]),
        is_repeat=bool(phase.purpose[row] == REPEAT),
    )


def main_and_repeats(answered: AnsweredStudy, phase: PhaseAnswers[Any]) -> Iterator[CountedAnswer]:
    """What `python -m scoring` reads of a phase, in the order in which the page computes."""
    for row in phase.rows_with_repeats.tolist():
        yield counted_answer(answered, phase, row)


def has_pools(answered: AnsweredStudy, phase: PhaseAnswers[Any]) -> bool:
    """Whether alpha's interval draws whole pools, which the command learns from a column."""
    return pools_left_out(phase, answered.read.items) is not None


def by_person(phase: PhaseAnswers[Any], rows: IntArray) -> list[int]:
    """These rows, person by person, each in the order of answering."""
    every = phase.all
    assert every.order is not None  # the code that reads them numbers them
    in_order: list[int] = rows[np.lexsort((every.order[rows], every.annotator[rows]))].tolist()
    return in_order


# -- People -------------------------------------------------------------------------------------


def phase_records(answered: AnsweredStudy) -> Iterator[Run]:
    """Everybody's way through the phases, but that of people who withdrew."""
    for run in rating_phases.phase_runs(answered.design, answered.population):
        if run.run.assignment.state != Assignment.State.WITHDRAWN:
            yield run
