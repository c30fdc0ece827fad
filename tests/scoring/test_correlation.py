import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from scoring import average_ranks, pearson, spearman, why_undefined

# Few different values, so that ties abound, and some missing.
with_ties_and_gaps = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 4), st.integers(0, 12)),
    elements=st.sampled_from([-1.0, -0.5, 0.1, 0.2, 1 / 3, 1.0, np.nan]),
)


def test_pearson_by_hand() -> None:
    # x - 2 = (-1, 0, 1), y - 3 = (-2, 3, -1): products 2 + 0 - 1 = 1; squares 2 and 14
    assert pearson([1, 2, 3], [1, 6, 2]) == pytest.approx(1 / np.sqrt(28))


def test_spearman_by_hand_with_a_tie() -> None:
    # ranks (1, 2.5, 2.5, 4) and (1, 3, 2, 4): deviations (-1.5, 0, 0, 1.5), (-1.5, .5, -.5, 1.5)
    # products 4.5; squares 4.5 and 5
    assert spearman([10, 20, 20, 30], [1, 7, 5, 9]) == pytest.approx(4.5 / np.sqrt(22.5))


def test_equal_values_share_the_mean_of_their_ranks_row_by_row() -> None:
    ranks = average_ranks([[3, 1, 3, 3, 0], [0, 0, np.nan, 5, -1]])

    np.testing.assert_array_equal(ranks, [[4, 2, 4, 4, 1], [2.5, 2.5, np.nan, 4, 1]])


@given(with_ties_and_gaps)
def test_ranks_are_scipys(values: np.ndarray) -> None:
    theirs = scipy.stats.rankdata(values, axis=1, nan_policy="omit") if values.size else values

    np.testing.assert_array_equal(average_ranks(values), theirs)


@pytest.mark.slow
@given(with_ties_and_gaps, st.randoms(use_true_random=False))
def test_rows_are_correlated_as_scipy_correlates_each(x: np.ndarray, random) -> None:
    y = np.array([random.sample(list(row), len(row)) for row in x]).reshape(x.shape)

    for ours, theirs in ((pearson, scipy.stats.pearsonr), (spearman, scipy.stats.spearmanr)):
        for row, value in enumerate(ours(x, y)):
            both = ~np.isnan(x[row]) & ~np.isnan(y[row])
            if why_undefined(x[row], y[row]) is None:
                expected = theirs(x[row][both], y[row][both]).statistic
                assert value == pytest.approx(expected, abs=1e-12)
            else:
                assert np.isnan(value)


def test_lopsided_data_agrees_with_scipy() -> None:
    rng = np.random.default_rng(5)
    x = rng.exponential(size=(20, 300)).round(1)
    y = x**2 + rng.normal(size=(20, 300))

    for ours, theirs in ((pearson, scipy.stats.pearsonr), (spearman, scipy.stats.spearmanr)):
        expected = [theirs(x[i], y[i]).statistic for i in range(20)]
        np.testing.assert_allclose(ours(x, y), expected, rtol=0, atol=1e-12)


@given(with_ties_and_gaps)
def test_a_variable_correlates_perfectly_with_itself_and_its_negative(x: np.ndarray) -> None:
    for correlate in (pearson, spearman):
        same, opposite = correlate(x, x), correlate(x, -x)
        np.testing.assert_allclose(same[~np.isnan(same)], 1)
        np.testing.assert_array_equal(opposite, -same)


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        # The mean of three 0.1 is not 0.1, so deviations from it are not 0.
        ([0.1, 0.1, 0.1], [1, 2, 3], "all values of one of the two variables are equal"),
        ([1, 2, 3], [0.7, 0.7, 0.7], "all values of one of the two variables are equal"),
        ([1, 1, 2], [5, 6, np.nan], "all values of one of the two variables are equal"),
        ([1, np.nan, 3], [1, 2, np.nan], "there are fewer than two pairs of values"),
        ([], [], "there are fewer than two pairs of values"),
    ],
)
def test_what_is_undefined_is_nan_with_a_reason(
    x: list[float], y: list[float], reason: str
) -> None:
    assert np.isnan(pearson(x, y))
    assert np.isnan(spearman(x, y))
    assert why_undefined(x, y) == reason


def test_a_defined_correlation_has_no_reason() -> None:
    assert why_undefined([1, 2, np.nan], [2, 1, 1]) is None


def test_values_without_partners_are_refused() -> None:
    with pytest.raises(ValueError, match=r"shapes \(2,\) and \(3,\) differ"):
        pearson([1, 2], [1, 2, 3])


@pytest.mark.parametrize("unit", [1e-320, 1e-200, 1e200, 1e300])
def test_likelihoods_too_small_to_be_squared_are_correlated_all_the_same(unit: float) -> None:
    x, y = np.array([1.0, 2, 3, 5, 4]), np.array([2.0, 1, 4, 3, 7])

    expected = pearson(x, y)

    assert pearson(x, y * unit) == pytest.approx(expected, abs=1e-6)
    assert pearson(y * unit, x) == pytest.approx(expected, abs=1e-6)


def test_perfect_correlations_are_1_and_not_nearly() -> None:
    x = np.array([1.0, 2.0, 3.0])

    # Computed as it stands, the rho of 1, 2 and 3 with themselves is .9999999999999998.
    assert spearman(x, x) == 1
    assert pearson(x, x + 0.1) == 1
    assert pearson(x, 1 - 0.7 * x) == -1
