"""Ratings on a scale as arrays, checked once and then shared by all statistics.

A *unit* is what a stack of ratings is about: an item, or an item under one condition. Ratings of
the same items under two conditions are two batches that number the units alike.

Symbols used for ratings: m ratings; n_annotators people, numbered 0..n_annotators-1; n_units
units, numbered 0..n_units-1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from scoring.arrays import FloatArray, IntArray, read_only, whole_numbers
from scoring.batches import Batch
from scoring.groups import GroupMoments, group_moments, group_sums, ratio, settled
from scoring.json_values import JsonObject, json_numbers

# How far from a multiple of the step, in steps, a value may be through its binary form.
STEP_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Ratings(Batch):
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
        Time that each rating took, in milliseconds; nan if it was not measured.
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
    ratings like those of several people; `first_answers` leaves the repeats out.
    The arrays are read-only views of those given; a caller should not write to these either.
    """

    NOUN: ClassVar[str] = "rating"
    ARRAYS: ClassVar[tuple[str, ...]] = (
        *("annotator", "unit", "value", "thinking_ms", "order", "submitted_at"),
    )

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
        self.check_rows(len(self.value))
        refuse = self.refuse
        refuse(~np.isfinite(self.value), self.value, "the value {}: leave out what is not rated")
        if self.order is not None:
            refuse(self.order < 0, self.order, "the place {}: places are counted from 0")
        if self.thinking_ms is not None:
            refuse(self.thinking_ms < 0, self.thinking_ms, "the thinking time {} ms, below 0")
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

    def when(self) -> FloatArray | IntArray:
        """What tells the earlier of two ratings: their times, else their order, else the row."""
        return super().when() if self.submitted_at is None else self.submitted_at

    def mean_of_others(self) -> FloatArray:
        """Mean of what everybody else said about the unit of each rating.

        Returns
        -------
        float array, shape (m,)
            nan if nobody else rated the unit. A person's other ratings of the unit are left
            out with the rating itself.
        """
        stacks = group_moments(self.value, self.unit, n_groups=self.n_units)
        deviation = self.value - stacks.mean[self.unit]
        _, cell = np.unique(self.cells(), return_inverse=True)
        n_own = np.bincount(cell)[cell]
        own = group_sums(deviation, cell, n_groups=len(n_own))[cell]
        # Deviations of a stack add up to 0, so the others' add up to minus one's own.
        shift = ratio(own, stacks.n[self.unit] - n_own)
        return settled(stacks.mean[self.unit] - shift, self.value)


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
