"""Ranking measures within pools: does a measure find the best candidates of each dialogue?

A correlation over all items also rewards a measure for telling dialogues apart. These figures
compare the items of one pool with each other alone, and are means over pools, each of which counts
once.

Symbols: p pools of k items each; g gains.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from scoring.arrays import FloatArray
from scoring.correlation import average_ranks, spearman
from scoring.groups import ROUNDING
from scoring.json_values import JsonObject, json_number
from shell.messages import Message
from shell.messages import message as _

DEFINITION = _(
    "Precision and NDCG use every pool in which at least two items have both a score and a"
    " value. Pools whose items all have the same score are left out. Precision at 1: 1 if the"
    " item that the measure ranks first has the highest score from people (or ties for it),"
    " otherwise 0. NDCG [JarvelinKekalainen2002]: each item's gain is divided by log2(rank + 1),"
    " where rank is its rank by the measure. The sum of these is divided by the largest possible"
    " sum. An item's gain is its score from people minus the lowest score of all items. If the"
    " measure gives items the same value, the result is averaged over all possible orders of"
    " these items [McSherryNajork2008]. Spearman's correlation is computed within each pool."
    " Pools in which the measure gives all items the same value have none. ± is the standard"
    " error: the standard deviation over pools divided by the square root of their number."
)


@dataclass(frozen=True)
class PoolMean:
    """A mean over pools.

    Parameters
    ----------
    n : int
        Pools that have a value.
    value : float
        Mean over them; nan without a pool.
    standard_error : float
        n - 1 in the denominator; nan below two pools.
    """

    n: int
    value: float
    standard_error: float

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types."""
        return {
            "n": self.n,
            "value": json_number(self.value),
            "standard_error": json_number(self.standard_error),
        }


