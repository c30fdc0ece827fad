"""How rare a figure so low is among people, who differ, however honest.

The people farthest below are left out one after the other, and each is compared with those who
are left: the many-outlier procedure of [Rosner1983], with a robust spread.

Symbols: a people; t tested people.
"""

import numpy as np

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.flags.findings import adjusted, p_of_fewer
from scoring.groups import ratio

# So many values are compared two by two.
MAX_PAIRED = 200
# In crowds with more candidates than this, several are left out at once.
MAX_STEPS = 200


def p_of_share(
    n_hits: FloatArray | IntArray,
    n: IntArray,
    usual: FloatArray,
    tested: IntArray,
    is_far: BoolArray,
) -> FloatArray:
    """How rare a share so low is, by chance [Fisher1922] and among people, (t,).

    Parameters
    ----------
    n_hits, n : array, shape (a,)
        Hits and trials of each person.
    usual : float array, shape (a,)
        Share that the others have.
    tested : int array, shape (t,)
        The people who are tested.
    is_far : bool array, shape (a,)
        Who is so far below that it matters.
    """
    own = ratio(n_hits, n)[tested]
    variance = (usual * (1 - usual))[tested] / n[tested]
    p = np.maximum(p_of_fewer(n_hits, n)[tested], p_outlying(own, variance, is_far[tested]))
    return adjusted(p)


def p_outlying(
    values: FloatArray, variance: FloatArray | float = 0.0, is_far: BoolArray | None = None
) -> FloatArray:
    """How rare it is among people to be so low, whoever else is.

    The person farthest below is left out and compared with the rest, then the next one, and so
    on. A person left out no later than somebody rare among the rest is as rare [Rosner1983].
    People differ, however honest, and by chance, the more the fewer answers they gave. Their
    spread (Qn [RousseeuwCroux1993]) holds both; of somebody with fewer answers than most it is
    widened.

    Parameters
    ----------
    values : float array, shape (a,)
        Finite.
    variance : float array, shape (a,), or float
        Of each value by chance alone.
    is_far : bool array, shape (a,), optional
        Who is left out at all, fewer than half in any case; otherwise all below the median.

    Returns
    -------
    float array, shape (a,)
        p-values by Student's distribution, not corrected for the number of people; 1 of those who
        are not left out.
    """
    from scipy.special import stdtr  # noqa: PLC0415 - importing scoring loads numpy only

    n = len(values)
    by_chance = np.broadcast_to(np.asarray(variance, dtype=np.float64), (n,))
    is_candidate = values < np.median(values) if is_far is None else is_far.copy()
    is_left = np.ones(n, dtype=np.bool_)
    n_most = min((n - 1) // 2, int(is_candidate.sum()))
    n_at_once = -(-n_most // MAX_STEPS) if n_most else 1
    p = np.ones(n)
    in_order: list[int] = []
    while len(in_order) < n_most:
        centre, scale = _centre_and_scale(values, by_chance, is_left)
        at = np.flatnonzero(is_left & is_candidate)
        farthest = at[np.argsort(_deviation(values[at], centre, scale[at]), kind="stable")]
        farthest = farthest[: min(n_at_once, n_most - len(in_order))]
        is_left[farthest] = False
        centre, scale = _centre_and_scale(values, by_chance, is_left)
        t = _deviation(values[farthest], centre, scale[farthest])
        n_rest = int(is_left.sum())
        p[farthest] = stdtr(n_rest - 1, t * np.sqrt(n_rest / (n_rest + 1)))
        in_order += farthest.tolist()
    # As many are outlying as the last step says that finds the one it leaves out rare.
    p[in_order] = np.minimum.accumulate(p[in_order][::-1])[::-1]
    return p


def _centre_and_scale(
    values: FloatArray, by_chance: FloatArray, rows: BoolArray
) -> tuple[float, FloatArray]:
    """Median of some people's values, and how far each of all may be from it, (a,)."""
    between = max(spread(values[rows]) ** 2 - float(np.median(by_chance[rows])), 0.0)
    return float(np.median(values[rows])), np.sqrt(between + by_chance)


def _deviation(values: FloatArray, centre: float, scale: FloatArray) -> FloatArray:
    # Where nobody else differs at all, any difference is endless, and none is none.
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(values == centre, 0.0, (values - centre) / scale)


def spread(values: FloatArray) -> float:
    """Standard deviation of the many, whatever the few are like: Qn [RousseeuwCroux1993].

    It wastes a fifth of the values where the median absolute deviation, taken for many people
    only, wastes two thirds.
    """
    n = len(values)
    if n > MAX_PAIRED:
        return 1.4826 * float(np.median(np.abs(values - np.median(values))))
    half = n // 2 + 1
    rank = half * (half - 1) // 2
    apart = np.abs(values[:, None] - values)[np.triu_indices(n, 1)]
    of_few = n / (n + 1.4) if n % 2 else n / (n + 3.8)
    return 2.2219 * of_few * float(np.partition(apart, rank - 1)[rank - 1])
