"""An answer to a best-worst question."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import scoring
from annotation.basics.cells import Cell, as_json
from annotation.basics.errors import InvalidAnswerError
from annotation.basics.sentences import sentence as _
from annotation.kinds.answer import Answer
from annotation.kinds.shown import PresentedQuestion
from annotation.models import Judgment
from annotation.models.kinds import QuestionKind

if TYPE_CHECKING:
    from annotation.kinds.queries.known_answers import KnownAnswer


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

    def check(self, shown: PresentedQuestion) -> None:
        if not set(self.items) <= set(shown.order):
            raise InvalidAnswerError(_("Choose from the options of this question."))
        if len(self.items) != len(set(self.items)):
            raise InvalidAnswerError(
                _("Choose two different options: one as most, one as least similar.")
            )

    def credit(self, known: "KnownAnswer") -> float:
        # A file without both is not imported.
        assert known.best is not None
        assert known.worst is not None
        # What is incomplete is a draft.
        assert self.best is not None
        assert self.worst is not None
        credit = scoring.best_worst_credit(
            [self.best],
            [self.worst],
            known_best=[known.best.pk],
            known_worst=[known.worst.pk],
        )
        return float(credit[0])

    @classmethod
    def cell_of(cls, judgment: Judgment) -> Cell:
        return as_json({"best": str(judgment.best), "worst": str(judgment.worst)})

    @classmethod
    def expected_cell(cls, known: "KnownAnswer") -> Cell:
        return as_json({"best": str(known.best), "worst": str(known.worst)})

    @property
    def columns(self) -> dict[str, Any]:
        return {"best_id": self.best, "worst_id": self.worst}

    @classmethod
    def of_judgment(cls, row: Judgment) -> "BestWorstAnswer":
        return cls(row.best_id, row.worst_id, comment=row.comment)

    @classmethod
    def of_payload(cls, payload: Mapping[str, Any]) -> "BestWorstAnswer":
        return cls(
            payload.get("best"),
            payload.get("worst"),
            **cls.beside_choices(payload),
        )
