"""Batches of ratings: drawn by hypothesis, simulated, and relabelled."""

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from scoring.ratings.ratings import Ratings


@st.composite
def rating_batches(draw: st.DrawFn, *, max_units: int = 5, scale: int = 4) -> Ratings:
    """Lopsided batches: any unit rated by any of four people, also again."""
    n_units = draw(st.integers(1, max_units))
    rows = draw(
        st.lists(
            st.tuples(
                st.integers(0, 3),
                st.integers(0, n_units - 1),
                st.integers(0, scale).map(lambda value: value / 2),
            ),
            max_size=16,
        )
    )
    annotator, unit, value = np.array(rows, dtype=np.float64).reshape(-1, 3).T
    return Ratings(
        annotator.astype(np.int64), unit.astype(np.int64), value, 4, n_units, low=0, high=scale / 2
    )


def simulated(
    *,
    n_units: int = 60,
    n_annotators: int = 12,
    per_unit: int = 5,
    bias: float = 0.0,
    noise: float = 1.0,
    seed: int = 1,
) -> Ratings:
    """Ratings from 0 to 6 in tenths, `per_unit` people for each unit, lopsided at the low end."""
    rng = np.random.default_rng(seed)
    latent = 6 * rng.beta(1, 2, size=n_units)
    level = bias * rng.normal(size=n_annotators)
    people = np.argsort(rng.random((n_units, n_annotators)), axis=1)[:, :per_unit].ravel()
    unit = np.repeat(np.arange(n_units), per_unit)
    value = latent[unit] + level[people] + noise * rng.normal(size=len(unit))
    value = np.clip(np.round(value, 1), 0, 6)
    return Ratings(people, unit, value, n_annotators, n_units, low=0, high=6, step=0.1)


def with_values(ratings: Ratings, value: np.ndarray) -> Ratings:
    """Other values of the same people and units, on no particular scale."""
    return Ratings(
        ratings.annotator,
        ratings.unit,
        value,
        ratings.n_annotators,
        ratings.n_units,
        order=ratings.order,
    )


def renumbered(ratings: Ratings, people: np.ndarray, units: np.ndarray) -> Ratings:
    """The same ratings with person i numbered people[i] and unit j numbered units[j]."""
    return Ratings(
        people[ratings.annotator],
        units[ratings.unit],
        ratings.value,
        ratings.n_annotators,
        ratings.n_units,
    )


def ratings_of_table(
    table: npt.ArrayLike, *, low: float | None = None, high: float | None = None
) -> Ratings:
    """A batch from a table of annotators x units, nan where a person did not rate a unit."""
    table = np.asarray(table, dtype=np.float64)
    annotator, unit = np.nonzero(~np.isnan(table))
    return Ratings(annotator, unit, table[annotator, unit], *table.shape, low=low, high=high)
