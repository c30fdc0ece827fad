"""Batches of labels: drawn by hypothesis, and those of published examples."""

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from scoring.labels.labels import Labels

# Fleiss (1971), table 1: thirty patients, each diagnosed by six psychiatrists, as depression,
# personality disorder, schizophrenia, neurosis or something else.
FLEISS_1971 = np.array(
    [
        [0, 0, 0, 6, 0],
        [0, 3, 0, 0, 3],
        [0, 1, 4, 0, 1],
        [0, 0, 0, 0, 6],
        [0, 3, 0, 3, 0],
        [2, 0, 4, 0, 0],
        [0, 0, 4, 0, 2],
        [2, 0, 3, 1, 0],
        [2, 0, 0, 4, 0],
        [0, 0, 0, 0, 6],
        [1, 0, 0, 5, 0],
        [1, 1, 0, 4, 0],
        [0, 3, 3, 0, 0],
        [1, 0, 0, 5, 0],
        [0, 2, 0, 3, 1],
        [0, 0, 5, 0, 1],
        [3, 0, 0, 1, 2],
        [5, 1, 0, 0, 0],
        [0, 2, 0, 4, 0],
        [1, 0, 2, 0, 3],
        [0, 0, 0, 0, 6],
        [0, 1, 0, 5, 0],
        [0, 2, 0, 1, 3],
        [2, 0, 0, 4, 0],
        [1, 0, 0, 4, 1],
        [0, 5, 0, 1, 0],
        [4, 0, 0, 0, 2],
        [0, 2, 0, 4, 0],
        [1, 0, 5, 0, 0],
        [0, 0, 0, 0, 6],
    ]
)


def of_counts(counts: np.ndarray) -> Labels:
    """Answers of as many people as each unit needs; who they are does not matter."""
    unit, category = np.nonzero(counts)
    n = counts[unit, category]
    unit, category = np.repeat(unit, n), np.repeat(category, n)
    first = np.searchsorted(unit, unit)
    person = np.arange(len(unit)) - first
    chosen = np.eye(counts.shape[1], dtype=bool)[category]
    return Labels(person, unit, chosen, int(person.max()) + 1, len(counts))


@st.composite
def label_batches(
    draw: st.DrawFn, *, is_several: bool = False, repeats: bool = False, c: int = 3
) -> Labels:
    """Lopsided batches: any unit labelled by any of four people, also again where asked for."""
    n_units = draw(st.integers(1, 5))
    sets = st.sets(st.integers(0, c - 1), min_size=1, max_size=c if is_several else 1)
    rows = draw(
        st.lists(
            st.tuples(st.integers(0, 3), st.integers(0, n_units - 1), sets),
            max_size=16,
            unique_by=None if repeats else (lambda row: row[:2]),
        )
    )
    chosen = np.zeros((len(rows), c), dtype=bool)
    for j, (_person, _unit, names) in enumerate(rows):
        chosen[j, list(names)] = True
    return Labels(
        np.array([row[0] for row in rows], dtype=np.int64),
        np.array([row[1] for row in rows], dtype=np.int64),
        chosen,
        4,
        n_units,
        is_several=is_several,
    )


def shuffled(labels: Labels, seed: int) -> Labels:
    """The same answers in another order of rows."""
    return labels.of_rows(np.random.default_rng(seed).permutation(labels.n_answers))


def renamed(labels: Labels, categories: list[int]) -> Labels:
    """The categories in another order."""
    return Labels(
        labels.annotator,
        labels.unit,
        labels.chosen[:, categories],
        labels.n_annotators,
        labels.n_units,
        is_several=labels.is_several,
    )


def labels_of_codes(table: npt.ArrayLike, *, n_categories: int | None = None) -> Labels:
    """A batch of single categories from a table of units x people, -1 for no answer."""
    codes = np.asarray(table, dtype=np.int64)
    unit, annotator = np.nonzero(codes >= 0)
    c = n_categories or int(codes.max(initial=0)) + 1
    chosen = np.eye(c, dtype=np.bool_)[codes[unit, annotator]]
    return Labels(annotator, unit, chosen, codes.shape[1], codes.shape[0])
