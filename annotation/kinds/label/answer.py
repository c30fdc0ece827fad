"""An answer to a label question."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import scoring
from annotation.basics.cells import Cell
from annotation.basics.errors import InvalidAnswerError
from annotation.basics.sentences import sentence as _
from annotation.kinds.answer import Answer
from annotation.kinds.shown import PresentedQuestion
from annotation.models import Choice, Judgment
from annotation.models.kinds import QuestionKind

if TYPE_CHECKING:
    from annotation.kinds.queries.known_answers import KnownAnswer


@dataclass(frozen=True)
class LabelAnswer(Answer):
    """An answer to a label question: one or several of its categories; never none."""

    categories: tuple[str, ...] | None = None

    KIND = QuestionKind.LABEL
    PARTS = ("categories",)
    ROWS = ("choices",)

    def check(self, shown: PresentedQuestion) -> None:
        chosen = self.categories or ()
        if shown.categories is None or not set(chosen) <= set(shown.categories.names):
            raise InvalidAnswerError(_("Choose from the categories of this question."))
        if not shown.categories.allow(chosen):
            raise InvalidAnswerError(_("Choose one category only."))
        if len(chosen) != len(set(chosen)):
            raise InvalidAnswerError(_("Choose each category once."))

    def credit(self, known: "KnownAnswer") -> float:
        chosen = list(self.categories or ())
        return float(scoring.label_credit([chosen], known=[known.categories])[0])

    @classmethod
    def cell_of(cls, judgment: Judgment) -> Cell:
        return "|".join(sorted(choice.category for choice in judgment.choices.all()))

    @classmethod
    def expected_cell(cls, known: "KnownAnswer") -> Cell:
        return "|".join(known.categories)

    @property
    def columns(self) -> dict[str, Any]:
        return {}

    def rows(self, judgment: Judgment) -> list[Choice]:
        return [Choice(judgment=judgment, category=name) for name in self.categories or ()]

    @property
    def _said(self) -> tuple[Any, ...]:
        # The categories are a set: the order in which they were ticked has no meaning.
        return frozenset(self.categories or ()), self.comment

    def written(self, name: str) -> Any:
        return list(self.categories or ())

    @classmethod
    def of_judgment(cls, row: Judgment) -> "LabelAnswer":
        chosen = sorted(row.choices.all(), key=lambda choice: choice.pk)
        return cls(tuple(choice.category for choice in chosen) or None, comment=row.comment)

    @classmethod
    def of_payload(cls, payload: Mapping[str, Any]) -> "LabelAnswer":
        return cls(
            tuple(payload.get("categories", ())) or None,
            **cls.beside_choices(payload),
        )
