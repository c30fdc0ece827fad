"""The noise ceiling of best-worst scores: how closely a perfect measure would follow them.

Scores in pools are compared within pools, and so is their ceiling: the halves of the answers are
correlated within each pool and averaged over pools, before they are stepped up. Correlated over
all pools together, the same halves say nothing of what a measure can reach there.

One person's answers are in both halves, so that their taste would count as reliable. What the
answers of different people agree in is compared with what all answers agree in, and the
reliability is multiplied by the ratio.

Symbols: n items of p pools; q splits; m answers to t tuples of k items.
"""

import math

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.best_worst.halves import scores_of_halves, why_no_halves
from scoring.best_worst.judgments import BestWorst
from scoring.best_worst.shared_scores import ScoreParts
from scoring.distributions import student_quantile
from scoring.jackknife import LEVEL
from scoring.measures.noise_ceiling import BY_FEW, NO_INTERVAL, NoiseCeiling, moved
from scoring.measures.within_pools import correlations_by_pool, interval_over_pools
from scoring.rounding import rounded
from scoring.shared_noise import are_few
from shell.messages import Message
from shell.messages import message as _

N_SPLITS = 50


def noise_ceiling_within_pools(
    answers: BestWorst, pool: IntArray, *, n_splits: int = N_SPLITS, rng: np.random.Generator
) -> NoiseCeiling:
    """Take the noise ceiling of correlations within pools from the halves of the answers.

    The halves are scored with equal weight of each tuple, so that complete agreement has a ceiling
    of 1. In each pool, Pearson's correlation of the halves is averaged over splits and stepped up
    by Spearman-Brown. The mean of the roots is squared and multiplied by what different people's
    answers agree in, as a share of what different answers agree in. The ceiling is the root of
    that.

    The interval is one of the correlation that a perfect measure has on these very items. Perfect
    is a measure that is proportional to what very many people's scores would be. Its variance is
    the sum of two, on the scale of -log(1 - reliability): that between pools, and that of what
    people's answers share by chance (see `scoring.shared_noise`).

    Parameters
    ----------
    answers : BestWorst
        m judgments. If they do not say who gave them, all count as those of different people.
    pool : int array, shape (n,)
        Pool of each item.
    n_splits : int
        q, at least 1.
    rng : numpy Generator
        Source of the splits.

    Returns
    -------
    NoiseCeiling
        Nan, with the reason, where no pool has halves that correlate, or they do so negatively, or
        where no item was answered by two people.
        Without an interval below 10 pools or 20 people, if a few people gave most of the answers,
        if it is not known who answered, if the halves correlate equally in all pools, or if most
        tuples have one answer.

    References
    ----------
    [Spearman1904], [Spearman1910], [Brown1910], [Hoeffding1948] in docs/references.md
    """
    if reason := why_no_halves(answers, "balanced"):
        return _no_ceiling(reason)
    distinct, number = np.unique(pool, return_inverse=True)
    chunks = [
        correlations_by_pool(a, b, number.astype(np.int64), n_pools=len(distinct))
        for a, b in scores_of_halves(answers, rule="balanced", n_splits=n_splits, rng=rng)
    ]
    correlations = np.concatenate(chunks)
    correlations = correlations[:, ~np.isnan(correlations).all(axis=0)]
    values = _means(correlations)
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
    parts = ScoreParts.of(answers)
    # Halves of single answers are of different tuples: their ceiling is too low.
    n_answers = answers.answers_per_tuple()
    is_single = bool((n_answers == 1).sum() > (n_answers > 1).sum())
    of_pools = _ceilings_of_pools(values[None] if is_single else correlations, values)
    ceiling = min(max(float(of_pools.mean()), 0.0), 1.0)
    if math.isnan(share := parts.share_of_different_people()):
        return _no_ceiling(_("no item was answered by two people"))
    reliability = ceiling**2 * share
    low, high, why = math.nan, math.nan, _("most tuples have a single answer")
    if not is_single:
        low, high, why = _interval(of_pools, reliability, parts, number)
    return NoiseCeiling(
        math.sqrt(reliability), reliability, "split-half-within-pools", None, low, high, why
    )


def _interval(
    of_pools: FloatArray, reliability: float, parts: ScoreParts, pool: IntArray
) -> tuple[float, float, Message]:
    """Both ends of the interval of the ceiling, or why there is none."""
    annotator = parts.answers.annotator
    if (reason := interval_over_pools(of_pools).reason) is not None:
        return math.nan, math.nan, reason
    if annotator is None:
        return math.nan, math.nan, _("it is not known who gave which answer")
    # Only of these answers is it known what other people say.
    if are_few(annotator[parts.answers.answers_per_tuple()[parts.answers.tuple_number] > 1]):
        return math.nan, math.nan, BY_FEW
    shown = parts.answers.shown_items()
    scores, pool = parts.scores[shown], pool[shown]
    levels = np.bincount(pool, scores) / np.maximum(np.bincount(pool), 1)
    variation = float(((scores - levels[pool]) ** 2).sum())
    # Errors of the reliability, as that of a square and as a share of the variation.
    between_pools = 2 * math.sqrt(reliability) * of_pools.std(ddof=1) / math.sqrt(len(of_pools))
    error = math.hypot(between_pools, parts.error() / variation)
    quantile = student_quantile((1 + LEVEL) / 2, len(of_pools) - 1)
    reach = quantile * error / (1 - reliability)
    return moved(reliability, -reach), moved(reliability, reach), NO_INTERVAL


def _ceilings_of_pools(values: FloatArray, means: FloatArray) -> FloatArray:
    """The root of the Spearman-Brown reliability of each pool, right on average over pools.

    The mean of the pools' roots is lower than the root of their mean: because pools differ, and
    because each correlation is off by chance. Only the first counts. Two random splits of the same
    answers differ as much as these answers and others would, so the second is what their
    deviations do around the mean.

    Parameters
    ----------
    values : float array, shape (q, p)
        Correlation of the halves of each split in each pool; nan without any.
    means : float array, shape (p,)
        Their means over splits; none is missing.

    Returns
    -------
    float array, shape (p,)
        Not of single pools, but to be averaged.
    """
    mean, of_means = means.mean(), _root(means)
    if len(values) == 1:
        # A single split does not say what is chance.
        return np.asarray(of_means - of_means.mean() + _root(mean))
    by_chance = _means(_root(mean + values - means)) - _root(mean)
    ceilings: FloatArray = of_means - by_chance
    return ceilings


def _root(r: FloatArray) -> FloatArray:
    """The root of the reliability of all answers, from the correlation of half of them."""
    at_least_0 = np.maximum(r, 0.0)
    root: FloatArray = np.sqrt(2 * at_least_0 / (1 + at_least_0))
    return root


def _means(values: FloatArray) -> FloatArray:
    """Mean over the splits, shape (q, p), that have a correlation; none of them is all nan."""
    is_known = ~np.isnan(values)
    means: FloatArray = np.where(is_known, values, 0).sum(axis=0) / is_known.sum(axis=0)
    return means


def _no_ceiling(reason: Message) -> NoiseCeiling:
    return NoiseCeiling(math.nan, math.nan, "split-half-within-pools", reason)
