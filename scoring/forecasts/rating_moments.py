"""Moments of ratings, from which their noise is estimated, and what another study's may be.

Symbols: m ratings of n units.
"""

import math
from dataclasses import dataclass

import numpy as np

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.forecasts.other_people import drawn_errors, unseen_careless_shares

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

    def with_random_ratings(self, share: float, n_steps: float | None) -> "Moments":
        """These, if so large a share of the people chose any point of the scale at random."""
        # Variance of points that are equally likely; without steps, of all values from 0 to 1.
        variance = (1 + 2 / n_steps if n_steps else 1) / 12
        apart = self.component + (self.mean - 0.5) ** 2
        return Moments(
            (1 - share) * self.within + share * variance + share * (1 - share) * apart,
            (1 - share) ** 2 * self.component,
            (1 - share) * self.mean + share / 2,
        )


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
    unit: IntArray,
    value: FloatArray,
    person: IntArray,
    *,
    pool: IntArray | None = None,
    n_steps: float | None,
    rng: np.random.Generator,
) -> tuple[list[Moments], bool]:
    """Moments that other people's ratings of units like these may have, and if people count.

    Parameters
    ----------
    unit, value, person : array, shape (m,)
        As of `moments_of`, and who gave each rating. Two units have two ratings or more.
    pool : int array, shape (m,), optional
        Pool of the unit of each rating.
    n_steps : float or None
        Steps of the scale between its ends; None if it has no points.
    """

    def figures_of(is_included: BoolArray) -> FloatArray | None:
        moments = moments_of(unit[is_included], value[is_included])
        return None if moments is None else moments.on_a_line

    errors, has_people = drawn_errors(
        figures_of, unit, person, pool=pool, n_draws=N_DRAWS, rng=rng
    )
    moments = moments_of(unit, value)
    assert moments is not None  # whoever asks has two units
    drawn = [Moments.from_line(moments.on_a_line + e) for e in errors]
    if has_people:
        shares = unseen_careless_shares(person, n_draws=N_DRAWS, rng=rng).tolist()
        drawn = [
            row.with_random_ratings(share, n_steps)
            for row, share in zip(drawn, shares, strict=True)
        ]
    return drawn, has_people
