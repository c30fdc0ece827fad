import json
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from scoring import (
    BestWorst,
    Summary,
    alpha,
    by_group,
    mean_over_cells,
    split_half,
    strong_agreement,
    summarise,
)
from scoring.rounding import rounded_text
from tests.scoring.batches import dialogue_tuples, random_clicking


def two_sources() -> tuple[BestWorst, list[str]]:
    """Twenty tuples with 0 to 5 answers, twelve from source A and eight from source B."""
    rng = np.random.default_rng(1)
    tuples = dialogue_tuples(2, rng=rng)
    answers = random_clicking(tuples, rng.integers(0, 6, len(tuples)), seed=1)
    return answers, ["B" if number % 5 > 2 else "A" for number in range(20)]


def ends(summary: Summary) -> list[float]:
    """Of every interval."""
    of_alpha = [interval for on in summary.alpha_intervals.values() for interval in on.values()]
    intervals = [summary.split_half["random"].interval, *of_alpha]
    return [end for interval in intervals for end in (interval.low, interval.high)]


def undefined_leaves(value: object, reasons: tuple[object, ...] = ()) -> list[tuple]:
    """Reasons given at or above each figure that is None."""
    if not isinstance(value, dict):
        return []
    reasons = (*reasons, value.get("reason"))
    figures = ("alpha", "share", "mean", "value", "unanimous_share", "mean_pairwise_agreement")
    found = [reasons for name in figures if name in value and value[name] is None]
    return found + [leaf for part in value.values() for leaf in undefined_leaves(part, reasons)]


def test_a_summary_is_the_statistics_of_the_batch() -> None:
    answers, _ = two_sources()

    summary = summarise(answers, n_splits=20, rng=np.random.default_rng(1))

    assert summary.n_judgments == answers.n_judgments
    assert summary.n_tuples + summary.n_unanswered == 20
    assert summary.n_unanswered == (answers.answers_per_tuple() == 0).sum() > 0
    assert summary.n_items == len(np.unique(answers.shown()))
    assert summary.n_annotators is None
    figures = summary.figures()
    assert figures["alpha.joint.slot"] == alpha(answers, on="joint", coding="slot").value
    assert figures["strong_agreement.worst"] == strong_agreement(answers, on="worst").share
    random_rng, _ = np.random.default_rng(1).spawn(2)
    halves = split_half(answers, rule="random", n_splits=20, rng=random_rng)
    assert figures["split_half.random.spearman"] == halves.spearman.mean


def test_intervals_stand_beside_their_values_where_they_were_asked_for() -> None:
    tuples = dialogue_tuples(8, rng=np.random.default_rng(1))
    answers = random_clicking(tuples, 4, seed=2)
    pool = np.arange(40) // 5

    without = summarise(answers, n_splits=2, rng=np.random.default_rng(1))
    summary = summarise(
        answers, n_splits=2, with_intervals=True, pool=pool, rng=np.random.default_rng(1)
    )

    assert without.alpha_intervals is None
    assert "interval" not in without.as_dict()["alpha"]["joint"]["slot"]
    assert "interval" not in without.as_dict()["split_half"]["random"]
    halves = summary.as_dict()["split_half"]
    interval = halves["random"].pop("interval")
    assert (interval["left_out"], interval["n_units"]) == ("pools", 8)
    assert interval["low"] < interval["high"]
    # The splits are those of a summary without intervals.
    assert halves == without.as_dict()["split_half"]
    for on, codings in summary.as_dict()["alpha"].items():
        for coding, figures in codings.items():
            interval = figures["interval"]
            assert (interval["left_out"], interval["n_units"]) == ("pools", 8)
            assert interval["low"] < figures["alpha"] < interval["high"], (on, coding)


def test_annotators_are_counted_where_known(published) -> None:
    summary = summarise(published.answers, n_splits=2, rng=np.random.default_rng(1))

    assert summary.n_annotators == 30


def test_every_statistic_names_its_definition() -> None:
    summary = summarise(two_sources()[0], n_splits=3, rng=np.random.default_rng(1)).as_dict()

    statistics = [
        *summary["split_half"].values(),
        *(part for codings in summary["alpha"].values() for part in codings.values()),
        *summary["strong_agreement"].values(),
    ]
    definitions = [statistic["definition"] for statistic in statistics]
    assert len(statistics) == 2 + 12 + 2
    assert len(set(definitions)) == len(definitions)


