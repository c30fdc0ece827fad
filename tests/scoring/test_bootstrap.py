import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.bootstrap import Bootstrap, bootstrap, resampling_units
from scoring.correlation import pearson, spearman
from scoring.measures import weighted_correlation as module
from scoring.measures.weighted_correlation import Coefficient, weighted_correlation

OURS = {
    "pearson": lambda x, y: float(pearson(x, y)),
    "spearman": lambda x, y: float(spearman(x, y)),
    "kendall": lambda x, y: float(scipy.stats.kendalltau(x, y).statistic),
}


def means_of(values: np.ndarray):
    return lambda weights: weights @ values / weights.sum(axis=1)


@st.composite
def weighted_pairs(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    n = draw(st.integers(2, 7))
    value = st.sampled_from([-1.0, 0.1, 0.2, 1 / 3, 5.0])
    rows = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    return (
        np.array(draw(st.lists(value, min_size=n, max_size=n))),
        np.array(draw(st.lists(value, min_size=n, max_size=n))),
        np.array(draw(st.lists(rows, min_size=1, max_size=4)), dtype=float),
    )


@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
@given(weighted_pairs())
@settings(max_examples=120, deadline=None, derandomize=True)
@pytest.mark.slow
def test_weights_are_copies(
    coefficient: Coefficient, data: tuple[np.ndarray, np.ndarray, np.ndarray]
) -> None:
    x, y, weights = data

    values = weighted_correlation(x, y, weights, coefficient=coefficient)

    for value, row in zip(values, weights.astype(int), strict=True):
        drawn = np.repeat(np.arange(len(x)), row)
        if len(set(x[drawn])) < 2 or len(set(y[drawn])) < 2:
            assert np.isnan(value)
        else:
            assert value == pytest.approx(OURS[coefficient](x[drawn], y[drawn]), abs=1e-12)


def test_a_large_sample_takes_the_other_road_to_the_same_tau(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(3)
    x, y = rng.integers(4, size=(2, 60)).astype(float)
    weights = rng.integers(3, size=(5, 60)).astype(float)
    weights[4] = 0
    weights[4, 7] = 3

    by_table = weighted_correlation(x, y, weights, coefficient="kendall")
    monkeypatch.setattr(module, "MAX_SIGN_TABLE_ITEMS", 10)
    by_copies = weighted_correlation(x, y, weights, coefficient="kendall")

    assert np.isnan(by_table[4])
    np.testing.assert_allclose(by_copies, by_table)


def test_the_intervals_are_scipys_for_the_same_resamples() -> None:
    rng = np.random.default_rng(5)
    x = rng.exponential(size=25)
    y = x + rng.normal(size=25)
    theirs = {
        method: scipy.stats.bootstrap(
            (x, y),
            lambda a, b: scipy.stats.pearsonr(a, b).statistic,
            paired=True,
            vectorized=False,
            n_resamples=500,
            method=name,
            rng=np.random.default_rng(1),
        )
        for method, name in (("percentile", "percentile"), ("bca", "BCa"))
    }
    without_one = [pearson(np.delete(x, i), np.delete(y, i)) for i in range(25)]

    for method, result in theirs.items():
        ours = Bootstrap(
            float(pearson(x, y)), result.bootstrap_distribution, np.array(without_one), "items"
        ).interval(method)  # type: ignore[arg-type]
        assert (ours.low, ours.high) == pytest.approx(tuple(result.confidence_interval))


def test_items_are_resampled_like_scipy_resamples_them() -> None:
    rng = np.random.default_rng(6)
    values = rng.exponential(size=40)

    ours = bootstrap(means_of(values), n_items=40, pools=None, n_resamples=4000, rng=rng)
    theirs = scipy.stats.bootstrap((values,), np.mean, n_resamples=4000, rng=rng)

    for a, b in zip(
        (ours.interval("bca").low, ours.interval("bca").high),
        theirs.confidence_interval,
        strict=True,
    ):
        assert a == pytest.approx(b, abs=0.15 * values.std() / math.sqrt(40) * 2)
    assert ours.estimate == pytest.approx(values.mean())
    assert np.std(ours.values) == pytest.approx(values.std() / math.sqrt(40), rel=0.06)


def test_pools_are_drawn_whole() -> None:
    # Two pools of one and of three items: a resample holds both, or one of them twice.
    rows: list[np.ndarray] = []

    def remember(weights: np.ndarray) -> np.ndarray:
        rows.append(weights)
        return weights.sum(axis=1)

    result = bootstrap(
        remember,
        n_items=4,
        pools=["b", "a", "b", "b"],
        n_resamples=400,
        rng=np.random.default_rng(1),
    )

    drawn, counts = np.unique(rows[0], axis=0, return_counts=True)
    assert drawn.tolist() == [[0, 2, 0, 0], [1, 1, 1, 1], [2, 0, 2, 2]]
    # 100, 200 and 100 expected; four standard errors are 40
    assert np.abs(counts - [100, 200, 100]).max() < 40
    assert result.resampled == "pools"
    assert result.without_one.tolist() == [3, 1]


def test_the_spread_of_pools_is_wider_than_that_of_their_items() -> None:
    rng = np.random.default_rng(8)
    values = np.repeat(rng.normal(size=30), 5)

    of_items = bootstrap(means_of(values), n_items=150, pools=None, n_resamples=500, rng=rng)
    of_pools = bootstrap(
        means_of(values), n_items=150, pools=np.arange(150) // 5, n_resamples=500, rng=rng
    )

    assert of_pools.n_units == 30
    assert 1.8 < np.std(of_pools.values) / np.std(of_items.values) < 2.7


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_intervals_cover_a_mean_about_as_often_as_they_say(method: str) -> None:
    rng = np.random.default_rng(2)
    covered = 0
    for _ in range(300):
        values = rng.exponential(size=40)
        interval = bootstrap(
            means_of(values), n_items=40, pools=None, n_resamples=400, rng=rng
        ).interval(method, level=0.9)  # type: ignore[arg-type]
        covered += interval.low < 1 < interval.high

    assert 0.82 < covered / 300 < 0.96


def test_the_seed_decides_and_chunks_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    def draw(seed: int) -> np.ndarray:
        return bootstrap(
            means_of(np.arange(9.0)),
            n_items=9,
            pools=None,
            n_resamples=50,
            rng=np.random.default_rng(seed),
        ).values

    whole = draw(1)
    monkeypatch.setattr("scoring.bootstrap.CELLS_AT_ONCE", 30)

    np.testing.assert_array_equal(draw(1), whole)
    assert not np.array_equal(draw(2), whole)


def test_one_pool_label_means_that_items_are_drawn() -> None:
    unit, units = resampling_units(3, ["only", "only", "only"])

    assert (unit, units.tolist()) == ("items", [0, 1, 2])


def test_a_statistic_without_spread_is_its_own_interval() -> None:
    result = Bootstrap(1.0, np.ones(50), np.ones(9), "items")

    assert [(i.low, i.high) for i in map(result.interval, ("percentile", "bca"))] == [(1, 1)] * 2


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        (
            Bootstrap(math.nan, np.ones(9), np.ones(9), "items"),
            "the statistic is undefined for the data themselves",
        ),
        (
            Bootstrap(1.0, np.ones(9), np.ones(5), "items"),
            "there are only 5 items, but the bootstrap needs 6",
        ),
        (
            Bootstrap(1.0, np.ones(9), np.ones(40), "pools", n_counting=5),
            "there are only 5 pools, but the bootstrap needs 6",
        ),
        (
            Bootstrap(1.0, np.array([1, 1, math.nan]), np.ones(9), "pools"),
            "1 of 3 resamples have no value",
        ),
        (
            Bootstrap(2.0, np.array([1.0, 1.5]), np.array([1.0, 3.0] * 3), "pools"),
            "the estimate lies outside all resamples, so their bias is unknown",
        ),
    ],
)
def test_what_has_no_interval_says_why(result: Bootstrap, reason: str) -> None:
    interval = result.interval("bca")

    assert math.isnan(interval.low)
    assert interval.reason == reason
    assert interval.as_dict()["high"] is None


def test_bad_requests_are_refused() -> None:
    def request(n_items: int, pools: object, n_resamples: int) -> Bootstrap:
        return bootstrap(
            means_of(np.ones(n_items)),
            n_items=n_items,
            pools=pools,  # type: ignore[arg-type]
            n_resamples=n_resamples,
            rng=np.random.default_rng(1),
        )

    with pytest.raises(ValueError, match="there are no items to resample"):
        request(0, None, 10)
    with pytest.raises(ValueError, match="n_resamples must be at least 1, not 0"):
        request(3, None, 0)
    with pytest.raises(ValueError, match=r"pools has the shape \(2,\), but there are 3 items"):
        request(3, ["a", "b"], 10)
    with pytest.raises(ValueError, match="the level must lie between 0 and 1"):
        request(3, None, 10).interval("bca", level=95)
    with pytest.raises(ValueError, match="one of percentile, bca, not 'basic'"):
        request(3, None, 10).interval("basic")  # type: ignore[arg-type]
