"""What an answer says, by the kind of its question: complete, or what there is of it so far."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar

from django.db import models

from annotation.basics.scale import number_of, plain
from annotation.models import Choice, Judgment, Pick
from annotation.models.kinds import QuestionKind

# The base of a page that was shown a question without any answer.
NO_ANSWER = "none"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What somebody said to one question. What is missing is None; a comment may be empty."""

    comment: str = ""
    active_ms: int | None = None

    KIND: ClassVar[QuestionKind]
    # The choices that make it complete, as forms, drafts and scripts name them.
    PARTS: ClassVar[tuple[str, ...]]
    # Which rows of a judgment hold the rest of what it says, to be read with it.
    ROWS: ClassVar[tuple[str, ...]] = ()

    @property
    def missing(self) -> tuple[str, ...]:
        return tuple(name for name in self.PARTS if getattr(self, name) is None)

    @property
    def is_complete(self) -> bool:
        return not self.missing

    @property
    def is_empty(self) -> bool:
        return len(self.missing) == len(self.PARTS) and not self.comment

    def says_the_same(self, other: "Answer") -> bool:
        return self._said == other._said

    @property
    def _said(self) -> tuple[Any, ...]:
        return (*(getattr(self, name) for name in self.PARTS), self.comment)

    @property
    def as_json(self) -> dict[str, Any]:
        """As the page's script knows it."""
        return {**{name: self.written(name) for name in self.PARTS}, "comment": self.comment}

    @property
    def payload(self) -> dict[str, Any]:
        """As a draft keeps it: what is missing is absent."""
        said = {**self.as_json, "active_ms": self.active_ms}
        # No choice is falsy: an item's key is above 0, and a rating is a text, such as "0".
        return {name: value for name, value in said.items() if value}

    @property
    def comment_in_form(self) -> str:
        # A browser drops the first line break of a <textarea>: it must not be the comment's own.
        return f"\n{self.comment}"

    def written(self, name: str) -> Any:
        """A choice as JSON has it."""
        return getattr(self, name)

    @property
    @abstractmethod
    def columns(self) -> dict[str, Any]:
        """The columns of a judgment that hold it."""

    def rows(self, judgment: Judgment) -> Sequence[models.Model]:
        """What of it is stored in rows of its own, all of one table, beside the judgment."""
        return []

    @classmethod
    @abstractmethod
    def of_judgment(cls, row: Judgment) -> "Answer":
        """What a stored answer says."""

    @classmethod
    @abstractmethod
    def of_payload(cls, said: Mapping[str, Any]) -> "Answer":
        """What a draft says."""


@dataclass(frozen=True)
class BestWorstAnswer(Answer):
    """An answer to a best-worst question: the primary keys of two different items."""

    best: int | None = None
    worst: int | None = None

    KIND = QuestionKind.BEST_WORST
    PARTS = ("best", "worst")

    @property
    def columns(self) -> dict[str, Any]:
        return {"best_id": self.best, "worst_id": self.worst}

    @classmethod
    def of_judgment(cls, row: Judgment) -> "BestWorstAnswer":
        return cls(row.best_id, row.worst_id, comment=row.comment)

    @classmethod
    def of_payload(cls, said: Mapping[str, Any]) -> "BestWorstAnswer":
        return cls(
            said.get("best"),
            said.get("worst"),
            comment=said.get("comment", ""),
            active_ms=said.get("active_ms"),
        )


@dataclass(frozen=True)
class RatingAnswer(Answer):
    """An answer to a rating question: a value of its scale."""

    rating: Decimal | None = None

    KIND = QuestionKind.RATING
    PARTS = ("rating",)

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


# What a sentence can be chosen as, in the order in which pages and files name them.
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
    def turns(self) -> dict[str, int | None]:
        return {role: getattr(self, role) for role in ROLES}

    @property
    def ratings(self) -> dict[str, Decimal | None]:
        return {role: getattr(self, f"{role}_rating") for role in ROLES}

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
        said: dict[str, Any] = {}
        for pick in row.picks.all():
            said |= {pick.role: pick.turn_id, f"{pick.role}_rating": pick.rating}
        return cls(**said, comment=row.comment)

    @classmethod
    def of_payload(cls, said: Mapping[str, Any]) -> "SelectionAnswer":
        parts: dict[str, Any] = {role: said.get(role) for role in ROLES}
        for role in ROLES:
            rating = said.get(f"{role}_rating")
            parts[f"{role}_rating"] = None if rating is None else number_of(rating)
        return cls(
            **parts,
            comment=said.get("comment", ""),
            active_ms=said.get("active_ms"),
        )


@dataclass(frozen=True)
class LabelAnswer(Answer):
    """An answer to a label question: one or several of its categories; never none."""

    categories: tuple[str, ...] | None = None

    KIND = QuestionKind.LABEL
    PARTS = ("categories",)
    ROWS = ("choices",)

    @property
    def columns(self) -> dict[str, Any]:
        return {}

    def rows(self, judgment: Judgment) -> list[Choice]:
        return [Choice(judgment=judgment, category=name) for name in self.categories or ()]

    @property
    def _said(self) -> tuple[Any, ...]:
        # A set: in which order somebody ticked them says nothing.
        return frozenset(self.categories or ()), self.comment

    def written(self, name: str) -> Any:
        return list(self.categories or ())

    @classmethod
    def of_judgment(cls, row: Judgment) -> "LabelAnswer":
        chosen = sorted(row.choices.all(), key=lambda choice: choice.pk)
        return cls(tuple(choice.category for choice in chosen) or None, comment=row.comment)

    @classmethod
    def of_payload(cls, said: Mapping[str, Any]) -> "LabelAnswer":
        return cls(
            tuple(said.get("categories", ())) or None,
            comment=said.get("comment", ""),
            active_ms=said.get("active_ms"),
        )


ANSWERS: dict[str, type[Answer]] = {
    answer.KIND.value: answer
    for answer in (BestWorstAnswer, RatingAnswer, SelectionAnswer, LabelAnswer)
}
