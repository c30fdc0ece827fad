"""The noise ceiling of best-worst scores: how closely a perfect measure would follow them.

Scores in pools are compared within pools, and so is their ceiling: the halves of the answers are
correlated within each pool and averaged over pools, before they are stepped up. Correlated over
all pools together, the same halves say nothing of what a measure can reach there.

Symbols: n items of p pools; q splits.
"""

import math

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.best_worst.halves import scores_of_halves, why_no_halves
from scoring.best_worst.judgments import BestWorst
from scoring.measures.noise_ceiling import NO_INTERVAL, NoiseCeiling
from scoring.measures.within_pools import correlations_by_pool, interval_over_pools
from scoring.rounding import rounded
from shell.messages import Message
from shell.messages import message as _

N_SPLITS = 50
# In simulated studies the distance of a perfect measure's correlation from the ceiling varied 1.1
# to 1.6 times as much as the standard error over pools of the ceiling alone.
ERROR_FACTOR = 1.6


def noise_ceiling_within_pools(
    answers: BestWorst, pool: IntArray, *, n_splits: int = N_SPLITS, rng: np.random.Generator
) -> NoiseCeiling:
    """Take the noise ceiling of correlations within pools from the halves of the answers.

    The halves are scored with equal weight of each tuple, so that complete agreement has a ceiling
    of 1. The mean over pools and splits of Pearson's correlation of the halves is stepped up by
    Spearman-Brown; the ceiling is the root of that.

    The interval is one of the correlation that a perfect measure has on these very items. Both the
    estimate and that correlation vary with the noise of the answers: see `ERROR_FACTOR`. In
    simulated studies of 12 and 60 pools with 4 or 5 answers a tuple, also with people who differ
    in care or click at random, a perfect measure lay within it in 92 to 99 of 100. Perfect is a
    measure that is proportional to what the scores would be without noise. If answers nearly all
    agree, counting scores level off at both ends, and a measure on the scale of the underlying
    quality falls some .01 short of the ceiling. People are in both halves, so what few people
    share counts as reliable: with two camps of tastes among 8 to 30 people, a measure that is
    perfect for many new people lay within it in 52 to 96 of 100, .03 below the ceiling.

    Parameters
    ----------
    answers : BestWorst
        m judgments.
    pool : int array, shape (n,)
        Pool of each item.
    n_splits : int
        q, at least 1.
    rng : numpy Generator
        Source of the splits.

    Returns
    -------
    NoiseCeiling
        Nan, with the reason, where no pool has halves that correlate, or they do so negatively.
        Without an interval below 10 pools, if all pools are alike, or if most tuples have one
        answer.

    References
    ----------
    [Spearman1904], [Spearman1910], [Brown1910] in docs/references.md
    """
    if reason := why_no_halves(answers, "balanced"):
        return _no_ceiling(reason)
    distinct, number = np.unique(pool, return_inverse=True)
    chunks = [
        correlations_by_pool(a, b, number.astype(np.int64), n_pools=len(distinct))
        for a, b in scores_of_halves(answers, rule="balanced", n_splits=n_splits, rng=rng)
    ]
    values = _means(np.concatenate(chunks))
    if len(values) == 0:
        return _no_ceiling(_("the scores of the halves have no correlation within a pool"))
    mean = min(float(values.mean()), 1.0)
    if mean < 0:
        return _no_ceiling(
            _(
                "the halves correlate negatively within pools (%(correlation)s), which no"
                " reliability does",
                correlation=rounded(mean, 3),
            )
        )
    # Halves of single answers are of different tuples: their ceiling is too low.
    n_answers = answers.answers_per_tuple()
    is_single = bool((n_answers == 1).sum() > (n_answers > 1).sum())
    interval = interval_over_pools(values, error_factor=ERROR_FACTOR)
    low, high, why = interval.low, interval.high, interval.reason
    if is_single:
        low, high, why = math.nan, math.nan, _("most tuples have a single answer")
    return NoiseCeiling(
        _stepped_up(mean),
        2 * mean / (1 + mean),
        "split-half-within-pools",
        None,
        _stepped_up(low),
        _stepped_up(high),
        why or NO_INTERVAL,
    )


def _means(values: FloatArray) -> FloatArray:
    """Mean over the splits, shape (q, p), that have a correlation; pools without any drop out."""
    is_known = ~np.isnan(values)
    n_known = is_known.sum(axis=0)
    totals = np.where(is_known, values, 0).sum(axis=0)
    means: FloatArray = totals[n_known > 0] / n_known[n_known > 0]
    return means


def _stepped_up(r: float) -> float:
    """The root of the reliability of all answers, from the correlation of half of them."""
    if math.isnan(r):
        return math.nan
    return math.sqrt(2 * r / (1 + r)) if r > 0 else 0.0


def _no_ceiling(reason: Message) -> NoiseCeiling:
    return NoiseCeiling(math.nan, math.nan, "split-half-within-pools", reason)
