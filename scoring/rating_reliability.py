"""Krippendorff's alpha of ratings at four levels of measurement, with a bootstrap interval.

Alpha is 1 - observed / expected disagreement [Krippendorff2011]: the mean squared distance of the
values of one unit, and of all values. The level says what the distance of two values is:

- ``nominal``: 0 if they are the same, else 1.
- ``ordinal``: how many ratings lie between them, half of those of either counted in. That is
  the difference of their mean ranks among all values, so ranks take the place of values.
- ``interval``: their difference.
- ``ratio``: their difference relative to their sum, which needs values of at least 0.

Symbols: n values that can be paired, of units with at least two; v distinct ones of them; r
resamples.
"""

from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from scoring.arrays import IntArray
from scoring.disagreement import Level, ValueCounts, alphas_of
from scoring.json_values import JsonObject, json_number
from scoring.ratings import Ratings
from scoring.resampling import draws
from shell.messages import Message
from shell.messages import message as _

LEVELS: dict[Level, Message] = {
    "nominal": _("values being the same or not"),
    "ordinal": _(
        "the distance of two values being the number of ratings between them, half of those that"
        " name either counted in"
    ),
    "interval": _("the distance of two values being their difference"),
    "ratio": _("the distance of two values being their difference relative to their sum"),
}
LEVEL_NAMES: dict[Level, Message] = {
    "nominal": _("nominal"),
    "ordinal": _("ordinal"),
    "interval": _("interval"),
    "ratio": _("ratio"),
}

# Floats that the krippendorff package may hold for its units x v x v table: 64 MB.
PACKAGE_CELLS = 2**23
# Numbers of a bootstrap held at once: half a MB in each of a few arrays, which stay in the
# processor's cache, and are not fetched from the system anew each time. Four times as many take
# one and a half times as long.
CELLS_AT_ONCE = 2**16


