"""Correlations within pools: the mean over pools of the correlation of each pool's items.

Scores from best-worst or ranking tuples say how an item compares with the others of its pool. The
best item of a pool of bad ones has the score of the best item of a pool of good ones, so that no
measure can follow such scores over pools, however good it is. What can be asked is how closely a
measure follows people within each pool. The pool is the unit: every pool counts once.

Symbols: n items of p pools.
"""

import math
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.bootstrap import MIN_POOLS, Interval, check_level
from scoring.correlation import pearson, spearman
from scoring.distributions import student_quantile, student_tails
from scoring.json_values import JsonObject, json_number
from scoring.measures.comparison import complete_items, labels_of
from scoring.measures.pool_spread import too_few_pools
from shell.messages import Message
from shell.messages import message as _

PoolCoefficient: TypeAlias = Literal["pearson", "spearman"]

# Two items correlate by 1 or -1, whatever they are.
MIN_ITEMS = 3
# In simulated studies of 10 to 60 pools, intervals held the truth in .92 or more with this share
# of a further pool, in .66 or more without it: where few pools have a low correlation, the pools
# of a study often include none of them, and then they hardly differ.
POOL_OF_FAILURE = 0.25
# Correlations no farther apart than this are equal but for rounding.
_SAME = 1e-12
WITHIN_POOLS = _(
    "For each pool, the measure is correlated with people's scores; the correlations are then "
    "averaged over pools. A pool counts only if at least %(items)s of its items have both a score "
    "from people and a value of the measure. Neither the scores nor the values may all be equal. "
    "With at least %(pools)s pools, an interval is computed with Student's t, on the scale of "
    "Fisher's z of the mean [Student1908] [Fisher1921]. It is about other pools that the same "
    "people answer. A measure may fail in pools that are not in the study. So the end nearer to 0 "
    "is computed as if there were one more pool, with a correlation of 0 and a weight of "
    "%(share)s.",
    items=MIN_ITEMS,
    share=POOL_OF_FAILURE,
    pools=MIN_POOLS,
)
DIFFERENCE_WITHIN_POOLS = _(
    "In the row “Pearson within pools”, each pool's second correlation is subtracted from its"
    " first, over the items with values of both measures. The differences are averaged over pools."
    " Interval and p-value come from the paired t-test over pools [Student1908]."
)


@dataclass(frozen=True, eq=False)
class PoolCorrelation:
    """How closely a measure follows people's scores within pools.

    Parameters
    ----------
    coefficient : {"pearson", "spearman"}
    value : float
        Mean over pools, in [-1, 1]; nan where undefined.
    interval : Interval
        Of the mean, over pools; nan, with the reason, where there are few.
    n_pools, n_items : int
        Pools that count, and their items.
    n_left_out : int
        Pools without three items that have both values, or whose values do not differ.
    reason : Message or None
        Why there is no value.
    """

    coefficient: PoolCoefficient
    value: float
    interval: Interval
    n_pools: int
    n_items: int
    n_left_out: int
    reason: Message | None = None

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return WITHIN_POOLS

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, without the definition, which is one for all rows."""
        return {
            "value": json_number(self.value),
            "low": json_number(self.interval.low),
            "high": json_number(self.interval.high),
            "interval_reason": self.interval.reason,
            "n_pools": self.n_pools,
            "n_items": self.n_items,
            "n_left_out": self.n_left_out,
            "reason": self.reason,
        }


@dataclass(frozen=True, eq=False)
class PoolDifference:
    """How much closer one measure follows people than another within pools.

    Parameters
    ----------
    coefficient : {"pearson", "spearman"}
    difference : float
        Mean over pools of the first correlation less the second; nan where undefined.
    interval : Interval
        Of the difference.
    p_value : float
        Two-sided, by the paired t-test over pools; nan where undefined.
    n_pools : int
        Pools that have both correlations.
    reason : Message or None
        Why there is no difference, or no p.
    """

    coefficient: PoolCoefficient
    difference: float
    interval: Interval
    p_value: float
    n_pools: int
    reason: Message | None = None

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, without the definition, which is one for all rows."""
        return {
            "difference": json_number(self.difference),
            "low": json_number(self.interval.low),
            "high": json_number(self.interval.high),
            "p_value": json_number(self.p_value),
            "n_pools": self.n_pools,
            "reason": self.reason,
        }


