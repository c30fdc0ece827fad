"""Where a measure and the people differ, and the categories of that."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.measures.discrepancies import Thresholds, discrepancies, largest, sort_discrepancies

NAN = float("nan")


def test_ranks_go_from_0_to_1_and_ties_share_theirs() -> None:
    # Of the items that have both, 0 1 2 3 5: ranks 1 2.5 2.5 5 4 and 5 4 3 1.5 1.5.
    found = discrepancies([0.1, 0.4, 0.4, 0.9, 0.3, 0.6], [9, 7, 5, 2, NAN, 2])

    assert found.people.tolist()[:4] == [0, 0.375, 0.375, 1]
    assert found.difference.tolist()[:4] == [-1, -0.375, -0.125, 0.875]
    assert np.isnan(found.difference[4])
    assert found.difference[5] == 0.75 - 0.125


def test_equal_differences_of_ranks_are_equal_to_the_last_digit() -> None:
    # 1 - 1/3 and 2/3 - 0 differ as floats.
    found = discrepancies([4, 2, 1, 3], [2, 3, 4, 1])

    assert found.difference[0] == found.difference[3] == 2 / 3


def test_standardized_values_are_distances_in_standard_deviations() -> None:
    # Standard deviations with n - 1: 1 and 10.
    found = discrepancies([1, 2, 3], [20, 0, 10], by="standardized")

    np.testing.assert_allclose(found.people, [-1, 0, 1])
    np.testing.assert_allclose(found.difference, [-2, 1, 1], atol=1e-15)


@pytest.mark.parametrize(
    ("people", "measure", "message"),
    [
        ([1, 2], [3, 3], "the measure have the same|measure have the same value"),
        ([2, 2], [1, 3], "people have the same value"),
        ([1, 2], [NAN, 3], "1 items have both"),
        ([1, 2], [3], "shape"),
    ],
)
def test_what_cannot_be_compared_is_refused(people, measure, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        discrepancies(people, measure)


def test_the_largest_differences_come_first_and_ties_in_order() -> None:
    difference = np.array([0.1, -0.5, 0.5, NAN, 0.3, -0.2])

    assert largest(difference, 3).tolist() == [1, 2, 4]
    assert largest(difference, 99).tolist() == [1, 2, 4, 5, 0]


def test_of_each_direction_there_are_enough_and_not_too_many() -> None:
    difference = np.array([0.9, 0.8, 0.7, 0.6, -0.1, -0.2, 0.0])

    assert largest(difference, 4, least_of_each=2).tolist() == [0, 1, 5, 4]
    assert largest(difference, 4, most_of_each=2).tolist() == [0, 1, 5, 4]
    assert largest(difference, 5, least_of_each=1, most_of_each=3).tolist() == [0, 1, 2, 5, 4]
    # There are no more.
    assert largest(difference, 8, least_of_each=4).tolist() == [0, 1, 2, 3, 5, 4, 6]


@pytest.mark.parametrize(
    ("bounds", "message"),
    [({"least_of_each": 3}, "do not fit"), ({"least_of_each": 2, "most_of_each": 1}, "fewer")],
)
def test_impossible_bounds_are_refused(bounds, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        largest(np.array([0.1, -0.2]), 4, **bounds)


@given(st.lists(st.integers(-5, 5), max_size=20), st.integers(0, 6), st.integers(0, 3), st.data())
def test_as_many_are_chosen_as_there_are_within_the_bounds(values, n, least, data) -> None:
    least = min(least, n // 2)
    most = data.draw(st.none() | st.integers(max(least, 1), 7))
    difference = np.array(values, dtype=float)

    found = largest(difference, n, least_of_each=least, most_of_each=most)

    assert len(set(found.tolist())) == len(found) <= n
    for way in (1, -1):
        n_there = int((np.sign(difference) == way).sum())
        n_found = int((np.sign(difference[found]) == way).sum())
        assert min(least, n_there) <= n_found <= (n_there if most is None else most)


def test_categories_are_counted_by_direction_where_more_than_half_chose_them() -> None:
    difference = np.array([0.4, 0.2, -0.3, 0.0, -0.1])
    votes = np.array([[2, 1], [1, 1], [0, 2], [2, 0], [0, 0]])

    found = sort_discrepancies(difference, votes, np.array([2, 2, 3, 2, 0]))

    # Nobody labelled the last item; one of two is no majority; no difference is no direction.
    assert found.n_items.tolist() == [2, 1]
    assert found.n_chosen.tolist() == [[1, 0], [0, 1]]
    assert found.share.tolist() == [[0.5, 0.0], [0.0, 1.0]]
    assert found.n_without.tolist() == [1, 0]


def test_means_that_are_equal_but_for_their_last_digits_share_a_rank() -> None:
    one, other = np.mean([0, 0, 2]) + 0.0, (1 + 1 + 0) / 3
    almost = [0.0, one, np.nextafter(other, 1), 1.0]

    found = discrepancies(almost, [1.0, 2.0, 2.0, 3.0], by="ranks")

    assert found.people.tolist() == [0, 0.5, 0.5, 1]
    assert found.difference.tolist() == [0, 0, 0, 0]


def test_a_measure_equal_to_the_people_has_no_difference_by_standard_deviations_either() -> None:
    values = np.array([0.1, 0.2, 0.3, 0.7, 1.1]) / 3

    found = discrepancies(values, values * 7 - 2, by="standardized")

    assert found.difference.tolist() == [0, 0, 0, 0, 0]


# -- Thresholds ---------------------------------------------------------------------------------


def test_thresholds_find_either_direction() -> None:
    rule = Thresholds(measure_below=0.25, people_from=2, measure_above=0.75, people_to=0)

    # Each limit once at its edge: the measure must be beyond it, people may be on it.
    found = rule.directions([2, 2, 1, 0, 0, 1, 2, NAN], [0.1, 0.25, 0.1, 0.9, 0.75, 0.9, NAN, 0.1])

    assert found.tolist() == [1, 0, 0, -1, 0, 0, 0, 0]
    assert rule.text == "measure < 0.25 and people >= 2; measure > 0.75 and people <= 0"


def test_one_direction_may_be_left_out() -> None:
    rule = Thresholds(measure_above=0.75, people_to=0)

    assert rule.directions([0, 2], [0.8, 0.1]).tolist() == [-1, 0]
    assert rule.text == "measure > 0.75 and people <= 0"


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({}, "no threshold"),
        ({"measure_below": 0.25}, "needs one of the people"),
        ({"people_to": 0}, "needs one of the people"),
        (
            {"measure_below": 0.8, "people_from": 0, "measure_above": 0.2, "people_to": 2},
            "of both directions",
        ),
    ],
)
def test_thresholds_that_say_nothing_are_refused(limits: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Thresholds(**limits)
