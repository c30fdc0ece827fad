"""The rows of one screen, each asked for by its key: as few joins as will do, nothing unused."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.models import Assignment, Draft, Judgment, Member, Phase, Question, Turn
from annotation.queries.prepared import Prepared

PACE_OF = 20  # how many of the latest answers tell how fast somebody is


def _count(rows: QuerySet[Any], column: str) -> Coalesce:
    """How many rows fit, as a subquery."""
    one = rows.order_by().values(column).annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(one), 0)


_QUESTIONS = Prepared(
    lambda booklet, number: (
        Question.objects.filter(booklet=booklet, screen=number)
        .select_related("block__phase", "tuple__pool")
        .order_by("block__phase__number", "block__number", "position")
    )
)
_OPTIONS = Prepared(
    lambda tuples: (
        Member.objects.filter(tuple__in=tuples)
        .order_by("tuple_id", "position")
        .values_list(
            "tuple_id",
            "item_id",
            "item__key",
            "item__candidate_text",
            "item__candidate_turn__text",
            "item__target_text",
            "item__target_turn__text",
            "item__target_turn_id",
        )
    )
)
_TURNS = Prepared(
    lambda contexts: Turn.objects.filter(context__in=contexts).order_by("context_id", "position")
)
_JUDGMENTS = Prepared(
    lambda assignment, questions: (
        Judgment.objects.current()
        .filter(assignment=assignment, question__in=questions)
        .order_by("pk")
    )
)
_DRAFTS = Prepared(
    lambda assignment, questions: Draft.objects.filter(
        assignment=assignment, question__in=questions
    ).order_by("pk")
)
_ACTIVE_MS = Prepared(
    lambda assignment: (
        Judgment.objects.current()
        .filter(assignment=assignment, active_ms__isnull=False)
        .order_by("-pk")
        .values_list("active_ms")[:PACE_OF]
    )
)
# Two plain counts by an index. Counting the questions that have an answer would look for one per
# question.
_COUNTS = Prepared(
    lambda assignment: Assignment.objects.filter(pk=assignment).values_list(
        _count(Question.objects.filter(booklet=OuterRef("booklet")), "booklet"),
        _count(
            Judgment.objects.current()
            .filter(assignment=OuterRef("pk"))
            .exclude(
                Exists(
                    Draft.objects.filter(
                        assignment=OuterRef("assignment"), question=OuterRef("question")
                    )
                )
            ),
            "assignment",
        ),
    )
)


@dataclass(frozen=True)
class Option:
    """An item as a question shows it."""

    pk: int
    key: str
    text: str
    target: str
    target_turn: int | None


@dataclass(frozen=True)
class QuestionRows:
    """A question with what it shows: its options in stored order, the turns of its dialogue."""

    question: Question
    tuple_number: int
    options: Sequence[Option]
    turns: Sequence[Turn]


def screen_questions(booklet: int, number: int) -> list[QuestionRows]:
    """The questions of one screen with everything they show: three queries."""
    questions = _QUESTIONS.objects(booklet, number)
    tuples = [question.tuple for question in questions if question.tuple]
    options = _options([row.pk for row in tuples])
    turns: dict[int | None, list[Turn]] = defaultdict(list)
    # Context-free questions show no dialogue, so none is read for them.
    contexts = {
        question.tuple.pool.context_id
        for question in questions
        if question.tuple and question.block.phase.condition != Phase.Condition.FREE
    }
    for turn in _TURNS.objects(sorted(pk for pk in contexts if pk)):
        turns[turn.context_id].append(turn)
    return [
        QuestionRows(
            question=question,
            tuple_number=row.number,
            options=options[row.pk],
            turns=turns[row.pool.context_id] if row.pool.context_id in contexts else [],
        )
        for question, row in zip(questions, tuples, strict=True)
    ]


def _options(tuples: list[int]) -> dict[int, list[Option]]:
    found = defaultdict(list)
    for pk, item, key, text, turn_text, target, target_turn_text, target_turn in _OPTIONS.rows(
        tuples
    ):
        found[pk].append(
            Option(
                pk=item,
                key=key,
                text=turn_text if text is None else text,
                target=(target_turn_text or "") if target is None else target,
                target_turn=target_turn,
            )
        )
    return found


def current_judgments(assignment: Assignment, questions: Iterable[int]) -> list[Judgment]:
    return _JUDGMENTS.objects(assignment.pk, list(questions))


def drafts(assignment: Assignment, questions: Iterable[int]) -> list[Draft]:
    return _DRAFTS.objects(assignment.pk, list(questions))


def counts(assignment: Assignment) -> tuple[int, int]:
    """How many questions it has, and how many of their answers are complete and not changing."""
    rows: list[tuple[int, int]] = _COUNTS.rows(assignment.pk)
    return rows[0]


def latest_active_ms(assignment: Assignment) -> list[int]:
    """The active milliseconds of the latest answers that have some."""
    return [active_ms for (active_ms,) in _ACTIVE_MS.rows(assignment.pk)]
