"""Answering as a person would, through the services."""

from uuid import uuid4

from django.utils import timezone

from annotation.answering.services import instructions, judgments
from annotation.kinds.best_worst.answer import BestWorstAnswer
from annotation.kinds.shown import PresentedQuestion
from annotation.models import Annotator, Assignment, Draft, Judgment, Question


def read_instructions(annotator: Annotator) -> None:
    """Go on from the instructions, unless they did."""
    if annotator.instructed_at is None:
        instructions.begin(annotator=annotator)
        annotator.refresh_from_db(fields=["instructed_at"])


def shown(question: Question) -> PresentedQuestion:
    return PresentedQuestion(order=judgments.members(question), at=timezone.now(), page="page")


def answer_one(
    assignment: Assignment,
    question: Question,
    *,
    best: int = 0,
    worst: int = 1,
    key=None,
    comment: str = "",
    active_ms: int | None = None,
    **options,
) -> Judgment:
    """Pick two options by their place in the stored order."""
    read_instructions(assignment.annotator)
    items = judgments.members(question)
    return judgments.record(
        assignment=assignment,
        question=question,
        answer=BestWorstAnswer(items[best], items[worst], comment=comment, active_ms=active_ms),
        shown=PresentedQuestion(order=items, at=timezone.now(), page="page"),
        idempotency_key=key or uuid4(),
        **options,
    )


def draft_one(
    assignment: Assignment,
    question: Question,
    *,
    page: str = "page",
    sequence: int = 1,
    key=None,
    base=None,
    **said,
) -> Draft:
    """Choose one item, or none, and perhaps write a comment."""
    read_instructions(assignment.annotator)
    saved = judgments.save(
        assignment=assignment.pk,
        annotator=assignment.annotator_id,
        question=question.pk,
        answer=BestWorstAnswer(**said),
        shown=PresentedQuestion(judgments.members(question), timezone.now(), page),
        idempotency_key=key or uuid4(),
        base=base,
        sequence=sequence,
    )
    assert isinstance(saved.row, Draft)
    return saved.row


def answer_all(assignment: Assignment) -> None:
    for question in assignment.booklet.questions.all():
        answer_one(assignment, question)
