"""How far the mean of a stack lies from the score that ever more ratings would give."""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from scoring.arrays import FloatArray
from scoring.groups import ratio
from scoring.json_values import JsonObject, json_number
from scoring.ratings.ratings import Ratings, stack_moments
from shell.messages import Message
from shell.messages import message as _

Bound: TypeAlias = Literal["paper", "unbiased"]

BOUNDS: dict[Bound, Message] = {
    "paper": _(
        "Mean over items of df / (df - 2) · s^2 / n, where n is the number of ratings of "
        "the item, s their standard deviation and df = n - 1 [CzechSTS]. It is the "
        "variance of a t distribution that is scaled by the standard error. Items with "
        "fewer than four ratings are left out."
    ),
    "unbiased": _(
        "Mean over items of s^2 / n, where n is the number of ratings of the item and s "
        "their standard deviation: the expected squared error of an item's mean. Items "
        "with fewer than two ratings are left out."
    ),
}


@dataclass(frozen=True, eq=False)
class ErrorBound:
    """Mean squared error to be expected of the units' scores.

    Parameters
    ----------
    kind : str
        Which bound, a key of `BOUNDS`.
    value : float
        In squared units of the scale; nan where undefined.
    of_unit : float array, shape (n_units,)
        What each unit adds, with its own n; nan for units without a bound.
    n_units, n_left_out : int
        Units with a bound, and those without.
    reason : Message or None
        Why there is no bound.
    """

    kind: Bound
    value: float
    of_unit: FloatArray
    n_units: int
    n_left_out: int
    reason: Message | None = None

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return BOUNDS[self.kind]

    def as_dict(self) -> JsonObject:
        """The bound and its root in plain JSON types, with the definition."""
        return {
            "definition": self.definition,
            "kind": self.kind,
            "value": json_number(self.value),
            "root": json_number(np.sqrt(self.value)),
            "n_units": self.n_units,
            "n_left_out": self.n_left_out,
            "reason": self.reason,
        }


def error_bound(ratings: Ratings, *, kind: Bound) -> ErrorBound:
    """Mean squared error to be expected of the units' scores, the means of their ratings.

    Parameters
    ----------
    ratings : Ratings
        m ratings of n_units units.
    kind : {"paper", "unbiased"}
        Which bound; see `BOUNDS`. For nine ratings that of the paper is a third higher.

    Returns
    -------
    ErrorBound
        Its value is nan, with the reason, if no unit has enough ratings.

    Raises
    ------
    ValueError
        If the kind is unknown.

    References
    ----------
    [CzechSTS] in docs/references.md
    """
    if kind not in get_args(Bound):
        raise ValueError(f"kind must be one of {', '.join(get_args(Bound))}, not {kind!r}")
    stacks = stack_moments(ratings)
    of_unit = ratio(stacks.variance, stacks.n)
    if kind == "paper":
        df = stacks.n - 1
        of_unit = of_unit * ratio(df, df - 2)
    has_bound = ~np.isnan(of_unit)
    n_units = int(has_bound.sum())
    if n_units == 0:
        if ratings.n_ratings == 0:
            reason = _("there are no ratings")
        elif kind == "paper":
            reason = _("no item has four ratings")
        else:
            reason = _("no item has two ratings")
        return ErrorBound(kind, np.nan, of_unit, 0, ratings.n_units, reason)
    value = float(of_unit[has_bound].mean())
    return ErrorBound(kind, value, of_unit, n_units, ratings.n_units - n_units)
