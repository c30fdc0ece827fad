"""What questions of every kind have as a page shows them, and a scale as it is shown."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from annotation.basics.categories import Categories
from annotation.basics.scale import MOST_MARKS, Scale, plain
from annotation.kinds.answer_kinds import ANSWERS, NO_ANSWER, Answer

if TYPE_CHECKING:
    from annotation.answering.queries.shown_checks import ShownTelling


@dataclass(frozen=True, kw_only=True)
class ShownQuestion:
    """One question as the template shows it, with what was answered."""

    pk: int
    number: int
    kind: str
    # Which template shows what is asked.
    template: str
    answer: Answer
    was_answered: bool = False
    shown: str = ""
    # The key of that answer, and what was sent from here instead, but stands not.
    base: str = NO_ANSWER
    here: Answer | None = None
    # What the form said wrongly, and which choices are missing.
    error: str = ""
    missing: tuple[str, ...] = ()
    # Of a check: what its giver was told of this answer; to a researcher who looks at it, all.
    told: "ShownTelling | None" = None
    known: "ShownTelling | None" = None

    @property
    def order(self) -> list[int]:
        """The items or turns to choose from, as they are shown."""
        return []

    @property
    def asked_scale(self) -> Scale | None:
        """That of its ratings, if it asks for some."""
        return None

    @property
    def asked_categories(self) -> Categories | None:
        """Those to choose from, if it asks for some."""
        return None

    @property
    def script(self) -> str:
        """What the page's script takes it for."""
        return self.kind

    @property
    def is_dialogue(self) -> bool:
        return False

    @property
    def asks_similarity(self) -> bool:
        return True

    @property
    def has_problem(self) -> bool:
        return bool(self.error or self.missing)

    @property
    def chosen_here(self) -> Answer:
        return self.here or ANSWERS[self.kind]()

    @property
    def must_be_seen(self) -> bool:
        """Whether something was not stored as it was sent."""
        return bool(self.error or self.here)


@dataclass(frozen=True)
class ShownPoint:
    """A value of the scale."""

    # As it is sent, and as it is read.
    value: str
    number: str
    label: str
    key: str = ""


@dataclass(frozen=True)
class ShownScale:
    scale: Scale

    @property
    def points(self) -> list[ShownPoint]:
        return [self._point(value) for value in self.scale.points]

    @property
    def has_few(self) -> bool:
        return self.scale.n_points <= MOST_MARKS

    @property
    def labelled(self) -> list[ShownPoint]:
        ends = {self.scale.low, self.scale.high}
        values = sorted(ends | set(self.scale.labels))
        return [self._point(value) for value in values]

    @property
    def inner(self) -> list[ShownPoint]:
        """Points with words between the ends: where there are some, all words make a list."""
        return [p for p in self.labelled[1:-1] if p.label]

    @property
    def low(self) -> ShownPoint:
        return self._point(self.scale.low)

    @property
    def high(self) -> ShownPoint:
        return self._point(self.scale.high)

    @property
    def step(self) -> str:
        return plain(self.scale.step)

    @property
    def decimals(self) -> int:
        return self.scale.decimals

    def _point(self, value: Any) -> ShownPoint:
        sent = plain(value)
        return ShownPoint(
            sent,
            self.scale.text(value),
            self.scale.label(value),
            sent if sent.isdigit() and len(sent) == 1 else "",
        )
