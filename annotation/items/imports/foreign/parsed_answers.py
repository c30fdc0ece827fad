"""Ratings and labels of a file as they are held between reading and storing them."""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal

# A number, or names of categories in the order in which they were chosen.
Value = Decimal | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """An item: a target, empty if there is none, and a candidate."""

    key: str
    target: str
    candidate: str


@dataclass(frozen=True, slots=True)
class Answer:
    """Numbers of the annotator and the item, and what was answered."""

    annotator: int
    item: int
    value: Value
    comment: str
    active_ms: int | None
    answered_at: datetime | None


@dataclass
class ParsedAnswers:
    """A file without problems.

    Items are numbered as in the list of known items or, if there is none, as in `items`.
    """

    items: list[Pair] = field(default_factory=list)
    annotators: list[str] = field(default_factory=list)
    # In the order in which the file first names them; empty if the study has its own.
    categories: list[str] = field(default_factory=list)
    is_several: bool = False
    _annotator: "array[int]" = field(default_factory=lambda: array("l"))
    _item: "array[int]" = field(default_factory=lambda: array("l"))
    # Each value is stored once.
    _values: dict[Value, int] = field(default_factory=dict)
    _value: "array[int]" = field(default_factory=lambda: array("l"))
    _active: "array[int]" = field(default_factory=lambda: array("q"))
    _answered: "array[float]" = field(default_factory=lambda: array("d"))
    _comments: dict[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._item)

    def __iter__(self) -> Iterator[Answer]:
        """Answers of one person after the other, of each in the order of the file."""
        values = list(self._values)
        for row in sorted(range(len(self)), key=self._annotator.__getitem__):
            at = self._answered[row]
            yield Answer(
                self._annotator[row],
                self._item[row],
                values[self._value[row]],
                self._comments.get(row, ""),
                None if self._active[row] < 0 else self._active[row],
                None if at < 0 else datetime.fromtimestamp(at, UTC),
            )

    def answers_per_annotator(self) -> list[int]:
        counts = [0] * len(self.annotators)
        for annotator in self._annotator:
            counts[annotator] += 1
        return counts

    def numbers_of_items(self) -> list[int]:
        """The item of each answer."""
        return self._item.tolist()

    def append(self, answer: Answer) -> None:
        if answer.comment:
            self._comments[len(self)] = answer.comment
        self._annotator.append(answer.annotator)
        self._item.append(answer.item)
        self._value.append(self._values.setdefault(answer.value, len(self._values)))
        self._active.append(-1 if answer.active_ms is None else answer.active_ms)
        at = answer.answered_at
        self._answered.append(-1.0 if at is None else at.timestamp())
