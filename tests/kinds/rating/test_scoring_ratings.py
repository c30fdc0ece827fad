"""The stored result of a rating study: what it says, and what never enters it."""

import json
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from annotation.core.queries import counted_answers
from annotation.core.services import jobs
from annotation.kinds.rating.queries.answers import item_table, read_ratings
from annotation.models import AnnotatorStatistics, Exclusion, Item, Job, Person, Result, Study
from annotation.models.kinds import Source
from tests.support.rated_studies import FREE, MONDAY, Rated, add_context, make_rated, rate

pytestmark = pytest.mark.django_db


def score(study: Study, population: str = "people") -> Result:
    job = jobs.run_here(
        study=study, kind=Job.Kind.SCORE, parameters={"population": population, "n_splits": 1}
    )
    assert job.state == Job.State.DONE, job.error
    return job.result


def small() -> Rated:
    """Two who rated four items without context and in it, after two calibration items."""
    rated = make_rated(calibration={"none": 0, "all": 6})
    rated.answer(
        {"a": 1, "b": 5, "c": 3, "d": 0},
        {"a": 3, "b": 5, "c": 4, "d": 0},
        calibration=[{"none": 1, "all": 6}, {"none": 0, "all": 6}],
    )
    rated.answer(
        {"a": 2, "b": 4, "c": 3, "d": 0},
        {"a": 5, "b": 6, "c": 4, "d": 0},
        calibration=[{"none": 2, "all": 3}, {"none": 0, "all": 6}],
        gap_hours=96,
    )
    return rated


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
    assert summary["error_bound"]["paper"]["reason"] == "no unit has four ratings"
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
            "reason": "the ratings of each condition are all equal, so there is no error to"
            " compare with",
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
        "the design has not both a context-free and a context-dependent phase"
    )
    assert statistics["waiting"] == []
    assert statistics["diagonal"]["reason"].startswith("no item has both an earlier rating")
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
    assert every["reason"] == "fewer than three of the items have a score in both phases"
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


# -- Repeats ------------------------------------------------------------------------------------


def test_repeats_of_a_booklet_count_in_the_intra_annotator_agreement_only() -> None:
    rated = make_rated(with_repeats=True)
    rated.answer(
        {"a": 1, "b": 5, "c": 3, "d": 0},
        {"a": 1, "b": 5, "c": 3, "d": 0},
        repeats=[{"a": 3, "b": 5}, {"a": 1}],
    )

    phase = score(rated.study).statistics["phases"][0]

    assert phase["summary"]["distribution"]["mean"] == 2.25
    assert (phase["summary"]["n_ratings"], phase["summary"]["n_repeats"]) == (6, 2)
    intra = phase["summary"]["intra_annotator"]
    assert (intra["n"], intra["mse"]) == (2, 2.0)
    assert (phase["repeats"]["n_of_booklet"], phase["repeats"]["n_of_earlier_round"]) == (2, 0)


def test_a_main_answer_that_was_changed_after_its_repeat_is_still_the_first() -> None:
    rated = make_rated(conditions=(FREE,), with_repeats=True)
    assignment = rated.answer({"a": 1, "b": 5}, repeats=[{"a": 3}])
    old = assignment.judgments.get(question=rated.questions[0]["main", "a"])
    old.superseded_at = MONDAY + timedelta(hours=1)
    old.save()
    rate(assignment, old.question, 2, at=MONDAY + timedelta(hours=1))

    summary = score(rated.study).statistics["phases"][0]["summary"]

    assert summary["distribution"]["mean"] == 3.5
    assert summary["intra_annotator"]["mse"] == 1.0


def test_repeats_of_the_earlier_round_are_paired_with_what_the_person_said_there() -> None:
    person = Person.objects.create(platform="roster", platform_id="1")
    stranger = Person.objects.create(platform="roster", platform_id="2")
    before = make_rated(["x", "y"], conditions=(FREE,))
    before.answer({"x": 2, "y": 4}, person=person)
    before.answer({"x": 6, "y": 6})
    now = make_rated(["a", "b"], with_repeats=True, earlier_round=before.study)
    for key, origin in (("again-x", "x"), ("again-y", "y")):
        now.items[key] = Item.objects.create(
            study=now.study,
            pool=now.study.pools.get(),
            number=len(now.items) + 1,
            key=key,
            target_text="t",
            candidate_text="c",
            derived_from=before.items[origin],
        )
    answers = {"a": 1, "b": 5}
    now.answer(
        answers, answers, repeats=[{"again-x": 3, "again-y": 4}, {"again-x": 2}], person=person
    )
    now.answer(answers, answers, repeats=[{"again-x": 0}, {}], person=stranger)

    free, dependent = score(now.study).statistics["phases"]

    # 3 after 2 and 4 after 4; the stranger rated nothing before.
    earlier = free["repeats"]["earlier_round"]
    assert (earlier["n"], earlier["n_left_out"], earlier["mse"]) == (2, 1, 0.5)
    # In context, too, where the earlier round knows the other condition only.
    assert dependent["repeats"]["earlier_round"]["mse"] == 0.0
    assert free["summary"]["intra_annotator"]["n"] == 0
    # No repeat of something that was not rated here is in a score.
    assert free["summary"]["n_units"] == 2
    assert free["summary"]["n_ratings"] == 4


