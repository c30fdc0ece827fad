"""p of Spearman's correlation of few items: over all orders, or by moments over all orders.

Symbols: n items with the values x and y; r different orders.
"""

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from scoring.arrays import FloatArray
from scoring.correlation import average_ranks

# So many different orders of one side are looked at: of eight items without ties, of eighteen with
# two values, of any number if few differ from the others.
MAX_ORDERS = 50_000
# So many values of all these orders.
_MAX_CELLS = 1_000_000
# Up to here Student's t gives p at .05 that are too low by .002 to .009.
BETA_UP_TO = 18
_LEAST_VARIANCE = 1e-9


def exact_p(x: FloatArray, y: FloatArray) -> float | None:
    """Share of all orders of one side that correlate as strongly, or more, in either direction.

    None if both sides have too many different orders to look at them all.
    """
    fewest, x, y = min((_n_orders(x), x, y), (_n_orders(y), y, x), key=lambda side: side[0])
    if fewest > MAX_ORDERS or fewest * len(x) > _MAX_CELLS:
        return None
    of_x, of_y = average_ranks(x) - (len(x) + 1) / 2, average_ranks(y) - (len(y) + 1) / 2
    values, counts = np.unique(of_x, return_counts=True)
    # Ranks are halves of whole numbers, so the sums of their products are exact.
    sums = values[_orders(tuple(counts.tolist()))] @ of_y
    return float((np.abs(sums) >= abs(of_x @ of_y)).mean())


def _n_orders(values: FloatArray) -> float:
    """In how many different orders they can stand; infinite if that is a very large number."""
    log = math.lgamma(len(values) + 1)
    log -= sum(math.lgamma(n + 1) for n in np.unique(values, return_counts=True)[1].tolist())
    return round(math.exp(log)) if log < 30 else math.inf


@lru_cache(maxsize=8)
def _orders(counts: tuple[int, ...]) -> npt.NDArray[np.int16]:
    """All different orders, (r, n), of values that occur so often, by the number of the value."""
    left = np.array([counts])
    orders = np.empty((1, 0), dtype=np.int16)
    for _place in range(sum(counts)):
        rows, value = np.nonzero(left)
        orders = np.column_stack([orders[rows], value.astype(np.int16)])
        left = left[rows]
        left[np.arange(len(rows)), value] -= 1
    return orders


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
    # Where ties leave it nearly the same in all orders, each is as strong as the others.
    if variance <= _LEAST_VARIANCE * mean**2:
        return 1.0
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
