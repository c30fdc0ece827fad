"""How closely a measure follows people's scores, item by item.

Symbols: n items with a score from people (x) and a value of the measure (y).
"""

import math
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
import numpy.typing as npt

from scoring.arrays import BoolArray, FloatArray, IntArray, refuse_infinite
from scoring.bootstrap import (
    METHODS,
    BootstrapMethod,
    Interval,
    Unit,
    bootstrap,
    check_level,
)
from scoring.correlation import pearson, settled_at_1, spearman, why_undefined
from scoring.distributions import normal_quantile, student_tails
from scoring.json_values import JsonObject, json_number
from scoring.measures.correlation_tests import INFINITE_Z, check_correlation
from scoring.measures.pool_spread import OVER_POOLS, spread_over_pools
from scoring.measures.spearman_test import (
    BETA_UP_TO,
    MAX_ORDERS,
    approximate_p,
    exact_p,
)
from scoring.measures.weighted_correlation import Coefficient, weighted_correlation
from shell.messages import Message, ngettext
from shell.messages import message as _

COEFFICIENTS: dict[Coefficient, Message] = {
    "pearson": _(
        "Pearson's product-moment correlation; p by Student's t with n - 2 degrees of freedom."
    ),
    "spearman": _(
        "Spearman's rho, Pearson's correlation of the average ranks [Spearman1904]; p is the share"
        " of all orders that correlate as strongly. For more than %(n)s orders it is approximated:"
        " up to %(most)s items by a beta distribution with two of the moments over all orders"
        " [Pitman1937], beyond by Student's t with n - 2 degrees of freedom.",
        n=MAX_ORDERS,
        most=BETA_UP_TO,
    ),
    "kendall": _(
        "Kendall's tau-b, which allows for ties [Kendall1945]; p exact for up to 33 items without"
        " ties, otherwise by the normal approximation."
    ),
}
FISHER: dict[Coefficient, Message] = {
    "pearson": _("By Fisher's z with the variance 1 / (n - 3) [Fisher1921]."),
    "spearman": _("By Fisher's z with the variance (1 + r^2 / 2) / (n - 3) [BonettWright2000]."),
    "kendall": _("By Fisher's z with the variance .437 / (n - 4) [Fieller1957]."),
}


