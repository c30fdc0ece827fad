"""How often flags accuse honest people, and how often they find careless ones.

Nobody in the honest studies answers at random, however little they may agree; people take about
the same time and see the options shuffled. In the others, some of the people click at random, in
all of their answers or in half of them, as fast as everybody else.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np

import scoring
from benchmarks.coverage import best_worst, ratings
from benchmarks.coverage.engine import AGAIN, Cell
from benchmarks.coverage.engine import Model as AnyModel
from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.rankings.orders import orders_of

CELLS = (
    *(Cell(n_pools, n_people) for n_pools in (6, 12, 60) for n_people in (8, 30)),
    Cell(1, 30, 60, 4),
)
QUICK_CELLS = (Cell(6, 30), Cell(12, 8), Cell(60, 30))
# Where categories begin: two of about the same size, one of a quarter, one of about a tenth.
CATEGORIES: Mapping[str, tuple[int, ...]] = {
    "labels": ratings.THREE_CATEGORIES,
    "labels 50:50": (3,),
    "labels 25:75": (5,),
    "labels 10:90": (6,),
}
# Eighteen people with about forty and a hundred answers each; of ratings and labels, forty and
# sixty.
_TUPLES, _UNITS = (Cell(14, 18), Cell(36, 18)), (Cell(29, 18), Cell(43, 18))
CELLS_OF_CARELESS = {
    "best-worst": _TUPLES,
    "ranking": _TUPLES,
    "ratings": _UNITS,
    **dict.fromkeys(CATEGORIES, _UNITS),
}
NUMBERS_OF_CARELESS = (1, 2, 3, 4)
# Everybody rates or labels all 60 items: agreement is tested by at least 20 answers of 15 people.
CELLS_OF_EVERYBODY = (Cell(1, 18, 60), Cell(1, 30, 60))
# Of honest studies no larger share shall have a flag.
AIM = 0.05

HONEST_BEST_WORST: Mapping[str, best_worst.Model] = {
    **{
        name: model
        for name, model in best_worst.MODELS.items()
        if model.clickers == 0 and model.unequal == 0
    },
    "two camps (half)": best_worst.Model(camp=0.5),
    "unequal work": best_worst.Model(unequal=0.8),
}
HONEST_RATINGS: Mapping[str, ratings.Model] = {
    **{
        name: model
        for name, model in ratings.MODELS.items()
        if model.clickers == 0 and model.unequal == 0
    },
    "noise differs (lognormal .6)": ratings.Model(differing=0.6, levels=0.0),
    "levels differ (1.0)": ratings.Model(levels=1.0),
    "two camps (half)": ratings.Model(camp=0.5),
    "unequal work": ratings.Model(unequal=0.8),
}


@dataclass(frozen=True, eq=False)
class Kind:
    """A kind of study: how honest people answer, how somebody clicks, and the flags."""

    models: Mapping[str, AnyModel]
    clicked: Callable[[Any, BoolArray, np.random.Generator], Any]
    person: Callable[[Any], IntArray]
    flags: Callable[[Any, np.random.Generator], scoring.Flags]


def _clicked_orders(
    study: best_worst.Study, is_random: BoolArray, rng: np.random.Generator
) -> best_worst.Study:
    orders = study.orders
    order = orders.order.copy()
    order[is_random] = rng.permuted(order[is_random], axis=1)
    return replace(
        study,
        orders=orders_of(
            orders.tuples,
            orders.tuple_number,
            order,
            n_items=orders.n_items,
            annotator=orders.annotator,
        ),
    )


def _clicked_ratings(
    study: ratings.Study, is_random: BoolArray, rng: np.random.Generator
) -> ratings.Study:
    value = study.ratings.value.copy()
    value[is_random] = rng.integers(ratings.HIGHEST + 1, size=int(is_random.sum()))
    return replace(study, ratings=replace(study.ratings, value=value))


def _clicked_labels(
    study: ratings.Study, is_random: BoolArray, rng: np.random.Generator, *, cuts: tuple[int, ...]
) -> ratings.Study:
    """Each category is as likely as any other."""
    value = study.ratings.value.copy()
    lowest_ratings = np.array((0, *cuts))
    value[is_random] = rng.choice(lowest_ratings, size=int(is_random.sum()))
    return replace(study, ratings=replace(study.ratings, value=value))


def _seconds(person: IntArray, rng: np.random.Generator) -> FloatArray:
    """People have a pace of their own."""
    pace = 0.3 * rng.normal(size=int(person.max()) + 1)
    return 15 * np.exp(pace[person] + 0.5 * rng.normal(size=len(person)))


def _flags_of_tuples(answers: scoring.BestWorst, rng: np.random.Generator) -> scoring.Flags:
    assert answers.annotator is not None  # simulated people have numbers
    m, k = answers.n_judgments, answers.tuple_size
    return scoring.flags(
        answers,
        positions=rng.permuted(np.tile(np.arange(k), (m, 1)), axis=1)[:, :2],
        seconds=_seconds(answers.annotator, rng),
        answered_at=rng.random(m),
    )


def _flags_of_ratings(study: ratings.Study, rng: np.random.Generator) -> scoring.Flags:
    batch = study.ratings
    seconds = _seconds(batch.annotator, rng)
    return scoring.rating_flags(
        replace(batch, thinking_ms=1000 * seconds), answered_at=rng.random(batch.n_ratings)
    )


def _flags_of_labels(
    study: ratings.Study, rng: np.random.Generator, *, cuts: tuple[int, ...]
) -> scoring.Flags:
    batch = study.labels_of(cuts)
    return scoring.label_flags(
        batch,
        seconds=_seconds(batch.annotator, rng),
        answered_at=rng.random(batch.n_answers),
    )


def _person_of_orders(study: best_worst.Study) -> IntArray:
    assert study.orders.annotator is not None  # simulated people have numbers
    return study.orders.annotator


def _person_of_ratings(study: ratings.Study) -> IntArray:
    return study.ratings.annotator


KINDS: Mapping[str, Kind] = {
    "best-worst": Kind(
        HONEST_BEST_WORST,
        _clicked_orders,
        _person_of_orders,
        lambda study, rng: _flags_of_tuples(study.answers, rng),
    ),
    "ranking": Kind(
        HONEST_BEST_WORST,
        _clicked_orders,
        _person_of_orders,
        lambda study, rng: _flags_of_tuples(study.orders, rng),
    ),
    "ratings": Kind(HONEST_RATINGS, _clicked_ratings, _person_of_ratings, _flags_of_ratings),
    **{
        name: Kind(
            HONEST_RATINGS,
            partial(_clicked_labels, cuts=cuts),
            _person_of_ratings,
            partial(_flags_of_labels, cuts=cuts),
        )
        for name, cuts in CATEGORIES.items()
    },
}


@dataclass(frozen=True)
class Found:
    """What the flags of simulated studies found.

    Parameters
    ----------
    accused : float
        Share of the studies with any flag of an honest person.
    careless : float
        Share of the careless people with any flag; nan without any.
    kinds : dict
        Number of the studies with a flag of an honest person of each kind of flag.
    """

    accused: float
    careless: float
    kinds: Mapping[str, int]


def found(
    kind: Kind,
    model: AnyModel,
    cell: Cell,
    *,
    n_studies: int,
    n_careless: int = 0,
    share_random: float = 1.0,
    seed: int = 1,
) -> Found:
    """Simulate studies in which the first people are careless, and flag them."""
    studies = model.studies(cell, "nothing", seed=[seed, cell.n_pools, cell.n_people])
    rng = np.random.default_rng([seed, n_careless])
    n_accused = n_found = 0
    kinds: Counter[str] = Counter()
    for _study in range(n_studies):
        study = next(studies)
        person = kind.person(study)
        is_random = (person < n_careless) & (rng.random(len(person)) < share_random)
        flags = kind.flags(kind.clicked(study, is_random, rng), rng).flags
        honest = {flag.kind for flag in flags if flag.annotator >= n_careless}
        kinds.update(honest)
        n_accused += bool(honest)
        n_found += len({flag.annotator for flag in flags if flag.annotator < n_careless})
    n_in_all = n_studies * n_careless
    return Found(n_accused / n_studies, n_found / n_in_all if n_careless else float("nan"), kinds)


def print_table(
    *, n_studies: int, quick: bool, kinds: tuple[str, ...] = ("",), models: tuple[str, ...] = ("",)
) -> None:
    """Print the share of honest studies with a flag, and what is found of careless people."""
    wanted = [
        (name, model_name, model)
        for name, kind in KINDS.items()
        if name.startswith(kinds)
        for model_name, model in kind.models.items()
        if model_name.startswith(models)
    ]
    print("| kind | model | study | studies with a flag | of |")
    print("| --- | --- | --- | --- | --- |")
    for name, model_name, model in wanted:
        sizes = [(model, cell, str(cell)) for cell in (QUICK_CELLS if quick else CELLS)]
        if isinstance(model, ratings.Model):
            sizes += [
                (replace(model, ratings_per_item=cell.n_people), cell, f"{cell}, all by everybody")
                for cell in CELLS_OF_EVERYBODY
            ]
        for of_cell, cell, size in sizes:
            row = found(KINDS[name], of_cell, cell, n_studies=n_studies)
            if row.accused > AIM:
                row = found(KINDS[name], of_cell, cell, n_studies=AGAIN * n_studies, seed=2)
            of = ", ".join(f"{key} {n}" for key, n in row.kinds.items())
            mark = " !" if row.accused > AIM else ""
            print(
                f"| {name} | {model_name} | {size} | {row.accused:.3f}{mark} | {of} |", flush=True
            )
    print("\n| kind | model | study | answers at random | careless people | found | accused |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, model_name, model in wanted:
        for cell, share_random in product(CELLS_OF_CARELESS[name], (1.0, 0.5)):
            rows = [
                found(
                    KINDS[name],
                    model,
                    cell,
                    n_studies=max(1, n_studies // 4),
                    n_careless=n_careless,
                    share_random=share_random,
                )
                for n_careless in NUMBERS_OF_CARELESS
            ]
            print(
                f"| {name} | {model_name} | {cell} | {share_random:.0%} "
                f"| {', '.join(map(str, NUMBERS_OF_CARELESS))} "
                f"| {', '.join(f'{row.careless:.2f}' for row in rows)} "
                f"| {', '.join(f'{row.accused:.2f}' for row in rows)} |",
                flush=True,
            )
