"""Coverage of what is said of measures: correlations within pools, differences, noise ceilings.

Each line is one generating model: how often an interval held the truth, a test rejected where
nothing differs, or a perfect measure lay within the interval of the noise ceiling.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from scoring import (
    BestWorst,
    compare_by_jackknife,
    compare_within_pools,
    correlate_within_pools,
    intraclass_correlation,
    noise_ceiling_of_icc,
    noise_ceiling_within_pools,
    pearson,
)
from scoring.arrays import FloatArray, IntArray
from scoring.measures.noise_ceiling import CeilingIcc
from scoring.ratings.ratings import Ratings

SIZE = 5
# Pools whose mean stands for the truth.
N_TRUTH = 20_000


@dataclass(frozen=True)
class Cell:
    """How often something held in simulated studies of one model."""

    what: str
    model: str
    n_studies: int
    share: float


def cells(n_studies: int, rng: np.random.Generator) -> Iterator[Cell]:
    """Yield every cell; `n_studies`: simulated studies of each."""
    for tail, n_pools in ((tail, n) for tail in (False, True) for n in (12, 60)):
        model = f"{n_pools} pools of {SIZE}, {'t(3)' if tail else 'normal'}"
        yield _cell("interval of r within pools", model, n_studies, _covers(tail, n_pools, rng))
        yield _cell("test within pools rejects", model, n_studies, _rejects(tail, n_pools, rng))
        yield _cell(
            "jackknife test rejects", model, n_studies, _rejects_over_all(tail, n_pools, rng)
        )
    for n_pools, n_answers, n_people, people in (
        (12, 4, 30, "alike"),
        (60, 4, 30, "alike"),
        (60, 5, 30, "alike"),
        (60, 5, 30, "lognormal .6"),
        (60, 5, 30, "15 % click"),
        *(
            (n_pools, 5, n_people, people)
            for people in ("two camps (30 %)", "tastes")
            for n_pools in (12, 60)
            for n_people in (8, 15, 30)
        ),
    ):
        model = (
            f"best-worst, {n_pools} pools, {n_answers} answers, {n_people} people, people {people}"
        )
        reaches = _reaches(n_pools, n_answers, n_people, people, rng)
        yield _cell("ceiling reached within pools", model, n_studies, reaches)
    for design, n_people in (("everybody", 5), ("stacks", 200), ("stacks", 27), ("stacks", 8)):
        model = f"ratings by {design}, {n_people} people, 60 items"
        reaches = _reaches_by_ratings(design, n_people, rng)
        yield _cell("ceiling of ratings reached", model, n_studies, reaches)


def _cell(what: str, model: str, n_studies: int, held: Callable[[], bool]) -> Cell:
    return Cell(what, model, n_studies, float(np.mean([held() for _study in range(n_studies)])))


def _study(
    tail: bool, n_pools: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray, IntArray]:
    """People's scores and two equally good measures, whose pools have levels, and the pools."""
    shape = (n_pools, SIZE)

    def draw() -> FloatArray:
        return rng.standard_t(3, size=shape) if tail else rng.normal(size=shape)

    latent = draw()
    human, first, second = (
        (latent + draw() + rng.normal(size=(n_pools, 1))).ravel() for _variable in range(3)
    )
    return human, first, second, np.arange(n_pools, dtype=np.int64).repeat(SIZE)


def _covers(tail: bool, n_pools: int, rng: np.random.Generator) -> Callable[[], bool]:
    human, first, _second, pools = _study(tail, N_TRUTH, rng)
    truth = correlate_within_pools(human, first, pools).value

    def covers() -> bool:
        human, first, _second, pools = _study(tail, n_pools, rng)
        interval = correlate_within_pools(human, first, pools).interval
        return interval.low <= truth <= interval.high

    return covers


def _rejects(tail: bool, n_pools: int, rng: np.random.Generator) -> Callable[[], bool]:
    return lambda: compare_within_pools(*_study(tail, n_pools, rng)).p_value < 0.05


def _rejects_over_all(tail: bool, n_pools: int, rng: np.random.Generator) -> Callable[[], bool]:
    def rejects() -> bool:
        human, first, second, pools = _study(tail, n_pools, rng)
        return compare_by_jackknife(human, first, second, pools=pools).p_value < 0.05

    return rejects


def _reaches(
    n_pools: int, n_answers: int, n_people: int, people: str, rng: np.random.Generator
) -> Callable[[], bool]:
    """A perfect measure is what very many people of the model see on average."""
    of_pool = np.array(list(combinations(range(SIZE), 3)))
    tuples = (of_pool + SIZE * np.arange(n_pools)[:, None, None]).reshape(-1, 3)
    number = np.repeat(np.arange(len(tuples)), n_answers)
    rows, shown = np.arange(len(number)), tuples[number]
    pool = np.arange(n_pools).repeat(SIZE)

    def reaches() -> bool:
        noise = np.full(n_people, 0.8)
        if people == "lognormal .6":
            noise *= rng.lognormal(0, 0.6, n_people)
        elif people == "15 % click":
            noise[rng.random(n_people) < 0.15] = 100
        who = rng.integers(n_people, size=len(rows))
        of_answer = noise[who][:, None]
        latent = rng.normal(size=SIZE * n_pools)
        own = np.tile(latent, (n_people, 1))
        if people == "two camps (30 %)":
            other = rng.normal(size=len(latent))
            own[rng.random(n_people) < 0.3] = other
            latent = 0.7 * latent + 0.3 * other
        elif people == "tastes":
            own += 0.5 * rng.normal(size=own.shape)
        seen = own[who[:, None], shown]
        best = (seen + of_answer * rng.gumbel(size=shown.shape)).argmax(axis=1)
        low = seen - of_answer * rng.gumbel(size=shown.shape)
        low[rows, best] = np.inf
        worst = low.argmin(axis=1)
        answers = BestWorst(tuples, number, shown[rows, best], shown[rows, worst], len(latent))
        ceiling = noise_ceiling_within_pools(answers, pool, n_splits=20, rng=rng)
        reached = correlate_within_pools(answers.scores(), latent, pool).value
        return ceiling.low <= reached <= ceiling.high

    return reaches


def _reaches_by_ratings(
    design: str, n_people: int, rng: np.random.Generator
) -> Callable[[], bool]:
    n, k = 60, 5
    kind: CeilingIcc = "3,k" if design == "everybody" else "1,k"

    def reaches() -> bool:
        truth, level = rng.normal(size=n), 0.5 * rng.normal(size=n_people)
        people = np.array([rng.choice(n_people, k, replace=False) for _item in range(n)])
        values = truth[:, None] + level[people] + rng.normal(size=(n, k))
        unit = np.repeat(np.arange(n), k)
        ratings = Ratings(people.ravel(), unit, values.ravel(), n_people, n)
        icc = intraclass_correlation(ratings, kind=kind)
        ceiling = noise_ceiling_of_icc(icc.value, kind=kind, low=icc.low, high=icc.high)
        return ceiling.low <= float(pearson(truth, values.mean(axis=1))) <= ceiling.high

    return reaches


def print_table(*, n_studies: int) -> None:
    """Print every cell."""
    for cell in cells(n_studies, np.random.default_rng(1)):
        print(f"{cell.share:.3f}\t{cell.what}\t{cell.model}", flush=True)
