"""What a page says of an answer to a check, once its giver was told."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from annotation.answering.queries.shown_base import ShownQuestion
from annotation.basics.scale import plain
from annotation.kinds.queries.known_answers import KnownAnswer, choice_of
from annotation.models import Assignment, Check, Judgment


@dataclass(frozen=True)
class ShownTelling:
    """Whether an answer is right; a tutorial says, too, what is, and why."""

    # That of the answer: a page that sends it has shown this.
    key: str
    credit: float
    known: KnownAnswer

    @property
    def is_right(self) -> bool:
        return self.credit == 1

    @property
    def is_partly_right(self) -> bool:
        return 0 < self.credit < 1

    @property
    def is_tutorial(self) -> bool:
        return self.known.style == Check.Style.TUTORIAL

    @property
    def explanation(self) -> str:
        return self.known.check.explanation

    @property
    def best(self) -> str:
        return self.known.best.candidate if self.known.best else ""

    @property
    def worst(self) -> str:
        return self.known.worst.candidate if self.known.worst else ""

    @property
    def rating(self) -> str:
        return "" if self.known.rating is None else plain(self.known.rating)

    @property
    def word(self) -> str:
        """Of a scale that is shown as words: what stands at the right point."""
        scale, rating = self.known.scale, self.known.rating
        if scale is None or rating is None or not scale.is_worded:
            return ""
        return scale.label(rating)

    @property
    def range(self) -> tuple[str, str] | None:
        """The lowest and the highest rating that is right, where there are several."""
        scale, rating = self.known.scale, self.known.rating
        if scale is None or rating is None:
            return None
        tolerance = self.known.check.tolerance
        right = [plain(point) for point in scale.points if abs(point - rating) <= tolerance]
        return (right[0], right[-1]) if len(right) > 1 else None

    @property
    def categories(self) -> list[str]:
        return self.known.categories


def with_tellings(
    shown: list[ShownQuestion], known: Mapping[int, KnownAnswer], assignment: Assignment
) -> list[ShownQuestion]:
    """The same questions with what was told of the answers that stand; without checks no query."""
    if not known:
        return shown
    told = assignment.judgments.filter(
        question__in=known.keys(), telling__isnull=False, withdrawn_at=None
    ).order_by("pk")
    by_question: dict[int, list[Judgment]] = defaultdict(list)
    for judgment in told:
        by_question[judgment.question_id].append(judgment)
    return [
        replace(question, told=_told(question, by_question[question.pk], known[question.pk]))
        if question.pk in by_question
        else question
        for question in shown
    ]


def _told(
    question: ShownQuestion, told: Iterable[Judgment], known: KnownAnswer
) -> ShownTelling | None:
    """What was told of the choice that is shown; nothing of one that was made since."""
    chosen = replace(question.answer, comment="")
    for judgment in told:
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
