"""Items of a scored study, taken into another to be looked at again."""

from collections.abc import Mapping

import pytest
from django.core.management import call_command

from annotation.answering.services import withdrawal
from annotation.baselines.queries.measures import Measure
from annotation.basics.errors import FrozenError, StateError
from annotation.basics.reviewed import Reviewed
from annotation.designs.services import designs, rounds
from annotation.items.services import imports
from annotation.kinds.design_parameters import RatingParameters
from annotation.models import Item, ItemScore, Phase, Study
from annotation.people.services import exclusions
from annotation.reviews import services as reviews
from annotation.studies.services import imported_studies, researchers, studies
from scoring.measures.discrepancies import Thresholds
from tests.kinds.label.test_label_pages import Labeller
from tests.support.factories import make_open_study, make_study, make_user
from tests.support.labelling import make_label_study
from tests.support.rating import TWICE, join, make_rating_study
from tests.support.researcher_pages import text
from tests.support.reviewing import open_review, review_of, score, scored_dialogues, scored_ratings

pytestmark = pytest.mark.django_db

RATINGS = {
    "p1": ("6", "5", "5"),  # 16 / 18
    "p2": ("3", "3", "3"),
    "p3": ("0", "1", "0"),  # 1 / 18
    "p4": ("3", "4", "3"),  # 10 / 18
}


def frozen(study: Study) -> dict[str, Reviewed]:
    found = {item.key: Reviewed.of(item.metadata) for item in study.items.all()}
    assert all(found.values())
    return {key: value for key, value in found.items() if value}


# -- Expert check -------------------------------------------------------------------------------


def test_items_of_dialogues_come_with_their_contexts_and_exact_scores() -> None:
    earlier = scored_dialogues({"d1-1": 1 / 3, "d1-2": -1.0, "d2-5": 0.0})
    study = review_of(earlier)

    chosen = reviews.choose_for_experts(study=study)

    assert (chosen.n_items, chosen.n_without_score) == (10, 0)
    scores = {key: reviewed.score for key, reviewed in frozen(study).items()}
    # (1 / 3 + 1) / 2, to the last digit.
    assert scores["d1-1"] == (1 / 3 + 1) / 2
    assert (scores["d1-2"], scores["d2-5"]) == (0.0, 0.5)
    item = study.items.get(key="d2-3")
    assert item.derived_from == earlier.items.get(key="d2-3")
    assert item.target_turn is not None
    assert item.target_turn.context.study == study
    assert item.target_turn.context.turns.count() == 5
    assert item.target_turn.text == "Turn 5 of dialogue 2."
    assert item.earlier_rating is None
    assert earlier.contexts.count() == study.contexts.count() == 2


def test_every_expert_labels_every_item_in_its_context() -> None:
    study = review_of(scored_dialogues())
    reviews.choose_for_experts(study=study)

    parameters = RatingParameters.of(study.design)

    assert parameters.ratings_per_item == 2
    assert [phase.condition for phase in parameters.phases] == [Phase.Condition.DEPENDENT]
    design = designs.make(design=study.design)
    assert [booklet.questions.count() for booklet in design.booklets.all()] == [10, 10]


def test_scoring_the_earlier_study_again_changes_nothing_here() -> None:
    earlier = scored_dialogues({"d1-1": 1 / 3})
    study = review_of(earlier)
    reviews.choose_for_experts(study=study)
    before = frozen(study)

    result = score(earlier)
    ItemScore.objects.filter(result=result).update(score=0.9)

    assert frozen(study) == before
    assert before["d1-1"].result != result.pk


def test_means_of_ratings_are_rescaled_by_the_scale() -> None:
    study = review_of(scored_ratings(RATINGS))

    reviews.choose_for_experts(study=study)

    scores = {key: reviewed.score for key, reviewed in frozen(study).items()}
    assert scores == {
        "p1": pytest.approx(16 / 18, abs=1e-15),
        "p2": 0.5,
        "p3": pytest.approx(1 / 18, abs=1e-15),
        "p4": pytest.approx(10 / 18, abs=1e-15),
    }
    assert {reviewed.phase for reviewed in frozen(study).values()} == {1}


