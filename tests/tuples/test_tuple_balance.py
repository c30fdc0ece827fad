import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tuples import (
    appearances,
    certify,
    components,
    make_tuples,
    pair_counts,
    position_counts,
    sum_of_squares_bound,
    sum_of_squares_bound_for,
)

# Lopsided on purpose: item 0 is in all tuples, item 5 in none, the pair 0-1 in three.
LOPSIDED = np.array([[0, 1, 2], [1, 0, 3], [4, 1, 0], [0, 2, 4]])


@st.composite
def any_tuples(draw: st.DrawFn) -> tuple[np.ndarray, int]:
    n_items = draw(st.integers(2, 9))
    size = draw(st.integers(2, n_items))
    members = st.permutations(range(n_items)).map(lambda order: order[:size])
    return np.array(draw(st.lists(members, min_size=1, max_size=12))), n_items


def test_appearances_count_tuples() -> None:
    assert appearances(LOPSIDED, n_items=6).tolist() == [4, 3, 2, 1, 2, 0]


def test_pairs_count_whichever_item_comes_first() -> None:
    pairs, counts = pair_counts(LOPSIDED, n_items=6)

    assert dict(zip(map(tuple, pairs.tolist()), counts.tolist(), strict=True)) == {
        (0, 1): 3,
        (0, 2): 2,
        (0, 3): 1,
        (0, 4): 2,
        (1, 2): 1,
        (1, 3): 1,
        (1, 4): 1,
        (2, 4): 1,
    }


def test_positions_count_the_stored_order() -> None:
    assert position_counts(LOPSIDED, n_items=6).tolist() == [
        [2, 1, 1],
        [1, 2, 0],
        [0, 1, 1],
        [0, 0, 1],
        [1, 0, 1],
        [0, 0, 0],
    ]


def test_components_are_what_chains_of_tuples_reach() -> None:
    tuples = np.array([[6, 2], [0, 3], [3, 2], [5, 4]])

    assert components(tuples, n_items=8).tolist() == [0, 1, 0, 0, 2, 2, 0, 3]


@given(any_tuples())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_the_certificate_agrees_with_counting_in_a_square_table(
    data: tuple[np.ndarray, int],
) -> None:
    tuples, n_items = data
    table = np.zeros((n_items, n_items), dtype=int)
    for members in tuples:
        table[np.ix_(members, members)] += 1
    reached = np.linalg.matrix_power((table + np.eye(n_items, dtype=int) > 0).astype(int), 9) > 0
    counts = table[np.triu_indices(n_items, k=1)]

    certificate = certify(tuples, n_items=n_items)

    assert certificate.appearances_min == table.diagonal().min()
    assert certificate.appearances_max == table.diagonal().max()
    assert certificate.pair_count_min == counts.min()
    assert certificate.pair_count_max == counts.max()
    assert certificate.pair_sum_of_squares == (counts**2).sum()
    assert certificate.n_pairs_repeated == (counts > np.ceil(counts.mean())).sum()
    assert certificate.n_components == len(np.unique(reached, axis=0))
    assert certificate.n_distinct_tuples == len({frozenset(m) for m in tuples.tolist()})
    if n_items > 2:
        assert certificate.pair_count_sd == pytest.approx(counts.std(ddof=1))


@given(any_tuples())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_no_design_gets_below_its_bounds(data: tuple[np.ndarray, int]) -> None:
    tuples, n_items = data

    certificate = certify(tuples, n_items=n_items)

    assert certificate.pair_sum_of_squares >= certificate.pair_sum_of_squares_bound_here
    assert certificate.pair_sum_of_squares_bound_here >= certificate.pair_sum_of_squares_bound


@given(any_tuples(), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None, derandomize=True)
def test_neither_the_numbers_nor_the_order_of_tuples_matter(
    data: tuple[np.ndarray, int], random: object
) -> None:
    tuples, n_items = data
    numbers = np.arange(n_items)
    random.shuffle(numbers)  # type: ignore[attr-defined]

    renumbered = certify(numbers[tuples][::-1], n_items=n_items).as_dict()

    for name, value in certify(tuples, n_items=n_items).as_dict().items():
        assert renumbered[name] == pytest.approx(value), name


@pytest.mark.parametrize(
    ("n_items", "published"), [(100, 0.428593), (1000, 0.153124), (5000, 0.069122)]
)
def test_the_bound_of_the_standard_deviation_is_the_known_one(
    n_items: int, published: float
) -> None:
    certificate = certify(make_tuples(n_items, seed=1), n_items=n_items)

    assert certificate.pair_count_sd_bound == pytest.approx(published, abs=5e-7)
    assert certificate.pair_count_sd == certificate.pair_count_sd_bound


def test_the_bound_spreads_pairs_as_whole_numbers() -> None:
    # 7 tuples of 3 show 21 pairs, each of seven items' 21 once; an eighth gives three a second.
    assert sum_of_squares_bound(7, 3, 7) == 21
    assert sum_of_squares_bound(7, 3, 8) == 18 + 3 * 4
    assert sum_of_squares_bound(7, 3, 0) == 0


def test_the_appearances_may_force_more_than_the_bound() -> None:
    # Three tuples of 3 on five items: 9 pairs of 10, but whoever is shown twice meets 4 others.
    counts = np.array([3, 2, 2, 1, 1])

    assert sum_of_squares_bound(5, 3, 3) == 9
    # (6 in 4 places: 1+1+4+4) + twice (4 in 4: 4) + twice (2 in 4: 2) = 22, half of it 11
    assert sum_of_squares_bound_for(counts, size=3) == 11


@pytest.mark.parametrize("count", [appearances, pair_counts, position_counts, certify])
@pytest.mark.parametrize(
    ("tuples", "message"),
    [
        ([[0, 1, 2], [3, 1, 3]], "tuple 1 shows an item twice"),
        ([[0, 1, 2], [3, 1, 5]], r"tuple 1, \[3, 1, 5\], shows an item outside 0..4"),
        ([[0, -1, 2]], r"tuple 0, \[0, -1, 2\], shows an item outside 0..4"),
        ([[0], [1]], r"tuples must have the shape \(t, k\) with t >= 1 and k >= 2, not \(2, 1\)"),
    ],
)
def test_what_is_no_tuple_is_refused(count: object, tuples: list[list[int]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        count(np.array(tuples), n_items=5)  # type: ignore[operator]
