"""From several people's ratings of a unit to its one value, with an expert's last word.

0, 1, 2 with words are ratings, which have means and medians; the numbers of named categories are
labels, which have majorities only.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.json_values import JsonObject, json_numbers
from scoring.ratings.ratings import Ratings, stack_moments
from shell.messages import Message
from shell.messages import message as _

By: TypeAlias = Literal["mean", "median", "majority"]

RULES: dict[By, Message] = {
    "mean": _("The mean of the ratings of an item."),
    "median": _(
        "The median of the ratings of an item. For an even number, it is the mean of the "
        "middle two."
    ),
    "majority": _(
        "The most frequent rating of an item, even if it makes up less than half of the "
        "ratings. If several are equally frequent, the item has no value."
    ),
}


@dataclass(frozen=True, eq=False)
class Aggregate:
    """One value for each unit.

    Parameters
    ----------
    by : str
        How the ratings were put together, a key of `RULES`.
    value : float array, shape (n_units,)
        The expert's value where there is one, else that of the ratings; nan if there is
        neither.
    of_ratings : float array, shape (n_units,)
        The value of the ratings, also where an expert overrides it; nan for a unit without
        ratings and, by majority, for a tie.
    n : int array, shape (n_units,)
        Ratings of each unit.
    is_adjudicated : bool array, shape (n_units,)
        Whether an expert gave the value.
    n_votes : int array, shape (n_units,), or None
        By majority, how many ratings name the most frequent value: a label of 2 of 5 is one, and
        can be told from one of 3 of 5.
    is_tied : bool array, shape (n_units,), or None
        By majority, whether several values are the most frequent.
    """

    by: By
    value: FloatArray
    of_ratings: FloatArray
    n: IntArray
    is_adjudicated: BoolArray
    n_votes: IntArray | None = None
    is_tied: BoolArray | None = None

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return _("%(rule)s An expert's value overrides it.", rule=RULES[self.by])

    @property
    def ties(self) -> IntArray:
        """Units without a value because of a tie: those that no expert has settled."""
        if self.is_tied is None:
            return np.arange(0)
        return np.flatnonzero(self.is_tied & ~self.is_adjudicated)

    @property
    def unrated(self) -> IntArray:
        """Units without a value because nobody rated them."""
        return np.flatnonzero((self.n == 0) & ~self.is_adjudicated)

    def as_dict(self) -> JsonObject:
        """Values over units in plain JSON types, with the definition; None in place of nan."""
        return {
            "definition": self.definition,
            "by": self.by,
            "value": json_numbers(self.value),
            "of_ratings": json_numbers(self.of_ratings),
            "n": [int(n) for n in self.n],
            "n_votes": None if self.n_votes is None else [int(n) for n in self.n_votes],
            "adjudicated": [int(unit) for unit in np.flatnonzero(self.is_adjudicated)],
            "ties": [int(unit) for unit in self.ties],
            "unrated": [int(unit) for unit in self.unrated],
        }


def aggregate(ratings: Ratings, *, by: By, adjudicated: npt.ArrayLike | None = None) -> Aggregate:
    """Give each unit one value.

    Parameters
    ----------
    ratings : Ratings
        m ratings of n_units units.
    by : {"mean", "median", "majority"}
        How the ratings of a unit are put together; see `RULES`.
    adjudicated : float array, shape (n_units,), optional
        The expert's values; nan where the expert has decided nothing.

    Raises
    ------
    ValueError
        If `by` is unknown, or the expert's values do not fit the units or the scale.
    """
    if by not in get_args(By):
        raise ValueError(f"by must be one of {', '.join(get_args(By))}, not {by!r}")
    experts = _experts_values(ratings, adjudicated)
    is_adjudicated = ~np.isnan(experts)

    n = ratings.answers_per_unit()
    n_votes = is_tied = None
    if by == "mean":
        of_ratings = stack_moments(ratings).mean
    elif by == "median":
        of_ratings = _medians(ratings)
    else:
        of_ratings, n_votes, is_tied = _majorities(ratings)
    value = np.where(is_adjudicated, experts, of_ratings)
    return Aggregate(by, value, of_ratings, n, is_adjudicated, n_votes, is_tied)


def _experts_values(ratings: Ratings, adjudicated: npt.ArrayLike | None) -> FloatArray:
    if adjudicated is None:
        return np.full(ratings.n_units, np.nan)
    experts = np.asarray(adjudicated, dtype=np.float64)
    if experts.shape != (ratings.n_units,):
        raise ValueError(
            f"adjudicated has shape {experts.shape}, but there are {ratings.n_units} units"
        )
    if np.isinf(experts).any():
        unit = int(np.isinf(experts).argmax())
        raise ValueError(f"the expert's value of unit {unit} is {experts[unit]}")
    if reason := ratings.why_off_scale(experts):
        raise ValueError(f"the expert's value of unit {reason}")
    return experts


def _medians(ratings: Ratings) -> FloatArray:
    in_order = ratings.value[np.lexsort((ratings.value, ratings.unit))]
    n = ratings.answers_per_unit()
    is_rated = n > 0
    first = (np.cumsum(n) - n)[is_rated]
    last = first + n[is_rated] - 1
    medians = np.full(ratings.n_units, np.nan)
    lower, upper = (
        in_order[first + (n[is_rated] - 1) // 2],
        in_order[last - (n[is_rated] - 1) // 2],
    )
    medians[is_rated] = (lower + upper) / 2
    return medians


def _majorities(ratings: Ratings) -> tuple[FloatArray, IntArray, BoolArray]:
    """Most frequent value, its votes, and whether another has as many; each (n_units,)."""
    names, code = np.unique(ratings.value, return_inverse=True)
    # One number per pair of unit and value that occurs, so no table of units x values is made.
    cells, votes = np.unique(ratings.unit * max(len(names), 1) + code, return_counts=True)
    unit = cells // max(len(names), 1)
    n_votes = np.zeros(ratings.n_units, dtype=np.int64)
    np.maximum.at(n_votes, unit, votes)
    is_most = votes == n_votes[unit]
    n_most = np.bincount(unit[is_most], minlength=ratings.n_units)

    majorities = np.full(ratings.n_units, np.nan)
    majorities[unit[is_most]] = names[cells[is_most] % max(len(names), 1)]
    majorities[n_most > 1] = np.nan
    return majorities, n_votes, n_most > 1
