"""Stacks of tuples that differ in size."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuples import ImpossibleDesignError
from tuples.stacks import (
    NOBODY,
    Stacks,
    certify_stacks,
    filling_order,
    make_stacks,
    make_uneven_stacks,
    side_by_side,
)


@given(
    pairs=st.lists(st.integers(1, 4), min_size=1, max_size=12),
    q=st.integers(1, 4),
    more=st.integers(0, 7),
    seed=st.integers(0, 99),
)
def test_stacks_are_full_loads_even_and_nobody_rates_two_of_a_tuple(
    pairs: list[int], q: int, more: int, seed: int
) -> None:
    stacks = make_uneven_stacks(max(pairs) * q + more, pairs, ratings_per_pair=q, seed=seed)

    for size, of_tuple in zip(pairs, stacks.validators, strict=True):
        assert len(np.unique(of_tuple[:size])) == size * q
        assert (of_tuple[size:] == NOBODY).all()
    certificate = certify_stacks(stacks)
    assert certificate.n_stacks == sum(pairs)
    assert certificate.n_ratings == sum(pairs) * q
    assert certificate.load_max - certificate.load_min <= 1
    assert certificate.n_conflicts == 0
    assert sorted(filling_order(stacks).tolist()) == list(range(stacks.n_validators))


def test_the_seed_decides_the_stacks() -> None:
    first, again, other = (
        make_uneven_stacks(9, [3, 1, 2, 3], ratings_per_pair=3, seed=seed).validators
        for seed in (1, 1, 2)
    )

    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_the_certificate_counts_what_is_there() -> None:
    # Tuple 0 has pairs rated by 0 1 and 2 3; tuple 1 has one pair, rated by 0 1 again.
    validators = np.array([[[0, 1], [2, 3]], [[0, 1], [NOBODY, NOBODY]]])
    stacks = Stacks(validators, 4, "free", np.zeros(2, dtype=int))

    certificate = certify_stacks(stacks)

    assert (certificate.n_stacks, certificate.n_ratings) == (3, 6)
    assert (certificate.load_min, certificate.load_max) == (1, 2)
    assert (certificate.n_equal_pairs, certificate.n_conflicts) == (1, 0)
    assert math.isnan(certificate.n_equal_pairs_expected)
    assert certificate.as_dict()["n_equal_pairs_expected"] is None
    # Validator 2 gives 1 rating, to the second pair, which has a third of all ratings.
    assert certificate.pair_deviation == pytest.approx(2 / 3)
    said = certificate.sentences()
    assert said[0] == "3 stacks of 2 ratings, up to 2 for each of 2 tuples, from 4 validators."
    assert "1 pair of stacks has the same validators, 1 repeats an earlier one." in said


def test_teams_of_uneven_tuples_stay_apart() -> None:
    teams = [make_uneven_stacks(4, [2, 1], ratings_per_pair=2, seed=seed) for seed in (1, 2)]

    both = side_by_side(teams)

    assert (both.validators[3, 1] == NOBODY).all()
    assert {*both.validators[2:].ravel().tolist()} <= {NOBODY, 4, 5, 6, 7}
    assert certify_stacks(both).n_teams == 2


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(ImpossibleDesignError, match="use at least 6 validators"):
        make_uneven_stacks(5, [1, 3], ratings_per_pair=2, seed=1)
    with pytest.raises(ValueError, match="at least 1 pair"):
        make_uneven_stacks(5, [1, 0], ratings_per_pair=2, seed=1)
    with pytest.raises(ValueError, match="negative"):
        make_uneven_stacks(5, [1], ratings_per_pair=2, seed=-1)


def test_a_tuple_without_pairs_and_groups_that_miss_some_are_refused() -> None:
    nothing = np.full((1, 1, 2), NOBODY)
    with pytest.raises(ValueError, match="every tuple must have a pair"):
        certify_stacks(Stacks(nothing, 4, "free", np.zeros(1, dtype=int)))

    grouped = make_stacks(
        4, 2, ratings_per_pair=2, pairs_per_tuple=2, arrangement="grouped", seed=1
    )
    grouped.validators[0, 1] = NOBODY
    with pytest.raises(ValueError, match="every tuple must have a pair"):
        certify_stacks(grouped)
