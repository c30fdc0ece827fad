"""Correlations within pools: by hand, against scipy, and their intervals in simulated studies."""

import math
from typing import get_args

import numpy as np
import pytest
import scipy.stats

from scoring import compare_within_pools, correlate_within_pools
from scoring.measures.within_pools import PoolCoefficient, interval_over_pools

POOLS = ["a"] * 3 + ["b"] * 3 + ["c"] * 3 + ["d"] * 2
HUMAN = [1, 2, 3, 1, 2, 3, 5, 5, 5, 1, 2]
MEASURE = [1, 2, 3, 3, 2, 1, 1, 2, 3, 1, 2]


def studies(n_pools: int, *, size: int = 5, seed: int = 1) -> tuple[np.ndarray, ...]:
    """People, two measures and the pools of a study whose pools have levels of their own."""
    rng = np.random.default_rng(seed)
    latent, level = rng.normal(size=(n_pools, size)), 3 * rng.normal(size=(n_pools, 1))
    human, first, second = (latent + rng.normal(size=latent.shape) for _ in range(3))
    return human.ravel(), (first + level).ravel(), second.ravel(), np.arange(n_pools).repeat(size)


def test_by_hand() -> None:
    # a: 1; b: -1; people say the same of all of c; d has two items.
    result = correlate_within_pools(HUMAN, MEASURE, POOLS)

    assert (result.value, result.n_pools, result.n_items, result.n_left_out) == (0.0, 2, 6, 2)
    assert result.reason is None
    assert "there are only 2" in str(result.interval.reason)


def test_items_without_a_value_are_left_out_and_their_pool_is_counted() -> None:
    measure = np.array(MEASURE, dtype=np.float64)
    measure[0] = np.nan

    result = correlate_within_pools(HUMAN, measure, POOLS)

    assert (result.value, result.n_pools, result.n_left_out) == (-1.0, 1, 3)


def test_no_pool_no_correlation() -> None:
    result = correlate_within_pools(HUMAN[6:], MEASURE[6:], POOLS[6:])

    assert math.isnan(result.value)
    assert "within every pool of at least 3 items" in str(result.reason)


@pytest.mark.parametrize("coefficient", get_args(PoolCoefficient))
def test_the_mean_over_pools_is_that_of_scipy(coefficient: PoolCoefficient) -> None:
    human, measure, _second, pools = studies(12)
    of_scipy = {"pearson": scipy.stats.pearsonr, "spearman": scipy.stats.spearmanr}[coefficient]
    values = [
        of_scipy(human[pools == pool], measure[pools == pool]).statistic for pool in range(12)
    ]

    result = correlate_within_pools(human, measure, pools, coefficient=coefficient)

    assert result.value == pytest.approx(np.mean(values), abs=1e-12)
    z, error = np.arctanh(np.mean(values)), scipy.stats.sem(values) / (1 - np.mean(values) ** 2)
    high = np.tanh(z + scipy.stats.t.ppf(0.975, 11) * error)
    # A quarter of a pool of correlation 0: four times as many of all pools, and one of those.
    fourfold = np.array([*np.repeat(values, 4), 0.0])
    mean = fourfold.mean()
    variance = ((fourfold - mean) ** 2).sum() / 4 / 11.25 / 12.25
    z, error = np.arctanh(mean), np.sqrt(variance) / (1 - mean**2)
    low = np.tanh(z - scipy.stats.t.ppf(0.975, 11) * error)
    assert (result.interval.low, result.interval.high) == pytest.approx((low, high), abs=1e-12)


def test_the_interval_of_the_opposite_measure_is_the_opposite() -> None:
    human, measure, _second, pools = studies(12)

    interval = correlate_within_pools(human, measure, pools).interval
    opposite = correlate_within_pools(human, -measure, pools).interval

    assert (-opposite.high, -opposite.low) == pytest.approx((interval.low, interval.high))


def test_what_pools_have_in_common_does_not_count() -> None:
    human, measure, _second, pools = studies(40)
    moved = human + 10.0 * pools

    assert correlate_within_pools(moved, measure, pools).value == pytest.approx(
        correlate_within_pools(human, measure, pools).value, abs=1e-9
    )


def test_perfect_pools_have_no_interval() -> None:
    human, _first, _second, pools = studies(12)

    result = correlate_within_pools(human, human, pools)

    assert result.value == 1.0
    assert "1 in every pool" in str(result.interval.reason)


