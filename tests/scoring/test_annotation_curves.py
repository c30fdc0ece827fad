import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings

from scoring.ratings.annotation_curves import (
    calibration_curve,
    error_by_thinking_time,
    waiting_times,
)
from scoring.ratings.ratings import Ratings
from tests.scoring.rating_batches import rating_batches


def practising(*, seed: int = 1) -> Ratings:
    """Ten people rate 60 units, each in an order of their own; noise falls from 2 to .5."""
    rng = np.random.default_rng(seed)
    latent = 6 * rng.beta(1, 2, size=60)
    unit = np.concatenate([rng.permutation(60) for _ in range(10)])
    order = np.tile(np.arange(60), 10)
    noise = np.where(order < 30, 2.0, 0.5)
    value = latent[unit] + noise * rng.normal(size=600)
    return Ratings(
        np.repeat(np.arange(10), 60),
        unit,
        value,
        10,
        60,
        order=order,
        thinking_ms=noise * 1000 + 250,
        submitted_at=order * 60.0,
    )


def test_the_curves_by_hand() -> None:
    # Means of the others: unit 0: 3, 1; unit 1: 2, 4; the last rating is of a unit of its own.
    ratings = Ratings(
        [0, 1, 0, 1, 0],
        [0, 0, 1, 1, 2],
        [1, 3, 4, 2, 6],
        2,
        3,
        order=[0, 1, 1, 0, 2],
        thinking_ms=[999, 1000, 5500, np.nan, 100],
    )

    curve, by_time = calibration_curve(ratings), error_by_thinking_time(ratings)

    # Place 0: 1 against 3, 2 against 4; place 1: 3 against 1, 4 against 2.
    np.testing.assert_array_equal(curve.start, [0, 1])
    np.testing.assert_allclose(curve.pearson, [1, 1])
    np.testing.assert_allclose(curve.rmse, [2, 2])
    assert (curve.n.tolist(), curve.n_left_out) == ([2, 2], 1)
    np.testing.assert_array_equal(by_time.start, [0, 1, 5])
    assert (by_time.n.tolist(), by_time.n_left_out) == ([1, 1, 1], 2)
    assert by_time.as_dict()["pearson"] == [None, None, None]


def test_the_curves_against_an_earlier_round_by_hand() -> None:
    ratings = Ratings(
        [0, 1, 0, 1, 0],
        [0, 1, 1, 2, 3],
        [1, 3, 4, 2, 6],
        2,
        4,
        order=[0, 0, 1, 1, 2],
        thinking_ms=[999, 1000, 1500, np.nan, 100],
    )
    # Nobody else rated units 0, 2 and 3, and the first round said nothing of the last one.
    first = np.array([2.0, 5.0, 0.0, np.nan])

    curve = calibration_curve(ratings, reference=first)
    by_time = error_by_thinking_time(ratings, reference=first)

    # Place 0: 1 against 2, 3 against 5; place 1: 4 against 5, 2 against 0.
    np.testing.assert_allclose(curve.pearson, [1, 1])
    np.testing.assert_allclose(curve.rmse, np.sqrt([(1 + 4) / 2, (1 + 4) / 2]))
    assert (curve.n.tolist(), curve.n_left_out) == ([2, 2], 1)
    np.testing.assert_array_equal(by_time.start, [0, 1])
    np.testing.assert_allclose(by_time.rmse, [1, np.sqrt((4 + 1) / 2)])
    assert "the first round's ratings of the same items" in by_time.definition


def test_without_an_earlier_rating_there_is_no_curve_but_a_reason() -> None:
    ratings = practising()

    nothing = calibration_curve(ratings, reference=np.full(60, np.nan))

    assert nothing.reason == "the first round has no ratings of these items"
    with pytest.raises(ValueError, match=r"reference has shape \(59,\), but there are 60 units"):
        error_by_thinking_time(ratings, reference=np.zeros(59))


