"""The noise of ratings, and the spread of what is rated, estimated from earlier ratings."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.forecasts.pilots import MIN_PEOPLE
from scoring.forecasts.rating_moments import LEAST_COMPONENT, Moments, drawn_moments, moments_of
from scoring.json_values import JsonObject, json_number
from scoring.ratings.ratings import Ratings
from scoring.unit_interval import check_pool
from shell.messages import Message
from shell.messages import message as _

# Units and rounds of the search for an estimate: its error is about .002. Units of that for a
# draw.
_N_SIMULATED, _N_SIMULATED_AGAIN = 2**15, 2**11
_N_ROUNDS = 12
# Searches that begin far apart and end further apart than this have found that several noises fit.
_STARTS, _N_ROUNDS_OF_STARTS, _MAX_APART = (0.25, 4.0), 36, 1.25
_SEVERAL_FIT = _(
    "the ratings use too few points of the scale to estimate the noise; enter the noise instead"
)


@dataclass(frozen=True)
class RatingNoise:
    """How noisy ratings are, and how much the units differ.

    Parameters
    ----------
    noise : float
        Standard deviation of one rating of a unit, as a share of the scale's range, at least 0.
    spread : float
        Standard deviation of the units' true values, the same way: above 0 and below 1/2.
    mean : float
        Mean of the true values, the same way: between 0 and 1.

    Raises
    ------
    ValueError
        If a number is none of these, or no values between 0 and 1 have this mean and spread.
    """

    noise: float
    # Of values that lie anywhere on the scale.
    spread: float = 12**-0.5
    mean: float = 0.5

    def __post_init__(self) -> None:
        if not (self.noise >= 0 and np.isfinite(self.noise)):
            raise ValueError(f"noise must be a number of at least 0, not {self.noise}")
        if not 0 < self.mean < 1:
            raise ValueError(f"mean must be between 0 and 1, not {self.mean}")
        if not 0 < self.spread < self.most_spread(self.mean):
            raise ValueError(
                f"spread must be above 0 and below {self.most_spread(self.mean):.3g} where the "
                f"mean is {self.mean:g}, not {self.spread}"
            )

    @staticmethod
    def most_spread(mean: float) -> float:
        """What no values between 0 and 1 with this mean can exceed: half at each end."""
        return float(np.sqrt(mean * (1 - mean)))

    def moved(self, from_: "RatingNoise", to: "RatingNoise") -> "RatingNoise":
        """This, changed as much as one of two others differs from the other.

        Its noise does not grow beyond the whole scale: ratings are nearly random there.
        """
        noise = self.noise * to.noise / from_.noise
        mean = min(max(self.mean + to.mean - from_.mean, 0.01), 0.99)
        spread = self.spread * to.spread / from_.spread
        return RatingNoise(
            min(noise, max(self.noise, 1.0)),
            min(spread, 0.999 * self.most_spread(mean)),
            mean,
        )

    def true_values(self, n: int, rng: np.random.Generator) -> FloatArray:
        """True values of n units, shape (n,), in [0, 1]."""
        weight = self.mean * (1 - self.mean) / self.spread**2 - 1
        return rng.beta(self.mean * weight, (1 - self.mean) * weight, size=n)


@dataclass(frozen=True)
class RatingNoiseEstimate:
    """How noisy the ratings of a pilot or an earlier study are.

    Parameters
    ----------
    value : RatingNoise or None
        As estimated; None if it cannot be told.
    draws : tuple of RatingNoise, shape (d,)
        What another study may have: the pilot's people and units (or pools) are a sample, and that
        study's people are other ones, some of whom may be careless. Empty without a value.
    n_units : int
        Units with at least two ratings.
    note : Message or None
        What the draws leave out.
    reason : Message or None
        Why there is no value.
    """

    value: RatingNoise | None
    draws: tuple[RatingNoise, ...] = ()
    n_units: int = 0
    note: Message | None = None
    reason: Message | None = None

    @property
    def low(self) -> float:
        """Lower end of the interval that holds 95 % of the drawn noises; nan without a value."""
        return self._percentile(2.5)

    @property
    def high(self) -> float:
        """Its upper end."""
        return self._percentile(97.5)

    def _percentile(self, percent: float) -> float:
        noises = [drawn.noise for drawn in self.draws]
        return float(np.percentile(noises, percent)) if noises else np.nan

    @property
    def definition(self) -> str:
        """What was computed, in words."""
        return (
            "Noise, spread and mean at which simulated ratings, put on the points of the scale, "
            "have the mean square within units, the variance component between units (ANOVA) and "
            "the mean that these have. As shares of the scale's range. low and high: 95 % of what "
            "another study with other people may have, by a jackknife over people, and pools "
            "(fewer than 6: units) [Miller1974] [CameronGelbachMiller2011]. In half of the draws, "
            "a further share of these people answers at random. It is drawn from Beta(1, n + 1) "
            "for n people in the pilot [MitchellBeauchamp1988]."
        )

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        return {
            "definition": self.definition,
            "noise": self.value.noise if self.value else None,
            "spread": self.value.spread if self.value else None,
            "mean": self.value.mean if self.value else None,
            "low": json_number(self.low),
            "high": json_number(self.high),
            "n_units": self.n_units,
            "note": self.note,
            "reason": self.reason,
        }


def expected_distances(
    noises: Sequence[float], *, spread: float, mean: float = 0.5, n_steps: float
) -> FloatArray:
    """How far two ratings of one unit are apart on average, as a share of the scale's range, (p,).

    Of a fine scale without ends it would be 2 / sqrt(pi) times the noise; ends take from that.

    Parameters
    ----------
    noises : float array, shape (p,)
        Each at least 0.
    spread, mean : float
        Of the true values, as of `RatingNoise`.
    n_steps : float
        Steps of the scale between its ends, at least 1.

    Returns
    -------
    float array, shape (p,)
        Simulated as in `rating_forecast`, always with the same deviates; the error is about .002.
    """
    rng = np.random.default_rng(1)
    true = RatingNoise(0.0, spread, mean).true_values(_N_SIMULATED, rng)
    errors = rng.standard_normal((2, _N_SIMULATED))
    differences = [np.diff(on_scale(true + noise * errors, n_steps), axis=0) for noise in noises]
    return np.array([float(np.abs(difference).mean()) / n_steps for difference in differences])


def estimate_rating_noise(
    ratings: Ratings, *, pool: IntArray | None = None, rng: np.random.Generator
) -> RatingNoiseEstimate:
    """Estimate what `rating_forecast` supposes from ratings that are there.

    Parameters
    ----------
    ratings : Ratings
        m ratings on a scale with ends; units with a single rating say nothing of noise.
    pool : int array, shape (n_units,), optional
        Pool of each unit. Units of a pool may resemble one another, so from 6 pools on these are
        left out in place of units.
    rng : numpy Generator
        Source of the draws.

    Returns
    -------
    RatingNoiseEstimate
        Its value is None, with the reason, where fewer than two units have two ratings, where the
        units differ no more than their ratings, or where several noises fit these ratings: of two
        points of a scale noise and spread cannot be told apart, whatever the numbers.

    Raises
    ------
    ValueError
        If the ratings name no ends of their scale, or `pool` does not name a pool for each unit.
    """
    check_pool(pool, n_units=ratings.n_units)
    if ratings.low is None or ratings.high is None:
        raise ValueError("the ends of the scale are needed")
    rows = ratings.answers_per_unit()[ratings.unit] >= 2
    unit, person = ratings.unit[rows], ratings.annotator[rows]
    reach = ratings.high - ratings.low
    value = (ratings.value[rows] - ratings.low) / reach
    n_units = len(np.unique(unit))

    def nothing(why: Message) -> RatingNoiseEstimate:
        return RatingNoiseEstimate(None, n_units=n_units, reason=why)

    moments = moments_of(unit, value)
    if moments is None:
        return nothing(
            _("fewer than two items have two ratings, so the noise cannot be estimated")
        )
    if moments.component <= 0:
        return nothing(_("items differ no more than the ratings of one item do"))
    if not 0 < moments.mean < 1:
        return nothing(_("all ratings are at one end of the scale"))
    n_steps = reach / ratings.step if ratings.step else None
    seed = rng.integers(2**32, size=4).tolist()
    # Each of two values says only how often it is chosen: no share of pairs tells two unknowns.
    if len(np.unique(value)) == 2 and moments.within:
        return nothing(_SEVERAL_FIT)
    noise = _matching(moments, n_steps=n_steps, seed=seed)
    if not noise.noise:
        return RatingNoiseEstimate(noise, (noise,), n_units)
    noises = [
        noise.noise,
        *(
            _matching(
                moments,
                n_steps=n_steps,
                seed=seed,
                n_units=4 * _N_SIMULATED_AGAIN,
                n_rounds=_N_ROUNDS_OF_STARTS,
                start=start,
            ).noise
            for start in _STARTS
        ),
    ]
    if max(noises) > _MAX_APART * min(noises):
        return nothing(_SEVERAL_FIT)
    drawn, has_people = drawn_moments(
        unit,
        value,
        person,
        pool=None if pool is None else np.asarray(pool)[unit],
        n_steps=n_steps,
        rng=rng,
    )
    # Noise is no multiple of the spread of ratings where the scale is coarse or items lie at its
    # ends: each draw has a noise of its own. Few units are simulated of each, and the same for
    # all, so that what these few are off by is divided out.
    of_few = _matching(moments, n_steps=n_steps, seed=seed, n_units=_N_SIMULATED_AGAIN)
    draws = tuple(
        noise.moved(
            of_few, _matching(again, n_steps=n_steps, seed=seed, n_units=_N_SIMULATED_AGAIN)
        )
        for again in drawn
    )
    note = None
    if not has_people:
        note = _(
            "The range leaves out how people differ: that takes at least %(n)s of them.",
            n=MIN_PEOPLE,
        )
    return RatingNoiseEstimate(noise, draws, n_units, note)


def _matching(
    moments: Moments,
    *,
    n_steps: float | None,
    seed: Sequence[int],
    n_units: int = _N_SIMULATED,
    n_rounds: int = _N_ROUNDS,
    start: float = 1.0,
) -> RatingNoise:
    """The noise at which ratings on the scale have these moments.

    What is beyond an end is put on it and the rest on a point, which takes from the one and adds
    to the other: simulated with the same deviates each time, until that is made up for. The first
    noise that is tried is `start` times what it is on a fine scale without ends.
    """
    errors = np.random.default_rng([*seed, 1]).standard_normal((n_units, 2))
    within = float(np.sqrt(moments.within))
    between = float(np.sqrt(max(moments.component, LEAST_COMPONENT)))
    mean = min(max(moments.mean, 0.01), 0.99)
    noise, spread, middle = within * start, between, mean
    for _round in range(n_rounds):
        middle = min(max(middle, 0.01), 0.99)
        most = 0.999 * RatingNoise.most_spread(middle)
        value = RatingNoise(noise, min(spread, most), middle)
        true = value.true_values(n_units, np.random.default_rng(seed))
        rated = true[:, None] + noise * errors
        rated = np.clip(rated, 0, 1) if n_steps is None else on_scale(rated, n_steps) / n_steps
        first, second = rated.T
        square = ((first - second) ** 2).mean() / 2
        component = max(float(np.cov(first, second)[0, 1]), 1e-9)
        noise = float(noise * within / np.sqrt(square)) if square else noise
        spread = float(value.spread * between / np.sqrt(component))
        middle += mean - float(rated.mean())
    return value


def on_scale(shares: FloatArray, n_steps: float) -> FloatArray:
    """Shares of the range on the nearest point that the scale has, counted in steps."""
    return np.clip(np.rint(shares * n_steps), 0, np.floor(n_steps + 1e-9))
