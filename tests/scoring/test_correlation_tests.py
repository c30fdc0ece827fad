import json
import math
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.measures.correlation_tests import (
    CorrelationTest,
    DependentTest,
    compare_dependent,
    compare_independent,
    compare_with_value,
)

TESTS: tuple[DependentTest, ...] = get_args(DependentTest)
OF_STSS131 = {
    "meng": "meng1992",
    "steiger": "steiger1980_pooled_r",
    "dunn-clark": "dunn_clark_1969",
    "williams": "williams_t",
}


@st.composite
def three_correlations(draw: st.DrawFn) -> tuple[float, float, float]:
    """Correlations that three variables have: r23 within what r12 and r13 leave open."""
    r12, r13 = draw(st.floats(-0.95, 0.95)), draw(st.floats(-0.95, 0.95))
    leeway = math.sqrt((1 - r12**2) * (1 - r13**2))
    return r12, r13, r12 * r13 + draw(st.floats(-0.95, 0.95)) * leeway


@pytest.fixture(scope="module")
def examples(shared_data: Path) -> dict[str, Any]:
    return json.loads((shared_data / "statistics_examples.json").read_text())


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("number", range(3))
def test_the_examples_of_stss131(
    examples: dict[str, Any], test: DependentTest, number: int
) -> None:
    example = examples["dependent_correlations_stss131"]["examples"][number]
    expected = example[OF_STSS131[test]]

    result = compare_dependent(*example["args"], test=test)

    for figure in ("statistic", "p_two_sided", "p_lower", "p_upper", "df"):
        if figure in expected:
            assert getattr(result, figure) == pytest.approx(expected[figure], rel=1e-12), figure


@pytest.mark.parametrize("number", range(3))
def test_stss131_prints_what_meng_gives(examples: dict[str, Any], number: int) -> None:
    example = examples["dependent_correlations_stss131"]["examples"][number]
    printed = example["printed"]

    result = compare_dependent(*example["args"])

    assert result.test == "meng"
    # The paper prints its z with three digits, one of them with two.
    assert result.statistic == pytest.approx(printed["z"], abs=6e-4)
    for p in ("p_two_sided", "p_lower", "p_upper"):
        assert getattr(result, p) == pytest.approx(printed[p], abs=1e-4)


def test_meng_by_hand() -> None:
    # z: artanh .6 = ln 4 / 2, artanh .2 = ln 1.5 / 2; mean square .2; f = .5 / 1.6 = .3125;
    # h = (1 - .0625) / .8 = 1.171875; variance 2 x .5 x h / 25
    expected = (math.log(4) - math.log(1.5)) / 2 * math.sqrt(25 / 1.171875)

    assert compare_dependent(0.6, 0.2, 0.5, 28).statistic == pytest.approx(expected)


def test_meng_caps_f_at_1() -> None:
    # mean square .72, so f would be 1.8 / .56 = 3.2; h = 1.
    expected = math.atanh(0.8) - math.atanh(-math.sqrt(0.8))

    result = compare_dependent(0.8, -math.sqrt(0.8), -0.8, 7)

    assert result.statistic == pytest.approx(expected * math.sqrt(4 / 3.6))


def test_williams_by_hand() -> None:
    # |R| = 1 - .36 - .04 - .25 + .12 = .47; mean .4; spread 2 x 27/25 x .47 + .16 x .125 = 1.0352
    expected = 0.4 * math.sqrt(27 * 1.5 / 1.0352)

    result = compare_dependent(0.6, 0.2, 0.5, 28, test="williams")

    assert (result.statistic, result.df) == (pytest.approx(expected), 25)


def test_dunn_clark_by_hand() -> None:
    # covariance .5 (1 - .36 - .04) - .06 (1 - .36 - .04 - .25) = .279; over .64 x .96 = .454102
    expected = (math.log(4) - math.log(1.5)) / 2 * math.sqrt(25 / (2 - 2 * 0.279 / 0.6144))

    assert compare_dependent(0.6, 0.2, 0.5, 28, test="dunn-clark").statistic == pytest.approx(
        expected
    )


