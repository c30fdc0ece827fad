import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tuples import (
    ImpossibleDesignError,
    certify,
    components,
    count_tuples,
    make_tuples,
    max_factor,
    min_items,
    pool_seed,
)
from tuples.design import MAX_TUPLES

FACTORS = (0.2, 1 / 3, 0.5, 0.75, 1, 1.5, 2, 3)


@st.composite
def possible_requests(draw: st.DrawFn) -> tuple[int, int, float]:
    size = draw(st.integers(2, 8))
    n_items = draw(st.integers(size, 30))
    factor = draw(st.sampled_from(FACTORS))
    wanted = math.floor(factor * n_items + 0.5)
    if not 1 <= wanted <= math.comb(n_items, size):
        factor = 1 / n_items
    return n_items, size, factor


@pytest.mark.slow
@given(possible_requests(), st.integers(0, 2**64))
@settings(max_examples=30, deadline=None, derandomize=True)
def test_every_design_is_distinct_balanced_and_connected(
    request_: tuple[int, int, float], seed: int
) -> None:
    n_items, size, factor = request_

    tuples = make_tuples(n_items, size=size, factor=factor, seed=seed)

    assert tuples.dtype == np.int64
    assert tuples.shape == (math.floor(factor * n_items + 0.5), size)
    certificate = certify(tuples, n_items=n_items)
    assert certificate.are_all_distinct
    assert certificate.appearances_max - certificate.appearances_min <= 1
    assert certificate.is_connected or len(tuples) * (size - 1) < n_items - 1


@pytest.mark.parametrize("n_items", range(40, 201))
def test_from_forty_items_on_no_two_meet_twice(n_items: int) -> None:
    certificate = certify(make_tuples(n_items, seed=n_items), n_items=n_items)

    assert certificate.n_tuples == 2 * n_items
    assert certificate.appearances_min == certificate.appearances_max == 8
    assert certificate.pair_count_max == 1
    assert certificate.distance_from_bound == 0
    assert certificate.is_connected


# 24 and 25 items are left out: 25 asks for a 2-(25, 4, 1) design, which the search does not find.
@pytest.mark.parametrize("n_items", [*range(5, 24), *range(26, 40)])
def test_smaller_pools_reach_the_bound_too(n_items: int) -> None:
    factor = min(2, math.comb(n_items, 4) / n_items)

    certificate = certify(make_tuples(n_items, factor=factor, seed=3), n_items=n_items)

    assert certificate.distance_from_bound == 0


@pytest.mark.slow
@pytest.mark.parametrize("n_items", [24, 25])
def test_the_two_pools_that_miss_the_bound_miss_it_by_little(n_items: int) -> None:
    certificate = certify(make_tuples(n_items, seed=3), n_items=n_items)

    assert 0 < certificate.distance_from_bound <= 24
    assert certificate.pair_count_max <= 2


def test_five_items_of_which_three_are_shown_give_all_ten_tuples() -> None:
    # The candidates of one dialogue of GiCCS
    tuples = make_tuples(5, size=3, factor=2, seed=1)

    assert sorted(map(tuple, np.sort(tuples, axis=1).tolist())) == [*combinations(range(5), 3)]
    certificate = certify(tuples, n_items=5)
    assert (certificate.appearances_min, certificate.appearances_max) == (6, 6)
    assert (certificate.pair_count_min, certificate.pair_count_max) == (3, 3)


@pytest.mark.parametrize(
    ("n_items", "size", "factor"), [(5, 4, 1), (4, 4, 0.25), (2, 2, 0.5), (8, 8, 1 / 8), (3, 2, 1)]
)
def test_all_tuples_there_are_can_be_asked_for(n_items: int, size: int, factor: float) -> None:
    tuples = make_tuples(n_items, size=size, factor=factor, seed=1)

    everything = [*combinations(range(n_items), size)]
    assert sorted(map(tuple, np.sort(tuples, axis=1).tolist())) == everything


