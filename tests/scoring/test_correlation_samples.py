import json
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.measures.correlation_samples import (
    one_sample_t_test,
    one_sample_t_test_of_moments,
    two_sample_t_test,
    two_sample_t_test_of_moments,
)
from scoring.measures.sample_tests import Moments

RATERS = [0.71, 0.83, 0.64, 0.9, 0.77]
OTHERS = [0.62, 0.55, 0.8, 0.49]

correlations = st.lists(st.floats(-0.99, 0.99).map(lambda r: round(r, 3)), min_size=2, max_size=12)


def test_one_sample_by_hand() -> None:
    # mean .6, squared deviations .04, .01, .09: variance .07; t = .1 / sqrt(.07 / 3), df 2
    result = one_sample_t_test([0.8, 0.7, 0.3], 0.5)

    assert result.statistic == pytest.approx(0.1 / math.sqrt(0.07 / 3))
    assert (result.df, result.mean, result.other, result.n) == (2, pytest.approx(0.6), 0.5, 3)
    # Student's distribution with 2 degrees of freedom is 1/2 + t/2 / sqrt(2 + t^2).
    upper = 0.5 - result.statistic / 2 / math.sqrt(2 + result.statistic**2)
    assert result.p_upper == pytest.approx(upper)
    assert result.p_two_sided == pytest.approx(2 * upper)


def test_two_samples_by_hand() -> None:
    # means .6 and .4, sums of squares .02 and .02, pooled variance .04 / 2; t = .2 / sqrt(.02)
    result = two_sample_t_test([0.7, 0.5], [0.5, 0.3])

    assert (result.statistic, result.df) == (pytest.approx(0.2 / math.sqrt(0.02)), 2)


@given(correlations, st.floats(-0.9, 0.9), st.sampled_from(["raw", "fisher"]))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_one_sample_is_scipys(sample: list[float], value: float, scale: str) -> None:
    ours = one_sample_t_test(sample, value, scale=scale)  # type: ignore[arg-type]

    if len(set(sample)) == 1:
        assert ours.reason == "all correlations of a sample are equal, so there is no variance"
        return
    change = np.arctanh if scale == "fisher" else np.asarray
    for alternative, p in (
        ("two-sided", ours.p_two_sided),
        ("less", ours.p_lower),
        ("greater", ours.p_upper),
    ):
        theirs = scipy.stats.ttest_1samp(change(sample), change(value), alternative=alternative)
        assert ours.statistic == pytest.approx(theirs.statistic)
        assert p == pytest.approx(theirs.pvalue)


@pytest.mark.parametrize("equal_variances", [True, False])
@pytest.mark.parametrize("scale", ["raw", "fisher"])
def test_two_samples_are_scipys(equal_variances: bool, scale: str) -> None:
    change = np.arctanh if scale == "fisher" else np.asarray

    ours = two_sample_t_test(RATERS, OTHERS, equal_variances=equal_variances, scale=scale)  # type: ignore[arg-type]

    for alternative, p in (
        ("two-sided", ours.p_two_sided),
        ("less", ours.p_lower),
        ("greater", ours.p_upper),
    ):
        theirs = scipy.stats.ttest_ind(
            change(RATERS), change(OTHERS), equal_var=equal_variances, alternative=alternative
        )
        assert (ours.statistic, ours.df) == pytest.approx((theirs.statistic, theirs.df))
        assert p == pytest.approx(theirs.pvalue)


def test_groups_that_change_places_change_the_sign() -> None:
    there, back = two_sample_t_test(RATERS, OTHERS), two_sample_t_test(OTHERS, RATERS)

    assert there.statistic == pytest.approx(-back.statistic)
    assert there.p_upper == pytest.approx(back.p_lower)
    assert (there.mean, there.other) == pytest.approx((back.other, back.mean))


def test_the_fisher_scale_gives_means_back_as_correlations() -> None:
    result = two_sample_t_test(RATERS, OTHERS, scale="fisher")

    assert result.mean == pytest.approx(np.tanh(np.mean(np.arctanh(RATERS))))
    assert result.other == pytest.approx(np.tanh(np.mean(np.arctanh(OTHERS))))


