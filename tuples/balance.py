"""Measure how evenly a design shows items, pairs and places.

Symbols: n items in the pool, k items a tuple, t tuples. t k (k - 1) / 2 pairs are shown, out of
n (n - 1) / 2 that there are.
"""

import math

import numpy as np

from tuples.arrays import IntArray


def appearances(tuples: IntArray, *, n_items: int) -> IntArray:
    """Count how many tuples show each item; never-shown items count 0.

    Parameters
    ----------
    tuples : int array, shape (t, k)
        Items of each tuple, numbered 0..n_items-1.
    n_items : int
        Size of the pool.

    Returns
    -------
    int array, shape (n_items,)
        Counts in 0..t.

    Raises
    ------
    ValueError
        If a tuple shows an item twice, or one that is not in the pool.
    """
    _check(tuples, n_items)
    return np.bincount(tuples.ravel(), minlength=n_items)


def pair_counts(tuples: IntArray, *, n_items: int) -> tuple[IntArray, IntArray]:
    """Count how many tuples show each pair of items together.

    Pairs that never meet are left out: of a pool of 10,000 there are 50 million.

    Parameters
    ----------
    tuples : int array, shape (t, k)
        Items of each tuple, numbered 0..n_items-1.
    n_items : int
        Size of the pool.

    Returns
    -------
    pairs : int array, shape (p, 2)
        The pairs that meet, lower item first, in order.
    counts : int array, shape (p,)
        Number of tuples with both, at least 1.

    Raises
    ------
    ValueError
        If a tuple shows an item twice, or one that is not in the pool.
    """
    _check(tuples, n_items)
    in_order = np.sort(tuples, axis=1)
    lower, upper = np.triu_indices(tuples.shape[1], k=1)
    # In place: of a million tuples each copy has tens of megabytes.
    codes = in_order[:, lower].astype(np.int64, copy=False)
    codes *= n_items
    codes += in_order[:, upper]
    met, counts = np.unique(codes.ravel(), return_counts=True)
    return np.stack(np.divmod(met, n_items), axis=1), counts.astype(np.int64)


def position_counts(tuples: IntArray, *, n_items: int) -> IntArray:
    """Count how often each item is stored in each place of a tuple.

    Parameters
    ----------
    tuples : int array, shape (t, k)
        Items of each tuple, numbered 0..n_items-1.
    n_items : int
        Size of the pool.

    Returns
    -------
    int array, shape (n_items, k)
        Row sums are the appearances.

    Raises
    ------
    ValueError
        If a tuple shows an item twice, or one that is not in the pool.
    """
    _check(tuples, n_items)
    size = tuples.shape[1]
    codes = tuples * size + np.arange(size)
    return np.bincount(codes.ravel(), minlength=n_items * size).reshape(n_items, size)


def sum_of_squares_bound(n_items: int, size: int, n_tuples: int) -> int:
    """Bound from below the sum of squared pair counts of any tuples.

    The sum is least if all pairs that are shown are spread as evenly as whole numbers allow
    over all pairs that there are. No design gets below; not every number of items has a design
    that gets there (it would take, for instance, a block design that does not exist).

    Parameters
    ----------
    n_items, size, n_tuples : int
        n >= 2, k >= 2 and t >= 0.

    Returns
    -------
    int
        At least t k (k - 1) / 2, with equality if that many pairs exist.
    """
    return _even_sum_of_squares(n_tuples * math.comb(size, 2), math.comb(n_items, 2))


def sum_of_squares_bound_for(counts: IntArray, *, size: int) -> int:
    """Bound the sum of squared pair counts of tuples that show the items so many times.

    An item shown r times meets r (k - 1) others, at best spread evenly over the n - 1 there are.
    Summed over the items this counts each pair twice.

    Parameters
    ----------
    counts : int array, shape (n,)
        Appearances of each item.
    size : int
        Items in a tuple, k.

    Returns
    -------
    int
        At least `sum_of_squares_bound`; above it where unequal appearances make it unattainable.
    """
    n_others = len(counts) - 1
    shown, how_many = np.unique(counts, return_counts=True)
    doubled = sum(
        items * _even_sum_of_squares(r * (size - 1), n_others)
        for r, items in zip(shown.tolist(), how_many.tolist(), strict=True)
    )
    return int(-(-doubled // 2))


def _even_sum_of_squares(total: int, places: int) -> int:
    """Spread a total over places as evenly as whole numbers allow; sum the squares."""
    quotient, rest = divmod(total, places)
    return rest * (quotient + 1) ** 2 + (places - rest) * quotient**2


def _check(tuples: IntArray, n_items: int) -> None:
    if tuples.ndim != 2 or tuples.shape[0] < 1 or tuples.shape[1] < 2:
        raise ValueError(
            f"tuples must have the shape (t, k) with t >= 1 and k >= 2, not {tuples.shape}"
        )
    if (outside := ((tuples < 0) | (tuples >= n_items)).any(axis=1)).any():
        a = int(outside.argmax())
        raise ValueError(
            f"tuple {a}, {tuples[a].tolist()}, shows an item outside 0..{n_items - 1}"
        )
    in_order = np.sort(tuples, axis=1)
    if (twice := (in_order[:, 1:] == in_order[:, :-1]).any(axis=1)).any():
        raise ValueError(f"tuple {int(twice.argmax())} shows an item twice")
