"""What figures of a pilot may be in another study, whose people are other ones.

Both the people and the units of the pilot, or their pools, are a sample. The people of the next
study are other ones, so what people differ in is uncertain twice over, and some of them may be
unlike anybody in the pilot.

Symbols: m answers; g groups of units or people; q figures; d draws.
"""

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.forecasts.pilots import MAX_GROUPS, MIN_PEOPLE
from scoring.jackknife import (
    MAX_BLOCK_GROUPS,
    MIN_POOLS,
    block_variance,
    numbered,
    one_way_variance,
)

# From which answers are included, (m,), to the figures, (q,); None where these are undefined.
FiguresOf: TypeAlias = Callable[[BoolArray], FloatArray | None]


def drawn_errors(
    figures_of: FiguresOf,
    unit: IntArray,
    person: IntArray,
    *,
    pool: IntArray | None = None,
    n_draws: int,
    rng: np.random.Generator,
) -> tuple[FloatArray, bool]:
    """By how much a pilot's figures may differ from another study's, and if people count.

    Each unit (or pool), and each person, is left out in turn, or up to 100 groups of them. What
    that changes is added with random signs and sizes, so that the figures vary together as they
    do.

    Parameters
    ----------
    figures_of : callable
        Figures of some of the answers. All answers together must have them.
    unit, person : int array, shape (m,)
        At least 0.
    pool : int array, shape (m,), optional
        Pool of the unit of each answer. From 6 pools on, these are left out in place of units.
        How little so few of them tell is in the tails of Student's distribution.
    n_draws : int
        Even.

    Returns
    -------
    float array, shape (n_draws, q)
        Each draw with its mirror image, so that the pilot's figures are exactly in the middle.
    bool
        False if there are too few people to tell how they differ.

    References
    ----------
    [Miller1974], [CameronGelbachMiller2011] in docs/references.md
    """
    centre = figures_of(np.ones(len(unit), dtype=bool))
    assert centre is not None  # the caller has made sure

    def without(is_out: BoolArray) -> FloatArray:
        rest = figures_of(~is_out)
        return centre if rest is None else rest

    def without_each(group: IntArray, n_groups: int) -> FloatArray:
        return np.array([without(group == g) for g in range(n_groups)])

    def without_each_of(labels: IntArray) -> FloatArray:
        group = numbered(labels, max_groups=MAX_GROUPS)
        return without_each(group, int(group.max()) + 1)

    sampled = unit
    if pool is not None and len(np.unique(pool)) >= MIN_POOLS:
        # Units of a pool may resemble one another.
        sampled = pool
    errors = _errors(without_each_of(sampled), n_draws // 2, rng)
    has_people = len(np.unique(person)) >= MIN_PEOPLE
    if has_people:
        rows, columns = (
            numbered(labels, max_groups=MAX_BLOCK_GROUPS) for labels in (person, sampled)
        )
        a, b = int(rows.max()) + 1, int(columns.max()) + 1
        blocks = without_each(rows * b + columns, a * b).reshape(a, b, len(centre))
        of_people = without_each_of(person)
        # Once for the people of the pilot, once for those of the other study; without what their
        # single answers contribute, which the units hold already.
        own = [
            1 - block_variance(blocks[:, :, i]).value / max(one_way_variance(column).value, 1e-300)
            for i, column in enumerate(of_people.T)
        ]
        errors += _errors(of_people, n_draws // 2, rng) * np.sqrt(2 * np.maximum(own, 0))
    return np.concatenate([errors, -errors]), has_people


def unseen_careless_shares(
    person: IntArray, *, n_draws: int, rng: np.random.Generator
) -> FloatArray:
    """Shares of another study's people that may answer at random, though nobody in the pilot did.

    A jackknife knows only people who are there. Of eight people one in four pilots has no random
    clicker where 15 % of all people are. In half of the draws there is nobody like that, so that
    what the pilot shows stays in the middle.

    Parameters
    ----------
    person : int array, shape (m,)
        Who gave each answer of the pilot.
    n_draws : int

    Returns
    -------
    float array, shape (n_draws,)
        In [0, 1]: 0, or from the posterior of a share whose prior is uniform, if none of these
        people is counted in it.

    References
    ----------
    [MitchellBeauchamp1988] in docs/references.md
    """
    shares = rng.beta(1, len(np.unique(person)) + 1, size=n_draws)
    shares[rng.permutation(n_draws) < n_draws // 2] = 0
    return shares


def _errors(without: FloatArray, n_draws: int, rng: np.random.Generator) -> FloatArray:
    """Draws of what the figures are off by, from those without each group, (n_draws, q).

    They have the covariance of the jackknife, and the tails of Student's distribution.
    """
    g = len(without)
    contributions = (without - without.mean(axis=0)) * math.sqrt((g - 1) / g)
    df = max(g - 1, 1)
    tails = np.sqrt(df / rng.chisquare(df, size=(n_draws, 1)))
    errors: FloatArray = rng.standard_normal((n_draws, g)) @ contributions * tails
    return errors
