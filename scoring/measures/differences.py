"""Does one measure follow people's scores closer than another, on the same items?"""

import math
from dataclasses import dataclass
from typing import get_args

import numpy as np
import numpy.typing as npt

from scoring.arrays import FloatArray
from scoring.bootstrap import METHODS, Bootstrap, BootstrapMethod, Interval, Unit, bootstrap
from scoring.correlation import why_undefined
from scoring.distributions import student_tails
from scoring.json_values import JsonObject, json_number
from scoring.measures.comparison import (
    COEFFICIENTS,
    check_request,
    coefficient_and_p,
    complete_items,
    labels_of,
)
from scoring.measures.weighted_correlation import Coefficient, weighted_correlation
from shell.messages import Message
from shell.messages import message as _

# Correlations no farther apart than this are equal.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class CorrelationDifference:
    """How much closer one measure follows people's scores than another, on the same items.

    Parameters
    ----------
    coefficient : {"pearson", "spearman", "kendall"}
    first, second : float
        Correlations of either measure with people's scores; nan where undefined.
    difference : float
        First minus second.
    p_value : float
        Two-sided: twice the smaller share of the resamples on either side of 0, the data counted
        as one more resample (see `share_beyond_0`); nan where undefined, as it is where the
        intervals are.
    intervals : dict
        Of the difference, by method: "percentile" and "bca".
    n, n_missing : int
        Items with all three values, and the others.
    n_resamples : int
    resampled : {"pools", "items"} or None
        What was resampled.
    n_undefined : int
        Resamples without a difference, left out.
    reason : Message or None
        Why there is no difference.
    p_reason : Message or None
        Why there is no p.
    """

    coefficient: Coefficient
    first: float
    second: float
    difference: float
    p_value: float
    intervals: dict[str, Interval]
    n: int
    n_missing: int
    n_resamples: int
    resampled: Unit | None = None
    n_undefined: int = 0
    reason: Message | None = None
    p_reason: Message | None = None

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definitions."""
        return {
            "coefficient": self.coefficient,
            "first": json_number(self.first),
            "second": json_number(self.second),
            "difference": json_number(self.difference),
            "p_value": json_number(self.p_value),
            "intervals": {
                method: {**interval.as_dict(), "definition": METHODS[method]}
                for method, interval in self.intervals.items()
            },
            "n": self.n,
            "n_missing": self.n_missing,
            "n_resamples": self.n_resamples,
            "resampled": self.resampled,
            "n_undefined": self.n_undefined,
            "reason": self.reason,
            "p_reason": self.p_reason,
            "definition": COEFFICIENTS[self.coefficient],
        }


def compare_by_bootstrap(
    human: npt.ArrayLike,
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    coefficient: Coefficient = "pearson",
    level: float = 0.95,
    n_resamples: int = 1000,
    pools: npt.ArrayLike | None = None,
    rng: np.random.Generator,
) -> CorrelationDifference:
    """Compare two measures' correlations with people's scores on the same resamples.

    Parameters
    ----------
    human, first, second : float array, shape (n,)
        Nan where missing; items without all three are left out.
    coefficient, level, pools
        As in `correlate`.
    n_resamples : int
        At least 1.
    rng : numpy Generator
        Source of the resamples.

    Returns
    -------
    CorrelationDifference
        Nan, with the reason, where one of the correlations is undefined. Its p and intervals are
        nan, with their reason, from fewer than 6 pools or items, or where more than 5% of the
        resamples have no difference.

    Raises
    ------
    ValueError
        As `correlate`.

    References
    ----------
    [Efron1987], [Efron1993] in docs/references.md
    """
    check_request(coefficient, level, n_resamples, rng)
    if n_resamples == 0:
        raise ValueError("n_resamples must be at least 1, not 0")
    (x, a, b), is_there = complete_items(human=human, first=first, second=second)
    n, n_missing = len(x), int((~is_there).sum())
    for name, y in (("first", a), ("second", b)):
        if why := why_undefined(x, y):
            reason = without_correlation(name, why)
            none = {m: Interval(math.nan, math.nan, m, level, reason) for m in METHODS}
            return CorrelationDifference(
                coefficient,
                *(math.nan, math.nan, math.nan, math.nan),
                none,
                n,
                n_missing,
                n_resamples,
                reason=reason,
                p_reason=reason,
            )

    def difference(weights: FloatArray) -> FloatArray:
        of_first = weighted_correlation(x, a, weights, coefficient=coefficient)
        return settled_at_0(
            of_first - weighted_correlation(x, b, weights, coefficient=coefficient)
        )

    resamples = bootstrap(
        difference,
        n_items=n,
        pools=labels_of(pools, is_there),
        n_resamples=n_resamples,
        rng=rng,
    )
    value_a, value_b = (coefficient_and_p(x, y, coefficient)[0] for y in (a, b))
    return CorrelationDifference(
        coefficient,
        value_a,
        value_b,
        float(settled_at_0(np.asarray(value_a - value_b))),
        share_beyond_0(resamples),
        {m: resamples.interval(m, level=level) for m in get_args(BootstrapMethod)},
        n,
        n_missing,
        n_resamples,
        resamples.resampled,
        resamples.n_undefined,
        p_reason=resamples.why_undefined(),
    )


def without_correlation(measure: str, reason: Message) -> Message:
    """Why two measures cannot be compared, if one of them follows nobody's scores."""
    return _(
        "%(measure)s has no correlation with people's scores: %(reason)s",
        measure=measure,
        reason=reason,
    )


def settled_at_0(differences: FloatArray) -> FloatArray:
    """Take off what rounding leaves between a measure and the same on another scale."""
    return np.asarray(np.where(np.abs(differences) < ROUNDING, 0.0, differences))


def share_beyond_0(resamples: Bootstrap) -> float:
    """p of no difference, two-sided; nan where the intervals are undefined, too.

    If no resample lies on the other side of 0, their number says nothing of how far away 0 is:
    then p is that of Student's t, the difference over the resamples' standard deviation, but not
    above the share.
    """
    if resamples.why_undefined():
        return math.nan
    values = resamples.values[~np.isnan(resamples.values)]
    fewer = min(int((values <= 0).sum()), int((values >= 0).sum()))
    share = min(1.0, 2 * (fewer + 1) / (len(values) + 1))
    spread = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    if fewer or spread == 0:
        return share
    return min(share, student_tails(resamples.estimate / spread, resamples.n_units - 1).two_sided)
