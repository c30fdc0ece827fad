"""Ratings on a scale as arrays, checked once and then shared by all statistics.

A *unit* is what a stack of ratings is about: an item, or an item under one condition. Ratings of
the same items under two conditions are two batches that number the units alike.

Symbols used for ratings: m ratings; n_annotators people, numbered 0..n_annotators-1; n_units
units, numbered 0..n_units-1.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.arrays import BoolArray, FloatArray, IntArray, read_only, whole_numbers
from scoring.groups import GroupMoments, group_moments, group_sums, ratio, settled
from scoring.json_values import JsonObject, json_numbers

# How far from a multiple of the step, in steps, a value may be through its binary form.
STEP_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Ratings:
    """A batch of ratings.

    Parameters
    ----------
    annotator : int array, shape (m,)
        Person who gave each rating, 0..n_annotators-1.
    unit : int array, shape (m,)
        What each rating is about, 0..n_units-1.
    value : float array, shape (m,)
        The rating, in units of the scale. What was not rated has no row: nan is refused.
    n_annotators, n_units : int
        Numbers of people and of units, including those without ratings.
    low, high : float, optional
        Ends of the scale.
    step : float, optional
        Distance of neighbouring values of the scale, counted from `low`.
    thinking_ms : float array, shape (m,), optional
        Time that each rating took, in milliseconds; nan where it was not measured.
    order : int array, shape (m,), optional
        Place of each rating in its annotator's order, 0, 1, ...: how many annotations the person
        had already made.
    submitted_at : float array, shape (m,), optional
        When each rating was given, in seconds since any fixed moment; nan where not known.

    Raises
    ------
    ValueError
        If the arrays do not fit together or a value is not on the scale; the message names the
        first offending row.

    Notes
    -----
    m = 0 is a valid batch: statistics of it say why they cannot be computed.
    One person may rate a unit repeatedly. Statistics of the whole batch count each of these
    ratings like those of several people; `first_ratings` leaves the repeats out.
    The arrays are read-only views of those given; a caller should not write to these either.
    """

    annotator: IntArray
    unit: IntArray
    value: FloatArray
    n_annotators: int
    n_units: int
    low: float | None = None
    high: float | None = None
    step: float | None = None
    thinking_ms: FloatArray | None = None
    order: IntArray | None = None
    submitted_at: FloatArray | None = None

    def __post_init__(self) -> None:
        for name in ("annotator", "unit", "order"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, whole_numbers(getattr(self, name), name))
        for name in ("value", "thinking_ms", "submitted_at"):
            if getattr(self, name) is not None:
                array = np.asarray(getattr(self, name), dtype=np.float64)
                object.__setattr__(self, name, read_only(array))

        if self.value.ndim != 1:
            raise ValueError(f"value has shape {self.value.shape}, not one value per rating")
        for name in _ARRAYS:
            array = getattr(self, name)
            if array is not None and array.shape != self.value.shape:
                raise ValueError(
                    f"{name} has shape {array.shape}, but there are {self.n_ratings} ratings"
                )
        _check_numbers(self.annotator, "annotator", n=self.n_annotators)
        _check_numbers(self.unit, "unit", n=self.n_units)
        _refuse(~np.isfinite(self.value), self.value, "the value {}: leave out what is not rated")
        if self.order is not None:
            _refuse(self.order < 0, self.order, "the place {}: places are counted from 0")
        if self.thinking_ms is not None:
            _refuse(self.thinking_ms < 0, self.thinking_ms, "the thinking time {} ms, below 0")
        self._check_scale()

    def _check_scale(self) -> None:
        for name in ("low", "high", "step"):
            if (end := getattr(self, name)) is not None and not np.isfinite(end):
                raise ValueError(f"{name} must be a finite number, not {end}")
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise ValueError(f"the scale has no extent: low {self.low:g}, high {self.high:g}")
        if self.step is not None and self.low is None:
            raise ValueError("the step of a scale is counted from its low end: give low as well")
        if self.step is not None and self.step <= 0:
            raise ValueError(f"the step of a scale must be above 0, not {self.step:g}")
        if reason := self.why_off_scale(self.value):
            raise ValueError(f"rating {reason}")

    def why_off_scale(self, values: FloatArray) -> str | None:
        """Say which of the values is not on the scale, and why; None if all are. nan passes."""
        if self.low is not None and (below := values < self.low).any():
            j = int(below.argmax())
            return f"{j} is {values[j]:g}, below the scale's low end {self.low:g}"
        if self.high is not None and (above := values > self.high).any():
            j = int(above.argmax())
            return f"{j} is {values[j]:g}, above the scale's high end {self.high:g}"
        if self.low is not None and self.step is not None:
            steps = (values - self.low) / self.step
            if (between := np.abs(steps - np.round(steps)) > STEP_TOLERANCE).any():
                j = int(between.argmax())
                return f"{j} is {values[j]:g}, between the steps of {self.step:g} of the scale"
        return None

    @property
    def n_ratings(self) -> int:
        """Number of ratings, m."""
        return len(self.value)

    def ratings_per_unit(self) -> IntArray:
        """Number of ratings of each unit, shape (n_units,)."""
        return np.bincount(self.unit, minlength=self.n_units)

    def of_ratings(self, rows: BoolArray | IntArray) -> "Ratings":
        """Return the ratings in `rows` (mask or row numbers); people and units keep their numbers.

        For leaving out people, blocks or repeats.
        """
        # Any part of a checked batch is a valid batch, so __post_init__ is passed by.
        part = copy.copy(self)
        for name in _ARRAYS:
            if (array := getattr(self, name)) is not None:
                object.__setattr__(part, name, read_only(array[rows]))
        return part

    def first_ratings(self) -> "Ratings":
        """Leave out what a person rated again: their earliest rating of each unit stays."""
        return self.of_ratings(self.rows_of_first_ratings())

    def rows_of_first_ratings(self) -> IntArray:
        """Rows of each person's earliest rating of each unit, in ascending order.

        Earliest is by `submitted_at` where given, else by `order`, else by row.
        """
        earlier_first = self._by_person_and_unit()
        cell = self._cells()[earlier_first]
        is_first = np.ones(self.n_ratings, dtype=np.bool_)
        is_first[1:] = cell[1:] != cell[:-1]
        return np.sort(earlier_first[is_first])

    def repeats(self) -> tuple[IntArray, IntArray]:
        """Rows in which a person rated a unit again, and the rows of the rating before.

        Returns
        -------
        earlier, later : int array, shape (r,)
            Somebody's third rating of a unit is paired with their second. What is earlier is told
            as by `rows_of_first_ratings`.
        """
        earlier_first = self._by_person_and_unit()
        cell = self._cells()[earlier_first]
        is_again = cell[1:] == cell[:-1]
        return earlier_first[:-1][is_again], earlier_first[1:][is_again]

    def _cells(self) -> IntArray:
        """One number for each person and unit, shape (m,)."""
        cells: IntArray = self.annotator * self.n_units + self.unit
        return cells

    def _by_person_and_unit(self) -> IntArray:
        when: FloatArray | IntArray = np.arange(self.n_ratings)
        if self.submitted_at is not None:
            when = self.submitted_at
        elif self.order is not None:
            when = self.order
        # Stable, so rows given at one time keep their order; an unknown time sorts last.
        return np.lexsort((when, self._cells()))

    def mean_of_others(self) -> FloatArray:
        """Mean of what everybody else said about the unit of each rating.

        Returns
        -------
        float array, shape (m,)
            nan where nobody else rated the unit. A person's other ratings of the unit are left
            out with the rating itself.
        """
        stacks = group_moments(self.value, self.unit, n_groups=self.n_units)
        deviation = self.value - stacks.mean[self.unit]
        _, cell = np.unique(self._cells(), return_inverse=True)
        n_own = np.bincount(cell)[cell]
        own = group_sums(deviation, cell, n_groups=len(n_own))[cell]
        # Deviations of a stack add up to 0, so the others' add up to minus one's own.
        shift = ratio(own, stacks.n[self.unit] - n_own)
        return settled(stacks.mean[self.unit] - shift, self.value)


_ARRAYS = ("annotator", "unit", "value", "thinking_ms", "order", "submitted_at")


@dataclass(frozen=True, eq=False)
class UnitScores:
    """The score of each unit: the mean of its ratings.

    Parameters
    ----------
    n : int array, shape (n_units,)
        Ratings of each unit.
    mean : float array, shape (n_units,)
        Their mean; nan for a unit without ratings.
    sd : float array, shape (n_units,)
        Their standard deviation, n - 1 in the denominator; nan below two ratings.
    """

    n: IntArray
    mean: FloatArray
    sd: FloatArray

    def as_dict(self) -> JsonObject:
        """Lists over units, with the definition; None in place of nan."""
        return {
            "definition": (
                "Mean of the ratings of each unit, their standard deviation (n - 1 in the "
                "denominator; null below two ratings) and their number."
            ),
            "n": [int(n) for n in self.n],
            "mean": json_numbers(self.mean),
            "sd": json_numbers(self.sd),
        }


def unit_scores(ratings: Ratings) -> UnitScores:
    """Mean, standard deviation and number of the ratings of each unit."""
    stacks = stack_moments(ratings)
    return UnitScores(stacks.n, stacks.mean, stacks.sd)


def stack_moments(ratings: Ratings) -> GroupMoments:
    """Moments of the stack of each unit."""
    return group_moments(ratings.value, ratings.unit, n_groups=ratings.n_units)


def ratings_of_table(
    table: npt.ArrayLike, *, low: float | None = None, high: float | None = None
) -> Ratings:
    """Make a batch from a table with a row for each annotator and a column for each unit.

    Parameters
    ----------
    table : float array, shape (n_annotators, n_units)
        Ratings; nan where a person did not rate a unit.
    low, high : float, optional
        Ends of the scale.

    Raises
    ------
    ValueError
        If the table has not two dimensions or a value is not on the scale.
    """
    table = np.asarray(table, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"shape {table.shape} is not that of a table of annotators x units")
    annotator, unit = np.nonzero(~np.isnan(table))
    n_annotators, n_units = table.shape
    return Ratings(
        annotator, unit, table[annotator, unit], n_annotators, n_units, low=low, high=high
    )


def number_names(names: Sequence[str]) -> tuple[list[str], IntArray]:
    """Number names by their first occurrence.

    Returns
    -------
    distinct : list of str
        The names, each once.
    number : int array, shape (m,)
        Place of each given name among them.
    """
    # A dict, because an array of str drops trailing NULs and would merge such names.
    place = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return list(place), np.array([place[name] for name in names], dtype=np.int64)


def _check_numbers(numbers: IntArray, name: str, *, n: int) -> None:
    if (unknown := (numbers < 0) | (numbers >= n)).any():
        j = int(unknown.argmax())
        raise ValueError(
            f"rating {j} has {name} {numbers[j]}, but {name}s are numbered 0..{n - 1}"
        )


def _refuse(is_wrong: BoolArray, values: FloatArray | IntArray, what: str) -> None:
    if is_wrong.any():
        j = int(is_wrong.argmax())
        raise ValueError(f"rating {j} has {what.format(values[j])}")
