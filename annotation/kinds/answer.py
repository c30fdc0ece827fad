"""What an answer says, of whichever kind: complete, or what there is of it so far."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from django.db import models

from annotation.basics.cells import Cell
from annotation.kinds.parts import class_of_kind
from annotation.kinds.shown import PresentedQuestion
from annotation.models import Judgment
from annotation.models.kinds import QuestionKind

if TYPE_CHECKING:
    from annotation.kinds.queries.known_answers import KnownAnswer

_NO_CHECK = "questions of this kind are no checks"
# The base of a page that was shown a question without any answer.
NO_ANSWER = "none"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What somebody said to one question. What is missing is None; a comment may be empty."""

    comment: str = ""
    # What the browser counted meanwhile, as `Judgment` keeps it; None: it counted nothing.
    active_ms: int | None = None
    n_away: int | None = None
    n_pasted: int | None = None

    COUNTS: ClassVar[tuple[str, ...]] = ("active_ms", "n_away", "n_pasted")
    KIND: ClassVar[QuestionKind]
    # The choices that make it complete, as forms, drafts and scripts name them.
    PARTS: ClassVar[tuple[str, ...]]
    # The related rows of a judgment that hold the rest of the answer; they are read with it.
    ROWS: ClassVar[tuple[str, ...]] = ()

    @staticmethod
    def of_kind(kind: str) -> type["Answer"]:
        """What this kind of question is answered with; code of rooms asks the registry."""
        answer: type[Answer] = class_of_kind(kind, "answer")
        return answer

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
        """The answer as the page's script reads it."""
        return {**{name: self.written(name) for name in self.PARTS}, "comment": self.comment}

    @property
    def payload(self) -> dict[str, Any]:
        """The answer as a draft stores it, without empty values."""
        values = {**self.as_json, **self.counts}
        # No real choice is falsy: an item's key is above 0, and a rating is a text, such as "0".
        return {name: value for name, value in values.items() if value}

    @property
    def counts(self) -> dict[str, int | None]:
        """What the browser counted, by column of a judgment."""
        return {name: getattr(self, name) for name in self.COUNTS}

    @classmethod
    def beside_choices(cls, payload: Mapping[str, Any]) -> dict[str, Any]:
        """The comment and the counts of a draft."""
        counts = {name: payload.get(name) for name in cls.COUNTS}
        return {"comment": payload.get("comment", ""), **counts}

    @property
    def comment_in_form(self) -> str:
        # A browser drops the first line break of a <textarea>: it must not be the comment's own.
        return f"\n{self.comment}"

    @property
    def as_fields(self) -> list[tuple[str, Any]]:
        """The choices as a form sends them: several choices share one name."""
        fields: list[tuple[str, Any]] = []
        for name in self.PARTS:
            value = self.written(name)
            fields += [
                (name, choice) for choice in (value if isinstance(value, list) else [value])
            ]
        return [(name, "" if value is None else value) for name, value in fields]

    @property
    def items(self) -> tuple[int, ...]:
        """The primary keys of the items that it names."""
        return ()

    @property
    def sentences(self) -> tuple[int, ...]:
        """The primary keys of the turns that it names."""
        return ()

    def written_parts(self, ids: Mapping[int, str]) -> list[Any]:
        """Its choices as JSON has them, items by their ids."""
        return [self.written(name) for name in self.PARTS]

    def check(self, shown: PresentedQuestion) -> None:
        """Refuse what does not fit what was shown; the server signed that when it showed it.

        Raises InvalidAnswerError. An answer that is not complete may fit.
        """

    def credit(self, known: "KnownAnswer") -> float:
        """How right a complete answer to a check is, from 0 to 1; see `scoring.checks`."""
        raise NotImplementedError(_NO_CHECK)

    @classmethod
    def cell_of(cls, judgment: Judgment) -> Cell:
        """A complete answer to a check, as a table has it."""
        raise NotImplementedError(_NO_CHECK)

    @classmethod
    def expected_cell(cls, known: "KnownAnswer") -> Cell:
        """The right answer to a check, likewise."""
        raise NotImplementedError(_NO_CHECK)

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
    def of_payload(cls, payload: Mapping[str, Any]) -> "Answer":
        """What a draft says."""