@dataclass(frozen=True, eq=False)
class Correlation:
    """Correlation of people's scores with one measure.

    Parameters
    ----------
    coefficient : {"pearson", "spearman", "kendall"}
    value : float
        In [-1, 1]; nan where undefined.
    n : int
        Items with both values.
    p_value : float
        Two-sided, of no correlation; nan below three items, or with `p_reason`.
    intervals : dict
        By method: "fisher", and "percentile" and "bca" where resamples were asked for.
    n_missing : int
        Items without one of the values, left out.
    n_resamples : int
        Bootstrap resamples, 0 if none were asked for.
    resampled : {"pools", "items"} or None
        What was resampled.
    n_undefined : int
        Resamples without a correlation, left out.
    reason : Message or None
        Why there is no value.
    is_over_pools : bool
        Whether p and Fisher's interval are over pools.
    p_reason : Message or None
        Why there is a value and no p over pools.
    """

    coefficient: Coefficient
    value: float
    n: int
    p_value: float
    intervals: dict[str, Interval]
    n_missing: int = 0
    n_resamples: int = 0
    resampled: Unit | None = None
    n_undefined: int = 0
    reason: Message | None = None
    is_over_pools: bool = False
    p_reason: Message | None = None

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return COEFFICIENTS[self.coefficient]

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definitions."""
        fisher = OVER_POOLS if self.is_over_pools else FISHER[self.coefficient]
        definitions = {**METHODS, "fisher": fisher}
        return {
            "coefficient": self.coefficient,
            "value": json_number(self.value),
            "n": self.n,
            "p_value": json_number(self.p_value),
            "intervals": {
                method: {**interval.as_dict(), "definition": definitions[method]}
                for method, interval in self.intervals.items()
            },
            "n_missing": self.n_missing,
            "n_resamples": self.n_resamples,
            "resampled": self.resampled,
            "n_undefined": self.n_undefined,
            "reason": self.reason,
            "p_reason": self.p_reason,
            "definition": self.definition,
        }


def correlate(
    human: npt.ArrayLike,
    measure: npt.ArrayLike,
    *,
    coefficient: Coefficient = "pearson",
    level: float = 0.95,
    n_resamples: int = 0,
    pools: npt.ArrayLike | None = None,
    rng: np.random.Generator | None = None,
) -> Correlation:
    """Correlate people's scores with a measure, with a p-value and intervals.

    Parameters
    ----------
    human, measure : float array, shape (n,)
        Nan where missing; such items are left out.
    coefficient : {"pearson", "spearman", "kendall"}
        See `COEFFICIENTS`.
    level : float
        Nominal coverage of the intervals.
    n_resamples : int
        Resamples of the bootstrap intervals; 0 for Fisher's interval only.
    pools : array, shape (n,), optional
        Label of each item's pool. Where there are several, pools are resampled; and where items
        share them, p and Fisher's interval have the standard error over pools.
    rng : numpy Generator
        Source of the resamples; needed if there are any.

    Returns
    -------
    Correlation
        Its value is nan, with the reason, for fewer than two items or where either side is
        constant: not 0, which would say that the measure does not follow people's scores.

    Raises
    ------
    ValueError
        If the arrays differ in shape, a value is infinite, or the coefficient, the level or the
        number of resamples is out of range.

    Notes
    -----
    Values are taken as given. The literature on STSS-131 rounds measures to three decimals first;
    a caller who wants figures to compare with it does the same, and says so.

    The BCa interval leaves out each pool or item in turn. Without pools that takes time that
    grows with n squared: 5 s for Pearson's coefficient of 10,000 items, 40 s for Kendall's.

    References
    ----------
    [Fisher1921], [BonettWright2000], [Fieller1957], [Efron1987], [Efron1993], [Kendall1945] in
    docs/references.md
    """
    check_request(coefficient, level, n_resamples, rng)
    (x, y), is_there = complete_items(human=human, measure=measure)
    n, n_missing = len(x), int((~is_there).sum())
    if reason := why_undefined(x, y):
        none = {
            method: Interval(math.nan, math.nan, method, level, reason)
            for method in ("fisher", *(METHODS if n_resamples else ()))
        }
        return Correlation(
            coefficient, math.nan, n, math.nan, none, n_missing, n_resamples, reason=reason
        )

    labels = labels_of(pools, is_there)
    correlation = without_resamples(
        x, y, shared_pools(labels), coefficient=coefficient, level=level, n_missing=n_missing
    )
    if rng is None or n_resamples == 0:
        return correlation
    resamples = bootstrap(
        lambda weights: weighted_correlation(x, y, weights, coefficient=coefficient),
        n_items=n,
        pools=labels,
        n_resamples=n_resamples,
        rng=rng,
    )
    drawn = {
        method: resamples.interval(method, level=level) for method in get_args(BootstrapMethod)
    }
    return replace(
        correlation,
        intervals=correlation.intervals | drawn,
        n_resamples=n_resamples,
        resampled=resamples.resampled,
        n_undefined=resamples.n_undefined,
    )


def without_resamples(
    x: FloatArray,
    y: FloatArray,
    pool: IntArray | None,
    *,
    coefficient: Coefficient,
    level: float,
    n_missing: int,
    value_and_p: tuple[float, float] | None = None,
) -> Correlation:
    """Correlate two complete columns, neither of them constant; p and Fisher's interval.

    `pool` is of `shared_pools`; `value_and_p` is that of `coefficient_and_p`, if it is known.
    """
    n = len(x)
    value, p_value = value_and_p or coefficient_and_p(x, y, coefficient)
    if pool is None:
        fisher = fisher_interval(value, n, coefficient=coefficient, level=level)
        return Correlation(coefficient, value, n, p_value, {"fisher": fisher}, n_missing)
    spread = spread_over_pools(x, y, pool, value, coefficient=coefficient, level=level)
    return Correlation(
        coefficient,
        value,
        n,
        spread.p_value,
        {"fisher": spread.interval},
        n_missing,
        is_over_pools=True,
        p_reason=spread.reason,
    )


def shared_pools(labels: npt.ArrayLike | None) -> IntArray | None:
    """Number the pool of each item; None where no two items share one, or all items do."""
    if labels is None:
        return None
    distinct, number = np.unique(np.asarray(labels), return_inverse=True)
    return number.astype(np.int64) if 1 < len(distinct) < len(number) else None


def fisher_interval(
    r: float, n: int, *, coefficient: Coefficient = "pearson", level: float = 0.95
) -> Interval:
    """Interval of a correlation by Fisher's z.

    Parameters
    ----------
    r : float
        In [-1, 1].
    n : int
        Items it was computed from.
    coefficient : {"pearson", "spearman", "kendall"}
        Decides on the variance of z; see `FISHER`.
    level : float
        Nominal coverage.

    Returns
    -------
    Interval
        Nan, with the reason, for a correlation of 1 or -1, or too few items for a variance.

    Raises
    ------
    ValueError
        If r or the level is out of range.

    References
    ----------
    [Fisher1921], [BonettWright2000], [Fieller1957] in docs/references.md
    """
    check_correlation("r", r)
    check_level(level)
    fewest = 5 if coefficient == "kendall" else 4
    reason = None
    if n < fewest:
        reason = ngettext(
            "there is only %(n)s item, and the variance of Fisher's z needs %(least)s",
            "there are only %(n)s items, and the variance of Fisher's z needs %(least)s",
            "n",
            n=n,
            least=fewest,
        )
    elif abs(r) == 1:
        reason = INFINITE_Z
    if reason:
        return Interval(math.nan, math.nan, "fisher", level, reason)
    variance = {
        "pearson": 1 / (n - 3),
        "spearman": (1 + r**2 / 2) / (n - 3),
        "kendall": 0.437 / (n - fewest + 1),
    }[coefficient]
    reach = normal_quantile((1 + level) / 2) * math.sqrt(variance)
    z = math.atanh(r)
    return Interval(math.tanh(z - reach), math.tanh(z + reach), "fisher", level)


def check_request(
    coefficient: Coefficient, level: float, n_resamples: int, rng: np.random.Generator | None
) -> None:
    """Raise ValueError for what neither `correlate` nor a comparison can do."""
    if coefficient not in get_args(Coefficient):
        raise ValueError(
            f"coefficient must be one of {', '.join(get_args(Coefficient))}, not {coefficient!r}"
        )
    check_level(level)
    if n_resamples < 0:
        raise ValueError(f"n_resamples must not be negative, but is {n_resamples}")
    if n_resamples and rng is None:
        raise ValueError("resamples are drawn at random: give a generator as rng")


def complete_items(**columns: npt.ArrayLike) -> tuple[list[FloatArray], BoolArray]:
    """Return the columns without the items that miss a value, and which items are left."""
    arrays = {name: np.asarray(column, dtype=np.float64) for name, column in columns.items()}
    shapes = {array.shape for array in arrays.values()}
    if len(shapes) > 1 or len(shapes.pop()) != 1:
        described = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ValueError(
            f"each item needs one value in each column, but the shapes are {described}"
        )
    for name, array in arrays.items():
        refuse_infinite(name, array)
    is_there = ~np.logical_or.reduce([np.isnan(array) for array in arrays.values()])
    return [array[is_there] for array in arrays.values()], is_there


def labels_of(pools: npt.ArrayLike | None, is_there: BoolArray) -> npt.ArrayLike | None:
    """Return the pool labels of the items that are left; None if there are no pools."""
    if pools is None:
        return None
    labels = np.asarray(pools)
    if labels.shape != is_there.shape:
        raise ValueError(
            f"pools has the shape {labels.shape}, but there are {len(is_there)} items, and each "
            "needs the label of its pool"
        )
    return labels[is_there]


def coefficient_and_p(
    x: FloatArray, y: FloatArray, coefficient: Coefficient
) -> tuple[float, float]:
    """Correlate two complete columns, neither of them constant; p is nan for two items."""
    n = len(x)
    if coefficient == "kendall":
        from scipy.stats import kendalltau  # noqa: PLC0415 - importing scoring loads numpy only

        result = kendalltau(x, y)
        tau = float(settled_at_1(np.asarray(result.statistic)))
        return tau, float(result.pvalue) if n > 2 else math.nan
    r = float((pearson if coefficient == "pearson" else spearman)(x, y))
    if coefficient == "spearman" and n > 2:
        exact = exact_p(x, y)
        if exact is not None:
            return r, exact
        if n <= BETA_UP_TO:
            return r, approximate_p(x, y)
    # Two points are always on a line: no p-value, and the t below would divide by 0.
    if n == 2:
        return r, math.nan
    t = r * math.sqrt((n - 2) / ((1 - r) * (1 + r))) if abs(r) < 1 else math.copysign(math.inf, r)
    return r, student_tails(t, n - 2).two_sided
