"""The stored result of a rating study: what it says, and what never enters it."""

import numpy as np
import pytest

from annotation.core.queries import counted_answers
from annotation.kinds.rating.queries.answers import item_table, read_ratings
from annotation.models import Item
from tests.support.rated_studies import FREE, add_context, make_rated
from tests.support.scored_ratings import score, small

pytestmark = pytest.mark.django_db


def test_arrays_have_the_ratings_of_each_phase_in_the_order_of_its_screens() -> None:
    rated = small()

    read = read_ratings(rated.study, "people")

    free, dependent = read.phases
    assert read.items.keys == ["none", "all", "a", "b", "c", "d"]
    assert free.main.value.tolist() == [1, 5, 3, 0, 2, 4, 3, 0]
    assert free.main.unit.tolist() == [2, 3, 4, 5] * 2
    # After the two of the calibration block.
    assert free.main.order is not None
    assert free.main.order.tolist() == [2, 3, 4, 5] * 2
    assert free.main.thinking_ms is not None
    assert set(free.main.thinking_ms) == {10_000}
    assert dependent.all.n_ratings == 12
    assert dependent.is_asked.tolist() == [False, False, True, True, True, True]
    assert read.basis == counted_answers.basis(rated.study, "people")
    assert [p.pk for p in rated.people] == read.annotator_pks


def test_a_phase_has_the_statistics_of_its_main_block() -> None:
    result = score(small().study)

    phase = result.statistics["phases"][0]
    summary = phase["summary"]
    assert (result.kind, result.n_judgments) == ("rating", 24)
    assert (phase["number"], phase["condition"]) == (1, FREE)
    assert (summary["n_ratings"], summary["n_units"], summary["n_annotators"]) == (8, 4, 2)
    # Means 1.5, 4.5, 3 and 0; each against the mean of both and of the other.
    assert summary["distribution"]["mean"] == pytest.approx(2.25)
    assert summary["inter_annotator"]["with_itself"]["mse"] == pytest.approx(4 * 0.25 / 8)
    assert summary["inter_annotator"]["without_itself"]["mse"] == pytest.approx(4 * 1 / 8)
    # Variances .5, .5, 0, 0 of two ratings each.
    assert summary["error_bound"]["unbiased"]["value"] == pytest.approx(1 / 8)
    assert summary["error_bound"]["paper"]["value"] is None
    assert summary["error_bound"]["paper"]["reason"] == "no item has four ratings"
    # Nothing that belongs to one person or one item is stored.
    assert not {"scores", "corrected", "annotators"} & summary.keys()
    assert "values" not in summary["raters"]["pearson"]


def test_calibration_is_compared_with_what_is_expected() -> None:
    free, dependent = (p["calibration"] for p in score(small().study).statistics["phases"])

    # Deviations 1, 0, 2, -3.
    assert (free["n"], free["mean_deviation"], free["mean_absolute_deviation"]) == (4, 0.0, 1.5)
    assert free["rmse"] == pytest.approx((14 / 4) ** 0.5)
    assert free["items"][0] == {
        "item": "none",
        "expected": 0.0,
        "n": 2,
        "mean": 1.5,
        "sd": pytest.approx(0.5**0.5),
    }
    assert dependent["rmse"] == 0.0


def test_the_effect_of_context_is_tested_in_both_ways() -> None:
    context = score(small().study).statistics["context"]

    pooled, paired = context["tests"]["pooled"], context["tests"]["paired"]
    # Gains 2.5, 1, 1 and 0.
    assert pooled["gains"]["mean"] == pytest.approx(1.125)
    # c and d: both conditions' ratings are all equal.
    assert (pooled["n_pairs"], pooled["n_tested"]) == (4, 2)
    assert pooled["untested"] == [
        {
            "reason": ("all ratings of each condition are equal, so the error variance is 0"),
            "n": 2,
        }
    ]
    # Differences 2 and 3 of a, 0 and 2 of b; of c both 1, of d both 0.
    assert paired["n_tested"] == 2
    assert context["n_people_of_both"] == 2
    assert "p" not in paired


