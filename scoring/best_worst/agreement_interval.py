"""Interval of alpha: how much would it differ with other people, and other pools or tuples?"""

from typing import get_args

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.best_worst.agreement import Coding, On, alpha, chance_of_agreeing, units_and_values
from scoring.best_worst.judgments import BestWorst
from scoring.best_worst.tuple_interval import pairable_judgments, tuple_interval
from scoring.jackknife import JackknifeInterval
from scoring.left_out_alpha import LeftOutAlpha


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
    [Krippendorff2011]; those of `tuple_interval` in docs/references.md
    """
    of_all = alpha(answers, on=on, coding=coding)
    pairable = pairable_judgments(answers)
    units, values = units_and_values(pairable, on=on, by_item=coding == "item")
    expected = 1 - chance_of_agreeing(answers.tuple_size, on) if coding == "uniform" else None
    left_out = LeftOutAlpha(units, values, expected)
    n_questions = 2 if on == "stacked" else 1

    def without(group: IntArray, n_groups: int) -> FloatArray:
        return left_out.without(np.tile(group, n_questions), n_groups=n_groups)

    return tuple_interval(pairable, of_all.value, without, pool=pool, reason=of_all.reason)


def alpha_intervals(
    answers: BestWorst, *, pool: IntArray | None = None
) -> dict[On, dict[Coding, JackknifeInterval]]:
    """`alpha_interval` in every variant: by question, then by coding."""
    return {
        on: {
            coding: alpha_interval(answers, on=on, coding=coding, pool=pool)
            for coding in get_args(Coding)
        }
        for on in get_args(On)
    }
