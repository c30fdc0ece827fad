"""What a page says of an answer to a check, once its giver was told."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from annotation.kinds.answer import Answer
from annotation.kinds.queries.known_answers import KnownAnswer
from annotation.kinds.registry import KINDS
from annotation.kinds.shown_questions import ShownQuestion, ShownTelling
from annotation.models import Assignment, Judgment


def choice_of(judgment: Judgment) -> Answer:
    """What somebody chose, whatever they wrote beside it."""
    answer = KINDS[judgment.kind].answering.answer
    return replace(answer.of_judgment(judgment), comment="")


def choose_the_same(judgment: Judgment, other: Judgment) -> bool:
    return choice_of(judgment).says_the_same(choice_of(other))


def with_tellings(
    shown: list[ShownQuestion], known: Mapping[int, KnownAnswer], assignment: Assignment
) -> list[ShownQuestion]:
    """The same questions with what was told of the answers that stand; without checks no query."""
    if not known:
        return shown
    with_telling = assignment.judgments.filter(
        question__in=known.keys(), telling__isnull=False, withdrawn_at=None
    ).order_by("pk")
    by_question: dict[int, list[Judgment]] = defaultdict(list)
    for judgment in with_telling:
        by_question[judgment.question_id].append(judgment)
    return [
        replace(question, told=_told(question, by_question[question.pk], known[question.pk]))
        if question.pk in by_question
        else question
        for question in shown
    ]


def _told(
    question: ShownQuestion, with_telling: Iterable[Judgment], known: KnownAnswer
) -> ShownTelling | None:
    """What was told of the choice that is shown; nothing of one that was made since."""
    chosen = replace(question.answer, comment="")
    for judgment in with_telling:
        if choice_of(judgment).says_the_same(chosen):
            return ShownTelling(str(judgment.idempotency_key), known.credit(judgment), known)
    return None


def for_preview(
    shown: Iterable[ShownQuestion], known: Mapping[int, KnownAnswer]
) -> list[ShownQuestion]:
    """The same questions with the right answers, for researchers."""
    return [
        replace(question, known=ShownTelling("", 0, known[question.pk]))
        if question.pk in known
        else question
        for question in shown
    ]
