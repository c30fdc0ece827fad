"""What scoring makes of repeats, of a booklet and of the earlier round."""

from datetime import timedelta

import pytest

from annotation.models import Item, Person
from tests.support.rated_studies import FREE, MONDAY, make_rated, rate
from tests.support.scored_ratings import score

pytestmark = pytest.mark.django_db


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


def test_the_noise_ceiling_is_of_the_first_ratings() -> None:
    rated = make_rated(conditions=(FREE,), with_repeats=True)
    rated.answer({"a": 1, "b": 5, "c": 3}, repeats=[{"a": 6}])
    rated.answer({"a": 2, "b": 6, "c": 3}, repeats=[{}])

    phase = score(rated.study).statistics["phases"][0]

    # With the repeat, not everybody would have rated every item exactly once.
    assert phase["noise_ceiling"]["source"] == "icc-3-k"
    assert phase["noise_ceiling"]["reliability"] == phase["summary"]["icc"]["3,k"]["icc"]


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
