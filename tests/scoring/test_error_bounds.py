import numpy as np
import pytest
from hypothesis import given, settings

from scoring.ratings.error_bounds import error_bound
from scoring.ratings.ratings import Ratings
from tests.scoring.rating_batches import rating_batches, ratings_of_table, simulated, with_values


def test_by_hand_each_unit_with_its_own_n() -> None:
    # Variances 1 of three, 4 of four: 0 4 4 4; 10 / 4 of five; one rating has none.
    stacks = [[1, 2, 3], [0, 4, 4, 4], [0, 1, 2, 3, 4], [5]]
    unit = np.repeat(np.arange(4), [3, 4, 5, 1])
    ratings = Ratings(np.arange(13) % 5, unit, np.concatenate(stacks), 5, 4)

    paper, unbiased = (error_bound(ratings, kind=kind) for kind in ("paper", "unbiased"))

    assert unbiased.value == pytest.approx((1 / 3 + 4 / 4 + 2.5 / 5) / 3)
    assert (unbiased.n_units, unbiased.n_left_out) == (3, 1)
    # df 3 and 4: factors 3 and 2; df 2 has none.
    assert paper.value == pytest.approx((3 * 4 / 4 + 2 * 2.5 / 5) / 2)
    assert (paper.n_units, paper.n_left_out) == (2, 2)


def test_for_nine_ratings_the_paper_is_a_third_higher() -> None:
    ratings = simulated(per_unit=9)

    paper, unbiased = (error_bound(ratings, kind=kind).value for kind in ("paper", "unbiased"))

    assert paper / unbiased == pytest.approx(8 / 6)


def test_the_unbiased_bound_is_the_squared_error_of_the_means() -> None:
    rng = np.random.default_rng(1)
    latent = rng.random(4000)
    table = latent + rng.gamma(1, size=(9, 4000))

    bound = error_bound(ratings_of_table(table), kind="unbiased").value

    assert bound == pytest.approx(((table.mean(axis=0) - 1 - latent) ** 2).mean(), rel=0.1)


@given(rating_batches())
@settings(max_examples=60, deadline=None)
def test_bounds_are_squares_of_the_scale(ratings: Ratings) -> None:
    for kind in ("paper", "unbiased"):
        one = error_bound(ratings, kind=kind)
        doubled = error_bound(with_values(ratings, 2 * ratings.value), kind=kind)
        assert np.isnan(one.value) == (one.reason is not None)
        np.testing.assert_allclose(4 * one.value, doubled.value)
        assert one.n_units + one.n_left_out == ratings.n_units


def test_too_few_ratings_say_so() -> None:
    three = ratings_of_table([[1], [2], [4]])

    assert error_bound(three, kind="paper").reason == "no item has four ratings"
    assert error_bound(Ratings([], [], [], 0, 1), kind="unbiased").reason == "there are no ratings"
    with pytest.raises(ValueError, match="kind must be one of paper, unbiased, not 'biased'"):
        error_bound(three, kind="biased")
