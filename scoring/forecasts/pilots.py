"""How often the people of a pilot agree, and how often those of another study may.

The agreement of a pilot is uncertain, because its people and its units (pools, items, tuples) are
a sample: a two-way jackknife says by how much. The people of the next study are other ones, so
what people differ in is uncertain twice over.

Symbols: m answers to n units; g groups of units, p people; d drawn agreements.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.best_worst.counting import share
from scoring.jackknife import (
    MAX_BLOCK_GROUPS,
    Variance,
    block_variance,
    numbered,
    one_way_variance,
)

# From which answers are included, (m,), to the equal pairs and all pairs of each unit, (n,) each.
PairsOf: TypeAlias = Callable[[BoolArray], tuple[IntArray, IntArray]]

# People and units beyond these are left out in groups.
MAX_GROUPS = 100
# Without two others nobody agrees with anybody.
MIN_PEOPLE = 3
_N_DRAWS = 2000
UNKNOWN = Variance(np.nan, np.nan)


class Drawn:
    """An estimate with draws, (d,), of what another study may have."""

    draws: FloatArray

    @property
    def low(self) -> float:
        """Lower end of the interval that holds 95 % of the draws."""
        return float(np.percentile(self.draws, 2.5))

    @property
    def high(self) -> float:
        """Its upper end."""
        return float(np.percentile(self.draws, 97.5))


@dataclass(frozen=True, eq=False)
class Agreement:
    """Agreement of a pilot, and what another study's may be.

    Parameters
    ----------
    value : float
        Share of the pairs of answers to one unit that are equal, in [0, 1].
    draws : float array, shape (d,)
        Agreements that other people may have about units like these. They may lie beyond 0 and 1.
    without_units : float array, shape (g,)
        Agreement without each group of units.
    is_over_units, is_over_people : bool
        Whether the draws differ because units, and people, are a sample.
    """

    value: float
    draws: FloatArray
    without_units: FloatArray
    is_over_units: bool = True
    is_over_people: bool = True


def equal_pairs(
    unit: IntArray, value: IntArray, *, n_units: int, n_values: int
) -> tuple[IntArray, IntArray]:
    """Ordered pairs of answers to each unit that are equal, and all of them, (n,) each.

    Parameters
    ----------
    unit, value : int array, shape (m,)
        Unit of each answer, 0..n_units-1, and what it says, 0..n_values-1.
    """
    counts = np.bincount(unit * n_values + value, minlength=n_units * n_values)
    counts = counts.reshape(n_units, n_values)
    total = counts.sum(axis=1)
    return (counts * (counts - 1)).sum(axis=1), total * (total - 1)


def agreement_of(
    unit: IntArray,
    value: IntArray,
    person: IntArray | None,
    *,
    n_values: int,
    lacks: BoolArray | None,
    column: IntArray,
    rng: np.random.Generator,
) -> Agreement:
    """Agreement of a pilot, with draws of what it might be in another study.

    Parameters
    ----------
    unit, value : int array, shape (m,)
        Unit of each answer, 0..n-1, and what it says, 0..n_values-1; at least one pair of answers.
    person : int array, shape (m,), optional
        Who gave it.
    lacks : bool array, shape (g, n), optional
        Which units are missing where each group of units is left out; without it, units are
        taken for certain.
    column : int array, shape (n,)
        Group of each unit in blocks of people and units.
    rng : numpy Generator
        Source of the draws.

    References
    ----------
    [Miller1974], [CameronGelbachMiller2011] in docs/references.md
    """
    n_units = len(column)

    def pairs_of(is_included: BoolArray) -> tuple[IntArray, IntArray]:
        return equal_pairs(
            unit[is_included], value[is_included], n_units=n_units, n_values=n_values
        )

    equal, pairs = pairs_of(np.ones(len(unit), dtype=bool))
    agreement = float(equal.sum() / pairs.sum())
    left = np.empty((0, n_units)) if lacks is None else (~lacks).astype(np.float64)
    without_units = share(left @ equal, left @ pairs)
    of_units = one_way_variance(without_units) if len(left) > 1 else UNKNOWN
    of_people = _between_people(person, column, pairs_of) if person is not None else UNKNOWN
    errors = np.zeros(_N_DRAWS // 2)
    # Once for the people of the pilot, once for those of the other study.
    for variance, times in ((of_units, 1), (of_people, 2)):
        if not np.isnan(variance.value):
            scale = np.sqrt(times * variance.value)
            errors += scale * rng.standard_t(variance.df, len(errors))
    return Agreement(
        agreement,
        # Each with its mirror image, so that the pilot's agreement is exactly in the middle.
        agreement + np.concatenate([errors, -errors]),
        without_units,
        is_over_units=not np.isnan(of_units.value),
        is_over_people=not np.isnan(of_people.value),
    )


def _between_people(person: IntArray, column: IntArray, pairs_of: PairsOf) -> Variance:
    """Variance of the agreement over people, less what their single answers contribute."""
    people = numbered(person, max_groups=MAX_GROUPS)
    rows = numbered(person, max_groups=MAX_BLOCK_GROUPS)
    columns = numbered(column, max_groups=MAX_BLOCK_GROUPS)
    n_people, n_rows = (int(number.max()) + 1 for number in (people, rows))
    if n_people < MIN_PEOPLE:
        return UNKNOWN

    def in_columns(is_included: BoolArray) -> IntArray:
        """Equal pairs, and all pairs, of each column of blocks, shape (2, b)."""
        return np.array([np.bincount(columns, pairs) for pairs in pairs_of(is_included)])

    without = np.array([in_columns(people != p).sum(axis=1) for p in range(n_people)])
    of_people = one_way_variance(share(without[:, 0], without[:, 1]))
    whole = in_columns(np.ones(len(person), dtype=bool))
    # Without a block, its column is as without its row.
    lost = np.array([whole - in_columns(rows != row) for row in range(n_rows)])
    left = whole.sum(axis=1)[:, None] - lost
    of_blocks = block_variance(share(left[:, 0], left[:, 1]))
    return Variance(max(of_people.value - of_blocks.value, 0.0), of_people.df)
