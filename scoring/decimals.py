"""Measures rounded before they are correlated, as the literature on STSS-131 does [STSS131]."""

import argparse

import numpy as np

from scoring.arrays import FloatArray
from shell.messages import Message, ngettext

MAX_DECIMALS = 15


def rounded(values: FloatArray, decimals: int | None) -> FloatArray:
    """Round a measure's values to so many decimals; None: leave them as they are.

    Halves are rounded to the even digit, as far as the binary value is a half.
    """
    return values if decimals is None else np.round(values, decimals)


def in_words(decimals: int) -> Message:
    """What was done, as a sentence for readers of the figures."""
    return ngettext(
        "The values of the measures were rounded to %(n)s decimal before correlations were"
        " computed.",
        "The values of the measures were rounded to %(n)s decimals before correlations were"
        " computed.",
        "n",
        n=decimals,
    )


def decimals_in(text: str) -> int:
    """What somebody typed behind --round."""
    if not (text.isascii() and text.isdigit() and int(text) <= MAX_DECIMALS):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to {MAX_DECIMALS}")
    return int(text)
