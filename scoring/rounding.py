"""How numbers are rounded wherever they are printed: on pages, in LaTeX and in documents."""

from decimal import ROUND_HALF_UP, Decimal


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
