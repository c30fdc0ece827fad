"""Differences of two measures' correlations, by leaving out pools or items."""

import json
import math

import numpy as np
import pytest
import scipy.stats

from scoring.measures.comparison import correlate
from scoring.measures.differences import compare_by_jackknife
from scoring.measures.weighted_correlation import Coefficient

COEFFICIENTS: tuple[Coefficient, ...] = ("pearson", "spearman", "kendall")
SCIPY = {
    "pearson": scipy.stats.pearsonr,
    "spearman": scipy.stats.spearmanr,
    "kendall": scipy.stats.kendalltau,
}


def test_a_difference_is_taken_with_both_measures_together() -> None:
    # The second measure is the first plus a little: alone each is uncertain, the difference not.
    rng = np.random.default_rng(3)
    truth = rng.normal(size=300)
    first = truth + rng.normal(size=300)
    second = first + 0.7 * rng.normal(size=300)

    result = compare_by_jackknife(truth, first, second)

    alone = correlate(truth, first).intervals["fisher"]
    interval = result.interval
    assert result.difference == pytest.approx(result.first - result.second)
    assert 0 < interval.low < result.difference < interval.high
    assert interval.high - interval.low < 0.8 * (alone.high - alone.low)
    assert result.p_value < 0.05
    figures = result.as_dict()
    assert json.loads(json.dumps(figures, allow_nan=False)) == figures


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize("n_pools", [None, 4, 10])
def test_interval_and_p_come_from_leaving_out_each_unit(
    coefficient: Coefficient, n_pools: int | None
) -> None:
    x, a, b = np.random.default_rng(2).normal(size=(3, 40))
    a[3] = np.nan
    pools = None if n_pools is None else np.arange(40) % n_pools
    units = np.arange(40) if pools is None else pools

    result = compare_by_jackknife(x, a, b, coefficient=coefficient, pools=pools)

    has_all = np.isfinite(a)
    function = SCIPY[coefficient]

    def difference(kept: np.ndarray) -> float:
        return float(function(x[kept], a[kept])[0] - function(x[kept], b[kept])[0])

    without = [difference(has_all & (units != unit)) for unit in np.unique(units[has_all])]
    g = len(without)
    error = math.sqrt((g - 1) / g * ((np.array(without) - np.mean(without)) ** 2).sum())
    t = result.difference / error
    assert result.difference == pytest.approx(difference(has_all))
    assert (result.statistic, result.df) == (pytest.approx(t), g - 1)
    assert result.p_value == pytest.approx(2 * scipy.stats.t.sf(abs(t), g - 1))
    reach = scipy.stats.t.ppf(0.975, g - 1) * error
    assert result.interval.low == pytest.approx(result.difference - reach)
    assert result.interval.high == pytest.approx(result.difference + reach)
    assert (result.n_missing, result.left_out) == (1, "items" if pools is None else "pools")


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_changing_places_turns_a_difference_round(coefficient: Coefficient) -> None:
    x, a, b = np.random.default_rng(2).normal(size=(3, 25))

    there, back = (
        compare_by_jackknife(x, *pair, coefficient=coefficient) for pair in ((a, b), (b, a))
    )

    assert there.difference == pytest.approx(-back.difference)
    assert there.p_value == pytest.approx(back.p_value)
    assert there.interval.low == pytest.approx(-back.interval.high)


def test_a_measure_does_not_differ_from_itself_on_another_scale() -> None:
    rng = np.random.default_rng(5)
    x, noise = rng.normal(size=(2, 30))
    first = x + noise

    for second in (first, 1e6 * first):
        result = compare_by_jackknife(x, first, second)

        # What rounding leaves would lie on one side of 0.
        assert (result.difference, result.p_value) == (0, 1)
        assert (result.interval.low, result.interval.high) == (0, 0)


@pytest.mark.slow
@pytest.mark.parametrize("n_pools", [None, 6, 12])
def test_equal_measures_are_told_apart_in_about_five_percent(n_pools: int | None) -> None:
    rng = np.random.default_rng(11)
    rejected = 0
    for _ in range(400):
        levels = 0 if n_pools is None else rng.normal(size=(3, n_pools)).repeat(60 // n_pools, 1)
        truth = rng.normal(size=60)
        people, first, second = truth + rng.normal(size=(3, 60)) + levels
        pools = None if n_pools is None else np.arange(60) // (60 // n_pools)
        rejected += compare_by_jackknife(people, first, second, pools=pools).p_value < 0.05

    # Four standard errors of a share of .05 over 400 are .044.
    assert rejected / 400 < 0.094


def test_a_constant_measure_has_no_difference() -> None:
    result = compare_by_jackknife([1, 2, 3], [1, 2, 4], [5, 5, 5])

    assert math.isnan(result.difference)
    assert result.reason == (
        "second has no correlation with people's scores: all values of one of the two variables"
        " are equal"
    )
    assert result.as_dict()["interval"] == {
        **result.interval.as_dict(),
        "low": None,
        "high": None,
        "reason": result.reason,
    }


@pytest.mark.parametrize(
    ("n_units", "pools", "reason"),
    [
        (6, None, "there are only 5 items, but the comparison needs 6"),
        (4, 5, "it needs at least 4 pools, and there are only 3"),
    ],
)
def test_few_units_tell_nothing_of_a_difference(
    n_units: int, pools: int | None, reason: str
) -> None:
    size = pools or 1
    x, first, second = np.random.default_rng(1).normal(size=(3, n_units * size))
    labels = None if pools is None else np.arange(n_units * size) // size

    few, enough = (
        compare_by_jackknife(
            x[:n], first[:n], second[:n], pools=None if labels is None else labels[:n]
        )
        for n in ((n_units - 1) * size, n_units * size)
    )

    assert math.isfinite(few.difference)
    assert few.reason is None
    assert math.isnan(few.p_value)
    assert few.interval.reason == reason
    assert 0 < enough.p_value <= 1
    assert enough.interval.reason is None


def test_a_measure_that_depends_on_one_item_cannot_be_compared() -> None:
    # A measure that leaves 0 on one item only.
    x, first = np.random.default_rng(1).normal(size=(2, 12))
    second = (np.arange(12) == 11).astype(float)

    result = compare_by_jackknife(x, first, second)

    assert math.isnan(result.p_value)
    assert result.interval.reason == (
        "without some of the pools or items, one of the measures has no correlation"
    )
