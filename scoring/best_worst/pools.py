"""Pools: the items that are compared with one another, and so can be put on one scale."""

import numpy as np

from scoring.arrays import IntArray
from scoring.best_worst.judgments import BestWorst


def pools_by_comparison(answers: BestWorst) -> IntArray:
    """Put items into one pool if a chain of answered tuples leads from one to the other.

    Parameters
    ----------
    answers : BestWorst
        m judgments of t tuples.

    Returns
    -------
    int array, shape (n_items,)
        Pool of each item, 0 upwards in the order of each pool's lowest item; -1 for an item that
        no answer showed.

    References
    ----------
    [Ford1957] in docs/references.md
    """
    return connected_items(
        answers.tuples[answers.answers_per_tuple() > 0], n_items=answers.n_items
    )


def connected_items(tuples: IntArray, *, n_items: int) -> IntArray:
    """Number the parts into which tuples fall that share no item.

    Parameters
    ----------
    tuples : int array, shape (t, k)
        Items of each tuple, numbered 0..n_items-1.
    n_items : int
        Number of items.

    Returns
    -------
    int array, shape (n_items,)
        Part of each item, 0 upwards in the order of each part's lowest item; -1 for an item that
        no tuple shows.
    """
    from scipy.sparse import coo_array  # noqa: PLC0415 - importing scoring loads numpy only
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415 - importing scoring loads numpy only

    first = np.repeat(tuples[:, 0], tuples.shape[1] - 1)
    joins = coo_array((np.ones(len(first)), (first, tuples[:, 1:].ravel())), (n_items, n_items))
    label = connected_components(joins, directed=False)[1]

    pool = np.full(n_items, -1)
    shown = np.unique(tuples)
    _, first_item, number = np.unique(label[shown], return_index=True, return_inverse=True)
    pool[shown] = np.argsort(np.argsort(first_item))[number]
    return pool


def pool_of_tuples(answers: BestWorst, pool: IntArray) -> IntArray:
    """Return the pool of each tuple, shape (t,), given that of each item, shape (n_items,).

    Of a tuple without answers, that of its first item.

    Raises
    ------
    ValueError
        If there is not one pool per item, or if an answered tuple shows items of two pools.
    """
    pool = np.asarray(pool)
    check_pools(pool, answers.n_items)
    of_members = pool[answers.tuples]
    # Where pools are told by the answers, a tuple without any may reach into several.
    mixed = (of_members != of_members[:, :1]).any(axis=1) & (answers.answers_per_tuple() > 0)
    if mixed.any():
        raise ValueError(
            f"tuple {int(mixed.argmax())} shows items of several pools; a pool holds all items "
            "that are compared with one another"
        )
    of_tuples: IntArray = of_members[:, 0]
    return of_tuples


def check_pools(pool: IntArray, n_items: int) -> None:
    """Raise ValueError if there is not one pool for each item."""
    if pool.shape != (n_items,):
        raise ValueError(f"pool has shape {pool.shape}, but there are {n_items} items")


def strong_components(winner: IntArray, loser: IntArray, *, n_items: int) -> IntArray:
    """Label the items by strongly connected component of the graph from winners to losers.

    Utilities that explain who won exist exactly for a component of its own [Ford1957].

    Parameters
    ----------
    winner, loser : int array, shape (p,)
        Items of p comparisons.
    n_items : int
        Number of items.

    Returns
    -------
    int array, shape (n_items,)
    """
    from scipy.sparse import coo_array  # noqa: PLC0415 - importing scoring loads numpy only
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415 - importing scoring loads numpy only

    graph = coo_array((np.ones(len(winner)), (winner, loser)), (n_items, n_items))
    labels: IntArray = connected_components(graph, connection="strong")[1].astype(np.int64)
    return labels
