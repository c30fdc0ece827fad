"""Pairs in a certain order, ranks and groups: by hand, by plain loops, by simulation."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.stats import false_discovery_control, norm

from scoring import pair_order
from scoring.best_worst import pair_order as module
from scoring.best_worst.pair_order import STEP, ranks

ONE_POOL = np.zeros(5, dtype=np.int64)


def test_pairs_by_hand() -> None:
    score = np.array([1.0, 0.5, 0.4, np.nan, 9.0])
    variance = np.array([0.01, 0.01, 0.01, 0.01, np.nan])

    result = pair_order(score, variance=variance, pool=ONE_POOL, growth=1.0)

    # Differences .5, .6, .1 with the standard error .141: z of 3.54, 4.24 and .71.
    assert result.n_pairs == 3
    assert result.certain_share == pytest.approx(2 / 3)
    # Not one answer more changes nothing.
    assert result.certain_share_then == result.certain_share
    assert result.neighbours.tolist() == [[1, 2], [0, 1]]
    assert result.probability == pytest.approx([0.7602, 0.9998], abs=1e-4)
    assert result.is_certain.tolist() == [False, True]


def test_ranks_and_groups_by_hand() -> None:
    # One item far above, two pairs of neighbours, of which the middle ones overlap.
    score = np.array([0.0, 0.9, -0.2, 0.2, np.nan, -0.9])

    result = ranks(score, variance=np.full(6, 0.02**2 * 30), pool=np.zeros(6, dtype=np.int64))

    # The standard error of a difference is .155: .2 apart is uncertain, .4 apart is certain.
    assert (result.n_pairs, result.n_certain) == (10, 8)
    assert result.low.tolist() == [2, 1, 3, 2, 0, 5]
    assert result.high.tolist() == [4, 1, 4, 3, 0, 5]
    # The groups are 1, 3 with 0, 0 with 2, and 5.
    assert result.first_group.tolist() == [2, 1, 3, 2, 0, 4]
    assert result.last_group.tolist() == [3, 1, 3, 2, 0, 4]


def test_covariances_decide() -> None:
    score, variance = np.array([0.4, 0.0]), np.full(2, 0.04)
    pool = np.zeros(2, dtype=np.int64)
    together = csr_array(np.array([[0.04, 0.036], [0.036, 0.04]]))
    apart = csr_array(np.array([[0.04, -0.036], [-0.036, 0.04]]))

    shares = [
        pair_order(
            score, variance=variance, covariance=between, pool=pool, growth=1.0
        ).certain_share
        for between in (together, None, apart)
    ]

    assert shares == [1, 0, 0]


def test_a_wider_interval_needs_a_larger_difference() -> None:
    score, variance = np.array([0.6, 0.0]), np.full(2, 0.04)
    pool = np.zeros(2, dtype=np.int64)

    # z is 2.12.
    normal = pair_order(score, variance=variance, pool=pool, growth=1.0)
    wider = pair_order(score, variance=variance, pool=pool, growth=1.0, quantile=2.36)

    assert (normal.certain_share, wider.certain_share) == (1, 0)


def test_pairs_of_different_pools_are_not_compared() -> None:
    result = pair_order(
        np.arange(4.0), variance=np.full(4, 0.01), pool=np.array([0, 1, 0, 1]), growth=2.0
    )

    assert result.n_pairs == 2
    assert {tuple(pair) for pair in result.neighbours.tolist()} == {(2, 0), (3, 1)}


def test_equal_scores_are_in_no_order_even_without_variance() -> None:
    score = np.array([0.3, 0.1 + 0.2, 0.8])

    result = ranks(score, variance=np.zeros(3), pool=np.zeros(3, dtype=np.int64))

    assert result.n_certain == 2
    assert (result.low.tolist(), result.high.tolist()) == ([2, 2, 1], [3, 3, 1])


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 2**20), st.integers(2, 14), st.integers(1, 3), st.booleans())
@pytest.mark.slow
def test_everything_is_as_in_plain_loops(
    seed: int, n: int, n_pools: int, has_covariance: bool
) -> None:
    rng = np.random.default_rng(seed)
    score = np.round(rng.normal(size=n), 1)
    score[rng.random(n) < 0.1] = np.nan
    pool = rng.integers(n_pools, size=n)
    root = rng.normal(size=(n, n)) * 0.3
    covariance = root @ root.T / n + 0.01 * np.eye(n)
    if not has_covariance:
        covariance = np.diag(np.diag(covariance))
    given_covariance = csr_array(covariance) if has_covariance else None
    variance = np.diag(covariance)

    result = ranks(score, variance=variance, covariance=given_covariance, pool=pool)

    known = np.flatnonzero(~np.isnan(score))
    pairs = [
        (i, j) if score[i] >= score[j] else (j, i)
        for i, j in combinations(known.tolist(), 2)
        if pool[i] == pool[j]
    ]
    z = np.array(
        [
            (score[i] - score[j]) / np.sqrt(variance[i] + variance[j] - 2 * covariance[i, j])
            for i, j in pairs
        ]
    )
    assert result.n_pairs == len(pairs)
    is_certain = np.zeros(0, dtype=bool)
    if pairs:
        is_certain = false_discovery_control(2 * norm.sf(z), method="bh") <= 0.05
    # The critical value is a multiple of the step, and never too small.
    doubtful = is_certain.sum() - result.n_certain
    assert doubtful >= 0
    if doubtful:
        assert np.sort(z[is_certain])[doubtful - 1] < z[is_certain].min() + 2 * STEP
        return
    certain = [pair for pair, is_one in zip(pairs, is_certain, strict=True) if is_one]
    for i in known.tolist():
        size = int((pool[known] == pool[i]).sum())
        assert result.low[i] == 1 + sum(lower == i for _upper, lower in certain)
        assert result.high[i] == size - sum(upper == i for upper, _lower in certain)
    for i, j in pairs:
        share_a_group = result.first_group[j] <= result.last_group[i]
        if (i, j) in certain:
            assert not share_a_group
    order = pair_order(
        score, variance=variance, covariance=given_covariance, pool=pool, growth=1.0
    )
    if pairs:
        assert order.certain_share == pytest.approx(result.n_certain / len(pairs))
    neighbours = {tuple(pair) for pair in order.neighbours[order.is_certain].tolist()}
    assert neighbours <= set(certain)


def test_blocks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    score, variance, pool = rng.normal(size=90), rng.random(90) / 10, rng.integers(4, size=90)
    whole = ranks(score, variance=variance, pool=pool)

    monkeypatch.setattr(module, "MAX_ROWS", 3)
    monkeypatch.setattr(module, "CELLS_AT_ONCE", 20)
    parts = ranks(score, variance=variance, pool=pool)

    assert whole.n_certain == parts.n_certain > 0
    for name in ("low", "high", "first_group", "last_group"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(parts, name))


def test_of_what_is_called_certain_few_are_wrong() -> None:
    rng = np.random.default_rng(1)
    wrong = certain = 0
    for _ in range(60):
        truth = np.repeat(rng.normal(size=15), 2)
        score = truth + 0.3 * rng.normal(size=30)
        result = ranks(score, variance=np.full(30, 0.09), pool=np.zeros(30, dtype=np.int64))
        # A wrong order excludes every rank that the item may have.
        above = (truth > truth[:, None]).sum(axis=1)
        below = (truth < truth[:, None]).sum(axis=1)
        wrong += int(((result.low > 30 - below) | (result.high < 1 + above)).sum())
        certain += result.n_certain

    assert certain > 5_000
    assert wrong < 0.02 * 60 * 30


def test_the_expected_share_is_what_comes_of_it() -> None:
    """Posterior draws of true differences, and scores of further answers: as often certain."""
    rng = np.random.default_rng(2)
    step, growth = 2_100, 1.5
    z = np.linspace(-1, 4, 11)
    truth = z + rng.standard_normal((40_000, 11))
    # The answers then: those there are and half as many more, whose own error is 1 / sqrt(.5).
    further = truth + rng.standard_normal(truth.shape) / np.sqrt(growth - 1)
    then = (z + (growth - 1) * further) / growth

    often = (np.abs(then) >= step * STEP / np.sqrt(growth)).mean(axis=0)

    probable = module._probably_certain(step, growth=growth)
    expected = probable[np.round(np.abs(z) / STEP).astype(int)]
    assert expected == pytest.approx(often, abs=0.01)


def test_fewer_answers_then_are_refused() -> None:
    with pytest.raises(ValueError, match=r"growth must be at least 1, not 0\.5"):
        pair_order(np.arange(5.0), variance=np.ones(5), pool=ONE_POOL, growth=0.5)
