"""Interval of an ICC that needs no normal ratings: over people, and items or pools.

The interval by the F distribution, which `intraclass_correlation` gives, takes the ratings for
normal and people for alike. With skewed scales, and people who differ, it held in .79 to .84 of
simulated studies where .95 was claimed; where items of a pool are alike, that of ICC(3,k) in .74.
"""

import math

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.groups import group_moments, ratio
from scoring.jackknife import JackknifeInterval, Variance, numbered, one_way_variance
from scoring.ratings.intraclass import IntraclassCorrelation, complete_table, two_way
from scoring.ratings.ratings import Ratings
from scoring.unit_interval import MAX_GROUPS, OfWeights, check_pool, sampled_units, unit_interval


def icc_interval(
    ratings: Ratings, icc: IntraclassCorrelation, *, pool: IntArray | None = None
) -> JackknifeInterval:
    """Interval of one of the six coefficients of stacks of ratings.

    Parameters
    ----------
    ratings : Ratings
        m ratings.
    icc : IntraclassCorrelation
        Of these ratings.
    pool : int array, shape (n_units,), optional
        Pool of each unit; see `scoring.unit_interval.unit_interval`.

    Raises
    ------
    ValueError
        If `pool` does not fit the units.

    References
    ----------
    [ShroutFleiss1979], [Donner1986]; those of `unit_interval` in docs/references.md
    """
    check_pool(pool, n_units=ratings.n_units)
    if icc.kind[0] != "1":
        return _of_complete_table(ratings, icc, pool)
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


def _of_complete_table(
    ratings: Ratings, icc: IntraclassCorrelation, pool: IntArray | None
) -> JackknifeInterval:
    """Interval of ICC(2,.) or ICC(3,.): each pool or item is left out in turn, and each person.

    What single ratings contribute to both is not taken off, so that over people it is rather wide.
    """
    units = np.unique(ratings.unit)
    sample, labels = sampled_units(units, ratings.annotator, pool)
    if reason := icc.reason or sample.reason:
        return sample.nothing(reason)
    group = numbered(labels, max_groups=MAX_GROUPS)
    table = complete_table(ratings)
    lowest = min(-1.0, icc.value)

    def value(part: FloatArray) -> float:
        return two_way(part, icc.kind).value if min(part.shape) > 1 else math.nan

    of_units = one_way_variance(
        np.array([value(table[group != g]) for g in range(group.max() + 1)])
    )
    if not sample.is_over_people:
        return sample.interval(icc.value, of_units, lowest=lowest)
    without = [value(np.delete(table, person, axis=1)) for person in range(table.shape[1])]
    of_people = one_way_variance(np.array(without))
    return sample.interval(icc.value, of_units, of_people, Variance(0.0, 1.0), lowest=lowest)