def test_of_several_phases_one_is_chosen(clock) -> None:
    earlier = scored_ratings(RATINGS, phases=TWICE)
    study = review_of(earlier)

    # Nobody has come back for the second phase.
    reviews.choose_for_experts(study=study, phase=1)
    assert {reviewed.phase for reviewed in frozen(study).values()} == {1}
    with pytest.raises(StateError, match="no item with a score"):
        reviews.choose_for_experts(study=study, phase=2)
    with pytest.raises(StateError, match="has no phase 3"):
        reviews.choose_for_experts(study=study, phase=3)


def test_the_nearest_to_the_middle_can_be_chosen() -> None:
    study = review_of(scored_ratings(RATINGS))

    reviews.choose_for_experts(study=study, which="nearest", n=2)

    assert list(study.items.values_list("key", flat=True)) == ["p2", "p4"]


def test_what_is_drawn_depends_on_the_seed_alone() -> None:
    earlier = scored_dialogues(dialogues=4)
    drawn = []
    for seed in (1, 1, 2):
        study = review_of(earlier)
        study.designs.update(seed=seed)
        reviews.choose_for_experts(study=study, which="random_per_group", n=2)
        drawn.append(list(study.items.values_list("key", flat=True)))

    assert drawn[0] == drawn[1] != drawn[2]
    assert [key[:2] for key in drawn[0]] == ["d1"] * 2 + ["d2"] * 2 + ["d3"] * 2 + ["d4"] * 2

    reviews.choose_for_experts(study=study, which="random", n=3)
    assert study.items.count() == 3
    # Of a dialogue that no item is from, nothing is copied.
    assert study.contexts.count() == study.items.values("target_turn__context").distinct().count()


def test_choosing_again_replaces_what_was_there() -> None:
    study = review_of(scored_dialogues())
    reviews.choose_for_experts(study=study)
    designs.make(design=study.design)

    reviews.choose_for_experts(study=study, which="nearest", n=3)

    assert study.items.count() == 3
    assert not Study.objects.get(pk=study.pk).design.is_made


def test_items_that_were_never_shown_are_left_out() -> None:
    earlier = scored_dialogues()
    ItemScore.objects.filter(item__key="d1-4").update(
        score=None, appearances=0, low=None, high=None, standard_error=None
    )
    study = review_of(earlier)

    assert reviews.choose_for_experts(study=study).n_without_score == 1
    assert not study.items.filter(key="d1-4").exists()


def test_what_cannot_be_checked_is_said() -> None:
    with pytest.raises(StateError, match="This preset needs a scored study"):
        studies.create(owner=make_user(), title="Again", preset="expert-check")
    still_open = review_of(make_open_study())
    with pytest.raises(StateError, match="Close it first"):
        reviews.choose_for_experts(study=still_open)
    unscored = review_of(studies.close(study=make_open_study()))
    with pytest.raises(StateError, match="has not been scored yet"):
        reviews.choose_for_experts(study=unscored)
    other = studies.create(owner=make_user(), title="Other", preset="labels")
    with pytest.raises(StateError, match="does not review an earlier study"):
        reviews.choose_for_experts(study=other)
    with pytest.raises(StateError, match="Only a rating study"):
        rounds.begin(study=review_of(make_rating_study()), earlier=make_study())


def test_simulated_answers_alone_are_no_scores_to_check() -> None:
    earlier = make_open_study(parameters={"annotations_per_tuple": 1})
    call_command("simulate", earlier.slug, "--annotators", "1")
    study = review_of(studies.close(study=earlier))

    with pytest.raises(StateError, match="Simulated answers do not count"):
        reviews.choose_for_experts(study=study)


def test_scores_of_other_answers_than_todays_are_refused() -> None:
    earlier = scored_dialogues()
    study = review_of(earlier)
    annotator = earlier.annotators.get()
    exclusions.exclude(annotator=annotator, reason="asleep", by=earlier.owner)

    with pytest.raises(StateError, match="have changed since it was scored"):
        reviews.choose_for_experts(study=study)


