"""Kendall's W: how far the people who ordered the same tuple agree.

Of one tuple, ordered by n people, W = 12 S / (n^2 (k^3 - k)), S being the sum of squared
deviations of the items' summed places from their mean [KendallSmith1939]: 1 if all agree, and
1 / n on average if everybody orders at random, so W of few people is high without any agreement.
The mean of Spearman's correlation over all pairs of people is free of that, (n W - 1) / (n - 1):
0 on average at random. Both are means over the tuples that several people ordered, each counting
once.

Symbols: t tuples of k items; n_t orders of a tuple.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.best_worst.tuple_interval import Grouping, TupleJackknife, pairable_judgments
from scoring.jackknife import JackknifeInterval
from scoring.json_values import JsonObject, json_number
from scoring.rankings.orders import Orders
from shell.messages import Message
from shell.messages import message as _


@dataclass(frozen=True, eq=False)
class Concordance:
    """Kendall's W of a batch of orders.

    Parameters
    ----------
    w : float
        Mean over tuples, in [0, 1]; nan where undefined.
    expected : float
        What it would be on average if everybody ordered at random: the mean of 1 / n_t.
    mean_spearman : float
        Mean over tuples of the mean correlation between two people, in [-1, 1].
    n_tuples : int
        Tuples that at least two orders are of.
    n_left_out : int
        Tuples with one order or none.
    reason : Message or None
        Why there is no figure.
    interval, spearman_interval : JackknifeInterval or None
        Of `w` and of `mean_spearman`; None if they were not asked for.
    """

    w: float
    expected: float
    mean_spearman: float
    n_tuples: int
    n_left_out: int
    reason: Message | None = None
    interval: JackknifeInterval | None = None
    spearman_interval: JackknifeInterval | None = None

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return _(
            "Kendall's W [KendallSmith1939] of the orders of each tuple, averaged over tuples"
            " that at least two people ordered. If n people order at random, W is 1 / n on"
            " average. The mean Spearman correlation of two people, (n W - 1) / (n - 1), is then"
            " 0."
        )

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        return {
            "definition": self.definition,
            "w": json_number(self.w),
            "expected": json_number(self.expected),
            "mean_spearman": json_number(self.mean_spearman),
            "n_tuples": self.n_tuples,
            "n_left_out": self.n_left_out,
            "reason": self.reason,
            "interval": self.interval.as_dict() if self.interval else None,
            "spearman_interval": (
                self.spearman_interval.as_dict() if self.spearman_interval else None
            ),
        }


def w_of_tuples(answers: Orders) -> tuple[FloatArray, IntArray]:
    """Kendall's W of each tuple, nan below two orders, and the number of its orders, both (t,)."""
    n = answers.answers_per_tuple()
    sums = np.zeros(answers.tuples.shape, dtype=np.int64)
    np.add.at(sums, answers.tuple_number, answers.places())
    w = np.full(len(n), np.nan)
    w[n > 1] = _w(sums[n > 1], n[n > 1])
    return w, n


def _w(sums: IntArray, n: IntArray) -> FloatArray:
    """W of tuples with n orders, shape (t,), from the summed places of their items, (t, k)."""
    k = sums.shape[1]
    deviations = ((sums - n[:, None] * (k + 1) / 2) ** 2).sum(axis=1)
    w: FloatArray = 12 * deviations / (n**2 * (k**3 - k))
    return w


def concordance(
    answers: Orders, *, pool: IntArray | None = None, with_intervals: bool = False
) -> Concordance:
    """Compute Kendall's W.

    Parameters
    ----------
    answers : Orders
        m judgments of t tuples.
    pool : int array, shape (n_items,), optional
        Pool of each item, for the intervals.
    with_intervals : bool
        Whether there are intervals.

    Raises
    ------
    ValueError
        If intervals are asked for and a tuple shows items of two pools.

    References
    ----------
    [KendallSmith1939]; those of `TupleJackknife` in docs/references.md
    """
    w, n = w_of_tuples(answers)
    is_counted = n > 1
    n_left_out = int((~is_counted).sum())
    if not is_counted.any():
        nothing = float("nan")
        why = _("no tuple was ordered by two people")
        return Concordance(nothing, nothing, nothing, 0, n_left_out, why)
    w, n = w[is_counted], n[is_counted]
    result = Concordance(
        float(w.mean()),
        float((1 / n).mean()),
        float(_between(w, n).mean()),
        int(is_counted.sum()),
        n_left_out,
    )
    if not with_intervals:
        return result
    pairable = pairable_judgments(answers)
    left_out, jackknife = _LeftOutW(pairable), TupleJackknife(pairable, pool=pool)
    return replace(
        result,
        interval=jackknife.interval(result.w, left_out.w, lowest=0.0),
        spearman_interval=jackknife.interval(result.mean_spearman, left_out.between, lowest=-1.0),
    )


def _between(w: FloatArray, n: IntArray) -> FloatArray:
    """Mean Spearman correlation of two of n people, from their W."""
    return (n * w - 1) / (n - 1)


class _LeftOutW:
    """Means over tuples without each group of judgments in turn, from groups as in `Without`."""

    def __init__(self, pairable: Orders) -> None:
        self.k, self.t = pairable.tuple_size, pairable.n_tuples
        self.tuple_number, self.places = pairable.tuple_number, pairable.places()
        self.n = pairable.answers_per_tuple()
        self.sums = np.zeros(pairable.tuples.shape, dtype=np.int64)
        np.add.at(self.sums, self.tuple_number, self.places)

    def w(self, groups: Grouping) -> FloatArray:
        """Mean W, shape (g,); nan where no tuple keeps two orders."""
        return self._means(groups, lambda w, _n: w)

    def between(self, groups: Grouping) -> FloatArray:
        """Mean Spearman correlation of two people, shape (g,)."""
        return self._means(groups, _between)

    def _means(
        self, groups: Grouping, figure: Callable[[FloatArray, IntArray], FloatArray]
    ) -> FloatArray:
        n_groups = groups.n_groups
        cells, cell, n_lost = np.unique(
            groups.group * self.t + self.tuple_number, return_inverse=True, return_counts=True
        )
        lost = np.zeros((len(cells), self.k), dtype=np.int64)
        np.add.at(lost, cell, self.places)
        in_group, of_tuple = cells // self.t, cells % self.t
        before, is_counted = self._figures(self.sums, self.n, figure)
        after, is_left = self._figures(
            self.sums[of_tuple] - lost, self.n[of_tuple] - n_lost, figure
        )
        total = before.sum() + np.bincount(in_group, after - before[of_tuple], minlength=n_groups)
        n_gone = np.bincount(in_group, is_counted[of_tuple] & ~is_left, minlength=n_groups)
        n_tuples = is_counted.sum() - np.round(n_gone)
        means = np.full(n_groups, np.nan)
        np.divide(total, n_tuples, out=means, where=n_tuples > 0)
        return means

    def _figures(
        self,
        sums: IntArray,
        n: IntArray,
        figure: Callable[[FloatArray, IntArray], FloatArray],
    ) -> tuple[FloatArray, BoolArray]:
        """The figure of each tuple, 0 of those with fewer than two orders, and which have it."""
        is_counted = n > 1
        figures = np.zeros(len(n))
        w = _w(sums[is_counted], n[is_counted])
        figures[is_counted] = figure(w, n[is_counted])
        return figures, is_counted