@dataclass(frozen=True)
class PoolRanking:
    """How well a measure ranks the items of each pool.

    Parameters
    ----------
    precision_at_1, ndcg, spearman : PoolMean
        See `DEFINITION`.
    n_left_out : int
        Pools that do not count: fewer than two items have both values, or people scored all of
        them alike.
    """

    precision_at_1: PoolMean
    ndcg: PoolMean
    spearman: PoolMean
    n_left_out: int
    definition: Message = field(default=DEFINITION, init=False)

    @property
    def reason(self) -> Message | None:
        """Why there are no figures, or not all of them."""
        if not self.ndcg.n:
            return _(
                "no pool has two items that people scored differently and that have values of "
                "the measure"
            )
        if not self.spearman.n:
            return _("in every pool, the measure gives all items the same value")
        if self.spearman.n == 1:
            return _("a single pool has no standard error")
        return None

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, without the definition."""
        return {
            "precision_at_1": self.precision_at_1.as_dict(),
            "ndcg": self.ndcg.as_dict(),
            "spearman": self.spearman.as_dict(),
            "n_left_out": self.n_left_out,
            "reason": self.reason,
        }


def rank_within_pools(
    human: npt.ArrayLike,
    measure: npt.ArrayLike,
    pools: Sequence[object],
    *,
    lowest: float | None = None,
) -> PoolRanking:
    """Compare a measure's order of the items of each pool with people's scores.

    Parameters
    ----------
    human : float array, shape (n,)
        People's score of each item; nan if there is none.
    measure : float array, shape (n,)
        Value of each item, higher for what should be more similar; nan if there is none.
    pools : sequence, length n
        Label of the pool of each item.
    lowest : float, optional
        The score whose gain is 0, such as the lower end of the scale; the lowest of `human` if not
        given.

    Returns
    -------
    PoolRanking
        Unitless figures: precision and NDCG in [0, 1], Spearman's correlation in [-1, 1].

    Raises
    ------
    ValueError
        If the lengths differ, a value is infinite, or a score is below `lowest`.

    References
    ----------
    [JarvelinKekalainen2002], [McSherryNajork2008] in docs/references.md
    """
    scores = np.asarray(human, dtype=np.float64)
    values = np.asarray(measure, dtype=np.float64)
    if scores.ndim != 1 or scores.shape != values.shape or len(pools) != len(scores):
        raise ValueError(
            f"{scores.shape} scores, {values.shape} values and {len(pools)} pools: give one of "
            "each for each item"
        )
    if np.isinf(scores).any() or np.isinf(values).any():
        raise ValueError("a score or a value is infinite")
    is_scored = np.isfinite(scores)
    least = float(scores[is_scored].min()) if is_scored.any() else 0.0
    if lowest is not None:
        if is_scored.any() and least < lowest:
            raise ValueError(f"a score is {least:g}, below the lowest one, {lowest:g}")
        least = lowest
    numbers: dict[object, int] = {}
    pool_of_item = np.array([numbers.setdefault(pool, len(numbers)) for pool in pools], dtype=int)
    has_both = np.flatnonzero(is_scored & np.isfinite(values))
    # The items of each pool beside each other, pools of one size together: rows of an array each.
    order = has_both[np.argsort(pool_of_item[has_both], kind="stable")]
    sizes = np.bincount(pool_of_item[order], minlength=len(numbers))
    starts = np.cumsum(sizes) - sizes
    figures = []
    for size in np.unique(sizes[sizes >= 2]).tolist():
        items = order[starts[sizes == size][:, np.newaxis] + np.arange(size)]
        figures.append(_figures(scores[items], values[items], least))
    precisions, gains, correlations = (
        np.concatenate([pool[place] for pool in figures]) if figures else np.array([])
        for place in range(3)
    )
    return PoolRanking(
        _mean(precisions),
        _mean(gains),
        _mean(correlations[np.isfinite(correlations)]),
        len(numbers) - len(gains),
    )


def _figures(
    scores: FloatArray, values: FloatArray, least: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Precision at 1, NDCG and Spearman of pools of one size, shape (p, k), not scored alike."""
    slack = ROUNDING * np.abs(scores).max(axis=1, keepdims=True)
    is_best = scores >= scores.max(axis=1, keepdims=True) - slack
    counts = ~is_best.all(axis=1)
    scores, values, is_best = scores[counts], values[counts], is_best[counts]
    is_first = values == values.max(axis=1, keepdims=True)
    precisions = (is_best & is_first).sum(axis=1) / is_first.sum(axis=1)
    return precisions, _ndcg(scores - least, values), spearman(scores, values)


def _ndcg(gains: FloatArray, values: FloatArray) -> FloatArray:
    """Gains, not all 0, discounted in the order of the values; tied ones share their discounts."""
    n_pools, size = gains.shape
    discounts = 1 / np.log2(np.arange(size) + 2)
    # Twice a mean rank is a whole number, the same for what is tied within its pool.
    ties = np.rint(2 * average_ranks(values)).astype(int)
    ties += (2 * size + 1) * np.arange(n_pools)[:, np.newaxis]
    of_tie = ties.ravel()
    total = np.bincount(of_tie, weights=gains.ravel(), minlength=1)
    mean_gains = (total[of_tie] / np.bincount(of_tie, minlength=1)[of_tie]).reshape(gains.shape)
    in_order = np.take_along_axis(mean_gains, np.argsort(-values, axis=1), axis=1)
    gain = (in_order * discounts).sum(axis=1)
    ideal = (np.sort(gains, axis=1)[:, ::-1] * discounts).sum(axis=1)
    ndcg: FloatArray = np.minimum(gain / ideal, 1.0)
    return ndcg


def _mean(values: FloatArray) -> PoolMean:
    n = len(values)
    if n == 0:
        return PoolMean(0, math.nan, math.nan)
    error = float(np.std(values, ddof=1)) / math.sqrt(n) if n >= 2 else math.nan
    return PoolMean(n, float(np.mean(values)), error)
