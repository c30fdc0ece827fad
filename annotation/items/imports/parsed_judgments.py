"""Finished best-worst answers as they are held between reading a file and storing them."""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple, overload

from annotation.items.imports.judged_items import (
    FoundItem,
    FoundPool,
)


class ParsedJudgment(NamedTuple):
    """One answer: numbers of its annotator, its tuple, and the items chosen."""

    annotator: int
    tuple: int
    best: int
    worst: int
    comment: str
    # None if the file says nothing of it.
    active_ms: int | None = None
    answered_at: datetime | None = None


class PackedTuples(Sequence[tuple[int, ...]]):
    """Numbers of items, four bytes each; all tuples have equally many."""

    def __init__(self) -> None:
        self._size = 1
        self._items = array("i")

    def __len__(self) -> int:
        return len(self._items) // self._size

    @overload
    def __getitem__(self, number: int) -> tuple[int, ...]: ...
    @overload
    def __getitem__(self, number: slice) -> "list[tuple[int, ...]]": ...
    def __getitem__(self, number: int | slice) -> "tuple[int, ...] | list[tuple[int, ...]]":
        if isinstance(number, slice):
            return [self[n] for n in range(*number.indices(len(self)))]
        if not 0 <= number < len(self):
            raise IndexError(number)
        start = number * self._size
        return tuple(self._items[start : start + self._size])

    def append(self, members: Sequence[int]) -> None:
        self._size = len(members)
        self._items.extend(members)


@dataclass
class ParsedJudgments:
    """A file without problems; some forty bytes for each answer.

    Items are numbered as in the list of known items or, if there was none, as in `items`.
    """

    # Items of each tuple in the order of the first row that shows their set.
    tuples: PackedTuples = field(default_factory=PackedTuples)
    # Empty if the items were known.
    items: list[FoundItem] = field(default_factory=list)
    pools: list[FoundPool] = field(default_factory=list)
    # What the file calls each annotator; None: it says nothing, so each answer has its own.
    annotators: list[str] | None = None
    _annotator: "array[int]" = field(default_factory=lambda: array("l"))
    _tuple: "array[int]" = field(default_factory=lambda: array("l"))
    _best: "array[int]" = field(default_factory=lambda: array("l"))
    _worst: "array[int]" = field(default_factory=lambda: array("l"))
    _comments: dict[int, str] = field(default_factory=dict)
    # -1: unknown. In milliseconds; in seconds since 1970.
    _active: "array[int]" = field(default_factory=lambda: array("q"))
    _answered: "array[float]" = field(default_factory=lambda: array("d"))

    def __len__(self) -> int:
        return len(self._tuple)

    def __iter__(self) -> Iterator[ParsedJudgment]:
        """Answers in the order of the file."""
        for row in range(len(self)):
            yield ParsedJudgment(
                self._annotator[row],
                self._tuple[row],
                self._best[row],
                self._worst[row],
                self._comments.get(row, ""),
                None if self._active[row] < 0 else self._active[row],
                None
                if self._answered[row] < 0
                else datetime.fromtimestamp(self._answered[row], UTC),
            )

    @property
    def tuple_size(self) -> int:
        return len(self.tuples[0])

    @property
    def n_annotators(self) -> int:
        return len(self) if self.annotators is None else len(self.annotators)

    def answers_per_tuple(self) -> list[int]:
        counts = [0] * len(self.tuples)
        for number in self._tuple:
            counts[number] += 1
        return counts

    def append(self, judged: ParsedJudgment) -> None:
        if judged.comment:
            self._comments[len(self)] = judged.comment
        self._annotator.append(judged.annotator)
        self._tuple.append(judged.tuple)
        self._best.append(judged.best)
        self._worst.append(judged.worst)
        self._active.append(-1 if judged.active_ms is None else judged.active_ms)
        at = judged.answered_at
        self._answered.append(-1.0 if at is None else at.timestamp())
