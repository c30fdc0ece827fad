"""Krippendorff's alpha of ratings at four levels of measurement, with its interval.

Alpha is 1 - observed / expected disagreement [Krippendorff2011]: the mean squared distance of the
values of one unit, and of all values. The level says what the distance of two values is:

- ``nominal``: 0 if they are the same, else 1.
- ``ordinal``: how many ratings lie between them, half of those of either counted in. That is
  the difference of their mean ranks among all values, so ranks take the place of values.
- ``interval``: their difference.
- ``ratio``: their difference relative to their sum, which needs values of at least 0.

Symbols: n values that can be paired, of units with at least two; v distinct ones of them.
"""

import math
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np

from scoring.arrays import IntArray
from scoring.disagreement import Level, ValueCounts, alphas_of
from scoring.json_values import JsonObject
from scoring.ratings.ratings import Ratings
from scoring.unit_alpha import UnitAlpha
from scoring.unit_interval import OfWeights, check_pool, unit_interval
from shell.messages import Message
from shell.messages import message as _

LEVELS: dict[Level, Message] = {
    "nominal": _("0 if they are equal, 1 otherwise"),
    "ordinal": _(
        "the square of the number of ratings between them, counting half of the ratings at each "
        "of the two values"
    ),
    "interval": _("their squared difference"),
    "ratio": _("the square of their difference divided by their sum"),
}
LEVEL_NAMES: dict[Level, Message] = {
    "nominal": _("nominal"),
    "ordinal": _("ordinal"),
    "interval": _("interval"),
    "ratio": _("ratio"),
}

# Floats that the krippendorff package may hold for its units x v x v table: 64 MB.
PACKAGE_CELLS = 2**23


@dataclass(frozen=True, eq=False, kw_only=True)
class RatingAlpha(UnitAlpha):
    """Krippendorff's alpha of a batch of ratings.

    Parameters
    ----------
    level : str
        What the distance of two values is, a key of `LEVELS`.
    n_values : int
        Ratings of the units with at least two.
    """

    level: Level
    n_values: int

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return _(
            "Krippendorff's alpha (%(level)s) [Krippendorff2011]. Distance between two "
            "values: %(distance)s.",
            level=LEVEL_NAMES[self.level],
            distance=LEVELS[self.level],
        )

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition; the value is named alpha."""
        of_level = {"definition": self.definition, "level": self.level}
        return {**of_level, **self.figures(), "n_values": self.n_values}


def rating_alpha(
    ratings: Ratings,
    *,
    level: Level,
    with_interval: bool = False,
    pool: IntArray | None = None,
) -> RatingAlpha:
    """Krippendorff's alpha of ratings.

    Parameters
    ----------
    ratings : Ratings
        m ratings. Two of one person for one unit count like those of two people.
    level : {"nominal", "ordinal", "interval", "ratio"}
        What the distance of two values is; see the module's head.
    with_interval : bool
        Whether to compute the interval over people, and pools or units.
    pool : int array, shape (n_units,), optional
        Pool of each unit: units of one pool may go together.

    Returns
    -------
    RatingAlpha
        Its value is nan, with the reason, if no unit has two ratings, if all values are equal, or
        at ratio level if a value is below 0.

    Raises
    ------
    ValueError
        If the level is unknown, or `pool` does not fit the units.

    References
    ----------
    [Krippendorff2011]; those of `scoring.unit_interval.unit_interval` in docs/references.md
    """
    if level not in get_args(Level):
        raise ValueError(f"level must be one of {', '.join(get_args(Level))}, not {level!r}")
    check_pool(pool, n_units=ratings.n_units)

    per_unit = ratings.answers_per_unit()
    is_paired = per_unit[ratings.unit] >= 2
    counts = ValueCounts.of(ratings.unit[is_paired], ratings.value[is_paired])
    n_units = int((per_unit >= 2).sum())
    reason = _why_undefined(counts, level, n_ratings=ratings.n_ratings)
    result = RatingAlpha(
        level=level,
        value=math.nan if reason else _value(counts, level),
        reason=reason,
        n_units=n_units,
        n_values=int(is_paired.sum()),
        n_dropped=ratings.n_units - n_units,
    )
    if not with_interval:
        return result

    def prepare(rows: IntArray, unit: IntArray) -> OfWeights:
        return alphas_of(ValueCounts.of(unit, ratings.value[rows]), level)

    interval = unit_interval(
        ratings.unit, ratings.annotator, result.value, prepare, pool=pool, reason=reason
    )
    return replace(result, interval=interval)


def _why_undefined(counts: "ValueCounts", level: Level, *, n_ratings: int) -> Message | None:
    if n_ratings == 0:
        return _("there are no ratings")
    if counts.n_units == 0:
        return _("no item has two ratings")
    if counts.n_distinct == 1:
        return _("all values are equal, so the disagreement expected by chance is 0")
    if level == "ratio" and counts.values[0] < 0:
        return _("alpha at ratio level needs values of at least 0")
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
