"""How often a perfect measure lies within the interval of the noise ceiling.

A perfect measure is what very many other people of the same model say of the same items.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from benchmarks.coverage import best_worst, ratings
from benchmarks.coverage.engine import AGAIN, Cell, is_outside
from scoring import (
    NoiseCeiling,
    Ratings,
    correlate_within_pools,
    noise_ceiling_of_ratings,
    noise_ceiling_within_pools,
    pearson,
)
from scoring.arrays import FloatArray

# People whose answers are the perfect measure, and how many of them answer each tuple. All of them
# rate each item. What is left of their noise is a fiftieth of that of a study, or less.
N_OTHERS, N_ANSWERS_OF_OTHERS = 500, 250
N_OTHER_RATERS = 2_000
N_SPLITS = 50
# Of one study: the ceiling, and the correlation of a perfect measure.
Reached: TypeAlias = tuple[NoiseCeiling, float]


@dataclass(frozen=True)
class Row:
    """What became of the ceilings of one model and size.

    Parameters
    ----------
    what, model, study : str
    share : float
        Share of the intervals that hold the correlation of a perfect measure; nan without any.
    ceiling, reached : float
        Mean ceiling, and mean correlation of a perfect measure.
    width : float
        Median width of the intervals.
    n_without, n_studies : int
        Ceilings without an interval, and all.
    """

    what: str
    model: str
    study: str
    share: float
    ceiling: float
    reached: float
    width: float
    n_without: int
    n_studies: int

    @property
    def is_outside(self) -> bool:
        """Whether intervals hold too little or too much; not where most studies have none."""
        return 2 * self.n_without <= self.n_studies and is_outside(self.share)


def rows(n_studies: int) -> Iterator[Row]:
    """Simulate so many studies of each model and size; again where too few or too many hold."""
    for name, model in best_worst.MODELS.items():
        for cell in (Cell(pools, people) for pools in (12, 60) for people in (20, 30)):
            yield _row("best-worst", name, cell, _of_pools(model, cell), n_studies)
    for everybody in (True, False):
        what = f"ratings by {'everybody' if everybody else 'stacks'}"
        sizes = (20, 30) if everybody else (30, 60)
        for name, of_ratings in ratings.MODELS.items():
            for cell in (Cell(pools, people) for pools in (6, 12, 60) for people in sizes):
                study = _of_ratings(of_ratings, cell, everybody=everybody)
                yield _row(what, name, cell, study, n_studies)


def _row(
    what: str,
    model: str,
    cell: Cell,
    study: Callable[[np.random.Generator], Reached],
    n_studies: int,
) -> Row:
    row = _simulated(what, model, cell, study, n_studies, seed=1)
    if row.is_outside:
        return _simulated(what, model, cell, study, AGAIN * n_studies, seed=2)
    return row


def _simulated(
    what: str,
    model: str,
    cell: Cell,
    study: Callable[[np.random.Generator], Reached],
    n_studies: int,
    *,
    seed: int,
) -> Row:
    rng = np.random.default_rng([seed, cell.n_pools, cell.n_people])
    found = [study(rng) for _study in range(n_studies)]
    with_interval = [
        (ceiling, reached) for ceiling, reached in found if ceiling.interval_reason is None
    ]
    held = [ceiling.low <= reached <= ceiling.high for ceiling, reached in with_interval]
    widths = [ceiling.high - ceiling.low for ceiling, _reached in with_interval]
    return Row(
        what,
        model,
        str(cell),
        float(np.mean(held)) if held else np.nan,
        float(np.nanmean([ceiling.value for ceiling, _reached in found])),
        float(np.mean([reached for _ceiling, reached in found])),
        float(np.median(widths)) if widths else np.nan,
        len(found) - len(held),
        len(found),
    )


def _of_pools(model: best_worst.Model, cell: Cell) -> Callable[[np.random.Generator], Reached]:
    others = Cell(cell.n_pools, N_OTHERS)

    def study(rng: np.random.Generator) -> Reached:
        items = best_worst.drawn_items(model, cell, rng)
        people, many = (best_worst.drawn_people(model, size, rng) for size in (cell, others))
        answers = best_worst.drawn_study(model, items, people, rng).answers
        perfect = best_worst.drawn_study(
            model, items, many, rng, n_answers=N_ANSWERS_OF_OTHERS
        ).answers.scores()
        ceiling = noise_ceiling_within_pools(answers, items.pool, n_splits=N_SPLITS, rng=rng)
        return ceiling, correlate_within_pools(answers.scores(), perfect, items.pool).value

    return study


def _of_ratings(
    model: ratings.Model, cell: Cell, *, everybody: bool
) -> Callable[[np.random.Generator], Reached]:
    others = Cell(cell.n_pools, N_OTHER_RATERS)
    n_ratings = cell.n_people if everybody else ratings.RATINGS_PER_ITEM

    def study(rng: np.random.Generator) -> Reached:
        true = model.true_values(cell, rng)
        people, many = (model.people(size, rng) for size in (cell, others))
        rated = model.study(true, people, cell, rng, n_ratings=n_ratings).ratings
        by_many = model.study(true, many, cell, rng, n_ratings=N_OTHER_RATERS).ratings
        reached = float(pearson(_means(by_many), _means(rated)))
        return noise_ceiling_of_ratings(rated), reached

    return study


def _means(rated: Ratings) -> FloatArray:
    means: FloatArray = (
        np.bincount(rated.unit, rated.value, minlength=rated.n_units) / rated.answers_per_unit()
    )
    return means


def print_table(*, n_studies: int) -> None:
    """Print every row."""
    print("| ceiling | model | study | coverage | ceiling | reached | width | without |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for row in rows(n_studies):
        figures = (row.ceiling, row.reached, row.width)
        mark = " !" if row.is_outside else ""
        print(
            f"| {row.what} | {row.model} | {row.study} | {row.share:.3f}{mark} "
            f"| {' | '.join(f'{figure:.3f}' for figure in figures)} "
            f"| {row.n_without} of {row.n_studies} |",
            flush=True,
        )
