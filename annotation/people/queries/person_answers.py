"""One annotator's answers beside those of the others, in the order in which they were asked."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from annotation.core.queries.counted_answers import counted_judgments
from annotation.kinds.answer import Answer
from annotation.kinds.people_answers import Asked, Others, Own, population_of
from annotation.kinds.registry import kind_of
from annotation.models import Annotator, Block, Judgment


def own_answers(person: Annotator) -> list[Own]:
    """Current answers but to checks, of every booklet, in the order of the screens."""
    answer = kind_of(person.study).answering.answer
    rows = (
        Judgment.objects.current()
        .filter(assignment__annotator=person)
        .exclude(question__block__purpose=Block.Purpose.CHECK)
        .select_related("question__block__phase", "assignment__booklet")
        .prefetch_related(*answer.ROWS)
        .order_by(
            "assignment", "question__block__phase__number", "question__screen",
            "question__position", "pk",
        )
    )  # fmt: skip
    return [_own(row, answer.of_judgment(row)) for row in rows]


def _own(row: Judgment, answer: Answer) -> Own:
    question = row.question
    return Own(
        pk=row.pk,
        asked=_asked(row),
        assignment=row.assignment_id,
        booklet=row.assignment.booklet.number,
        phase=question.block.phase.number,
        condition=question.block.phase.condition,
        place=(question.screen, question.position),
        is_repeat=question.block.purpose == Block.Purpose.REPEAT,
        seconds=None if row.active_ms is None else row.active_ms / 1000,
        answer=answer,
        shown_order=tuple(row.shown_order or ()),
    )


def _asked(row: Judgment) -> Asked:
    question = row.question
    return (question.block.phase_id, question.tuple_id, question.item_id, question.turn_id)


def others_of(person: Annotator, own: Iterable[Own]) -> Others:
    """Of the same tuples, items and turns, in the same phase: what each said first."""
    questions = {judgment.asked for judgment in own}
    others = Others()
    if not questions:
        return others
    answer = kind_of(person.study).answering.answer
    rows = (
        counted_judgments(person.study, population_of(person))
        .exclude(assignment__annotator=person)
        .exclude(question__block__purpose=Block.Purpose.REPEAT)
        .select_related("question__block")
        .order_by()
    )
    tuples, items, turns = ({question[n] for question in questions} - {None} for n in (1, 2, 3))
    for column, wanted in (("tuple", tuples), ("item", items), ("turn", turns)):
        if not wanted:
            continue
        part = rows.filter(**{f"question__{column}__in": wanted})
        for row in part.prefetch_related(*answer.ROWS):
            key = _asked(row)
            if key not in questions:
                continue
            if row.active_ms is not None:
                others.seconds[key].append(row.active_ms / 1000)
            others.answers[key].append(answer.of_judgment(row))
    return others


@dataclass(frozen=True)
class Comment:
    booklet: int
    screen: int
    text: str
    at: datetime | None
    # The answer beside which it stands.
    judgment: int


def comments_of(person: Annotator) -> list[Comment]:
    rows = (
        Judgment.objects.current()
        .filter(assignment__annotator=person)
        .exclude(comment="")
        .select_related("question", "assignment__booklet")
        .order_by("assignment", "question__screen", "pk")
    )
    return [
        Comment(
            row.assignment.booklet.number,
            row.question.screen,
            row.comment,
            row.answered_at,
            row.pk,
        )
        for row in rows
    ]
