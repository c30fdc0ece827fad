"""All statistics of labels at once, and the command that prints them."""

import json

import numpy as np
import pytest

from scoring.labels.agreement import label_alpha
from scoring.labels.labels import Labels
from scoring.labels.summary import summarise_labels
from tests.scoring.commands import Run, json_of, refusal
from tests.scoring.label_batches import labels_of_codes

# Three people, four items; the first person labels the first item again.
TABLE = """\
annotator,unit,categories,note
ann,one,same,
ben,one,same,x
cy,one,related,
ann,two,other,
ben,two,other,
cy,two,other,
ann,three,same,
ben,three,related,
cy,three,other,
ann,one,related,
"""


def test_repeats_count_in_the_intra_annotator_part_only() -> None:
    codes = np.eye(2, dtype=bool)
    once = Labels([0, 1], [0, 0], codes[[0, 1]], 2, 1)
    again = Labels([0, 1, 0], [0, 0, 0], codes[[0, 1, 1]], 2, 1)

    without, with_repeat = summarise_labels(once).as_dict(), summarise_labels(again).as_dict()

    assert (with_repeat["n_answers"], with_repeat["n_repeats"]) == (3, 1)
    assert with_repeat["intra"]["n"] == 1
    for part in ("labels", "alpha", "fleiss", "pairwise", "categories", "others", "units"):
        assert with_repeat[part] == without[part]


def test_figures_of_each_category_are_of_naming_it_or_not() -> None:
    labels = labels_of_codes([[0, 0, 1], [1, 1, 2], [2, 2, 2], [0, 2, 2]])
    summary = summarise_labels(labels)

    named = labels.chosen[:, 2]
    of_third = Labels(labels.annotator, labels.unit, np.stack([named, ~named], axis=1), 3, 4)

    third = summary.categories[2]
    assert third.alpha.value == label_alpha(of_third, distance="nominal").value
    assert (third.n_answers, third.n_labels, third.share) == (6, 2, 0.5)
    assert third.alpha.interval is not None


def test_an_empty_batch_has_reasons_and_is_json() -> None:
    of = summarise_labels(Labels([], [], np.zeros((0, 2), bool), 0, 3)).as_dict()

    json.dumps(of, allow_nan=False)
    assert of["n_unanswered"] == 3
    for part in ("labels", "fleiss", "pairwise", "others"):
        assert of[part]["reason"] == "there are no answers"
    assert of["alpha"]["nominal"]["reason"] == "there are no answers"


def test_distances_of_sets_are_of_answers_with_several_categories_only() -> None:
    chosen = np.array([[1, 1], [1, 0]], dtype=bool)
    several = summarise_labels(Labels([0, 1], [0, 0], chosen, 2, 1, is_several=True)).as_dict()
    single = summarise_labels(labels_of_codes([[0, 1]])).as_dict()

    assert list(several["alpha"]) == ["nominal", "jaccard", "masi"]
    assert list(single["alpha"]) == ["nominal"]
    assert several["confusions"] is None
    assert single["together"] is None


def test_labels_prints_counts_and_agreement_by_name(command: Run) -> None:
    found = json_of(command("labels", table=TABLE))

    assert found["categories_named"] == ["same", "related", "other"]
    assert found["units_named"] == ["one", "two", "three"]
    assert (found["n_answers"], found["n_repeats"], found["n_units"]) == (10, 1, 3)
    # The repeat is not counted; the third item is a tie.
    assert found["units"]["counts"] == [[2, 1, 0], [0, 0, 3], [1, 1, 1]]
    assert found["units"]["label"] == [[0], [2], []]
    assert found["labels"]["n_without_label"] == 1
    assert (found["intra"]["n"], found["intra"]["share"]) == (1, 0.0)


def test_labels_takes_categories_in_their_order_and_those_that_nobody_chose(command: Run) -> None:
    found = json_of(
        command("labels", "--categories", "none of it|other|related|same", table=TABLE)
    )

    assert found["categories_named"][0] == "none of it"
    assert found["categories"][0]["n_answers"] == 0
    assert found["units"]["counts"][1] == [0, 3, 0, 0]


def test_labels_reads_several_categories_in_one_cell(command: Run) -> None:
    table = TABLE.replace("ben,one,same,x", "ben,one,same|related,x")

    found = json_of(command("labels", "--several", table=table))
    said = refusal(command("labels", table=table))

    assert found["units"]["counts"][0] == [2, 2, 0]
    assert found["alpha"]["masi"]["alpha"] is not None
    assert "line 3: 'same|related'" in said
    assert "--several" in said


def test_labels_leaves_out_the_pools_that_the_table_names(command: Run) -> None:
    rows = [
        f"{name},item {n},{('same', 'related', 'other')[(n + (name == 'ann')) % 3]},pool {n % 6}"
        for n in range(12)
        for name in ("ann", "ben", "cy")
    ]
    table = "\n".join(["annotator,unit,categories,pool", *rows])

    found = json_of(command("labels", table=table))

    assert found["alpha"]["nominal"]["interval"]["over"] == "pools"


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("ben,one,same", "ben,one,", "line 3: categories is empty"),
        ("ben,one,same", "ben,one,same|same", "line 3: 'same' is named twice"),
        ("ben,one,same", "ben,one,same|", "line 3: a category without a name"),
        ("ben,one,same", ",one,same", "line 3: annotator is empty"),
        ("unit,categories", "item,categories", "line 1: no column 'unit'"),
    ],
)
def test_labels_refuses_what_it_cannot_read_by_line(
    command: Run, before: str, after: str, said: str
) -> None:
    refused = refusal(command("labels", "--several", table=TABLE.replace(before, after)))

    assert refused.startswith(said)


def test_labels_refuses_a_category_that_is_not_named(command: Run) -> None:
    assert refusal(command("labels", "--categories", "same|other", table=TABLE)) == (
        "line 4: 'related' is not one of the categories same, other"
    )
    assert "the same name twice" in refusal(command("labels", "--categories", "a|a", table=TABLE))