def test_an_opened_check_keeps_its_items() -> None:
    study = review_of(scored_ratings(RATINGS))
    reviews.choose_for_experts(study=study)
    designs.make(design=study.design)
    studies.open_study(study=study)

    with pytest.raises(StateError, match="frozen"):
        reviews.choose_for_experts(study=study)


# -- Discrepancies ------------------------------------------------------------------------------


def test_the_items_that_differ_most_are_taken() -> None:
    # People: p3 < p2 < p4 < p1, so ranks 0, 1/3, 2/3, 1.
    study = review_of(scored_ratings(RATINGS), "discrepancy-review")
    measure = Measure("BLEU", {"p1": 0.1, "p2": 0.3, "p3": 0.9, "p4": 0.9, "p9": 1.0})

    chosen = reviews.choose_discrepancies(study=study, measure=measure, n=2)

    # Of the measure: p1 0, p2 1/3, p3 and p4 5/6.
    assert (chosen.n_items, chosen.n_without_value) == (2, 0)
    rows = list(study.items.all())
    assert [item.key for item in rows] == ["p1", "p3"]
    first = Reviewed.of(rows[0].metadata)
    assert first is not None
    assert (first.measure, first.value, first.difference, first.by) == ("BLEU", 0.1, 1, "ranks")
    assert first.is_shown
    second = Reviewed.of(rows[1].metadata)
    assert second is not None
    assert second.difference == pytest.approx(-5 / 6)


def test_their_order_does_not_show_which_differs_most() -> None:
    study = review_of(scored_ratings(RATINGS), "discrepancy-review")
    # By ranks p4 differs most, then p1.
    measure = Measure("BLEU", {"p1": 0.5, "p2": 0.4, "p3": 0.3, "p4": 0.1})

    reviews.choose_discrepancies(study=study, measure=measure, n=3, is_shown=False)

    differences = [abs(r.difference or 0) for r in frozen(study).values()]
    assert differences != sorted(differences, reverse=True)
    assert list(frozen(study)) == sorted(frozen(study))


@pytest.mark.slow
def test_a_score_that_a_file_invents_is_shown_to_nobody(client) -> None:
    invented = Reviewed(0.123, 1, "2026-01-01", None, "BLEU", 0.987, "ranks", 0.5, is_shown=True)
    own = make_label_study(pairs=1)
    own.items.update(metadata=invented.into({}))
    taken = review_of(scored_ratings(RATINGS), "discrepancy-review")
    reviews.choose_discrepancies(
        study=taken, measure=Measure("BLEU", {"p1": 0.987, "p3": 0.5}), n=2, is_shown=True
    )
    taken = open_review(taken)

    pages = [
        client.get(f"/a/{join(study).key}/s/{screen}/").content.decode()
        for study, screen in ((own, 1), (taken, 1), (taken, 2))
    ]

    assert "BLEU" not in pages[0]
    assert any("BLEU" in page for page in pages[1:])


@pytest.mark.slow
def test_a_score_is_shown_no_more_once_all_who_gave_it_have_withdrawn(client) -> None:
    earlier = scored_ratings(RATINGS)
    taken = review_of(earlier, "discrepancy-review")
    reviews.choose_discrepancies(
        study=taken, measure=Measure("BLEU", {"p1": 0.987, "p3": 0.5}), n=2, is_shown=True
    )
    address = f"/a/{join(open_review(taken)).key}/s/1/"
    before = client.get(address).content.decode()

    for annotator in earlier.annotators.all():
        withdrawal.withdraw(annotator=annotator)

    assert "BLEU" in before
    assert "BLEU" not in client.get(address).content.decode()


def test_items_without_a_value_are_left_out_of_the_ranks() -> None:
    study = review_of(scored_ratings(RATINGS), "discrepancy-review")
    measure = Measure("BLEU", {"p1": 0.1, "p3": 0.9})

    chosen = reviews.choose_discrepancies(study=study, measure=measure, is_shown=False)

    assert (chosen.n_items, chosen.n_without_value) == (2, 2)
    assert {r.difference for r in frozen(study).values()} == {1.0, -1.0}
    assert not any(r.is_shown for r in frozen(study).values())


