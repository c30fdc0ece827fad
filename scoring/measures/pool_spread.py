"""How much a correlation would differ in other pools: its standard error, from leaving out each.

Items of a pool share its level, so that a correlation of items in pools varies more than one of as
many independent items. Leaving out each pool in turn tells by how much, on the scale of Fisher's
z, where Student's t gives an interval and a test.

Symbols: n items of p pools.
"""

import math
from dataclasses import dataclass

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.bootstrap import CELLS_AT_ONCE, Interval
from scoring.distributions import student_quantile, student_tails
from scoring.jackknife import MAX_LEFT_OUT
from scoring.measures.correlation_tests import INFINITE_Z
from scoring.measures.weighted_correlation import Coefficient, weighted_correlation
from shell.messages import Message, ngettext
from shell.messages import message as _

# In simulated studies of fewer pools, intervals of 95% covered down to 87%.
MIN_POOLS_OF_TEST = 4
OVER_POOLS = _(
    "By Fisher's z. Its standard error comes from leaving out each pool in turn (jackknife"
    " [Miller1974]; if there are more than %(most)s pools, they are left out in %(most)s groups)."
    " Student's t has as many degrees of freedom as pools or groups minus one. The p-value comes"
    " from the same t.",
    most=MAX_LEFT_OUT,
)

_WITHOUT_ONE = _("without one of the pools, there is no correlation, or it is 1 or −1")
_SAME = _("the correlation is the same whichever pool is left out")


@dataclass(frozen=True)
class PoolSpread:
    """Interval and test of a correlation, over pools.

    Parameters
    ----------
    interval : Interval
        Nan where undefined.
    p_value : float
        Two-sided, of no correlation; nan where undefined.
    reason : Message or None
        Why there is neither.
    """

    interval: Interval
    p_value: float
    reason: Message | None = None


def spread_over_pools(
    x: FloatArray,
    y: FloatArray,
    pool: IntArray,
    value: float,
    *,
    coefficient: Coefficient,
    level: float,
) -> PoolSpread:
    """Take interval and p of a correlation from leaving out each pool.

    Parameters
    ----------
    x, y : float array, shape (n,)
        None is missing, and neither is constant.
    pool : int array, shape (n,)
        Number of each item's pool, from 0 on.
    value : float
        Their correlation.
    coefficient : {"pearson", "spearman", "kendall"}
    level : float
        Nominal coverage.

    Returns
    -------
    PoolSpread
        Nan, with the reason, below 4 pools, for a correlation of 1 or -1, or if that without one
        of the pools is undefined, 1 or -1.

    References
    ----------
    [Miller1974] in docs/references.md
    """
    n_pools = int(pool.max()) + 1
    if n_pools < MIN_POOLS_OF_TEST:
        return _none(level, too_few_pools(n_pools, least=MIN_POOLS_OF_TEST))
    if abs(value) == 1:
        return _none(level, INFINITE_Z)
    group = pool % min(n_pools, MAX_LEFT_OUT)
    without = without_each(x, y, group, coefficient)
    if np.isnan(without).any() or (np.abs(without) == 1).any():
        return _none(level, _WITHOUT_ONE)
    z = np.arctanh(without)
    n = len(z)
    error = math.sqrt((n - 1) / n * float(((z - z.mean()) ** 2).sum()))
    # Sums are rounded: z that differ by less are the same.
    if np.ptp(z) < 1e-12:
        return _none(level, _SAME)
    centre = math.atanh(value)
    reach = student_quantile((1 + level) / 2, n - 1) * error
    interval = Interval(math.tanh(centre - reach), math.tanh(centre + reach), "fisher", level)
    return PoolSpread(interval, student_tails(centre / error, n - 1).two_sided)


def too_few_pools(n_pools: int, *, least: int) -> Message:
    """Why there is no interval over so few pools."""
    return ngettext(
        "it needs at least %(least)s pools, and there is only %(n)s",
        "it needs at least %(least)s pools, and there are only %(n)s",
        "n",
        n=n_pools,
        least=least,
    )


def without_each(
    x: FloatArray, y: FloatArray, group: IntArray, coefficient: Coefficient
) -> FloatArray:
    """Correlate two columns without each group of items in turn.

    Parameters
    ----------
    x, y : float array, shape (n,)
        None is missing.
    group : int array, shape (n,)
        From 0 on.

    Returns
    -------
    float array, shape (g,)
        nan where a column is constant without a group.
    """
    n_groups = int(group.max()) + 1
    at_once = max(1, CELLS_AT_ONCE // len(x))
    return np.concatenate(
        [
            weighted_correlation(
                x,
                y,
                (group != np.arange(first, min(first + at_once, n_groups))[:, None]).astype(
                    np.float64
                ),
                coefficient=coefficient,
            )
            for first in range(0, n_groups, at_once)
        ]
    )


def _none(level: float, reason: Message) -> PoolSpread:
    return PoolSpread(Interval(math.nan, math.nan, "fisher", level, reason), math.nan, reason)