def test_every_single_figure_is_defined() -> None:
    summary = summarise(two_sources()[0], n_splits=3, rng=np.random.default_rng(1)).as_dict()

    assert {name for name in summary if name.startswith("n_")} == set(summary["definitions"])
    for strong in summary["strong_agreement"].values():
        said = {"definition", "definitions", "on", "reason"}
        assert strong.keys() - said == strong["definitions"].keys()
    for halves in summary["split_half"].values():
        assert halves["spearman"].keys() < halves["definitions"].keys()


@pytest.mark.parametrize("n_answers", [0, 1, 2, 3])
def test_the_dictionary_is_plain_json_and_what_is_missing_has_a_reason(n_answers: int) -> None:
    answers = random_clicking(np.array([[0, 1, 2], [1, 2, 3]]), n_answers, seed=2)

    summary = summarise(answers, n_splits=3, rng=np.random.default_rng(1)).as_dict()

    assert json.loads(json.dumps(summary, allow_nan=False)) == summary
    missing = undefined_leaves(summary)
    assert all(any(reasons) for reasons in missing)
    # Spearman-Brown of the fixed rule is missing always.
    assert len(missing) > (0 if n_answers == 3 else 1)


def test_nobody_has_answered_yet() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    answers = BestWorst(np.array([[0, 1]]), nothing, nothing, nothing, 2, annotator=nothing)

    summary = summarise(answers, n_splits=3, rng=np.random.default_rng(1))

    assert (summary.n_judgments, summary.n_tuples, summary.n_items) == (0, 0, 0)
    assert (summary.n_unanswered, summary.n_annotators) == (1, 0)
    assert all(np.isnan(figure) for figure in summary.figures().values())


@pytest.mark.parametrize("grouping", ["source_of_tuple", "cell_of_tuple"])
def test_groups_agree_with_other_peoples_program(grouping: str, published) -> None:
    n_splits = 400

    cells = by_group(
        published.answers,
        getattr(published, grouping),
        n_splits=n_splits,
        rng=np.random.default_rng(1),
    )

    assert len(cells) == {"source_of_tuple": 2, "cell_of_tuple": 4}[grouping]
    for label, summary in cells.items():
        expected = published.expected["split_half"]["groups_fixed"][label]
        halves = summary.split_half["fixed"]
        for name, over_splits in (("spearman", halves.spearman), ("pearson", halves.pearson)):
            error = expected[name]["sd"] / np.sqrt(n_splits)
            assert over_splits.mean == pytest.approx(expected[name]["mean"], abs=4 * error)


def test_groups_are_the_batch_cut_apart() -> None:
    answers, labels = two_sources()

    cells = by_group(answers, labels, n_splits=2, rng=np.random.default_rng(1))

    assert list(cells) == ["A", "B"]
    is_b = np.array(labels) == "B"
    only_b = answers.of_judgments(is_b[answers.tuple_number])
    b = cells["B"].alpha["best"]["uniform"]
    assert b.value == alpha(only_b, on="best", coding="uniform").value
    # Tuples of the other source are no unanswered tuples of this one.
    assert b.n_units + b.n_dropped == is_b.sum()
    assert sum(cell.n_judgments for cell in cells.values()) == answers.n_judgments


def test_a_cell_does_not_depend_on_the_answers_of_another() -> None:
    answers, labels = two_sources()
    is_a = (np.array(labels) == "A")[answers.tuple_number]
    without_one_of_a = answers.of_judgments(~is_a | (np.cumsum(is_a) > 1))

    one, other = (
        by_group(batch, labels, n_splits=4, rng=np.random.default_rng(1))["B"]
        for batch in (answers, without_one_of_a)
    )

    assert one.as_dict() == other.as_dict()


def test_a_group_has_the_figures_and_intervals_of_its_tuples_alone() -> None:
    # The first group has 8 of 12 pools, of which each item is shown; the other has too few.
    tuples = dialogue_tuples(12, rng=np.random.default_rng(1))
    answers = random_clicking(tuples, 4, seed=2)
    person = np.arange(answers.n_judgments) % 40
    answers = replace(answers, annotator=person)
    pool = np.arange(60) // 5
    labels = ["few" if pool[items[0]] % 3 == 1 else "many" for items in tuples]

    cells = by_group(
        answers, labels, n_splits=4, with_intervals=True, pool=pool, rng=np.random.default_rng(1)
    )

    # In alphabetical order, each draws from children of its own.
    rng = np.random.default_rng(1)
    for label, cell in cells.items():
        part = answers.of_tuples(np.array(labels) == label)
        alone = summarise(part, n_splits=4, with_intervals=True, pool=pool, rng=rng)
        # Sums over the items of all groups differ in their last digits.
        assert cell.figures() == pytest.approx(alone.figures(), abs=1e-12)
        assert ends(cell) == pytest.approx(ends(alone), abs=1e-9)
    assert cells["many"].n_pools == 8
    many, few = (
        (cells[label].split_half["random"].interval, cells[label].alpha_intervals)
        for label in ("many", "few")
    )
    assert many[0].over == many[1]["joint"]["slot"].over == "people and pools"
    assert many[1]["joint"]["slot"].reason is None
    # Four pools of 20 items leave out items and tuples instead.
    assert (few[0].over, few[1]["joint"]["slot"].over) == ("people and items", "people and tuples")
    assert by_group(answers, labels, n_splits=2, rng=rng)["many"].alpha_intervals is None


