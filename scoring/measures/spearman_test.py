"""p of Spearman's correlation of few items: over all orders, or by moments over all orders.

Symbols: n items with the values x and y.
"""

import math
from itertools import permutations

import numpy as np

from scoring.arrays import FloatArray
from scoring.correlation import average_ranks

# Of so many items or fewer p is that of all orders; of three, Student's t would give 0.
EXACT_UP_TO = 8
# Up to here Student's t gives p at .05 that are too low by .002 to .009.
BETA_UP_TO = 18


def exact_p(x: FloatArray, y: FloatArray) -> float:
    """Share of all orders of one side that correlate as strongly, or more, in either direction."""
    of_x, of_y = average_ranks(x) - (len(x) + 1) / 2, average_ranks(y) - (len(y) + 1) / 2
    orders = np.array(list(permutations(range(len(x)))))
    # Ranks are halves of whole numbers, so the sums of their products are exact.
    sums = of_x[orders] @ of_y
    return float((np.abs(sums) >= abs(of_x @ of_y)).mean())


def approximate_p(x: FloatArray, y: FloatArray) -> float:
    """p by the beta distribution whose mean and variance are those of rho squared over all orders.

    References
    ----------
    [Pitman1937] in docs/references.md
    """
    from scipy.special import betaincc  # noqa: PLC0415 - importing scoring loads numpy only

    n = len(x)
    of_x, of_y = average_ranks(x) - (n + 1) / 2, average_ranks(y) - (n + 1) / 2
    norm = math.sqrt(float(of_x @ of_x) * float(of_y @ of_y))
    mean = 1 / (n - 1)
    excess = (n - 2) * (n - 3) / (3 * n * (n - 1) ** 2) * _kurtosis(of_x) * _kurtosis(of_y)
    variance = 3 / ((n - 1) * (n + 1)) * (1 + excess) - mean**2
    size = mean * (1 - mean) / variance - 1
    # Sums of products of ranks differ by whole numbers: half of one for continuity.
    r = max(abs(float(of_x @ of_y)) - 0.5, 0.0) / norm
    return float(betaincc(mean * size, (1 - mean) * size, r**2))


def _kurtosis(deviations: FloatArray) -> float:
    """Fourth k-statistic over the square of the second."""
    n = len(deviations)
    squares = float(deviations @ deviations)
    fourths = float(deviations**2 @ deviations**2)
    fourth = (n * (n + 1) * fourths - 3 * (n - 1) * squares**2) / ((n - 1) * (n - 2) * (n - 3))
    return float(fourth / (squares / (n - 1)) ** 2)
