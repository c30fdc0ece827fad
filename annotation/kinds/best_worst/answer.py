"""An answer to a best-worst question."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.basics.errors import InvalidAnswerError
from annotation.basics.sentences import sentence as _
from annotation.kinds.answer import Answer
from annotation.kinds.shown import Shown
from annotation.models import Judgment
from annotation.models.kinds import QuestionKind


@dataclass(frozen=True)
class BestWorstAnswer(Answer):
    """An answer to a best-worst question: the primary keys of two different items."""

    best: int | None = None
    worst: int | None = None

    KIND = QuestionKind.BEST_WORST
    PARTS = ("best", "worst")

    @property
    def items(self) -> tuple[int, ...]:
        return tuple(pick for pick in (self.best, self.worst) if pick is not None)

    def written_parts(self, ids: Mapping[int, str]) -> list[Any]:
        return [ids.get(item, item) for item in self.items]

    def check(self, shown: Shown) -> None:
        if not set(self.items) <= set(shown.order):
            raise InvalidAnswerError(_("Choose from the options of this question."))
        if len(self.items) != len(set(self.items)):
            raise InvalidAnswerError(
                _("Choose two different options: one as most, one as least similar.")
            )

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
