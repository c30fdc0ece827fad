"""Correlations of many measures with people's scores, all on the same resamples.

The results are those of `scoring.correlate` on these resamples, but for rounding.

What is drawn are units (pools or items) of all items that people scored, whether a measure has a
value for them or not: so a measure's resamples do not depend on what else is compared.

Symbols: n items, k measures, g units, r resamples, w the weights of one resample (how often each
item is in it), W their sum.
"""

import copy
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.bootstrap import (
    CELLS_AT_ONCE,
    Bootstrap,
    Unit,
    all_but_one,
    drawn_units,
    resampling_units,
)
from scoring.correlation import of_size_1
from scoring.measures.weighted_correlation import Coefficient, weighted_correlation

# The time of Kendall's coefficient grows with n^1.5: some 20 s for a dozen measures here.
MAX_ITEMS_OF_KENDALL = 10_000
# Up to here each unit is left out in turn for the acceleration of BCa; beyond it, groups of units,
# which estimate the same and take no time that grows with n squared.
MAX_UNITS_LEFT_OUT = 1000
N_GROUPS = 200

# Sets of items times items that are prepared at once; each takes some ten numbers.
CELLS_OF_COLUMNS = 2**21

# Share of the squares that must be left when the mean's is taken off, for the sums to be exact
# enough; where it is less, a resample lacks the values that are far from all others.
LEAST_SPREAD = 0.01
# Coefficients no farther apart than this from 1 are 1.
ROUNDING = 1e-12
# Operations of a table of signs that take as long as one of a running sum.
ITEMS_PER_SQUARE = 20


@dataclass(frozen=True, eq=False)
class Together:
    """Measures whose correlations are taken on the same items.

    Parameters
    ----------
    is_there : bool array, shape (n,)
        The items that all of them have.
    measures : sequence of int
        Numbers of the measures, none of them constant on these items.
    """

    is_there: BoolArray
    measures: Sequence[int]


@dataclass(frozen=True, eq=False)
class Resamples:
    """The correlations of all resamples.

    Parameters
    ----------
    resampled : {"pools", "items"}
    n_units : int
        Of all items.
    bootstraps : dict of Bootstrap
        By the number of the `Together`, that of the measure, and the coefficient.
    """

    resampled: Unit
    n_units: int
    bootstraps: dict[tuple[int, int, Coefficient], Bootstrap]


