"""A question about one item, which is a pair of texts or a single one, as a screen shows it."""

from dataclasses import dataclass, field
from typing import Any

from annotation.basics.reviewed import Reviewed
from annotation.basics.text_direction import Direction, text_direction
from annotation.kinds.question_rows import QuestionRows, RatedText
from annotation.kinds.shown_questions import ShownQuestion, ShownTurn, shown_turns

# Of a long document so many sentences on each side of the rated one are shown, the rest on demand.
SENTENCES_AROUND = 3


@dataclass(frozen=True)
class ShownText:
    """One text of a pair; with its context, if that is shown, the rated turn marked."""

    number: int
    text: str
    turns: list[ShownTurn] = field(default_factory=list)

    @property
    def is_spoken(self) -> bool:
        """Whether the context is a dialogue; sentences of a document flow on."""
        return any(turn.speaker for turn in self.turns)

    @property
    def direction(self) -> Direction:
        """That of the context as a whole; each sentence in it has its own."""
        return text_direction(" ".join(turn.text for turn in self.turns))

    @property
    def before(self) -> list[ShownTurn]:
        return self.turns[: self._near.start]

    @property
    def near(self) -> list[ShownTurn]:
        return self.turns[self._near]

    @property
    def after(self) -> list[ShownTurn]:
        return self.turns[self._near.stop :]

    @property
    def _near(self) -> slice:
        """The turns that are shown at once; no single turn is worth folding away."""
        n_turns = len(self.turns)
        place = next((n for n, turn in enumerate(self.turns) if turn.is_target), 0)
        low = place - SENTENCES_AROUND
        high = place + SENTENCES_AROUND + 1
        return slice(low if low > 1 else 0, high if high < n_turns - 1 else n_turns)


@dataclass(frozen=True, kw_only=True)
class ShownPair(ShownQuestion):
    """A question about two texts, each alone or in its context."""

    item: int
    above: str
    texts: list[ShownText]
    # What people and a measure said of it.
    beside: Reviewed | None

    @property
    def asks_to_compare(self) -> bool:
        """Whether the texts are compared, and not rated."""
        return False

    @property
    def has_context(self) -> bool:
        return any(text.turns for text in self.texts)


def pair_fields(rows: QuestionRows, number: int) -> dict[str, Any]:
    """What every question about an item has, to be made a question of its kind."""
    assert rows.question.item_id is not None  # constraint question_rating_or_label_has_item
    return {
        "pk": rows.question.pk,
        "number": number,
        "kind": rows.question.kind,
        "item": rows.question.item_id,
        "above": rows.above,
        "beside": rows.beside,
        "texts": [_text(text, place) for place, text in enumerate(rows.texts, start=1)],
    }


def _text(text: RatedText, number: int) -> ShownText:
    # Of one sentence there is no context to show.
    turns = shown_turns(text.turns, text.turn) if len(text.turns) > 1 else []
    return ShownText(number, text.text, turns)
