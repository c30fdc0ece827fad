"""Ratings of a selection study by class and by set of pairs."""

import statistics

import numpy as np
import pytest

from scoring.ratings.selection_summary import rating_moments, summarise_selection

EXPECTED = {"similar": 6.0, "middle": 3.0, "dissimilar": 0.0}
CLASSES = ["similar", "middle", "dissimilar", "similar", "middle", "dissimilar", "middle"]
RATINGS = [5.0, 4.0, 2.0, 3.0, 3.0, 0.0, 0.0]


def summary(ratings=RATINGS, classes=CLASSES, **more):
    scale = {"low": 0.0, "high": 6.0, "step": 1.0}
    return summarise_selection(ratings, classes, **{"expected": EXPECTED, **scale, **more})


def test_classes_and_sets_by_hand() -> None:
    found = summary(selections={"odd": np.array([True, True, False, True, True, False, False])})

    middle = found.classes["middle"][0]
    assert (middle.n, middle.mean) == (3, pytest.approx(7 / 3))
    assert middle.variance == pytest.approx(statistics.variance([4, 3, 0]))
    # N1 keeps 5, 4, 3 and 0; N2 the 2 of dissimilar besides.
    assert {name: of.n for name, of in found.sets.items()} == {
        "raw": 7,
        "N2": 5,
        "N1": 4,
        "odd": 4,
    }
    assert found.sets["N1"].mean == 3
    assert found.sets["N2"].variance == pytest.approx(statistics.variance([5, 4, 2, 3, 0]))


def test_a_bar_stands_around_each_value_of_the_scale() -> None:
    found = summary()

    assert found.edges.tolist() == [-0.5, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5]
    assert found.counts.tolist() == [2, 0, 1, 2, 1, 1, 0]
    assert found.classes["similar"][1].tolist() == [0, 0, 0, 1, 0, 1, 0]


def test_a_fine_scale_has_bars_of_equal_width() -> None:
    found = summary([5.99, 0.05], ["similar", "dissimilar"], step=0.01)

    assert len(found.edges) == 21
    assert found.counts.tolist() == [1, *[0] * 18, 1]


def test_another_scale_has_other_expectations() -> None:
    expected = {"similar": 1.0, "middle": 0.0, "dissimilar": -1.0}

    found = summary([0.0, -1.0], ["similar", "middle"], expected=expected, low=-1.0, high=1.0)

    assert found.sets["N1"].n == 2
    assert found.sets["N2"].n == 2


def test_what_is_missing_says_why() -> None:
    nothing = summary([], []).as_dict()

    assert [one["reason"] for one in nothing["sets"]] == ["the class has no pairs"] * 3
    assert nothing["classes"][0]["mean"] is None
    one = rating_moments([2.0])
    assert (one.n, one.mean, one.reason) == (1, 2, "a single value has no variance")
    assert np.isnan(one.variance)


def test_a_class_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="pair 0 has class 'alike'"):
        summary([1.0], ["alike"])
