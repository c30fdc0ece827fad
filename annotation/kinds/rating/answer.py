"""An answer to a rating question."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import scoring
from annotation.basics.cells import Cell
from annotation.basics.errors import InvalidAnswerError
from annotation.basics.scale import is_on, number_of, plain
from annotation.basics.sentences import sentence as _
from annotation.kinds.answer import Answer
from annotation.kinds.shown import PresentedQuestion
from annotation.models import Judgment
from annotation.models.kinds import QuestionKind

if TYPE_CHECKING:
    from annotation.kinds.queries.known_answers import KnownAnswer


@dataclass(frozen=True)
class RatingAnswer(Answer):
    """An answer to a rating question: a value of its scale."""

    rating: Decimal | None = None

    KIND = QuestionKind.RATING
    PARTS = ("rating",)

    def check(self, shown: PresentedQuestion) -> None:
        if not is_on(shown.scale, self.rating):
            raise InvalidAnswerError(_("Choose a value of the scale."))

    def credit(self, known: "KnownAnswer") -> float:
        # No design with ratings is made without a scale.
        assert known.scale is not None
        assert known.rating is not None
        assert self.rating is not None  # constraint judgment_rating_has_rating
        rating, expected = float(self.rating), float(known.rating)
        credit = scoring.rating_credit(
            [rating],
            known=[expected],
            tolerance=[float(known.check.tolerance)],
            # A scale that was changed since may no longer reach as far as both.
            low=min(float(known.scale.low), rating, expected),
            high=max(float(known.scale.high), rating, expected),
        )
        return float(credit[0])

    @classmethod
    def cell_of(cls, judgment: Judgment) -> Cell:
        assert judgment.rating is not None  # constraint judgment_rating_has_rating
        return plain(judgment.rating)

    @classmethod
    def expected_cell(cls, known: "KnownAnswer") -> Cell:
        assert known.rating is not None  # a design is not made without
        return plain(known.rating)

    @property
    def columns(self) -> dict[str, Any]:
        return {"rating": self.rating}

    def written(self, name: str) -> Any:
        # A JSON number would change by rounding to floating point.
        return None if self.rating is None else plain(self.rating)

    @classmethod
    def of_judgment(cls, row: Judgment) -> "RatingAnswer":
        return cls(row.rating, comment=row.comment)

    @classmethod
    def of_payload(cls, payload: Mapping[str, Any]) -> "RatingAnswer":
        rating = payload.get("rating")
        return cls(
            None if rating is None else number_of(rating),
            **cls.beside_choices(payload),
        )
