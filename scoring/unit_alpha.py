"""What alpha of ratings and of labels share: the interval over units, or over pools of them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.json_values import JsonObject, json_number
from scoring.resampling import draws
from shell.messages import Message
from shell.messages import message as _

AnyAlpha = TypeVar("AnyAlpha", bound="UnitAlpha")

# Numbers of a bootstrap held at once: half a MB in each of a few arrays, which stay in the
# processor's cache, and are not fetched from the system anew each time. Four times as many take
# one and a half times as long.
CELLS_AT_ONCE = 2**16


@dataclass(frozen=True, eq=False, kw_only=True)
class UnitAlpha:
    """Krippendorff's alpha of units, with a bootstrap interval.

    Parameters
    ----------
    value : float
        At most 1; nan where undefined.
    n_units : int
        Units with at least two answers.
    n_dropped : int
        Units with fewer, which have nothing to agree with.
    reason : Message or None
        Why there is no value.
    low, high : float
        2.5 and 97.5 percentiles over resamples; nan if there is no interval.
    n_resamples : int
        Resamples drawn; 0 if no interval was asked for.
    n_undefined : int
        Resamples whose values are all equal, which the interval leaves out.
    resampled : str or None
        What was drawn with replacement: units, or pools of units.
    interval_reason : Message or None
        Why there is no interval.
    """

    value: float = float("nan")
    n_units: int
    n_dropped: int
    reason: Message | None = None
    low: float = float("nan")
    high: float = float("nan")
    n_resamples: int = 0
    n_undefined: int = 0
    resampled: Literal["units", "pools"] | None = None
    interval_reason: Message | None = None

    def figures(self) -> JsonObject:
        """All figures of this class in plain JSON types; the value is named alpha."""
        return {
            "alpha": json_number(self.value),
            "reason": self.reason,
            "low": json_number(self.low),
            "high": json_number(self.high),
            "n_resamples": self.n_resamples,
            "n_undefined": self.n_undefined,
            "resampled": self.resampled,
            "interval_reason": self.interval_reason,
            "n_units": self.n_units,
            "n_dropped": self.n_dropped,
        }


def check_request(
    n_units: int, *, n_resamples: int, rng: np.random.Generator | None, pool: IntArray | None
) -> None:
    """Raise ValueError for an interval that cannot be drawn, whatever the answers are."""
    if n_resamples < 0:
        raise ValueError(f"n_resamples must be at least 0, not {n_resamples}")
    if n_resamples and rng is None:
        raise ValueError("an interval needs random numbers: give rng, or n_resamples=0")
    if pool is not None and np.shape(pool) != (n_units,):
        raise ValueError(f"pool has shape {np.shape(pool)} for {n_units} units")


def with_interval(
    result: AnyAlpha,
    alphas: Callable[[FloatArray], FloatArray],
    *,
    n_distinct: int,
    pool: IntArray | None,
    n_resamples: int,
    rng: np.random.Generator | None,
    all_equal: Message,
) -> AnyAlpha:
    """Add the percentile interval.

    Parameters
    ----------
    result : UnitAlpha
        With its value.
    alphas : function
        From weights of the units, shape (r, n_units), to the alphas of these resamples, (r,).
    n_distinct : int
        Distinct values of the answers, of which `alphas` holds arrays of shape (r, n_distinct).
    pool : int array, shape (n_units,), optional
        Pool of each unit that has two answers.
    all_equal : Message
        Why there is no interval where no resample has an alpha.
    """
    if n_resamples == 0 or rng is None:
        return result
    n_pools, numbered = result.n_units, None
    if pool is not None:
        # In the order in which they first occur: how they are numbered changes no draw.
        _values, first, inverse = np.unique(pool, return_index=True, return_inverse=True)
        n_pools, numbered = len(first), np.argsort(np.argsort(first))[inverse]
    result = replace(result, resampled="units" if pool is None else "pools")
    if n_pools < 2:
        return replace(
            result,
            interval_reason=_("there is only one unit, so nothing varies")
            if pool is None
            else _("there is only one pool, so nothing varies"),
        )
    at_once = max(1, CELLS_AT_ONCE // max(result.n_units, n_distinct))
    values = np.concatenate(
        [
            alphas(drawn if numbered is None else drawn[:, numbered])
            for drawn in draws(n_pools, n_resamples, at_once=at_once, rng=rng)
        ]
    )
    defined = values[~np.isnan(values)]
    n_undefined = n_resamples - len(defined)
    result = replace(result, n_resamples=n_resamples, n_undefined=n_undefined)
    if len(defined) == 0:
        return replace(result, interval_reason=all_equal)
    low, high = np.percentile(defined, [2.5, 97.5])
    return replace(result, low=float(low), high=float(high))
