"""What people said of each item, which measures are held against."""

import math

import numpy as np
import pytest

from annotation.baselines.forms.baselines import ComputeForm
from annotation.baselines.queries import human_scores
from annotation.baselines.queries.score_sources import (
    ColumnSource,
    ResultSource,
    Source,
    source_of_json,
)
from annotation.basics.errors import AnnotationError, StateError
from annotation.designs.services import designs
from annotation.kinds.design_parameters import RatingParameters
from annotation.kinds.queries import score_reasons
from annotation.kinds.rating.queries import baseline_pairs
from annotation.models import Check, Context, Item, Result, Study
from annotation.people.services import exclusions
from scoring import NoiseCeiling, noise_ceiling_of_deviations
from tests.support.factories import make_study
from tests.support.rating import ONCE, TWICE, make_rating_study
from tests.support.reviewing import scored_dialogues, scored_ratings

pytestmark = pytest.mark.django_db

RATINGS = {
    "p1": ("6", "5", "5"),  # 16 / 18
    "p2": ("3", "3", "3"),
    "p3": ("0", "1", "0"),  # 1 / 18
    "p4": ("3", "4", "3"),  # 10 / 18
}


def give(study: Study, **columns: list[object]) -> None:
    """Columns of the imported file."""
    for place, item in enumerate(study.items.order_by("number")):
        item.metadata = {
            name: values[place] for name, values in columns.items() if values[place] is not None
        }
        item.save()


# -- Texts --------------------------------------------------------------------------------------


def test_a_candidate_that_is_no_turn_stands_in_the_place_of_the_turn() -> None:
    study = make_study(dialogues=1, turns=(3,))

    pairs = baseline_pairs.read_pairs(study)

    assert pairs.keys == ["d1-1", "d1-2", "d1-3", "d1-4", "d1-5"]
    first = pairs.pairs[0]
    assert (first.first, first.second) == ("Turn 3 of dialogue 1.", "Candidate 1 of dialogue 1.")
    assert first.first_context == ("Turn 1 of dialogue 1.", "Turn 2 of dialogue 1.")
    assert first.second_context == first.first_context


def test_what_comes_after_a_sentence_is_no_context() -> None:
    study = make_rating_study(pairs=1, sentences=5, open_it=False)

    (pair,) = baseline_pairs.read_pairs(study).pairs

    assert pair.first == "Sentence 3 of summary 1."
    assert pair.first_context == ("Sentence 1 of summary 1.", "Sentence 2 of summary 1.")
    assert pair.second_context == ("Sentence 1 of report 1.", "Sentence 2 of report 1.")


def test_checks_are_not_compared() -> None:
    study = make_rating_study(pairs=3, open_it=False)
    item = study.items.get(key="p2")
    Check.objects.create(study=study, item=item, style=Check.Style.SILENT, tolerance=1)

    pairs = baseline_pairs.read_pairs(study)

    assert pairs.keys == ["p1", "p3"]


def test_the_digest_follows_ids_texts_and_contexts() -> None:
    study = make_rating_study(pairs=2, open_it=False)
    digests = [baseline_pairs.digest(study)]

    give(study, domain=["a", "b"])
    assert baseline_pairs.digest(study) == digests[0]
    Item.objects.filter(study=study, number=1).update(key="other")
    digests.append(baseline_pairs.digest(study))
    turn = Context.objects.get(study=study, key="summary2").turns.get(position=3)
    turn.text = "Something else."
    turn.save()
    digests.append(baseline_pairs.digest(study))
    turn = Context.objects.get(study=study, key="summary2").turns.get(position=1)
    turn.text = "Once before."
    turn.save()
    digests.append(baseline_pairs.digest(study))

    assert len(set(digests)) == 4


# -- From a result ------------------------------------------------------------------------------


@pytest.mark.slow
def test_best_worst_scores_are_rescaled() -> None:
    study = scored_dialogues({"d1-1": 1 / 3, "d1-2": -1.0, "d2-5": 0.0})

    assert human_scores.sources(study) == [ResultSource()]
    offered = [key for key, _name in ComputeForm(study).fields["people"].choices]
    assert offered == [ResultSource().key]
    found = human_scores.read(study, ResultSource())

    scores = dict(zip(baseline_pairs.read_pairs(study).keys, found.scores, strict=True))
    assert (scores["d1-1"], scores["d1-2"], scores["d2-5"]) == ((1 / 3 + 1) / 2, 0.0, 0.5)


def test_of_several_pools_the_ceiling_is_one_within_pools() -> None:
    study = scored_dialogues()
    result = Result.objects.get(study=study)
    result.statistics["noise_ceiling"] = {
        **NoiseCeiling(0.9, 0.81, "split-half-within-pools", None, 0.85, 0.95).as_dict()
    }
    result.save()

    found = human_scores.read(study, ResultSource())

    assert (found.ceiling.value, found.ceiling.low, found.ceiling.high) == (0.9, 0.85, 0.95)
    assert found.ceiling.source == "split-half-within-pools"
    assert found.are_relative


