"""How often the range of a forecast from a pilot holds what the full study finds.

The pilot and the full study have other people and other pools. The forecast is that of the
planner, with the shape of the latent scores estimated from the pilot.
"""

import numpy as np

from benchmarks.coverage.best_worst import (
    ANSWERS_PER_TUPLE,
    MODELS,
    Model,
    drawn_items,
    drawn_people,
    drawn_study,
)
from benchmarks.coverage.engine import Cell
from scoring import BestWorst, estimate_noise, forecast, split_half

FULL = Cell(60, 30)
PILOTS = tuple(Cell(n_pools, n_people) for n_pools in (6, 12) for n_people in (8, 30))
NAMES = (
    "people alike (Gumbel)",
    "people differ (lognormal .6)",
    "15 % random clickers",
    "Thurstone",
    "bimodal items",
    "two camps (30 %)",
)
# Simulated studies of one forecast, and splits of each full study.
N_SIMULATED, N_SPLITS = 20, 30


def print_table(*, n_studies: int) -> None:
    """Print each cell: so many pilots, each of whose ranges is compared with all full studies."""
    print("| model | pilot | split-half | coverage | width |")
    print("| --- | --- | --- | --- | --- |")
    for name in NAMES:
        model, rng = MODELS[name], np.random.default_rng(1)
        full = [_answers(model, FULL, rng) for _study in range(n_studies)]
        found = np.array(
            [
                split_half(answers, rule="random", n_splits=N_SPLITS, rng=rng).pearson.mean
                for answers in full
            ]
        )
        for cell in PILOTS:
            ranges = np.array(
                [_range(_answers(model, cell, rng), full[0], rng) for _pilot in range(n_studies)]
            )
            low, high = ranges.T
            share = np.mean((low[:, None] <= found) & (found <= high[:, None]))
            width = np.median(high - low)
            print(
                f"| {name} | {cell} | {found.mean():.3f} | {share:.3f} | {width:.3f} |", flush=True
            )


def _answers(model: Model, cell: Cell, rng: np.random.Generator) -> BestWorst:
    return drawn_study(
        model, drawn_items(model, cell, rng), drawn_people(model, cell, rng), rng
    ).answers


def _range(pilot: BestWorst, full: BestWorst, rng: np.random.Generator) -> tuple[float, float]:
    """The range of the forecast of a study on the tuples of `full`."""
    estimate = estimate_noise(pilot, shape="pilot", rng=rng)
    expected = forecast(
        full.tuples,
        n_items=full.n_items,
        noise=estimate.draws,
        latents=estimate.latents,
        n_answers=[ANSWERS_PER_TUPLE],
        n_studies=N_SIMULATED,
        rng=rng,
    ).pearson
    return float(expected.low[0]), float(expected.high[0])