@pytest.mark.parametrize("test", TESTS)
@given(three_correlations(), st.integers(4, 500))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_changing_places_changes_the_sign(
    test: DependentTest, r: tuple[float, float, float], n: int
) -> None:
    r12, r13, r23 = r

    there = compare_dependent(r12, r13, r23, n, test=test)
    back = compare_dependent(r13, r12, r23, n, test=test)

    assert there.reason == back.reason
    if there.reason is None:
        assert back.statistic == pytest.approx(-there.statistic)
        assert back.p_lower == pytest.approx(there.p_upper)
        assert back.p_two_sided == pytest.approx(there.p_two_sided)
        assert there.p_lower + there.p_upper == pytest.approx(1)
        assert there.p_two_sided == pytest.approx(2 * min(there.p_lower, there.p_upper))
        assert np.sign(there.statistic) == np.sign(r12 - r13)


@pytest.mark.parametrize("test", TESTS)
@given(three_correlations())
@settings(max_examples=40, deadline=None, derandomize=True)
def test_turning_the_shared_scale_round_changes_the_sign(
    test: DependentTest, r: tuple[float, float, float]
) -> None:
    r12, r13, r23 = r

    upright = compare_dependent(r12, r13, r23, 50, test=test)
    turned = compare_dependent(-r12, -r13, r23, 50, test=test)

    assert turned.statistic == pytest.approx(-upright.statistic, nan_ok=True)


@pytest.mark.parametrize("test", TESTS)
def test_equal_correlations_do_not_differ(test: DependentTest) -> None:
    result = compare_dependent(0.4, 0.4, 0.1, 30, test=test)

    assert (result.statistic, result.p_two_sided) == (0, 1)
    assert result.p_lower == result.p_upper == 0.5


@pytest.mark.parametrize("test", TESTS)
def test_measures_that_are_equally_good_are_told_apart_in_five_percent(
    test: DependentTest,
) -> None:
    # Two measures that see the same truth through equal noise of which they share a part.
    rng = np.random.default_rng(7)
    truth = rng.normal(size=(2000, 1, 80))
    seen = truth + 0.7 * rng.normal(size=(2000, 1, 80)) + 0.7 * rng.normal(size=(2000, 2, 80))
    r = [np.corrcoef(np.concatenate(rows)) for rows in zip(truth, seen, strict=True)]

    rejected = np.mean(
        [compare_dependent(m[0, 1], m[0, 2], m[1, 2], 80, test=test).p_two_sided < 0.05 for m in r]
    )

    # four standard errors of a share of .05 over 2,000
    assert abs(rejected - 0.05) < 0.02


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1.2, 0.5, 0.5, 30), "r12 is 1.2, but a correlation lies between -1 and 1"),
        ((0.5, -1.01, 0.5, 30), "r13 is -1.01, but a correlation lies between -1 and 1"),
        ((0.5, 0.5, math.nan, 30), "r23 is nan, but a correlation lies between -1 and 1"),
        (
            (0.9, -0.9, 0.5, 30),
            "no three variables have the correlations r12 = 0.9, r13 = -0.9 and r23 = 0.5: their "
            r"matrix is not positive semidefinite \(determinant -1.68\); r23 is the correlation "
            "of the two variables that r12 and r13 do not share",
        ),
        ((0.5, 0.4, 1.0, 30), r"not positive semidefinite \(determinant -0.01\)"),
        ((0.5, 0.4, 0.2, 3), "n is 3, but the test needs at least 4 items: it divides by n - 3"),
        ((0.5, 0.4, 0.2, 30.5), "n must be a whole number of items, not 30.5"),
    ],
)
def test_what_cannot_be_is_refused(
    test: DependentTest, arguments: tuple[float, float, float, int], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        compare_dependent(*arguments, test=test)


@pytest.mark.parametrize("test", TESTS)
def test_a_matrix_that_is_just_semidefinite_is_not_refused(test: DependentTest) -> None:
    # r23 = .6 x .8 + .8 x .6 exactly, up to a rounding error of the determinant
    result = compare_dependent(0.6, 0.8, 0.96, 30, test=test)

    assert result.statistic < 0


@pytest.mark.parametrize("test", TESTS)
def test_the_same_measure_twice_cannot_be_compared(test: DependentTest) -> None:
    result = compare_dependent(0.6, 0.6, 1.0, 30, test=test)

    assert math.isnan(result.statistic)
    assert result.reason == "r23 is 1: both measures are the same, so there is nothing to compare"
    assert result.as_dict()["p_two_sided"] is None


@pytest.mark.parametrize("test", ["meng", "steiger", "dunn-clark"])
def test_a_perfect_correlation_has_no_fisher_z(test: DependentTest) -> None:
    result = compare_dependent(1.0, 0.5, 0.5, 30, test=test)

    assert result.reason == "Fisher's z of a correlation of 1 or -1 is infinite"


def test_a_difference_without_spread_has_no_statistic() -> None:
    # r13 = -r12 and r23 = 1 - 2 r12^2: the determinant and the mean are 0.
    result = compare_dependent(0.5, -0.5, 0.5, 30, test="williams")

    assert result.reason == (
        "the three correlations are too dependent: their difference has no variance"
    )


def test_an_unknown_test_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="one of meng, steiger, dunn-clark, williams, not 'hot'"):
        compare_dependent(0.5, 0.4, 0.3, 30, test="hot")  # type: ignore[arg-type]


