"""Square tables: labels that change, labels that are confused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import SquareTable

from scoring.labels.changes import (
    bowker_test,
    confusions,
    stuart_maxwell_test,
    together,
    transitions,
)
from scoring.labels.labels import Labels
from tests.scoring.label_batches import label_batches, labels_of_codes

# Stuart (1953, 1955): unaided distance vision of 7,477 women, right eye by left eye.
VISION = np.array(
    [[1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205], [36, 82, 179, 492]]
)


def test_the_vision_of_7477_women() -> None:
    bowker, stuart = bowker_test(VISION), stuart_maxwell_test(VISION)

    assert VISION.sum() == 7477
    assert (bowker.statistic, bowker.df) == (pytest.approx(19.11, abs=0.005), 6)
    assert (stuart.statistic, stuart.df) == (pytest.approx(11.96, abs=0.005), 3)
    assert bowker.p == pytest.approx(0.004, abs=0.0005)
    assert stuart.p == pytest.approx(0.0075, abs=0.0001)


def test_of_two_categories_both_are_mcnemars_test() -> None:
    # (10 - 4)^2 / 14
    table = np.array([[20, 10], [4, 7]])

    for test in (bowker_test(table), stuart_maxwell_test(table)):
        assert (test.statistic, test.df) == (pytest.approx(36 / 14), 1)


@settings(max_examples=40)
@given(st.lists(st.integers(1, 30), min_size=16, max_size=16))
def test_both_tests_are_those_of_statsmodels(cells: list[int]) -> None:
    table = np.array(cells).reshape(4, 4)
    known = SquareTable(table, shift_zeros=False)

    for found, one in (
        (bowker_test(table), known.symmetry()),
        (stuart_maxwell_test(table), known.homogeneity()),
    ):
        assert found.statistic == pytest.approx(one.statistic, rel=1e-9, abs=1e-9)
        assert found.p == pytest.approx(one.pvalue, rel=1e-6, abs=1e-9)


def test_pairs_of_categories_without_changes_are_left_out() -> None:
    table = np.array([[5, 3, 0], [1, 5, 0], [0, 0, 9]])

    bowker, stuart = bowker_test(table), stuart_maxwell_test(table)

    assert (bowker.statistic, bowker.df) == (1.0, 1)
    assert (stuart.statistic, stuart.df) == (pytest.approx(1.0), 1)


def test_what_cannot_be_tested_says_why() -> None:
    still = np.diag([3, 4])
    # Changes between the first two and between the last two, but none across.
    apart = np.array([[1, 2, 0, 0], [5, 1, 0, 0], [0, 0, 1, 3], [0, 0, 1, 1]])

    assert "nothing changed" in str(bowker_test(still).reason)
    assert "nothing changed" in str(stuart_maxwell_test(still).reason)
    assert "fall into groups without any changes" in str(stuart_maxwell_test(apart).reason)
    assert bowker_test(apart).reason is None
    with pytest.raises(ValueError, match="square"):
        bowker_test(np.ones((2, 3), dtype=int))


def test_transitions_count_units_with_a_label_on_both_sides() -> None:
    before = np.array([[1, 0], [1, 0], [0, 0], [0, 1]], dtype=bool)
    after = np.array([[1, 0], [0, 1], [0, 1], [0, 0]], dtype=bool)

    assert transitions(before, after).tolist() == [[1, 1], [0, 0]]
    with pytest.raises(ValueError, match="several categories"):
        transitions(np.ones((1, 2), dtype=bool), np.ones((1, 2), dtype=bool))
    with pytest.raises(ValueError, match="not the same units"):
        transitions(before, after[:2])


def test_confusions_by_hand() -> None:
    # Unit 0: one pair agrees on 0, two pairs are 0 and 2. Unit 1: 1 and 2.
    table = confusions(labels_of_codes([[0, 0, 2], [1, 2, -1]]))

    assert table.tolist() == [[1, 0, 2], [0, 0, 1], [2, 1, 0]]


@given(label_batches())
def test_confusions_hold_every_pair_of_people_once(labels: Labels) -> None:
    table = confusions(labels)
    n = labels.answers_per_unit()

    np.testing.assert_array_equal(table, table.T)
    assert np.triu(table).sum() == (n * (n - 1) // 2).sum()


def test_categories_of_one_answer() -> None:
    chosen = np.array([[1, 1, 0], [1, 0, 0], [1, 1, 1]], dtype=bool)
    labels = Labels([0, 1, 2], [0, 0, 0], chosen, 3, 1, is_several=True)

    assert together(labels).tolist() == [[3, 2, 1], [2, 2, 1], [1, 1, 1]]
    with pytest.raises(ValueError, match="confuse"):
        confusions(labels)
