"""Where a measure and the people differ, and into which categories that is sorted.

Scores of people and values of a measure are on scales of their own. What is compared is each
item's place among all items: its rank, or its distance from the mean in standard deviations. Or
thresholds say where the two differ, such as a measure below .25 where people give the label 2.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.correlation import average_ranks
from scoring.groups import ratio, settled
from shell.messages import Message
from shell.messages import message as _

By = Literal["ranks", "standardized"]
BYS: tuple[By, ...] = get_args(By)

# Of differences in standard deviations: what is left behind them is rounding.
_DIGITS = 12

DEFINITIONS: dict[By, Message] = {
    "ranks": _(
        "People's scores and the measure's values are converted to ranks from 0 (lowest) to 1 "
        "(highest); tied values share their mean rank. Difference: people's rank minus the "
        "measure's rank."
    ),
    "standardized": _(
        "Scores and values are standardized: the mean is subtracted, and the result is divided "
        "by the standard deviation (n - 1 in the denominator). Difference: people's value minus "
        "the measure's value."
    ),
}


@dataclass(frozen=True, eq=False)
class Discrepancies:
    """Both sides made comparable, and how far apart they are.

    Parameters
    ----------
    by : {"ranks", "standardized"}
        How they were made comparable.
    people, measure : float array, shape (n_items,)
        Places of each item; nan where either value is missing.
    difference : float array, shape (n_items,)
        people - measure: above 0 where the people put the item higher.
    """

    by: By
    people: FloatArray
    measure: FloatArray
    difference: FloatArray

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return DEFINITIONS[self.by]


def discrepancies(
    people: npt.ArrayLike, measure: npt.ArrayLike, *, by: By = "ranks"
) -> Discrepancies:
    """Make scores and a measure comparable among the items that have both.

    Parameters
    ----------
    people, measure : float array, shape (n_items,)
        Values; nan where missing.
    by : {"ranks", "standardized"}
        See `DEFINITIONS`.

    Raises
    ------
    ValueError
        If fewer than two items have both, or either is the same for all of them.
    """
    x, y = (np.asarray(side, dtype=np.float64) for side in (people, measure))
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError(f"people have the shape {x.shape} and the measure {y.shape}")
    if by not in BYS:
        raise ValueError(f"{by!r} is none of {', '.join(BYS)}")
    has_both = np.isfinite(x) & np.isfinite(y)
    if has_both.sum() < 2:
        raise ValueError(f"{int(has_both.sum())} items have both values: at least 2 are needed")
    for name, side in (("people", x), ("measure", y)):
        if np.ptp(side[has_both]) == 0:
            raise ValueError(f"{name} have the same value for all items")
    left, right = (np.where(has_both, side, np.nan) for side in (x, y))
    if by == "standardized":
        left, right = _standardized(left), _standardized(right)
        # A difference of the last digits is none: it would have a direction and a place.
        return Discrepancies(by, left, right, np.round(left - right, _DIGITS) + 0.0)
    # Halves of whole numbers, which floats have: equal differences are found to be equal.
    # Means of ratings that are equal may differ in their last digits: their ranks must not.
    left = average_ranks(settled(left, left[has_both])) - 1
    right = average_ranks(right) - 1
    last = int(has_both.sum()) - 1
    return Discrepancies(by, left / last, right / last, (left - right) / last)


def _standardized(values: FloatArray) -> FloatArray:
    places: FloatArray = (values - np.nanmean(values)) / np.nanstd(values, ddof=1)
    return places


def largest(
    difference: FloatArray,
    n: int,
    *,
    least_of_each: int = 0,
    most_of_each: int | None = None,
) -> IntArray:
    """The items that differ most, whichever way, the largest difference first.

    Parameters
    ----------
    difference : float array, shape (n_items,)
        nan if there is none. Of equal sizes the earlier item comes first.
    n : int
        How many at most; fewer where there are no more with a difference.
    least_of_each, most_of_each : int, optional
        At least and at most so many of either direction, as far as there are some. An item
        without any difference is of neither.

    Raises
    ------
    ValueError
        If the numbers leave no choice: twice the least is more than n.
    """
    if least_of_each < 0 or 2 * least_of_each > n:
        raise ValueError(f"at least {least_of_each} of either direction do not fit into {n}")
    if most_of_each is not None and most_of_each < max(least_of_each, 1):
        raise ValueError(f"at most {most_of_each} are fewer than at least {least_of_each}")
    known = np.flatnonzero(np.isfinite(difference))
    in_order = known[np.argsort(-np.abs(difference[known]), kind="stable")]
    way = np.sign(difference[in_order])
    is_taken = np.zeros(len(in_order), dtype=np.bool_)
    allowed = np.ones(len(in_order), dtype=np.bool_)
    for direction in (1, -1):
        of_way = np.flatnonzero(way == direction)
        is_taken[of_way[:least_of_each]] = True
        if most_of_each is not None:
            allowed[of_way[most_of_each:]] = False
    rest = np.flatnonzero(allowed & ~is_taken)
    is_taken[rest[: n - int(is_taken.sum())]] = True
    return in_order[is_taken]


@dataclass(frozen=True)
class Thresholds:
    """When a measure and people differ: each direction has two limits, or is not looked for.

    Parameters
    ----------
    measure_below, people_from : float, optional
        People are higher where the measure is below the one and they say at least the other.
    measure_above, people_to : float, optional
        The measure is higher where it is above the one and people say at most the other.

    Raises
    ------
    ValueError
        If a direction has one limit without the other, there is no direction, or an item could
        be of both.
    """

    measure_below: float | None = None
    people_from: float | None = None
    measure_above: float | None = None
    people_to: float | None = None

    def __post_init__(self) -> None:
        people_higher = (self.measure_below, self.people_from)
        measure_higher = (self.measure_above, self.people_to)
        for limits in (people_higher, measure_higher):
            if (limits[0] is None) != (limits[1] is None):
                raise ValueError("a threshold of the measure needs one of the people's scores")
        if self.measure_below is None and self.measure_above is None:
            raise ValueError("there is no threshold")
        if (
            self.measure_below is not None
            and self.measure_above is not None
            and self.people_from is not None
            and self.people_to is not None
            and self.measure_above < self.measure_below
            and self.people_from <= self.people_to
        ):
            raise ValueError("an item could be of both directions")

    @property
    def text(self) -> str:
        """The rule in signs, as files have it."""
        parts = []
        if self.measure_below is not None:
            parts.append(f"measure < {self.measure_below:g} and people >= {self.people_from:g}")
        if self.measure_above is not None:
            parts.append(f"measure > {self.measure_above:g} and people <= {self.people_to:g}")
        return "; ".join(parts)

    def directions(self, people: npt.ArrayLike, measure: npt.ArrayLike) -> IntArray:
        """Return 1 where people are higher, -1 where the measure is, 0 elsewhere.

        Parameters
        ----------
        people, measure : float array, shape (n_items,)
            Values; nan where missing: such items are 0.
        """
        x, y = (np.asarray(side, dtype=np.float64) for side in (people, measure))
        directions = np.zeros(len(x), dtype=np.int64)
        if self.measure_below is not None and self.people_from is not None:
            directions[(y < self.measure_below) & (x >= self.people_from)] = 1
        if self.measure_above is not None and self.people_to is not None:
            directions[(y > self.measure_above) & (x <= self.people_to)] = -1
        return directions


@dataclass(frozen=True, eq=False)
class SortedDiscrepancies:
    """How many items each category has, by direction.

    Parameters
    ----------
    n_items : int array, shape (2,)
        Labelled items that people put higher, and that the measure puts higher. Items without a
        difference are in neither.
    n_chosen : int array, shape (n_categories, 2)
        Of these, the items of which more than half of those who labelled it chose the category.
    share : float array, shape (n_categories, 2)
        n_chosen / n_items; nan if there are none.
    n_without : int array, shape (2,)
        Labelled items for which no category has more than half.
    share_without : float array, shape (2,)
        n_without / n_items; nan if there are none.
    """

    n_items: IntArray
    n_chosen: IntArray
    share: FloatArray
    n_without: IntArray
    share_without: FloatArray


def sort_discrepancies(
    difference: FloatArray, votes: IntArray, n_people: IntArray
) -> SortedDiscrepancies:
    """Count the items of each category and direction.

    Parameters
    ----------
    difference : float array, shape (n_items,)
        That of the people less that of the measure; of thresholds 1 and -1. Its sign counts.
    votes : int array, shape (n_items, n_categories)
        How many people chose each category.
    n_people : int array, shape (n_items,)
        How many people labelled each item.
    """
    is_chosen = has_category(votes, n_people)
    is_labelled = np.greater(n_people, 0)
    ways = np.stack([difference > 0, difference < 0], axis=1) & is_labelled[:, np.newaxis]
    n_items = ways.sum(axis=0)
    n_chosen = is_chosen.T.astype(np.int64) @ ways.astype(np.int64)
    n_without = (ways & ~is_chosen.any(axis=1, keepdims=True)).sum(axis=0)
    share, share_without = (
        ratio(n, np.broadcast_to(n_items, n.shape)) for n in (n_chosen, n_without)
    )
    return SortedDiscrepancies(n_items, n_chosen, share, n_without, share_without)


def has_category(votes: IntArray, n_people: IntArray) -> BoolArray:
    """Whether more than half of those who labelled an item chose the category."""
    return np.asarray(votes * 2 > n_people[:, np.newaxis])
