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
from scoring.baselines.choices import best_options
from scoring.correlation import spearman
from scoring.json_values import JsonObject, json_number

DEFINITION = (
    "Of each pool with two or more items that have both values and are not all scored alike by "
    "people. Precision at 1: whether the item that the measure puts first is one that people "
    "scored highest. NDCG: sum of the gains of the items in the measure's order, each divided by "
    "the binary logarithm of its rank plus 1, divided by that sum in the best order "
    "[JarvelinKekalainen2002]; the gain of an item is people's score less the lowest score of all "
    "items. Items that the measure values alike count by their mean over all orders "
    "[McSherryNajork2008]. Spearman's correlation within each pool; pools of which the measure "
    "values all items alike have none. Means over pools, standard deviation over pools divided by "
    "the root of their number."
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
    definition: str = field(default=DEFINITION, init=False)

    @property
    def reason(self) -> str | None:
        """Why there are no figures."""
        if self.ndcg.n:
            return None
        return "no pool has two items that people scored differently and the measure has values of"

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
        People's score of each item; nan where there is none.
    measure : float array, shape (n,)
        Value of each item, higher for what should be more similar; nan where there is none.
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
    members: dict[object, list[int]] = {}
    has_both = is_scored & np.isfinite(values)
    for place, pool in enumerate(pools):
        items = members.setdefault(pool, [])
        if has_both[place]:
            items.append(place)

    precisions, gains, correlations, n_left_out = [], [], [], 0
    for items in members.values():
        x, y = scores[items], values[items]
        best = best_options(x)
        if len(items) < 2 or len(best) == len(items):
            n_left_out += 1
            continue
        first = np.flatnonzero(y == y.max()).tolist()
        precisions.append(len(best.intersection(first)) / len(first))
        gains.append(_ndcg(x - least, y))
        correlation = float(spearman(x, y))
        if math.isfinite(correlation):
            correlations.append(correlation)
    return PoolRanking(_mean(precisions), _mean(gains), _mean(correlations), n_left_out)


def _ndcg(gains: FloatArray, values: FloatArray) -> float:
    """Gains, not all 0, discounted in the order of the values; tied ones share their discounts."""
    discounts = 1 / np.log2(np.arange(len(gains)) + 2)
    _distinct, number = np.unique(-values, return_inverse=True)
    n_tied = np.bincount(number)
    mean_gain = np.bincount(number, weights=gains) / n_tied
    found = float((np.repeat(mean_gain, n_tied) * discounts).sum())
    ideal = float((np.sort(gains)[::-1] * discounts).sum())
    return min(found / ideal, 1.0)


def _mean(values: Sequence[float]) -> PoolMean:
    n = len(values)
    if n == 0:
        return PoolMean(0, math.nan, math.nan)
    error = float(np.std(values, ddof=1)) / math.sqrt(n) if n >= 2 else math.nan
    return PoolMean(n, float(np.mean(values)), error)
