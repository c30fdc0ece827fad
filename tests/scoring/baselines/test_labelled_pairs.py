"""What a set of labelled pairs holds: shares of labels, lengths, overlap; measures by label."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from scoring.baselines.labelled_pairs import describe_labelled_pairs, values_by_label
from scoring.baselines.lexical import lexical_values
from scoring.baselines.pairs import Pair

PAIRS = [
    Pair("in 1912", "1912"),
    Pair("a red house", "blue"),
    Pair("", "two words"),
    Pair("x", "x"),
]
LABELS = [2, 0, np.nan, 2]
F1 = [2 / 3, 0.0, 0.0, 1.0]


def test_labels_lengths_and_overlap_are_counted_by_subset() -> None:
    subsets = {"all": np.ones(4, dtype=bool), "first": np.array([True, True, False, False])}

    found = describe_labelled_pairs(PAIRS, LABELS, F1, subsets)

    of_all, first = found["all"], found["first"]
    assert (of_all.n, of_all.n_labelled) == (4, 3)
    assert [(one.label, one.n, one.share) for one in of_all.labels] == [
        (0.0, 1, pytest.approx(1 / 3)),
        (2.0, 2, pytest.approx(2 / 3)),
    ]
    assert (of_all.n_overlapping, of_all.n_without_overlap, of_all.share_overlapping) == (
        2,
        2,
        0.5,
    )
    # 7 + 11 + 0 + 1 and 4 + 4 + 9 + 1 characters; 2 + 3 + 0 + 1 and 1 + 1 + 2 + 1 words.
    assert of_all.characters == (19 / 4, 18 / 4, 37 / 8)
    assert of_all.words == (6 / 4, 5 / 4, 11 / 8)
    assert (first.n, first.n_labelled, first.labels[1].share) == (2, 2, 0.5)
    assert json.loads(json.dumps(of_all.as_dict()))["labels"][1]["n"] == 2


def test_an_empty_subset_has_no_shares_and_no_lengths() -> None:
    found = describe_labelled_pairs(PAIRS, LABELS, F1, {"none": np.zeros(4, dtype=bool)})["none"]

    assert (found.n, found.characters, found.words, found.share_overlapping) == (
        0,
        None,
        None,
        None,
    )
    assert [one.share for one in found.labels] == [None, None]


def test_labels_of_other_pairs_are_refused() -> None:
    with pytest.raises(ValueError, match="4 pairs have 3 labels and 4 values of F1"):
        describe_labelled_pairs(PAIRS, LABELS[:3], F1, {})


def test_a_measure_is_summarised_over_the_pairs_of_each_label() -> None:
    measure = [0.1, 0.5, 0.9, 0.3, np.nan, 0.7]
    labels = [0, 0, 0, 2, 2, np.nan]

    none, same = values_by_label(measure, labels)
    [missing] = values_by_label(measure, labels, values=[1])

    assert (none.n, none.mean, none.median, none.low, none.high) == (
        3,
        pytest.approx(0.5),
        0.5,
        0.1,
        0.9,
    )
    assert none.sd == pytest.approx(0.4)
    assert (none.first_quartile, none.third_quartile) == pytest.approx((0.3, 0.7))
    # Of a single value there is no standard deviation.
    assert (same.n, same.mean, same.sd) == (1, 0.3, None)
    assert (missing.n, missing.mean, missing.high) == (0, None, None)


def test_the_published_set_has_the_figures_of_table_1(shared_data: Path) -> None:
    with (shared_data / "answer_similarity" / "germanquad.csv").open(
        encoding="utf-8", newline=""
    ) as file:
        rows = list(csv.DictReader(file))
    pairs = [Pair(row["answer1"], row["answer2"]) for row in rows]
    labels = [float(row["label"] or "nan") for row in rows]
    f1 = lexical_values("squad_f1", pairs)

    found = describe_labelled_pairs(pairs, labels, f1, {"all": np.ones(len(pairs), dtype=bool)})[
        "all"
    ]

    # The paper prints 27.3, 51.5 and 21.1 % of 423 pairs, 124 of them with an F1 of 0.
    assert [100 * one.share for one in found.labels] == pytest.approx([27.3, 51.5, 21.1], abs=0.3)
    assert found.n_without_overlap == 124
