"""Simulated best-worst and ranking studies, and their statistics.

To add a statistic, add an entry to `STATISTICS`.

Symbols: m answers to t tuples of k items.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np

import scoring
from benchmarks.coverage.engine import Cell, Fixed, Statistic
from scoring.arrays import FloatArray, IntArray
from scoring.best_worst.judgments import BestWorst
from scoring.rankings.concordance import concordance
from scoring.rankings.orders import Orders, orders_of

Shape: TypeAlias = Literal["uniform", "bimodal"]

ANSWERS_PER_TUPLE = 5


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

    def studies(self, cell: Cell, fixed: Fixed, *, seed: list[int]) -> "Iterator[Study]":
        """Draw studies of one size without end; what is fixed is drawn once."""
        rng = np.random.default_rng(seed)
        people = drawn_people(self, cell, rng)
        while True:
            items = drawn_items(self, cell, rng)
            if fixed == "nothing":
                people = drawn_people(self, cell, rng)
            yield drawn_study(self, items, people, rng)


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


def _alpha(study: Study) -> float:
    return scoring.alpha(study.answers, on="joint", coding="slot").value


def _alpha_interval(study: Study) -> scoring.JackknifeInterval:
    return scoring.alpha_interval(study.answers, on="joint", coding="slot", pool=study.pool)


def _half(study: Study) -> float:
    halves = scoring.split_half(study.answers, rule="random", n_splits=5, rng=study.rng)
    return halves.spearman.mean


def _half_interval(study: Study) -> scoring.JackknifeInterval:
    return scoring.half_interval(study.answers, pool=study.pool, rng=study.rng)


def _w(study: Study) -> float:
    return concordance(study.orders).w


def _w_interval(study: Study) -> scoring.JackknifeInterval:
    interval = concordance(study.orders, pool=study.pool, with_intervals=True).interval
    assert interval is not None  # it was asked for
    return interval


STATISTICS: Mapping[str, Statistic] = {
    "alpha": Statistic(_alpha, _alpha_interval),
    "split-half": Statistic(_half, _half_interval),
    "Kendall's W": Statistic(_w, _w_interval),
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


def drawn_study(
    model: Model,
    items: Items,
    people: People,
    rng: np.random.Generator,
    *,
    n_answers: int = ANSWERS_PER_TUPLE,
) -> Study:
    """Draw the answers: so many different people for each tuple, in a random order."""
    t, k = items.tuples.shape
    n_people = len(people.noise)
    # The largest of the logarithms plus Gumbel deviates: drawn in proportion, without repeats.
    chances = people.log_work + rng.gumbel(size=(t, n_people))
    person = np.argsort(-chances, axis=1)[:, :n_answers].ravel()
    number = np.repeat(np.arange(t), n_answers)
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