@pytest.mark.slow
@pytest.mark.parametrize(("n_items", "size"), [(n, k) for n in range(3, 9) for k in range(2, n)])
def test_every_number_of_tuples_of_a_small_pool_can_be_made(n_items: int, size: int) -> None:
    for n_tuples in range(1, math.comb(n_items, size) + 1, 3):
        tuples = make_tuples(n_items, size=size, factor=n_tuples / n_items, seed=n_tuples)

        certificate = certify(tuples, n_items=n_items)
        assert certificate.n_tuples == certificate.n_distinct_tuples == n_tuples
        assert certificate.appearances_max - certificate.appearances_min <= 1
        assert certificate.is_connected or n_tuples * (size - 1) < n_items - 1


def test_eighteen_of_twenty_tuples_leave_out_two_that_share_no_item() -> None:
    tuples = make_tuples(6, size=3, factor=3, seed=1)

    made = {frozenset(members) for members in tuples.tolist()}
    left_out = [set(c) for c in combinations(range(6), 3) if frozenset(c) not in made]
    assert len(left_out) == 2
    assert left_out[0].isdisjoint(left_out[1])


def test_the_least_number_of_tuples_that_can_connect_does() -> None:
    # 334 tuples of 4 hold 1,002 = n - 1 + 2 steps from item to item: two to spare.
    tuples = make_tuples(1001, size=4, factor=334 / 1001, seed=5)

    assert len(tuples) == 334
    assert components(tuples, n_items=1001).max() == 0


def test_a_request_for_too_few_tuples_to_connect_leaves_as_few_parts_as_can_be() -> None:
    tuples = make_tuples(12, size=4, factor=0.25, seed=5)

    assert np.sort(tuples.ravel()).tolist() == [*range(12)]
    assert components(tuples, n_items=12).max() + 1 == 3


@pytest.mark.parametrize(("n_items", "n_tuples"), [(5, 8), (7, 11), (9, 14), (10, 15)])
def test_a_factor_is_rounded_to_the_nearest_number_of_tuples_halves_up(
    n_items: int, n_tuples: int
) -> None:
    assert len(make_tuples(n_items, size=3, factor=1.5, seed=1)) == n_tuples


def test_the_seed_decides_everything() -> None:
    first = make_tuples(50, seed=7)

    np.testing.assert_array_equal(first, make_tuples(50, seed=7))
    assert not np.array_equal(first, make_tuples(50, seed=8))


def test_a_design_is_the_same_in_every_process() -> None:
    # Written down once: no hash order, no clock, no global state may enter.
    assert make_tuples(6, size=3, factor=1, seed=1).tolist() == FIRST_DESIGN


FIRST_DESIGN: list[list[int]] = [[2, 3, 5], [5, 0, 4], [1, 5, 2], [0, 2, 4], [4, 1, 3], [1, 3, 0]]


@pytest.mark.parametrize("n_items", [5, 13, 28, 60])
def test_the_stored_order_is_drawn(n_items: int) -> None:
    # An order that was left as made would be sorted, or start with the same item.
    chi_square = expected = 0.0
    for seed in range(20):
        tuples = make_tuples(n_items, size=3, factor=2, seed=seed)
        certificate = certify(tuples, n_items=n_items)
        chi_square += certificate.position_chi_square
        expected += certificate.position_chi_square_expected

    assert 0.7 < chi_square / expected < 1.3


def test_a_cyclic_design_does_not_show_its_circle() -> None:
    # 28 items need the cyclic construction. Numbered along the circle, a shift changes nothing.
    tuples = make_tuples(28, seed=1)

    made = set(map(tuple, np.sort(tuples, axis=1).tolist()))
    shifted = set(map(tuple, np.sort((tuples + 1) % 28, axis=1).tolist()))
    assert len(made & shifted) < 10