def test_standardized_values_can_be_compared_instead() -> None:
    study = review_of(scored_ratings(RATINGS), "discrepancy-review")
    measure = Measure("BLEU", {"p1": 8, "p2": 3, "p3": 1, "p4": 4})

    reviews.choose_discrepancies(study=study, measure=measure, by="standardized", n=4)

    differences = [r.difference for r in frozen(study).values()]
    assert sum(d or 0 for d in differences) == pytest.approx(0)
    assert {r.by for r in frozen(study).values()} == {"standardized"}


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ({"p1": 1.0}, {}, "Too few items have both a score and a value of BLEU"),
        ({"p1": 2.0, "p2": 2.0}, {}, r"same value for all items \(2\)"),
        ({"p1": 1.0, "p2": 2.0}, {"n": 3, "least_of_each": 2}, "do not fit into 3 items"),
    ],
)
def test_a_useless_measure_is_refused(values, options, message: str) -> None:
    study = review_of(scored_ratings(RATINGS), "discrepancy-review")

    with pytest.raises(StateError, match=message):
        reviews.choose_discrepancies(study=study, measure=Measure("BLEU", values), **options)


def test_people_who_rate_all_alike_leave_nothing_to_compare() -> None:
    earlier = scored_ratings({"p1": ("3",), "p2": ("3",)})
    study = review_of(earlier, "discrepancy-review")

    with pytest.raises(StateError, match="have the same score"):
        reviews.choose_discrepancies(study=study, measure=Measure("m", {"p1": 1, "p2": 2}))


def test_a_draft_that_reviews_another_can_be_deleted() -> None:
    earlier = scored_ratings(RATINGS)
    study = review_of(earlier)
    reviews.choose_for_experts(study=study)

    researchers.delete_draft(study=study)

    assert Study.objects.get() == earlier
    assert Item.objects.count() == 4


@pytest.mark.parametrize(
    "stored",
    [
        "0.5",
        {},
        {"score": "0.5", "result": 1, "computed_at": ""},
        {"score": 0.5, "result": None, "computed_at": ""},
        {"score": 0.5, "result": 1, "computed_at": "", "value": "much", "is_shown": True},
        {"score": 0.5, "result": 1, "computed_at": 3},
    ],
)
def test_what_a_file_calls_by_the_same_name_is_not_taken_for_it(stored) -> None:
    assert Reviewed.of({"_reviewed": stored}) is None
    assert Reviewed.of(Reviewed(0.5, 1, "2026-01-01").into({"_reviewed": stored})) is not None


# -- Published labels and thresholds --------------------------------------------------------------

PUBLISHED = {"p1": 2, "p2": 0, "p3": 2, "p4": 1, "p5": 0}
MEASURE = Measure("BLEU", {"p1": 0.1, "p2": 0.8, "p3": 0.9, "p4": 0.2, "p5": 0.2})
RULE = Thresholds(measure_below=0.25, people_from=2, measure_above=0.75, people_to=0)


def published(labels: Mapping[str, object] = PUBLISHED) -> Study:
    """An imported study whose items came with labels."""
    study = make_rating_study(pairs=len(labels), open_it=False)
    for item in study.items.all():
        item.metadata = {"label": labels[item.key]}
        item.save()
    return imported_studies.mark(study=study)


def test_published_labels_are_reviewed_by_thresholds() -> None:
    earlier = published()
    study = review_of(earlier, "discrepancy-review")

    chosen = reviews.choose_discrepancies(
        study=study, measure=MEASURE, column="label", thresholds=RULE
    )

    assert (chosen.n_items, chosen.n_without_score, chosen.n_without_value) == (2, 0, 0)
    found = frozen(study)
    assert {key: one.higher for key, one in found.items()} == {"p1": "people", "p2": "measure"}
    # On the study's scale from 0 to 6 the label 2 is a third of the way.
    assert (found["p1"].score, found["p1"].label) == (pytest.approx(1 / 3), 2)
    assert found["p1"].rule == RULE.text
    assert (found["p1"].column, found["p1"].result, found["p1"].difference) == (
        "label",
        None,
        None,
    )


