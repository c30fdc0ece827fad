"""An answer to a selection question: three sentences, each rated."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from annotation.basics.errors import InvalidAnswerError
from annotation.basics.scale import is_on, number_of, plain
from annotation.basics.sentences import sentence as _
from annotation.kinds.answer import Answer
from annotation.kinds.shown import PresentedQuestion
from annotation.models import Judgment, Pick
from annotation.models.kinds import QuestionKind

# The roles of a chosen sentence, in the order in which pages and files name them.
ROLES = ("similar", "middle", "dissimilar")


@dataclass(frozen=True)
class SelectionAnswer(Answer):
    """An answer to a selection question: for each role a turn (its primary key) and its rating."""

    similar: int | None = None
    middle: int | None = None
    dissimilar: int | None = None
    similar_rating: Decimal | None = None
    middle_rating: Decimal | None = None
    dissimilar_rating: Decimal | None = None

    KIND = QuestionKind.SELECTION
    PARTS = (*ROLES, *(f"{role}_rating" for role in ROLES))
    ROWS = ("picks",)

    @property
    def sentences(self) -> tuple[int, ...]:
        return tuple(turn for turn in self.turns.values() if turn is not None)

    @property
    def turns(self) -> dict[str, int | None]:
        return {role: getattr(self, role) for role in ROLES}

    @property
    def ratings(self) -> dict[str, Decimal | None]:
        return {role: getattr(self, f"{role}_rating") for role in ROLES}

    def check(self, shown: PresentedQuestion) -> None:
        turns = [turn for turn in self.turns.values() if turn is not None]
        if not set(turns) <= set(shown.order):
            raise InvalidAnswerError(_("Choose from the sentences of these reports."))
        if len(turns) != len(set(turns)):
            raise InvalidAnswerError(_("Choose three different sentences: one in each role."))
        if not all(is_on(shown.scale, rating) for rating in self.ratings.values()):
            raise InvalidAnswerError(_("Choose a value of the scale."))

    @property
    def columns(self) -> dict[str, Any]:
        return {}

    def rows(self, judgment: Judgment) -> list[Pick]:
        ratings = self.ratings
        return [
            Pick(judgment=judgment, role=role, turn_id=turn, rating=ratings[role])
            for role, turn in self.turns.items()
            if turn is not None
        ]

    def written(self, name: str) -> Any:
        value = getattr(self, name)
        return plain(value) if isinstance(value, Decimal) else value

    @classmethod
    def of_judgment(cls, row: Judgment) -> "SelectionAnswer":
        parts: dict[str, Any] = {}
        for pick in row.picks.all():
            parts |= {pick.role: pick.turn_id, f"{pick.role}_rating": pick.rating}
        return cls(**parts, comment=row.comment)

    @classmethod
    def of_payload(cls, payload: Mapping[str, Any]) -> "SelectionAnswer":
        parts: dict[str, Any] = {role: payload.get(role) for role in ROLES}
        for role in ROLES:
            rating = payload.get(f"{role}_rating")
            parts[f"{role}_rating"] = None if rating is None else number_of(rating)
        return cls(
            **parts,
            **cls.beside_choices(payload),
        )
