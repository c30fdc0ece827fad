"""Mean and covariance of the points that one answer gives, under the models of choices.

Symbols: t tuples of k items; u utilities of their items, shape (t, k).
"""

import numpy as np

from scoring.arrays import FloatArray


def maxdiff_moments(u: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Moments of best minus worst picks, P(best i, worst j) = exp(u_i - u_j) / total.

    The model is an exponential family with these points as its statistic: their mean is the
    gradient of the log total in u, and their covariance its second derivative.

    Parameters
    ----------
    u : float array, shape (t, k)
        Utilities of the items of each tuple.

    Returns
    -------
    log_total : float array, shape (t,)
        Logarithm of the sum of exp(u_i - u_j) over all ordered pairs of the tuple.
    mean : float array, shape (t, k)
    covariance : float array, shape (t, k, k)

    References
    ----------
    [Marley2005] in docs/references.md
    """
    k = u.shape[1]
    high, low = u.max(axis=1, keepdims=True), u.min(axis=1, keepdims=True)
    # The sum over ordered pairs i != j of exp(u_i - u_j) is the product of two sums less the
    # k terms i = j; all divided by exp(high - low), so that nothing overflows.
    p, q = np.exp(u - high), np.exp(low - u)
    sum_p, sum_q = p.sum(axis=1, keepdims=True), q.sum(axis=1, keepdims=True)
    total = sum_p * sum_q - k * np.exp(low - high)
    log_total = (high - low + np.log(total))[:, 0]
    as_best, as_worst = p * sum_q / total, q * sum_p / total
    mean = as_best - as_worst
    both = p[:, :, None] * q[:, None, :]
    covariance = -(both + both.transpose(0, 2, 1)) / total[:, :, None]
    covariance -= mean[:, :, None] * mean[:, None, :]
    diagonal = np.arange(k)
    covariance[:, diagonal, diagonal] += as_best + as_worst
    return log_total, mean, covariance


def order_moments(u: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Moments of an order's points, the items below each less those above it.

    In a Plackett-Luce model the places are those of independent exponential times of rates
    exp(u_i) [Plackett1975], the shortest first. So two pairs that share no item are in
    independent orders, and the covariances follow from pairs and triples.

    Parameters
    ----------
    u : float array, shape (t, k)
        Utilities of the items of each tuple.

    Returns
    -------
    mean : float array, shape (t, k)
    covariance : float array, shape (t, k, k)

    References
    ----------
    [Plackett1975] in docs/references.md
    """
    k = u.shape[1]
    rate = np.exp(u - u.max(axis=1, keepdims=True))
    centre, left, right = rate[:, :, None, None], rate[:, None, :, None], rate[:, None, None, :]
    # Probability that the centre comes before one item, and that it does before two.
    before = centre / (centre + left)
    before_both = centre / (centre + left + right)
    before_right = before.transpose(0, 1, 3, 2)
    # Signs of the centre against either: equal if it comes before both or after both.
    product = 4 * before_both - 2 * before - 2 * before_right + 1
    sign = 2 * before - 1
    between = product - sign * sign.transpose(0, 1, 3, 2)
    item = np.arange(k)
    variance = 1 - sign[..., 0] ** 2
    between[:, :, item, item] = variance
    between[:, item, item, :] = 0
    between[:, item, :, item] = 0
    with_all = between.sum(axis=3)
    covariance = between.sum(axis=1) - with_all - with_all.transpose(0, 2, 1) + variance
    covariance[:, item, item] = with_all.sum(axis=2)
    mean = sign[..., 0].sum(axis=2)
    return mean, covariance
