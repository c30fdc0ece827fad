"""A best-worst question as a screen shows it."""

from dataclasses import dataclass

from annotation.kinds.best_worst.answer import BestWorstAnswer
from annotation.kinds.queries.orders import shown_order
from annotation.kinds.question_rows import QuestionRows
from annotation.kinds.shown_questions import ShownQuestion, ShownTurn, Viewer, shown_turns

BEST_KEYS = "12345678"
WORST_KEYS = "qwertyui"

# A dialogue of more turns than this is folded: its last turns are shown, the rest on demand.
LONGEST_UNFOLDED = 6
LAST_TURNS = 4


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


def shown_best_worst(rows: QuestionRows, number: int, viewer: Viewer) -> ShownBestWorst:
    items = shown_order(
        [(option.key, option) for option in rows.options],
        seed=viewer.seed,
        pseudonym=viewer.pseudonym,
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
        answer=BestWorstAnswer(),
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
