"""Best-worst answers as arrays, checked once and then shared by all statistics.

Symbols used in this package: t tuples of k items each; m judgments; n_items items, numbered
0..n_items-1 over all pools together. A *slot* is a place in the stored order of a tuple.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from scoring.arrays import BoolArray, FloatArray, IntArray, read_only, whole_numbers
from scoring.best_worst.choice_moments import maxdiff_moments

Picked: TypeAlias = Literal["best", "worst"]


@dataclass(frozen=True, eq=False)
class BestWorst:
    """A batch of best-worst answers to tuples of k items.

    A tuple is the *set* of its items: however often and in whatever order a set was shown, it
    is one tuple, whose slots are numbered by its one stored order.

    Parameters
    ----------
    tuples : int array, shape (t, k), k >= 2
        Items of each tuple in the tuple's stored order. No two tuples hold the same set.
        Tuples that nobody answered may be among them.
    tuple_number : int array, shape (m,)
        Tuple answered by each judgment, 0..t-1.
    best, worst : int array, shape (m,)
        Item picked by each judgment, two different ones of its tuple.
    n_items : int
        Number of items, including those that no tuple shows.
    annotator : int array, shape (m,), optional
        Number of the person who gave each judgment.

    Raises
    ------
    ValueError
        If the arrays do not fit together; the message names the first offending row.

    Notes
    -----
    m = 0 is a valid batch: statistics of it say why they cannot be computed.
    Two answers of one person to one tuple count like those of two people.
    The arrays are read-only views of those given; a caller should not write to these either.
    """

    tuples: IntArray
    tuple_number: IntArray
    best: IntArray
    worst: IntArray
    n_items: int
    annotator: IntArray | None = None

    def __post_init__(self) -> None:
        names = ["tuples", "tuple_number", "best", "worst"]
        if self.annotator is not None:
            names.append("annotator")
        for name in names:
            object.__setattr__(self, name, whole_numbers(getattr(self, name), name))

        _check_shown(self.tuples, n_items=self.n_items, row="tuple")
        _check_distinct(self.tuples)
        for name in names[1:]:
            _check_length(getattr(self, name), name, m=len(self.tuple_number))
        unknown = (self.tuple_number < 0) | (self.tuple_number >= self.n_tuples)
        if unknown.any():
            j = int(unknown.argmax())
            raise ValueError(
                f"judgment {j} answers tuple {self.tuple_number[j]}, "
                f"but tuples are numbered 0..{self.n_tuples - 1}"
            )
        _check_picks(self.shown(), self.best, self.worst)

    @property
    def n_judgments(self) -> int:
        """Number of answers, m."""
        return len(self.tuple_number)

    @property
    def n_tuples(self) -> int:
        """Number of tuples, t, answered or not."""
        return len(self.tuples)

    @property
    def tuple_size(self) -> int:
        """Number of items in a tuple, k."""
        return int(self.tuples.shape[1])

    def shown(self) -> IntArray:
        """Items of each judgment's tuple in stored order, shape (m, k)."""
        shown: IntArray = self.tuples[self.tuple_number]
        return shown

    def shown_items(self) -> IntArray:
        """Items that at least one judgment showed, ascending."""
        is_shown = np.zeros(self.n_items, dtype=np.bool_)
        is_shown[self.tuples[self.answers_per_tuple() > 0]] = True
        return np.flatnonzero(is_shown)

    def answers_per_tuple(self) -> IntArray:
        """Number of judgments of each tuple, shape (t,)."""
        return np.bincount(self.tuple_number, minlength=self.n_tuples)

    def slots(self, picked: Picked) -> IntArray:
        """Slot of each judgment's pick in the stored order of its tuple, 0..k-1, shape (m,)."""
        pick = self.best if picked == "best" else self.worst
        # argmax refuses an axis of length 0, but k >= 2: an empty batch passes.
        slots: IntArray = (self.shown() == pick[:, None]).argmax(axis=1)
        return slots

    def picks(self) -> tuple[IntArray, IntArray]:
        """Items that each judgment scores and their points, both of shape (m, p).

        Here the best with 1 and the worst with -1; `Orders` score every item.
        """
        picked = np.column_stack([self.best, self.worst])
        return picked, np.tile(np.array([1, -1]), (self.n_judgments, 1))

    def slot_points(self) -> IntArray:
        """Points that each judgment gives to the item of each slot, shape (m, k)."""
        shown = self.shown()
        best, worst = shown == self.best[:, None], shown == self.worst[:, None]
        points: IntArray = best.astype(np.int64) - worst
        return points

    def point_moments(self, utilities: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean (t, k) and covariance (t, k, k) of an answer's points, by utilities (t, k)."""
        _log_total, mean, covariance = maxdiff_moments(utilities)
        return mean, covariance

    def scores(self) -> FloatArray:
        """Mean points of each item, from -1 to 1, shape (n_items,); nan for one never shown."""
        picked, points = self.picks()
        net = np.bincount(picked.ravel(), points.ravel(), minlength=self.n_items)
        n_shown = np.bincount(self.shown().ravel(), minlength=self.n_items)
        means = np.full(self.n_items, np.nan)
        np.divide(net / self.most_points, n_shown, out=means, where=n_shown > 0)
        return means

    def pairs_in_order(self) -> tuple[IntArray, IntArray]:
        """Slots of the higher and of the lower item of each pair that a judgment puts in order.

        Returns
        -------
        higher, lower : int array, shape (m, 2k - 3)
            Best over each of the others, then each of the remaining k - 2 over worst; of
            `Orders`, all k (k - 1) / 2 pairs.
        """
        best, worst = self.slots("best")[:, None], self.slots("worst")[:, None]
        slots = np.broadcast_to(np.arange(self.tuple_size), self.shown().shape)
        beaten = slots[slots != best].reshape(len(slots), self.tuple_size - 1)
        is_between = (slots != best) & (slots != worst)
        between = slots[is_between].reshape(len(slots), self.tuple_size - 2)
        higher = np.concatenate([np.broadcast_to(best, beaten.shape), between], axis=1)
        lower = np.concatenate([beaten, np.broadcast_to(worst, between.shape)], axis=1)
        return higher, lower

    @property
    def orders_all_items(self) -> bool:
        """Whether a judgment puts all items of its tuple in order, not just best and worst."""
        return False

    @property
    def most_points(self) -> int:
        """Points of an item that is picked as best; minus as many if it is picked as worst."""
        return 1

    def of_judgments(self, rows: BoolArray | IntArray) -> Self:
        """Return the judgments in `rows` (mask or row numbers); all tuples stay, some unanswered.

        For leaving out people or answers: a tuple that loses all its answers still counts as
        one that was to be answered.
        """
        return self._part(self.tuples, self.tuple_number, rows)

    def of_tuples(self, chosen: BoolArray | IntArray) -> Self:
        """Return the tuples in `chosen` (mask or distinct numbers), renumbered, and their answers.

        For pools, sources and other groups: the other tuples are not part of the new batch.
        Items keep their numbers.
        """
        new_number = np.full(self.n_tuples, -1)
        tuples = self.tuples[chosen]
        new_number[chosen] = np.arange(len(tuples))
        tuple_number = new_number[self.tuple_number]
        return self._part(tuples, tuple_number, tuple_number >= 0)

    def _part(self, tuples: IntArray, tuple_number: IntArray, rows: BoolArray | IntArray) -> Self:
        # Any part of a checked batch is a valid batch, so __post_init__ is passed by.
        part = copy.copy(self)
        arrays = {
            "tuples": tuples,
            "tuple_number": tuple_number[rows],
            "best": self.best[rows],
            "worst": self.worst[rows],
        }
        if self.annotator is not None:
            arrays["annotator"] = self.annotator[rows]
        for name, array in arrays.items():
            object.__setattr__(part, name, read_only(array))
        return part


def tuples_by_set(
    shown: IntArray,
    best: IntArray,
    worst: IntArray,
    *,
    n_items: int,
    annotator: IntArray | None = None,
) -> BestWorst:
    """Make a batch from judgments that list the items shown, as files of finished answers do.

    Rows that show the same set of items answer the same tuple. The stored order of a tuple is
    the order in the first row where its set occurs; tuples are numbered by that first row.

    Parameters
    ----------
    shown : int array, shape (m, k), k >= 2
        Items listed in each judgment.
    best, worst : int array, shape (m,)
        Item picked in each judgment.
    n_items : int
        Number of items, including those never shown.
    annotator : int array, shape (m,), optional
        Number of the person who gave each judgment.

    Raises
    ------
    ValueError
        If a judgment is broken; the message names it by its row, counted from 0.
    """
    shown, best, worst = check_judgments(shown, best, worst, n_items=n_items)
    _, first_row, set_number = np.unique(
        np.sort(shown, axis=1), axis=0, return_index=True, return_inverse=True
    )
    # np.unique numbers the sets by their items; number them by first row instead.
    by_first_row = np.argsort(first_row)
    tuple_number = np.argsort(by_first_row)[set_number]
    return BestWorst(shown[first_row[by_first_row]], tuple_number, best, worst, n_items, annotator)


def check_judgments(
    shown: npt.ArrayLike, best: npt.ArrayLike, worst: npt.ArrayLike, *, n_items: int
) -> tuple[IntArray, IntArray, IntArray]:
    """Return `shown` (m, k), `best` (m,) and `worst` (m,) as whole numbers that fit together.

    Raises
    ------
    ValueError
        If a judgment shows an unknown item or one item twice, picks an item it did not show, or
        picks one item as both best and worst.
    """
    shown = whole_numbers(shown, "shown")
    best, worst = whole_numbers(best, "best"), whole_numbers(worst, "worst")
    _check_shown(shown, n_items=n_items, row="judgment")
    _check_length(best, "best", m=len(shown))
    _check_length(worst, "worst", m=len(shown))
    _check_picks(shown, best, worst)
    return shown, best, worst


def _check_length(values: IntArray, name: str, *, m: int) -> None:
    if values.shape != (m,):
        raise ValueError(f"{name} has shape {values.shape}, but there are {m} judgments")


def _check_shown(shown: IntArray, *, n_items: int, row: str) -> None:
    if shown.ndim != 2 or shown.shape[1] < 2:
        raise ValueError(
            f"shape {shown.shape} does not hold one {row} of at least two items in each row"
        )
    if (unknown := ((shown < 0) | (shown >= n_items)).any(axis=1)).any():
        r = int(unknown.argmax())
        item = shown[r][(shown[r] < 0) | (shown[r] >= n_items)][0]
        raise ValueError(f"{row} {r} shows item {item}, but items are numbered 0..{n_items - 1}")
    in_order = np.sort(shown, axis=1)
    if (twice := (in_order[:, 1:] == in_order[:, :-1]).any(axis=1)).any():
        raise ValueError(f"{row} {int(twice.argmax())} shows an item twice")


def _check_distinct(tuples: IntArray) -> None:
    in_order = np.sort(tuples, axis=1)
    by_items = np.lexsort(in_order.T)
    same = (in_order[by_items][1:] == in_order[by_items][:-1]).all(axis=1)
    if same.any():
        r = int(same.argmax())
        a, b = by_items[r], by_items[r + 1]
        raise ValueError(
            f"tuples {a} and {b} show the same items; a tuple is the set of its items, "
            "so their judgments must carry one tuple number"
        )


def _check_picks(shown: IntArray, best: IntArray, worst: IntArray) -> None:
    if (same := best == worst).any():
        j = int(same.argmax())
        raise ValueError(f"judgment {j} picks item {best[j]} as both best and worst")
    for name, pick in (("best", best), ("worst", worst)):
        if (missing := (shown != pick[:, None]).all(axis=1)).any():
            j = int(missing.argmax())
            raise ValueError(
                f"judgment {j}: {name} {pick[j]} is not one of the {shown.shape[1]} items shown "
                f"({_listed(shown[j])})"
            )


def _listed(items: Sequence[int] | IntArray) -> str:
    return ", ".join(str(item) for item in items)
