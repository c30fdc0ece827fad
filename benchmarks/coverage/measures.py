"""Coverage of what is said of measures: correlations with people's scores, and their differences.

A measure is the true value of an item and an error of its own. The intervals are of other pools or
items that the same people answer, so people are drawn first, and the truth is what they say of
very many pools. A second table has simple figures in place of people's scores: normal ones, and
some with heavy tails.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from benchmarks.coverage import best_worst, ratings
from benchmarks.coverage.engine import AGAIN, PER_SETTING, Cell, is_outside
from scoring import (
    compare_by_jackknife,
    compare_within_pools,
    correlate,
    correlate_within_pools,
)
from scoring.arrays import FloatArray, IntArray
from scoring.bootstrap import Interval

SIZE = 5
# Pools whose figures stand for the truth: of simple figures, and of people's scores.
N_TRUTH, N_TRUTH_OF_PEOPLE = 20_000, 3_000
# Errors of the better and of the worse measure, in ranges of the true values.
ERRORS = (0.2, 0.4)
N_RESAMPLES = 1_000


@dataclass(frozen=True, eq=False)
class Items:
    """People's scores, two measures, and the pool of each item."""

    human: FloatArray
    better: FloatArray
    worse: FloatArray
    pool: IntArray


@dataclass(frozen=True)
class Row:
    """How often each interval of one model and size held: share, by figure; nan without any."""

    study: str
    model: str
    cell: str
    shares: Mapping[str, float]


Figure: TypeAlias = Callable[[Items, np.random.Generator], tuple[float, Interval]]


def _within(items: Items, _rng: np.random.Generator) -> tuple[float, Interval]:
    found = correlate_within_pools(items.human, items.better, items.pool)
    return found.value, found.interval


def _difference_within(items: Items, _rng: np.random.Generator) -> tuple[float, Interval]:
    found = compare_within_pools(items.human, items.better, items.worse, items.pool)
    return found.difference, found.interval


def _fisher_over_pools(items: Items, _rng: np.random.Generator) -> tuple[float, Interval]:
    found = correlate(items.human, items.better, pools=items.pool)
    return found.value, found.intervals["fisher"]


def _bootstrap(items: Items, rng: np.random.Generator) -> tuple[float, Interval]:
    # The truth is a correlation of very many items, and has no interval.
    n_resamples = N_RESAMPLES if len(items.human) < SIZE * N_TRUTH_OF_PEOPLE else 0
    found = correlate(items.human, items.better, n_resamples=n_resamples, rng=rng)
    return found.value, found.intervals["bca" if n_resamples else "fisher"]


def _difference_over_pools(items: Items, _rng: np.random.Generator) -> tuple[float, Interval]:
    found = compare_by_jackknife(items.human, items.better, items.worse, pools=items.pool)
    return found.difference, found.interval


def _difference_over_items(items: Items, _rng: np.random.Generator) -> tuple[float, Interval]:
    found = compare_by_jackknife(items.human, items.better, items.worse)
    return found.difference, found.interval


OF_POOLS: Mapping[str, Figure] = {
    "r within pools": _within,
    "difference within pools": _difference_within,
    "r over pools": _fisher_over_pools,
    "difference over pools": _difference_over_pools,
}
OF_ITEMS: Mapping[str, Figure] = {
    "r over items, bootstrap": _bootstrap,
    "difference over items": _difference_over_items,
}


def rows(n_studies: int) -> Iterator[Row]:
    """Simulate so many studies of each model of people and size."""
    cells = [Cell(n_pools, n_people) for n_pools in (6, 12, 60) for n_people in (8, 30)]
    for number, (name, of_tuples) in enumerate(best_worst.MODELS.items()):
        for cell in cells:
            shares = _shares(_best_worst(of_tuples, cell), OF_POOLS, cell, n_studies, seed=number)
            yield Row("best-worst", name, str(cell), shares)
    for number, (name, of_ratings) in enumerate(ratings.MODELS.items(), start=100):
        for cell in cells:
            shares = _shares(_ratings(of_ratings, cell), OF_ITEMS, cell, n_studies, seed=number)
            yield Row("ratings", name, str(cell), shares)


Draw: TypeAlias = Callable[[np.random.Generator], Callable[[int], Items]]