def test_the_difference_is_a_paired_t_test_over_pools() -> None:
    human, first, second, pools = studies(15)
    values = [
        [scipy.stats.pearsonr(human[pools == p], y[pools == p]).statistic for p in range(15)]
        for y in (first, second)
    ]
    of_scipy = scipy.stats.ttest_rel(*values)

    result = compare_within_pools(human, first, second, pools)

    assert result.p_value == pytest.approx(of_scipy.pvalue, abs=1e-12)
    interval = of_scipy.confidence_interval(0.95)
    assert (result.interval.low, result.interval.high) == pytest.approx(
        (interval.low, interval.high)
    )
    assert result.difference == pytest.approx(np.mean(values[0]) - np.mean(values[1]))


def test_a_measure_differs_from_itself_by_nothing() -> None:
    human, first, _second, pools = studies(15)

    result = compare_within_pools(human, first, 2 * first, pools)

    assert result.difference == pytest.approx(0, abs=1e-12)
    assert math.isnan(result.p_value)
    assert "all pools differ by the same" in str(result.reason)


def test_too_few_pools_are_not_compared() -> None:
    result = compare_within_pools(HUMAN[:3], MEASURE[:3], HUMAN[2::-1], POOLS[:3])

    assert (result.n_pools, result.difference) == (1, 2.0)
    assert math.isnan(result.p_value)
    assert result.reason is not None


def test_pools_that_all_differ_by_the_same_are_counted_by_their_signs() -> None:
    human, pools = np.tile([1.0, 2.0, 3.0], 8), np.arange(8).repeat(3)

    result = compare_within_pools(human, human, -human, pools)

    assert result.difference == pytest.approx(2)
    assert result.p_value == pytest.approx(2 * 0.5**8)
    assert math.isnan(result.interval.low)


def test_a_pool_of_two_items_with_both_values_does_not_count() -> None:
    measure = np.array([1, 2, math.nan, 1, 3, 2], dtype=np.float64)

    result = correlate_within_pools([1, 2, 3, 1, 2, 3], measure, list("aaabbb"))

    assert (result.n_pools, result.value) == (1, pytest.approx(0.5))


def test_pools_that_are_all_alike_have_no_interval() -> None:
    result = interval_over_pools(np.full(12, 0.5))

    assert math.isnan(result.low)
    assert "no spread" in str(result.reason)


def test_what_is_out_of_range_is_refused() -> None:
    with pytest.raises(ValueError, match="coefficient must be one of pearson, spearman"):
        correlate_within_pools(HUMAN, MEASURE, POOLS, coefficient="kendall")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="each needs the label of its pool"):
        correlate_within_pools(HUMAN, MEASURE, POOLS[:-1])
    with pytest.raises(ValueError, match="level"):
        compare_within_pools(HUMAN, MEASURE, HUMAN, POOLS, level=95)


def test_equal_measures_differ_significantly_in_one_study_of_20() -> None:
    p_values = []
    for seed in range(300):
        human, first, second, pools = studies(12, seed=seed)
        p_values.append(compare_within_pools(human, first, second, pools).p_value)

    assert 0.02 <= np.mean(np.array(p_values) < 0.05) <= 0.08


@pytest.mark.parametrize("n_pools", [12, 60])
def test_the_interval_covers_the_mean_of_very_many_pools(n_pools: int) -> None:
    human, first, _second, pools = studies(20_000)
    truth = correlate_within_pools(human, first, pools).value
    n_covered = 0
    for seed in range(300):
        human, first, _second, pools = studies(n_pools, seed=seed)
        interval = correlate_within_pools(human, first, pools).interval
        n_covered += interval.low <= truth <= interval.high

    assert 0.92 <= n_covered / 300 <= 0.99


@pytest.mark.parametrize("n_pools", [12, 60])
def test_the_interval_allows_for_a_measure_that_fails_in_few_pools(n_pools: int) -> None:
    rng, n_covered = np.random.default_rng(7), 0
    truth = 0.9 * 0.95
    for _study in range(300):
        fails = rng.random(n_pools) < 0.1
        interval = interval_over_pools(np.where(fails, 0, 0.95) + 0.02 * rng.normal(size=n_pools))
        n_covered += interval.low <= truth <= interval.high

    assert n_covered / 300 >= 0.92


def test_few_pools_have_no_interval() -> None:
    assert interval_over_pools(np.linspace(0.1, 0.9, 9)).reason is not None
    assert interval_over_pools(np.linspace(0.1, 0.9, 10)).reason is None
