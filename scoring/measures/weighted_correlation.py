"""Correlations of resamples: one set of pairs, counted as often as each row of weights says.

A resample of n pairs need not be copied out: it is a row of whole weights, how often each pair
was drawn. So the correlations of 1,000 resamples are a few operations on arrays (1,000, n).

Symbols: r resamples, n pairs (x, y), w the weights of one resample, W their sum.
"""

import math
from typing import Literal, TypeAlias

import numpy as np

from scoring.arrays import BoolArray, FloatArray
from scoring.correlation import of_size_1, settled_at_1

Coefficient: TypeAlias = Literal["pearson", "spearman", "kendall"]

# Kendall's numerator by a table of n x n signs takes r n^2 operations; from here on, r sortings
# of n values take less.
MAX_SIGN_TABLE_ITEMS = 2000


def weighted_correlation(
    x: FloatArray, y: FloatArray, weights: FloatArray, *, coefficient: Coefficient
) -> FloatArray:
    """Correlate the pairs of each resample.

    Parameters
    ----------
    x, y : float array, shape (n,)
        The pairs; none is missing.
    weights : float array, shape (r, n)
        Whole numbers of 0 or more: how often each pair is in each resample.
    coefficient : {"pearson", "spearman", "kendall"}
        Kendall's is tau-b.

    Returns
    -------
    float array, shape (r,)
        In [-1, 1]; nan for a resample whose values of one side are all equal.
    """
    is_defined = ~(_is_constant(x, weights > 0) | _is_constant(y, weights > 0))
    if coefficient == "kendall":
        values = _tau_b(x, y, weights, is_defined)
    elif coefficient == "spearman":
        values = _product_moment(_ranks(x, weights), _ranks(y, weights), weights, is_defined)
    else:
        values = _product_moment(of_size_1(x), of_size_1(y), weights, is_defined)
    return settled_at_1(values)


def _is_constant(values: FloatArray, is_drawn: BoolArray) -> BoolArray:
    # By comparison, not by a variance of 0: the mean of three 0.1 is not 0.1 in binary.
    low = np.where(is_drawn, values, np.inf).min(axis=1, initial=np.inf)
    high = np.where(is_drawn, values, -np.inf).max(axis=1, initial=-np.inf)
    return np.asarray(low >= high)


def _product_moment(
    x: FloatArray, y: FloatArray, weights: FloatArray, is_defined: BoolArray
) -> FloatArray:
    """Pearson's coefficient; x and y of shape (n,), or (r, n) where resamples differ in them."""
    dx, dy = _deviations(x, weights), _deviations(y, weights)
    products = np.einsum("rn,rn,rn->r", weights, dx, dy)
    norms = np.sqrt(np.einsum("rn,rn,rn->r", weights, dx, dx)) * np.sqrt(
        np.einsum("rn,rn,rn->r", weights, dy, dy)
    )
    coefficients = np.full(len(weights), np.nan)
    np.divide(products, norms, out=coefficients, where=is_defined & (norms > 0))
    return coefficients


def _deviations(values: FloatArray, weights: FloatArray) -> FloatArray:
    totals = np.maximum(weights.sum(axis=1), 1)
    mean = (weights * values).sum(axis=1) / totals
    deviations: FloatArray = values - mean[:, None]
    return deviations


def _ranks(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Average ranks of the values among each resample's, shape (r, n)."""
    _, value_number = np.unique(values, return_inverse=True)
    order = np.argsort(value_number, kind="stable")
    starts = np.flatnonzero(np.diff(value_number[order], prepend=-1))
    counts = np.add.reduceat(weights[:, order], starts, axis=1)
    # Equal values share the mean of the ranks they take up together.
    mean_ranks = np.cumsum(counts, axis=1) - counts + (counts + 1) / 2
    ranks: FloatArray = mean_ranks[:, value_number]
    return ranks


def _tau_b(x: FloatArray, y: FloatArray, weights: FloatArray, is_defined: BoolArray) -> FloatArray:
    """Kendall's tau-b [Kendall1945]."""
    if len(x) > MAX_SIGN_TABLE_ITEMS:
        return _tau_b_of_copies(x, y, weights, is_defined)
    signs = np.sign(x[:, None] - x) * np.sign(y[:, None] - y)
    # Each two pairs are there twice, from both ends.
    excess = np.einsum("rn,rn->r", weights @ signs, weights) / 2
    totals = weights.sum(axis=1)
    n_pairs = totals * (totals - 1) / 2
    untied = [n_pairs - _tied(side, weights) for side in (x, y)]
    norms = np.sqrt(untied[0]) * np.sqrt(untied[1])
    coefficients = np.full(len(weights), np.nan)
    np.divide(excess, norms, out=coefficients, where=is_defined & (norms > 0))
    return coefficients


def _tied(values: FloatArray, weights: FloatArray) -> FloatArray:
    """How many pairs of each resample are tied; the copies of one pair are, too."""
    _, value_number = np.unique(values, return_inverse=True)
    order = np.argsort(value_number, kind="stable")
    starts = np.flatnonzero(np.diff(value_number[order], prepend=-1))
    counts = np.add.reduceat(weights[:, order], starts, axis=1)
    return np.asarray((counts * (counts - 1) / 2).sum(axis=1))


def _tau_b_of_copies(
    x: FloatArray, y: FloatArray, weights: FloatArray, is_defined: BoolArray
) -> FloatArray:
    from scipy.stats import kendalltau  # noqa: PLC0415 - importing scoring loads numpy only

    coefficients = np.full(len(weights), math.nan)
    for resample in np.flatnonzero(is_defined):
        drawn = np.repeat(np.arange(len(x)), weights[resample].astype(np.int64))
        coefficients[resample] = kendalltau(x[drawn], y[drawn], method="asymptotic").statistic
    return coefficients