def test_raters_without_a_correlation_are_left_out_and_counted() -> None:
    with_gap = one_sample_t_test([*RATERS, math.nan], 0.6)

    assert with_gap.n_left_out == 1
    assert with_gap.statistic == one_sample_t_test(RATERS, 0.6).statistic


@pytest.mark.parametrize("sample", [[], [0.4], [0.4, math.nan]])
def test_fewer_than_two_have_a_reason(sample: list[float]) -> None:
    for result in (one_sample_t_test(sample, 0.5), two_sample_t_test(RATERS, sample)):
        assert math.isnan(result.statistic)
        assert result.reason == "a sample has fewer than two correlations"
        figures = result.as_dict()
        assert json.loads(json.dumps(figures, allow_nan=False)) == figures


def test_a_constant_group_against_a_varied_one_has_a_statistic() -> None:
    result = two_sample_t_test([0.1, 0.1, 0.1], RATERS)

    assert result.reason is None
    assert result.statistic < 0


def test_what_is_no_correlation_is_refused() -> None:
    with pytest.raises(ValueError, match=r"correlations\[1\] is 1.5, but a correlation lies"):
        one_sample_t_test([0.2, 1.5], 0.2)
    with pytest.raises(ValueError, match="value is 2, but"):
        one_sample_t_test([0.2, 0.5], 2)
    with pytest.raises(ValueError, match=r"second must be a list .* has the shape \(1, 2\)"):
        two_sample_t_test([0.2, 0.5], [[0.1, 0.2]])
    with pytest.raises(ValueError, match="first holds a correlation of 1 or -1"):
        two_sample_t_test([0.2, 1], [0.1, 0.2], scale="fisher")
    with pytest.raises(ValueError, match="scale must be one of raw, fisher, not 'z'"):
        one_sample_t_test([0.2, 0.5], 0.2, scale="z")  # type: ignore[arg-type]


def test_means_and_deviations_alone_give_the_same() -> None:
    raters, others = (
        Moments(float(np.mean(of)), float(np.std(of, ddof=1)), len(of)) for of in (RATERS, OTHERS)
    )

    one = one_sample_t_test_of_moments(raters, 0.6)
    two = two_sample_t_test_of_moments(raters, others, equal_variances=False)

    for ours, whole in (
        (one, one_sample_t_test(RATERS, 0.6)),
        (two, two_sample_t_test(RATERS, OTHERS, equal_variances=False)),
    ):
        assert ours.as_dict() == pytest.approx(whole.as_dict())


def test_the_interval_is_that_of_scipy() -> None:
    one = one_sample_t_test(RATERS, 0.6)
    two = two_sample_t_test(RATERS, OTHERS)

    of_mean = scipy.stats.ttest_1samp(RATERS, 0.6).confidence_interval()
    of_two = scipy.stats.ttest_ind(RATERS, OTHERS).confidence_interval()
    assert (one.low, one.high) == pytest.approx((of_mean.low - 0.6, of_mean.high - 0.6))
    assert (two.low, two.high) == pytest.approx((of_two.low, of_two.high))
    # A difference of Fisher's z is no difference of correlations.
    assert math.isnan(one_sample_t_test(RATERS, 0.6, scale="fisher").low)


def test_moments_that_cannot_be_are_refused_or_have_a_reason() -> None:
    with pytest.raises(ValueError, match=r"sd is -0\.1"):
        Moments(0.5, -0.1, 9)
    with pytest.raises(ValueError, match=r"mean is 1\.5"):
        one_sample_t_test_of_moments(Moments(1.5, 0.1, 9), 0.5)
    with pytest.raises(ValueError, match="mean of the second is nan"):
        two_sample_t_test_of_moments(Moments(0.5, 0.1, 9), Moments(math.nan, 0.1, 9))
    assert one_sample_t_test_of_moments(Moments(0.5, 0.0, 9), 0.5).reason is not None
    assert one_sample_t_test_of_moments(Moments(0.5, math.nan, 1), 0.5).reason is not None
