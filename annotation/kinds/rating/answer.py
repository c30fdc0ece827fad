"""An answer to a rating question."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from annotation.basics.errors import InvalidAnswerError
from annotation.basics.scale import is_on, number_of, plain
from annotation.basics.sentences import sentence as _
from annotation.kinds.answer import Answer
from annotation.kinds.shown import Shown
from annotation.models import Judgment
from annotation.models.kinds import QuestionKind


@dataclass(frozen=True)
class RatingAnswer(Answer):
    """An answer to a rating question: a value of its scale."""

    rating: Decimal | None = None

    KIND = QuestionKind.RATING
    PARTS = ("rating",)

    def check(self, shown: Shown) -> None:
        if not is_on(shown.scale, self.rating):
            raise InvalidAnswerError(_("Choose a value of the scale."))

    @property
    def columns(self) -> dict[str, Any]:
        return {"rating": self.rating}

    def written(self, name: str) -> Any:
        # A number of JSON would be another one on its way through floating point.
        return None if self.rating is None else plain(self.rating)

    @classmethod
    def of_judgment(cls, row: Judgment) -> "RatingAnswer":
        return cls(row.rating, comment=row.comment)

    @classmethod
    def of_payload(cls, said: Mapping[str, Any]) -> "RatingAnswer":
        rating = said.get("rating")
        return cls(
            None if rating is None else number_of(rating),
            comment=said.get("comment", ""),
            active_ms=said.get("active_ms"),
        )
