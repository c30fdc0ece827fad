"""The interval of split-half reliability: what it holds, and when there is none."""

import sys

import numpy as np
import pytest
from scipy.stats import binom

from scoring import BestWorst, split_half
from scoring.arrays import FloatArray
from scoring.best_worst.half_interval import half_interval, weighted_spearman
from scoring.correlation import spearman
from tests.scoring.batches import dialogue_tuples, oracle

N_STUDIES = 300


def study(n_pools: int, *, noise: float, n_answers: int, seed: int) -> BestWorst:
    """Pools of five items, each with all ten of its 3-tuples, by the definition of the noise."""
    rng = np.random.default_rng([41, n_pools, seed])
    tuples = dialogue_tuples(n_pools, rng=rng)
    latent = rng.uniform(size=5 * n_pools)
    number = np.repeat(np.arange(len(tuples)), n_answers)
    seen = latent[tuples[number]] + noise * rng.gumbel(size=(len(number), 3))
    rows = np.arange(len(number))
    return BestWorst(
        tuples,
        number,
        tuples[number][rows, seen.argmax(axis=1)],
        tuples[number][rows, seen.argmin(axis=1)],
        5 * n_pools,
    )


def test_a_weighted_correlation_is_that_of_repeated_items() -> None:
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 5, (2, 12)).astype(np.float64)
    a[3] = np.nan
    weights = rng.integers(0, 4, (6, 12)).astype(np.float64)

    found = weighted_spearman(a, b, weights)

    def repeated(w: FloatArray) -> float:
        times = np.where(np.isnan(a), 0, w).astype(np.int64)
        return float(spearman(np.repeat(a, times), np.repeat(b, times)))

    assert found == pytest.approx([repeated(w) for w in weights])
    assert np.isnan(weighted_spearman(a, b, np.eye(12)[:1])).all()


@pytest.mark.slow
@pytest.mark.parametrize("n_pools", [12, 30, 60])
@pytest.mark.parametrize(("noise", "n_answers"), [(0.1, 5), (0.6, 4)])
def test_it_holds_the_reliability_of_very_many_pools(
    n_pools: int, noise: float, n_answers: int
) -> None:
    truth = np.mean(
        [
            split_half(
                study(2000, noise=noise, n_answers=n_answers, seed=seed),
                rule="random",
                n_splits=5,
                rng=np.random.default_rng(seed),
            ).spearman.mean
            for seed in range(4)
        ]
    )
    pool = np.repeat(np.arange(n_pools), 5)

    found = [
        half_interval(
            study(n_pools, noise=noise, n_answers=n_answers, seed=seed),
            pool=pool,
            n_splits=5,
            rng=np.random.default_rng(seed),
        )
        for seed in range(N_STUDIES)
    ]

    held = sum(one.low <= truth <= one.high for one in found)
    # Six times looked at, none is beyond these in 99.4 % of such tests.
    least, most = binom.interval(0.999, N_STUDIES, 0.95)
    assert least <= held <= most
    assert {one.left_out for one in found} == {"pools"}


def test_it_lies_around_the_reliability_and_is_of_items_where_pools_are_few() -> None:
    given = study(4, noise=0.3, n_answers=4, seed=1)
    r = split_half(given, rule="random", rng=np.random.default_rng(1)).spearman.mean

    found = half_interval(
        given, pool=np.repeat(np.arange(4), 5), n_splits=100, rng=np.random.default_rng(2)
    )

    assert found.left_out == "items"
    assert -1 < found.low < r < found.high < 1
    # Of Fisher's transform it is in the middle.
    assert np.tanh(np.arctanh([found.low, found.high]).mean()) == pytest.approx(r, abs=0.005)


def test_very_many_items_are_left_out_in_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    given = study(40, noise=0.3, n_answers=4, seed=2)
    pool = np.zeros(200, dtype=np.int64)
    one_by_one = half_interval(given, pool=pool, rng=np.random.default_rng(3))
    monkeypatch.setattr(sys.modules["scoring.best_worst.half_interval"], "MAX_UNITS", 50)

    grouped = half_interval(given, pool=pool, rng=np.random.default_rng(3))

    wide = one_by_one.high - one_by_one.low
    assert grouped.high - grouped.low == pytest.approx(wide, rel=0.35)
    assert grouped.high - grouped.low != wide


def test_there_is_no_interval_where_all_agree_wholly() -> None:
    tuples = dialogue_tuples(12, rng=np.random.default_rng(1))
    given = oracle(tuples, np.random.default_rng(2).random(60), n_answers=4)

    found = half_interval(given, pool=np.repeat(np.arange(12), 5), rng=np.random.default_rng(3))

    assert np.isnan([found.low, found.high]).all()
    assert found.reason == "the halves are in the same order, whatever is left out"


@pytest.mark.parametrize(("n_answered", "left_out"), [(1, "items"), (3, "items"), (12, "pools")])
def test_what_nobody_was_shown_yet_does_not_count(n_answered: int, left_out: str) -> None:
    few = study(n_answered, noise=0.3, n_answers=4, seed=5)
    tuples = np.concatenate(
        [few.tuples, few.tuples + 5 * n_answered, few.tuples + 10 * n_answered]
    )
    with_more = BestWorst(tuples, few.tuple_number, few.best, few.worst, 15 * n_answered)

    alone, found = (
        half_interval(
            given,
            pool=np.repeat(np.arange(given.n_items // 5), 5),
            rng=np.random.default_rng(1),
        )
        for given in (few, with_more)
    )

    assert (found.low, found.high) == pytest.approx((alone.low, alone.high))
    assert found.left_out == alone.left_out == left_out
