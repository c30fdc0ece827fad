"""What questions of every kind have as a screen shows them."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.basics.categories import Categories
from annotation.basics.scale import Scale, plain
from annotation.kinds.answer import NO_ANSWER, Answer
from annotation.kinds.queries.known_answers import KnownAnswer
from annotation.kinds.question_rows import ContextTurn
from annotation.models import Check, Study


@dataclass(frozen=True)
class Viewer:
    """To whom questions are shown: the order of options may depend on it."""

    study: Study
    # The seed of the design.
    seed: int
    pseudonym: str


@dataclass(frozen=True)
class ShownTurn:
    speaker: str
    text: str
    # "a" or "b": who speaks first stands at the start of the line, who answers is set in.
    side: str
    is_target: bool


def shown_turns(turns: Sequence[ContextTurn], marked: int | None) -> list[ShownTurn]:
    sides: dict[str, str] = {}
    for turn in turns:
        sides.setdefault(turn.speaker, "ab"[len(sides) % 2])
    return [
        ShownTurn(turn.speaker, turn.text, sides[turn.speaker], turn.pk == marked)
        for turn in turns
    ]


@dataclass(frozen=True)
class ShownTelling:
    """Whether an answer is right; a tutorial says, too, what is, and why."""

    # The key of the answer: a page that sends it back has shown this feedback.
    key: str
    credit: float
    known: KnownAnswer

    @property
    def is_right(self) -> bool:
        return self.credit == 1

    @property
    def is_partly_right(self) -> bool:
        return 0 < self.credit < 1

    @property
    def is_tutorial(self) -> bool:
        return self.known.style == Check.Style.TUTORIAL

    @property
    def explanation(self) -> str:
        return self.known.check.explanation

    @property
    def best(self) -> str:
        return self.known.best.candidate if self.known.best else ""

    @property
    def worst(self) -> str:
        return self.known.worst.candidate if self.known.worst else ""

    @property
    def rating(self) -> str:
        return "" if self.known.rating is None else plain(self.known.rating)

    @property
    def word(self) -> str:
        """Of a scale that is shown as words: what stands at the right point."""
        scale, rating = self.known.scale, self.known.rating
        if scale is None or rating is None or not scale.is_worded:
            return ""
        return scale.label(rating)

    @property
    def range(self) -> tuple[str, str] | None:
        """The lowest and the highest rating that is right, if there are several."""
        scale, rating = self.known.scale, self.known.rating
        if scale is None or rating is None:
            return None
        tolerance = self.known.check.tolerance
        right = [plain(point) for point in scale.points if abs(point - rating) <= tolerance]
        return (right[0], right[-1]) if len(right) > 1 else None

    @property
    def categories(self) -> list[str]:
        return self.known.categories


@dataclass(frozen=True, kw_only=True)
class ShownQuestion:
    """One question as the template shows it, with what was answered."""

    pk: int
    number: int
    kind: str
    answer: Answer
    was_answered: bool = False
    shown: str = ""
    # The key of that answer, and the answer sent from here that was not accepted.
    base: str = NO_ANSWER
    here: Answer | None = None
    # The error of the form, and which choices are missing.
    error: str = ""
    missing: tuple[str, ...] = ()
    # Only of checks: the feedback that the annotator got; researchers see the known answer, too.
    telling: ShownTelling | None = None
    known: ShownTelling | None = None

    @property
    def template(self) -> str:
        """Which one shows what is asked: see `contract/answering.py`."""
        return f"kinds/{self.kind}/question.html"

    @property
    def template_of_chosen_here(self) -> str:
        return f"kinds/{self.kind}/chosen_here.html"

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
        return self.here or type(self.answer)()

    @property
    def must_be_seen(self) -> bool:
        """Whether something was not stored as it was sent."""
        return bool(self.error or self.here)
