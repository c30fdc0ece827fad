"""Two dependent correlations that share no variable."""

import math
from typing import get_args

import numpy as np
import pytest

from scoring.measures.correlation_tests import compare_independent
from scoring.measures.four_variables import (
    FourCorrelations,
    NonOverlappingTest,
    compare_non_overlapping,
)

TESTS: tuple[NonOverlappingTest, ...] = get_args(NonOverlappingTest)


def test_steigers_example() -> None:
    # Steiger (1980), case B; printed -1.4045 from rounded steps. Digits: the R package cocor.
    four = FourCorrelations(0.5, 0.6, 0.8, 0.5, 0.5, 0.7)

    assert compare_non_overlapping(four, 103).statistic == pytest.approx(-1.4050, abs=5e-5)


def test_the_example_of_raghunathan_rosenthal_and_rubin() -> None:
    # Their ZPF (1996) is this test; printed 2.98 from rounded z. Digits: the R package cocor.
    four = FourCorrelations(0.38, 0.25, 0.45, 0.53, 0.31, 0.55)

    result = compare_non_overlapping(four, 603, test="dunn-clark")

    assert result.statistic == pytest.approx(2.869174, abs=5e-7)


@pytest.mark.parametrize(
    ("test", "statistic", "p"), [("steiger", -1.0744, 0.2827), ("dunn-clark", -1.0723, 0.2836)]
)
def test_the_example_of_silver_hittner_and_may(
    test: NonOverlappingTest, statistic: float, p: float
) -> None:
    # As their program depcor (2006) prints it.
    four = FourCorrelations(0.3, 0.4, 0.5, 0.8, 0.6, 0.7)

    result = compare_non_overlapping(four, 100, test=test)

    assert result.statistic == pytest.approx(statistic, abs=5e-5)
    assert result.p_two_sided == pytest.approx(p, abs=5e-5)
    assert result.definition.startswith("Z test of two correlations of the same items")


@pytest.mark.parametrize("test", TESTS)
def test_unrelated_pairs_of_variables_are_as_independent(test: NonOverlappingTest) -> None:
    four = FourCorrelations(0.6, 0.2, 0.0, 0.0, 0.0, 0.0)

    found = compare_non_overlapping(four, 40, test=test)

    assert found.statistic == pytest.approx(compare_independent(0.6, 40, 0.2, 40).statistic)


@pytest.mark.parametrize("test", TESTS)
def test_without_a_difference_five_percent_are_rejected(test: NonOverlappingTest) -> None:
    matrix = np.array(
        [[1, 0.6, 0.5, 0.4], [0.6, 1, 0.3, 0.5], [0.5, 0.3, 1, 0.6], [0.4, 0.5, 0.6, 1]]
    )
    root = np.linalg.cholesky(matrix)
    rng = np.random.default_rng(4)
    rejected = []
    for _ in range(1000):
        r = np.asarray(np.corrcoef(root @ rng.standard_normal((4, 64))))
        four = FourCorrelations(r[0, 1], r[2, 3], r[0, 2], r[0, 3], r[1, 2], r[1, 3])
        rejected.append(compare_non_overlapping(four, 64, test=test).p_two_sided < 0.05)

    assert 0.035 < np.mean(rejected) < 0.065


@pytest.mark.parametrize("test", TESTS)
def test_changing_places_changes_the_sign(test: NonOverlappingTest) -> None:
    there = compare_non_overlapping(FourCorrelations(0.5, 0.3, 0.2, 0.4, 0.1, 0.3), 50, test=test)
    back = compare_non_overlapping(FourCorrelations(0.3, 0.5, 0.2, 0.1, 0.4, 0.3), 50, test=test)

    assert back.statistic == pytest.approx(-there.statistic)


@pytest.mark.parametrize(
    ("correlations", "message"),
    [
        ((1.2, 0.5, 0.1, 0.1, 0.1, 0.1), "r12 is 1.2"),
        (
            (0.9, 0.5, 0.9, 0.1, -0.9, 0.1),
            "no four variables have the correlations r12 = 0.9, r34",
        ),
        ((0.2, math.nan, 0.1, 0.1, 0.1, 0.1), "r34 is nan"),
    ],
)
def test_what_cannot_be_is_refused(correlations: tuple[float, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        FourCorrelations(*correlations)


def test_few_items_and_unknown_tests_are_refused() -> None:
    four = FourCorrelations(0.5, 0.3, 0.2, 0.4, 0.1, 0.3)

    with pytest.raises(ValueError, match="n is 3"):
        compare_non_overlapping(four, 3)
    with pytest.raises(ValueError, match="test must be one of steiger, dunn-clark, not 'meng'"):
        compare_non_overlapping(four, 30, test="meng")  # type: ignore[arg-type]


def test_what_has_no_statistic_says_why() -> None:
    perfect = compare_non_overlapping(FourCorrelations(1.0, 0.5, 0.3, 0.2, 0.3, 0.2), 30)
    same = compare_non_overlapping(FourCorrelations(0.5, 0.5, 1.0, 0.5, 0.5, 1.0), 30)

    assert perfect.reason == "Fisher's z of a correlation of 1 or -1 is infinite"
    assert same.reason == "the four variables are too dependent: the difference has no variance"
    assert same.as_dict()["statistic"] is None
