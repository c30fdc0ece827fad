"""Simulated ratings and labels in stacks, and statistics of their agreement.

To add a statistic, add an entry to `STATISTICS`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

import scoring
from benchmarks.coverage.engine import Cell, Fixed, Statistic
from scoring.arrays import FloatArray, IntArray
from scoring.ratings.generalizability import Kind

Shape: TypeAlias = Literal["uniform", "skewed", "bimodal"]

RATINGS_PER_ITEM = 5
# Ratings are whole numbers from 0 to this one.
HIGHEST = 6
# Where the categories of labels begin: low, middle and high ratings, a quarter, a half, a quarter.
THREE_CATEGORIES = (2, 5)


@dataclass(frozen=True)
class Model:
    """How people rate items whose true values lie between 0 and 6.

    Parameters
    ----------
    noise : float
        Standard deviation of what a person sees beside the true value.
    differing : float
        Standard deviation of the logarithm of the people's noises.
    levels : float
        Standard deviation of how severe people are.
    clickers, camp : float
        Chance that a person clicks at random; that they see other true values.
    tail : float
        Degrees of freedom of Student's deviates; infinite: normal ones.
    fatigue : float
        The noise of a person's last rating over that of the first one.
    shape : {"uniform", "skewed", "bimodal"}
        Of the true values.
    between_pools : float
        Share of the true values' variance that lies between pools: a sum of uniform values.
    unequal : float
        Standard deviation of the logarithm of how much people work.
    ratings_per_item : int
        By different people; everybody rates every item if there are fewer people.
    """

    noise: float = 1.0
    differing: float = 0.0
    levels: float = 0.3
    clickers: float = 0.0
    camp: float = 0.0
    tail: float = np.inf
    fatigue: float = 1.0
    shape: Shape = "uniform"
    between_pools: float = 0.0
    unequal: float = 0.0
    ratings_per_item: int = RATINGS_PER_ITEM

    def studies(self, cell: Cell, fixed: Fixed, *, seed: list[int]) -> "Iterator[Study]":
        """Draw studies of one size without end; what is fixed is drawn once."""
        rng = np.random.default_rng(seed)
        people = self.people(cell, rng)
        while True:
            if fixed == "nothing":
                people = self.people(cell, rng)
            yield self.study(self.true_values(cell, rng), people, cell, rng)

    def true_values(self, cell: Cell, rng: np.random.Generator) -> FloatArray:
        """Draw true values for the many, and for the camp of the others, shape (2, n)."""
        shape = (2, cell.n_pools * cell.pool_size)
        if self.shape == "skewed":
            return HIGHEST * rng.beta(0.6, 2.5, size=shape)
        if self.shape == "bimodal":
            return np.where(rng.random(shape) < 0.5, 1, 5) + 0.5 * rng.normal(size=shape)
        true = HIGHEST * rng.random(shape)
        if self.between_pools:
            levels = HIGHEST * rng.random((2, cell.n_pools)).repeat(cell.pool_size, axis=1)
            mean, between = HIGHEST / 2, self.between_pools
            true = mean + between**0.5 * (levels - mean) + (1 - between) ** 0.5 * (true - mean)
        return true

    def people(self, cell: Cell, rng: np.random.Generator) -> "People":
        """Draw people."""
        n = cell.n_people
        noise = self.noise * np.exp(self.differing * rng.normal(size=n))
        noise[rng.random(n) < self.clickers] = np.inf
        return People(
            noise,
            self.levels * rng.normal(size=n),
            (rng.random(n) < self.camp).astype(np.int64),
            self.unequal * rng.normal(size=n),
        )

    def study(
        self,
        true: FloatArray,
        people: "People",
        cell: Cell,
        rng: np.random.Generator,
        *,
        n_ratings: int | None = None,
    ) -> "Study":
        """Draw the ratings: so many different people rate each item."""
        n, n_people = true.shape[1], len(people.noise)
        n_ratings = min(n_ratings or self.ratings_per_item, n_people)
        # The largest of the logarithms plus Gumbel deviates: drawn in proportion to the work.
        chances = people.log_work + rng.gumbel(size=(n, n_people))
        person = np.argsort(-chances, axis=1)[:, :n_ratings].ravel()
        unit = np.repeat(np.arange(n), n_ratings)
        m = len(unit)
        deviate = rng.normal(size=m) if np.isinf(self.tail) else rng.standard_t(self.tail, m)
        noise = people.noise[person] * self.fatigue ** rng.random(m)
        is_clicking = np.isinf(noise)
        seen = true[people.is_in_camp[person], unit] + people.level[person]
        seen += np.where(is_clicking, 0, noise) * deviate
        value = np.clip(np.round(seen), 0, HIGHEST)
        value[is_clicking] = rng.integers(HIGHEST + 1, size=int(is_clicking.sum()))
        return Study(
            scoring.Ratings(person, unit, value, n_people, n),
            np.repeat(np.arange(cell.n_pools), cell.pool_size),
        )


@dataclass(frozen=True, eq=False)
class People:
    """Noise (infinite: random clicking), severity, camp, and the logarithm of the work."""

    noise: FloatArray
    level: FloatArray
    is_in_camp: IntArray
    log_work: FloatArray


@dataclass(frozen=True, eq=False)
class Study:
    """Ratings, and the pool of each item."""

    ratings: scoring.Ratings
    pool: IntArray

    @property
    def labels(self) -> scoring.Labels:
        """Three categories: low, middle and high ratings."""
        return self.labels_of(THREE_CATEGORIES)

    def labels_of(self, cuts: tuple[int, ...]) -> scoring.Labels:
        """Categories of ratings: each begins at a cut, and the first at 0."""
        ratings = self.ratings
        category = np.digitize(ratings.value, cuts)
        return scoring.Labels(
            ratings.annotator,
            ratings.unit,
            category[:, None] == np.arange(len(cuts) + 1),
            ratings.n_annotators,
            ratings.n_units,
        )


MODELS: Mapping[str, Model] = {
    "people alike": Model(levels=0.0),
    "people differ (lognormal .6, levels .8)": Model(differing=0.6, levels=0.8),
    "15 % random clickers": Model(clickers=0.15),
    "two camps (30 %)": Model(camp=0.3),
    "heavy tails (t with 3 df)": Model(tail=3.0),
    "fatigue": Model(noise=0.7, fatigue=3.0),
    "skewed items": Model(shape="skewed"),
    "bimodal items": Model(shape="bimodal"),
    "unequal work, 15 % random clickers": Model(clickers=0.15, unequal=0.8),
}


def _alpha(study: Study) -> float:
    return scoring.rating_alpha(study.ratings, level="interval").value


def _alpha_interval(study: Study) -> scoring.JackknifeInterval:
    alpha = scoring.rating_alpha(
        study.ratings, level="interval", with_interval=True, pool=study.pool
    )
    assert alpha.interval is not None  # it was asked for
    return alpha.interval


def _icc(study: Study) -> float:
    return scoring.intraclass_correlation(study.ratings, kind="1,k").value


def _icc_interval(study: Study) -> scoring.JackknifeInterval:
    icc = scoring.intraclass_correlation(study.ratings, kind="1,k")
    return scoring.icc_interval(study.ratings, icc, pool=study.pool)


def _generalizability(kind: Kind) -> Statistic:
    """A coefficient with the study's own number of raters."""

    def study_of(study: Study) -> scoring.Generalizability:
        return scoring.generalizability(study.ratings, pool=study.pool)

    def value(study: Study) -> float:
        result = study_of(study)
        return result.coefficient(result.n_raters, kind)

    return Statistic(value, lambda study: study_of(study).intervals[kind])


def _label_alpha(study: Study) -> float:
    return scoring.label_alpha(study.labels, distance="nominal").value


def _label_alpha_interval(study: Study) -> scoring.JackknifeInterval:
    alpha = scoring.label_alpha(
        study.labels, distance="nominal", with_interval=True, pool=study.pool
    )
    assert alpha.interval is not None  # it was asked for
    return alpha.interval


STATISTICS: Mapping[str, Statistic] = {
    "alpha of ratings": Statistic(_alpha, _alpha_interval),
    "ICC of means": Statistic(_icc, _icc_interval),
    "G of ratings": _generalizability("relative"),
    "Phi of ratings": _generalizability("absolute"),
    "alpha of labels": Statistic(_label_alpha, _label_alpha_interval),
}