def test_the_ceiling_of_one_pool_is_that_of_the_stored_halves() -> None:
    study = scored_dialogues()
    result = Result.objects.get(study=study)
    result.statistics["noise_ceiling"] = None
    halves = result.statistics["overall"]["split_half"]["balanced"]
    halves["spearman_brown"] = {**halves["spearman_brown"], "value": 0.81, "reason": None}
    result.save()

    ceiling = human_scores.read(study, ResultSource()).ceiling

    assert (ceiling.value, ceiling.reliability) == (pytest.approx(0.9), 0.81)
    assert ceiling.source == "split-half"


def test_a_ceiling_that_there_is_not_says_why() -> None:
    study = scored_dialogues()
    result = Result.objects.get(study=study)
    result.statistics["noise_ceiling"] = None
    halves = result.statistics["overall"]["split_half"]["balanced"]
    halves["spearman_brown"] = {"value": None, "reason": "the halves do not vary"}
    result.save()

    ceiling = human_scores.read(study, ResultSource()).ceiling

    assert math.isnan(ceiling.value)
    assert ceiling.reason == "the halves do not vary"


@pytest.mark.slow
def test_each_item_has_the_key_of_its_pool() -> None:
    found = human_scores.read(scored_dialogues(dialogues=10), ResultSource())

    assert found.pools[:6] == ["d1"] * 5 + ["d2"]


def test_each_phase_of_ratings_is_a_source(clock) -> None:
    study = scored_ratings(RATINGS, phases=TWICE)

    assert human_scores.sources(study) == [
        ResultSource(phase=1),
        ResultSource(phase=2),
    ]
    found = human_scores.read(study, ResultSource(phase=1))

    np.testing.assert_allclose(found.scores, [16 / 18, 0.5, 1 / 18, 10 / 18], atol=1e-15)
    result = Result.objects.get(study=study)
    # Everybody rated every item.
    phase = result.statistics["phases"][0]
    assert found.ceiling.source == "icc-3-k"
    assert found.ceiling.reliability == phase["summary"]["icc"]["3,k"]["icc"]
    assert "fewer than 20 people" in str(found.ceiling.interval_reason)
    assert found.result == result.pk
    # Nobody has come back for the second phase.
    with pytest.raises(StateError, match="a score from people in phase 2"):
        human_scores.read(study, ResultSource(phase=2))


def test_the_stored_ceiling_of_a_phase_is_read_with_its_interval(clock) -> None:
    study = scored_ratings(RATINGS, phases=TWICE)
    result = Result.objects.get(study=study)
    stored = NoiseCeiling(0.9, 0.81, "icc-1-k", None, 0.85, 0.95).as_dict()
    result.statistics["phases"][0]["noise_ceiling"] = stored
    result.save()

    ceiling = human_scores.read(study, ResultSource(phase=1)).ceiling

    assert ceiling.as_dict() == stored


LABELS = {"0": "different", "1": "partly the same", "2": "the same"}


def test_ratings_by_a_few_buttons_are_labels_too() -> None:
    scale = {"low": "0", "high": "2", "step": "1", "labels": LABELS}
    # 2 of 3 say 2; each says something else: no label; all say 1.
    ratings = {"p1": ("2", "0", "2"), "p2": ("0", "1", "2"), "p3": ("1", "1", "1")}
    study = scored_ratings(ratings, scale=scale)
    majority = ResultSource(phase=1, by="majority")

    assert human_scores.sources(study) == [ResultSource(phase=1), majority]
    of_majorities = human_scores.read(study, majority)
    of_means = human_scores.read(study, ResultSource(phase=1))

    np.testing.assert_allclose(of_majorities.scores, [1, np.nan, 0.5])
    np.testing.assert_allclose(of_means.scores, [2 / 3, 0.5, 0.5])
    for found in (of_majorities, of_means):
        np.testing.assert_array_equal(found.labels, [2, np.nan, 1])
    assert of_majorities.ceiling.reason == score_reasons.NO_CEILING_OF_MAJORITIES
    assert majority.title == "annotators' most frequent ratings, phase 1"


def test_a_scale_without_words_has_no_labels() -> None:
    study = scored_ratings(RATINGS)

    assert human_scores.read(study, ResultSource(phase=1)).labels is None


@pytest.mark.parametrize(
    ("labels", "is_labelled"),
    [([0, 2, 2, None], True), ([0, 1, 2, 3], False), ([0.5, 0.5, 0.5, 0.5], True)],
)
def test_a_column_of_few_values_holds_labels(labels: list, is_labelled: bool) -> None:
    study = make_rating_study(pairs=4, open_it=False)
    give(study, label=labels)

    found = human_scores.read(study, ColumnSource(name="label"))

    assert (found.labels is not None) == is_labelled


def test_a_result_of_other_answers_is_not_taken() -> None:
    study = scored_ratings(RATINGS)
    assert human_scores.usual(study) == ResultSource(phase=1)
    annotator = study.annotators.first()
    exclusions.exclude(annotator=annotator, reason="Said it was a test.", by=study.owner)

    with pytest.raises(StateError, match="Score it again first"):
        human_scores.read(study, ResultSource(phase=1))
    assert human_scores.usual(study) is None


