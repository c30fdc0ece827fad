"""Many comparisons at once: p-values corrected by Holm, and what is not shown to be worse."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from scoring.arrays import FloatArray
from shell.messages import message as _

# Measures whose corrected p against the best one is at least this are not shown to be worse.
ALPHA = 0.05
HOLM = _(
    "The p-values of all comparisons of a leaderboard are corrected by Holm's method [Holm1979]."
    " Suppose that all measures are equally good and each test has the stated error rate. Then at"
    " most one leaderboard in 20 has any corrected p-value below 0.05."
)


def holm(p: npt.ArrayLike) -> FloatArray:
    """Correct p-values for their number by Holm's step-down procedure.

    Parameters
    ----------
    p : float array, shape (c,)
        p-values; nan for what was not tested, which does not count among the tests.

    Returns
    -------
    float array, shape (c,)
        Corrected p-values, none below that before it and none above 1; nan stays nan.

    References
    ----------
    [Holm1979] in docs/references.md
    """
    values = np.asarray(p, dtype=np.float64)
    corrected = np.full(values.shape, np.nan)
    tested = np.flatnonzero(~np.isnan(values))
    order = tested[np.argsort(values[tested], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(values[order] * factors), 1.0)
    return corrected


def tied_with_best(
    values: Mapping[str, float],
    corrected: Mapping[tuple[str, str], float],
    differences: Mapping[tuple[str, str], float],
) -> Sequence[str]:
    """Name the measures that are not shown to be worse than the best one, it among them.

    That does not make them equally good: with few items or pools only large differences show.

    Parameters
    ----------
    values : dict of float
        Correlation of each measure with people's scores; nan where undefined.
    corrected : dict of float
        Corrected p of each two measures, in the order of `values`; nan where not tested.
    differences : dict of float
        First less second of the same two measures, on the items that both have. A measure that
        is not lower there than the best one, which has other items as well, is not shown to be
        worse.

    Returns
    -------
    list of str
        In the order of `values`; empty if none has a correlation. Without a p a measure is not
        shown to be worse.
    """
    known = {name: value for name, value in values.items() if not np.isnan(value)}
    if not known:
        return []
    best = max(known, key=known.__getitem__)

    def is_tied(name: str) -> bool:
        pair, sign = ((best, name), 1) if (best, name) in corrected else ((name, best), -1)
        is_below = sign * differences.get(pair, np.nan) > 0
        return name == best or not (is_below and corrected.get(pair, np.nan) < ALPHA)

    return [name for name in known if is_tied(name)]
