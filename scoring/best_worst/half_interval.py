"""An interval of split-half reliability: what it might have been with other items.

`SplitHalf.low` and `.high` tell how much one split differs from another. Here each item is left
out in turn, or each whole pool of them where there are several, such as dialogues: how much the
mean correlation of the halves varies between these says how much it would with others (jackknife).

Symbols: g units that are left out in turn, q splits, n items.
"""

import math
from dataclasses import dataclass

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.best_worst.halves import check_rule, scores_of_halves, why_no_halves
from scoring.best_worst.judgments import BestWorst
from scoring.bootstrap import FEWEST_POOLS, resampling_units
from scoring.distributions import student_quantile
from shell.messages import Message, ngettext
from shell.messages import message as _

# Of fewer items, or pools of them, what is left out says nothing of others.
FEWEST_UNITS = 5
# More of them are left out in so many groups of about one size, which takes no longer.
MOST_UNITS = 200
_LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class HalfInterval:
    """Interval (95 %) of the mean Spearman correlation of random halves.

    Parameters
    ----------
    low, high : float
        Its ends, in [-1, 1]; nan without an interval.
    left_out : str
        What was left out in turn: "items" or "pools".
    reason : Message or None
        Why there is no interval.
    """

    low: float
    high: float
    left_out: str
    reason: Message | None = None


def half_interval(
    answers: BestWorst, *, pool: IntArray, n_splits: int = 10, rng: np.random.Generator
) -> HalfInterval:
    """Interval of the split-half reliability (Spearman, rule "random") over items or pools.

    The jackknife's standard error, on the scale of Fisher's transform and with Student's quantile
    of g - 1 degrees of freedom. In simulated studies of 12, 30 and 60 pools it held the
    reliability of very many pools in 94.5 to 97 of 100; percentiles of resampled pools, which do
    not know how few they are and that the halves of few correlate less, in 86 to 94 of 100 of 12.

    Parameters
    ----------
    answers : BestWorst
        m judgments.
    pool : int array, shape (n,)
        Pool of each item. Of few pools not they are left out, but their items.
    n_splits : int
        Splits over which the correlation is averaged.
    rng : numpy Generator
        Source of the splits, and of the groups of very many items.

    References
    ----------
    [KM2017], [Miller1974], [Fisher1921] in docs/references.md
    """
    check_rule(answers, "random")
    # What nobody was shown yet changes nothing where it is left out: it does not count.
    shown = np.unique(answers.shown())
    has_many = len(np.unique(pool[shown])) >= FEWEST_POOLS
    unit, of_shown = resampling_units(len(shown), pool[shown] if has_many else None)

    def nothing(reason: Message) -> HalfInterval:
        return HalfInterval(math.nan, math.nan, unit, reason)

    if reason := why_no_halves(answers, "random"):
        return nothing(reason)
    of_item = np.zeros(answers.n_items, dtype=np.int64)
    of_item[shown] = of_shown
    n_units = int(of_item.max()) + 1
    if n_units < FEWEST_UNITS:
        return nothing(_too_few(unit, n_units))
    if n_units > MOST_UNITS:
        of_item = rng.permutation(np.arange(n_units) % MOST_UNITS)[of_item]
        n_units = MOST_UNITS
    # The first row has them all, each of the others all but one.
    weights = np.concatenate([np.ones((1, n_units)), 1 - np.eye(n_units)])[:, of_item]
    values = np.stack(
        [
            weighted_spearman(a, b, weights)
            for halves in scores_of_halves(answers, rule="random", n_splits=n_splits, rng=rng)
            for a, b in zip(*halves, strict=True)
        ]
    )
    # Each is averaged over the splits that have a correlation in it.
    is_known = ~np.isnan(values)
    n_known = is_known.sum(axis=0)
    if not n_known.all():
        return nothing(
            _("without one of the pools there is no correlation")
            if unit == "pools"
            else _("without one of the items there is no correlation")
        )
    r, *without_one = (np.where(is_known, values, 0).sum(axis=0) / n_known).tolist()
    if 1 - abs(r) < 1e-9:
        return nothing(_("the halves are in the same order, whatever is left out"))
    error = math.sqrt((n_units - 1) * float(np.var(without_one)))
    # Of a single one the transform may be infinite: the error is taken over by its slope at r.
    reach = student_quantile((1 + _LEVEL) / 2, n_units - 1) * error / (1 - r**2)
    return HalfInterval(math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach), unit)


def _too_few(unit: str, n: int) -> Message:
    if unit == "pools":
        return ngettext(
            "there is only %(n)s pool to leave out",
            "there are only %(n)s pools to leave out",
            "n",
            n=n,
        )
    return ngettext(
        "there is only %(n)s item to leave out",
        "there are only %(n)s items to leave out",
        "n",
        n=n,
    )


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
    x, y = (_ranks(values[both], w) for values in (a, b))
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
