"""What a live page says of pairs, intervals and pace: by hand, by repetition, by simulation."""

from itertools import combinations

import numpy as np
import pytest

from scoring.best_worst.item_intervals import resampled_scores, score_intervals
from scoring.best_worst.judgments import BestWorst
from scoring.best_worst.pair_order import is_sure, pair_order, probably_sure
from scoring.pace import hours_to_go


def answers(n_answers: int, *, seed: int = 1) -> BestWorst:
    """Thirty items in a hundred random triples, picked by people of some noise."""
    rng = np.random.default_rng(seed)
    latent = rng.normal(size=30)
    tuples = rng.permuted(rng.choice(list(combinations(range(30), 3)), 100, False), axis=1)
    number = np.arange(n_answers) % 100
    felt = latent[tuples[number]] + rng.normal(scale=0.8, size=(n_answers, 3))
    rows = np.arange(n_answers)
    best = tuples[number][rows, felt.argmax(axis=1)]
    worst = tuples[number][rows, felt.argmin(axis=1)]
    return BestWorst(tuples, number, best, worst, n_items=30)


# -- pairs in a sure order ----------------------------------------------------------------------


def test_pairs_by_hand() -> None:
    score = np.array([1.0, 0.5, 0.4, np.nan, 9.0])
    error = np.array([0.1, 0.1, 0.1, 0.1, np.nan])
    pool = np.array([0, 0, 0, 0, 0])

    found = pair_order(score, pool=pool, growth=1.0, error=error, rng=np.random.default_rng(1))

    # Differences .5, .6, .1 with the standard error .141: the first two are beyond 1.645 of it.
    assert found.n_pairs == found.n_compared == 3
    assert found.sure_share == pytest.approx(2 / 3)
    # Not one answer more changes nothing.
    assert found.sure_share_then == found.sure_share
    assert found.neighbours.tolist() == [[1, 2], [0, 1]]
    assert found.certainty == pytest.approx([0.7602, 0.9998], abs=1e-4)


def test_pairs_of_different_pools_are_not_compared() -> None:
    score, error = np.arange(4.0), np.full(4, 0.1)

    found = pair_order(
        score,
        pool=np.array([0, 1, 0, 1]),
        growth=2.0,
        error=error,
        rng=np.random.default_rng(1),
    )

    assert found.n_pairs == 2
    assert {tuple(pair) for pair in found.neighbours.tolist()} == {(2, 0), (3, 1)}


def test_what_does_not_vary_is_sure_unless_it_is_equal() -> None:
    d, s = np.array([0.0, 0.2]), np.zeros(2)

    assert is_sure(d, s).tolist() == [False, True]
    assert probably_sure(d, s, growth=3.0).tolist() == [0.0, 1.0]


def test_the_expected_share_is_what_comes_of_it() -> None:
    """Posterior draws of true differences, and scores of further answers: as often sure."""
    rng = np.random.default_rng(2)
    d, s, growth = np.linspace(-0.4, 0.6, 11), np.full(11, 0.2), 1.5
    truth = d + s * rng.standard_normal((40_000, 11))
    # The answers then: those there are and half as many more, whose own error is s / sqrt(.5).
    further = truth + s / np.sqrt(growth - 1) * rng.standard_normal(truth.shape)
    then = (d + (growth - 1) * further) / growth

    often = is_sure(then, np.broadcast_to(s / np.sqrt(growth), then.shape)).mean(axis=0)

    assert probably_sure(d, s, growth=growth) == pytest.approx(often, abs=0.01)


def test_pairs_are_about_as_sure_as_by_the_bootstrap() -> None:
    given = answers(900)
    resampled = resampled_scores(given, n_resamples=400, rng=np.random.default_rng(1))
    by_bootstrap = score_intervals(given, rng=np.random.default_rng(1))
    scores = np.nanmean(resampled, axis=0)

    found = pair_order(
        scores,
        pool=np.zeros(30, dtype=np.int64),
        growth=1.2,
        resampled=resampled,
        rng=np.random.default_rng(3),
    )

    assert found.n_pairs == by_bootstrap.n_pairs == 435
    assert found.sure_share == pytest.approx(by_bootstrap.sure_share, abs=0.03)
    assert found.sure_share < found.sure_share_then < found.sure_share + 0.1


def test_pairs_refuse_what_cannot_be() -> None:
    score, pool = np.arange(3.0), np.zeros(3, dtype=np.int64)
    rng = np.random.default_rng(1)

    with pytest.raises(ValueError, match=r"growth must be at least 1, not 0\.5"):
        pair_order(score, pool=pool, growth=0.5, error=score, rng=rng)
    with pytest.raises(ValueError, match="either the scores of resamples or standard errors"):
        pair_order(score, pool=pool, growth=1.0, rng=rng)


# -- the end ------------------------------------------------------------------------------------


def test_the_range_of_the_end_covers_it() -> None:
    """A steady stream of completions: the moment of the last one is in the range, mostly."""
    rng = np.random.default_rng(5)
    inside = 0
    for _ in range(200):
        times = np.cumsum(rng.exponential(1 / 3, 60))
        done = times[:40]
        pace = hours_to_go(done[-1] - done, n_left=20, began_hours_ago=float(done[-1]))
        inside += pace.low <= times[-1] - done[-1] <= pace.high

    assert inside >= 180


def test_the_end_cannot_be_told_of_few_or_of_none_lately() -> None:
    few = hours_to_go(np.array([1.0, 2.0]), n_left=9, began_hours_ago=3.0)
    stalled = hours_to_go(np.full(50, 30.0), n_left=9, began_hours_ago=60.0)

    assert (few.reason, stalled.reason) == ("few", "stalled")
    assert np.isnan([few.low, few.high, stalled.low, stalled.high]).all()
    with pytest.raises(ValueError, match="n_left must be at least 1, not 0"):
        hours_to_go(np.array([1.0]), n_left=0, began_hours_ago=3.0)


def test_a_slower_day_widens_the_range() -> None:
    steady = np.arange(0.5, 168, 1.0)
    slow = steady[(steady > 24) | (steady % 6 < 1)]

    as_before = hours_to_go(steady, n_left=50, began_hours_ago=168.0)
    slower = hours_to_go(slow, n_left=50, began_hours_ago=168.0)

    assert slower.low < as_before.low * 1.4
    assert slower.high > as_before.high * 2