def test_fishers_example(examples: dict[str, Any]) -> None:
    (example,) = examples["fisher_independent"]
    r1, n1, r2, n2 = example["r1,n1,r2,n2"]

    result = compare_independent(r1, n1, r2, n2)

    assert result.statistic == pytest.approx(example["z"], rel=1e-12)
    assert result.p_two_sided == pytest.approx(example["p_two_sided"], rel=1e-12)
    assert result.p_lower == pytest.approx(example["p_two_sided"] / 2, rel=1e-12)


def test_independent_correlations_by_hand() -> None:
    # z: ln 3 / 2 and 0; 1/25 + 1/12
    result = compare_independent(0.5, 28, 0.0, 15)

    assert result.statistic == pytest.approx(math.log(3) / 2 / math.sqrt(1 / 25 + 1 / 12))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1.2, 9, 0.5, 9), "r1 is 1.2"),
        ((0.2, 9, math.nan, 9), "r2 is nan"),
        ((0.2, 9, 0.5, 3), "n2 is 3, but the test needs at least 4 items: it divides by n2 - 3"),
    ],
)
def test_independent_correlations_that_cannot_be_are_refused(
    arguments: tuple[float, int, float, int], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        compare_independent(*arguments)


def test_a_perfect_independent_correlation_has_a_reason() -> None:
    assert compare_independent(1.0, 9, 0.5, 9).reason is not None


def test_the_dictionary_is_json() -> None:
    result: CorrelationTest = compare_dependent(0.636, 0.693, 0.52, np.int64(64))

    figures = result.as_dict()

    assert json.loads(json.dumps(figures, allow_nan=False)) == figures
    assert set(figures) >= {"test", "statistic", "p_two_sided", "p_lower", "p_upper"}


def test_a_stated_value_by_hand() -> None:
    # z: ln 3 / 2 less 0, times the root of 25
    result = compare_with_value(0.5, 28, 0.0)

    assert result.test == "one-sample"
    assert result.statistic == pytest.approx(math.log(3) / 2 * 5)
    assert "[Fisher1921]" in result.definition


def test_a_stated_value_is_what_an_endless_second_sample_would_give() -> None:
    against = compare_independent(0.636, 64, 0.52, 10**15)

    assert compare_with_value(0.636, 64, 0.52).statistic == pytest.approx(against.statistic)


def test_a_value_that_is_too_far_off_is_rejected_in_five_percent() -> None:
    rng = np.random.default_rng(131)
    rejected = []
    for _ in range(2000):
        x = rng.standard_normal(64)
        y = 0.6 * x + 0.8 * rng.standard_normal(64)
        rejected.append(compare_with_value(np.corrcoef(x, y)[0, 1], 64, 0.6).p_two_sided < 0.05)

    assert 0.035 < np.mean(rejected) < 0.065


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1.2, 9, 0.5), "r is 1.2"),
        ((0.2, 9, math.nan), "value is nan"),
        ((0.2, 3, 0.5), "n is 3, but the test needs at least 4 items"),
    ],
)
def test_a_stated_value_that_cannot_be_is_refused(
    arguments: tuple[float, int, float], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        compare_with_value(*arguments)


@pytest.mark.parametrize("arguments", [(1.0, 9, 0.5), (0.5, 9, -1.0)])
def test_a_perfect_correlation_and_a_stated_value_have_a_reason(
    arguments: tuple[float, int, float],
) -> None:
    result = compare_with_value(*arguments)

    assert math.isnan(result.statistic)
    assert result.reason == "Fisher's z of a correlation of 1 or -1 is infinite"
