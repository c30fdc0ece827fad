"""An interval of split-half reliability: what it might have been with other items.

`SplitHalf.low` and `.high` tell how much one split differs from another. Here the items are drawn
again with replacement, or whole pools of them where there are several, such as dialogues; each
resample is correlated in every split, and the mean over the splits is its split-half reliability.

Symbols: r resamples, q splits, n items.
"""

from dataclasses import dataclass

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.bootstrap import FEWEST_POOLS, resampling_units
from scoring.halves import check_rule, scores_of_halves, why_no_halves
from scoring.judgments import BestWorst

# Fewer items, or pools of them, drawn again say nothing of others.
FEWEST_UNITS = 5


@dataclass(frozen=True, eq=False)
class HalfInterval:
    """Percentile interval (95 %) of the mean Spearman correlation of random halves.

    Parameters
    ----------
    low, high : float
        2.5 and 97.5 percentiles over the resamples; nan without an interval.
    resampled : str
        What was drawn: "items" or "pools".
    reason : str or None
        Why there is no interval.
    """

    low: float
    high: float
    resampled: str
    reason: str | None = None


def half_interval(
    answers: BestWorst,
    *,
    pool: IntArray,
    n_splits: int = 10,
    n_resamples: int = 200,
    rng: np.random.Generator,
) -> HalfInterval:
    """Interval of the split-half reliability (Spearman, rule "random") over items or pools.

    Parameters
    ----------
    answers : BestWorst
        m judgments.
    pool : int array, shape (n,)
        Pool of each item. Of few pools not they are drawn again, but their items.
    n_splits, n_resamples : int
        Splits over which each resample is averaged, and resamples.
    rng : numpy Generator
        Source of splits and resamples.

    References
    ----------
    [KM2017], [Efron1993] in docs/references.md
    """
    check_rule(answers, "random")
    has_many = len(np.unique(pool)) >= FEWEST_POOLS
    unit, of_item = resampling_units(answers.n_items, pool if has_many else None)
    nothing = float("nan")
    if reason := why_no_halves(answers, "random"):
        return HalfInterval(nothing, nothing, unit, reason)
    n_units = int(of_item.max()) + 1
    if n_units < FEWEST_UNITS:
        return HalfInterval(nothing, nothing, unit, f"there are only {n_units} {unit} to draw")
    drawn = rng.multinomial(n_units, np.full(n_units, 1 / n_units), size=n_resamples)
    weights = drawn[:, of_item].astype(np.float64)
    found = [
        weighted_spearman(a, b, weights)
        for halves in scores_of_halves(answers, rule="random", n_splits=n_splits, rng=rng)
        for a, b in zip(*halves, strict=True)
    ]
    values = np.stack(found)
    # A resample is averaged over the splits that have a correlation in it.
    is_known = ~np.isnan(values)
    n_known = is_known.sum(axis=0)
    means = np.where(is_known, values, 0).sum(axis=0)[n_known > 0] / n_known[n_known > 0]
    if len(means) < n_resamples / 2:
        return HalfInterval(nothing, nothing, unit, "most resamples have no correlation")
    low, high = np.percentile(means, [2.5, 97.5])
    return HalfInterval(float(low), float(high), unit)


def weighted_spearman(a: FloatArray, b: FloatArray, weights: FloatArray) -> FloatArray:
    """Spearman's correlation of a and b, had each item occurred as often as its weight says.

    Parameters
    ----------
    a, b : float array, shape (n,)
        Items that have nan in either are left out.
    weights : float array, shape (r, n)
        Whole numbers of at least 0.

    Returns
    -------
    float array, shape (r,)
        nan where a side does not vary.
    """
    both = ~np.isnan(a + b)
    w = weights[:, both]
    x, y = (_ranks(of[both], w) for of in (a, b))
    total = np.maximum(w.sum(axis=1, keepdims=True), 1)
    x -= (w * x).sum(axis=1, keepdims=True) / total
    y -= (w * y).sum(axis=1, keepdims=True) / total
    wx = w * x
    xx, yy, xy = (wx * x).sum(axis=1), (w * y * y).sum(axis=1), (wx * y).sum(axis=1)
    # Ranks are whole or half: what does not vary is far below the next that does.
    varies = (xx > 1e-6) & (yy > 1e-6)
    out = np.full(len(w), np.nan)
    np.divide(xy, np.sqrt(xx * yy), out=out, where=varies)
    return out


def _ranks(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Average ranks of n values in each of r weightings, shape (r, n)."""
    distinct, group = np.unique(values, return_inverse=True)
    in_order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[in_order], np.arange(len(distinct)))
    of_group = np.add.reduceat(weights[:, in_order], starts, axis=1)
    ranks: FloatArray = (np.cumsum(of_group, axis=1) - (of_group - 1) / 2)[:, group]
    return ranks
