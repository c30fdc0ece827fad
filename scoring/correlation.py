"""Pearson's and Spearman's correlation of many pairs of rows at once.

Both take arrays of shape (..., n) and correlate along the last axis; nan marks a missing value,
and a place where either side is missing is left out of that row. scipy.stats does the same for
one pair of rows, but importing it takes longer than all the splits of a study.
"""

import numpy as np
import numpy.typing as npt

from scoring.arrays import BoolArray, FloatArray
from shell.messages import Message
from shell.messages import message as _

# The roots of a perfect correlation's sums of squares may leave it this far from 1.
ROUNDING = 1e-15
# Up to here, and down to its inverse, squares of differences in the last digit are floats.
SAFE = 1e100


def pearson(x: npt.ArrayLike, y: npt.ArrayLike) -> FloatArray:
    """Correlate two variables by Pearson's product-moment coefficient.

    Parameters
    ----------
    x, y : float array, shape (..., n)
        Values; nan where missing.

    Returns
    -------
    float array, shape (...)
        Coefficients in [-1, 1]; nan where `why_undefined` gives a reason.

    Raises
    ------
    ValueError
        If the shapes differ.
    """
    x, y, is_paired = _paired(x, y)
    ends_of_x, ends_of_y = _ends(x, is_paired), _ends(y, is_paired)
    # A row of fewer than two pairs is constant, too.
    is_defined = ~_is_constant(*ends_of_x) & ~_is_constant(*ends_of_y)
    # Only where it is needed: it takes as long as all the rest.
    x = x if _have_squares(*ends_of_x) else of_size_1(x)
    y = y if _have_squares(*ends_of_y) else of_size_1(y)

    dx, dy = _deviations(x, is_paired), _deviations(y, is_paired)
    products = np.vecdot(dx, dy)
    # Two roots instead of the root of the product, which underflows earlier.
    norms = np.sqrt(np.vecdot(dx, dx)) * np.sqrt(np.vecdot(dy, dy))
    coefficients = np.full(products.shape, np.nan)
    np.divide(products, norms, out=coefficients, where=is_defined & (norms > 0))
    return settled_at_1(coefficients)


def spearman(x: npt.ArrayLike, y: npt.ArrayLike) -> FloatArray:
    """Correlate two variables by Spearman's rho: Pearson's coefficient of the average ranks.

    Parameters, results and errors are those of `pearson`. Ranks are taken among the values whose
    partner is present.
    """
    x, y, is_paired = _paired(x, y)
    return pearson(
        average_ranks(_only(x, is_paired, np.nan)), average_ranks(_only(y, is_paired, np.nan))
    )


def average_ranks(values: npt.ArrayLike) -> FloatArray:
    """Rank the values of each row from 1 upwards; equal values share the mean of their ranks.

    Parameters
    ----------
    values : float array, shape (..., n)
        Values; nan where missing.

    Returns
    -------
    float array, shape (..., n)
        Ranks in [1, n]; nan where the value is missing, which takes no rank from the others.
    """
    values = np.asarray(values, dtype=np.float64)
    if values.size == 0:
        return values.copy()
    n = values.shape[-1]
    rows = values.reshape(-1, n)
    # nan sorts last, so the missing values of a row do not push the others' ranks.
    order = np.argsort(rows, axis=1)
    # All rows one after the other from here on.
    order += n * np.arange(len(rows))[:, None]
    ordered = rows.ravel()[order.ravel()]

    # Runs of equal values; a row always starts a run, so none crosses rows.
    starts_run = np.empty(rows.shape, dtype=np.bool_)
    starts_run.ravel()[1:] = ordered[1:] != ordered[:-1]
    starts_run[:, 0] = True
    first = np.flatnonzero(starts_run)
    length = np.diff(first, append=rows.size)

    ranks = np.empty(rows.size)
    ranks[order.ravel()] = np.repeat(first % n + (length + 1) / 2, length)
    ranks[np.isnan(rows).ravel()] = np.nan
    return ranks.reshape(values.shape)


def settled_at_1(coefficients: FloatArray) -> FloatArray:
    """Take off the rounding of perfect correlations, so that they are 1 or -1; nan passes."""
    is_perfect = 1 - np.abs(coefficients) < ROUNDING
    return np.asarray(np.where(is_perfect, np.sign(coefficients), coefficients))


def of_size_1(values: FloatArray) -> FloatArray:
    """Divide each row by a power of 2, so that the largest of its values is about 1; nan passes.

    The squares of likelihoods such as 1e-200 would be 0. A power of 2 changes no digit.
    """
    largest = np.nanmax(np.abs(values), axis=-1, keepdims=True, initial=0.0)
    scaled: FloatArray = np.ldexp(values, -np.frexp(largest)[1])
    return scaled


def why_undefined(x: npt.ArrayLike, y: npt.ArrayLike) -> Message | None:
    """Say why one pair of rows, each of shape (n,), has no correlation; None if it has one."""
    x, y, is_paired = _paired(x, y)
    if is_paired.sum() < 2:
        return _("there are fewer than two pairs of values")
    if _is_constant(*_ends(x, is_paired)) or _is_constant(*_ends(y, is_paired)):
        return _("all values of one of the two variables are equal")
    return None


def _paired(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[FloatArray, FloatArray, BoolArray]:
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if x.shape != y.shape:
        raise ValueError(f"shapes {x.shape} and {y.shape} differ: values come in pairs")
    return x, y, ~(np.isnan(x) | np.isnan(y))


def _only(values: FloatArray, is_paired: BoolArray, instead: float) -> FloatArray:
    """The values that have a partner, and a number instead of the others."""
    # As a rule nothing is missing, and looking is quicker than copying.
    return values if is_paired.all() else np.where(is_paired, values, instead)


def _ends(values: FloatArray, is_paired: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Least and greatest value of each row; inf and -inf of none."""
    low = _only(values, is_paired, np.inf).min(axis=-1, initial=np.inf)
    high = _only(values, is_paired, -np.inf).max(axis=-1, initial=-np.inf)
    return np.asarray(low), np.asarray(high)


def _is_constant(low: FloatArray, high: FloatArray) -> BoolArray:
    # By comparison, not by a variance of 0: the mean of three 0.1 is not 0.1 in binary.
    return np.asarray(low >= high)


def _have_squares(low: FloatArray, high: FloatArray) -> bool:
    """Whether the squares of the rows' deviations are neither 0 nor infinite for their size."""
    largest = np.maximum(np.abs(low), np.abs(high))
    is_safe = (largest > 1 / SAFE) & (largest < SAFE)
    return bool((is_safe | _is_constant(low, high)).all())


def _deviations(values: FloatArray, is_paired: BoolArray) -> FloatArray:
    n_pairs = np.maximum(is_paired.sum(axis=-1, keepdims=True), 1)
    mean = _only(values, is_paired, 0.0).sum(axis=-1, keepdims=True) / n_pairs
    return _only(values - mean, is_paired, 0.0)