def test_gains_on_a_wide_scale_are_drawn_in_wide_bars() -> None:
    wide = {"low": "0", "high": "100", "step": "1"}
    rated = make_rated(["a", "b"], scale=wide)
    for shift in (0, 1):
        rated.answer({"a": 0, "b": 50 + shift}, {"a": 100, "b": 50})

    gains = score(rated.study).statistics["context"]["tests"]["pooled"]["gains"]

    assert len(gains["histogram"]["counts"]) == 25
    assert sum(gains["histogram"]["counts"]) == 2


def test_the_gap_is_counted_from_completion_to_the_first_screen_of_the_next_phase() -> None:
    waiting = score(small().study).statistics["waiting"]

    assert [(w["from"], w["to"], w["delay_hours"], w["n"]) for w in waiting] == [(1, 2, 72.0, 2)]
    assert (waiting[0]["min"], waiting[0]["max"]) == (72.0, 96.0)
    assert sum(waiting[0]["histogram"]["counts"]) == 2


def test_what_cannot_be_computed_says_why() -> None:
    rated = make_rated(conditions=(FREE,))
    rated.answer({"a": 1, "b": 2})

    statistics = score(rated.study).statistics

    phase = statistics["phases"][0]
    assert statistics["context"]["reason"] == (
        "the design lacks a phase without context or a phase in context"
    )
    assert statistics["waiting"] == []
    assert statistics["diagonal"]["reason"].startswith("no item has an earlier rating and a class")
    assert phase["calibration"]["reason"] == "there are no ratings of a calibration block"
    assert phase["earlier_rating"]["reason"] == "no item has an earlier rating"
    assert phase["by_class"]["reason"] == "no item has an intended class"
    assert phase["repeats"]["earlier_round"]["reason"] == (
        "nobody rated an item of the earlier round again"
    )


def test_without_any_rating_everything_says_why() -> None:
    statistics = score(make_rated(calibration={"none": 0}).study).statistics

    assert statistics["phases"][0]["aggregates"]["reason"] == "there are no ratings"
    assert statistics["waiting"][0]["reason"] == "nobody has completed both phases yet"
    assert statistics["context"]["tests"]["pooled"]["reason"] is not None


def test_ratings_by_class_and_the_diagonal_filter_use_the_earlier_round() -> None:
    items = [
        {"key": "a", "intended_class": "similar", "earlier_rating": 6},
        {"key": "b", "intended_class": "similar", "earlier_rating": 4},
        {"key": "c", "intended_class": "middle", "earlier_rating": 3},
        {"key": "d", "intended_class": "dissimilar", "earlier_rating": 3},
    ]
    rated = make_rated(items)
    for shift in (0, 1):
        rated.answer(
            {"a": 5 + shift, "b": 4, "c": 2 + shift, "d": 1},
            {"a": 5, "b": 5, "c": 3, "d": 0 + shift},
        )

    statistics = score(rated.study).statistics

    classes = statistics["phases"][0]["by_class"]["classes"]
    # 5.5 and 4; 2.5; 1.
    assert {name: statistics["mean"] for name, statistics in classes.items()} == {
        "similar": 4.75,
        "middle": 2.5,
        "dissimilar": 1.0,
    }
    n_kept = [limit["n_kept"] for limit in statistics["diagonal"]["limits"]]
    # a and c are where they were meant to be; b is 2 below.
    assert n_kept == [2, 3]
    rows = {row["name"]: row for row in statistics["selected"]}
    assert [rows[name]["n"] for name in ("all", "N1", "N2")] == [4, 2, 3]
    assert rows["all"]["partial"]["n"] == 4
    assert rows["N2"]["control"]["n_selected"] == 3
    beside = statistics["phases"][0]["earlier_rating"]
    expected = np.corrcoef([5.5, 4, 2.5, 1], [6, 4, 3, 3])[0, 1]
    assert beside["pearson"] == pytest.approx(expected)


