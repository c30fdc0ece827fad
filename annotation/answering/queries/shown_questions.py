"""A question as a page shows it to one person: built from its rows, without a query."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.answering.queries.screen_rows import QuestionRows, RatedText
from annotation.answering.queries.shown_base import ShownQuestion, ShownScale
from annotation.answering.queries.shown_choices import ShownChoice, shown_categories, shown_points
from annotation.answering.queries.shown_selections import shown_selection
from annotation.basics.categories import Categories
from annotation.basics.reviewed import Reviewed
from annotation.basics.scale import Scale
from annotation.basics.text_direction import Direction, text_direction
from annotation.kinds.answer_kinds import ANSWERS, LabelAnswer
from annotation.kinds.queries.orders import shown_order
from annotation.models import Turn
from annotation.models.kinds import QuestionKind

BEST_KEYS = "12345678"
WORST_KEYS = "qwertyui"

# A dialogue of more turns than this is folded: its last turns are shown, the rest on demand.
LONGEST_UNFOLDED = 6
LAST_TURNS = 4
# Of a long document so many sentences on each side of the rated one are shown, the rest on demand.
SENTENCES_AROUND = 3


@dataclass(frozen=True)
class ShownTurn:
    speaker: str
    text: str
    # "a" or "b": who speaks first stands at the start of the line, who answers is set in.
    side: str
    is_target: bool


@dataclass(frozen=True)
class ShownOption:
    item: int
    number: int
    text: str
    # What the text is compared with, where every option has a target of its own.
    target: str
    best_key: str
    worst_key: str


@dataclass(frozen=True, kw_only=True)
class ShownBestWorst(ShownQuestion):
    turns: list[ShownTurn]
    # What all options are compared with, where that is not a turn of the dialogue.
    target: str
    options: list[ShownOption]
    has_target: bool

    @property
    def n_folded(self) -> int:
        """How many of the first turns a long dialogue hides; the target is never among them."""
        n_turns = len(self.turns)
        if n_turns <= LONGEST_UNFOLDED:
            return 0
        target = next((n for n, turn in enumerate(self.turns) if turn.is_target), n_turns)
        n_folded = min(n_turns - LAST_TURNS, target - 1)
        return n_folded if n_folded > 1 else 0

    @property
    def earlier_turns(self) -> list[ShownTurn]:
        return self.turns[: self.n_folded]

    @property
    def last_turns(self) -> list[ShownTurn]:
        return self.turns[self.n_folded :]

    @property
    def order(self) -> list[int]:
        return [option.item for option in self.options]

    @property
    def is_dialogue(self) -> bool:
        return bool(self.turns)

    @property
    def asks_similarity(self) -> bool:
        return self.has_target


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
    def has_context(self) -> bool:
        return any(text.turns for text in self.texts)


@dataclass(frozen=True, kw_only=True)
class ShownRating(ShownPair):
    scale: ShownScale

    @property
    def asked_scale(self) -> Scale | None:
        return self.scale.scale

    @property
    def is_worded(self) -> bool:
        return self.scale.scale.is_worded

    @property
    def script(self) -> str:
        return "worded" if self.is_worded else self.kind

    @property
    def choices(self) -> list[ShownChoice]:
        return shown_points(self.scale, self.answer.written("rating"))


@dataclass(frozen=True, kw_only=True)
class ShownLabel(ShownPair):
    categories: Categories

    @property
    def asked_categories(self) -> Categories | None:
        return self.categories

    @property
    def choices(self) -> list[ShownChoice]:
        assert isinstance(self.answer, LabelAnswer)
        return shown_categories(self.categories, self.answer.categories or ())


def shown_questions(
    questions: Iterable[QuestionRows],
    *,
    seed: int,
    pseudonym: str,
    scale: dict[str, Any],
    categories: Mapping[str, Any] | None = None,
    language: str = "",
) -> list[ShownQuestion]:
    """The questions in the order and with the options as this person sees them.

    `scale`: that of the study, for questions that ask for a rating; `categories`: likewise, for
    those that ask for a label; `language`: that of its texts.
    """
    shown: list[ShownQuestion] = []
    for number, question in enumerate(questions, start=1):
        if question.question.kind == QuestionKind.BEST_WORST:
            shown.append(_best_worst(question, number, seed=seed, pseudonym=pseudonym))
        elif question.question.kind == QuestionKind.SELECTION:
            shown.append(shown_selection(question, number, scale, language))
        elif question.question.kind == QuestionKind.LABEL:
            shown.append(_label(question, number, categories or {}))
        else:
            shown.append(_rating(question, number, scale))
    return shown


def _best_worst(rows: QuestionRows, number: int, *, seed: int, pseudonym: str) -> ShownBestWorst:
    items = shown_order(
        [(option.key, option) for option in rows.options],
        seed=seed,
        pseudonym=pseudonym,
        tuple_number=rows.tuple_number,
    )
    target_turns = {item.target_turn for item in items}
    marked = target_turns.pop() if len(target_turns) == 1 else None
    turns = shown_turns(rows.turns, marked)
    is_marked = any(turn.is_target for turn in turns)
    targets = {item.target for item in items}
    has_one_target = len(targets) == 1
    return ShownBestWorst(
        pk=rows.question.pk,
        number=number,
        kind=rows.question.kind,
        template="kinds/_best_worst.html",
        answer=ANSWERS[rows.question.kind](),
        turns=turns,
        target=items[0].target if has_one_target and not is_marked else "",
        options=[
            ShownOption(
                item=item.pk,
                number=place + 1,
                text=item.text,
                target="" if has_one_target else item.target,
                best_key=BEST_KEYS[place],
                worst_key=WORST_KEYS[place],
            )
            for place, item in enumerate(items)
        ],
        has_target=targets != {""},
    )


def _rating(rows: QuestionRows, number: int, scale: dict[str, Any]) -> ShownRating:
    return ShownRating(
        **_pair(rows, number), template="kinds/_rating.html", scale=ShownScale(Scale.of(scale))
    )


def _label(rows: QuestionRows, number: int, categories: Mapping[str, Any]) -> ShownLabel:
    return ShownLabel(
        **_pair(rows, number),
        template="kinds/_label.html",
        categories=Categories.of(categories),
    )


def _pair(rows: QuestionRows, number: int) -> dict[str, Any]:
    assert rows.question.item_id is not None  # constraint question_rating_or_label_has_item
    return {
        "pk": rows.question.pk,
        "number": number,
        "kind": rows.question.kind,
        "answer": ANSWERS[rows.question.kind](),
        "item": rows.question.item_id,
        "above": rows.above,
        "beside": rows.beside,
        "texts": [_text(text, place) for place, text in enumerate(rows.texts, start=1)],
    }


def _text(text: RatedText, number: int) -> ShownText:
    # Of one sentence there is no context to show.
    turns = shown_turns(text.turns, text.turn) if len(text.turns) > 1 else []
    return ShownText(number, text.text, turns)


def shown_turns(turns: Sequence[Turn], marked: int | None) -> list[ShownTurn]:
    sides: dict[str, str] = {}
    for turn in turns:
        sides.setdefault(turn.speaker, "ab"[len(sides) % 2])
    return [
        ShownTurn(turn.speaker, turn.text, sides[turn.speaker], turn.pk == marked)
        for turn in turns
    ]
