"""Correlations of many measures with people's scores, without each pool or item in turn.

The results are those of `scoring.compare_by_jackknife`, but for rounding; what is left out is
weighed once for all measures of the same items.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.arrays import FloatArray
from scoring.baselines.resampled import Columns, Together
from scoring.bootstrap import CELLS_AT_ONCE, Unit
from scoring.measures.differences import units_left_out
from scoring.measures.weighted_correlation import Coefficient


@dataclass(frozen=True, eq=False)
class LeftOut:
    """The correlations on one set of items, without each group of units.

    Parameters
    ----------
    left_out : {"pools", "items"}
    without : dict of float arrays, shape (g,)
        By the number of the measure and the coefficient; nan where undefined.
    """

    left_out: Unit
    without: dict[tuple[int, Coefficient], FloatArray]


def leave_out_each(
    human: FloatArray,
    measures: FloatArray,
    together: Together,
    *,
    coefficients: Sequence[Coefficient],
    pools: npt.NDArray[np.generic] | None,
) -> LeftOut:
    """Correlate the measures of one set of items without each pool or item in turn.

    Parameters
    ----------
    human : float array, shape (n,)
        Of all items; none is missing.
    measures : float array, shape (k, n)
        Nan where missing.
    together : Together
        What is correlated on which items. People's scores are not constant on them.
    coefficients : sequence of {"pearson", "spearman", "kendall"}
    pools : array, shape (n,), or None
        Label of each item's pool.
    """
    mask = together.is_there
    columns = Columns.of(human[mask], measures[together.measures][:, mask])
    n = int(mask.sum())
    left_out, group = units_left_out(None if pools is None else pools[mask], n)
    n_groups = int(group.max()) + 1
    at_once = max(1, CELLS_AT_ONCE // n)
    parts: dict[tuple[int, Coefficient], list[FloatArray]] = {}
    for first in range(0, n_groups, at_once):
        numbers = np.arange(first, min(first + at_once, n_groups))
        weights = (group != numbers[:, None]).astype(np.float64)
        for coefficient in coefficients:
            values = columns.correlations(weights, coefficient)
            for measure, row in zip(together.measures, values, strict=True):
                parts.setdefault((measure, coefficient), []).append(row)
    return LeftOut(left_out, {key: np.concatenate(rows) for key, rows in parts.items()})
