"""Labels counted: majority, mode, label, ties."""

import numpy as np
import pytest
from hypothesis import given

from scoring.labels.labels import Labels, count_labels
from tests.scoring.label_batches import label_batches, labels_of_codes, renamed, shuffled


def of_sets(*rows: tuple[int, int, set[int]], c: int = 3, is_several: bool = True) -> Labels:
    chosen = np.zeros((len(rows), c), dtype=bool)
    for j, (_person, _unit, names) in enumerate(rows):
        chosen[j, list(names)] = True
    person, unit = (np.array([row[n] for row in rows]) for n in (0, 1))
    return Labels(person, unit, chosen, 5, int(unit.max()) + 1, is_several=is_several)


def test_majority_mode_and_ties_by_hand() -> None:
    # Of unit 0 three of five say 1; of unit 1 two say 0, and one each 1 and 2; unit 2 is a tie;
    # nobody answered about unit 3.
    counts = count_labels(
        labels_of_codes(
            [
                [1, 1, 1, 0, 2],
                [0, 0, 1, 2, -1],
                [2, 0, -1, -1, -1],
                [-1, -1, -1, -1, -1],
            ]
        )
    )

    assert counts.counts.tolist() == [[1, 3, 1], [2, 1, 1], [1, 0, 1], [0, 0, 0]]
    assert counts.n.tolist() == [5, 4, 2, 0]
    # 2 of 4 is no more than half; 3 of 5 is.
    assert counts.majority.tolist() == [[False, True, False], *[[False] * 3] * 3]
    assert counts.mode.tolist() == [[False, True, False], [True, False, False], *[[False] * 3] * 2]
    assert counts.n_votes.tolist() == [3, 2, 1, 0]
    assert counts.is_tied.tolist() == [False, False, True, False]
    np.testing.assert_array_equal(counts.share, [0.6, 0.5, 0.5, np.nan])
    assert counts.label is counts.mode
    assert counts.without_label.tolist() == [2]


def test_of_several_categories_the_label_is_what_more_than_half_chose() -> None:
    counts = count_labels(
        of_sets(
            # Three different answers, but 0 and 1 are in two of three each.
            (0, 0, {0}),
            (1, 0, {0, 1}),
            (2, 0, {1, 2}),
            # The same answer twice, which is the mode, and also the label.
            (0, 1, {0, 2}),
            (1, 1, {0, 2}),
            (2, 1, {1}),
            # Two answers without anything in common.
            (0, 2, {0}),
            (1, 2, {1}),
        )
    )

    assert counts.label.tolist() == [[True, True, False], [True, False, True], [False] * 3]
    assert counts.is_tied.tolist() == [True, False, True]
    assert counts.mode.tolist() == [[False] * 3, [True, False, True], [False] * 3]
    assert counts.without_label.tolist() == [2]


@given(label_batches())
def test_a_majority_is_a_mode_and_no_tie(labels: Labels) -> None:
    counts = count_labels(labels)
    has_majority = counts.majority.any(axis=1)

    assert (counts.majority.sum(axis=1) <= 1).all()
    np.testing.assert_array_equal(counts.majority[has_majority], counts.mode[has_majority])
    assert not (has_majority & counts.is_tied).any()
    np.testing.assert_array_equal(counts.counts.sum(axis=1), counts.n)
    # Every unit with answers has a label, or is listed as one without.
    listed = np.isin(np.arange(labels.n_units), counts.without_label)
    np.testing.assert_array_equal(counts.has_label ^ listed, counts.n > 0)


@given(label_batches(is_several=True))
def test_neither_the_order_of_rows_nor_that_of_categories_matters(labels: Labels) -> None:
    counts = count_labels(labels)
    other = count_labels(renamed(shuffled(labels, 3), [2, 0, 1]))

    for name in ("counts", "majority", "mode", "label"):
        np.testing.assert_array_equal(getattr(counts, name)[:, [2, 0, 1]], getattr(other, name))
    np.testing.assert_array_equal(counts.is_tied, other.is_tied)


@given(label_batches(repeats=True))
def test_first_answers_are_one_for_each_person_and_unit(labels: Labels) -> None:
    first = labels.first_answers()
    earlier, later = labels.repeats()
    cells = set(zip(labels.annotator.tolist(), labels.unit.tolist(), strict=True))

    assert first.n_answers == len(cells)
    assert first.n_answers + len(later) == labels.n_answers
    assert (earlier < later).all()
    np.testing.assert_array_equal(labels.annotator[earlier], labels.annotator[later])
    np.testing.assert_array_equal(labels.unit[earlier], labels.unit[later])


def test_what_came_first_is_told_by_the_order_where_it_is_known() -> None:
    chosen = np.eye(2, dtype=bool)
    labels = Labels(np.zeros(2, int), np.zeros(2, int), chosen, 1, 1, order=np.array([5, 2]))

    assert labels.first_answers().chosen.tolist() == [[False, True]]
    assert [rows.tolist() for rows in labels.repeats()] == [[1], [0]]


def test_a_part_of_a_batch_counts_its_own_answers() -> None:
    labels = of_sets((0, 0, {0}), (1, 0, {1}), (2, 0, {1}))
    labels.distinct  # noqa: B018 - computed once for the whole

    assert count_labels(labels.of_rows(np.array([0]))).mode.tolist() == [[True, False, False]]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"chosen": np.zeros((2, 3), bool)}, "answer 0 names no category"),
        ({"chosen": np.ones((2, 3), bool)}, "answer 0 names 3 categories, but one is to be"),
        ({"chosen": np.eye(3, dtype=bool)[0]}, "not a row for each answer"),
        ({"unit": [0, 7]}, r"answer 1 has unit 7, but units are numbered 0..1"),
        ({"annotator": [0, -1]}, "answer 1 has annotator -1"),
        ({"unit": [0]}, r"unit has shape \(1,\), but there are 2 answers"),
        ({"annotator": [0.5, 1.0]}, "annotator must hold whole numbers"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_row(wrong: dict, said: str) -> None:
    right = {"annotator": [0, 1], "unit": [0, 1], "chosen": np.eye(3, dtype=bool)[:2]}

    with pytest.raises(ValueError, match=said):
        Labels(**{**right, **wrong}, n_annotators=2, n_units=2)
