"""How often intervals hold what they are of, in simulated studies.

    python -m benchmarks.coverage [TABLE ...] [--quick] [--studies N]

Reliability and agreement of all kinds of studies, scores and ranks of items, and figures of
measures: correlations, differences and noise ceilings; forecasts from a pilot and of the end of
collection. And how often flags are of honest people and of careless ones, how often alerts are
false, and what can be known of the share of somebody's random answers.
"""

import argparse
import time
from collections.abc import Callable, Mapping

from benchmarks.coverage import (
    alerts,
    best_worst,
    ceilings,
    flags,
    forecasts,
    measures,
    pace,
    random_answers,
    ratings,
    scores,
)
from benchmarks.coverage.engine import (
    AGAIN,
    AIM,
    Cell,
    Coverage,
    Model,
    Statistic,
    coverage,
    fixed_in,
    is_outside,
)

CELLS = (
    *(Cell(n_pools, n_people) for n_pools in (6, 12, 60) for n_people in (8, 30, 60)),
    *(Cell(1, n_people, 60, 4) for n_people in (8, 30)),
    Cell(1, 30, 20, 4),
)
QUICK_CELLS = (Cell(6, 30), Cell(12, 8), Cell(1, 30, 60, 4))
# Statistics, and the models of the studies that they are of.
STUDIES: tuple[tuple[Mapping[str, Statistic], Mapping[str, Model]], ...] = (
    (best_worst.STATISTICS, best_worst.MODELS),
    (ratings.STATISTICS, ratings.MODELS),
)


def _is_outside(row: Coverage) -> bool:
    """Whether intervals hold too little or too much; not where most studies have none."""
    return row.n_intervals >= row.n_without and is_outside(row.share)


def reliability(options: argparse.Namespace) -> None:
    """Print the table of reliability and agreement."""
    n_studies = options.studies or (60 if options.quick else 200)
    beginnings = tuple((options.models or "").split(","))
    wanted = (options.statistics or "").split(",")
    print("| statistic | model | study | over | truth | coverage | width | without |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    cells = [
        (name, statistic, model_name, model, cell)
        for statistics, models in STUDIES
        for name, statistic in statistics.items()
        if wanted == [""] or name in wanted
        for model_name, model in models.items()
        if model_name.startswith(beginnings)
        for cell in (QUICK_CELLS if options.quick else CELLS)
    ]
    outside = 0
    for name, statistic, model_name, model, cell in cells:
        row = coverage(statistic, model, cell, n_studies=n_studies)
        if _is_outside(row):
            row = coverage(statistic, model, cell, n_studies=AGAIN * n_studies, seed=2)
        mark = " !" if _is_outside(row) else ""
        outside += bool(mark)
        print(
            f"| {name} | {model_name} | {cell} "
            f"| {'everything' if fixed_in(cell) == 'nothing' else 'these people'} "
            f"| {row.truth:.3f} | {row.share:.3f}{mark} "
            f"| {row.width:.3f} | {row.n_without} |",
            flush=True,
        )
    print(f"{outside} of {len(cells)} cells outside {AIM[0]} to {AIM[1]}")


TABLES: Mapping[str, Callable[[argparse.Namespace], None]] = {
    "reliability": reliability,
    "scores": lambda options: scores.print_table(
        n_studies=options.studies or (20 if options.quick else 200), as_orders=options.orders
    ),
    "measures": lambda options: measures.print_table(
        n_studies=options.studies or (60 if options.quick else 200)
    ),
    "ceilings": lambda options: ceilings.print_table(
        n_studies=options.studies or (20 if options.quick else 200)
    ),
    "alerts": lambda options: alerts.print_table(
        n_studies=options.studies or (10 if options.quick else 100)
    ),
    "flags": lambda options: flags.print_table(
        n_studies=options.studies or (60 if options.quick else 200),
        quick=options.quick,
        kinds=tuple((options.kinds or "").split(",")),
        models=tuple((options.models or "").split(",")),
    ),
    "random-answers": lambda options: random_answers.print_table(
        n_studies=options.studies or (5 if options.quick else 25)
    ),
    "forecasts": lambda options: forecasts.print_table(
        n_studies=options.studies or (20 if options.quick else 200),
        figures=tuple((options.statistics or "").split(",")),
        models=tuple((options.models or "").split(",")),
    ),
    "pace": lambda options: pace.print_table(
        n_studies=options.studies or (60 if options.quick else 200)
    ),
}


def main() -> None:
    """Print the tables that are asked for, by default all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("tables", nargs="*", choices=[*TABLES, []], help="by default all")
    parser.add_argument("--quick", action="store_true", help="three sizes, 60 studies of each")
    parser.add_argument("--studies", type=int, help="studies of each cell (default: 200)")
    parser.add_argument(
        "--models",
        help="of reliability, flags and forecasts: beginnings of models' names",
    )
    parser.add_argument(
        "--statistics", help="of reliability: names; of forecasts: beginnings of them"
    )
    parser.add_argument("--kinds", help="of flags: beginnings of kinds of studies")
    parser.add_argument("--orders", action="store_true", help="of scores: people rank the items")
    options = parser.parse_args()
    start = time.monotonic()
    for name in options.tables or TABLES:
        print(f"\n{name}\n")
        TABLES[name](options)
    print(f"{time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