def test_labels_off_the_scale_are_rescaled_by_their_own_ends() -> None:
    study = review_of(published({"p1": -2, "p2": 8, "p3": 3}), "discrepancy-review")

    reviews.choose_discrepancies(study=study, measure=MEASURE, column="label", n=3)

    assert {key: one.score for key, one in frozen(study).items()} == {
        "p1": 0.0,
        "p2": 1.0,
        "p3": 0.5,
    }


def test_the_largest_differences_to_published_labels_can_be_taken() -> None:
    study = review_of(published(), "discrepancy-review")

    reviews.choose_discrepancies(study=study, measure=MEASURE, column="label", n=2)

    # Ranks of people .875, .125, .875, .5, .125; of the measure 0, .75, 1, .375, .375.
    assert {key: one.difference for key, one in frozen(study).items()} == {
        "p1": 0.875,
        "p2": -0.625,
    }


def test_thresholds_of_ratings_are_on_their_scale() -> None:
    study = review_of(scored_ratings(RATINGS), "discrepancy-review")
    measure = Measure("BLEU", {"p1": 0.1, "p2": 0.1, "p3": 0.9, "p4": 0.9})

    reviews.choose_discrepancies(
        study=study,
        measure=measure,
        thresholds=Thresholds(
            measure_below=0.5, people_from=5.3, measure_above=0.5, people_to=0.4
        ),
    )

    # Means 16/3, 3, 1/3 and 10/3.
    found = frozen(study)
    assert {key: one.higher for key, one in found.items()} == {"p1": "people", "p3": "measure"}
    assert found["p1"].label is None


def test_the_most_frequent_rating_can_be_what_is_compared() -> None:
    labels = {"0": "different", "1": "partly the same", "2": "the same"}
    scale = {"low": "0", "high": "2", "step": "1", "labels": labels}
    # The mean of p1 is 4/3; three different ratings of p2 have no majority.
    ratings = {"p1": ("2", "2", "0"), "p2": ("0", "1", "2"), "p3": ("0", "0", "0")}
    study = review_of(scored_ratings(ratings, scale=scale), "discrepancy-review")

    chosen = reviews.choose_discrepancies(
        study=study, measure=MEASURE, people="majority", thresholds=RULE
    )

    assert (chosen.n_items, chosen.n_without_score) == (2, 1)
    found = frozen(study)["p1"]
    assert (found.label, found.score, found.phase) == (2, 1, 1)


@pytest.mark.parametrize(
    ("labels", "options", "message"),
    [
        (PUBLISHED, {"thresholds": Thresholds(0.05, 2)}, r"meets these thresholds \(measure < "),
        ({"p1": 2, "p2": 2}, {"n": 1}, "fewer than two different values"),
    ],
)
def test_what_leaves_nothing_to_review_is_said(labels, options, message: str) -> None:
    study = review_of(published(labels), "discrepancy-review")

    with pytest.raises(StateError, match=message):
        reviews.choose_discrepancies(study=study, measure=MEASURE, column="label", **options)


def test_reviewed_items_of_an_imported_study_stay() -> None:
    earlier = published()
    study = review_of(earlier, "discrepancy-review")
    reviews.choose_discrepancies(study=study, measure=MEASURE, column="label", thresholds=RULE)

    with pytest.raises(FrozenError, match="Another study continues with the items of this one"):
        imported_studies.unmark(study=earlier)
    with pytest.raises(StateError, match="Delete that study first"):
        imports.drop_items(earlier)

    researchers.delete_draft(study=study)
    researchers.delete_draft(study=imported_studies.unmark(study=earlier))
    assert not Study.objects.exists()


def test_people_see_the_label_as_it_was_given(client) -> None:
    study = review_of(published(), "discrepancy-review")
    reviews.choose_discrepancies(study=study, measure=MEASURE, column="label", thresholds=RULE)
    labeller = Labeller(open_review(study))

    page = text(labeller.get("s/1/"))

    assert "People: 2 · <bdi>BLEU</bdi>: 0.10" in page or (
        "People: 0 · <bdi>BLEU</bdi>: 0.80" in page
    )