@dataclass(frozen=True, eq=False)
class RatingAlpha:
    """Krippendorff's alpha of a batch of ratings.

    Parameters
    ----------
    value : float
        1 - observed / expected disagreement, at most 1; nan where undefined.
    level : str
        What the distance of two values is, a key of `LEVELS`.
    n_units, n_values : int
        Units with at least two ratings, and their ratings.
    n_dropped : int
        Units with fewer, which have nothing to agree with; unrated units are among them.
    reason : Message or None
        Why there is no value.
    low, high : float
        2.5 and 97.5 percentiles over resamples; nan where there is no interval.
    n_resamples : int
        Resamples drawn; 0 if no interval was asked for.
    n_undefined : int
        Resamples whose values are all equal, which the interval leaves out.
    resampled : str or None
        What was drawn with replacement: units, or pools of units.
    interval_reason : Message or None
        Why there is no interval.
    """

    value: float
    level: Level
    n_units: int
    n_values: int
    n_dropped: int
    reason: Message | None = None
    low: float = float("nan")
    high: float = float("nan")
    n_resamples: int = 0
    n_undefined: int = 0
    resampled: Literal["units", "pools"] | None = None
    interval_reason: Message | None = None

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return _(
            "Krippendorff's alpha (%(level)s) [Krippendorff2011], %(distance)s. Distances are"
            " squared. low and high: percentile bootstrap interval (95 %%) over units, or over"
            " pools of them where these were given [Efron1993].",
            level=LEVEL_NAMES[self.level],
            distance=LEVELS[self.level],
        )

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition; the value is named alpha."""
        return {
            "definition": self.definition,
            "level": self.level,
            "alpha": json_number(self.value),
            "reason": self.reason,
            "low": json_number(self.low),
            "high": json_number(self.high),
            "n_resamples": self.n_resamples,
            "n_undefined": self.n_undefined,
            "resampled": self.resampled,
            "interval_reason": self.interval_reason,
            "n_units": self.n_units,
            "n_values": self.n_values,
            "n_dropped": self.n_dropped,
        }


def rating_alpha(
    ratings: Ratings,
    *,
    level: Level,
    n_resamples: int = 0,
    rng: np.random.Generator | None = None,
    pool: IntArray | None = None,
) -> RatingAlpha:
    """Krippendorff's alpha of ratings.

    Parameters
    ----------
    ratings : Ratings
        m ratings. Two of one person for one unit count like those of two people.
    level : {"nominal", "ordinal", "interval", "ratio"}
        What the distance of two values is; see the module's head.
    n_resamples : int
        Resamples for the interval; 0 for none.
    rng : numpy Generator, optional
        Source of the resamples.
    pool : int array, shape (n_units,), optional
        Pool of each unit. With it, whole pools are drawn: units of one pool may go together.

    Returns
    -------
    RatingAlpha
        Its value is nan, with the reason, if no unit has two ratings, if all values are equal, or
        at ratio level if a value is below 0.

    Raises
    ------
    ValueError
        If the level is unknown, `pool` does not fit the units, `n_resamples` is below 0, or an
        interval is asked for without `rng`.

    References
    ----------
    [Krippendorff2011], [Efron1993] in docs/references.md
    """
    if level not in get_args(Level):
        raise ValueError(f"level must be one of {', '.join(get_args(Level))}, not {level!r}")
    if n_resamples < 0:
        raise ValueError(f"n_resamples must be at least 0, not {n_resamples}")
    if n_resamples and rng is None:
        raise ValueError("an interval needs random numbers: give rng, or n_resamples=0")
    if pool is not None and np.shape(pool) != (ratings.n_units,):
        raise ValueError(f"pool has shape {np.shape(pool)} for {ratings.n_units} units")

    per_unit = ratings.ratings_per_unit()
    is_paired = per_unit[ratings.unit] >= 2
    counts = ValueCounts.of(ratings.unit[is_paired], ratings.value[is_paired])
    n_units = int((per_unit >= 2).sum())
    result = RatingAlpha(np.nan, level, n_units, int(is_paired.sum()), ratings.n_units - n_units)
    if reason := _why_undefined(counts, level, n_ratings=ratings.n_ratings):
        return replace(result, reason=reason, interval_reason=reason)

    result = replace(result, value=_value(counts, level))
    if n_resamples == 0 or rng is None:
        return result
    of_unit = None
    if pool is not None:
        # In the order in which they first occur: how they are numbered changes no draw.
        _, first, inverse = np.unique(
            np.asarray(pool)[per_unit >= 2], return_index=True, return_inverse=True
        )
        of_unit = np.argsort(np.argsort(first))[inverse]
    return _with_interval(
        replace(result, resampled="units" if pool is None else "pools"),
        counts,
        of_unit,
        n_resamples=n_resamples,
        rng=rng,
    )


def _why_undefined(counts: "ValueCounts", level: Level, *, n_ratings: int) -> Message | None:
    if n_ratings == 0:
        return _("there are no ratings")
    if counts.n_units == 0:
        return _("no unit has two ratings")
    if counts.n_distinct == 1:
        return _("all values are equal, so there is no disagreement by chance to compare with")
    if level == "ratio" and counts.values[0] < 0:
        return _("at ratio level values must be at least 0: a negative one has no ratio to others")
    return None


def _value(counts: ValueCounts, level: Level) -> float:
    """Alpha of all units, each once; the cases without one are sorted out before."""
    # The package holds a table of units x v x v floats: 1,200 pairs rated in hundredths from 0 to
    # 6 would ask it for 3.5 GB. It also takes units of one value along, which add nothing.
    if counts.n_units * counts.n_distinct**2 <= PACKAGE_CELLS:
        import krippendorff  # noqa: PLC0415 - loaded only where it is needed

        return float(
            krippendorff.alpha(
                value_counts=counts.table(),
                value_domain=counts.values,
                level_of_measurement=level,
            )
        )
    return float(alphas_of(counts, level)(np.ones((1, counts.n_units)))[0])


def _with_interval(
    result: RatingAlpha,
    counts: ValueCounts,
    pool: IntArray | None,
    *,
    n_resamples: int,
    rng: np.random.Generator,
) -> RatingAlpha:
    n_pools = counts.n_units if pool is None else int(pool.max()) + 1
    if n_pools < 2:
        return replace(
            result,
            interval_reason=_("there is one of the units: nothing varies")
            if result.resampled == "units"
            else _("there is one of the pools: nothing varies"),
        )
    alphas = alphas_of(counts, result.level)
    values = np.concatenate(
        [
            alphas(drawn if pool is None else drawn[:, pool])
            for drawn in draws(
                n_pools,
                n_resamples,
                at_once=max(1, CELLS_AT_ONCE // max(counts.n_units, counts.n_distinct)),
                rng=rng,
            )
        ]
    )
    defined = values[~np.isnan(values)]
    n_undefined = n_resamples - len(defined)
    if len(defined) == 0:
        return replace(
            result,
            n_resamples=n_resamples,
            n_undefined=n_undefined,
            interval_reason=_("the values of every resample are all equal"),
        )
    low, high = np.percentile(defined, [2.5, 97.5])
    return replace(
        result,
        low=float(low),
        high=float(high),
        n_resamples=n_resamples,
        n_undefined=n_undefined,
    )
