"""Bootstrap intervals: how much would a statistic differ in another study of the same kind?

What is drawn with replacement has to be what another study would draw anew. The items of a pool,
such as five candidates of one dialogue, are drawn together with their dialogue: where there are
several pools, pools are resampled, and intervals from items would be too narrow.

Symbols: n items, g units (pools or items), r resamples. A resample is a row of weights, how
often each item was drawn.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from scoring.arrays import FloatArray, IntArray
from scoring.distributions import normal_quantile, normal_share
from scoring.json_values import JsonObject, json_number
from shell.messages import Message, ngettext
from shell.messages import message as _

Unit: TypeAlias = Literal["pools", "items"]
BootstrapMethod: TypeAlias = Literal["percentile", "bca"]
Statistic: TypeAlias = Callable[[FloatArray], FloatArray]

METHODS: dict[str, Message] = {
    "percentile": _("Percentiles of the statistic over the resamples [Efron1993]."),
    "bca": _(
        "Percentiles over the resamples, corrected for bias and for a spread that changes with the"
        " statistic (BCa) [Efron1987]."
    ),
}

# Weights held at once, eight bytes each and a few copies.
CELLS_AT_ONCE = 2**20
# Share of the resamples that may have no value and be left out.
MAX_SHARE_UNDEFINED = 0.05
# Of five items 10% of the resamples hold at most two different ones, whose correlation is 1, -1 or
# undefined whatever they are; of six it is 2%, less than an interval of 95% leaves out at an end.
MIN_UNITS = 6
# With fewer shared pools, `scoring.baselines` and the application give no bootstrap interval. In
# simulated studies of pools of five items, BCa intervals of 95% from whole pools covered the truth
# (r = .6) in 44% to 47% with two pools and in 80% to 87% with five. Drawing single items instead
# covered 83% to 94%, but 77% with nine pools where half of the variance is between pools.
MIN_POOLS = 10


@dataclass(frozen=True, eq=False)
class Interval:
    """An interval of one statistic.

    Parameters
    ----------
    low, high : float
        Its ends; nan where undefined.
    method : str
        How it was computed: "percentile", "bca", or "fisher" for correlations.
    level : float
        Its nominal coverage, such as .95.
    reason : Message or None
        Why there is no interval.
    """

    low: float
    high: float
    method: str
    level: float
    reason: Message | None = None

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types."""
        return {
            "low": json_number(self.low),
            "high": json_number(self.high),
            "method": self.method,
            "level": self.level,
            "reason": self.reason,
        }


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """A statistic in each of the resamples.

    Parameters
    ----------
    estimate : float
        The statistic of the data.
    values : float array, shape (r,)
        The statistic of each resample; nan where undefined.
    without_one : float array, shape (g,)
        The statistic of the data without one unit, for each unit in turn.
    resampled : {"pools", "items"}
        What the units are.
    n_counting : int or None
        Units that the statistic is of; None if it is of all units, and each was left out in turn.
    """

    estimate: float
    values: FloatArray
    without_one: FloatArray
    resampled: Unit
    n_counting: int | None = None

    @property
    def n_units(self) -> int:
        """Number of pools or items, g."""
        return len(self.without_one) if self.n_counting is None else self.n_counting

    @property
    def n_undefined(self) -> int:
        """Number of resamples without a value, which the intervals leave out."""
        return int(np.isnan(self.values).sum())

    def interval(self, method: BootstrapMethod, *, level: float = 0.95) -> Interval:
        """Take the interval from the resamples.

        Parameters
        ----------
        method : {"percentile", "bca"}
            See `METHODS`.
        level : float
            Nominal coverage, between 0 and 1.

        Returns
        -------
        Interval
            Nan, with the reason, where `why_undefined` gives one, or where BCa has no bias.

        Raises
        ------
        ValueError
            If the method is unknown or the level is not between 0 and 1.

        References
        ----------
        [Efron1987], [Efron1993] in docs/references.md
        """
        if method not in get_args(BootstrapMethod):
            raise ValueError(
                f"method must be one of {', '.join(get_args(BootstrapMethod))}, not {method!r}"
            )
        check_level(level)
        if reason := self.why_undefined():
            return Interval(math.nan, math.nan, method, level, reason)
        shares = np.array([(1 - level) / 2, (1 + level) / 2])
        if method == "bca":
            shares = self._corrected(shares)
            if np.isnan(shares).any():
                reason = _("the estimate lies outside all resamples, so their bias is unknown")
                return Interval(math.nan, math.nan, method, level, reason)
        low, high = np.quantile(self.values[~np.isnan(self.values)], shares)
        return Interval(float(low), float(high), method, level)

    def why_undefined(self) -> Message | None:
        """Say why nothing is concluded from the resamples; None if something is.

        There is no estimate, there are fewer than 6 units, or more than 5% of the resamples have
        no value.
        """
        if math.isnan(self.estimate):
            return _("the statistic is undefined for the data themselves")
        if self.n_units < MIN_UNITS:
            return self._too_few()
        if self.n_undefined > MAX_SHARE_UNDEFINED * len(self.values):
            return ngettext(
                "%(n)s of %(resamples)s resamples have no value",
                "%(n)s of %(resamples)s resamples have no value",
                "n",
                n=self.n_undefined,
                resamples=len(self.values),
            )
        return None

    def _too_few(self) -> Message:
        if self.resampled == "pools":
            return ngettext(
                "there is only %(n)s pool, but the bootstrap needs %(least)s",
                "there are only %(n)s pools, but the bootstrap needs %(least)s",
                "n",
                n=self.n_units,
                least=MIN_UNITS,
            )
        return ngettext(
            "there is only %(n)s item, but the bootstrap needs %(least)s",
            "there are only %(n)s items, but the bootstrap needs %(least)s",
            "n",
            n=self.n_units,
            least=MIN_UNITS,
        )

    def _corrected(self, shares: FloatArray) -> FloatArray:
        """Shift the shares for bias (z0) and acceleration (a); nan where z0 is infinite."""
        values = self.values[~np.isnan(self.values)]
        below = ((values < self.estimate).mean() + (values <= self.estimate).mean()) / 2
        z0 = normal_quantile(float(below))
        if not math.isfinite(z0):
            return np.full(2, np.nan)
        left_out = self.without_one[~np.isnan(self.without_one)]
        deviations = left_out.mean() - left_out
        spread = float((deviations**2).sum())
        # Without spread (a perfect correlation, say) there is nothing that could accelerate.
        a = float((deviations**3).sum()) / (6 * spread**1.5) if spread > 0 else 0.0
        z = z0 + np.array([normal_quantile(share) for share in shares.tolist()])
        return normal_share(z0 + z / (1 - a * z))


