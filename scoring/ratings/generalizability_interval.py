"""Intervals of coefficients of generalizability: over people, and items or pools."""

from collections.abc import Callable

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.groups import ratio
from scoring.jackknife import (
    MAX_BLOCK_GROUPS,
    JackknifeInterval,
    Variance,
    block_variance,
    numbered,
    one_way_variance,
    why_not_over_people,
)
from scoring.ratings.variance_components import CrossedRatings
from scoring.unit_interval import MAX_GROUPS, sampled_units
from shell.messages import Message
from shell.messages import message as _


def coefficient_interval(
    crossed: CrossedRatings,
    *,
    value: float,
    n_raters: float,
    with_people: bool,
    pool: IntArray | None,
    reason: Message | None,
) -> JackknifeInterval:
    """Two-way jackknife interval of a coefficient with a fixed number of raters.

    Parameters
    ----------
    crossed : CrossedRatings
        m ratings.
    value : float
        The coefficient of all.
    n_raters : float
        Raters of each item that it is for, also where people are left out.
    with_people : bool
        Whether the variance of people counts as error.
    pool : int array, shape (n_items,), optional
        Pool of each rated item.
    reason : Message or None
        Why there is no coefficient.
    """
    sample, labels = sampled_units(np.arange(crossed.n_items), crossed.person, pool)
    if reason := reason or sample.reason:
        return sample.nothing(reason)

    def without(part: IntArray, n_parts: int) -> FloatArray:
        items, people, residual = crossed.components_without(part, n_parts=n_parts)
        # Negative estimates stay: cut off at 0, they would seem to vary less than they do.
        noise = (residual + people if with_people else residual) / n_raters
        return ratio(items, items + noise)

    of_units = _variance(without, labels[crossed.item])
    if sample.left_out == "pools":
        # Few pools may differ too little by chance: at least as much as their items do.
        of_units = max(of_units, _variance(without, crossed.item), key=lambda each: each.value)
    if not sample.is_over_people and with_people:
        # How much people differ in level is mostly unknown if only a few of them rated.
        return sample.nothing(
            _(
                "%(reason)s, which says too little of how much people differ in level",
                reason=why_not_over_people(sample.n_people, sample.n_effective),
            )
        )
    if not sample.is_over_people:
        return sample.interval(value, of_units, lowest=0.0)
    row, column = (
        numbered(each, max_groups=MAX_BLOCK_GROUPS)
        for each in (crossed.person, labels[crossed.item])
    )
    shape = (int(row.max()) + 1, int(column.max()) + 1)
    blocks = without(row * shape[1] + column, shape[0] * shape[1]).reshape(shape)
    of_people = _variance(without, crossed.person)
    return sample.interval(value, of_units, of_people, block_variance(blocks), lowest=0.0)


def _variance(without: Callable[[IntArray, int], FloatArray], labels: IntArray) -> Variance:
    """Jackknife variance if what shares a label is left out in turn."""
    part = numbered(labels, max_groups=MAX_GROUPS)
    return one_way_variance(without(part, int(part.max()) + 1))