# -- From a column ------------------------------------------------------------------------------


def test_a_draft_has_the_columns_of_its_file() -> None:
    study = make_rating_study(pairs=4, open_it=False)
    give(
        study,
        mean=["1.01", "3.38", None, "0.10"],
        sd=["0.77", "0.69", "0.68", "0.29"],
        word=["a", "b", "c", "d"],
    )

    assert human_scores.sources(study) == [
        ColumnSource(name="mean"),
        ColumnSource(name="sd"),
    ]
    found = human_scores.read(study, ColumnSource(name="mean", deviation="sd", n=32))

    np.testing.assert_array_equal(found.scores, [1.01, 3.38, np.nan, 0.10])
    expected = noise_ceiling_of_deviations(
        [1.01, 3.38, np.nan, 0.10], [0.77, 0.69, 0.68, 0.29], 32
    )
    assert found.ceiling.value == expected.value > 0.9
    assert human_scores.usual(study) is None


def test_without_deviations_the_ceiling_says_what_is_missing() -> None:
    study = make_rating_study(pairs=4, open_it=False)
    give(study, mean=[1, 2, 3, 4], sd=[1, 1, 1, 1])

    alone = human_scores.read(study, ColumnSource(name="mean")).ceiling
    unknown = human_scores.read(study, ColumnSource(name="mean", deviation="sd")).ceiling

    assert math.isnan(alone.value)
    assert "standard deviations" in str(alone.reason)
    assert math.isnan(unknown.value)
    assert "how many ratings" in str(unknown.reason)


def test_items_that_are_left_out_are_in_no_ceiling() -> None:
    study = make_rating_study(pairs=5, open_it=False)
    give(study, mean=[1, 2, 3, 4, 9], sd=[0.5, 0.5, 0.5, 0.5, 3])
    is_kept = np.array([True, True, True, True, False])

    found = human_scores.read(
        study, ColumnSource(name="mean", deviation="sd", n=10), is_kept=is_kept
    )

    assert np.isnan(found.scores[4])
    expected = noise_ceiling_of_deviations([1, 2, 3, 4], [0.5] * 4, 10)
    assert found.ceiling.value == expected.value


def test_what_only_calibrates_has_no_score() -> None:
    study = make_rating_study(pairs=5, open_it=False)
    give(study, mean=[1, 2, 3, 4, 5])
    Item.objects.filter(study=study, key="p5").update(expected=5)
    parameters = RatingParameters(
        ratings_per_item=1, items_per_booklet=4, phases=ONCE, calibration=["p5"]
    )
    designs.set_parameters(study=study, parameters=parameters, seed=1)
    designs.make(design=study.design)

    found = human_scores.read(study, ColumnSource(name="mean"))

    np.testing.assert_array_equal(found.scores, [1, 2, 3, 4, np.nan])


def test_a_column_of_words_and_a_missing_one_are_refused() -> None:
    study = make_rating_study(pairs=2, open_it=False)
    give(study, word=["a", "b"])

    with pytest.raises(AnnotationError, match="item 'p1': 'a' is not a number"):
        human_scores.read(study, ColumnSource(name="word"))
    with pytest.raises(AnnotationError, match="no item has a value in the column 'mean'"):
        human_scores.read(study, ColumnSource(name="mean"))


# -- As JSON ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        ResultSource(),
        ResultSource(phase=2),
        ResultSource(phase=1, by="majority"),
        ColumnSource(name="mean"),
        ColumnSource(name="mean", deviation="sd", n=32),
    ],
)
def test_a_source_comes_back_from_json(source: Source) -> None:
    assert source_of_json(source.as_json()) == source


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"from": "people"},
        {"from": "result", "phase": "1"},
        {"from": "column", "name": "", "deviation": "", "n": None},
        {"from": "column", "name": "mean", "deviation": "sd", "n": 0},
    ],
)
def test_what_is_no_source_is_refused(given: dict) -> None:
    with pytest.raises(AnnotationError, match=r"Choose where|choose a number"):
        source_of_json(given)


def test_a_ceiling_of_all_items_is_none_of_some() -> None:
    study = scored_ratings(RATINGS)
    source = ResultSource(phase=1)
    whole = human_scores.read(study, source)

    some = human_scores.read(study, source, is_kept=np.array([True, True, True, False]))

    assert np.isfinite(whole.ceiling.value)
    assert np.isnan(some.ceiling.value)
    assert some.ceiling.reason == score_reasons.OF_ALL_ITEMS
    assert human_scores.read(study, source, is_kept=np.ones(4, dtype=np.bool_)).ceiling.value == (
        whole.ceiling.value
    )


def test_a_condition_that_is_true_of_nothing_says_so() -> None:
    study = scored_ratings(RATINGS)

    with pytest.raises(StateError, match="None of the 4 items"):
        human_scores.read(study, ResultSource(phase=1), is_kept=np.zeros(4, dtype=np.bool_))
