import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tuples import appearances, certify, components
from tuples.connection import join_components
from tuples.cyclic import cyclic_tuples


def test_what_is_just_enough_to_connect_is_used_up() -> None:
    # Three triangles can spare one side each, the single pair none: ten pairs, eleven items.
    triangles = [[a + i, a + (i + 1) % 3] for a in (0, 3, 6) for i in range(3)]
    tuples = np.array([*triangles, [9, 10]])

    joined = join_components(tuples, n_items=11)

    assert components(tuples, n_items=11).max() + 1 == 4
    assert components(joined, n_items=11).max() + 1 == 1
    np.testing.assert_array_equal(appearances(joined, n_items=11), appearances(tuples, n_items=11))


@given(
    st.lists(st.permutations(range(5)).map(lambda order: order[:3]), min_size=1, max_size=6),
    st.integers(1, 4),
)
@settings(max_examples=80, deadline=None, derandomize=True)
def test_joining_costs_nothing(part: list[list[int]], n_parts: int) -> None:
    distinct = np.unique(np.sort(np.array(part), axis=1), axis=0)
    tuples = np.concatenate([distinct + 5 * p for p in range(n_parts)])
    n_items = 5 * n_parts

    before = certify(tuples, n_items=n_items)
    after = certify(join_components(tuples, n_items=n_items), n_items=n_items)

    assert after.pair_sum_of_squares <= before.pair_sum_of_squares
    assert after.appearances_min == before.appearances_min
    assert after.appearances_max == before.appearances_max
    assert after.are_all_distinct
    # A tuple can spare what its component has beyond the k - 1 steps that each of its tuples adds.
    spare = len(tuples) * 2 - (n_items - before.n_components)
    never_shown = int((appearances(tuples, n_items=n_items) == 0).sum())
    joinable = before.n_components - never_shown
    assert after.n_components == never_shown + max(joinable - spare, 1)


@pytest.mark.parametrize("seed", range(12))
def test_base_tuples_that_are_shifts_of_one_another_do_not_pass(seed: int) -> None:
    # Two planes of seven points are asked for; often both are found to be the same one.
    rng = np.random.default_rng(seed)

    shifted = cyclic_tuples(7, size=3, n_bases=2, n_moves=5_000, rng=rng)

    assert shifted is not None
    certificate = certify(shifted, n_items=7)
    assert certificate.are_all_distinct
    assert (certificate.appearances_min, certificate.appearances_max) == (6, 6)
