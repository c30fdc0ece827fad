"""How right an answer is whose right answer is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import check_score
from scoring.checks import best_worst_credit, label_credit, rating_credit


def _rated(rating: float, known: float, tolerance: float = 0.0, ends=(0.0, 6.0)) -> float:
    (credit,) = rating_credit(
        np.array([rating]),
        known=np.array([known]),
        tolerance=np.array([tolerance]),
        low=ends[0],
        high=ends[1],
    )
    return float(credit)


def test_each_right_pick_is_worth_a_half() -> None:
    credit = best_worst_credit(
        np.array([7, 7, 8, 9]),
        np.array([9, 8, 9, 7]),
        known_best=np.full(4, 7),
        known_worst=np.full(4, 9),
    )

    assert credit.tolist() == [1.0, 0.5, 0.5, 0.0]


def test_a_rating_falls_to_nothing_at_the_end_that_is_farthest_from_the_known_answer() -> None:
    # Known is 2 on a scale from 0 to 6: the far end is 4 away.
    assert [_rated(value, 2) for value in (2, 3, 0, 5, 6)] == [1.0, 0.75, 0.5, 0.25, 0.0]


def test_within_the_tolerance_a_rating_is_right_and_falls_from_there() -> None:
    # With a tolerance of 1 there are 3 points between the last right one and the far end.
    assert [_rated(value, 2, 1) for value in (1, 2, 3)] == [1.0, 1.0, 1.0]
    assert _rated(4, 2, 1) == pytest.approx(2 / 3)
    assert _rated(6, 2, 1) == 0.0


def test_a_tolerance_is_kept_also_where_decimals_are_not_exact() -> None:
    assert 0.8 - 0.7 > 0.1

    assert _rated(0.8, 0.7, 0.1, (0.0, 1.0)) == 1.0


def test_where_the_tolerance_reaches_both_ends_everything_is_right() -> None:
    assert [_rated(value, 3, 3) for value in (0, 3, 6)] == [1.0, 1.0, 1.0]


@given(
    known=st.integers(0, 60),
    tolerance=st.integers(0, 60),
    ratings=st.tuples(st.integers(0, 60), st.integers(0, 60)),
)
def test_nobody_gets_more_for_being_farther_off(known, tolerance, ratings) -> None:
    nearer, farther = sorted(ratings, key=lambda rating: abs(rating - known))

    credits = [_rated(r / 10, known / 10, tolerance / 10) for r in (nearer, farther)]

    assert 0 <= credits[1] <= credits[0] <= 1


@pytest.mark.parametrize(
    ("rating", "known", "tolerance", "said"),
    [
        (7.0, 3.0, 0.0, "rating 0 is 7.0, which is not from 0.0 to 6.0"),
        (3.0, float("nan"), 0.0, "known answer 0 is nan"),
        (3.0, 3.0, -1.0, "tolerance 0 is -1.0, but must not be negative"),
    ],
)
def test_numbers_that_mean_nothing_are_refused(rating, known, tolerance, said) -> None:
    with pytest.raises(ValueError, match=said):
        _rated(rating, known, tolerance)


def test_a_scale_without_length_is_refused() -> None:
    with pytest.raises(ValueError, match=r"must not be empty, but goes from 1\.0 to 1\.0"):
        _rated(1, 1, ends=(1.0, 1.0))


def test_labels_get_the_share_of_categories_that_both_have() -> None:
    credit = label_credit(
        [["a"], ["a", "b"], ["b"], [], []], known=[["a"], ["a"], ["a"], ["a"], []]
    )

    assert credit.tolist() == [1.0, 0.5, 0.0, 0.0, 1.0]


def test_a_score_is_the_mean_credit_and_counts_what_is_wholly_right() -> None:
    score = check_score(np.array([1.0, 0.5, 1.0, 0.25]))

    assert (score.n, score.n_right, score.mean) == (4, 2, 0.6875)
    assert score.as_dict()["mean"] == 0.6875


def test_without_an_answer_there_is_no_score() -> None:
    score = check_score(np.array([]))

    assert (score.n, score.n_right) == (0, 0)
    assert score.as_dict()["mean"] is None