def test_practice_shows() -> None:
    ratings = practising()

    curve, by_time = calibration_curve(ratings, width=30), error_by_thinking_time(ratings)

    assert curve.start.tolist() == [0, 30]
    others = ratings.mean_of_others()
    for early, value in zip((True, False), curve.pearson, strict=True):
        rows = (ratings.order < 30) == early
        expected = scipy.stats.pearsonr(ratings.value[rows], others[rows]).statistic
        assert value == pytest.approx(expected)
    assert curve.pearson[0] < curve.pearson[1] - 0.2
    # The fast half (500 ms + 250) is the later one.
    assert by_time.start.tolist() == [0, 2]
    np.testing.assert_allclose(by_time.rmse, curve.rmse[::-1])


@given(rating_batches())
@settings(max_examples=40, deadline=None)
def test_buckets_of_any_width_share_out_the_same_ratings(ratings: Ratings) -> None:
    j = np.arange(ratings.n_ratings)
    timed = Ratings(
        ratings.annotator, ratings.unit, ratings.value, 4, ratings.n_units, thinking_ms=j * 400
    )

    fine, coarse = (error_by_thinking_time(timed, bucket_s=s) for s in (0.5, 1e6))

    assert fine.n.sum() == coarse.n.sum() == ratings.n_ratings - fine.n_left_out
    np.testing.assert_allclose((fine.rmse**2 * fine.n).sum(), (coarse.rmse**2 * coarse.n).sum())
    assert (fine.reason is None) == (len(fine.n) > 0)


def test_waiting_times_by_hand() -> None:
    # Person 0 ends at 100 s and starts again 72 h later; 1 overlaps; 2 has no second phase; the
    # time of 3 is not known.
    first = Ratings(
        [0, 0, 1, 2, 3], [0, 1, 0, 0, 0], [1] * 5, 4, 2, submitted_at=[100.0, 40, 7300, 5, np.nan]
    )
    second = Ratings(
        [0, 0, 1, 3], [1, 0, 0, 0], [1] * 4, 4, 2, submitted_at=[259400.0, 259300, 3700, 9]
    )

    waited = waiting_times(first, second)

    np.testing.assert_allclose(waited.hours, [72, -1, np.nan, np.nan])
    figures = waited.as_dict()
    assert (figures["n"], figures["median"], figures["n_overlapping"]) == (2, 35.5, 1)
    assert figures["hours"][2] is None


def test_nobody_with_both_phases_says_so() -> None:
    first = Ratings([0], [0], [1], 2, 1, submitted_at=[1.0])
    second = Ratings([1], [0], [1], 2, 1, submitted_at=[2.0])

    figures = waiting_times(first, second).as_dict()

    assert figures["reason"] == "nobody has ratings of known time in both phases"
    assert figures["mean"] is None


def test_what_is_needed_and_missing_is_named() -> None:
    bare = Ratings([0], [0], [1], 1, 1)
    timed = Ratings([0], [0], [1], 1, 1, order=[0], thinking_ms=[1], submitted_at=[1])

    with pytest.raises(ValueError, match="a calibration curve needs the order"):
        calibration_curve(bare)
    with pytest.raises(ValueError, match="width must be at least 1, not 0"):
        calibration_curve(timed, width=0)
    with pytest.raises(ValueError, match="needs the thinking time of each rating"):
        error_by_thinking_time(bare)
    with pytest.raises(ValueError, match="bucket_s must be above 0, not 0"):
        error_by_thinking_time(timed, bucket_s=0)
    with pytest.raises(ValueError, match="waiting times need the times"):
        waiting_times(bare, timed)
    other = Ratings([0], [0], [1], 3, 1, submitted_at=[1])
    with pytest.raises(ValueError, match="the batches have 1 and 3 annotators"):
        waiting_times(timed, other)
    untimed = Ratings([0, 1], [0, 0], [1, 2], 2, 1, thinking_ms=[np.nan, np.nan])
    assert error_by_thinking_time(untimed).reason == "no rating has a known thinking time"
    reason = error_by_thinking_time(timed).reason
    assert reason == "no rating can be compared with those of other annotators"
    reason = calibration_curve(timed).reason
    assert reason == "no rating can be compared with those of other annotators"
