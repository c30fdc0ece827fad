"""Interval of ICC(1,1) and ICC(1,k) that needs no normal ratings: over people, and items or pools.

The interval by the F distribution, which `intraclass_correlation` gives, takes the ratings for
normal and people for alike. With skewed scales, and people who differ, it held in .79 to .84 of
simulated studies where .95 was claimed.
"""

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.groups import group_moments, ratio
from scoring.jackknife import JackknifeInterval
from scoring.ratings.intraclass import IntraclassCorrelation
from scoring.ratings.ratings import Ratings
from scoring.unit_interval import OfWeights, check_pool, unit_interval


def icc_interval(
    ratings: Ratings, icc: IntraclassCorrelation, *, pool: IntArray | None = None
) -> JackknifeInterval:
    """Interval of ICC(1,1) or ICC(1,k) of stacks of ratings.

    Parameters
    ----------
    ratings : Ratings
        m ratings.
    icc : IntraclassCorrelation
        Of these ratings, of kind "1,1" or "1,k".
    pool : int array, shape (n_units,), optional
        Pool of each unit; see `scoring.unit_interval.unit_interval`.

    Raises
    ------
    ValueError
        If `pool` does not fit the units, or the coefficient is of another kind.

    References
    ----------
    [ShroutFleiss1979], [Donner1986]; those of `unit_interval` in docs/references.md
    """
    check_pool(pool, n_units=ratings.n_units)
    if icc.kind not in ("1,1", "1,k"):
        raise ValueError(f"the interval is one of ICC(1,1) or ICC(1,k), not of ICC({icc.kind})")
    # From the mean, so that values far from 0 lose no digits when squared.
    values = ratings.value - (ratings.value.mean() if ratings.n_ratings else 0.0)

    def prepare(rows: IntArray, unit: IntArray) -> OfWeights:
        _units, number = np.unique(unit, return_inverse=True)
        stacks = group_moments(values[rows], number, n_groups=int(number.max()) + 1)
        size = stacks.n.astype(np.float64)

        def of_weights(weights: FloatArray) -> FloatArray:
            n, n_units = weights @ size, weights.sum(axis=1)
            between = weights @ (size * stacks.mean**2)
            between = ratio(between - ratio((weights @ (size * stacks.mean)) ** 2, n), n_units - 1)
            within = ratio(weights @ stacks.sum_of_squares, n - n_units)
            k = ratio(n - ratio(weights @ size**2, n), n_units - 1)
            variance = between + (k - 1) * within if icc.kind == "1,1" else between
            return ratio(between - within, variance)

        return of_weights

    return unit_interval(
        ratings.unit, ratings.annotator, icc.value, prepare, pool=pool, reason=icc.reason
    )