def correlate_within_pools(
    human: npt.ArrayLike,
    measure: npt.ArrayLike,
    pools: npt.ArrayLike,
    *,
    coefficient: PoolCoefficient = "pearson",
    level: float = 0.95,
) -> PoolCorrelation:
    """Correlate people's scores with a measure within each pool, and average over pools.

    Parameters
    ----------
    human, measure : float array, shape (n,)
        Nan where missing; such items are left out.
    pools : array, shape (n,)
        Label of each item's pool.
    coefficient : {"pearson", "spearman"}
    level : float
        Nominal coverage of the interval.

    Returns
    -------
    PoolCorrelation
        Nan, with the reason, if no pool has a correlation; without an interval, with the reason,
        below 10 pools: with fewer, one unusual pool decides on it.

    Raises
    ------
    ValueError
        If the arrays differ in shape, a value is infinite, or the coefficient or the level is out
        of range.

    References
    ----------
    [Student1908], [Fisher1921] in docs/references.md
    """
    _check(coefficient, level)
    (x, y), is_there = complete_items(human=human, measure=measure)
    number, n_all = _numbered(pools, is_there)
    values = correlations_by_pool(x, y, number, n_pools=n_all, coefficient=coefficient)
    counts = ~np.isnan(values)
    n_pools = int(counts.sum())
    n_items = int(np.bincount(number, minlength=n_all)[counts].sum())
    reason = None
    if n_pools == 0:
        reason = _(
            "within every pool of at least %(least)s items, all scores or all values are equal",
            least=MIN_ITEMS,
        )
    return PoolCorrelation(
        coefficient,
        float(values[counts].mean()) if n_pools else math.nan,
        interval_over_pools(values[counts], level=level),
        n_pools,
        n_items,
        n_all - n_pools,
        reason,
    )


def compare_within_pools(
    human: npt.ArrayLike,
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    pools: npt.ArrayLike,
    *,
    coefficient: PoolCoefficient = "pearson",
    level: float = 0.95,
) -> PoolDifference:
    """Compare two measures' correlations with people's scores within pools.

    Parameters
    ----------
    human, first, second : float array, shape (n,)
        Nan where missing; items without all three are left out.
    pools, coefficient, level
        As in `correlate_within_pools`.

    Returns
    -------
    PoolDifference
        Nan, with the reason, without two pools that have both correlations. If all pools differ
        by the same, there is no interval, and p is that of their signs.

    Raises
    ------
    ValueError
        As `correlate_within_pools`.

    References
    ----------
    [Student1908] in docs/references.md
    """
    _check(coefficient, level)
    (x, a, b), is_there = complete_items(human=human, first=first, second=second)
    number, n_all = _numbered(pools, is_there)
    of_first, of_second = (
        correlations_by_pool(x, y, number, n_pools=n_all, coefficient=coefficient) for y in (a, b)
    )
    differences = of_first - of_second
    differences = differences[~np.isnan(differences)]
    n_pools = len(differences)
    if n_pools < 2:
        return _no_difference(
            coefficient,
            float(differences[0]) if n_pools else math.nan,
            n_pools,
            level,
            _("fewer than two pools have both correlations"),
        )
    mean, error = float(differences.mean()), float(differences.std(ddof=1)) / math.sqrt(n_pools)
    # By comparison, not by a variance of 0: the mean of three 0.1 is not 0.1 in binary.
    if np.ptp(differences) < _SAME:
        reason = _("all pools differ by the same, so p is that of their signs alone")
        nothing = _no_difference(coefficient, mean, n_pools, level, reason)
        # Without a spread the signs still say something: all of them are the same.
        return nothing if abs(mean) < _SAME else replace(nothing, p_value=2.0 ** (1 - n_pools))
    reach = student_quantile((1 + level) / 2, n_pools - 1) * error
    p = student_tails(mean / error, n_pools - 1).two_sided
    interval = Interval(mean - reach, mean + reach, "t", level)
    return PoolDifference(coefficient, mean, interval, p, n_pools)


