"""How often the range of a forecast from a pilot holds what the full study finds.

The pilot and the full study have other people and other pools. The forecast is that of the
planner; of best-worst studies with the shape of the latent scores estimated from the pilot. Of
ratings it is ICC(1,k), of labels alpha.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from typing import TypeAlias

import numpy as np

from benchmarks.coverage import ratings
from benchmarks.coverage.best_worst import (
    ANSWERS_PER_TUPLE,
    MODELS,
    Model,
    drawn_items,
    drawn_people,
    drawn_study,
)
from benchmarks.coverage.engine import Cell
from scoring import (
    BestWorst,
    estimate_noise,
    forecast,
    intraclass_correlation,
    label_alpha,
    split_half,
)
from scoring.forecasts.labels import estimate_label_error, label_forecast
from scoring.forecasts.rating_noise import estimate_rating_noise
from scoring.forecasts.ratings import rating_forecast

Range: TypeAlias = tuple[float, float]

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
SPLIT_HALF = "split-half"
RATED = {
    **{
        name: ratings.MODELS[name]
        for name in (
            "people alike",
            "people differ (lognormal .6, levels .8)",
            "15 % random clickers",
            "two camps (30 %)",
            "fatigue",
            "skewed items",
            "bimodal items",
        )
    },
    "items of a pool alike (3/4 of the variance between pools)": ratings.Model(between_pools=0.75),
}
# Simulated studies of one forecast, of ratings and labels as many as in the planner, and splits of
# each full study.
N_SIMULATED, N_SIMULATED_ANSWERS, N_SPLITS = 100, 200, 30


def print_table(
    *, n_studies: int, figures: tuple[str, ...] = ("",), models: tuple[str, ...] = ("",)
) -> None:
    """Print each cell: so many pilots, each of whose ranges is compared with all full studies.

    Of figures and models whose names begin in one of these ways.
    """
    print("| figure | model | pilot | mean | coverage | width | without |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in NAMES:
        if not name.startswith(models) or not SPLIT_HALF.startswith(figures):
            continue
        model, rng = MODELS[name], np.random.default_rng(1)
        full = [_answers(model, FULL, rng) for _study in range(n_studies)]
        split_halves = [
            split_half(answers, rule="random", n_splits=N_SPLITS, rng=rng).pearson.mean
            for answers in full
        ]
        for cell in PILOTS:
            pilots = [_answers(model, cell, rng) for _pilot in range(n_studies)]
            ranges = [_range(pilot, full[0], rng) for pilot in pilots]
            _print_row(f"| {SPLIT_HALF} | {name} | {cell}", ranges, split_halves)
    for name, rated in RATED.items():
        if not name.startswith(models):
            continue
        rng = np.random.default_rng(1)
        studies = [*islice(rated.studies(FULL, "nothing", seed=[1]), n_studies)]
        for figure, (value, range_from) in FIGURES.items():
            if not figure.startswith(figures):
                continue
            found = [value(study) for study in studies]
            for number, cell in enumerate(PILOTS, start=2):
                drawn = rated.studies(cell, "nothing", seed=[number])
                ranges = [range_from(pilot, rng) for pilot in islice(drawn, n_studies)]
                _print_row(f"| {figure} | {name} | {cell}", ranges, found)


def _print_row(beginning: str, ranges: list[Range], found: list[float]) -> None:
    low, high = np.array(ranges).T
    known = ~np.isnan(low)
    low, high = low[known, None], high[known, None]
    share = np.mean((low <= found) & (found <= high))
    cells = (np.mean(found), share, np.median(high - low))
    print(
        f"{beginning} | {' | '.join(f'{cell:.3f}' for cell in cells)} | {(~known).sum()} |",
        flush=True,
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


def _range_of_ratings(pilot: ratings.Study, rng: np.random.Generator) -> Range:
    rated = replace(pilot.ratings, low=0, high=ratings.HIGHEST, step=1)
    estimate = estimate_rating_noise(rated, pool=pilot.pool, rng=rng)
    if estimate.value is None:
        return np.nan, np.nan
    icc = rating_forecast(
        estimate.value,
        draws=estimate.draws,
        n_units=FULL.n_pools * FULL.pool_size,
        low=0,
        high=ratings.HIGHEST,
        step=1,
        n_ratings=[ratings.RATINGS_PER_ITEM],
        n_studies=N_SIMULATED_ANSWERS,
        rng=rng,
    ).icc
    return float(icc.low[0]), float(icc.high[0])


def _range_of_labels(pilot: ratings.Study, rng: np.random.Generator) -> Range:
    estimate = estimate_label_error(pilot.labels, pool=pilot.pool, rng=rng)
    if estimate.drawn_shares is None:
        return np.nan, np.nan
    alpha = label_forecast(
        estimate.drawn_shares,
        error=estimate.draws,
        n_units=FULL.n_pools * FULL.pool_size,
        n_labels=[ratings.RATINGS_PER_ITEM],
        n_studies=N_SIMULATED_ANSWERS,
        rng=rng,
    ).alpha
    return float(alpha.low[0]), float(alpha.high[0])


FIGURES: dict[
    str,
    tuple[Callable[[ratings.Study], float], Callable[[ratings.Study, np.random.Generator], Range]],
] = {
    "ICC(1,k)": (
        lambda study: intraclass_correlation(study.ratings, kind="1,k").value,
        _range_of_ratings,
    ),
    "alpha of labels": (
        lambda study: label_alpha(study.labels, distance="nominal").value,
        _range_of_labels,
    ),
}
