"""How often intervals hold what they are of, in simulated studies.

    python -m benchmarks.coverage [--quick] [--studies N] [--models NAME,...] [--intervals ...]

The truth is the mean of the statistic over many studies of the same size, each with pools of its
own and people of its own. An interval that is not over people is of the people that it has: then
they stay the same. To add an interval, add an entry to `INTERVALS`.

Symbols: m answers to t tuples of k items.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np

import scoring
from scoring.arrays import FloatArray, IntArray
from scoring.best_worst.judgments import BestWorst
from scoring.jackknife import MIN_PEOPLE, JackknifeInterval
from scoring.rankings.concordance import concordance
from scoring.rankings.orders import Orders, orders_of

Shape: TypeAlias = Literal["uniform", "bimodal"]
Fixed: TypeAlias = Literal["nothing", "people", "items", "people and items"]

ANSWERS_PER_TUPLE = 5
# Where something stays the same it is drawn so often, each for an equal part of the studies.
N_SETTINGS = 20
AIM = (0.92, 0.99)


@dataclass(frozen=True)
class Model:
    """How people see items whose true values lie between 0 and 1.

    Parameters
    ----------
    noise : float
        Standard scale of what a person sees beside the true value.
    differing : float
        Standard deviation of the logarithm of the people's noises.
    clickers, camp : float
        Chance that a person clicks at random; that they see other true values.
    is_normal : bool
        Normal deviates (Thurstone), of the variance of the Gumbel deviates there are otherwise.
    steps : int
        What is seen is rounded to so many steps, and ties are broken at random; 0: none.
    fatigue : float
        The noise of a person's last answer over that of the first one.
    shape : {"uniform", "bimodal"}
        Of the true values.
    unequal : float
        Standard deviation of the logarithm of how much people work.
    """

    noise: float = 0.3
    differing: float = 0.0
    clickers: float = 0.0
    camp: float = 0.0
    is_normal: bool = False
    steps: int = 0
    fatigue: float = 1.0
    shape: Shape = "uniform"
    unequal: float = 0.0


MODELS: Mapping[str, Model] = {
    "people alike (Gumbel)": Model(),
    "people differ (lognormal .6)": Model(differing=0.6),
    "15 % random clickers": Model(clickers=0.15),
    "two camps (30 %)": Model(camp=0.3),
    "Thurstone": Model(is_normal=True),
    "ties": Model(steps=5),
    "fatigue": Model(noise=0.2, fatigue=3.0),
    "bimodal items": Model(shape="bimodal"),
    "unequal work, 15 % random clickers": Model(clickers=0.15, unequal=0.8),
}


@dataclass(frozen=True)
class Cell:
    """The size of a study: pools of items, each with about two tuples an item, and people."""

    n_pools: int
    n_people: int
    pool_size: int = 5
    tuple_size: int = 3

    def __str__(self) -> str:
        pools = f"{self.n_pools} x {self.pool_size}" if self.n_pools > 1 else f"{self.pool_size}"
        return f"{pools} items, {self.n_people} people"


CELLS = (
    *(Cell(n_pools, n_people) for n_pools in (6, 12, 60) for n_people in (8, 30, 60)),
    *(Cell(1, n_people, 60, 4) for n_people in (8, 30)),
    Cell(1, 30, 20, 4),
)
QUICK_CELLS = (Cell(6, 30), Cell(12, 8), Cell(1, 30, 60, 4))


@dataclass(frozen=True, eq=False)
class Study:
    """The orders in which people see the items of tuples, and the pool of each item."""

    orders: Orders
    pool: IntArray
    rng: np.random.Generator

    @property
    def answers(self) -> BestWorst:
        """The best and the worst of each order."""
        orders = self.orders
        return BestWorst(
            orders.tuples,
            orders.tuple_number,
            orders.best,
            orders.worst,
            orders.n_items,
            orders.annotator,
        )


@dataclass(frozen=True, eq=False)
class Interval:
    """An interval whose coverage is measured.

    Parameters
    ----------
    value : function
        From a study to the statistic, shape (v,): as a rule one value.
    ends : function
        From a study to its interval, two arrays of shape (v,); nan without one.
    fixed : function
        From a cell to what stays the same in the studies that the truth is the mean of.
    """

    value: Callable[[Study], FloatArray]
    ends: Callable[[Study], tuple[FloatArray, FloatArray]]
    fixed: Callable[[Cell], Fixed]


def of_people_if_few(cell: Cell) -> Fixed:
    """Jackknife intervals leave out people where there are enough."""
    return "nothing" if cell.n_people >= MIN_PEOPLE else "people"


def _ends(interval: JackknifeInterval) -> tuple[FloatArray, FloatArray]:
    ends = np.array([interval.low]), np.array([interval.high])
    # The truth is one of other people, for which this interval says that it is not meant.
    is_of_these = interval.n_people is not None and interval.n_people >= MIN_PEOPLE
    if is_of_these and not interval.is_over_people:
        return np.full(1, np.nan), np.full(1, np.nan)
    return ends


def _alpha(study: Study) -> FloatArray:
    return np.array([scoring.alpha(study.answers, on="joint", coding="slot").value])


def _alpha_ends(study: Study) -> tuple[FloatArray, FloatArray]:
    return _ends(scoring.alpha_interval(study.answers, on="joint", coding="slot", pool=study.pool))


def _half(study: Study) -> FloatArray:
    halves = scoring.split_half(study.answers, rule="random", n_splits=5, rng=study.rng)
    return np.array([halves.spearman.mean])


def _half_ends(study: Study) -> tuple[FloatArray, FloatArray]:
    return _ends(scoring.half_interval(study.answers, pool=study.pool, n_splits=5, rng=study.rng))


def _w(study: Study) -> FloatArray:
    return np.array([concordance(study.orders).w])


def _w_ends(study: Study) -> tuple[FloatArray, FloatArray]:
    interval = concordance(study.orders, pool=study.pool, with_intervals=True).interval
    assert interval is not None  # it was asked for
    return _ends(interval)


INTERVALS: Mapping[str, Interval] = {
    "alpha": Interval(_alpha, _alpha_ends, of_people_if_few),
    "split-half": Interval(_half, _half_ends, of_people_if_few),
    "Kendall's W": Interval(_w, _w_ends, of_people_if_few),
}


@dataclass(frozen=True, eq=False)
class Items:
    """Tuples and the true values of their items for the many, and for the camp of the others."""

    tuples: IntArray
    pool: IntArray
    true: FloatArray
    true_of_camp: FloatArray


@dataclass(frozen=True, eq=False)
class People:
    """The noise of each person, infinite for random clicking; camp; logarithm of the work."""

    noise: FloatArray
    is_in_camp: IntArray
    log_work: FloatArray


def drawn_items(model: Model, cell: Cell, rng: np.random.Generator) -> Items:
    """Draw true values and tuples: all of a small pool, else cyclic ones."""
    size, k, n_items = cell.pool_size, cell.tuple_size, cell.n_pools * cell.pool_size
    starts = size * np.arange(cell.n_pools)[:, None, None]
    if size == 5:
        tuples = (np.array(list(combinations(range(size), k))) + starts).reshape(-1, k)
    else:
        rounds = rng.permuted(np.tile(np.arange(size), (cell.n_pools, 2 * k, 1)), axis=2)
        tuples = (rounds + starts).reshape(-1, k)[: 2 * n_items]
        tuples = np.unique(np.sort(tuples, axis=1), axis=0)
        # Rounds that do not end with a tuple may put an item into one twice.
        tuples = tuples[(np.diff(tuples, axis=1) > 0).all(axis=1)]
    true, true_of_camp = rng.uniform(size=(2, n_items))
    if model.shape == "bimodal":
        centre = np.where(rng.random(n_items) < 0.5, 0.15, 0.85)
        true = np.clip(centre + 0.08 * rng.normal(size=n_items), 0, 1)
    pool = np.repeat(np.arange(cell.n_pools), size)
    return Items(rng.permuted(tuples, axis=1), pool, true, true_of_camp)


def drawn_people(model: Model, cell: Cell, rng: np.random.Generator) -> People:
    """Draw people."""
    n = cell.n_people
    noise = model.noise * np.exp(model.differing * rng.normal(size=n))
    noise[rng.random(n) < model.clickers] = np.inf
    is_in_camp = (rng.random(n) < model.camp).astype(np.int64)
    return People(noise, is_in_camp, model.unequal * rng.normal(size=n))


def drawn_study(model: Model, items: Items, people: People, rng: np.random.Generator) -> Study:
    """Draw the answers: five different people for each tuple, in a random order."""
    t, k = items.tuples.shape
    n_people = len(people.noise)
    # The largest of the logarithms plus Gumbel deviates: drawn in proportion, without repeats.
    chances = people.log_work + rng.gumbel(size=(t, n_people))
    person = np.argsort(-chances, axis=1)[:, :ANSWERS_PER_TUPLE].ravel()
    number = np.repeat(np.arange(t), ANSWERS_PER_TUPLE)
    in_order = rng.permutation(len(number))
    person, number = person[in_order], number[in_order]
    shown, m = items.tuples[number], len(number)

    deviates = rng.gumbel(size=(m, k))
    if model.is_normal:
        deviates = np.pi / np.sqrt(6) * rng.normal(size=(m, k))
    noise = people.noise[person] * model.fatigue ** _progress(person, n_people)
    is_other = people.is_in_camp[person][:, None] == 1
    seen = np.where(is_other, items.true_of_camp[shown], items.true[shown])
    is_clicking = np.isinf(noise)
    seen = seen + np.where(is_clicking, 0, noise)[:, None] * deviates
    seen[is_clicking] = deviates[is_clicking]
    if model.steps:
        seen = np.round(seen * (model.steps - 1)) + rng.random((m, k)) / 2
    order = np.take_along_axis(shown, np.argsort(-seen, axis=1), axis=1)
    orders = orders_of(items.tuples, number, order, n_items=len(items.pool), annotator=person)
    return Study(orders, items.pool, rng)


def _progress(person: IntArray, n_people: int) -> FloatArray:
    """How far each answer is on the way from its person's first one (0) to the last one (1)."""
    n_answers = np.bincount(person, minlength=n_people)
    by_person = np.argsort(person, kind="stable")
    place = np.empty(len(person))
    place[by_person] = np.arange(len(person))
    place -= (np.cumsum(n_answers) - n_answers)[person]
    return place / np.maximum(n_answers[person] - 1, 1)


