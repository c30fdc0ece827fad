"""Intervals of statistics that are computed tuple by tuple, such as alpha and Kendall's W.

Symbols: t tuples of k items; m judgments; g groups.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self, TypeAlias, TypeVar

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

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Batch = TypeVar("Batch", bound=BestWorst)

# Where fewer pairs of tuples than this share no item, these tell too little of the others.
MIN_APART = 1 / 4


def pairable_judgments(answers: Batch) -> Batch:
    """The judgments of tuples that have two or more; all tuples stay."""
    return answers.of_judgments(answers.answers_per_tuple()[answers.tuple_number] >= 2)


@dataclass(frozen=True, eq=False)
class Grouping:
    """Groups of judgments, each of which is left out in turn.

    Parameters
    ----------
    group : int array, shape (m,)
        Group of each judgment, 0..n_groups-1.
    n_groups : int
        g.
    """

    group: IntArray
    n_groups: int

    @classmethod
    def of(cls, group: IntArray) -> Self:
        """Groups that are numbered without a gap."""
        return cls(group, int(group.max(initial=-1)) + 1)


# The statistic without each group in turn, shape (g,).
Without: TypeAlias = Callable[[Grouping], FloatArray]


class TupleJackknife:
    """Intervals over people, and pools or tuples, of statistics of the same judgments.

    Pools are left out where there are enough of them. Else it is tuples, and those that share an
    item go together.

    Parameters
    ----------
    pairable : BestWorst
        From `pairable_judgments`, m of them.
    pool : int array, shape (n_items,), optional
        Pool of each item; by default items that chains of answered tuples connect share one.

    Raises
    ------
    ValueError
        If a tuple shows items of two pools.

    References
    ----------
    [Miller1974], [CameronGelbachMiller2011], [Aronow2015] in docs/references.md
    """

    def __init__(self, pairable: BestWorst, *, pool: IntArray | None) -> None:
        pool = pools_by_comparison(pairable) if pool is None else pool
        pool_of_tuple = pool_of_tuples(pairable, pool)
        tuples, unit = np.unique(pairable.tuple_number, return_inverse=True)
        self._shown, self._n_items = pairable.tuples[tuples], pairable.n_items
        self._n_shown = len(pairable.shown_items())
        self._sample = sampled(
            unit="tuples",
            n_units=len(tuples),
            n_items=self._n_shown,
            n_pools=len(np.unique(pool_of_tuple[tuples])),
            annotator=pairable.annotator,
        )
        if self._sample.left_out == "pools":
            unit = numbered(pool_of_tuple[pairable.tuple_number])
        self._units = Grouping.of(unit)
        if self._sample.is_over_people and pairable.annotator is not None:
            person = numbered(pairable.annotator)
            self._people = Grouping.of(person)
            rows, columns = (
                Grouping.of(numbered(group, max_groups=MAX_BLOCK_GROUPS))
                for group in (person, unit)
            )
            self._blocks_shape = rows.n_groups, columns.n_groups
            self._blocks = Grouping(
                rows.group * columns.n_groups + columns.group, math.prod(self._blocks_shape)
            )

    def interval(
        self,
        value: float,
        without: Without,
        *,
        reason: Message | None = None,
        lowest: float = -math.inf,
    ) -> JackknifeInterval:
        """Interval of one statistic.

        Parameters
        ----------
        value : float
            The statistic, at most 1.
        without : function
            From groups of the judgments to the statistic without each of them.
        reason : Message or None
            Why there is no statistic.
        lowest : float
            Its least possible value.
        """
        sample = self._sample
        if reason := reason or sample.reason:
            return sample.nothing(reason)
        without_units = without(self._units)
        if sample.left_out == "pools":
            of_units = one_way_variance(without_units)
        else:
            of_units = self._tuple_variance(without_units)
        if not sample.is_over_people:
            return sample.interval(value, of_units, lowest=lowest)
        of_people = one_way_variance(without(self._people))
        of_blocks = block_variance(without(self._blocks).reshape(self._blocks_shape))
        return sample.interval(value, of_units, of_people, of_blocks, lowest=lowest)

    def _tuple_variance(self, without: FloatArray) -> Variance:
        """Jackknife variance over tuples (t,), of which those that share an item go together.

        The products of the contributions of two tuples are summed over all pairs that share one
        [Aronow2015]. All contributions add up to 0, so this is too little by the share of these
        pairs among all. As it may be too little by chance, too, it is at least that of tuples
        alone.
        """
        t, k = self._shown.shape
        alone = one_way_variance(without)
        contributions = without.mean() - without
        apart = max(1 - self._sharing.sum() / t**2, MIN_APART)
        together = float(contributions @ (self._sharing @ contributions)) * (t - 1) / t / apart
        df = max(self._n_shown / k - 1, 1)
        return Variance(max(together, alone.value), df)

    @cached_property
    def _sharing(self) -> "csr_array[np.float64]":
        """1 for each two tuples that share an item, shape (t, t)."""
        from scipy.sparse import csr_array  # noqa: PLC0415 - importing scoring loads numpy only

        t, k = self._shown.shape
        ends = np.arange(0, t * k + 1, k)
        holds = csr_array((np.ones(t * k), self._shown.ravel(), ends), (t, self._n_items))
        sharing: csr_array[np.float64] = holds @ holds.T
        sharing.data[:] = 1
        return sharing
