"""Which items can be compared through chains of tuples, and how to make that all of them.

Take items and tuples as the nodes of a graph in which a tuple is joined to each of its members.
Scores of two items are comparable only within one component of it [Ford1957].
"""

from itertools import chain

import numpy as np

from tuples.arrays import IntArray

_PART = 10_000


def components(tuples: IntArray, *, n_items: int) -> IntArray:
    """Label each item with the component of the comparison graph that it is in.

    Parameters
    ----------
    tuples : int array, shape (t, k)
        Items of each tuple, numbered 0..n_items-1.
    n_items : int
        Size of the pool; an item that no tuple shows is a component of its own.

    Returns
    -------
    int array, shape (n_items,)
        Labels 0, 1, ... in the order of each component's lowest item.

    References
    ----------
    [Ford1957] in docs/references.md
    """
    above = list(range(n_items))
    # A part at a time: a million tuples as lists take hundreds of megabytes.
    parts = (tuples[n : n + _PART].tolist() for n in range(0, len(tuples), _PART))
    for members in chain.from_iterable(parts):
        first = _top(above, members[0])
        for x in members[1:]:
            other = _top(above, x)
            # The lowest item of a component is its top, so that the labels come in order.
            first, other = min(first, other), max(first, other)
            above[other] = first
    tops = np.array([_top(above, x) for x in range(n_items)], dtype=np.int64)
    return np.unique(tops, return_inverse=True)[1].astype(np.int64)


def join_components(tuples: IntArray, *, n_items: int) -> IntArray:
    """Swap items between components until one is left, or no tuple can be spared.

    A member that is not needed to hold its own component together is exchanged for any member of
    the other component, which joins the two. The pairs so parted are replaced by pairs that never
    met, hence the sum of squared pair counts cannot rise; nor can a tuple become equal to
    another, for each changed one now holds items of both sides. All items end up connected
    whenever every item is shown and t (k - 1) >= n - 1, which is the least that connects n items.

    Parameters
    ----------
    tuples : int array, shape (t, k)
        Items of each tuple, numbered 0..n_items-1.
    n_items : int
        Size of the pool.

    Returns
    -------
    int array, shape (t, k)
        A copy with the same appearances and as few components as possible.
    """
    joined = tuples.copy()
    labels = components(tuples, n_items=n_items)
    # Label of each tuple's component; those of items never shown do not occur.
    label_of = labels[tuples[:, 0]]
    if (label_of == label_of[0]).all():
        return joined

    # A spanning forest. A place outside it can be emptied without parting anything; the first
    # place of each component's first tuple is inside it.
    spare: dict[int, list[tuple[int, int]]] = {int(label): [] for label in np.unique(label_of)}
    anchor: dict[int, tuple[int, int]] = {}
    above = list(range(n_items + len(tuples)))
    for a, members in enumerate(tuples.tolist()):
        label = int(label_of[a])
        anchor.setdefault(label, (a, 0))
        for i, x in enumerate(members):
            node, item = _top(above, n_items + a), _top(above, x)
            if node == item:
                spare[label].append((a, i))
            above[item] = node

    # Richest first: a component without spare places has to be joined by one that has them.
    # The swap moves the anchor only, so the other spare places of both sides stay spare.
    first, *others = sorted(spare, key=lambda label: (-len(spare[label]), label))
    for label in others:
        if not spare[first]:
            break
        here, there = spare[first].pop(), anchor[label]
        joined[here], joined[there] = joined[there], joined[here]
        spare[first] += spare[label]
    return joined


def _top(above: list[int], node: int) -> int:
    """Follow a union-find forest up to the root, shortening the path on the way."""
    while above[node] != node:
        above[node] = above[above[node]]
        node = above[node]
    return node
