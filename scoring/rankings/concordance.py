"""Kendall's W: how far the people who ordered the same tuple agree.

Of one tuple, ordered by n people, W = 12 S / (n^2 (k^3 - k)), S being the sum of squared
deviations of the items' summed places from their mean [KendallSmith1939]: 1 if all agree, and
1 / n on average if everybody orders at random, so W of few people is high without any agreement.
The mean of Spearman's correlation over all pairs of people is free of that, (n W - 1) / (n - 1):
0 on average at random. Both are means over the tuples that several people ordered, each counting
once.

Symbols: t tuples of k items; n_t orders of a tuple; r resamples.
"""

from dataclasses import dataclass

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.best_worst.pools import pool_of_tuples
from scoring.bootstrap import MIN_POOLS, Interval, bootstrap
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
    interval, spearman_interval : Interval or None
        Of `w` and of `mean_spearman`; None if they were not asked for.
    """

    w: float
    expected: float
    mean_spearman: float
    n_tuples: int
    n_left_out: int
    reason: Message | None = None
    interval: Interval | None = None
    spearman_interval: Interval | None = None

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return _(
            "Kendall's W [KendallSmith1939] of the orders of each tuple, averaged over tuples "
            "that at least two people ordered. If n people order at random, W is 1 / n on "
            "average. The mean Spearman correlation of two people, (n W - 1) / (n - 1), is then "
            "0. Intervals come from resampled tuples, or pools if there are several."
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
    k = answers.tuple_size
    sums = np.zeros(answers.tuples.shape)
    np.add.at(sums, answers.tuple_number, answers.places().astype(np.float64))
    deviations = ((sums - n[:, None] * (k + 1) / 2) ** 2).sum(axis=1)
    w = np.full(len(n), np.nan)
    np.divide(12 * deviations, n**2 * (k**3 - k), out=w, where=n > 1)
    return w, n


def concordance(
    answers: Orders,
    *,
    pool: IntArray | None = None,
    n_resamples: int = 0,
    rng: np.random.Generator | None = None,
) -> Concordance:
    """Compute Kendall's W, with intervals if resamples are asked for.

    Parameters
    ----------
    answers : Orders
        m judgments of t tuples.
    pool : int array, shape (n_items,), optional
        Pool of each item: of ten pools or more whole pools are resampled, else tuples.
    n_resamples : int
        0: no intervals.
    rng : numpy Generator, optional
        Source of the resamples.

    Raises
    ------
    ValueError
        If resamples are asked for without a generator, or a tuple shows items of two pools.

    References
    ----------
    [KendallSmith1939], [Efron1987] in docs/references.md
    """
    if n_resamples and rng is None:
        raise ValueError("resamples need a source of random numbers")
    w, n = w_of_tuples(answers)
    is_counted = n > 1
    n_left_out = int((~is_counted).sum())
    if not is_counted.any():
        nothing = float("nan")
        why = _("no tuple was ordered by two people")
        return Concordance(nothing, nothing, nothing, 0, n_left_out, why)
    w, n = w[is_counted], n[is_counted]
    between = (n * w - 1) / (n - 1)
    of_w = of_between = None
    if rng is not None and n_resamples:
        pools = None
        if pool is not None:
            labels = pool_of_tuples(answers, pool)[is_counted]
            pools = labels if len(np.unique(labels)) >= MIN_POOLS else None
        of_w = _interval(w, pools, n_resamples, rng)
        of_between = _interval(between, pools, n_resamples, rng)
    return Concordance(
        float(w.mean()),
        float((1 / n).mean()),
        float(between.mean()),
        int(is_counted.sum()),
        n_left_out,
        interval=of_w,
        spearman_interval=of_between,
    )


def _interval(
    values: FloatArray, pools: IntArray | None, n_resamples: int, rng: np.random.Generator
) -> Interval:
    def mean(weights: FloatArray) -> FloatArray:
        total: FloatArray = weights.sum(axis=1)
        means = np.full(len(total), np.nan)
        np.divide(weights @ values, total, out=means, where=total > 0)
        return means

    drawn = bootstrap(mean, n_items=len(values), pools=pools, n_resamples=n_resamples, rng=rng)
    return drawn.interval("percentile" if np.ptp(values) == 0 else "bca")