def _shares(
    people: Draw, figures: Mapping[str, Figure], cell: Cell, n_studies: int, *, seed: int
) -> dict[str, float]:
    """How often each interval holds; those outside the aim are simulated again, more often."""
    shares = _shares_once(people, figures, cell, n_studies, seed=[1, seed])
    again = {name: figures[name] for name, share in shares.items() if is_outside(share)}
    return shares | _shares_once(people, again, cell, AGAIN * n_studies, seed=[2, seed])


def _shares_once(
    people: Draw, figures: Mapping[str, Figure], cell: Cell, n_studies: int, *, seed: list[int]
) -> dict[str, float]:
    """How often each interval holds; people are drawn anew for some of the studies."""
    held: dict[str, list[bool]] = {figure: [] for figure in figures}
    n_settings = -(-n_studies // PER_SETTING) if figures else 0
    for setting in range(n_settings):
        rng = np.random.default_rng([*seed, cell.n_pools, cell.n_people, setting])
        study = people(rng)
        many = study(N_TRUTH_OF_PEOPLE)
        truths = {name: figure(many, rng)[0] for name, figure in figures.items()}
        for _study in range(-(-n_studies // n_settings)):
            items = study(cell.n_pools)
            for name, figure in figures.items():
                interval = figure(items, rng)[1]
                if interval.reason is None:
                    held[name].append(interval.low <= truths[name] <= interval.high)
    return {name: float(np.mean(values)) if values else np.nan for name, values in held.items()}


def _best_worst(model: best_worst.Model, cell: Cell) -> Draw:
    def people(rng: np.random.Generator) -> Callable[[int], Items]:
        drawn = best_worst.drawn_people(model, cell, rng)

        def study(n_pools: int) -> Items:
            items = best_worst.drawn_items(model, Cell(n_pools, cell.n_people), rng)
            scores = best_worst.drawn_study(model, items, drawn, rng).answers.scores()
            return Items(scores, *_measures(items.true, rng), items.pool)

        return study

    return people


def _ratings(model: ratings.Model, cell: Cell) -> Draw:
    def people(rng: np.random.Generator) -> Callable[[int], Items]:
        drawn = model.people(cell, rng)

        def study(n_pools: int) -> Items:
            size = Cell(n_pools, cell.n_people)
            true = model.true_values(size, rng)
            found = model.study(true, drawn, size, rng)
            rated = found.ratings
            means = np.bincount(rated.unit, rated.value) / rated.answers_per_unit()
            return Items(means, *_measures(true[0] / ratings.HIGHEST, rng), found.pool)

        return study

    return people


def _measures(true: FloatArray, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    better, worse = (true + error * rng.normal(size=len(true)) for error in ERRORS)
    return better, worse


@dataclass(frozen=True)
class SimpleCell:
    """How often something held in simulated figures of one model."""

    what: str
    model: str
    n_studies: int
    share: float


def cells(n_studies: int, rng: np.random.Generator) -> Iterator[SimpleCell]:
    """Yield every cell; `n_studies`: simulated studies of each."""
    for tail, n_pools in ((tail, n) for tail in (False, True) for n in (12, 60)):
        model = f"{n_pools} pools of {SIZE}, {'t(3)' if tail else 'normal'}"
        yield _cell("interval of r within pools", model, n_studies, _covers(tail, n_pools, rng))
        yield _cell("test within pools rejects", model, n_studies, _rejects(tail, n_pools, rng))
        yield _cell(
            "jackknife test rejects", model, n_studies, _rejects_over_all(tail, n_pools, rng)
        )


def _cell(what: str, model: str, n_studies: int, held: Callable[[], bool]) -> SimpleCell:
    return SimpleCell(
        what, model, n_studies, float(np.mean([held() for _study in range(n_studies)]))
    )


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


def print_table(*, n_studies: int) -> None:
    """Print every row of both tables."""
    for row in rows(n_studies):
        shares = ", ".join(
            f"{name}: {share:.3f}{' !' if is_outside(share) else ''}"
            for name, share in row.shares.items()
        )
        print(f"| {row.study} | {row.model} | {row.cell} | {shares} |", flush=True)
    for cell in cells(n_studies, np.random.default_rng(1)):
        print(f"{cell.share:.3f}\t{cell.what}\t{cell.model}", flush=True)
