"""Intervals of the difference of two correlations."""

import math

import numpy as np
import pytest

from scoring.measures.comparison import fisher_interval
from scoring.measures.difference_intervals import (
    interval_against_value,
    interval_of_dependent,
    interval_of_independent,
    interval_of_non_overlapping,
)
from scoring.measures.four_variables import FourCorrelations


def test_zous_examples() -> None:
    # Zou (2007). The last is printed as -.096 to .500: a slip in its dependence, .0917 for .0891.
    independent = interval_of_independent(0.49, 145, 0.36, 87)
    dependent = interval_of_dependent(0.396, 0.179, 0.088, 66)
    four = FourCorrelations(0.396, 0.189, 0.208, 0.143, 0.023, 0.423)
    apart = interval_of_non_overlapping(four, 66)

    assert (independent.low, independent.high) == pytest.approx((-0.087, 0.359), abs=5e-4)
    assert (dependent.low, dependent.high) == pytest.approx((-0.093, 0.517), abs=5e-4)
    assert (apart.low, apart.high) == pytest.approx((-0.096, 0.501), abs=5e-4)
    assert {independent.method, dependent.method, apart.method} == {"zou"}
    assert four.dependence() == pytest.approx(0.0891, abs=5e-5)


def test_a_stated_value_shifts_fishers_interval() -> None:
    of_r = fisher_interval(0.636, 64, level=0.9)

    shifted = interval_against_value(0.636, 64, 0.5, level=0.9)

    assert shifted.low == pytest.approx(of_r.low - 0.5)
    assert (shifted.high - shifted.low) == pytest.approx(of_r.high - of_r.low)
    assert (shifted.method, shifted.level) == ("fisher", 0.9)


def test_changing_places_turns_the_interval_round() -> None:
    there = interval_of_dependent(0.7, 0.5, 0.4, 64)
    back = interval_of_dependent(0.5, 0.7, 0.4, 64)

    assert (there.low, there.high) == pytest.approx((-back.high, -back.low))


def test_a_dependent_difference_is_covered_in_95_percent() -> None:
    matrix = np.array([[1, 0.7, 0.5], [0.7, 1, 0.6], [0.5, 0.6, 1]])
    root = np.linalg.cholesky(matrix)
    rng = np.random.default_rng(7)
    covered = []
    for _ in range(1000):
        r = np.corrcoef(root @ rng.standard_normal((3, 64)))
        interval = interval_of_dependent(r[0, 1], r[0, 2], r[1, 2], 64)
        covered.append(interval.low <= 0.2 <= interval.high)

    assert 0.93 < np.mean(covered) < 0.97


def test_perfect_correlations_have_no_interval_but_a_reason() -> None:
    infinite = "Fisher's z of a correlation of 1 or -1 is infinite"
    four = FourCorrelations(1.0, 0.5, 0.3, 0.2, 0.3, 0.2)

    for interval in (
        interval_of_independent(1.0, 9, 0.5, 9),
        interval_of_dependent(0.5, -1.0, -0.5, 9),
        interval_of_non_overlapping(four, 9),
        interval_against_value(1.0, 9, 0.5),
    ):
        assert math.isnan(interval.low)
        assert interval.reason == infinite


def test_too_few_items_are_refused() -> None:
    with pytest.raises(ValueError, match="n2 is 3"):
        interval_of_independent(0.5, 9, 0.5, 3)
    with pytest.raises(ValueError, match="level"):
        interval_of_independent(0.5, 9, 0.5, 9, level=1.5)
