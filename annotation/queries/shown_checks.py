"""What a page says of an answer to a check, once its giver was told."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from annotation.models import Assignment, Check, Telling
from annotation.queries.known_answers import KnownAnswer
from annotation.queries.shown_base import ShownQuestion
from annotation.scale import plain


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
    tellings = Telling.objects.filter(
        judgment__assignment=assignment,
        judgment__question__in=known.keys(),
        judgment__superseded_at=None,
        judgment__withdrawn_at=None,
    ).select_related("judgment")
    told = {
        telling.judgment.question_id: ShownTelling(
            str(telling.judgment.idempotency_key),
            known[telling.judgment.question_id].credit(telling.judgment),
            known[telling.judgment.question_id],
        )
        for telling in tellings
    }
    return [
        replace(question, told=told[question.pk]) if _stands(question, told) else question
        for question in shown
    ]


def _stands(question: ShownQuestion, told: Mapping[int, ShownTelling]) -> bool:
    """Whether the answer that was told of is shown, and not one that is being changed."""
    return question.pk in told and question.base == told[question.pk].key


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
