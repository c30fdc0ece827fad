"""Measures rounded before they are correlated, as the literature on STSS-131 does [STSS131]."""

import numpy as np

from scoring.arrays import FloatArray

MAX_DECIMALS = 15


def rounded(values: FloatArray, decimals: int | None) -> FloatArray:
    """Round a measure's values to so many decimals; None: leave them as they are.

    Halves are rounded to the even digit, as far as the binary value is a half.
    """
    return values if decimals is None else np.round(values, decimals)


def in_words(decimals: int) -> str:
    """What was done, for whoever reads the figures."""
    number = "1 decimal" if decimals == 1 else f"{decimals} decimals"
    return f"Measures were rounded to {number} before they were correlated"
