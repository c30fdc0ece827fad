import json
import tracemalloc
from pathlib import Path

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import nominal_disagreement


def nominal_alpha(units: np.ndarray, values: np.ndarray) -> float:
    observed, expected = nominal_disagreement(units, values)
    return 1 - observed / expected


def long_format(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Units and values of a table of coders x units, nan where a value is missing."""
    coder, unit = np.nonzero(~np.isnan(table))
    return unit, table[coder, unit].astype(int)


def test_the_textbooks_table_with_gaps(shared_data: Path) -> None:
    examples = json.loads((shared_data / "statistics_examples.json").read_text())
    example = examples["krippendorff_alpha_3x15"]

    ours = nominal_alpha(*long_format(np.array(example["matrix_coders_x_units"], dtype=float)))

    assert ours == pytest.approx(example["alpha"]["nominal"], abs=1e-12)


@given(
    st.integers(2, 5).flatmap(
        lambda n_coders: st.lists(
            st.lists(st.sampled_from([np.nan, 0, 1, 2, 7]), min_size=n_coders, max_size=n_coders),
            min_size=1,
            max_size=10,
        )
    )
)
def test_agrees_with_the_krippendorff_package(rows: list[list[float]]) -> None:
    table = np.array(rows).T
    pairable = (~np.isnan(table)).sum(axis=0) >= 2
    if len(set(table[:, pairable][~np.isnan(table[:, pairable])])) < 2:
        return

    theirs = krippendorff.alpha(reliability_data=table, level_of_measurement="nominal")

    assert nominal_alpha(*long_format(table)) == pytest.approx(theirs, abs=1e-10)


def test_names_of_units_and_values_do_not_matter() -> None:
    units, values = np.array([0, 0, 1, 1, 1, 2]), np.array([3, 3, 1, 3, 1, 2])

    renamed = nominal_disagreement(10**12 - 7 * units, -values)

    assert renamed == pytest.approx(nominal_disagreement(units, values))


def test_nothing_to_pair_is_nan() -> None:
    for units in ([], [1, 2, 3]):
        disagreement = nominal_disagreement(np.array(units, dtype=int), np.array(units, dtype=int))
        assert np.isnan(disagreement).all()


def test_memory_grows_with_the_values_not_with_the_categories() -> None:
    rng = np.random.default_rng(1)
    n_units, n_items = 20_000, 10_000
    units = np.repeat(np.arange(n_units), 5)
    values = rng.integers(0, n_items, len(units))

    tracemalloc.start()
    nominal_disagreement(units, values)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    # units x categories alone would be 200 million cells
    assert peak < 50e6
