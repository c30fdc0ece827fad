"""How often the intervals of item scores hold.

Studies are simulated from several models of people and of choices, on several designs. What an
interval has to hold is the item's expected score: that of many new answers by new people from the
same model to the same tuples. `coverage_of_scores` gives the figures of one cell of the table.

Symbols: n items; t tuples of k items; m answers.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from scoring import BestWorst, score_intervals
from scoring.arrays import FloatArray, IntArray
from scoring.rankings.orders import orders_of

POOL_SIZE, TUPLE_SIZE = 5, 3
# New answers to each tuple that tell an item's expected score, to about .006.
N_NEW_ANSWERS = 1_500
# The people of a camp share their own taste for so many of the items.
SHARE_OF_OWN_TASTE = 0.5


@dataclass(frozen=True)
class Model:
    """How simulated people differ and choose.

    Parameters
    ----------
    name : str
    latent : {"normal", "steps", "bimodal"}
        Distribution of what people perceive of the items; "steps" has many ties.
    deviate : {"gumbel", "normal"}
        Of every single perception, both of about the same spread.
    noise : float
        Size of the deviates; infinite: random clicking.
    noise_spread : float
        Standard deviation of the logarithm of a person's noise.
    share_clicking : float
        Share of people who click at random.
    has_camps : bool
        Whether half of the people see half of the items differently.
    tiring : float
        By what share the noise has grown at a person's last answer.
    """

    name: str
    latent: Literal["normal", "steps", "bimodal"] = "normal"
    deviate: Literal["gumbel", "normal"] = "gumbel"
    noise: float = 0.6
    noise_spread: float = 0.0
    share_clicking: float = 0.0
    has_camps: bool = False
    tiring: float = 0.0


MODELS = (
    Model("people alike"),
    Model("people differ in noise (lognormal .6)", noise_spread=0.6),
    Model("15 % click at random", share_clicking=0.15),
    Model("two camps", has_camps=True),
    Model("Thurstone (normal deviates)", deviate="normal"),
    Model("tied items", latent="steps"),
    Model("fatigue: noise three times as large at the end", tiring=2.0),
    Model("bimodal items", latent="bimodal", noise=0.25),
    Model("bimodal items, people differ", latent="bimodal", noise=0.25, noise_spread=0.6),
    Model("random clicking", noise=np.inf),
)


@dataclass(frozen=True)
class Design:
    """Pools of five items, all ten triples of each, and who answers them."""

    n_pools: int
    n_people: int
    n_answers: int
    """Of different people to each tuple."""

    def tuples(self) -> IntArray:
        """All triples of each pool, shape (t, 3)."""
        of_pool = np.array(list(combinations(range(POOL_SIZE), TUPLE_SIZE)))
        first = np.arange(self.n_pools)[:, None, None] * POOL_SIZE
        tuples: IntArray = (first + of_pool).reshape(-1, TUPLE_SIZE)
        return tuples


DESIGNS = (
    *(Design(pools, people, 5) for pools in (6, 12, 60) for people in (8, 30)),
    Design(12, 8, 1),
    Design(60, 30, 1),
)


@dataclass(frozen=True)
class Coverage:
    """What became of the intervals of one model and design.

    Parameters
    ----------
    scores : float
        Share of the items whose expected score lies in its interval.
    extreme_scores : float
        The same of items with an expected score beyond ±.85; nan without any.
    ranks : float
        Share of the items whose rank by expected score lies in its rank interval.
    certain_share : float
        Share of the pairs in a certain order.
    n_of_no_width : int
        Intervals of width 0.
    n_studies : int
    """

    scores: float
    extreme_scores: float
    ranks: float
    certain_share: float
    n_of_no_width: int
    n_studies: int


@dataclass(frozen=True, eq=False)
class World:
    """The items of one study as either camp sees them; `perceived` has shape (2, n)."""

    model: Model
    tuples: IntArray
    perceived: FloatArray

    @classmethod
    def draw(cls, model: Model, tuples: IntArray, rng: np.random.Generator) -> "World":
        """Draw items that the tuples show."""
        n = int(tuples.max()) + 1
        both = np.stack([_latents(model, n, rng), _latents(model, n, rng)])
        is_shared = (rng.random(n) >= SHARE_OF_OWN_TASTE) | (not model.has_camps)
        return cls(model, tuples, np.where(is_shared, both[0], both))

    def people(self, n: int, rng: np.random.Generator) -> tuple[IntArray, FloatArray]:
        """Camp and noise of each of n people."""
        noise = self.model.noise * np.exp(self.model.noise_spread * rng.normal(size=n))
        noise[rng.random(n) < self.model.share_clicking] = np.inf
        return rng.integers(2, size=n), noise

    def orders(
        self, number: IntArray, camp: IntArray, noise: FloatArray, rng: np.random.Generator
    ) -> IntArray:
        """Items of tuples from the highest to the lowest perceived, shape (m, k)."""
        shown = self.tuples[number]
        deviate = rng.gumbel(size=shown.shape)
        if self.model.deviate == "normal":
            deviate = np.pi / np.sqrt(6) * rng.normal(size=shown.shape)
        perceived = self.perceived[camp[:, None], shown] / noise[:, None] + deviate
        return np.take_along_axis(shown, np.argsort(-perceived, axis=1), axis=1)

    def expected_scores(self, rng: np.random.Generator) -> FloatArray:
        """Scores from many new answers, each of a new person, shape (n,)."""
        number = np.repeat(np.arange(len(self.tuples)), N_NEW_ANSWERS)
        camp, noise = self.people(len(number), rng)
        tired = 1 + self.model.tiring * rng.random(len(number))
        order = self.orders(number, camp, noise * tired, rng)
        n = self.perceived.shape[1]
        net = np.bincount(order[:, 0], minlength=n) - np.bincount(order[:, -1], minlength=n)
        return net / np.bincount(order.ravel(), minlength=n)

    def study(
        self, design: Design, rng: np.random.Generator, *, as_orders: bool = False
    ) -> BestWorst:
        """Answers of different people to each tuple, in an order of their own."""
        t = len(self.tuples)
        camp, noise = self.people(design.n_people, rng)
        person = np.argsort(rng.random((t, design.n_people)), axis=1)[:, : design.n_answers]
        number, person = np.repeat(np.arange(t), design.n_answers), person.ravel()
        order_of_answers = np.lexsort((rng.random(len(person)), person))
        n_of_person = np.bincount(person, minlength=design.n_people)
        place = np.empty(len(person))
        place[order_of_answers] = np.concatenate([np.linspace(0, 1, n) for n in n_of_person])
        tired = 1 + self.model.tiring * place
        order = self.orders(number, camp[person], noise[person] * tired, rng)
        n = self.perceived.shape[1]
        if as_orders:
            return orders_of(self.tuples, number, order, n_items=n, annotator=person)
        return BestWorst(self.tuples, number, order[:, 0], order[:, -1], n, person)


def coverage_of_scores(
    model: Model,
    design: Design,
    *,
    n_studies: int,
    rng: np.random.Generator,
    as_orders: bool = False,
) -> Coverage:
    """Simulate studies and count whose expected scores and ranks lie in their intervals.

    Parameters
    ----------
    n_studies : int
        Studies with new people and answers; every fourth has new items, too.
    as_orders : bool
        Whether people put the items in order, instead of picking the best and the worst.
    """
    held, extreme, ranked, certain = [], [], [], []
    n_of_no_width = 0
    for number in range(n_studies):
        if number % 4 == 0:
            world = World.draw(model, design.tuples(), rng)
            expected = world.expected_scores(rng)
        study = world.study(design, rng, as_orders=as_orders)
        intervals = score_intervals(study)
        is_held = (intervals.low <= expected) & (expected <= intervals.high)
        rank = 1 + np.argsort(np.argsort(-expected.reshape(-1, POOL_SIZE), axis=1), axis=1).ravel()
        held.append(is_held)
        extreme.append(is_held[np.abs(expected) > 0.85])
        ranked.append((intervals.rank_low <= rank) & (rank <= intervals.rank_high))
        certain.append(intervals.certain_share)
        n_of_no_width += int((intervals.low >= intervals.high).sum())
    extremes = np.concatenate(extreme)
    return Coverage(
        float(np.mean(held)),
        float(extremes.mean()) if len(extremes) else float("nan"),
        float(np.mean(ranked)),
        float(np.mean(certain)),
        n_of_no_width,
        n_studies,
    )


def table(
    models: Iterable[Model] = MODELS,
    designs: Iterable[Design] = DESIGNS,
    *,
    n_studies: int,
    seed: int = 1,
    as_orders: bool = False,
) -> Iterator[tuple[Model, Design, Coverage]]:
    """The figures of each model and design, from so many studies."""
    designs = tuple(designs)
    for model in models:
        for design in designs:
            rng = np.random.default_rng(seed)
            yield (
                model,
                design,
                coverage_of_scores(
                    model, design, n_studies=n_studies, rng=rng, as_orders=as_orders
                ),
            )


def _latents(model: Model, n: int, rng: np.random.Generator) -> FloatArray:
    if model.latent == "steps":
        return rng.integers(-1, 2, n).astype(np.float64)
    if model.latent == "bimodal":
        return rng.choice([-1.0, 1.0], n) + 0.3 * rng.normal(size=n)
    return rng.normal(size=n)


def print_table(*, n_studies: int, as_orders: bool) -> None:
    """Print the figures of each model and design."""
    print("| model | pools | people | answers | scores | beyond ±.85 | ranks | certain pairs |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for model, design, cell in table(n_studies=n_studies, as_orders=as_orders):
        figures = (cell.scores, cell.extreme_scores, cell.ranks, cell.certain_share)
        print(
            f"| {model.name} | {design.n_pools} | {design.n_people} | {design.n_answers} |",
            " | ".join(f"{value:.3f}" for value in figures),
            "|" if not cell.n_of_no_width else f"| {cell.n_of_no_width} of no width",
            flush=True,
        )