@pytest.mark.parametrize(
    ("n_items", "size", "factor", "message"),
    [
        (
            5,
            4,
            2,
            "5 items give only 5 distinct tuples of 4, but factor 2 asks for 10: use factor 1, "
            "or tuples of 3 (10 exist)",
        ),
        (
            4,
            4,
            2,
            "4 items give only 1 distinct tuple of 4, but factor 2 asks for 8: use factor 0.2",
        ),
        (3, 4, 2, "3 items cannot fill a tuple of 4: use tuples of at most 3, or add items"),
        (1, 2, 2, "1 item cannot fill a tuple of 2: add items"),
        (0, 4, 2, "0 items cannot fill a tuple of 4: add items"),
        (9, 1, 2, "tuples of 1 leave nothing to choose between: use a size of at least 2"),
        (9, 4, 0, "the factor must be a number above 0, but is 0: 2 is usual"),
        (9, 4, -1.5, "the factor must be a number above 0, but is -1.5: 2 is usual"),
        (9, 4, math.nan, "the factor must be a number above 0, but is nan: 2 is usual"),
        (9, 4, math.inf, "the factor must be a number above 0, but is inf: 2 is usual"),
        (
            9,
            4,
            0.01,
            "factor 0.01 asks for less than one tuple of 9 items: use a factor of at least 0.1",
        ),
        (
            1000,
            4,
            2000,
            "factor 2000 asks for 2,000,000 tuples, more than the 1,000,000 that are made at once:"
            " use a factor of at most 1000",
        ),
        (
            9,
            4,
            1e300,
            "9 items give only 126 distinct tuples of 4, but factor 1e+300 asks for 9e+300: "
            "use factor 14",
        ),
    ],
)
def test_an_impossible_request_is_refused_with_the_nearest_possible_one(
    n_items: int, size: int, factor: float, message: str
) -> None:
    with pytest.raises(ImpossibleDesignError) as refused:
        make_tuples(n_items, size=size, factor=factor, seed=1)

    assert str(refused.value) == message


@pytest.mark.parametrize("size", range(2, 9))
@pytest.mark.parametrize("factor", [0.5, 1, 1.5, 2, 2.25, 7, 100])
def test_the_smallest_pool_is_large_enough_and_no_smaller_pool_is(
    size: int, factor: float
) -> None:
    n_items = min_items(size, factor)

    assert count_tuples(n_items, size, factor) <= math.comb(n_items, size)
    assert n_items >= size
    if n_items > size:
        with pytest.raises(ImpossibleDesignError):
            count_tuples(n_items - 1, size, factor)


def test_the_smallest_pools_of_usual_designs() -> None:
    assert min_items(3, 2) == 5  # as in GiCCS: all ten tuples of five
    assert min_items(4, 2) == 6


@pytest.mark.parametrize(("size", "factor"), [(1, 2), (3, 0), (3, math.inf), (3, math.nan)])
def test_numbers_without_tuples_need_no_pool(size: int, factor: float) -> None:
    with pytest.raises(ValueError, match=f"no tuples of {size}"):
        min_items(size, factor)


@pytest.mark.parametrize(("n_items", "size"), [(4, 3), (5, 3), (9, 4), (3, 3)])
def test_the_largest_factor_gives_all_tuples(n_items: int, size: int) -> None:
    factor = float(max_factor(n_items, size))

    assert count_tuples(n_items, size, factor) == math.comb(n_items, size)


@pytest.mark.parametrize("n_items", range(3, 9))
def test_the_factor_that_a_refusal_names_works(n_items: int) -> None:
    for size in range(2, n_items + 1):
        with pytest.raises(ImpossibleDesignError) as refused:
            make_tuples(n_items, size=size, factor=60, seed=1)
        named = float(str(refused.value).split("use factor ")[1].split(",")[0])

        tuples = make_tuples(n_items, size=size, factor=named, seed=1)

        assert len(tuples) == math.comb(n_items, size)


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(ValueError, match="the seed must not be negative, but is -1"):
        make_tuples(9, seed=-1)


def test_the_limit_leaves_room_for_a_pool_of_a_hundred_thousand() -> None:
    assert MAX_TUPLES >= 2 * 100_000


def test_the_seed_of_a_pool_is_its_hash() -> None:
    # printf '1:d07' | sha256sum | cut -c 1-16
    assert pool_seed(1, "d07") == POOL_SEED
    assert pool_seed(1, 7) == pool_seed(1, "7")
    assert len({pool_seed(s, p) for s in range(20) for p in range(20)}) == 400


POOL_SEED = 0x21BE784689858B21