def test_each_set_has_its_correlations_with_the_first_round_and_its_moments() -> None:
    ratings = {"a": (6, 5, 5), "b": (4, 4, 3), "c": (3, 2, 4), "d": (0, 1, 1), "e": (3, 0, 2)}
    classes = dict(
        zip("abcde", ("similar", "similar", "middle", *["dissimilar"] * 2), strict=True)
    )
    rated = make_rated(
        [
            {"key": k, "intended_class": classes[k], "earlier_rating": values[0]}
            for k, values in ratings.items()
        ]
    )
    for _person in range(2):
        rated.answer(
            {k: values[1] for k, values in ratings.items()},
            {k: values[2] for k, values in ratings.items()},
        )

    rows = {row["name"]: row for row in score(rated.study).statistics["selected"]}

    for name, keys in (("all", "abcde"), ("N2", "abcd"), ("N1", "acd")):
        first, free, dependent = np.array([ratings[k] for k in keys], dtype=float).T
        row = rows[name]
        for side, scores in (("free", free), ("dependent", dependent)):
            correlation = row[f"first_x_{side}"]
            assert (correlation["n"], correlation["reason"]) == (len(keys), None)
            assert correlation["pearson"] == pytest.approx(np.corrcoef(first, scores)[0, 1])
            assert (correlation["control"] is None) == (name == "all")
        assert row["moments"]["first"] == {
            "n": len(keys),
            "mean": pytest.approx(first.mean()),
            "variance": pytest.approx(first.var(ddof=1)),
            "reason": None,
        }
        assert row["moments"]["dependent"]["variance"] == pytest.approx(dependent.var(ddof=1))
    control = rows["N1"]["first_x_free"]["control"]
    assert (control["n_selected"], control["n"], control["n_subsets"]) == (3, 5, 1000)


def test_items_of_a_third_round_know_what_the_first_one_said() -> None:
    second = make_rated(
        [{"key": "a", "earlier_rating": 6}, {"key": "b", "earlier_rating": 1}, "c"],
        conditions=(FREE,),
    )
    third = make_rated(
        [
            {"key": key, "earlier_rating": 4, "derived_from": item, "intended_class": "similar"}
            for key, item in second.items.items()
        ]
    )
    third.answer({"a": 5, "b": 2, "c": 3}, {"a": 5, "b": 1, "c": 3})

    table = item_table(third.study)
    statistics = score(third.study).statistics

    assert table.earlier.tolist() == [4, 4, 4]
    # Nobody rated c before the second round, which is then the first.
    assert table.first.tolist() == [6, 1, 4]
    # The filters and the correlations are of the first round; the round before is beside it.
    assert [limit["n_kept"] for limit in statistics["diagonal"]["limits"]] == [1, 2]
    every = statistics["selected"][0]
    assert every["moments"]["first"]["mean"] == pytest.approx(11 / 3)
    expected = np.corrcoef([6, 1, 4], [5, 2, 3])[0, 1]
    assert every["first_x_free"]["pearson"] == pytest.approx(expected)
    assert statistics["phases"][0]["earlier_rating"]["pearson"] is None


def test_both_curves_stand_beside_the_first_round_where_one_person_rated_each_item() -> None:
    rated = make_rated(
        [{"key": key, "earlier_rating": n} for n, key in enumerate("abc")], conditions=(FREE,)
    )
    rated.answer({"a": 1, "b": 1, "c": 4}, seconds=3)

    [phase] = score(rated.study).statistics["phases"]

    assert phase["practice"]["reason"]
    by_time = phase["beside_first_round"]["error_by_thinking_time"]
    assert (by_time["start"], by_time["n"]) == ([3.0], [3])
    assert by_time["rmse"][0] == pytest.approx(((1 + 0 + 4) / 3) ** 0.5)
    assert phase["beside_first_round"]["practice"]["n"] == [1, 1, 1]


def test_without_earlier_ratings_nothing_stands_beside_a_first_round() -> None:
    assert score(small().study).statistics["phases"][0]["beside_first_round"] is None


