"""Pearson's and Spearman's correlation of many pairs of rows at once.

Both take arrays of shape (..., n) and correlate along the last axis; nan marks a missing value,
and a place where either side is missing is left out of that row. scipy.stats does the same for
one pair of rows, but importing it takes longer than all the splits of a study.
"""

import numpy as np
import numpy.typing as npt

from scoring.arrays import BoolArray, FloatArray


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
    # A row of fewer than two pairs is constant, too.
    is_defined = ~_is_constant(x, is_paired) & ~_is_constant(y, is_paired)

    dx, dy = _deviations(x, is_paired), _deviations(y, is_paired)
    products = np.vecdot(dx, dy)
    # Two roots instead of the root of the product, which underflows earlier.
    norms = np.sqrt(np.vecdot(dx, dx)) * np.sqrt(np.vecdot(dy, dy))
    coefficients = np.full(products.shape, np.nan)
    np.divide(products, norms, out=coefficients, where=is_defined & (norms > 0))
    return np.clip(coefficients, -1.0, 1.0)


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


def why_undefined(x: npt.ArrayLike, y: npt.ArrayLike) -> str | None:
    """Say why one pair of rows, each of shape (n,), has no correlation; None if it has one."""
    x, y, is_paired = _paired(x, y)
    if is_paired.sum() < 2:
        return "there are fewer than two pairs of values"
    if _is_constant(x, is_paired) or _is_constant(y, is_paired):
        return "the values of one side are all equal"
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


def _is_constant(values: FloatArray, is_paired: BoolArray) -> BoolArray:
    # By comparison, not by a variance of 0: the mean of three 0.1 is not 0.1 in binary.
    low = _only(values, is_paired, np.inf).min(axis=-1, initial=np.inf)
    high = _only(values, is_paired, -np.inf).max(axis=-1, initial=-np.inf)
    return np.asarray(low >= high)


def _deviations(values: FloatArray, is_paired: BoolArray) -> FloatArray:
    n_pairs = np.maximum(is_paired.sum(axis=-1, keepdims=True), 1)
    mean = _only(values, is_paired, 0.0).sum(axis=-1, keepdims=True) / n_pairs
    return _only(values - mean, is_paired, 0.0)
