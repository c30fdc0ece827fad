import statistics

import numpy as np
import pytest
from hypothesis import given, settings

from scoring.aggregation import aggregate
from scoring.ratings.ratings import Ratings
from tests.scoring.rating_batches import rating_batches


def labels() -> Ratings:
    """Unit 0: 2, 0, 2; unit 1: 0, 1, a tie; unit 2: 1, 1, 0, 0, 2, a tie; unit 3: nothing."""
    value = [2, 0, 2, 0, 1, 1, 1, 0, 0, 2]
    unit = [0, 0, 0, 1, 1, 2, 2, 2, 2, 2]
    return Ratings(np.arange(10) % 5, unit, value, 5, 4, low=0, high=2, step=1)


def test_majority_by_hand_and_ties_listed() -> None:
    result = aggregate(labels(), by="majority")

    np.testing.assert_array_equal(result.value, [2, np.nan, np.nan, np.nan])
    np.testing.assert_array_equal(result.n_votes, [2, 1, 2, 0])
    assert result.ties.tolist() == [1, 2]
    assert result.unrated.tolist() == [3]
    assert result.as_dict()["value"] == [2.0, None, None, None]


def test_an_expert_overrides_and_keeps_the_others() -> None:
    result = aggregate(labels(), by="majority", adjudicated=[0, 1, np.nan, np.nan])

    np.testing.assert_array_equal(result.value, [0, 1, np.nan, np.nan])
    np.testing.assert_array_equal(result.of_ratings, [2, np.nan, np.nan, np.nan])
    np.testing.assert_array_equal(result.n, [3, 2, 5, 0])
    # The settled tie is none any more.
    assert result.ties.tolist() == [2]
    assert np.flatnonzero(result.is_adjudicated).tolist() == [0, 1]


def test_mean_and_median_by_hand() -> None:
    ratings = Ratings([0, 1, 2, 3, 0], [0, 0, 0, 0, 1], [1, 2, 4, 9, 7], 4, 3)

    np.testing.assert_array_equal(aggregate(ratings, by="mean").value, [4, 7, np.nan])
    np.testing.assert_array_equal(aggregate(ratings, by="median").value, [3, 7, np.nan])


@given(rating_batches())
@settings(max_examples=60, deadline=None)
def test_each_unit_is_aggregated_as_by_the_standard_library(ratings: Ratings) -> None:
    median, majority = (aggregate(ratings, by=by) for by in ("median", "majority"))

    for unit in range(ratings.n_units):
        values = list(ratings.value[ratings.unit == unit])
        modes = statistics.multimode(values)
        assert median.value[unit] == pytest.approx(
            statistics.median(values) if values else np.nan, nan_ok=True
        )
        if len(modes) == 1:
            assert majority.value[unit] == modes[0]
        else:
            assert np.isnan(majority.value[unit])
        assert (unit in majority.ties) == (len(modes) > 1)


def test_no_ratings_have_no_values() -> None:
    for by in ("mean", "median", "majority"):
        assert np.isnan(aggregate(Ratings([], [], [], 0, 2), by=by).value).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"by": "mode"}, "by must be one of mean, median, majority, not 'mode'"),
        ({"by": "mean", "adjudicated": [1]}, r"adjudicated has shape \(1,\), but there are 4 un"),
        ({"by": "mean", "adjudicated": [1, 3, 0, 0]}, "expert's value of unit 1 is 3, above"),
        ({"by": "mean", "adjudicated": [1, 1.5, 0, 0]}, "unit 1 is 1.5, between the steps"),
        ({"by": "mean", "adjudicated": [np.inf, 1, 1, 1]}, "expert's value of unit 0 is inf"),
    ],
)
def test_what_does_not_fit_is_refused(arguments, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        aggregate(labels(), **arguments)
