"""Does one measure follow people's scores closer than another, on the same items?"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.arrays import FloatArray, IntArray
from scoring.bootstrap import MIN_UNITS, Interval, Unit
from scoring.correlation import why_undefined
from scoring.distributions import student_quantile, student_tails
from scoring.jackknife import MAX_LEFT_OUT, numbered, one_way_variance
from scoring.json_values import JsonObject, json_number
from scoring.measures.comparison import (
    COEFFICIENTS,
    check_request,
    coefficient_and_p,
    complete_items,
    labels_of,
    shared_pools,
)
from scoring.measures.pool_spread import MIN_POOLS_OF_TEST, too_few_pools, without_each
from scoring.measures.weighted_correlation import Coefficient
from shell.messages import Message, ngettext
from shell.messages import message as _

# Correlations no farther apart than this are equal.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class CorrelationDifference:
    """How much closer one measure follows people's scores than another, on the same items.

    Parameters
    ----------
    coefficient : {"pearson", "spearman", "kendall"}
    first, second : float
        Correlations of either measure with people's scores; nan where undefined.
    difference : float
        First minus second.
    interval : Interval
        Of the difference, by the jackknife; nan, with the reason, where there is none.
    statistic : float
        Student's t of no difference; nan where there is none, or where nothing varies.
    df : int or None
        Its degrees of freedom.
    p_value : float
        Two-sided, from the same t as the interval; nan where there is none.
    n, n_missing : int
        Items with all three values, and the others.
    left_out : {"pools", "items"} or None
        What was left out in turn.
    reason : Message or None
        Why there is no difference.
    """

    coefficient: Coefficient
    first: float
    second: float
    difference: float
    interval: Interval
    statistic: float
    df: int | None
    p_value: float
    n: int
    n_missing: int
    left_out: Unit | None = None
    reason: Message | None = None

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        return {
            "coefficient": self.coefficient,
            "first": json_number(self.first),
            "second": json_number(self.second),
            "difference": json_number(self.difference),
            "interval": self.interval.as_dict(),
            "statistic": json_number(self.statistic),
            "df": self.df,
            "p_value": json_number(self.p_value),
            "n": self.n,
            "n_missing": self.n_missing,
            "left_out": self.left_out,
            "reason": self.reason,
            "definition": COEFFICIENTS[self.coefficient],
        }


def compare_by_jackknife(
    human: npt.ArrayLike,
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    coefficient: Coefficient = "pearson",
    level: float = 0.95,
    pools: npt.ArrayLike | None = None,
) -> CorrelationDifference:
    """Compare two measures' correlations with people's scores by leaving out pools or items.

    Parameters
    ----------
    human, first, second : float array, shape (n,)
        Nan where missing; items without all three are left out.
    coefficient, level, pools
        As in `correlate`.

    Returns
    -------
    CorrelationDifference
        Nan, with the reason, where one of the correlations is undefined. Without p and interval,
        with the reason, as of `difference_over_units`.

    Raises
    ------
    ValueError
        As `correlate`.

    References
    ----------
    [Miller1974] in docs/references.md
    """
    check_request(coefficient, level, 0, None)
    (x, a, b), is_there = complete_items(human=human, first=first, second=second)
    n, n_missing = len(x), int((~is_there).sum())
    for name, y in (("first", a), ("second", b)):
        if why := why_undefined(x, y):
            return no_difference(coefficient, without_correlation(name, why), level, n, n_missing)
    left_out, group = units_left_out(labels_of(pools, is_there), n)
    without = [without_each(x, y, group, coefficient) for y in (a, b)]
    values = [coefficient_and_p(x, y, coefficient)[0] for y in (a, b)]
    return difference_over_units(
        (values[0], values[1]),
        (without[0], without[1]),
        coefficient=coefficient,
        level=level,
        left_out=left_out,
        n=n,
        n_missing=n_missing,
    )


def units_left_out(labels: npt.ArrayLike | None, n_items: int) -> tuple[Unit, IntArray]:
    """Say what is left out in turn, and number the group of each item, shape (n,).

    Pools if items share them, otherwise items; more than 200 in as many groups.
    """
    pool = shared_pools(labels)
    units = np.arange(n_items) if pool is None else pool
    return "items" if pool is None else "pools", numbered(units, max_groups=MAX_LEFT_OUT)


def difference_over_units(
    values: tuple[float, float],
    without: tuple[FloatArray, FloatArray],
    *,
    coefficient: Coefficient,
    level: float,
    left_out: Unit,
    n: int,
    n_missing: int,
) -> CorrelationDifference:
    """Subtract two correlations; interval and p from leaving out each unit.

    Parameters
    ----------
    values : pair of float
        The correlations; neither is undefined.
    without : pair of float arrays, shape (g,)
        The same without each group of units; nan where undefined.
    coefficient, level, left_out, n, n_missing
        As of `CorrelationDifference`.

    Returns
    -------
    CorrelationDifference
        Without p and interval, with the reason, below 4 pools or 6 items, or where a correlation
        is undefined without some of them. A measure does not differ from itself: p is 1.

    References
    ----------
    [Miller1974] in docs/references.md
    """
    difference = float(settled_at_0(np.asarray(values[0] - values[1])))
    differences = settled_at_0(without[0] - without[1])
    g = len(differences)
    low, high, reason = math.nan, math.nan, _too_few(g, left_out)
    statistic, p_value = math.nan, math.nan
    if not reason and np.isnan(differences).any():
        reason = _WITHOUT_SOME
    if not reason:
        error = math.sqrt(one_way_variance(differences).value)
        if error > ROUNDING:
            reach = student_quantile((1 + level) / 2, g - 1) * error
            low, high = difference - reach, difference + reach
            statistic = difference / error
            p_value = student_tails(statistic, g - 1).two_sided
        elif difference == 0:
            low, high, p_value = 0.0, 0.0, 1.0
        else:
            reason = _SAME
    interval = Interval(low, high, "jackknife", level, reason)
    return CorrelationDifference(
        coefficient,
        *values,
        difference,
        interval,
        statistic,
        None if math.isnan(statistic) else g - 1,
        p_value,
        n,
        n_missing,
        left_out,
    )


def no_difference(
    coefficient: Coefficient, reason: Message, level: float, n: int, n_missing: int
) -> CorrelationDifference:
    """The difference of two correlations of which one is undefined."""
    interval = Interval(math.nan, math.nan, "jackknife", level, reason)
    return CorrelationDifference(
        coefficient,
        *(math.nan, math.nan, math.nan),
        interval,
        math.nan,
        None,
        math.nan,
        n,
        n_missing,
        reason=reason,
    )


def without_correlation(measure: str, reason: Message) -> Message:
    """Why two measures cannot be compared, if one of them follows nobody's scores."""
    return _(
        "%(measure)s has no correlation with people's scores: %(reason)s",
        measure=measure,
        reason=reason,
    )


def settled_at_0(differences: FloatArray) -> FloatArray:
    """Take off what rounding leaves between a measure and the same on another scale."""
    return np.asarray(np.where(np.abs(differences) < ROUNDING, 0.0, differences))


_WITHOUT_SOME = _("without some of the pools or items, one of the measures has no correlation")
_SAME = _("the difference is the same, whatever is left out")


def _too_few(n_units: int, left_out: Unit) -> Message | None:
    if left_out == "pools":
        if n_units < MIN_POOLS_OF_TEST:
            return too_few_pools(n_units, least=MIN_POOLS_OF_TEST)
    elif n_units < MIN_UNITS:
        return ngettext(
            "there is only %(n)s item, but the comparison needs %(least)s",
            "there are only %(n)s items, but the comparison needs %(least)s",
            "n",
            n=n_units,
            least=MIN_UNITS,
        )
    return None
