"""Moments of ratings, from which their noise is estimated, and what another study's may be.

The moments of a pilot are uncertain, because its people and its units are a sample. The people of
the next study are other ones, so what people differ in is uncertain twice over.

Symbols: m ratings of n units; g groups of units or people; d draws.
"""

import math
from dataclasses import dataclass

import numpy as np

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.forecasts.pilots import MAX_GROUPS, MIN_PEOPLE
from scoring.jackknife import MAX_BLOCK_GROUPS, block_variance, numbered, one_way_variance

N_DRAWS = 100
# Units may by chance differ no more than their ratings.
LEAST_COMPONENT = 1e-6


@dataclass(frozen=True)
class Moments:
    """Of ratings on a scale from 0 to 1.

    Parameters
    ----------
    within : float
        Mean square within units, at least 0.
    component : float
        Variance component between units (ANOVA); it may be below 0.
    mean : float
        Of all ratings.
    """

    within: float
    component: float
    mean: float

    @property
    def on_a_line(self) -> FloatArray:
        """Logarithms of both variances, and the mean, shape (3,)."""
        variances = max(self.within, LEAST_COMPONENT), max(self.component, LEAST_COMPONENT)
        return np.array([*np.log(variances), self.mean])

    @classmethod
    def from_line(cls, row: FloatArray) -> "Moments":
        return cls(math.exp(row[0]), math.exp(row[1]), float(row[2]))


def moments_of(unit: IntArray, value: FloatArray) -> Moments | None:
    """Moments of the units that have two ratings or more; None of fewer than two such units.

    Parameters
    ----------
    unit : int array, shape (m,)
        At least 0.
    value : float array, shape (m,)
        In [0, 1].
    """
    n_all = np.bincount(unit)
    rows = n_all[unit] >= 2
    _units, number = np.unique(unit[rows], return_inverse=True)
    n = np.bincount(number).astype(np.float64)
    n_units = len(n)
    if n_units < 2:
        return None
    means = np.bincount(number, value[rows]) / n
    within = float(((value[rows] - means[number]) ** 2).sum() / (n - 1).sum())
    grand = float((n * means).sum() / n.sum())
    between = float((n * (means - grand) ** 2).sum() / (n_units - 1))
    size = float((n.sum() - (n**2).sum() / n.sum()) / (n_units - 1))
    return Moments(within, (between - within) / size, grand)


def drawn_moments(
    unit: IntArray, value: FloatArray, person: IntArray, *, rng: np.random.Generator
) -> tuple[list[Moments], bool]:
    """Moments that other people's ratings of units like these may have, and if people count.

    Each unit, and each person, is left out in turn, or up to 100 groups of them. What that changes
    is added with random signs and sizes, so that the three moments vary together as they do.

    References
    ----------
    [Miller1974], [CameronGelbachMiller2011] in docs/references.md
    """
    moments = moments_of(unit, value)
    assert moments is not None  # whoever asks has two units
    centre = moments.on_a_line

    def without(is_out: BoolArray) -> FloatArray:
        rest = moments_of(unit[~is_out], value[~is_out])
        return centre if rest is None else rest.on_a_line

    def without_each(group: IntArray, n_groups: int) -> FloatArray:
        return np.array([without(group == g) for g in range(n_groups)])

    units, people = (numbered(labels, max_groups=MAX_GROUPS) for labels in (unit, person))
    n_units, n_people = int(units.max()) + 1, int(people.max()) + 1
    errors = _errors(without_each(units, n_units), rng)
    has_people = n_people >= MIN_PEOPLE
    if has_people:
        rows, columns = (
            numbered(labels, max_groups=MAX_BLOCK_GROUPS) for labels in (person, unit)
        )
        a, b = int(rows.max()) + 1, int(columns.max()) + 1
        blocks = without_each(rows * b + columns, a * b).reshape(a, b, 3)
        of_people = without_each(people, n_people)
        # Once for the people of the pilot, once for those of the other study; without what their
        # single ratings contribute, which the units hold already.
        own = [
            1 - block_variance(blocks[:, :, i]).value / max(one_way_variance(column).value, 1e-300)
            for i, column in enumerate(of_people.T)
        ]
        errors += _errors(of_people, rng) * np.sqrt(2 * np.maximum(own, 0))
    # Each with its mirror image, so that the pilot's moments are exactly in the middle.
    return [Moments.from_line(centre + e) for e in np.concatenate([errors, -errors])], has_people


def _errors(without: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Half of the draws of what the moments are off by, from those without each group, (d/2, 3).

    They have the covariance of the jackknife, and the tails of Student's distribution.
    """
    g, d = len(without), N_DRAWS // 2
    contributions = (without - without.mean(axis=0)) * math.sqrt((g - 1) / g)
    df = max(g - 1, 1)
    tails = np.sqrt(df / rng.chisquare(df, size=(d, 1)))
    errors: FloatArray = rng.standard_normal((d, g)) @ contributions * tails
    return errors