def test_the_gains_of_the_significant_items_have_figures_of_their_own() -> None:
    rated = make_rated()
    for shift in (0, 1, 0):
        rated.answer(
            {"a": shift, "b": 3, "c": 2 + shift, "d": 5}, {"a": 5, "b": 3, "c": 2, "d": 0}
        )

    pooled = score(rated.study).statistics["context"]["tests"]["pooled"]

    # a alone: b and d have no spread to test with, and c has no effect to speak of.
    gain = 5 - 1 / 3
    assert pooled["n_below"] == 1
    assert pooled["significant_gains"]["n"] == 1
    assert pooled["significant_gains"]["mean"] == pytest.approx(gain)
    assert pooled["significant_gains"]["histogram"]["counts"] == [1]
    assert pooled["significant_gains"]["sd"] is None
    assert pooled["gains"]["n"] == 4


def test_two_items_have_no_correlation_but_a_reason() -> None:
    items = [
        {"key": "a", "intended_class": "similar", "earlier_rating": 6},
        {"key": "b", "intended_class": "dissimilar", "earlier_rating": 0},
    ]
    rated = make_rated(items)
    rated.answer({"a": 5, "b": 1}, {"a": 6, "b": 0})

    statistics = score(rated.study).statistics

    every = statistics["selected"][0]
    assert (every["n"], every["pearson"], every["spearman"]) == (2, None, None)
    assert every["reason"] == "fewer than three items have a score in both phases"
    assert [row["control"] for row in statistics["selected"]] == [None] * 5
    beside = statistics["phases"][0]["earlier_rating"]
    assert (beside["n"], beside["pearson"]) == (2, None)
    assert beside["reason"] == "fewer than three items have both a score and an earlier rating"


def test_domains_and_sources_of_the_contexts_split_the_scores() -> None:
    rated = make_rated(["a", "b", "c"])
    for key, domain in (("a", "floods"), ("b", "fires"), ("c", "fires")):
        turns = add_context(rated.study, f"of {key}", ["One.", "Two."], domain=domain)
        Item.objects.filter(pk=rated.items[key].pk).update(target_text=None, target_turn=turns[1])
    rated.answer({"a": 1, "b": 2, "c": 5}, {"a": 1, "b": 2, "c": 5})

    by = score(rated.study).statistics["phases"][0]["by"]

    assert list(by) == ["domain"]
    assert by["domain"]["classes"]["fires"]["mean"] == 3.5
    assert by["domain"]["classes"]["floods"]["n"] == 1


def test_domains_of_pairs_without_context_split_the_scores_as_well() -> None:
    items = [
        {"key": "a", "metadata": {"domain": "floods", "source": 3}},
        {"key": "b", "metadata": {"domain": " fires "}},
        {"key": "c", "metadata": {"domain": "fires", "source": ["not", "a", "label"]}},
    ]
    rated = make_rated(items, conditions=(FREE,))
    rated.answer({"a": 1, "b": 2, "c": 5})

    by = score(rated.study).statistics["phases"][0]["by"]

    assert by["domain"]["classes"]["fires"]["mean"] == 3.5
    assert by["domain"]["classes"]["floods"]["n"] == 1
    assert list(by["source"]["classes"]) == ["3"]
    assert by["source"]["n_without_class"] == 2


def test_what_a_context_says_goes_before_what_the_item_says() -> None:
    rated = make_rated([{"key": "a", "metadata": {"domain": "mine", "source": "mine"}}])
    turns = add_context(rated.study, "c", ["One."], domain="theirs")
    Item.objects.filter(pk=rated.items["a"].pk).update(target_text=None, target_turn=turns[0])

    table = item_table(rated.study)

    assert (table.domains, table.sources) == (["theirs"], ["mine"])


def test_majorities_and_ties_are_listed() -> None:
    rated = make_rated(["a", "b", "c"], conditions=(FREE,))
    for values in ((0, 1, 2), (0, 2, 2), (1, 2, 0)):
        rated.answer(dict(zip("abc", values, strict=True)))

    aggregates = score(rated.study).statistics["phases"][0]["aggregates"]

    assert (aggregates["n_with_majority"], aggregates["ties"]) == (3, [])
    rated.answer({"a": 1, "b": 2, "c": 0})
    aggregates = score(rated.study).statistics["phases"][0]["aggregates"]
    assert (aggregates["n_rated"], aggregates["ties"]) == (3, ["a", "c"])
    assert aggregates["n_ties"] == 2
    assert aggregates["n_more_than_half"] == 1
