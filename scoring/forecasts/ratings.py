"""What a rating study can be expected to find, simulated before it begins.

Every unit has a true value on the scale, and every rating is that value plus a normal error, put
on the nearest point of the scale. The true values are drawn from a beta distribution with a mean
and a standard deviation that are said, or estimated from earlier ratings. Whole studies are
simulated, so a range holds what differs from study to study, and what a pilot leaves open if draws
are given. What people differ in for good, such
as severity, is part of the error: a stack's ratings come from whoever happened to be in it.

All of mean, spread and noise are shares of the scale's range, so 0.1 on a scale of 0 to 6 is 0.6.

Symbols: n units; k ratings of each; p numbers of ratings; s simulated studies.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.arrays import FloatArray, IntArray, whole_numbers
from scoring.forecasts.best_worst import COVERAGE, Expected
from scoring.forecasts.rating_noise import RatingNoise, on_scale
from scoring.json_values import JsonObject

# Of the interval of a score: what 95 % of a normal distribution lie within.
_NORMAL = 1.959963984540054


@dataclass(frozen=True, eq=False)
class RatingForecast:
    """What may be expected of a rating study, for several numbers of ratings a unit.

    Parameters
    ----------
    n_ratings : int array, shape (p,)
        Ratings of each unit.
    noise : RatingNoise
        Of the simulated people and units.
    icc : Expected
        ICC(1,k): the reliability of the means that a study would report, at most 1.
    alpha : Expected
        Krippendorff's alpha, interval: the agreement of single ratings, at most 1.
    margin : Expected
        Half the width of a 95 % interval of a unit's mean, in units of the scale.
    n_studies : int
        Simulated studies, s.
    """

    n_ratings: IntArray
    noise: RatingNoise
    icc: Expected
    alpha: Expected
    margin: Expected
    n_studies: int

    @property
    def definition(self) -> str:
        """What was computed, in words."""
        return (
            f"{self.n_studies} studies simulated: true values with mean {self.noise.mean:.3g} and "
            f"standard deviation {self.noise.spread:.3g} (beta distribution), each rating by them "
            f"plus a normal error of {self.noise.noise:.3g}, all as shares of the scale's range, "
            f"put on the nearest point of the scale. The range holds {COVERAGE} % of these "
            "studies. Reliability: ICC(1,k) [ShroutFleiss1979]."
        )

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        return {
            "definition": self.definition,
            "n_ratings": self.n_ratings.tolist(),
            "n_studies": self.n_studies,
            "icc": self.icc.as_dict(),
            "alpha": self.alpha.as_dict(),
            "margin": self.margin.as_dict(),
        }

    def enough(self, reliability: float) -> int | None:
        """Fewest ratings a unit whose expected ICC(1,k) is at least this; None if none is."""
        reached = np.flatnonzero(self.icc.mean >= reliability)
        return int(self.n_ratings[reached[0]]) if len(reached) else None


def rating_forecast(
    noise: RatingNoise,
    *,
    draws: Sequence[RatingNoise] = (),
    n_units: int,
    low: float,
    high: float,
    step: float,
    n_ratings: Sequence[int] | IntArray,
    n_studies: int = 200,
    rng: np.random.Generator,
) -> RatingForecast:
    """Simulate whole rating studies, and compute of each what a real one reports.

    Parameters
    ----------
    noise : RatingNoise
        What is supposed of people and units.
    draws : sequence of RatingNoise, optional
        What it may be, such as a pilot leaves open: each study has another one.
    n_units : int
        Units that are rated, at least 2.
    low, high, step : float
        Ends and step of the scale.
    n_ratings : int array, shape (p,)
        Ratings of each unit, each at least 1, ascending. Of a single one there is no reliability.
    n_studies : int
        Studies to simulate, at least 1.
    rng : numpy Generator
        Source of the true values and of the errors.

    Raises
    ------
    ValueError
        If there are fewer than two units, the scale has no two points, or a number of ratings is
        below 1 or not above the one before.

    References
    ----------
    [ShroutFleiss1979], [Krippendorff2011] in docs/references.md
    """
    numbers = whole_numbers(n_ratings, "n_ratings")
    if n_units < 2:
        raise ValueError(f"at least two units can be told apart, not {n_units}")
    if not (low < high and 0 < step <= high - low):
        raise ValueError(f"{low} to {high} by {step} is no scale")
    if not len(numbers) or numbers[0] < 1 or (np.diff(numbers) < 1).any():
        raise ValueError("n_ratings must be numbers of at least 1 in ascending order")
    if n_studies < 1:
        raise ValueError(f"n_studies must be at least 1, not {n_studies}")
    values = np.full((3, len(numbers), n_studies), np.nan)
    n_steps = (high - low) / step
    for study, noise_here in enumerate(_of_studies(noise, draws, n_studies)):
        true = noise_here.true_values(n_units, rng)
        errors = noise_here.noise * rng.standard_normal((n_units, int(numbers[-1])))
        # On the nearest point that the scale has.
        rated = on_scale(true[:, None] + errors, n_steps) * step
        for place, k in enumerate(numbers.tolist()):
            values[:, place, study] = _figures(rated[:, :k])
    of_icc, of_alpha, of_margin = map(Expected, values)
    return RatingForecast(numbers, noise, of_icc, of_alpha, of_margin, n_studies)


def _of_studies(
    noise: RatingNoise, draws: Sequence[RatingNoise], n_studies: int
) -> list[RatingNoise]:
    """What is supposed in each study: of few studies, draws from all parts of them."""
    if not draws:
        return [noise] * n_studies
    # How much noise there is beside what units differ by decides how reliable ratings are.
    in_order = sorted(draws, key=lambda drawn: drawn.noise / drawn.spread)
    places = (np.arange(n_studies) + 0.5) / n_studies * len(in_order)
    return [in_order[int(place)] for place in places]


def _figures(rated: FloatArray) -> tuple[float, float, float]:
    """ICC(1,k), alpha and the margin of a complete table, shape (n, k)."""
    n, k = rated.shape
    if k < 2:
        return np.nan, np.nan, np.nan
    means = rated.mean(axis=1)
    within = ((rated - means[:, None]) ** 2).sum() / (n * (k - 1))
    between = k * means.var(ddof=1)
    total = rated.var(ddof=1)
    return (
        float((between - within) / between) if between else np.nan,
        float(1 - within / total) if total else np.nan,
        float(_NORMAL * np.sqrt(within / k)),
    )
