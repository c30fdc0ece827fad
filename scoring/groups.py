"""Moments and correlations of many groups of values at once.

A group is a stack of ratings, or all ratings of one person. Groups differ in size, so they are
given as one long array and the number of each value's group.

Symbols: m values; g groups.
"""

from dataclasses import dataclass

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.correlation import average_ranks, settled_at_1

# Values no farther apart than this, relative to the largest of them, are equal but for rounding:
# means of equal ratings that were summed in different orders differ in the last bits.
ROUNDING = 8 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class GroupMoments:
    """Size, mean and spread of each group.

    Parameters
    ----------
    n : int array, shape (g,)
        Values of each group.
    mean : float array, shape (g,)
        Arithmetic mean; nan for an empty group.
    sum_of_squares : float array, shape (g,)
        Squared deviations from the group's mean, summed; exactly 0 for values
        that are equal but for rounding.
    low, high : float array, shape (g,)
        Least and greatest value; nan for an empty group.
    """

    n: IntArray
    mean: FloatArray
    sum_of_squares: FloatArray
    low: FloatArray
    high: FloatArray

    @property
    def variance(self) -> FloatArray:
        """Variance of each group, n - 1 in the denominator; nan below two values."""
        return ratio(self.sum_of_squares, self.n - 1)

    @property
    def sd(self) -> FloatArray:
        """Standard deviation of each group, n - 1 in the denominator; nan below two values."""
        return np.sqrt(self.variance)


def group_moments(values: FloatArray, group: IntArray, *, n_groups: int) -> GroupMoments:
    """Compute the moments of each group.

    Parameters
    ----------
    values : float array, shape (m,)
        Values, none missing.
    group : int array, shape (m,)
        Group of each value, 0..n_groups-1.
    n_groups : int
        Number of groups, including empty ones.
    """
    n = np.bincount(group, minlength=n_groups)
    low, high = np.full(n_groups, np.inf), np.full(n_groups, -np.inf)
    np.minimum.at(low, group, values)
    np.maximum.at(high, group, values)
    low[n == 0] = high[n == 0] = np.nan

    mean = ratio(group_sums(values, group, n_groups=n_groups), n)
    # Once more for what rounding left: the sum of three 0.1, divided by 3, is not 0.1 in binary.
    mean += ratio(group_sums(values - mean[group], group, n_groups=n_groups), n)
    is_constant = high - low <= ROUNDING * np.maximum(np.abs(low), np.abs(high))
    squares = group_sums((values - mean[group]) ** 2, group, n_groups=n_groups)
    squares[is_constant] = 0.0
    return GroupMoments(n, mean, squares, low, high)


def group_sums(values: FloatArray, group: IntArray, *, n_groups: int) -> FloatArray:
    """Sum of the values of each group, shape (n_groups,); 0 for an empty one."""
    # Without any value numpy would count, in whole numbers.
    weights = np.asarray(values, dtype=np.float64)
    return np.bincount(group, weights=weights, minlength=n_groups).astype(np.float64)


def group_pearson(x: FloatArray, y: FloatArray, group: IntArray, *, n_groups: int) -> FloatArray:
    """Correlate x and y, each of shape (m,), by Pearson's coefficient within each group.

    Returns
    -------
    float array, shape (n_groups,)
        Coefficients in [-1, 1]; nan for a group of fewer than two values or with one side
        constant.
    """
    of_x, of_y, products = _products(x, y, group, n_groups=n_groups)
    # Two roots instead of the root of the product, which underflows earlier.
    norms = np.sqrt(of_x.sum_of_squares) * np.sqrt(of_y.sum_of_squares)
    return settled_at_1(ratio(products, norms))


def group_spearman(x: FloatArray, y: FloatArray, group: IntArray, *, n_groups: int) -> FloatArray:
    """Correlate x and y by Spearman's rho within each group; see `group_pearson`."""
    return group_pearson(ranks_within(x, group), ranks_within(y, group), group, n_groups=n_groups)


def group_slopes(x: FloatArray, y: FloatArray, group: IntArray, *, n_groups: int) -> FloatArray:
    """Slope of the least-squares line of y over x, each of shape (m,), within each group.

    Returns
    -------
    float array, shape (n_groups,)
        Change of y for one more of x; nan for a group whose x are all equal.
    """
    of_x, _, products = _products(x, y, group, n_groups=n_groups)
    return ratio(products, of_x.sum_of_squares)


def ranks_within(values: FloatArray, group: IntArray) -> FloatArray:
    """Rank the values, shape (m,), within their groups; equal values share their mean rank.

    Ranks of a group are consecutive, but start anywhere: the offset does not matter to a
    correlation within the group.
    """
    _, code = np.unique(values, return_inverse=True)
    # One number that sorts by group first, so that all groups are ranked by one sort.
    return average_ranks(group * (int(code.max(initial=0)) + 1) + code)


def settled(means: FloatArray, of_values: FloatArray) -> FloatArray:
    """Take off the last digits of means, so that equal ones are equal.

    Means of .1 and .3 and of .2 and .2 differ in binary, and a rank would tell them apart. What is
    taken off is less than a millionth of a millionth of the largest of the values.

    Parameters
    ----------
    means : float array
        Means of some of the values; nan passes.
    of_values : float array
        The values that they are means of.
    """
    magnitude = float(np.abs(of_values).max(initial=0.0))
    if magnitude == 0.0:
        return means
    return np.round(means, 12 - int(np.ceil(np.log10(magnitude))))


def ratio(numerator: FloatArray | IntArray, denominator: FloatArray | IntArray) -> FloatArray:
    """Divide arrays of one shape; nan where the denominator is not above 0."""
    quotient = np.full(np.shape(numerator), np.nan)
    np.divide(numerator, denominator, out=quotient, where=denominator > 0)
    return quotient


def _products(
    x: FloatArray, y: FloatArray, group: IntArray, *, n_groups: int
) -> tuple[GroupMoments, GroupMoments, FloatArray]:
    of_x = group_moments(x, group, n_groups=n_groups)
    of_y = group_moments(y, group, n_groups=n_groups)
    products = (x - of_x.mean[group]) * (y - of_y.mean[group])
    return of_x, of_y, group_sums(products, group, n_groups=n_groups)


def bin_counts(values: FloatArray, edges: FloatArray) -> IntArray:
    """Number of values in each bin; one at an end, but for rounding, belongs to the bin above it.

    Means of ratings in tenths have no exact binary form, so 2.8 may come as a bit less.

    Parameters
    ----------
    values : float array, shape (n,)
        Between the first edge and the last.
    edges : float array, shape (b + 1,) or (0,)
        Ascending; the last bin holds its upper end.

    Returns
    -------
    int array, shape (b,)
    """
    if len(edges) == 0:
        return np.arange(0)
    slack = ROUNDING * np.abs(edges).max()
    bins = np.searchsorted(edges, values + slack, side="right") - 1
    return np.bincount(np.clip(bins, 0, len(edges) - 2), minlength=len(edges) - 1)