def test_a_repeat_is_paired_with_the_earlier_rating_under_the_same_condition() -> None:
    person = Person.objects.create(platform="roster", platform_id="1")
    before = make_rated(["x"])
    before.answer({"x": 2}, {"x": 6}, person=person)
    now = make_rated(
        ["a", {"key": "b", "derived_from": before.items["x"]}],
        with_repeats=True,
        earlier_round=before.study,
    )
    now.answer({"a": 1}, {"a": 1}, repeats=[{"b": 3}, {"b": 3}], person=person)

    free, dependent = score(now.study).statistics["phases"]

    assert free["repeats"]["earlier_round"]["mse"] == 1.0
    assert dependent["repeats"]["earlier_round"]["mse"] == 9.0


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


# -- What never enters --------------------------------------------------------------------------


def comparable(result: Result) -> str:
    return json.dumps(
        [
            {key: value for key, value in phase.items() if key in {"summary", "by_class"}}
            for phase in result.statistics["phases"]
        ]
        + [result.statistics["context"], result.statistics["waiting"]],
        sort_keys=True,
    )


@pytest.mark.slow
@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
@given(data=st.data())
def test_what_does_not_count_never_enters_the_scores(data: st.DataObject) -> None:
    value = st.integers(0, 6)
    ratings = st.fixed_dictionaries(dict.fromkeys("abcd", value))
    rated = make_rated(calibration={"none": 0, "all": 6}, with_repeats=True)
    for _person in range(2):
        rated.answer(data.draw(ratings), data.draw(ratings))
    before = comparable(score(rated.study))

    block = st.fixed_dictionaries({"none": value, "all": value})
    first = rated.people[0].assignments.get()
    for kind in data.draw(st.lists(st.sampled_from(NOISE), min_size=1, max_size=4)):
        spoken = data.draw(ratings), data.draw(ratings)
        if kind == "surplus":
            rated.answer(*spoken, is_counted=False)
        elif kind == "unfinished":
            rated.answer(*spoken, is_complete=False)
        elif kind == "simulated":
            rated.answer(*spoken, source=Source.SIMULATED)
        elif kind == "excluded":
            rated.answer(*spoken, calibration=[data.draw(block)] * 2)
            Exclusion.objects.create(
                annotator=rated.people[-1], reason="A test.", by=rated.study.owner
            )
        elif kind == "superseded":
            question = rated.questions[0]["main", "a"]
            rate(first, question, data.draw(value), superseded_at=MONDAY)
        elif kind == "calibration" and not first.judgments.filter(
            question__block__purpose="calibration"
        ):
            for key in ("none", "all"):
                question = rated.questions[1]["calibration", key]
                rate(first, question, data.draw(value), at=MONDAY + timedelta(hours=80))

    after = score(rated.study)
    # The calibration block comes before the others, and moves them on by its two places.
    assert _without_practice(comparable(after)) == _without_practice(before)


NOISE = ("surplus", "unfinished", "simulated", "excluded", "superseded", "calibration")


def _without_practice(text: str) -> list[object]:
    statistics = json.loads(text)
    for part in statistics[:-2]:
        part["summary"].pop("calibration_curve")
    return statistics


@pytest.mark.slow
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(again=st.fixed_dictionaries(dict.fromkeys("abcd", st.integers(0, 6))))
def test_repeats_never_enter_the_scores(again: dict[str, int]) -> None:
    plain, repeated = make_rated(), make_rated(with_repeats=True)
    answers = {"a": 1, "b": 5, "c": 3, "d": 0}, {"a": 2, "b": 5, "c": 4, "d": 1}
    plain.answer(*answers)
    repeated.answer(*answers, repeats=[again, again])

    ours, theirs = (score(rated.study).statistics for rated in (repeated, plain))

    for phase, other in zip(ours["phases"], theirs["phases"], strict=True):
        for name in ("distribution", "inter_annotator", "alpha", "error_bound", "icc", "raters"):
            assert phase["summary"][name] == other["summary"][name]
        assert phase["by_class"] == other["by_class"]
    assert ours["context"] == theirs["context"]


def test_simulated_ratings_are_scored_apart() -> None:
    rated = make_rated(["a", "b"], conditions=(FREE,))
    rated.answer({"a": 1, "b": 2})
    rated.answer({"a": 6, "b": 6}, source=Source.SIMULATED)

    real, simulated = score(rated.study), score(rated.study, "simulated")

    means = [
        r.statistics["phases"][0]["summary"]["distribution"]["mean"] for r in (real, simulated)
    ]
    assert means == [1.5, 6.0]
    assert (real.n_judgments, simulated.n_judgments) == (2, 2)


def test_how_many_ratings_each_person_gave_is_kept_until_they_withdraw() -> None:
    rated = small()
    rated.people[0].withdrawn_at = MONDAY
    rated.people[0].save()

    result = score(rated.study)

    rows = AnnotatorStatistics.objects.filter(result=result)
    assert [(row.annotator_id, row.n_judgments) for row in rows] == [(rated.people[1].pk, 12)]