def test_means_over_cells_by_hand() -> None:
    # Cell "few": one tuple, answers 0 0 0: uniform alpha 1. Cell "many": two tuples, answers
    # 0 0 1 and 0 1 2: observed disagreement (2 + 3) / 6, uniform alpha 1 - 5/6 / (2/3) = -1/4.
    tuples = np.array([[0, 1, 2], [3, 4, 5], [6, 7, 8]])
    tuple_number = np.repeat(np.arange(3), 3)
    slots = np.array([0, 0, 0, 0, 0, 1, 0, 1, 2])
    best, worst = tuples[tuple_number, slots], tuples[tuple_number, (slots + 1) % 3]
    answers = BestWorst(tuples, tuple_number, best, worst, n_items=9)
    cells = by_group(answers, ["few", "many", "many"], n_splits=2, rng=np.random.default_rng(1))

    unweighted = mean_over_cells(cells)["alpha.best.uniform"]
    weighted = mean_over_cells(cells, weighting="judgments")["alpha.best.uniform"]

    assert unweighted.value == pytest.approx((1 - 1 / 4) / 2)
    assert weighted.value == pytest.approx((3 * 1 - 6 * 1 / 4) / 9)
    assert (unweighted.n_cells, unweighted.without) == (2, ())
    # The first cell has one slot only, where slot coding is undefined.
    by_slot = mean_over_cells(cells)["alpha.best.slot"]
    assert (by_slot.n_cells, by_slot.without) == (1, ("few",))
    assert by_slot.value == cells["many"].alpha["best"]["slot"].value


def test_a_figure_that_no_cell_has_says_so() -> None:
    answers, labels = two_sources()
    nothing = answers.of_judgments(np.zeros(answers.n_judgments, dtype=bool))
    cells = by_group(nothing, labels, n_splits=2, rng=np.random.default_rng(1))

    for weighting in ("cells", "judgments"):
        mean = mean_over_cells(cells, weighting=weighting)["alpha.joint.slot"].as_dict()
        assert mean["value"] is None
        assert mean["reason"] == "no group has a value"
        assert mean["without"] == ["A", "B"]


def test_wrong_groups_are_refused() -> None:
    answers, labels = two_sources()
    cells: dict[str, Summary] = {}

    with pytest.raises(ValueError, match="there are 19 labels for 20 tuples"):
        by_group(answers, labels[1:], rng=np.random.default_rng(1))
    with pytest.raises(ValueError, match="there are no cells to average over"):
        mean_over_cells(cells)
    with pytest.raises(ValueError, match="weighting must be one of cells, judgments, not 'n'"):
        mean_over_cells(cells, weighting="n")


def test_means_over_cells_at_a_half_are_printed_alike_in_any_order() -> None:
    # Of 40 tuples of each cell so many are agreed on: 37.5, 40, 42.5 and 35 %, on average 38.75 %.
    agreed = {"a": 15, "b": 16, "c": 17, "d": 14}
    labels = [name for name in agreed for _tuple in range(40)]
    tuples = np.arange(3 * len(labels)).reshape(-1, 3)
    tuple_number = np.repeat(np.arange(len(labels)), 3)
    slots = np.concatenate(
        [[0, 0, 0] if n < count else [0, 1, 2] for count in agreed.values() for n in range(40)]
    )
    answers = BestWorst(
        tuples,
        tuple_number,
        tuples[tuple_number, slots],
        tuples[tuple_number, (slots + 1) % 3],
        n_items=tuples.size,
    )
    cells = by_group(answers, labels, n_splits=2, rng=np.random.default_rng(1))

    printed = {
        rounded_text(mean.value, 1, times=100)
        for order in permutations(cells)
        for weighting in ("cells", "judgments")
        for mean in [
            mean_over_cells({name: cells[name] for name in order}, weighting=weighting)[
                "strong_agreement.best"
            ]
        ]
    }

    assert printed == {"38.8"}
