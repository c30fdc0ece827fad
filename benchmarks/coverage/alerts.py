"""How often the alert "agreement falling" is raised in studies whose people agree as before.

A study is scored when a part of its answers is there, and again when all are. It is alerted if the
later figure lies below the interval of the earlier one, which must be over people. People come one
after another, or all work at the same time.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, TypeAlias

import numpy as np

from benchmarks.coverage import best_worst, ratings
from benchmarks.coverage.engine import Cell, Statistic
from scoring import JackknifeInterval, Ratings
from scoring.arrays import BoolArray, IntArray
from scoring.rankings.concordance import concordance
from scoring.rankings.orders import orders_of

# Shares of the answers at the earlier scoring. Above .9 there is no comparison.
EARLIER = (0.5, 0.7, 0.9)
# Intervals over people need 30 of them, who also come one after another.
CELLS = tuple(Cell(n_pools, n_people) for n_pools in (6, 12, 60) for n_people in (30, 60))
COMING = ("one after another", "at the same time")

Part: TypeAlias = Callable[[Any, BoolArray], Any]


@dataclass(frozen=True)
class Row:
    """What became of the comparisons of one figure, model and size.

    Parameters
    ----------
    figure, model, study, coming : str
    share : float
        Share of the comparisons that raise an alert; nan without any.
    n_comparisons, n_without : int
        Those that have an interval over people, and those that have not.
    """

    figure: str
    model: str
    study: str
    coming: str
    share: float
    n_comparisons: int
    n_without: int


def _people_of(study: best_worst.Study | ratings.Study) -> IntArray:
    if isinstance(study, ratings.Study):
        return study.ratings.annotator
    people = study.orders.annotator
    assert people is not None  # simulated people are known
    return people


def _part_of_orders(study: best_worst.Study, is_there: BoolArray) -> best_worst.Study:
    orders = study.orders
    assert orders.annotator is not None  # simulated people are known
    part = orders_of(
        orders.tuples,
        orders.tuple_number[is_there],
        orders.order[is_there],
        n_items=orders.n_items,
        annotator=orders.annotator[is_there],
    )
    return replace(study, orders=part)


def _part_of_ratings(study: ratings.Study, is_there: BoolArray) -> ratings.Study:
    rated = study.ratings
    part = Ratings(
        rated.annotator[is_there],
        rated.unit[is_there],
        rated.value[is_there],
        rated.n_annotators,
        rated.n_units,
    )
    return replace(study, ratings=part)


def _spearman(study: best_worst.Study) -> float:
    return concordance(study.orders).mean_spearman


def _spearman_interval(study: best_worst.Study) -> JackknifeInterval:
    found = concordance(study.orders, pool=study.pool, with_intervals=True)
    assert found.spearman_interval is not None  # it was asked for
    return found.spearman_interval


CLICKING = "everybody clicks at random"
OF_TUPLES = {**best_worst.MODELS, CLICKING: best_worst.Model(clickers=1.0)}
OF_RATINGS = {**ratings.MODELS, CLICKING: ratings.Model(clickers=1.0)}
FIGURES: Mapping[str, tuple[Mapping[str, Any], Statistic, Part]] = {
    "best-worst, alpha": (OF_TUPLES, best_worst.STATISTICS["alpha"], _part_of_orders),
    "ranking, mean Spearman": (
        OF_TUPLES,
        Statistic(_spearman, _spearman_interval),
        _part_of_orders,
    ),
    "ratings, alpha": (OF_RATINGS, ratings.STATISTICS["alpha of ratings"], _part_of_ratings),
    "labels, alpha": (OF_RATINGS, ratings.STATISTICS["alpha of labels"], _part_of_ratings),
}


def rows(n_studies: int) -> Iterator[Row]:
    """Simulate so many studies of each figure, model, size and way of coming."""
    for figure, (models, statistic, part) in FIGURES.items():
        for name, model in models.items():
            for cell in CELLS:
                for coming in COMING:
                    studies = model.studies(cell, "nothing", seed=[3, cell.n_pools, cell.n_people])
                    rng = np.random.default_rng([4, cell.n_pools, cell.n_people])
                    alerts = [
                        alert
                        for study in islice(studies, n_studies)
                        for alert in _alerts(study, statistic, part, coming=coming, rng=rng)
                    ]
                    compared = [alert for alert in alerts if alert is not None]
                    yield Row(
                        figure,
                        name,
                        str(cell),
                        coming,
                        float(np.mean(compared)) if compared else np.nan,
                        len(compared),
                        len(alerts) - len(compared),
                    )


def _alerts(
    study: Any, statistic: Statistic, part: Part, *, coming: str, rng: np.random.Generator
) -> Iterator[bool | None]:
    """Whether each comparison raises an alert; None where there is no interval over people."""
    people, now = _people_of(study), statistic.value(study)
    turn = rng.random(len(people))
    if coming == "one after another":
        turn += rng.permutation(people.max() + 1)[people]
    place = np.argsort(np.argsort(turn))
    for share in EARLIER:
        interval = statistic.interval(part(study, place < share * len(people)))
        is_known = interval.reason is None and interval.is_over_people
        yield bool(now < interval.low) if is_known else None


def print_table(*, n_studies: int) -> None:
    """Print every row."""
    print("| figure | model | study | people come | alerts | comparisons | without |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for row in rows(n_studies):
        print(
            f"| {row.figure} | {row.model} | {row.study} | {row.coming} "
            f"| {row.share:.4f} | {row.n_comparisons} | {row.n_without} |",
            flush=True,
        )
