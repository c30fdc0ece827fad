"""An answer to a ranking question."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from annotation.basics.cells import Cell, as_json
from annotation.basics.errors import InvalidAnswerError
from annotation.basics.sentences import sentence as _
from annotation.kinds.answer import Answer
from annotation.kinds.best_worst.answer import BestWorstAnswer
from annotation.kinds.shown import PresentedQuestion
from annotation.models import Judgment, Placement
from annotation.models.kinds import QuestionKind

if TYPE_CHECKING:
    from annotation.kinds.queries.known_answers import KnownAnswer

# An item's primary key and its place, from 1; None while it has none.
Placed = tuple[int, int | None]


@dataclass(frozen=True)
class RankingAnswer(Answer):
    """The place of every item of the question."""

    order: tuple[Placed, ...] | None = None

    KIND = QuestionKind.RANKING
    PARTS = ("order",)
    ROWS = ("placements",)

    @property
    def missing(self) -> tuple[str, ...]:
        placed = self.order or ()
        return () if placed and all(place for _item, place in placed) else self.PARTS

    @property
    def is_empty(self) -> bool:
        return not self.comment and not self.items

    @property
    def items(self) -> tuple[int, ...]:
        """The items that have a place, from the first place on."""
        return tuple(item for _place, item in self._placed)

    @property
    def _placed(self) -> list[tuple[int, int]]:
        return sorted((place, item) for item, place in self.order or () if place is not None)

    @property
    def _said(self) -> tuple[Any, ...]:
        return (*self._placed, self.comment)

    def place_of(self, item: int) -> int | None:
        return dict(self.order or ()).get(item)

    def check(self, shown: PresentedQuestion) -> None:
        order = self.order or ()
        # The order is empty or complete: a page sends every item, also those without a place.
        if order and sorted(item for item, _place in order) != sorted(shown.order):
            raise InvalidAnswerError(_("Choose from the options of this question."))
        places = [place for place, _item in self._placed]
        if not all(1 <= place <= len(shown.order) for place in places):
            raise InvalidAnswerError(_("Choose places from 1 to %(n)s.") % {"n": len(shown.order)})
        if twice := sorted({place for place in places if places.count(place) > 1}):
            raise InvalidAnswerError(
                _("Use each place once: place %(place)s is used twice.") % {"place": twice[0]}
            )

    def credit(self, known: "KnownAnswer") -> float:
        """A known answer names the ends: the first and the last place are checked."""
        return BestWorstAnswer(self.items[0], self.items[-1]).credit(known)

    @classmethod
    def cell_of(cls, judgment: Judgment) -> Cell:
        placements = judgment.placements.select_related("item").order_by("place")
        return as_json([str(placement.item) for placement in placements])

    @classmethod
    def expected_cell(cls, known: "KnownAnswer") -> Cell:
        return BestWorstAnswer.expected_cell(known)

    def written_parts(self, ids: Mapping[int, str]) -> list[Any]:
        return [ids.get(item, item) for item in self.items]

    def written(self, name: str) -> list[str]:
        """The order as fields of a form, items with a place first."""
        order = sorted(self.order or (), key=lambda placed: (placed[1] is None, placed[1] or 0))
        return [f"{item}:{place or ''}" for item, place in order]

    @property
    def columns(self) -> dict[str, Any]:
        return {}

    def rows(self, judgment: Judgment) -> list[Placement]:
        return [
            Placement(judgment=judgment, item_id=item, place=place) for place, item in self._placed
        ]

    @classmethod
    def of_judgment(cls, row: Judgment) -> "RankingAnswer":
        rows = sorted(row.placements.all(), key=lambda placement: placement.place)
        placed: tuple[Placed, ...] = tuple((row.item_id, row.place) for row in rows)
        return cls(placed or None, comment=row.comment)

    @classmethod
    def of_payload(cls, payload: Mapping[str, Any]) -> "RankingAnswer":
        return cls(
            tuple(placed(text) for text in payload.get("order", ())) or None,
            **cls.beside_choices(payload),
        )


def placed(written: str) -> Placed:
    """What a field says: an item and its place, such as 17:2. Raises ValueError."""
    item, colon, place = written.partition(":")
    if not colon or len(written) > 30:
        raise ValueError(f"{written[:30]!r} is not an item and its place")
    return int(item), int(place) if place else None
