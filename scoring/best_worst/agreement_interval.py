"""Interval of alpha: how much would it differ with other people, and other pools or tuples?"""

from collections.abc import Mapping
from functools import cache, partial

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.best_worst.agreement import (
    Alpha,
    Coding,
    On,
    alpha,
    chance_of_agreeing,
    units_and_values,
)
from scoring.best_worst.judgments import BestWorst
from scoring.best_worst.tuple_interval import Grouping, TupleJackknife, pairable_judgments
from scoring.jackknife import JackknifeInterval
from scoring.left_out_alpha import LeftOut, Margins, UnitCells


def alpha_interval(
    answers: BestWorst, *, on: On, coding: Coding, pool: IntArray | None = None
) -> JackknifeInterval:
    """Interval of `alpha(answers, on=on, coding=coding)` over people, and pools or tuples.

    Parameters
    ----------
    answers : BestWorst
        m judgments of t tuples of k items.
    on, coding : str
        As in `alpha`.
    pool : int array, shape (n_items,), optional
        Pool of each item; by default items that chains of answered tuples connect share one.

    Returns
    -------
    JackknifeInterval
        Without ends, but with the reason, if alpha is undefined or too little was sampled.

    Raises
    ------
    ValueError
        If a variant is unknown, or a tuple shows items of two pools.

    References
    ----------
    [Krippendorff2011]; those of `TupleJackknife` in docs/references.md
    """
    of_all = {on: {coding: alpha(answers, on=on, coding=coding)}}
    return alpha_intervals(answers, of_all, pool=pool)[on][coding]


def alpha_intervals(
    answers: BestWorst,
    alphas: Mapping[On, Mapping[Coding, Alpha]],
    *,
    pool: IntArray | None = None,
) -> dict[On, dict[Coding, JackknifeInterval]]:
    """`alpha_interval` of each of these alphas of the answers, by question, then by coding."""
    pairable = pairable_judgments(answers)
    jackknife = TupleJackknife(pairable, pool=pool)
    return {on: _of_question(pairable, jackknife, on, codings) for on, codings in alphas.items()}


def _of_question(
    pairable: BestWorst, jackknife: TupleJackknife, on: On, codings: Mapping[Coding, Alpha]
) -> dict[Coding, JackknifeInterval]:
    units, slots = units_and_values(pairable, on=on, by_item=False)
    _, items = units_and_values(pairable, on=on, by_item=True)
    cells = UnitCells(units, slots)
    by_chance: dict[Coding, Margins | float] = {
        "slot": cells.margins(slots),
        "item": cells.margins(items),
        "uniform": 1 - chance_of_agreeing(pairable.tuple_size, on),
    }
    n_questions = 2 if on == "stacked" else 1

    # Two picks from a tuple are equal in all codings or in none: they share what is left.
    @cache
    def left_out(groups: Grouping) -> LeftOut:
        return cells.without(np.tile(groups.group, n_questions), n_groups=groups.n_groups)

    def without(coding: Coding, groups: Grouping) -> FloatArray:
        return left_out(groups).alpha(by_chance[coding])

    return {
        coding: jackknife.interval(of_all.value, partial(without, coding), reason=of_all.reason)
        for coding, of_all in codings.items()
    }
