"""One annotator's answers beside those of the others, as the figures of a person have them."""

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median

from django.utils.text import Truncator

from annotation.core.queries.counted_answers import Population
from annotation.kinds.answer import Answer
from annotation.models import Annotator
from annotation.models.kinds import Source

# More of a text than this is shown on request only.
MAX_SHOWN_CHARS = 120

# Of a phase, the tuple or the item or the turn that was asked about.
Asked = tuple[int, int | None, int | None, int | None]


@dataclass(frozen=True)
class Own:
    """One answer of the person, as little of it as all figures need."""

    pk: int
    asked: Asked
    assignment: int
    # Booklet, phase, screen, position: where it stood.
    booklet: int
    phase: int
    condition: str
    place: tuple[int, int]
    is_repeat: bool
    seconds: float | None
    answer: Answer
    # What there was to choose from; of imported answers nobody knows.
    shown_order: tuple[int, ...]


@dataclass(frozen=True)
class Others:
    """What the others, who count, answered to the same."""

    seconds: dict[Asked, list[float]] = field(default_factory=lambda: defaultdict(list))
    answers: dict[Asked, list[Answer]] = field(default_factory=lambda: defaultdict(list))

    def usual_seconds(self, asked: Asked) -> float | None:
        times = self.seconds.get(asked)
        return median(times) if times else None


def population_of(person: Annotator) -> Population:
    return "simulated" if person.source == Source.SIMULATED else "people"


@dataclass(frozen=True)
class AskedText:
    """One text that was on the screen, with the id of its item or its sentence."""

    key: str
    text: str

    @property
    def beginning(self) -> str:
        return Truncator(self.text).chars(MAX_SHOWN_CHARS)

    @property
    def is_long(self) -> bool:
        return len(self.text) > MAX_SHOWN_CHARS


@dataclass(frozen=True)
class SaidText:
    """One part of an answer: its name, the text that was picked, or what was said instead."""

    name: str
    text: AskedText | None
    value: str = ""


@dataclass(frozen=True)
class OthersChoice(ABC):
    """What the others answered to one question, beside the answer of this person.

    A figure that does not belong to the kind of question is None.
    """

    n: int
    same_best: int | None = None
    same_worst: int | None = None
    same_both: int | None = None
    mean_rating: float | None = None
    majority: tuple[str, ...] | None = None
    majority_share: float | None = None
    same_label: int | None = None
    # By role: how many picked the same sentence for it.
    same_picks: Mapping[str, int] | None = None
    # From 0, as everybody else; on ratings in points of the scale, else a share of at most 1.
    disagreement: float = 0.0

    @property
    @abstractmethod
    def said(self) -> str:
        """In words."""
