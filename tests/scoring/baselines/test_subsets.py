import numpy as np
import pytest

from scoring.baselines.expression import DescribedPair, compile_condition
from scoring.baselines.pairs import Pair
from scoring.baselines.subsets import (
    DEFINITIONS,
    by_condition,
    by_f1_zero,
    by_label,
    by_word_overlap,
    together,
)
from scoring.baselines.word_cuts import words_of


def listed(masks: dict[str, np.ndarray]) -> dict[str, list[int]]:
    assert all(mask.dtype == np.bool_ for mask in masks.values())
    return {name: np.flatnonzero(mask).tolist() for name, mask in masks.items()}


def test_each_label_makes_a_subset_and_no_label_the_last() -> None:
    masks = by_label("domain", ["sport", "", "news", "sport", None])

    assert listed(masks) == {"domain: news": [2], "domain: sport": [0, 3], "no domain": [1, 4]}


def test_labels_that_are_numbers_stand_in_their_order() -> None:
    assert list(by_label("turns", ["10", "3", "5"])) == ["turns: 3", "turns: 5", "turns: 10"]
    assert list(by_label("grade", ["x", "10", "2.5", "nan"])) == [
        "grade: 2.5",
        "grade: 10",
        "grade: nan",
        "grade: x",
    ]


def test_any_text_is_a_label() -> None:
    masks = by_label("answer", ["None", "nan", "false", "all", "0"])

    assert [name.removeprefix("answer: ") for name in masks] == [
        "0",
        "None",
        "all",
        "false",
        "nan",
    ]


def test_too_many_labels_are_refused() -> None:
    assert len(by_label("id", [str(i) for i in range(50)])) == 50
    with pytest.raises(ValueError, match="id has 51 different values, but at most 50 subsets"):
        by_label("id", [str(i) for i in range(51)])


@pytest.mark.parametrize(
    ("first", "second", "is_shared"),
    [
        ("The Übung began.", "no ÜBUNG", True),
        ("kitten", "kit ten", False),
        ("in 1999", "1999-2000", True),
        ("STRASSE", "Straße", True),
        # One letter with an accent, and a letter and an accent
        ("caf\N{LATIN SMALL LETTER E WITH ACUTE}", "cafe\N{COMBINING ACUTE ACCENT}", True),
        ("I don't", "can't", False),
        ("don’t", "don't", True),
        ("snake_case", "snake", True),
        ("!", "!", False),
        ("", "", False),
    ],
)
def test_items_by_whether_their_texts_share_a_word(
    first: str, second: str, *, is_shared: bool
) -> None:
    masks = by_word_overlap([Pair(first, second)])

    assert listed(masks) == {
        "no shared word": [0] * (not is_shared),
        "shared word": [0] * is_shared,
    }
    assert "apostrophe" in DEFINITIONS["word_overlap"]


def test_marks_belong_to_the_words_of_scripts_that_write_with_them() -> None:
    assert words_of("हिन्दी में") == {"हिन्दी", "में"}


def test_items_by_whether_f1_is_zero() -> None:
    masks = by_f1_zero([0.0, 0.5, np.nan, 1.0, 0.0])

    assert listed(masks) == {"f1_eq_0": [0, 4], "f1_ne_0": [1, 3]}


def test_items_by_a_condition() -> None:
    condition = compile_condition("has_digit(first)  and first != second")
    items = [DescribedPair("a1", "b", {}), DescribedPair("a", "b", {})]

    masks = by_condition(condition, condition.select(items))

    assert listed(masks) == {
        "has_digit(first) and first != second": [0],
        "not (has_digit(first) and first != second)": [1],
    }


def test_everything_comes_last() -> None:
    masks = together(by_label("domain", ["b", "a"]), by_f1_zero([0, 1]), n_items=2)

    assert listed(masks) == {
        "domain: a": [1],
        "domain: b": [0],
        "f1_eq_0": [0],
        "f1_ne_0": [1],
        "all": [0, 1],
    }
    assert listed(together(n_items=0)) == {"all": []}


def test_names_are_unique_and_not_too_many() -> None:
    half = by_f1_zero([0, 1])
    with pytest.raises(ValueError, match="two subsets are called 'f1_eq_0'"):
        together(half, half, n_items=2)
    with pytest.raises(ValueError, match="'all' is the name for all items"):
        together({"all": np.ones(2, dtype=bool)}, n_items=2)
    many = by_label("id", [str(i) for i in range(49)])
    with pytest.raises(ValueError, match="these are 51 subsets, but a report has at most 50"):
        together(many, by_f1_zero(np.arange(49)), n_items=49)
