"""Intervals of statistics that are computed tuple by tuple, such as alpha and Kendall's W.

Symbols: t tuples of k items; m judgments; g groups.
"""

import math
from collections.abc import Callable
from typing import TypeAlias, TypeVar

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.best_worst.judgments import BestWorst
from scoring.best_worst.pools import pool_of_tuples, pools_by_comparison
from scoring.jackknife import (
    MAX_BLOCK_GROUPS,
    JackknifeInterval,
    Variance,
    block_variance,
    numbered,
    one_way_variance,
    sampled,
)
from shell.messages import Message

# From the group of each judgment and g to the statistic without each group, shape (g,).
Without: TypeAlias = Callable[[IntArray, int], FloatArray]
Batch = TypeVar("Batch", bound=BestWorst)

# Where fewer pairs of tuples than this share no item, these tell too little of the others.
MIN_APART = 1 / 4


def pairable_judgments(answers: Batch) -> Batch:
    """The judgments of tuples that have two or more; all tuples stay."""
    return answers.of_judgments(answers.answers_per_tuple()[answers.tuple_number] >= 2)


def tuple_interval(
    pairable: BestWorst,
    value: float,
    without: Without,
    *,
    pool: IntArray | None,
    reason: Message | None,
    lowest: float = -math.inf,
) -> JackknifeInterval:
    """Interval over people, and pools or tuples.

    Pools are left out where there are enough of them. Else it is tuples, and those that share an
    item go together.

    Parameters
    ----------
    pairable : BestWorst
        From `pairable_judgments`, m of them.
    value : float
        The statistic, at most 1.
    without : function
        From the group of each judgment, shape (m,), and g to the statistic without each group.
    pool : int array, shape (n_items,), optional
        Pool of each item; by default items that chains of answered tuples connect share one.
    reason : Message or None
        Why there is no statistic.
    lowest : float
        Its least possible value.

    Raises
    ------
    ValueError
        If a tuple shows items of two pools.

    References
    ----------
    [Miller1974], [CameronGelbachMiller2011], [Aronow2015] in docs/references.md
    """
    pool = pools_by_comparison(pairable) if pool is None else pool
    pool_of_tuple = pool_of_tuples(pairable, pool)
    tuples, tuple_number = np.unique(pairable.tuple_number, return_inverse=True)
    shown = pairable.tuples[tuples]
    sample = sampled(
        unit="tuples",
        n_units=len(tuples),
        n_items=len(np.unique(shown)),
        n_pools=len(np.unique(pool_of_tuple[tuples])),
        annotator=pairable.annotator,
    )
    if reason := reason or sample.reason:
        return sample.nothing(reason)
    if sample.left_out == "pools":
        unit = numbered(pool_of_tuple[pairable.tuple_number])
        of_units = one_way_variance(_without_each(without, unit))
    else:
        unit = tuple_number
        of_units = _tuple_variance(_without_each(without, unit), shown, n_items=pairable.n_items)
    if not sample.is_over_people or pairable.annotator is None:
        return sample.interval(value, of_units, lowest=lowest)
    person = numbered(pairable.annotator)
    rows, columns = (numbered(group, max_groups=MAX_BLOCK_GROUPS) for group in (person, unit))
    shape = int(rows.max()) + 1, int(columns.max()) + 1
    blocks = without(rows * shape[1] + columns, math.prod(shape)).reshape(shape)
    of_people = one_way_variance(_without_each(without, person))
    return sample.interval(value, of_units, of_people, block_variance(blocks), lowest=lowest)


def _without_each(without: Without, group: IntArray) -> FloatArray:
    return without(group, int(group.max()) + 1)


def _tuple_variance(without: FloatArray, shown: IntArray, *, n_items: int) -> Variance:
    """Jackknife variance over tuples, shape (t,), of which those that share an item go together.

    The products of the contributions of two tuples are summed over all pairs that share one
    [Aronow2015]. All contributions add up to 0, so this is too little by the share of these pairs
    among all. As it may be too little by chance, too, it is at least that of tuples alone.
    """
    from scipy.sparse import csr_array  # noqa: PLC0415 - importing scoring loads numpy only

    t, k = shown.shape
    alone = one_way_variance(without)
    contributions = without.mean() - without
    holds = csr_array((np.ones(t * k), shown.ravel(), np.arange(0, t * k + 1, k)), (t, n_items))
    shares = holds @ holds.T
    shares.data[:] = 1
    apart = max(1 - shares.sum() / t**2, MIN_APART)
    together = float(contributions @ (shares @ contributions)) * (t - 1) / t / apart
    df = max(len(np.unique(shown)) / k - 1, 1)
    return Variance(max(together, alone.value), df)
