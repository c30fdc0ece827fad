"""Alpha without some of its values is alpha of the others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.best_worst.agreement import nominal_disagreement
from scoring.left_out_alpha import UnitCells


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Units of two to six values in up to four categories, and a group of each value."""
    sizes = draw(st.lists(st.integers(2, 6), min_size=1, max_size=6))
    units = np.repeat(np.arange(len(sizes)), sizes)
    n, n_groups = len(units), draw(st.integers(1, 5))
    values, group = (
        np.array(draw(st.lists(st.integers(0, top), min_size=n, max_size=n)))
        for top in (3, n_groups - 1)
    )
    in_order = np.array(draw(st.permutations(range(n))))
    return units[in_order], 7 * values, group, n_groups


@given(tables(), st.sampled_from([None, 0.6]))
def test_it_is_computed_anew_of_what_is_left(
    table: tuple[np.ndarray, np.ndarray, np.ndarray, int], expected: float | None
) -> None:
    units, values, group, n_groups = table

    cells = UnitCells(units, values)
    by_chance = cells.margins(values) if expected is None else expected
    without = cells.without(group, n_groups=n_groups).alpha(by_chance)

    def anew(is_left: np.ndarray) -> float:
        observed, by_chance = nominal_disagreement(units[is_left], values[is_left])
        by_chance = by_chance if expected is None else expected
        return 1 - observed / by_chance if by_chance and not np.isnan(observed) else np.nan

    assert without.shape == (n_groups,)
    for left_out, value in enumerate(without):
        assert value == pytest.approx(anew(group != left_out), abs=1e-12, nan_ok=True)
