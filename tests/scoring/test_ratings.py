import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.ratings.ratings import Ratings, number_names, unit_scores
from tests.scoring.rating_batches import rating_batches, ratings_of_table, renumbered


def batch(**changes) -> Ratings:
    """Unit 0 rated 1, 3 and 5; unit 1 by one person twice, 2 and 4; unit 2 by nobody."""
    fields = {
        "annotator": [0, 1, 2, 1, 1],
        "unit": [0, 0, 0, 1, 1],
        "value": [1, 3, 5, 2, 4],
        "n_annotators": 3,
        "n_units": 3,
    }
    return Ratings(**{**fields, **changes})


def test_scores_by_hand() -> None:
    scores = unit_scores(batch())

    np.testing.assert_array_equal(scores.n, [3, 2, 0])
    np.testing.assert_array_equal(scores.mean, [3, 3, np.nan])
    # Deviations -2, 0, 2: 8 / 2; -1, 1: 2 / 1
    np.testing.assert_allclose(scores.sd, [2, np.sqrt(2), np.nan])
    assert scores.as_dict()["mean"] == [3.0, 3.0, None]


def test_a_unit_rated_once_has_no_spread() -> None:
    scores = unit_scores(Ratings([0], [0], [2.5], 1, 1))

    assert scores.mean[0] == 2.5
    assert np.isnan(scores.sd[0])


def test_means_of_the_others_by_hand() -> None:
    # Unit 0: (3 + 5) / 2, (1 + 5) / 2, (1 + 3) / 2; unit 1 was rated by nobody else.
    np.testing.assert_allclose(batch().mean_of_others(), [4, 3, 2, np.nan, np.nan])


@pytest.mark.slow
@given(rating_batches())
@settings(max_examples=60, deadline=None)
def test_means_of_the_others_are_those_of_a_loop(ratings: Ratings) -> None:
    by_loop = []
    for person, unit in zip(ratings.annotator, ratings.unit, strict=True):
        others = ratings.value[(ratings.unit == unit) & (ratings.annotator != person)]
        by_loop.append(others.mean() if len(others) else np.nan)

    np.testing.assert_allclose(ratings.mean_of_others(), by_loop, atol=1e-12)


@given(rating_batches(), st.permutations(range(4)))
@settings(max_examples=30, deadline=None)
def test_renumbering_people_and_units_moves_the_scores_along(ratings: Ratings, people) -> None:
    units = np.arange(ratings.n_units)[::-1]

    there, back = unit_scores(ratings), unit_scores(renumbered(ratings, np.array(people), units))

    np.testing.assert_allclose(there.mean, back.mean[units])
    np.testing.assert_allclose(there.sd, back.sd[units], atol=1e-12)


def test_the_first_of_repeated_ratings_is_told_by_time_then_by_place_then_by_row() -> None:
    by_row = batch()
    by_order = batch(order=[0, 0, 0, 7, 5])
    by_time = batch(order=[0, 0, 0, 7, 5], submitted_at=[0, 0, 0, 1.0, 2.0])

    assert by_row.first_answers().value[-1] == 2
    assert by_order.first_answers().value[-1] == 4
    assert by_time.first_answers().value[-1] == 2
    assert [rows.tolist() for rows in by_order.repeats()] == [[4], [3]]


def test_a_third_rating_is_paired_with_the_second() -> None:
    ratings = Ratings([0, 0, 0], [0, 0, 0], [1, 2, 3], 1, 1, submitted_at=[3.0, 1.0, 2.0])

    earlier, later = ratings.repeats()

    assert (earlier.tolist(), later.tolist()) == ([1, 2], [2, 0])


def test_parts_keep_their_numbers_and_extras() -> None:
    part = batch(thinking_ms=[1, 2, np.nan, 4, 5]).of_rows(np.array([4, 0]))

    assert part.value.tolist() == [4, 1]
    assert part.thinking_ms.tolist() == [5, 1]
    assert (part.n_annotators, part.n_units) == (3, 3)
    assert not part.value.flags.writeable


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"unit": [0, 0, 3, 1, 1]}, r"rating 2 has unit 3, but units are numbered 0\.\.2"),
        ({"annotator": [0, -1, 2, 1, 1]}, r"rating 1 has annotator -1, but annotators are num"),
        ({"annotator": [0.5] * 5}, "annotator must hold whole numbers, not float64"),
        ({"value": [1, np.nan, 5, 2, 4]}, "rating 1 has the value nan: leave out what is not"),
        ({"value": [[1, 2]]}, r"value has shape \(1, 2\)"),
        ({"unit": [0, 0]}, r"unit has shape \(2,\), but there are 5 ratings"),
        ({"low": 2}, "rating 0 is 1, below the scale's low end 2"),
        ({"high": 4}, "rating 2 is 5, above the scale's high end 4"),
        ({"low": 0, "step": 2}, "rating 0 is 1, between the steps of 2 of the scale"),
        ({"step": 1}, "the step of a scale is counted from its low end"),
        ({"low": 0, "step": 0}, "the step of a scale must be above 0, not 0"),
        ({"low": 6, "high": 6}, "the scale has no extent: low 6, high 6"),
        ({"high": np.nan}, "high must be a finite number, not nan"),
        ({"order": [0, 1, 2, -3, 4]}, "rating 3 has the place -3: places are counted from 0"),
        ({"thinking_ms": [1, 2, 3, 4, -5]}, r"rating 4 has the thinking time -5\.0 ms, below 0"),
    ],
)
def test_what_does_not_fit_together_is_refused(changes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        batch(**changes)


def test_steps_are_met_within_their_binary_form() -> None:
    tenths = np.arange(61) / 10

    ratings = Ratings(np.zeros(61, int), np.arange(61), tenths, 1, 61, low=0, high=6, step=0.1)

    assert ratings.n_ratings == 61


def test_no_ratings_are_a_batch() -> None:
    empty = Ratings([], [], [], 0, 2)

    assert unit_scores(empty).n.tolist() == [0, 0]
    assert len(empty.mean_of_others()) == len(empty.first_answers().value) == 0


def test_a_table_leaves_out_its_gaps() -> None:
    ratings = ratings_of_table([[1, np.nan], [2, 3]])

    assert ratings.annotator.tolist() == [0, 1, 1]
    assert ratings.value.tolist() == [1, 2, 3]


def test_names_are_numbered_by_first_occurrence() -> None:
    distinct, number = number_names(["b", "a\0", "b", "a"])

    assert distinct == ["b", "a\0", "a"]
    assert number.tolist() == [0, 1, 0, 2]