def resample(
    human: FloatArray,
    measures: FloatArray,
    together: Sequence[Together],
    *,
    coefficients: Sequence[Coefficient],
    n_resamples: int,
    pools: npt.ArrayLike | None,
    rng: np.random.Generator,
) -> Resamples:
    """Correlate measures with people's scores in each resample.

    Parameters
    ----------
    human : float array, shape (n,)
        Of all items; none is missing, and n is at least 1.
    measures : float array, shape (k, n)
        Nan where missing.
    together : sequence of Together
        What is correlated on which items. People's scores are not constant on any of them.
    coefficients : sequence of {"pearson", "spearman", "kendall"}
        Kendall's takes about n^1.5 operations for each measure and resample.
    n_resamples : int
        r, at least 1.
    pools : array, shape (n,), optional
        Label of each item's pool. Where there are several, pools are resampled.
    rng : numpy Generator
        Source of the resamples.

    Raises
    ------
    ValueError
        If there is not one pool label for each item.

    References
    ----------
    [Efron1987], [Efron1993] in docs/references.md
    """
    n = len(human)
    resampled, unit_of = resampling_units(n, pools)
    n_units = int(unit_of.max()) + 1
    parts_of: dict[tuple[int, int, Coefficient], list[FloatArray]] = {}
    numbered = [(number, items) for number, items in enumerate(together) if items.measures]
    at_once = max(1, CELLS_OF_COLUMNS // n)
    for start in range(0, len(numbered), at_once):
        batch = [
            (
                number,
                items,
                Columns.of(human[items.is_there], measures[items.measures][:, items.is_there]),
            )
            for number, items in numbered[start : start + at_once]
        ]
        # Every batch meets the same resamples: its generator starts where the first one did.
        for weights in _all_weights(n_units, n_resamples, n, copy.deepcopy(rng)):
            of_items = weights if resampled == "items" else weights[:, unit_of]
            for number, items, columns in batch:
                own = of_items if items.is_there.all() else of_items[:, items.is_there]
                for coefficient in coefficients:
                    values = columns.correlations(own, coefficient)
                    for measure, row in zip(items.measures, values, strict=True):
                        parts_of.setdefault((number, measure, coefficient), []).append(row)
    n_counting = {number: len(np.unique(unit_of[items.is_there])) for number, items in numbered}
    bootstraps = {}
    for key, parts in parts_of.items():
        values = np.concatenate(parts)
        drawn, left_out = values[1 : n_resamples + 1], values[n_resamples + 1 :]
        bootstraps[key] = Bootstrap(
            float(values[0]), drawn, left_out, resampled, n_counting[key[0]]
        )
    return Resamples(resampled, n_units, bootstraps)


def _all_weights(
    n_units: int, n_resamples: int, n_items: int, rng: np.random.Generator
) -> Iterator[FloatArray]:
    """Yield the weights of the data, of the resamples, and of what BCa leaves out."""
    yield np.ones((1, n_units))
    yield from drawn_units(n_units, n_resamples, n_items, rng)
    yield from _left_out(n_units, n_items, rng)


def _left_out(n_units: int, n_items: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Yield weights without one unit, or without one of many groups of units, chunk by chunk."""
    if n_units <= MAX_UNITS_LEFT_OUT:
        yield from all_but_one(n_units, n_items)
        return
    group_of = rng.permutation(n_units) % N_GROUPS
    at_once = max(1, CELLS_AT_ONCE // n_items)
    for first in range(0, N_GROUPS, at_once):
        left_out = np.arange(first, min(first + at_once, N_GROUPS))
        yield (group_of != left_out[:, None]).astype(np.float64)


@dataclass(frozen=True, eq=False)
class _Order:
    """How the values of one variable are ordered.

    Parameters
    ----------
    order : int array, shape (n,)
        The items from the lowest value to the highest.
    value_number : int array, shape (n,)
        Number of each item's value among the different ones.
    starts : int array or None
        Where in the order each value starts; None if no two items share one.
    """

    order: IntArray
    value_number: IntArray
    starts: IntArray | None

    @classmethod
    def of(cls, values: FloatArray) -> "_Order":
        distinct, value_number = np.unique(values, return_inverse=True)
        order = np.argsort(value_number, kind="stable")
        if len(distinct) == len(values):
            return cls(order, value_number, None)
        starts = np.flatnonzero(np.diff(value_number[order], prepend=-1))
        return cls(order, value_number, starts)

    def counts(self, weights: FloatArray) -> FloatArray:
        """How often each value is in each resample, from the lowest to the highest value."""
        ordered: FloatArray = np.take(weights, self.order, axis=1)
        return ordered if self.starts is None else np.add.reduceat(ordered, self.starts, axis=1)


@dataclass(frozen=True, eq=False)
class Columns:
    """People's scores and measures of the same items; none is missing, and none constant.

    Parameters
    ----------
    human : float array, shape (n,)
    measures : float array, shape (k, n)
    orders : list of _Order
        Of people's scores, then of each measure.
    """

    human: FloatArray
    measures: FloatArray
    orders: list[_Order]

    @classmethod
    def of(cls, human: FloatArray, measures: FloatArray) -> "Columns":
        # The mean is taken off before the squares are added up, or they would hide the spread.
        variables = of_size_1(np.vstack([human, measures]))
        variables = of_size_1(variables - variables.mean(axis=1, keepdims=True))
        return cls(variables[0], variables[1:], [_Order.of(row) for row in (human, *measures)])

    def correlations(self, weights: FloatArray, coefficient: Coefficient) -> FloatArray:
        """Correlate each measure in each resample, shape (k, r); nan if one is constant."""
        if coefficient == "pearson":
            values = self._product_moments(weights)
        elif coefficient == "spearman":
            values = self._rank_correlations(weights)
        else:
            values = self._taus(weights)
        is_perfect = 1 - np.abs(values) < ROUNDING
        return np.asarray(np.where(is_perfect, np.sign(values), values))

    def _product_moments(self, weights: FloatArray) -> FloatArray:
        x, y = self.human, self.measures
        totals = np.maximum(weights.sum(axis=1), 1)
        of_x, of_xx = weights @ x, weights @ x**2
        of_y, of_yy, of_xy = (weights @ column.T for column in (y, y**2, x * y))
        spread_x = of_xx - of_x**2 / totals
        spread_y = of_yy - of_y**2 / totals[:, None]
        products = of_xy - of_x[:, None] * of_y / totals[:, None]
        is_exact = (spread_x > LEAST_SPREAD * of_xx)[:, None] & (spread_y > LEAST_SPREAD * of_yy)
        values = np.full(products.shape, np.nan)
        np.divide(
            products,
            np.sqrt(np.where(is_exact, spread_x[:, None], 1))
            * np.sqrt(np.where(is_exact, spread_y, 1)),
            out=values,
            where=is_exact,
        )
        for j in np.flatnonzero(~is_exact.all(axis=0)):
            rows = ~is_exact[:, j]
            values[rows, j] = weighted_correlation(x, y[j], weights[rows], coefficient="pearson")
        return np.asarray(values.T)

    def _rank_correlations(self, weights: FloatArray) -> FloatArray:
        totals = weights.sum(axis=1)
        x, spread_x = _centred_ranks(self.orders[0], weights, totals)
        # Items that are not drawn drop out here.
        x *= weights
        values = np.full((len(self.measures), len(weights)), np.nan)
        for row, order in zip(values, self.orders[1:], strict=True):
            y, spread_y = _centred_ranks(order, weights, totals)
            is_defined = (spread_x > 0) & (spread_y > 0)
            norms = np.sqrt(np.where(is_defined, spread_x, 1)) * np.sqrt(
                np.where(is_defined, spread_y, 1)
            )
            np.divide(np.einsum("rn,rn->r", x, y), norms, out=row, where=is_defined)
        return values

    def _taus(self, weights: FloatArray) -> FloatArray:
        """Kendall's tau-b [Kendall1945], its discordant pairs counted as [Knight1966] does."""
        x = self.orders[0]
        totals = weights.sum(axis=1)
        n_pairs = totals * (totals - 1) / 2
        untied_x = n_pairs - _tied(x.counts(weights))
        values = np.full((len(self.measures), len(weights)), np.nan)
        for row, y in zip(values, self.orders[1:], strict=True):
            # Of equal x the lower y comes first, so that no two of them are out of order.
            by_both = np.lexsort((y.value_number, x.value_number))
            in_order = np.take(weights, by_both, axis=1)
            places = y.value_number[by_both]
            is_new = np.diff(x.value_number[by_both], prepend=-1) | np.diff(places, prepend=-1)
            of_both = np.add.reduceat(in_order, np.flatnonzero(is_new), axis=1)
            untied_y = n_pairs - _tied(y.counts(weights))
            untied = untied_x + untied_y - n_pairs + _tied(of_both)
            excess = untied - 2 * _out_of_order(places, in_order)
            norms = np.sqrt(untied_x) * np.sqrt(untied_y)
            np.divide(excess, norms, out=row, where=norms > 0)
        return values


def _tied(counts: FloatArray) -> FloatArray:
    """How many pairs are tied, shape (r,), where each value is there so many times."""
    squares = np.einsum("rn,rn->r", counts, counts)
    return np.asarray((squares - counts.sum(axis=1)) / 2)


def _out_of_order(places: IntArray, weights: FloatArray) -> FloatArray:
    """Count the pairs whose first one has the higher place, each as often as it was drawn.

    Block by block: those within it by a table of signs, those with an earlier item by how many
    earlier ones there are above each place.
    """
    r, n = weights.shape
    # Where both ways of counting take about the same time.
    size = max(16, math.isqrt(ITEMS_PER_SQUARE * n))
    row_of = np.argsort(np.argsort(places, kind="stable"))
    n_up_to = np.searchsorted(np.sort(places), places, side="right")
    earlier = np.zeros((r, n))
    weight_above = np.zeros(r)
    for first in range(0, n, size):
        block = slice(first, first + size)
        own = np.ascontiguousarray(weights[:, block])
        if first:
            up_to = np.cumsum(earlier, axis=1)
            above = up_to[:, -1:] - np.take(up_to, n_up_to[block] - 1, axis=1)
            weight_above += np.einsum("rn,rn->r", own, above)
        is_before = np.triu(places[block][:, None] > places[block], k=1)
        # Whole numbers below 2^24, which these smaller floats hold exactly.
        within = own.astype(np.float32) @ is_before.astype(np.float32)
        weight_above += np.einsum("rn,rn->r", own, within.astype(np.float64))
        earlier[:, row_of[block]] = own
    return weight_above


def _centred_ranks(
    order: _Order, weights: FloatArray, totals: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Average ranks less their mean, shape (r, n), and the sum of their squares, shape (r,)."""
    counts = order.counts(weights)
    # Ranks and their sums are halves of whole numbers: a constant resample has exactly 0.
    cubes = np.einsum("rn,rn,rn->r", counts, counts, counts)
    spread = (totals**3 - cubes) / 12
    ranks = np.cumsum(counts, axis=1)
    counts /= 2
    ranks -= counts
    ranks -= totals[:, None] / 2
    return np.take(ranks, order.value_number, axis=1), spread
