"""Teams drawn one by one as one study, and the order in which validators are let in."""

import numpy as np
import pytest

from tuples.stacks import NOBODY, Stacks, certify_stacks, filling_order, make_stacks, side_by_side


def test_teams_are_numbered_on_from_one_to_the_next() -> None:
    teams = [
        make_stacks(6, n, ratings_per_pair=2, pairs_per_tuple=3, arrangement="grouped", seed=seed)
        for seed, n in enumerate((4, 3))
    ]

    both = side_by_side(teams)

    assert both.n_validators == 12
    assert both.team.tolist() == [0] * 4 + [1] * 3
    np.testing.assert_array_equal(both.validators[:4], teams[0].validators)
    np.testing.assert_array_equal(both.validators[4:], teams[1].validators + 6)
    assert both.group is not None
    assert both.group[:6].tolist() == teams[0].group.tolist()  # type: ignore[union-attr]
    assert {*both.group[6:].tolist()} == {2, 3}
    certificate = certify_stacks(both)
    assert (certificate.n_teams, certificate.n_conflicts, certificate.n_divided_groups) == (
        2,
        0,
        0,
    )


def test_teams_that_differ_in_how_they_rate_are_refused() -> None:
    twice = make_stacks(6, 2, ratings_per_pair=2, pairs_per_tuple=3, seed=1)
    once = make_stacks(6, 2, ratings_per_pair=1, pairs_per_tuple=3, seed=1)

    with pytest.raises(ValueError, match="as many ratings of a pair"):
        side_by_side([twice, once])
    with pytest.raises(ValueError, match="there is no team"):
        side_by_side([])


def test_tuples_of_a_team_with_smaller_ones_are_filled_up_with_nobody() -> None:
    threes = make_stacks(6, 2, ratings_per_pair=2, pairs_per_tuple=3, seed=1)
    twos = make_stacks(6, 2, ratings_per_pair=2, pairs_per_tuple=2, seed=1)

    both = side_by_side([twos, threes])

    assert both.validators.shape == (4, 3, 2)
    assert (both.validators[:2, 2] == NOBODY).all()
    assert certify_stacks(both).n_stacks == 10


def test_the_next_validator_has_the_pairs_with_fewest_ratings() -> None:
    # Validators 0 and 1 rate the first two pairs, 2 and 3 the last two.
    validators = np.array([[[0, 1]], [[0, 1]], [[2, 3]], [[2, 3]]])
    stacks = Stacks(validators, 4, "free", np.zeros(4, dtype=int))

    assert filling_order(stacks).tolist() == [0, 2, 1, 3]


def test_who_has_fewer_pairs_is_judged_by_their_mean() -> None:
    # At the end 1 has two pairs with one rating each, and 2 has one: equal means, unequal sums.
    validators = np.array([[[0, 1]], [[0, 2]], [[1, 3]]])
    stacks = Stacks(validators, 4, "free", np.zeros(3, dtype=int))

    assert filling_order(stacks).tolist() == [0, 3, 1, 2]


@pytest.mark.parametrize("arrangement", ["free", "grouped"])
def test_after_any_number_of_validators_no_pair_is_far_behind(arrangement: str) -> None:
    stacks = make_stacks(27, 50, arrangement=arrangement, seed=3)  # type: ignore[arg-type]

    order = filling_order(stacks)

    assert sorted(order.tolist()) == list(range(27))
    came = np.isin(stacks.validators, order[:9]).sum(axis=2)
    by_number = np.isin(stacks.validators, np.arange(9)).sum(axis=2)
    assert came.var() < by_number.var() * 0.7
    assert came.sum() == by_number.sum() == 9 * 50
