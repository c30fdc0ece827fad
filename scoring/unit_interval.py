"""Intervals of statistics that are computed unit by unit, such as alpha of ratings and of labels.

Symbols: m answers about n units, each of which has at least two; r weightings of the units.
"""

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.jackknife import (
    MAX_BLOCK_GROUPS,
    JackknifeInterval,
    Sampled,
    block_variance,
    numbered,
    one_way_variance,
    sampled,
)
from shell.messages import Message

# From how often each unit counts, shape (r, n), to the statistic of each weighting, shape (r,).
OfWeights: TypeAlias = Callable[[FloatArray], FloatArray]
# From some answers, by number, and the unit that each is counted with, to such a function; its
# units are in ascending order.
Prepare: TypeAlias = Callable[[IntArray, IntArray], OfWeights]

# Many people, and many units, are left out in groups: this many degrees of freedom are enough.
MAX_GROUPS = 100


def check_pool(pool: IntArray | None, *, n_units: int) -> None:
    """Raise ValueError if there is not a pool for each unit."""
    if pool is not None and np.shape(pool) != (n_units,):
        raise ValueError(f"pool has shape {np.shape(pool)} for {n_units} units")


def unit_interval(
    unit: IntArray,
    annotator: IntArray,
    value: float,
    prepare: Prepare,
    *,
    pool: IntArray | None,
    reason: Message | None,
) -> JackknifeInterval:
    """Interval over people, and pools or items.

    Parameters
    ----------
    unit, annotator : int array, shape (m,)
        Unit and person of each answer; units with a single answer do not count.
    value : float
        The statistic of all, at most 1.
    prepare : function
        From answers, and the unit that each is counted with, to the statistic of weighted units.
    pool : int array, shape (n,), optional
        Pool of each unit. Pools are left out where there are enough of them, else units.
    reason : Message or None
        Why there is no statistic.

    References
    ----------
    [Miller1974], [CameronGelbachMiller2011], [Kish1965] in docs/references.md
    """
    answers = np.flatnonzero(_is_paired(unit))
    units, unit_of = np.unique(unit[answers], return_inverse=True)
    person = annotator[answers]
    sample, labels = sampled_units(units, person, pool)
    if reason := reason or sample.reason:
        return sample.nothing(reason)
    # Of few units the scale reaches far below what the statistic can be.
    lowest = min(-1.0, value)
    group = numbered(labels, max_groups=MAX_GROUPS)
    of_weights = prepare(answers, unit_of)
    of_units = one_way_variance(of_weights(_without_each(group)))
    if sample.left_out == "pools":
        # Few pools may differ too little by chance: at least as much as their items do.
        items = one_way_variance(of_weights(_without_each(numbered(units, max_groups=MAX_GROUPS))))
        of_units = max(of_units, items, key=lambda variance: variance.value)
    if not sample.is_over_people:
        return sample.interval(value, of_units, lowest=lowest)
    row = numbered(person, max_groups=MAX_GROUPS)
    of_people = one_way_variance(
        np.array([_without(prepare, answers, unit_of, row == p) for p in range(row.max() + 1)])
    )
    row, column = (numbered(each, max_groups=MAX_BLOCK_GROUPS) for each in (person, labels))
    blocks = np.stack(
        [
            _without_blocks(prepare, answers, unit_of, row == a, column)
            for a in range(row.max() + 1)
        ]
    )
    of_blocks = block_variance(blocks)
    return sample.interval(value, of_units, of_people, of_blocks, lowest=lowest)


def sampled_units(
    units: IntArray, annotator: IntArray, pool: IntArray | None
) -> tuple[Sampled, IntArray]:
    """What is left out in turn, and of each of these units, (n,), what it is left out with."""
    pools = np.zeros(len(units), dtype=np.int64) if pool is None else np.asarray(pool)[units]
    sample = sampled(
        unit="items",
        n_units=len(units),
        n_items=len(units),
        n_pools=len(np.unique(pools)),
        annotator=annotator,
    )
    return sample, pools if sample.left_out == "pools" else units


def _is_paired(unit: IntArray) -> BoolArray:
    """Whether another answer is about the same unit."""
    _units, number, n_answers = np.unique(unit, return_inverse=True, return_counts=True)
    return np.asarray(n_answers[number] >= 2)


def _without_each(group: IntArray) -> FloatArray:
    """Weights of the units without each group of them, shape (g, n)."""
    is_left = group != np.arange(group.max() + 1)[:, None]
    return np.asarray(is_left, dtype=np.float64)


def _without(
    prepare: Prepare, answers: IntArray, unit_of: IntArray, is_left_out: BoolArray
) -> float:
    """The statistic without some people's answers; nan if no unit has two others."""
    rest, units = answers[~is_left_out], unit_of[~is_left_out]
    is_paired = _is_paired(units)
    if not is_paired.any():
        return math.nan
    units = units[is_paired]
    return float(prepare(rest[is_paired], units)(np.ones((1, len(np.unique(units)))))[0])


def _without_blocks(
    prepare: Prepare,
    answers: IntArray,
    unit_of: IntArray,
    is_left_out: BoolArray,
    column: IntArray,
) -> FloatArray:
    """The statistic without what some people say of each group of units, shape (b,).

    Each unit is there twice, with all answers and without theirs; the weights pick one of both.
    """
    n, is_left = len(column), ~is_left_out
    twice = np.concatenate([answers, answers[is_left]])
    units = np.concatenate([unit_of, n + unit_of[is_left]])
    is_paired = _is_paired(units)
    twice, units = twice[is_paired], units[is_paired]
    present = np.unique(units)
    is_column = np.arange(column.max() + 1)[:, None] == column[present % n]
    weights = np.where(present < n, ~is_column, is_column).astype(np.float64)
    of_blocks: FloatArray = prepare(twice, units)(weights)
    return of_blocks
