"""Stacks for tuples of different sizes."""

from collections.abc import Sequence

import numpy as np

from shell.messages import message as _
from tuples.arrays import IntArray
from tuples.design import ImpossibleDesignError
from tuples.stacks.drawing import NOBODY, Stacks


def make_uneven_stacks(
    n_validators: int, pairs: Sequence[int] | IntArray, *, ratings_per_pair: int, seed: int
) -> Stacks:
    """Draw who rates which pair of tuples that differ in size, anew for each tuple.

    Of the validators those with the fewest ratings so far take part in the next tuple, by lot
    where there are more, so that all differ by at most one. Fixed groups cannot divide tuples of
    different sizes as evenly.

    Parameters
    ----------
    n_validators : int
        v; at least q for each pair of the largest tuple.
    pairs : int array, shape (t,)
        Pairs of each tuple, at least 1.
    ratings_per_pair : int
        q, the size of a stack.
    seed : int
        Not negative. The same seed gives the same stacks.

    Returns
    -------
    Stacks
        Free, with as many rows a tuple as the largest has; those that a tuple does not have hold
        NOBODY.

    Raises
    ------
    ImpossibleDesignError
        If there are fewer validators than the largest tuple takes.
    ValueError
        If a number is below 1 or the seed negative.
    """
    sizes = np.asarray(pairs, dtype=np.int64)
    if seed < 0:
        raise ValueError(f"the seed must not be negative, but is {seed}")
    if sizes.ndim != 1 or not len(sizes) or sizes.min() < 1 or ratings_per_pair < 1:
        raise ValueError("there must be tuples, each of at least 1 pair with at least 1 rating")
    largest = int(sizes.max())
    if n_validators < (needed := largest * ratings_per_pair):
        raise ImpossibleDesignError(
            _(
                "%(validators)s validators cannot give %(ratings)s ratings to each of %(pairs)s"
                " pairs, since nobody rates two pairs of a tuple: use at least %(needed)s"
                " validators",
                validators=n_validators,
                ratings=ratings_per_pair,
                pairs=largest,
                needed=needed,
            )
        )
    rng = np.random.Generator(np.random.PCG64(seed))
    load = np.zeros(n_validators, dtype=np.int64)
    validators = np.full((len(sizes), largest, ratings_per_pair), NOBODY, dtype=np.int64)
    for number, size in enumerate(sizes.tolist()):
        by_lot = rng.permutation(n_validators)
        in_turn = by_lot[np.argsort(load[by_lot], kind="stable")]
        members = rng.permutation(in_turn[: size * ratings_per_pair])
        validators[number, :size] = np.sort(members.reshape(size, ratings_per_pair), axis=1)
        load[members] += 1
    return Stacks(validators, n_validators, "free", np.zeros(len(sizes), dtype=np.int64))