def bootstrap(
    statistic: Statistic,
    *,
    n_items: int,
    pools: npt.ArrayLike | None,
    n_resamples: int,
    rng: np.random.Generator,
) -> Bootstrap:
    """Compute a statistic of resamples: of pools where there are several, of items otherwise.

    Parameters
    ----------
    statistic : callable
        Takes weights, shape (r, n), and returns the statistic of each resample, shape (r,).
    n_items : int
        n, at least 1.
    pools : array, shape (n,), optional
        Label of each item's pool.
    n_resamples : int
        r, at least 1.
    rng : numpy Generator
        Source of the resamples.

    Raises
    ------
    ValueError
        If there is no item, no resample, or not one pool label for each item.
    """
    if n_items < 1:
        raise ValueError("there are no items to resample")
    if n_resamples < 1:
        raise ValueError(f"n_resamples must be at least 1, not {n_resamples}")
    resampled, unit_of = resampling_units(n_items, pools)
    n_units = int(unit_of.max()) + 1
    drawn = [
        statistic(weights[:, unit_of])
        for weights in drawn_units(n_units, n_resamples, n_items, rng)
    ]
    left_out = [statistic(weights[:, unit_of]) for weights in all_but_one(n_units, n_items)]
    estimate = float(statistic(np.ones((1, n_items)))[0])
    return Bootstrap(estimate, np.concatenate(drawn), np.concatenate(left_out), resampled)


def resampling_units(n_items: int, pools: npt.ArrayLike | None) -> tuple[Unit, IntArray]:
    """Say what is resampled, and number the unit of each item, shape (n,).

    Raises
    ------
    ValueError
        If there is not one pool label for each item.
    """
    if pools is not None:
        labels = np.asarray(pools)
        if labels.shape != (n_items,):
            raise ValueError(
                f"pools has the shape {labels.shape}, but there are {n_items} items, and each "
                "needs the label of its pool"
            )
        distinct, pool_of = np.unique(labels, return_inverse=True)
        if len(distinct) > 1:
            return "pools", pool_of.astype(np.int64)
    return "items", np.arange(n_items)


def check_level(level: float) -> None:
    """Raise ValueError for what is no coverage."""
    if not 0 < level < 1:
        raise ValueError(f"the level must lie between 0 and 1, such as 0.95, but is {level:g}")


def drawn_units(
    n_units: int, n_resamples: int, n_items: int, rng: np.random.Generator
) -> Iterator[FloatArray]:
    """Yield how often each unit is drawn, shape (resamples, g), chunk by chunk."""
    at_once = max(1, CELLS_AT_ONCE // n_items)
    for done in range(0, n_resamples, at_once):
        r = min(at_once, n_resamples - done)
        drawn = rng.integers(n_units, size=(r, n_units)) + np.arange(r)[:, None] * n_units
        counts = np.bincount(drawn.ravel(), minlength=r * n_units)
        yield counts.reshape(r, n_units).astype(np.float64)


def all_but_one(n_units: int, n_items: int) -> Iterator[FloatArray]:
    """Yield weights of 1 for all units but one, for each in turn, chunk by chunk."""
    at_once = max(1, CELLS_AT_ONCE // n_items)
    for first in range(0, n_units, at_once):
        left_out = np.arange(first, min(first + at_once, n_units))
        weights = np.ones((len(left_out), n_units))
        weights[np.arange(len(left_out)), left_out] = 0
        yield weights