@dataclass(frozen=True)
class Coverage:
    """How often the interval held the truth.

    Parameters
    ----------
    truth : float
        The mean truth.
    share : float
        Share of the intervals that hold theirs; nan without any.
    n_intervals, n_without : int
        Intervals, and statistics that have none.
    width : float
        Median width.
    """

    truth: float
    share: float
    n_intervals: int
    n_without: int
    width: float


def coverage(
    interval: Interval, model: Model, cell: Cell, *, n_studies: int, seed: int = 1
) -> Coverage:
    """Simulate studies and count how often the interval holds the truth."""
    fixed = interval.fixed(cell)
    n_settings = 1 if fixed == "nothing" else min(N_SETTINGS, n_studies)
    per_setting = -(-n_studies // n_settings)
    truths, lows, highs = [], [], []
    for setting in range(n_settings):
        # Twice as many others, so that the truth is far more precise than a study.
        n_others = max(2 * per_setting, 60)
        studies = _studies(model, cell, fixed, seed=[seed, cell.n_pools, cell.n_people, setting])
        others = [interval.value(next(studies)) for _study in range(n_others)]
        truth = np.nanmean(others, axis=0)
        for _study in range(per_setting):
            low, high = interval.ends(next(studies))
            truths.append(truth)
            lows.append(low)
            highs.append(high)
    truth, low, high = (np.concatenate(parts) for parts in (truths, lows, highs))
    has = ~np.isnan(low)
    holds = (low <= truth) & (truth <= high)
    return Coverage(
        float(truth.mean()),
        float(holds[has].mean()) if has.any() else float("nan"),
        int(has.sum()),
        int((~has).sum()),
        float(np.median((high - low)[has])) if has.any() else float("nan"),
    )


def _studies(model: Model, cell: Cell, fixed: Fixed, *, seed: list[int]) -> Iterator[Study]:
    rng = np.random.default_rng(seed)
    items, people = drawn_items(model, cell, rng), drawn_people(model, cell, rng)
    while True:
        if "items" not in fixed:
            items = drawn_items(model, cell, rng)
        if "people" not in fixed:
            people = drawn_people(model, cell, rng)
        yield drawn_study(model, items, people, rng)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--quick", action="store_true", help="three sizes, 60 studies of each")
    parser.add_argument("--studies", type=int, help="studies of each cell (default: 200)")
    parser.add_argument("--models", help="beginnings of models' names (default: all)")
    parser.add_argument("--intervals", help="names of intervals (default: all)")
    options = parser.parse_args()
    n_studies = options.studies or (60 if options.quick else 200)
    beginnings = tuple((options.models or "").split(","))
    names = options.intervals.split(",") if options.intervals else list(INTERVALS)
    print("| interval | model | study | over | truth | coverage | width | without |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    start = time.monotonic()
    outside = 0
    for name in names:
        for model_name, model in MODELS.items():
            if not model_name.startswith(beginnings):
                continue
            for cell in QUICK_CELLS if options.quick else CELLS:
                row = coverage(INTERVALS[name], model, cell, n_studies=n_studies)
                fixed = INTERVALS[name].fixed(cell)
                is_outside = row.n_intervals > 0 and not AIM[0] <= row.share <= AIM[1]
                outside += is_outside
                print(
                    f"| {name} | {model_name} | {cell} "
                    f"| {'everything' if fixed == 'nothing' else f'these {fixed}'} "
                    f"| {row.truth:.3f} | {row.share:.3f}{' !' if is_outside else ''} "
                    f"| {row.width:.3f} | {row.n_without} |",
                    flush=True,
                )
    print(f"{outside} cells outside {AIM[0]} to {AIM[1]}; {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
