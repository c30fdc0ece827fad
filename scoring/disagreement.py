"""Disagreement of ratings within units and among all, for many weightings of the units at once.

Ratings come as counts of values per unit. The krippendorff package makes a table of units x v x v
floats of them, for one alpha; here memory grows with the counts that are not 0, and the work of a
weighting with their number.

Symbols: v distinct values; r weightings, which say how often each unit counts. Sums are over
ordered pairs of values.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.groups import group_moments, group_sums, ratio

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Level: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]
Disagreements: TypeAlias = Callable[[FloatArray], tuple[FloatArray, FloatArray]]
OrdinalWithin: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]

# Distances of the ratio level held at once.
CELLS_AT_ONCE = 2**20
# Up to here ordinal values are counted by pairs of values.
FEW_DISTINCT = 11
# A weighting is looked at for two different values where its expected disagreement is this small a
# share of that of all values: above, it cannot be 0 but for rounding.
DOUBTFUL = 1e-9


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """How often each unit has each value: the cells of units x v that are not 0.

    Parameters
    ----------
    unit, code : int array, shape (c,)
        Unit and number of the value of each cell, in order of units and within these of values.
    count : int array, shape (c,)
        How often the unit has the value.
    values : float array, shape (v,)
        The distinct values in ascending order.
    n_units : int
        Units, each with at least two values.
    """

    unit: IntArray
    code: IntArray
    count: IntArray
    values: FloatArray
    n_units: int

    @classmethod
    def of(cls, unit: IntArray, value: FloatArray) -> "ValueCounts":
        units, row = np.unique(unit, return_inverse=True)
        values, code = np.unique(value, return_inverse=True)
        width = max(len(values), 1)
        cells, count = np.unique(row * width + code, return_counts=True)
        return cls(cells // width, cells % width, count, values, len(units))

    @property
    def n_distinct(self) -> int:
        return len(self.values)

    def of_unit(self) -> IntArray:
        """Values of each unit, shape (n_units,)."""
        return np.bincount(self.unit, self.count, minlength=self.n_units).astype(np.int64)

    def margins(self) -> FloatArray:
        """How often each value occurs, shape (v,)."""
        return group_sums(self.count.astype(np.float64), self.code, n_groups=self.n_distinct)

    def table(self) -> IntArray:
        """The counts as a whole, shape (n_units, v)."""
        table = np.zeros((self.n_units, self.n_distinct), dtype=np.int64)
        table[self.unit, self.code] = self.count
        return table

    def sparse(self) -> "csr_array":
        """The counts without the cells that are 0, shape (n_units, v)."""
        from scipy.sparse import csr_array  # noqa: PLC0415 - loaded only where it is needed

        shape = (self.n_units, self.n_distinct)
        return csr_array((self.count.astype(np.float64), (self.unit, self.code)), shape=shape)


def alphas_of(counts: ValueCounts, level: Level) -> Callable[[FloatArray], FloatArray]:
    """Prepare a function of weights, shape (r, n_units), that gives r alphas.

    A weight says how often the unit counts. Observed disagreement of nominal, interval
    and ratio values is a sum of what each unit adds, whatever else counts; ranks are not the
    same in every weighting, so that of ordinal values is made anew from sparse products.
    """
    n_values = counts.of_unit().astype(np.float64)
    table = counts.sparse()
    disagreements = {
        "nominal": _nominal,
        "ordinal": _ordinal,
        "interval": _interval,
        "ratio": _ratio,
    }[level](counts, table, n_values)

    _, of_all = disagreements(np.ones((1, counts.n_units)))

    def alphas(weights: FloatArray) -> FloatArray:
        observed, expected = disagreements(weights)
        n = weights @ n_values
        doubtful = np.flatnonzero(expected <= DOUBTFUL * of_all)
        expected[doubtful[~_varies(counts, weights[doubtful])]] = 0.0
        # Both are sums over ordered pairs; those within units are already divided by the number
        # of partners there, which among all values is n - 1.
        return 1 - ratio(observed * (n - 1), expected)

    return alphas


def _nominal(counts: ValueCounts, table: "csr_array", n_values: FloatArray) -> Disagreements:
    differing = n_values[counts.unit] - counts.count
    within = group_sums(counts.count * differing, counts.unit, n_groups=counts.n_units)
    within /= n_values - 1

    def disagreements(weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        margins = (table.T @ weights.T).T
        n = margins.sum(axis=1, keepdims=True)
        return weights @ within, (margins * (n - margins)).sum(axis=1)

    return disagreements


def _interval(counts: ValueCounts, table: "csr_array", n_values: FloatArray) -> Disagreements:
    # Counted from the mean, so that values far from 0 lose no digits when squared.
    margins = counts.margins()
    values = counts.values - (margins @ counts.values) / margins.sum()
    repeated_unit, repeated = (np.repeat(a, counts.count) for a in (counts.unit, counts.code))
    moments = group_moments(values[repeated], repeated_unit, n_groups=counts.n_units)
    within = 2 * n_values * moments.sum_of_squares / (n_values - 1)
    sums, squares = table @ values, table @ values**2

    def disagreements(weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        n = weights @ n_values
        return weights @ within, 2 * (n * (weights @ squares) - (weights @ sums) ** 2)

    return disagreements


def _ordinal(counts: ValueCounts, table: "csr_array", n_values: FloatArray) -> Disagreements:
    if counts.n_distinct <= FEW_DISTINCT:
        within = _ordinal_by_pairs(counts, n_values)
    else:
        within = _ordinal_by_ranks(table, n_values)

    def disagreements(weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        margins = (table.T @ weights.T).T
        n = margins.sum(axis=1, keepdims=True)
        # Mean rank of each value in each weighting, counted from the middle. Ranks are halves of
        # whole numbers, so sums of their squares are exact, and agreement is exactly 0.
        ranks = np.cumsum(margins, axis=1) - margins / 2 - np.floor(n / 2)
        sums, squares = (margins * ranks).sum(axis=1), (margins * ranks**2).sum(axis=1)
        return within(weights, ranks), 2 * (n[:, 0] * squares - sums**2)

    return disagreements


def _ordinal_by_ranks(table: "csr_array", n_values: FloatArray) -> OrdinalWithin:
    """Disagreement within units of weights (r, n_units) and ranks (r, v), shape (r,)."""

    def within(weights: FloatArray, ranks: FloatArray) -> FloatArray:
        sums, squares = table @ ranks.T, table @ (ranks**2).T
        of_units = 2 * (n_values[:, None] * squares - sums**2) / (n_values[:, None] - 1)
        return np.asarray((weights.T * of_units).sum(axis=0))

    return within


def _ordinal_by_pairs(counts: ValueCounts, n_values: FloatArray) -> OrdinalWithin:
    """The same by pairs of values, which of few values are few: a third of the time."""
    first, second = pairs_within(counts)
    low, high = np.triu_indices(counts.n_distinct, 1)
    number = np.zeros((counts.n_distinct, counts.n_distinct), dtype=np.int64)
    number[low, high] = np.arange(len(low))
    unit, pair = counts.unit[first], number[counts.code[first], counts.code[second]]
    coincidences = np.zeros((counts.n_units, len(low)))
    coincidences[unit, pair] = (
        2 * counts.count[first] * counts.count[second] / (n_values[unit] - 1)
    )

    def within(weights: FloatArray, ranks: FloatArray) -> FloatArray:
        distances = (ranks[:, low] - ranks[:, high]) ** 2
        return np.asarray(((weights @ coincidences) * distances).sum(axis=1))

    return within


def _ratio(counts: ValueCounts, table: "csr_array", n_values: FloatArray) -> Disagreements:
    first, second = pairs_within(counts)
    distance = _relative_difference(
        counts.values[counts.code[first]], counts.values[counts.code[second]]
    )
    pairs = 2 * counts.count[first] * counts.count[second] * distance
    within = group_sums(pairs, counts.unit[first], n_groups=counts.n_units) / (n_values - 1)

    def disagreements(weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        margins = (table.T @ weights.T).T
        expected = np.zeros(len(weights))
        # Distances of some values to all others at a time: the whole table is v x v.
        at_once = max(1, CELLS_AT_ONCE // counts.n_distinct)
        for start in range(0, counts.n_distinct, at_once):
            part = slice(start, start + at_once)
            distances = _relative_difference(counts.values[part, None], counts.values)
            expected += (margins[:, part] * (margins @ distances.T)).sum(axis=1)
        return weights @ within, expected

    return disagreements


def pairs_within(counts: ValueCounts) -> tuple[IntArray, IntArray]:
    """Pairs of different cells of one unit, each pair once, as numbers of cells."""
    # Cells lie in order of units: each is paired with those of its unit that follow it.
    n_cells = np.bincount(counts.unit, minlength=counts.n_units)
    end = np.cumsum(n_cells)[counts.unit]
    n_following = end - np.arange(len(end)) - 1
    first = np.repeat(np.arange(len(end)), n_following)
    place = np.arange(len(first)) - np.repeat(np.cumsum(n_following) - n_following, n_following)
    return first, first + 1 + place


def _relative_difference(x: FloatArray, y: FloatArray) -> FloatArray:
    """Squared difference relative to the sum; 0 for 0 and 0."""
    x, y = np.broadcast_arrays(x, y)
    quotient = np.zeros(x.shape)
    np.divide(x - y, x + y, out=quotient, where=x + y > 0)
    return quotient**2


def _varies(counts: ValueCounts, weights: FloatArray) -> BoolArray:
    """Whether a weighting holds two different values, shape (r,)."""
    # Cells lie in order of units, and within these of values.
    starts = np.flatnonzero(np.diff(counts.unit, prepend=-1))
    lowest = counts.code[starts]
    highest = counts.code[np.append(starts[1:], len(counts.unit)) - 1]
    is_drawn = weights > 0
    low = np.where(is_drawn, lowest, counts.n_distinct).min(axis=1)
    high = np.where(is_drawn, highest, -1).max(axis=1)
    return np.asarray(low < high)
