import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.groups import (
    group_moments,
    group_pearson,
    group_slopes,
    group_spearman,
    ranks_within,
    ratio,
    settled,
)

rows = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.sampled_from([-1.0, 0.1, 0.2, 0.3, 2.0]),
        st.sampled_from([-2.0, 0.1, 0.7, 5.0]),
    ),
    max_size=20,
)


def columns(rows: list[tuple[int, float, float]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    group, x, y = np.array(rows, dtype=np.float64).reshape(-1, 3).T
    return group.astype(np.int64), x, y


@given(rows)
@settings(max_examples=60, deadline=None)
def test_moments_are_those_of_each_group_apart(rows) -> None:
    group, x, _ = columns(rows)

    moments = group_moments(x, group, n_groups=5)

    for number in range(5):
        own = x[group == number]
        assert moments.n[number] == len(own)
        assert moments.mean[number] == pytest.approx(own.mean() if len(own) else np.nan, nan_ok=1)
        sd = own.std(ddof=1) if len(own) > 1 else np.nan
        assert moments.sd[number] == pytest.approx(sd, nan_ok=True, abs=1e-12)
        assert moments.high[number] == pytest.approx(max(own, default=np.nan), nan_ok=True)


def test_equal_values_have_no_spread_at_all() -> None:
    # The sum of three 0.1 is not 0.3 in binary; 0.1 + 0.2 is not 0.3 either.
    moments = group_moments(
        np.array([0.1, 0.1, 0.1, 0.3, 0.1 + 0.2]), np.array([0, 0, 0, 1, 1]), n_groups=2
    )

    np.testing.assert_array_equal(moments.sum_of_squares, 0)
    for value in (0.1, 0.7, 1 / 3, 1e-3):
        sizes = np.arange(1, 120)
        of_sizes = group_moments(
            np.full(sizes.sum(), value), np.repeat(sizes, sizes), n_groups=120
        )
        np.testing.assert_array_equal(of_sizes.mean[1:], value)


def test_values_far_from_zero_keep_their_spread() -> None:
    moments = group_moments(1e9 + np.array([1.0, 2.0, 4.0]), np.zeros(3, dtype=int), n_groups=1)

    assert moments.variance[0] == pytest.approx(7 / 3, rel=1e-12)


@given(rows)
@settings(max_examples=60, deadline=None)
def test_correlations_and_slopes_are_scipys_for_each_group(rows) -> None:
    group, x, y = columns(rows)

    pearson, spearman, slopes = (
        of_groups(x, y, group, n_groups=4)
        for of_groups in (group_pearson, group_spearman, group_slopes)
    )

    for number in range(4):
        a, b = x[group == number], y[group == number]
        if len(np.unique(a)) > 1:
            assert slopes[number] == pytest.approx(scipy.stats.linregress(a, b).slope, abs=1e-9)
        else:
            assert np.isnan(slopes[number])
        if len(np.unique(a)) > 1 and len(np.unique(b)) > 1:
            assert pearson[number] == pytest.approx(scipy.stats.pearsonr(a, b)[0], abs=1e-9)
            assert spearman[number] == pytest.approx(scipy.stats.spearmanr(a, b)[0], abs=1e-9)
        else:
            assert np.isnan(pearson[number])
            assert np.isnan(spearman[number])


def test_ranks_within_groups_are_consecutive_with_ties() -> None:
    ranks = ranks_within(np.array([5.0, 1.0, 5.0, 9.0, 0.0]), np.array([1, 0, 1, 1, 0]))

    np.testing.assert_array_equal(ranks[[4, 1]], [1, 2])
    np.testing.assert_array_equal(ranks[[0, 2, 3]] - 2, [1.5, 1.5, 3])


def test_settled_means_differ_only_where_they_do() -> None:
    values = np.array([1e-9, 3e3])

    means = settled(np.array([0.3, 0.1 + 0.2, 0.3 + 1e-8, np.nan]), values)

    assert means[0] == means[1]
    assert means[2] - means[0] == pytest.approx(1e-8, rel=0.1)
    assert np.isnan(means[3])
    assert settled(np.zeros(1), np.zeros(1)) == 0


def test_a_ratio_to_nothing_is_nan() -> None:
    quotients = ratio(np.array([1.0, 0.0, 3.0]), np.array([2, 0, -1]))

    np.testing.assert_array_equal(quotients, [0.5, np.nan, np.nan])
