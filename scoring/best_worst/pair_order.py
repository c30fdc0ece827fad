"""Which pairs of items are in a sure order, and how many would be after more answers.

Normal approximation throughout: a difference d of two scores with the standard error s is in a
sure order if |d| is at least 1.645 s, which is what `item_intervals` counts in resamples
(one of the two is higher in 95 % of them). After more answers of the same kind, g times as many in
all, the standard error is s' = s / sqrt(g), and the difference will be near d, off by what the
present answers do not tell: a normal deviate of variance s^2 - s'^2 (the predictive distribution
under a flat prior [Efron1993]). So a pair that is sure now may be unsure then, and the reverse.

Symbols: n items; r resamples; d, s as above; g growth.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.distributions import normal_share

# The quantile of the normal distribution that belongs to a sure order, 95 %.
Z = 1.6448536269514722
# Of a larger pool so many items are drawn: all of their pairs are two million.
MOST_ITEMS = 2000


@dataclass(frozen=True, eq=False)
class PairOrder:
    """The pairs of items within pools.

    Parameters
    ----------
    n_pairs : int
        Pairs of items of one pool whose scores have a standard error.
    n_compared : int
        Those that were looked at: fewer only where a pool has more than `MOST_ITEMS` items.
    sure_share : float
        Share of these in a sure order now; nan without a pair.
    sure_share_then : float
        The expected share after g times as many answers.
    neighbours : int array, shape (p, 2)
        Items that follow one another by score in their pool, the higher first; the least sure
        pair first.
    certainty : float array, shape (p,)
        How probable the order of each such pair is, from .5: either may be higher, to 1.
    """

    n_pairs: int
    n_compared: int
    sure_share: float
    sure_share_then: float
    neighbours: IntArray
    certainty: FloatArray


def pair_order(
    score: FloatArray,
    *,
    pool: IntArray,
    growth: float,
    resampled: FloatArray | None = None,
    error: FloatArray | None = None,
    rng: np.random.Generator,
) -> PairOrder:
    """Count the pairs in a sure order, now and after `growth` times as many answers.

    Parameters
    ----------
    score : float array, shape (n,)
        nan for an item without a score.
    pool : int array, shape (n,)
        Pool of each item; only pairs within one are compared.
    growth : float
        Answers then divided by answers now, at least 1.
    resampled : float array, shape (r, n), optional
        Scores of resamples: their covariances say how differences vary.
    error : float array, shape (n,), optional
        In its place: standard errors of scores that vary independently. nan: unknown.
    rng : numpy Generator
        Draws the items of pools that are too large.

    Raises
    ------
    ValueError
        If growth is below 1, or not exactly one of `resampled` and `error` is given.

    References
    ----------
    [Efron1993] in docs/references.md
    """
    if not growth >= 1:
        raise ValueError(f"growth must be at least 1, not {growth}")
    if (resampled is None) == (error is None):
        raise ValueError("give either the scores of resamples or standard errors")
    spread = np.std(resampled, axis=0, ddof=1) if resampled is not None else error
    assert spread is not None
    is_known = ~(np.isnan(score) | np.isnan(spread))
    n_pairs = n_compared = 0
    # Shares are weighted by the pairs of a pool, not by those that were looked at.
    sure = then = 0.0
    neighbours: list[IntArray] = [np.empty((0, 2), dtype=np.int64)]
    z_of: list[FloatArray] = [np.empty(0)]
    for items in _by_pool(pool, is_known):
        of_pool = len(items) * (len(items) - 1) // 2
        in_order = items[np.argsort(-score[items], kind="stable")]
        upper, lower = in_order[:-1], in_order[1:]
        neighbours.append(np.stack([upper, lower], axis=1))
        if resampled is not None:
            s = np.std(resampled[:, upper] - resampled[:, lower], axis=0, ddof=1)
        else:
            s = np.hypot(spread[upper], spread[lower])
        z_of.append(_ratio(score[upper] - score[lower], s))
        drawn = items
        if len(items) > MOST_ITEMS:
            drawn = rng.choice(items, MOST_ITEMS, replace=False)
        d, s = _differences(score, drawn, resampled=resampled, spread=spread)
        n_pairs += of_pool
        n_compared += len(d)
        sure += of_pool * float(is_sure(d, s).mean())
        then += of_pool * float(probably_sure(d, s, growth=growth).mean())
    z = np.concatenate(z_of)
    least = np.argsort(z, kind="stable")
    nothing = float("nan")
    return PairOrder(
        n_pairs,
        n_compared,
        sure / n_pairs if n_pairs else nothing,
        then / n_pairs if n_pairs else nothing,
        np.concatenate(neighbours)[least],
        normal_share(z[least]),
    )


def is_sure(d: FloatArray, s: FloatArray) -> BoolArray:
    """Whether each difference is in a sure order now; equal scores are no order."""
    is_far: BoolArray = (np.abs(d) >= Z * s) & (d != 0)
    return is_far


def probably_sure(d: FloatArray, s: FloatArray, *, growth: float) -> FloatArray:
    """How probable it is that each will be in a sure order, with `growth` times the answers."""
    off = s * np.sqrt(1 - 1 / growth)
    needed = Z * s / np.sqrt(growth)
    # What does not vary stays as it is.
    stays = off <= 1e-12
    divisor = np.where(stays, 1.0, off)
    probable = normal_share((d - needed) / divisor) + normal_share((-d - needed) / divisor)
    return np.where(stays, is_sure(d, s), probable)


def _by_pool(pool: IntArray, is_known: BoolArray) -> Iterator[IntArray]:
    """The items of each pool that has at least two whose error is known."""
    known = np.flatnonzero(is_known)
    in_order = known[np.argsort(pool[known], kind="stable")]
    cuts = np.flatnonzero(np.diff(pool[in_order])) + 1
    for items in np.split(in_order, cuts):
        if len(items) > 1:
            yield items


def _differences(
    score: FloatArray, items: IntArray, *, resampled: FloatArray | None, spread: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Of every pair: the difference of the scores and its standard error, each (p,)."""
    i, j = np.triu_indices(len(items), 1)
    scores = score[items]
    variance = spread[items] ** 2
    between = variance[i] + variance[j]
    if resampled is not None:
        covariance = np.cov(resampled[:, items], rowvar=False)
        # Rounding may leave a little less than nothing.
        between = np.maximum(between - 2 * covariance[i, j], 0)
        between[between < 1e-15] = 0
    return scores[i] - scores[j], np.sqrt(between)


def _ratio(d: FloatArray, s: FloatArray) -> FloatArray:
    """d / s; of differences that do not vary 0 or infinity."""
    without = np.where(d > 0, np.inf, 0.0)
    return np.divide(d, s, out=without, where=s > 0)
