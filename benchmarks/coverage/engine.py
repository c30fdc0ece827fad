"""How often the interval of a statistic holds it, in simulated studies.

The truth is the mean of the statistic over many studies of the same size, each with items of its
own and people of its own. An interval that is not over people is of the people that it has: then
they stay the same.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np

from scoring.jackknife import MIN_PEOPLE, JackknifeInterval

Fixed: TypeAlias = Literal["nothing", "people"]

AIM = (0.92, 0.99)
# By chance one cell in fifty of 200 studies is outside, so those are simulated again with so many
# times the studies.
AGAIN = 5
# Where something stays the same, it is drawn anew for so many studies.
PER_SETTING = 10


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


class Model(Protocol):
    """How people answer."""

    def studies(self, cell: Cell, fixed: Fixed, *, seed: list[int]) -> Iterator[Any]:
        """Draw studies of one size without end; what is fixed is drawn once."""


@dataclass(frozen=True, eq=False)
class Statistic:
    """A statistic of simulated studies, and its interval."""

    value: Callable[[Any], float]
    interval: Callable[[Any], JackknifeInterval]


def is_outside(share: float) -> bool:
    """Whether too few or too many intervals hold, to two decimals; not where there are none."""
    low, high = AIM
    return round(share, 2) < low or round(share, 2) > high


def fixed_in(cell: Cell) -> Fixed:
    """What stays the same: jackknife intervals are of other people where there are enough."""
    return "nothing" if cell.n_people >= MIN_PEOPLE else "people"


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
    statistic: Statistic, model: Model, cell: Cell, *, n_studies: int, seed: int = 1
) -> Coverage:
    """Simulate studies and count how often the interval holds the truth.

    Where the truth is one of other people, an interval that says it is only of these is none.
    """
    fixed = fixed_in(cell)
    n_settings = 1 if fixed == "nothing" else -(-n_studies // PER_SETTING)
    per_setting = -(-n_studies // n_settings)
    truths, intervals = [], []
    for setting in range(n_settings):
        # Twice as many others, so that the truth is far more precise than a study.
        n_others = max(2 * per_setting, 60)
        studies = model.studies(cell, fixed, seed=[seed, cell.n_pools, cell.n_people, setting])
        truth = float(np.nanmean([statistic.value(next(studies)) for _ in range(n_others)]))
        truths += [truth] * per_setting
        intervals += [statistic.interval(next(studies)) for _ in range(per_setting)]
    given = [
        (truth, interval)
        for truth, interval in zip(truths, intervals, strict=True)
        if interval.reason is None and (fixed == "people" or interval.is_over_people)
    ]
    nan = float("nan")
    return Coverage(
        float(np.mean(truths)),
        float(np.mean([i.low <= truth <= i.high for truth, i in given])) if given else nan,
        len(given),
        len(intervals) - len(given),
        float(np.median([i.high - i.low for _truth, i in given])) if given else nan,
    )
