"""How far people are at odds over an item, in figures, and what each of them answered."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.core.queries import counted_answers
from annotation.models import Adjudication, Block, Design, Item, Judgment, Phase

_CHUNK = 2000


@dataclass(frozen=True)
class Dispute:
    """The counted answers to one item in one phase, in figures."""

    item: int
    key: str
    number: int
    n: int
    # Only of ratings; None if there are too few.
    mean: float | None = None
    median: float | None = None
    sd: float | None = None
    # What is said most often, or of several categories what more than half name; empty if
    # there is no such thing.
    majority: str = ""
    # The share of answers that name each category of the majority, if several can be chosen.
    shares: Sequence[tuple[str, float]] = ()
    # The share of the most frequent label.
    share: float | None = None
    adjudication: Adjudication | None = None

    @property
    def is_undecided(self) -> bool:
        """Whether people answered, and nothing stands out."""
        return bool(self.n) and not self.majority

    @property
    def how_disputed(self) -> tuple[float, ...]:
        """To sort by: the most disputed first, what nobody answered last, else as imported."""
        if self.share is not None:
            return 0, -float(self.is_undecided), self.share, self.number
        if self.sd is not None:
            return 0, 0, -self.sd, self.number
        return 1, -self.n, 0, self.number


@dataclass(frozen=True)
class CountedAnswer:
    """One person's counted answer to an item."""

    who: str
    value: str
    # The words at the majority's point of the scale.
    label: str
    comment: str

    @classmethod
    def of(cls, judgment: Judgment, value: str, label: str = "") -> "CountedAnswer":
        return cls(judgment.assignment.annotator.pseudonym, value, label, judgment.comment)


def first_answers(design: Design, phase: Phase, item: Item) -> list[Judgment]:
    """Each person's first counted answer to an item in the main block of a phase."""
    rows = (
        counted_answers.counted_judgments(design, "people")
        .filter(
            question__block__phase=phase,
            question__block__purpose=Block.Purpose.MAIN,
            question__item=item,
        )
        .select_related("assignment__annotator")
        .prefetch_related("choices")
        .order_by("assignment", "question__screen", "question__position")
    )
    first: dict[int, Judgment] = {}
    for judgment in rows.iterator(chunk_size=_CHUNK):
        first.setdefault(judgment.assignment.annotator_id, judgment)
    return list(first.values())
