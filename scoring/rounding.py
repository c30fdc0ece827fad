"""How numbers are rounded wherever they are printed: on pages, in LaTeX and in documents."""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

# Shares of so many answers are told from one another.
_MAX_DENOMINATOR = 10_000


def rounded_text(value: float, digits: int, *, times: int = 1) -> str:
    """Write a number with so many decimals.

    A half is rounded away from 0, as readers expect, and as the shortest decimal that stands for
    the number has it. Python's own formatting rounds the half of .3125 to .312 and that of .1875
    to .188, since both are halves in binary, too.

    Parameters
    ----------
    value : float
        Finite.
    digits : int
        Decimals.
    times : int
        The number is multiplied by this before it is rounded, such as 100 for a percentage.
    """
    exact = Decimal(repr(float(value))) * times
    return f"{exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP):f}"


def rounded(value: float, digits: int, *, times: int = 1) -> Decimal:
    """The same number for a message, which is written with all of its decimals, zeros too."""
    return Decimal(rounded_text(value, digits, times=times))


def exact_mean(values: Sequence[float], weights: Sequence[int]) -> float:
    """Average without the rounding errors of a sum, which decide how a half is printed.

    A number that stands for a simple fraction, as a share of answers does, counts as that
    fraction: the mean of .375, .4, .425 and .35 is .3875, in whatever order and weighted alike.

    Parameters
    ----------
    values : sequence of float
        Finite.
    weights : sequence of int
        As many, not all 0.
    """
    total = sum(
        (weight * _fraction(value) for value, weight in zip(values, weights, strict=True)),
        start=Fraction(0),
    )
    return float(total / sum(weights))


def _fraction(value: float) -> Fraction:
    exact = Fraction(float(value))
    simple = exact.limit_denominator(_MAX_DENOMINATOR)
    return simple if float(simple) == float(value) else exact
