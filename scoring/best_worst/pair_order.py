"""Which pairs of items are in a certain order, what ranks that leaves, and what more answers do.

The difference d of two scores of one pool, of standard error s, is tested by z = |d| / s in both
directions. All pairs within pools are one family, corrected for the false discovery rate
[BH1995]: of the pairs called certain, about 5 % or fewer are expected to be in no order or in the
opposite one. Each pair counts in steps of `STEP` of z, so that millions of pairs take no memory.

After more answers of the same kind, g times as many in all, the standard error is
s' = s / sqrt(g), and the difference will be near d, off by what the present answers do not tell: a
normal deviate of variance s^2 - s'^2 (the predictive distribution under a flat prior [Efron1993]).
So a pair that is certain now may be uncertain then, and the reverse.

Symbols: n items; p pairs; d, s, z as above; g growth.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.distributions import normal_share

if TYPE_CHECKING:
    from scipy.sparse import csr_array

FALSE_DISCOVERY_RATE = 0.05
NORMAL_QUANTILE = 1.959963984540054
STEP, MAX_Z = 0.001, 38.0
_EDGES = np.asarray(np.arange(round(MAX_Z / STEP) + 1) * STEP, dtype=np.float64)
# Pairs looked at together: 1 MB in each of a few arrays, which stay in the processor's cache.
CELLS_AT_ONCE, MAX_ROWS = 2**17, 256


@dataclass(frozen=True, eq=False)
class PairOrder:
    """The pairs of items within pools.

    Parameters
    ----------
    n_pairs : int
        Pairs of items of one pool whose scores have a standard error.
    certain_share : float
        Share of these in a certain order now; nan without a pair.
    certain_share_then : float
        The expected share after g times as many answers, with the critical value of now.
    neighbours : int array, shape (p, 2)
        Items that follow one another by score in their pool, the higher first; the least certain
        pair first.
    probability : float array, shape (p,)
        How probable the order of each such pair is, from .5: either may be higher, to 1. Not
        corrected for the number of pairs.
    is_certain : bool array, shape (p,)
        Whether each such pair is in a certain order.
    """

    n_pairs: int
    certain_share: float
    certain_share_then: float
    neighbours: IntArray
    probability: FloatArray
    is_certain: BoolArray


@dataclass(frozen=True, eq=False)
class Ranks:
    """Which ranks and which groups the certain orders leave to each item in its pool.

    Parameters
    ----------
    n_pairs, n_certain : int
        Pairs of items of one pool whose scores have a standard error; those in certain order.
    low, high : int array, shape (n_items,)
        Best rank, 1 + the items certainly above; worst rank, n - the items certainly below, of
        the n items of the pool. 0 for an item without a standard error.
    first_group, last_group : int array, shape (n_items,)
        Groups of a pool that hold the item, numbered from the highest scores: a group is a
        longest run of items by score of which no two are in a certain order. 0 as above.
    """

    n_pairs: int
    n_certain: int
    low: IntArray
    high: IntArray
    first_group: IntArray
    last_group: IntArray


class _Pairs:
    """Items by pool and score, the highest first, and what is known of their pairs."""

    def __init__(
        self,
        score: FloatArray,
        variance: FloatArray,
        pool: IntArray,
        covariance: "csr_array[np.float64] | None",
        quantile: float,
    ) -> None:
        known = np.flatnonzero(~(np.isnan(score) | np.isnan(variance)))
        # Rounding makes no order.
        by_score = np.lexsort((known, -np.round(score[known], 12), pool[known]))
        self.items = known[by_score]
        self.score, self.variance = score[self.items], variance[self.items]
        pools = pool[self.items]
        self.start = np.searchsorted(pools, pools)
        self.end = np.searchsorted(pools, pools, side="right")
        self.widening = quantile / NORMAL_QUANTILE
        sizes = np.bincount(self.start)
        self.n_pairs = int((sizes * (sizes - 1) // 2).sum())
        # Most pairs share no tuple, and have no covariance: what there is stands row by row.
        self.row, self.column = np.zeros((2, 0), dtype=np.int64)
        self.twice_covariance = np.zeros(0)
        if covariance is not None:
            between = covariance[self.items][:, self.items]
            between.sum_duplicates()
            row, column = (places.astype(np.int64) for places in between.tocoo().coords)
            is_pair = (column > row) & (column < self.end[row])
            self.row, self.column = row[is_pair], column[is_pair]
            self.twice_covariance = 2 * between.data[is_pair]

    def blocks(self) -> Iterator[tuple[slice, slice, FloatArray]]:
        """z of each pair, the items of the rows above those of the columns; -1: no pair."""
        row, n = 0, len(self.items)
        while row < n:
            n_rows = min(MAX_ROWS, max(1, CELLS_AT_ONCE // int(self.end[row] - row)), n - row)
            rows, columns = slice(row, row + n_rows), slice(row, int(self.end[row + n_rows - 1]))
            place = np.arange(columns.start, columns.stop)
            is_pair = (place > place[:n_rows, None]) & (place < self.end[rows, None])
            variance = self.variance[rows, None] + self.variance[columns]
            own = slice(*np.searchsorted(self.row, (rows.start, rows.stop)))
            variance[self.row[own] - row, self.column[own] - row] -= self.twice_covariance[own]
            z = _ratio(self.score[rows, None] - self.score[columns], variance)
            z /= self.widening
            np.copyto(z, -1.0, where=~is_pair)
            yield rows, columns, z
            row += n_rows

    def of_neighbours(self) -> tuple[IntArray, FloatArray]:
        """Items that follow one another in a pool, shape (p, 2), and z of each such pair."""
        upper = np.flatnonzero(np.arange(1, len(self.items) + 1) < self.end)
        lower = upper + 1
        variance = self.variance[upper] + self.variance[lower]
        twice_covariance = np.zeros(len(self.items))
        is_next = self.column == self.row + 1
        twice_covariance[self.row[is_next]] = self.twice_covariance[is_next]
        variance -= twice_covariance[upper]
        z = _ratio(self.score[upper] - self.score[lower], variance) / self.widening
        return np.stack([self.items[upper], self.items[lower]], axis=1), z

    def histogram(self) -> IntArray:
        """Number of pairs in each step of z, the last one without an end."""
        counts = np.zeros(len(_EDGES), dtype=np.int64)
        n_cells = 0
        for _rows, _columns, z in self.blocks():
            step = np.clip(z, 0, MAX_Z, out=z)
            step /= STEP
            counts += np.bincount(step.astype(np.int64).ravel(), minlength=len(_EDGES))
            n_cells += z.size
        # What is no pair came into the first step, too.
        counts[0] -= n_cells - self.n_pairs
        return counts


def pair_order(
    score: FloatArray,
    *,
    variance: FloatArray,
    pool: IntArray,
    growth: float,
    covariance: "csr_array[np.float64] | None" = None,
    quantile: float = NORMAL_QUANTILE,
) -> PairOrder:
    """Count the pairs in a certain order, now and after `growth` times as many answers.

    Memory stays below some 10 MB; a pool of 10,000 items takes about a second.

    Parameters
    ----------
    score : float array, shape (n,)
        nan for an item without a score.
    variance : float array, shape (n,)
        Squared standard errors. nan: unknown.
    pool : int array, shape (n,)
        Pool of each item; only pairs within one are compared.
    growth : float
        Answers then divided by answers now, at least 1.
    covariance : sparse array, shape (n, n), optional
        Covariances of the scores; without, they vary independently.
    quantile : float
        Standard errors to the end of a 95 % interval, where the normal quantile is too small:
        z is divided by how much larger this is.

    Raises
    ------
    ValueError
        If growth is below 1.

    References
    ----------
    [BH1995], [Efron1993] in docs/references.md
    """
    if not growth >= 1:
        raise ValueError(f"growth must be at least 1, not {growth}")
    pairs = _Pairs(score, variance, pool, covariance, quantile)
    counts = pairs.histogram()
    critical = critical_step(counts)
    neighbours, z = pairs.of_neighbours()
    least = np.argsort(z, kind="stable")
    now = then = float("nan")
    if n := pairs.n_pairs:
        now = int(counts[critical:].sum()) / n
        then = float(counts @ _probably_certain(critical, growth=growth)) / n
    return PairOrder(
        n, now, then, neighbours[least], normal_share(z[least]), z[least] >= _EDGES[critical]
    )


def ranks(
    score: FloatArray,
    *,
    variance: FloatArray,
    pool: IntArray,
    covariance: "csr_array[np.float64] | None" = None,
    quantile: float = NORMAL_QUANTILE,
) -> Ranks:
    """Ranks and groups within each pool; parameters as of `pair_order`.

    References
    ----------
    [BH1995] in docs/references.md
    """
    pairs = _Pairs(score, variance, pool, covariance, quantile)
    counts = pairs.histogram()
    critical = critical_step(counts)
    n = len(pairs.items)
    n_above, n_below = np.zeros((2, n), dtype=np.int64)
    # Place of the first item certainly below each one, or behind the last of its pool.
    first_below = pairs.end.copy()
    for rows, columns, z in pairs.blocks():
        is_certain = z >= _EDGES[critical]
        n_above[columns] += is_certain.sum(axis=0)
        n_below[rows] += is_certain.sum(axis=1)
        has_any = is_certain.any(axis=1)
        first = columns.start + is_certain.argmax(axis=1)
        first_below[rows] = np.where(has_any, first, pairs.end[rows])
    of_places = np.stack(
        [1 + n_above, pairs.end - pairs.start - n_below, *_groups(pairs, first_below)]
    )
    of_items = np.zeros((4, len(score)), dtype=np.int64)
    of_items[:, pairs.items] = of_places
    return Ranks(pairs.n_pairs, int(counts[critical:].sum()), *of_items)


def critical_step(counts: IntArray) -> int:
    """Number of the first step of z whose pairs are certain, by [BH1995].

    If no pair is, that from which a single pair would be.

    Parameters
    ----------
    counts : int array, shape (steps,)
        Pairs in each step; see `_Pairs.histogram`.
    """
    n_beyond = np.cumsum(counts[::-1])[::-1]
    expected_by_chance = 2 * normal_share(-_EDGES) * counts.sum()
    is_rare = expected_by_chance <= FALSE_DISCOVERY_RATE * np.maximum(n_beyond, 1)
    return int(is_rare.argmax())


def _probably_certain(critical: int, *, growth: float) -> FloatArray:
    """How probable it is that a pair in each step of z will be in a certain order."""
    step = np.arange(len(_EDGES))
    spread = np.sqrt(1 - 1 / growth)
    if spread <= 1e-12:
        return np.asarray(step >= critical, dtype=np.float64)
    needed = _EDGES[critical] / np.sqrt(growth)
    z: FloatArray = _EDGES + STEP / 2
    probable = normal_share((z - needed) / spread) + normal_share((-z - needed) / spread)
    # Differences that do not vary are in the last step: they stay as they are.
    return np.where(step == step[-1], 1.0, probable)


def _groups(pairs: _Pairs, first_below: IntArray) -> tuple[IntArray, IntArray]:
    """First and last group of the item at each place, numbered from 1 in each pool."""
    # A run ends before the first item that is certainly below any of its members.
    run_end = np.minimum.accumulate(first_below[::-1])[::-1]
    place = np.arange(len(run_end))
    is_start = place == pairs.start
    is_start[1:] |= run_end[1:] > run_end[:-1]
    n_started = np.cumsum(is_start)
    n_ended = np.searchsorted(run_end[is_start], place, side="right")
    before = (n_started - is_start)[pairs.start]
    return n_ended + 1 - before, n_started - before


def _ratio(d: FloatArray, variance: FloatArray) -> FloatArray:
    """d / s, not below 0, in place of d; of differences that do not vary 0 or infinity."""
    # Rounding may leave a little more or less than nothing.
    np.copyto(d, 0.0, where=d <= 1e-12)
    np.copyto(variance, 0.0, where=variance <= 1e-15)
    with np.errstate(divide="ignore", invalid="ignore"):
        np.divide(d, np.sqrt(variance, out=variance), out=d)
    # 0 / 0 is not a number, which gives way to any.
    return np.fmax(d, 0.0, out=d)
