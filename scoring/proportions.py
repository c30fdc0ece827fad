"""Shares of a number of trials, with Wilson's score interval."""

from dataclasses import dataclass

import numpy as np

from scoring.json_values import JsonObject, json_number

# The 97.5th percentile of the standard normal distribution, to the last digit of a float.
Z = 1.959963984540054


@dataclass(frozen=True)
class Proportion:
    """So many of so many.

    Parameters
    ----------
    count, n : int
        Hits and trials.
    share : float
        count / n; nan without a trial.
    low, high : float
        Wilson's 95 % score interval [Wilson1927]; nan without a trial, or if the trials are not
        independent.
    """

    count: int
    n: int
    share: float
    low: float
    high: float

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types."""
        return {
            "count": self.count,
            "n": self.n,
            "share": json_number(self.share),
            "low": json_number(self.low),
            "high": json_number(self.high),
        }


def proportion(count: int, n: int) -> Proportion:
    """Share of hits with Wilson's 95 % score interval, without continuity correction.

    The interval holds the shares p that a score test does not reject: those with
    abs(count / n - p) <= z sqrt(p (1 - p) / n) [Wilson1927]. It stays within 0 and 1 and has a
    width also where all or none are hits.

    Raises
    ------
    ValueError
        If there are fewer trials than hits, or either is negative.
    """
    if not 0 <= count <= n:
        raise ValueError(f"{count} of {n} is no proportion: choose 0 <= count <= n")
    if n == 0:
        nan = float("nan")
        return Proportion(0, 0, nan, nan, nan)
    share = count / n
    z2 = Z * Z
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = Z * float(np.sqrt(share * (1 - share) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    # Exactly 0 and 1 by the formula, which floats may miss.
    low = 0.0 if count == 0 else middle - half
    high = 1.0 if count == n else middle + half
    return Proportion(count, n, share, low, high)
