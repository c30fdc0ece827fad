"""Bootstrap interval of alpha: how much would it differ in another study of the same kind?

Whole clusters are drawn with replacement, as many as there are, with all their answers: tuples, or
pools, whose tuples share items and go together. A tuple drawn twice is two units. This is not the
bootstrap of single disagreements that some programs use, which takes the answers of one unit apart
and gives narrower intervals.

Symbols: g clusters; r resamples; a resample is a row of weights, how often each cluster was drawn.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.best_worst.agreement import (
    Alpha,
    Coding,
    On,
    alpha,
    chance_of_agreeing,
    units_and_values,
)
from scoring.best_worst.judgments import BestWorst
from scoring.best_worst.pools import pool_of_tuples, pools_by_comparison
from scoring.json_values import JsonObject, json_number
from shell.messages import Message
from shell.messages import message as _

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Cluster: TypeAlias = Literal["tuples", "pools"]

# Weights or category counts held at once: 2 MB in each array, which stay in the processor's cache.
CELLS_AT_ONCE = 2**18
# Up to this many categories their counts are one dense product; beyond, a sparse one.
DENSE_CATEGORIES = 64


@dataclass(frozen=True, eq=False)
class AlphaInterval:
    """Percentile bootstrap interval of an alpha.

    Parameters
    ----------
    low, high : float
        2.5 and 97.5 percentiles over the resamples; nan where undefined.
    values : float array, shape (r,)
        Alpha of each resample; nan if all its values are equal.
    resampled : {"tuples", "pools"}
        What was drawn with replacement.
    n_clusters : int
        Tuples with two answers, or pools with such a tuple: what was drawn from.
    reason : Message or None
        Why there is no interval.
    """

    low: float
    high: float
    values: FloatArray
    resampled: Cluster
    n_clusters: int
    reason: Message | None = None

    @property
    def n_resamples(self) -> int:
        """Number of resamples, r."""
        return len(self.values)

    @property
    def n_undefined(self) -> int:
        """Resamples without an alpha, which the interval leaves out."""
        return int(np.isnan(self.values).sum())

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        if self.resampled == "pools":
            return _(
                "Percentile bootstrap interval (95 %): alpha of as many pools drawn with"
                " replacement, each with all its answers [Efron1993]."
            )
        return _(
            "Percentile bootstrap interval (95 %): alpha of as many tuples drawn with"
            " replacement, each with all its answers [Efron1993]."
        )

    def as_dict(self) -> JsonObject:
        """All figures but the resamples in plain JSON types, with the definition."""
        return {
            "definition": self.definition,
            "low": json_number(self.low),
            "high": json_number(self.high),
            "resampled": self.resampled,
            "n_clusters": self.n_clusters,
            "n_resamples": self.n_resamples,
            "n_undefined": self.n_undefined,
            "reason": self.reason,
        }


def alpha_interval(
    answers: BestWorst,
    *,
    on: On,
    coding: Coding,
    resample: Cluster = "tuples",
    pool: IntArray | None = None,
    n_resamples: int = 1000,
    rng: np.random.Generator,
) -> AlphaInterval:
    """Interval of `alpha(answers, on=on, coding=coding)` by resampling tuples or pools.

    Parameters
    ----------
    answers : BestWorst
        m judgments of t tuples of k items.
    on, coding : str
        As in `alpha`.
    resample : {"tuples", "pools"}
        What is drawn with replacement. Pools where there are several, such as dialogues: the
        tuples of one pool go together.
    pool : int array, shape (n_items,), optional
        Pool of each item; by default items that chains of answered tuples connect share one.
    n_resamples : int
        Number of resamples, at least 1.
    rng : numpy Generator
        Source of the resamples.

    Returns
    -------
    AlphaInterval
        Without ends, but with the reason, if alpha is undefined or if there is only one cluster.

    Raises
    ------
    ValueError
        If a variant is unknown, `n_resamples` is below 1, or a tuple shows items of two pools.

    References
    ----------
    [Krippendorff2011], [Efron1993] in docs/references.md
    """
    if resample not in get_args(Cluster):
        raise ValueError(
            f"resample must be one of {', '.join(get_args(Cluster))}, not {resample!r}"
        )
    if n_resamples < 1:
        raise ValueError(f"n_resamples must be at least 1, not {n_resamples}")

    cluster_of_tuple = np.arange(answers.n_tuples)
    if resample == "pools":
        pool = pools_by_comparison(answers) if pool is None else pool
        cluster_of_tuple = pool_of_tuples(answers, pool)
    of_all = alpha(answers, on=on, coding=coding)
    pairable = answers.of_judgments(answers.answers_per_tuple()[answers.tuple_number] >= 2)
    clusters, cluster = np.unique(cluster_of_tuple[pairable.tuple_number], return_inverse=True)
    if reason := _why_no_interval(of_all, resample, len(clusters)):
        nothing = np.full(n_resamples, np.nan)
        return AlphaInterval(np.nan, np.nan, nothing, resample, len(clusters), reason)

    counts = _ClusterCounts.of(pairable, cluster, len(clusters), on=on, coding=coding)
    values = counts.alphas(n_resamples, rng=rng)
    # alpha of all is defined, so some cluster varies, and r resamples rarely miss it all.
    defined = values[~np.isnan(values)]
    if len(defined) == 0:
        reason = _("all values of every resample are equal")
        return AlphaInterval(np.nan, np.nan, values, resample, len(clusters), reason)
    low, high = np.percentile(defined, [2.5, 97.5])
    return AlphaInterval(float(low), float(high), values, resample, len(clusters))


def _why_no_interval(of_all: Alpha, resample: Cluster, n_clusters: int) -> Message | None:
    if of_all.reason:
        return of_all.reason
    if n_clusters >= 2:
        return None
    if resample == "pools":
        return _(
            "there is only one of the pools to draw from, and drawing one again and again says"
            " nothing about others"
        )
    return _(
        "there is only one of the tuples to draw from, and drawing one again and again says"
        " nothing about others"
    )


@dataclass(frozen=True, eq=False)
class _ClusterCounts:
    """What alpha needs to know of each cluster; a resample's is a weighted sum over clusters.

    Symbols: `disagreement` (g,) summed over the cluster's values as in `nominal_disagreement`;
    `n_values` (g,); `table` (g, n_categories) values of each cluster in each category, sparse
    where there are many; `by_chance` the expected disagreement where the coding fixes it.
    """

    disagreement: FloatArray
    n_values: FloatArray
    table: "FloatArray | csr_array[np.float64]"
    n_categories: int
    by_chance: float | None

    @classmethod
    def of(
        cls, pairable: BestWorst, cluster: IntArray, g: int, *, on: On, coding: Coding
    ) -> "_ClusterCounts":
        units, values = units_and_values(pairable, on=on, by_item=coding == "item")
        of_value = np.tile(cluster, len(units) // len(cluster))
        _, unit, unit_sizes = np.unique(units, return_inverse=True, return_counts=True)
        categories, category = np.unique(values, return_inverse=True)
        n_categories = len(categories)
        filled, first, counts = np.unique(
            unit * n_categories + category, return_index=True, return_counts=True
        )
        others = unit_sizes[filled // n_categories] - 1
        disagreeing = counts * (others + 1 - counts) / others
        return cls(
            np.asarray(np.bincount(of_value[first], disagreeing, minlength=g), dtype=np.float64),
            np.bincount(of_value, minlength=g).astype(np.float64),
            _table(of_value, category, shape=(g, n_categories)),
            n_categories,
            1 - chance_of_agreeing(pairable.tuple_size, on) if coding == "uniform" else None,
        )

    def alphas(self, n_resamples: int, *, rng: np.random.Generator) -> FloatArray:
        """Alpha of each of `n_resamples` resamples; nan if its values are all equal."""
        g = len(self.n_values)
        values = np.empty(n_resamples)
        # The narrowest whole numbers that hold g: drawing is most of the work.
        whole = np.min_scalar_type(g - 1)
        at_once = max(1, CELLS_AT_ONCE // max(g, self.n_categories))
        for done in range(0, n_resamples, at_once):
            r = min(at_once, n_resamples - done)
            drawn = rng.integers(g, size=(r, g), dtype=whole) + np.arange(r)[:, None] * g
            weights = np.bincount(drawn.ravel(), minlength=r * g).reshape(r, g).astype(np.float64)
            n = weights @ self.n_values
            observed = weights @ self.disagreement / n
            expected = self._expected(weights, n)
            ratio = np.full(r, np.nan)
            np.divide(observed, expected, out=ratio, where=expected > 0)
            values[done : done + r] = 1 - ratio
        return values

    def _expected(self, weights: FloatArray, n: FloatArray) -> FloatArray:
        if self.by_chance is not None:
            return np.full(len(weights), self.by_chance)
        margins: FloatArray = np.asarray(weights @ self.table)
        # Whole numbers all along, so that equal values give exactly 0.
        expected: FloatArray = (margins * (n[:, None] - margins)).sum(axis=1) / (n * (n - 1))
        return expected


def _table(
    cluster: IntArray, category: IntArray, *, shape: tuple[int, int]
) -> "FloatArray | csr_array[np.float64]":
    """Count the values of each cluster in each category."""
    if shape[1] <= DENSE_CATEGORIES:
        cells = np.bincount(cluster * shape[1] + category, minlength=shape[0] * shape[1])
        return cells.reshape(shape).astype(np.float64)
    # Item coding has thousands of categories, nearly all of them empty in any one cluster.
    from scipy.sparse import csr_array  # noqa: PLC0415 - importing scoring loads numpy only

    # Values of one cell add up.
    return csr_array((np.ones(len(cluster)), (cluster, category)), shape)
