"""Intervals of the difference of two correlations, from the Fisher intervals of both [Zou2007].

The ends of the difference follow from those of each correlation and, where both are of the same
items, from how strongly the two correlations depend on each other. Other than Fisher's z, they are
on the scale of the difference itself. Symbols as in `scoring.measures.correlation_tests`.
"""

import math
from typing import SupportsIndex

from scoring.bootstrap import Interval
from scoring.measures.comparison import fisher_interval
from scoring.measures.correlation_tests import correlation_of_overlapping, number_of_items
from scoring.measures.four_variables import FourCorrelations
from shell.messages import message as _

DEFINITIONS = {
    "zou": _(
        "Interval of the difference, from Fisher's intervals of both correlations and how they"
        " depend on one another [Zou2007]."
    ),
    "fisher": _(
        "Fisher's interval of the correlation, minus the correlation that is taken as exact"
        " [Fisher1921]."
    ),
}


def interval_against_value(
    r: float, n: SupportsIndex, value: float, *, level: float = 0.95
) -> Interval:
    """Interval of r less a value that is taken as exact: Fisher's interval of r, shifted.

    Parameters
    ----------
    r, value : float
        In [-1, 1].
    n : int
        Items of r; at least 4.
    level : float
        Nominal coverage.

    Returns
    -------
    Interval
        Nan, with the reason, if r is 1 or -1.

    Raises
    ------
    ValueError
        If r, n or the level is out of range.
    """
    of_r = fisher_interval(r, number_of_items("n", n), level=level)
    return Interval(of_r.low - value, of_r.high - value, "fisher", level, of_r.reason)


def interval_of_independent(
    r1: float, n1: SupportsIndex, r2: float, n2: SupportsIndex, *, level: float = 0.95
) -> Interval:
    """Interval of r1 less r2, from different items.

    Parameters
    ----------
    r1, r2 : float
        In [-1, 1].
    n1, n2 : int
        Items of each; at least 4.
    level : float
        Nominal coverage.

    Returns
    -------
    Interval
        Nan, with the reason, if one of them is 1 or -1.

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    [Zou2007] in docs/references.md
    """
    first, second = (r1, number_of_items("n1", n1)), (r2, number_of_items("n2", n2))
    return _interval(first, second, 0.0, level)


def interval_of_dependent(
    r12: float, r13: float, r23: float, n: SupportsIndex, *, level: float = 0.95
) -> Interval:
    """Interval of r12 less r13, which share variable 1.

    Parameters
    ----------
    r12, r13, r23, n
        As of `compare_dependent`, which refuses what cannot be.
    level : float
        Nominal coverage.

    Returns
    -------
    Interval
        Nan, with the reason, if r12 or r13 is 1 or -1.

    References
    ----------
    [Zou2007] in docs/references.md
    """
    is_infinite = max(abs(r12), abs(r13)) == 1
    dependence = 0.0 if is_infinite else correlation_of_overlapping(r12, r13, r23)
    n = number_of_items("n", n)
    return _interval((r12, n), (r13, n), dependence, level)


def interval_of_non_overlapping(
    four: FourCorrelations, n: SupportsIndex, *, level: float = 0.95
) -> Interval:
    """Interval of r12 less r34, which share no variable but are of the same items.

    Parameters
    ----------
    four : FourCorrelations
    n : int
        Items that all six were computed from; at least 4.
    level : float
        Nominal coverage.

    Returns
    -------
    Interval
        Nan, with the reason, if r12 or r34 is 1 or -1.

    Raises
    ------
    ValueError
        If n or the level is out of range.

    References
    ----------
    [Zou2007] in docs/references.md
    """
    dependence = 0.0 if four.is_infinite else four.dependence()
    n = number_of_items("n", n)
    return _interval((four.r12, n), (four.r34, n), dependence, level)


def _interval(
    first: tuple[float, int], second: tuple[float, int], dependence: float, level: float
) -> Interval:
    """Of two correlations with their items; `dependence`: how the two correlate."""
    a, b = (fisher_interval(r, n, level=level) for r, n in (first, second))
    if reason := a.reason or b.reason:
        return Interval(math.nan, math.nan, "zou", level, reason)
    (r1, _n1), (r2, _n2) = first, second
    low = _reach(r1 - a.low, b.high - r2, dependence)
    high = _reach(a.high - r1, r2 - b.low, dependence)
    return Interval(r1 - r2 - low, r1 - r2 + high, "zou", level)


def _reach(of_first: float, of_second: float, dependence: float) -> float:
    square = of_first**2 + of_second**2 - 2 * dependence * of_first * of_second
    # Of two measures that are the same it is 0 but for rounding.
    return math.sqrt(max(square, 0.0))
