"""What a best-worst study can be expected to find, simulated on its own tuples before it begins.

People answer as `picks` says. Whole studies are simulated, so a range holds what differs from
study to study: the items' latent scores, the answers, the splits, and the noise if several are
given, such as those that a pilot leaves open (`estimate_noise`). Of a single noise it does not
hold that the noise may be another one.

Symbols: t tuples of k items; p numbers of answers a tuple; s simulated studies.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from scoring.arrays import FloatArray, IntArray, whole_numbers
from scoring.best_worst.halves import scores_of_halves
from scoring.best_worst.judgments import BestWorst
from scoring.correlation import pearson, spearman
from scoring.forecasts.latents import UNIFORM, Latents
from scoring.forecasts.picks import simulated_picks
from scoring.json_values import JsonObject, json_number, json_numbers


class Simulate(Protocol):
    """How people answer: all tuples once, then all of them again, and so on."""

    def __call__(
        self,
        tuples: IntArray,
        latent: FloatArray,
        *,
        noise: float,
        n_answers: int,
        rng: np.random.Generator,
    ) -> BestWorst: ...


# The interval of a forecast, in percent of the simulated studies.
COVERAGE = 95
# Splits of each simulated study: a study's mean over a hundred differs from that over thirty by
# less than a tenth of what studies differ from one another.
N_SPLITS = 30


@dataclass(frozen=True, eq=False)
class Expected:
    """One statistic of the simulated studies, for each number of answers a tuple.

    Parameters
    ----------
    values : float array, shape (p, s)
        The statistic of each simulated study; nan if it is undefined.
    """

    values: FloatArray

    @property
    def mean(self) -> FloatArray:
        """Mean over the simulated studies, shape (p,); nan if none has a value."""
        return _over_studies(self.values, np.mean)

    @property
    def low(self) -> FloatArray:
        """Lower end of the interval that holds 95 % of the simulated studies, shape (p,)."""
        return _over_studies(self.values, lambda row: _percentile(row, (100 - COVERAGE) / 2))

    @property
    def high(self) -> FloatArray:
        """Its upper end, shape (p,)."""
        return _over_studies(self.values, lambda row: _percentile(row, (100 + COVERAGE) / 2))

    def share_below(self, value: float) -> FloatArray:
        """Share of the simulated studies whose value is lower, shape (p,); nan if none has one."""
        return _over_studies(self.values, lambda row: np.mean(row < value))

    def as_dict(self) -> JsonObject:
        """Mean, low and high in plain JSON types, None in place of nan."""
        return {
            "mean": json_numbers(self.mean),
            "low": json_numbers(self.low),
            "high": json_numbers(self.high),
        }


@dataclass(frozen=True, eq=False)
class Forecast:
    """What may be expected of a study, for several numbers of answers a tuple.

    Parameters
    ----------
    n_answers : int array, shape (p,)
        Answers a tuple.
    noise : float
        Of the simulated people, in units of the latent scores: that of the pilot; without one,
        the median of several.
    noises : float array, shape (s,)
        Of the people of each simulated study.
    latents : Latents
        Shape of the latent scores.
    pearson, spearman : Expected
        Split-half reliability by the rule ``random``: the mean over splits that a study would
        report, in [-1, 1].
    truth : Expected
        Spearman correlation of the counting scores with the latent ones: what no study can know
        of itself.
    n_studies : int
        Simulated studies, s.
    """

    n_answers: IntArray
    noise: float
    noises: FloatArray
    latents: Latents
    pearson: Expected
    spearman: Expected
    truth: Expected
    n_studies: int

    @property
    def definition(self) -> str:
        """What was computed, in words."""
        noise = f"{self.noise:g}"
        if (least := self.noises.min()) < (most := self.noises.max()):
            noise += f" (each study another, {least:.3g} to {most:.3g})"
        return (
            f"{self.n_studies} studies simulated on the design's own tuples: latent scores "
            f"{self.latents.definition}, each answer by them plus {noise} times a Gumbel deviate. "
            f"The range holds {COVERAGE} % of these studies. Split-half: the answers to a tuple "
            "are split at random into halves [KM2017]."
        )

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        return {
            "definition": self.definition,
            "n_answers": self.n_answers.tolist(),
            "noise": json_number(self.noise),
            "n_studies": self.n_studies,
            "pearson": self.pearson.as_dict(),
            "spearman": self.spearman.as_dict(),
            "truth": self.truth.as_dict(),
        }

    def enough(self, reliability: float) -> int | None:
        """Fewest answers a tuple whose expected Pearson split-half is at least this; else None."""
        reached = np.flatnonzero(self.pearson.mean >= reliability)
        return int(self.n_answers[reached[0]]) if len(reached) else None


def forecast(
    tuples: IntArray,
    *,
    n_items: int,
    noise: float | FloatArray,
    estimated: float | None = None,
    n_answers: Sequence[int] | IntArray,
    n_studies: int = 200,
    latents: Latents = UNIFORM,
    simulate: Simulate | None = None,
    rng: np.random.Generator,
) -> Forecast:
    """Simulate whole studies on these tuples, and score each as a real one is scored.

    The answers of a study with fewer answers a tuple are among those with more, so the curves over
    numbers of answers are smooth.

    Parameters
    ----------
    tuples : int array, shape (t, k), k >= 2
        Items of each tuple, numbered 0..n_items-1; no two tuples hold the same set.
    n_items : int
        Number of items, including those that no tuple shows.
    noise : float or float array, shape (d,)
        At least 0, in units of the latent scores; infinite: clicking at random. Of several, which
        are draws of what it may be, each study has another quantile.
    estimated : float, optional
        Noise of the pilot that the draws are of. Their median is a bit higher, because some of
        them include careless people.
    n_answers : int array, shape (p,)
        Answers a tuple, each at least 1, ascending.
    n_studies : int
        Studies to simulate, at least 1.
    latents : Latents
        Shape of the latent scores.
    simulate : callable, optional
        What people answer; by default best and worst picks.
    rng : numpy Generator
        Source of the latent scores, the answers and the splits.

    Raises
    ------
    ValueError
        If there are no tuples, the noise is negative, or a number of answers is below 1 or not
        above the one before.

    References
    ----------
    [KM2017] in docs/references.md
    """
    numbers = whole_numbers(n_answers, "n_answers")
    if not len(tuples):
        raise ValueError("there are no tuples to forecast")
    draws = np.atleast_1d(np.asarray(noise, dtype=np.float64))
    if not (draws >= 0).all():
        raise ValueError(f"noise must be at least 0, not {draws[~(draws >= 0)][0]:g}")
    if not len(numbers) or numbers[0] < 1 or (np.diff(numbers) < 1).any():
        raise ValueError("n_answers must be numbers of at least 1 in ascending order")
    if n_studies < 1:
        raise ValueError(f"n_studies must be at least 1, not {n_studies}")
    values = np.full((3, len(numbers), n_studies), np.nan)
    noises = middle_quantiles(draws, n_studies)
    for study, noise_here in enumerate(noises.tolist()):
        latent = latents.draw(n_items, rng)
        answers = (simulate or _best_worst)(
            tuples, latent, noise=noise_here, n_answers=int(numbers[-1]), rng=rng
        )
        for place, n in enumerate(numbers):
            # Round by round: the first answers to all tuples, then the second ones.
            first = answers.of_judgments(np.arange(n * len(tuples)))
            values[:, place, study] = _figures(first, latent, rng)
    of_pearson, of_spearman, of_truth = map(Expected, values)
    return Forecast(
        numbers,
        float(np.median(draws)) if estimated is None else estimated,
        noises,
        latents,
        of_pearson,
        of_spearman,
        of_truth,
        n_studies,
    )


def _best_worst(
    tuples: IntArray, latent: FloatArray, *, noise: float, n_answers: int, rng: np.random.Generator
) -> BestWorst:
    best, worst = simulated_picks(tuples, latent, noise=noise, n_answers=n_answers, rng=rng)
    numbers = np.tile(np.arange(len(tuples)), n_answers)
    return BestWorst(tuples, numbers, best.ravel(), worst.ravel(), len(latent))


def _figures(
    answers: BestWorst, latent: FloatArray, rng: np.random.Generator
) -> tuple[float, float, float]:
    """Split-half by Pearson and Spearman, and the correlation with what is true."""
    of_pearson, of_spearman = [], []
    for a, b in scores_of_halves(answers, rule="random", n_splits=N_SPLITS, rng=rng):
        of_pearson.append(pearson(a, b))
        of_spearman.append(spearman(a, b))
    return (
        _mean(np.concatenate(of_pearson)),
        _mean(np.concatenate(of_spearman)),
        float(spearman(answers.scores(), latent)),
    )


def middle_quantiles(draws: FloatArray, n: int) -> FloatArray:
    """The middles of n equal parts of the draws, so that few studies stand for all of them."""
    if len(draws) == 1:
        return np.repeat(draws, n)
    middles = (np.arange(n) + 0.5) / n
    if np.isfinite(draws).all():
        return np.quantile(draws, middles)
    # Of an infinite draw and a finite one there is no middle.
    return np.quantile(draws, middles, method="nearest")


def _percentile(row: FloatArray, percent: float) -> np.floating:
    """A percentile of studies that stand, each in the middle, for equal parts of all studies."""
    result: np.floating = np.percentile(row, percent, method="hazen")
    return result


def _mean(values: FloatArray) -> float:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else np.nan


def _over_studies(values: FloatArray, figure: Callable[[FloatArray], np.floating]) -> FloatArray:
    """A figure of each row's defined values, shape (p,); nan if there are none."""
    rows = [row[~np.isnan(row)] for row in values]
    return np.array([figure(row) if len(row) else np.nan for row in rows], dtype=np.float64)
