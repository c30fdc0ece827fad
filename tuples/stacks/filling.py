"""The order in which the validators of a study are let in."""

import numpy as np

from tuples.arrays import IntArray
from tuples.stacks.drawing import NOBODY, Stacks


def filling_order(stacks: Stacks) -> IntArray:
    """Order validators so that the pairs collect their ratings evenly.

    People come one by one, and a study may end before all have come. The next validator is
    always one whose pairs have the fewest ratings so far, on average; of several the first.

    Returns
    -------
    int array, shape (n_validators,)
        All validators, from 0, in the order in which to let them in.
    """
    members = stacks.validators[stacks.validators[..., 0] != NOBODY]
    by_validator = np.argsort(members.ravel(), kind="stable")
    load = np.bincount(members.ravel(), minlength=stacks.n_validators)
    pairs_of = np.split(by_validator // members.shape[1], np.cumsum(load)[:-1])

    # Ratings that the pairs of each validator have so far, summed
    collected = np.zeros(stacks.n_validators)
    share = np.maximum(load, 1)
    order = np.empty(stacks.n_validators, dtype=np.int64)
    for place in range(stacks.n_validators):
        order[place] = chosen = int((collected / share).argmin())
        np.add.at(collected, members[pairs_of[chosen]].ravel(), 1)
        collected[chosen] = np.inf
    return order
