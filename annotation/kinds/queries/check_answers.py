"""What people said to checks: to each its first answer, which counts, and the one that stands."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

import scoring
from annotation.basics.cells import Cell
from annotation.core.queries import counted_answers, run_status
from annotation.core.queries.counted_answers import Population
from annotation.core.queries.run_status import status_of
from annotation.kinds.answer import Answer
from annotation.kinds.queries import known_answers
from annotation.kinds.queries.known_answers import KnownAnswer
from annotation.kinds.question_rows import AskedQuestion
from annotation.models import Annotator, Block, Check, Design, Judgment, PhaseRun, Study
from annotation.models.judgments import JudgmentQuerySet

if TYPE_CHECKING:
    from scoring import CheckScore

# A person with less credit was more often wrong than right.
HALF = 0.5


@dataclass(frozen=True)
class CheckAnswer:
    """One person's answer to one check."""

    known: KnownAnswer
    # The answer to which they first got feedback, if they did; else the current answer.
    first: Judgment
    last: Judgment
    told_at: list[datetime]

    @property
    def credit(self) -> float:
        return self.known.credit(self.first)

    @property
    def is_tutorial(self) -> bool:
        return self.known.style == Check.Style.TUTORIAL


def given(known: Iterable[KnownAnswer], judgments: JudgmentQuerySet) -> Iterator[CheckAnswer]:
    """The answers to checks among these, person after person in the order of the screens.

    Withdrawn ones say nothing, and those to questions that are no checks are left out.
    """
    by_asked = known_answers.by_asked(known)
    rows = (
        judgments.filter(question__block__purpose=Block.Purpose.CHECK, withdrawn_at=None)
        .select_related(
            "best",
            "worst",
            "telling",
            "assignment__annotator",
            "assignment__booklet",
            "question__tuple",
            "question__block__phase",
        )
        .order_by("assignment", "question__block__phase__number", "question__screen", "pk")
    )
    if any(answer.categories for answer in by_asked.values()):
        rows = rows.prefetch_related("choices")
    for (_assignment, _question), of_one in groupby(
        rows, key=lambda row: (row.assignment_id, row.question_id)
    ):
        answers = list(of_one)
        last = next((row for row in answers if row.superseded_at is None), None)
        if last is None:
            continue
        with_telling = [row for row in answers if hasattr(row, "telling")]
        yield CheckAnswer(
            known=by_asked[known_answers.asked_by(AskedQuestion.of(last.question))],
            first=with_telling[0] if with_telling else last,
            last=last,
            told_at=[row.telling.told_at for row in with_telling],
        )


def scores_of(study: Study, people: Sequence[Annotator]) -> dict[int, "CheckScore"]:
    """How each annotator did on loud and silent checks, if they answered any."""
    known = known_answers.of_study(study)
    if not known:
        return {}
    judgments = Judgment.objects.filter(assignment__annotator__in=people)
    return _scores(given(known, judgments))


def score_in(run: PhaseRun) -> "CheckScore | None":
    """How somebody did on the loud and silent checks of one phase; None if there are none."""
    known = known_answers.of_study(run.assignment.annotator.study)
    if not known:
        return None
    judgments = Judgment.objects.filter(
        assignment=run.assignment_id, question__block__phase=run.phase_id
    )
    return _scores(given(known, judgments)).get(run.assignment.annotator_id)


def _scores(answers: Iterable[CheckAnswer]) -> dict[int, "CheckScore"]:
    credit: dict[int, list[float]] = defaultdict(list)
    for answer in answers:
        if not answer.is_tutorial:
            credit[answer.first.assignment.annotator_id].append(answer.credit)
    return {person: scoring.check_score(values) for person, values in credit.items()}


@dataclass(frozen=True)
class CheckSummary:
    """How the people of a study did on its checks."""

    n_people: int
    # The mean over people of their mean credit.
    mean: float
    n_below_half: int


def summary(study: Study, population: Population) -> CheckSummary | None:
    """The results of everybody who answered a check and is not excluded; None if nobody did."""
    known = known_answers.of_study(study)
    if not known:
        return None
    judgments = counted_answers.judgments_of(study, population, with_checks=True).exclude(
        counted_answers.is_excluded()
    )
    means = [score.mean for score in _scores(given(known, judgments)).values()]
    if not means:
        return None
    return CheckSummary(len(means), fmean(means), sum(mean < HALF for mean in means))


class CheckRecord(NamedTuple):
    """An answer to a check with all that a table says of it; the answers as they are written."""

    pseudonym: str
    source: str
    status: str
    phase: int
    condition: str
    booklet: int
    screen: int
    answer: CheckAnswer
    expected: Cell
    first: Cell
    last: Cell


def records(design: Design, population: Population) -> Iterator[CheckRecord]:
    """For a file: every answer to a check that is not withdrawn."""
    judgments = counted_answers.judgments_of(design, population, with_checks=True).annotate(
        run=run_status.of_judgment(), is_excluded=counted_answers.is_excluded()
    )
    for answer in given(known_answers.of_study(design.study), judgments):
        last = answer.last
        assignment, question = last.assignment, last.question
        phase = question.block.phase
        status = status_of(
            last.run,  # type: ignore[attr-defined]
            is_excluded=last.is_excluded,  # type: ignore[attr-defined]
        )
        answer_type = Answer.of_kind(last.kind)
        yield CheckRecord(
            pseudonym=assignment.annotator.pseudonym,
            source=assignment.annotator.source,
            status=status,
            phase=phase.number,
            condition=phase.condition,
            booklet=assignment.booklet.number,
            screen=question.screen,
            answer=answer,
            expected=answer_type.expected_cell(answer.known),
            first=answer_type.cell_of(answer.first),
            last=answer_type.cell_of(last),
        )
