"""Coverage of what is said of measures: correlations within pools, and their differences.

Each line is one generating model: how often an interval held the truth, or a test rejected where
nothing differs.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from scoring import compare_by_jackknife, compare_within_pools, correlate_within_pools
from scoring.arrays import FloatArray, IntArray

SIZE = 5
# Pools whose mean stands for the truth.
N_TRUTH = 20_000


@dataclass(frozen=True)
class Cell:
    """How often something held in simulated studies of one model."""

    what: str
    model: str
    n_studies: int
    share: float


def cells(n_studies: int, rng: np.random.Generator) -> Iterator[Cell]:
    """Yield every cell; `n_studies`: simulated studies of each."""
    for tail, n_pools in ((tail, n) for tail in (False, True) for n in (12, 60)):
        model = f"{n_pools} pools of {SIZE}, {'t(3)' if tail else 'normal'}"
        yield _cell("interval of r within pools", model, n_studies, _covers(tail, n_pools, rng))
        yield _cell("test within pools rejects", model, n_studies, _rejects(tail, n_pools, rng))
        yield _cell(
            "jackknife test rejects", model, n_studies, _rejects_over_all(tail, n_pools, rng)
        )


def _cell(what: str, model: str, n_studies: int, held: Callable[[], bool]) -> Cell:
    return Cell(what, model, n_studies, float(np.mean([held() for _study in range(n_studies)])))


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
    """Print every cell."""
    for cell in cells(n_studies, np.random.default_rng(1)):
        print(f"{cell.share:.3f}\t{cell.what}\t{cell.model}", flush=True)