def correlations_by_pool(
    human: FloatArray,
    measure: FloatArray,
    number: IntArray,
    *,
    n_pools: int,
    coefficient: PoolCoefficient = "pearson",
) -> FloatArray:
    """Correlate the items of each pool, shape (..., p).

    Parameters
    ----------
    human, measure : float array, shape (..., n)
        Leading dimensions are so many columns that are correlated one by one.
    number : int array, shape (n,)
        Number of each item's pool, 0..p-1.

    Returns
    -------
    float array, shape (..., p)
        nan for a pool with fewer than three items that have both, or where a side does not vary.
    """
    correlation = pearson if coefficient == "pearson" else spearman
    order = np.argsort(number, kind="stable")
    sizes = np.bincount(number, minlength=n_pools)
    starts = np.cumsum(sizes) - sizes
    values = np.full((*human.shape[:-1], n_pools), np.nan)
    # Pools of one size are rows of one array.
    for size in np.unique(sizes[sizes >= MIN_ITEMS]).tolist():
        of_size = sizes == size
        items = order[starts[of_size][:, np.newaxis] + np.arange(size)]
        of_human, of_measure = human[..., items], measure[..., items]
        n_pairs = (~np.isnan(of_human + of_measure)).sum(axis=-1)
        of_pools = correlation(of_human, of_measure)
        values[..., of_size] = np.where(n_pairs >= MIN_ITEMS, of_pools, np.nan)
    return values


def interval_over_pools(values: FloatArray, *, level: float = 0.95) -> Interval:
    """Interval of the mean of the pools' correlations, each pool counting once.

    Parameters
    ----------
    values : float array, shape (p,)
        A correlation of each pool; none is missing.
    level : float
        Nominal coverage.

    Returns
    -------
    Interval
        By Student's t with p - 1 degrees of freedom, on the scale of Fisher's z of the mean; the
        end nearer to 0 as if there were one more pool, with a correlation of 0 and a weight of
        .25. Nan, with the reason, below 10 pools, or if all pools have the same correlation.

    References
    ----------
    [Student1908], [Fisher1921] in docs/references.md
    """
    n_pools = len(values)
    if n_pools < MIN_POOLS:
        reason = too_few_pools(n_pools, least=MIN_POOLS)
        return Interval(math.nan, math.nan, "t", level, reason)
    mean = float(values.mean())
    if abs(mean) >= 1:
        reason = _("the correlation is 1 in every pool, or −1 in every pool")
        return Interval(math.nan, math.nan, "t", level, reason)
    if np.ptp(values) < _SAME:
        reason = _("all pools have the same correlation, so there is no spread between them")
        return Interval(math.nan, math.nan, "t", level, reason)
    low, high = _ends(values, np.ones(n_pools), level)
    cautious = _ends(np.append(values, 0), np.append(np.ones(n_pools), POOL_OF_FAILURE), level)
    if mean > 0:
        low = min(low, cautious[0])
    else:
        high = max(high, cautious[1])
    return Interval(low, high, "t", level)


def _ends(values: FloatArray, weights: FloatArray, level: float) -> tuple[float, float]:
    """Both ends by Student's t; the last pool may count less than the others."""
    n = float(weights.sum())
    mean = float(weights @ values) / n
    error = math.sqrt(float(weights @ (values - mean) ** 2) / (n - 1) / n)
    reach = student_quantile((1 + level) / 2, int(n) - 1) * error / (1 - mean**2)
    z = math.atanh(mean)
    return math.tanh(z - reach), math.tanh(z + reach)


def _check(coefficient: PoolCoefficient, level: float) -> None:
    if coefficient not in get_args(PoolCoefficient):
        raise ValueError(
            f"coefficient must be one of {', '.join(get_args(PoolCoefficient))}, not "
            f"{coefficient!r}"
        )
    check_level(level)


def _numbered(pools: npt.ArrayLike, is_there: BoolArray) -> tuple[IntArray, int]:
    """Number the pool of each item that is left, and count all pools, those left out included."""
    labels = labels_of(pools, np.ones_like(is_there))
    distinct, number = np.unique(np.asarray(labels), return_inverse=True)
    return number[is_there].astype(np.int64), len(distinct)


def _no_difference(
    coefficient: PoolCoefficient, value: float, n_pools: int, level: float, reason: Message
) -> PoolDifference:
    interval = Interval(math.nan, math.nan, "t", level, reason)
    return PoolDifference(coefficient, value, interval, math.nan, n_pools, reason)
