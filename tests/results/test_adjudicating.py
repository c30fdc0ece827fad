"""What an expert decides of single items: it overrides, and nothing of the people's is lost."""

import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.answering.services import withdrawal
from annotation.basics.errors import AnnotationError, InvalidAnswerError, StateError
from annotation.kinds.queries import adjudications as queries
from annotation.kinds.queries.disputes import CountedAnswer, Dispute
from annotation.kinds.rating.queries.answers import read_ratings
from annotation.models import Adjudication, Booklet, Choice, Design, Item, Judgment, Phase, Study
from annotation.models.kinds import QuestionKind, Source
from annotation.people.services import exclusions
from annotation.results.queries.disputes import rules_of
from annotation.results.services import adjudications
from annotation.results.services.adjudications import AdjudicatedMeanwhileError
from annotation.studies.services import studies
from tests.support.at_once import at_once
from tests.support.clock import Clock
from tests.support.factories import make_open_study, make_user
from tests.support.rated_studies import FREE, MONDAY, Rated, make_rated
from tests.support.rating_exports import export, rows, score

pytestmark = pytest.mark.django_db


def decide(rated: Rated, key: str, value: str | None, phase: int = 1, **more: Any) -> Adjudication:
    return adjudications.adjudicate(
        study=rated.study,
        item=rated.items[key],
        phase=rated.phases[phase - 1],
        rating=None if value is None else Decimal(value),
        **{"reason": "both mean the flood", "by": rated.study.owner, **more},
    )


@pytest.fixture
def rated() -> Rated:
    rated = make_rated(calibration={"known": 6})
    rated.answer({"a": 0, "b": 3, "c": 1}, {"a": 1, "b": 3}, calibration=[{"known": 6}])
    rated.answer({"a": 6, "b": 3, "c": 2}, {"a": 2, "b": 3})
    rated.answer({"a": 6, "b": 4, "c": 3}, {"a": 3, "b": 3})
    return rated


def make_labelled(*, is_several: bool = False) -> Rated:
    """Items of one phase with categories to choose from."""
    rated = make_rated(
        conditions=(FREE,),
        kind=QuestionKind.LABEL,
        categories={"names": ["same", "other", "unclear"], "several": is_several},
    )
    for question in rated.questions[0].values():
        question.kind = QuestionKind.LABEL
        question.save()
    return rated


def label(rated: Rated, said: dict[str, list[str]]) -> None:
    """One person's labels, by item."""
    assignment = rated.answer({})
    for key, names in said.items():
        judgment = Judgment.objects.create(
            assignment=assignment,
            question=rated.questions[0]["main", key],
            kind=QuestionKind.LABEL,
            answered_at=MONDAY,
            idempotency_key=uuid4(),
        )
        Choice.objects.bulk_create(Choice(judgment=judgment, category=name) for name in names)


def current(design: Design) -> dict[tuple[int, int], Adjudication]:
    """The decisions that stand, by the primary keys of item and phase."""
    found = Adjudication.objects.current().filter(phase__design=design).order_by("pk")
    return {(one.item_id, one.phase_id): one for one in found}


# -- Deciding -----------------------------------------------------------------------------------


def test_a_decision_is_kept_with_who_made_it_and_why(rated: Rated, clock: Clock) -> None:
    made = decide(rated, "a", "4", reason="  both mean the flood ")

    assert current(rated.study.design) == {(rated.items["a"].pk, rated.phases[0].pk): made}
    assert (made.rating, made.reason, made.by) == (4, "both mean the flood", rated.study.owner)
    assert made.made_at == clock.time


def test_a_second_decision_replaces_the_first_which_is_kept(rated: Rated, clock: Clock) -> None:
    first = decide(rated, "a", "4")
    clock.move(hours=1)

    second = decide(rated, "a", "5", by=make_user())

    first.refresh_from_db()
    assert first.lifted_at == second.made_at == clock.time
    assert list(current(rated.study.design).values()) == [second]


def test_the_same_decision_sent_twice_is_one(rated: Rated) -> None:
    assert decide(rated, "a", "4") == decide(rated, "a", "4")

    assert Adjudication.objects.count() == 1


def test_each_phase_has_a_decision_of_its_own(rated: Rated) -> None:
    decide(rated, "a", "4")
    decide(rated, "a", "1", phase=2)

    assert {one.phase: one.rating for one in current(rated.study.design).values()} == {
        rated.phases[0]: 4,
        rated.phases[1]: 1,
    }
    assert queries.count(rated.study) == 1


def test_what_is_taken_back_stays_on_record_and_can_be_decided_anew(
    rated: Rated, clock: Clock
) -> None:
    made = decide(rated, "a", "4")

    adjudications.lift(adjudication=made)
    clock.move(hours=1)
    taken_back = adjudications.lift(adjudication=made)

    assert taken_back.lifted_at == made.made_at  # the second time changes nothing
    assert current(rated.study.design) == {}
    assert decide(rated, "a", "4") != made


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"value": "7"}, "7 is not on the scale, which goes from 0 to 6."),
        ({"value": "2.5"}, "2.5 is not on the scale"),
        ({"value": None}, "Choose a value of the scale."),
        ({"value": "3", "categories": ["same"]}, "Choose a value of the scale."),
        ({"value": "3", "reason": " \n"}, "Enter a reason"),
        ({"value": "3", "reason": "a\x00b"}, r"cannot be stored \(NUL\)"),
        ({"value": "6", "key": "known"}, "known is not in the main block of phase 1"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(
    rated: Rated, arguments: dict[str, Any], sentence: str
) -> None:
    arguments = {"key": "a", **arguments}

    with pytest.raises(AnnotationError, match=sentence):
        decide(rated, **arguments)

    assert not Adjudication.objects.exists()


def test_an_item_or_a_phase_of_another_study_is_refused(rated: Rated) -> None:
    other = make_rated()

    with pytest.raises(StateError, match="cannot be adjudicated"):
        adjudications.adjudicate(
            study=other.study,
            item=rated.items["a"],
            phase=other.phases[0],
            rating=Decimal(3),
            reason="why",
            by=other.study.owner,
        )
    with pytest.raises(StateError, match="cannot be adjudicated"):
        adjudications.adjudicate(
            study=other.study,
            item=other.items["a"],
            phase=rated.phases[0],
            rating=Decimal(3),
            reason="why",
            by=other.study.owner,
        )


def test_nothing_is_adjudicated_before_the_study_is_open(rated: Rated) -> None:
    Study.objects.filter(pk=rated.study.pk).update(state="draft")

    with pytest.raises(StateError, match="Open the study first"):
        decide(rated, "a", "3")


@pytest.mark.parametrize("state", ["paused", "closed", "finished"])
def test_an_open_study_may_be_in_any_state(rated: Rated, state: str) -> None:
    Study.objects.filter(pk=rated.study.pk).update(state=state)

    assert decide(rated, "a", "3").rating == 3


def test_items_of_a_best_worst_study_cannot_be_adjudicated() -> None:
    study = make_open_study()

    with pytest.raises(StateError, match="Items of a best-worst study cannot be adjudicated"):
        adjudications.adjudicate(
            study=study,
            item=study.items.all()[0],
            phase=study.design.phases.get(),
            rating=Decimal(1),
            reason="why",
            by=study.owner,
        )


def test_selected_sentences_cannot_be_adjudicated() -> None:
    study = studies.create(owner=make_user(), title="Sentences", preset="czech-round-1")

    assert "cannot be adjudicated" in str(adjudications.refusal(study))


@given(st.decimals(-1, 7, places=3))
def test_a_value_is_taken_exactly_if_it_is_a_point_of_the_scale(value: Decimal) -> None:
    study = Study(kind="rating", scale={"low": "0", "high": "6", "step": "0.25"})
    is_point = 0 <= value <= 6 and (value * 4) % 1 == 0

    try:
        assert rules_of(study).possible(study, value, ()) == []
        was_taken = True
    except InvalidAnswerError:
        was_taken = False

    assert was_taken == is_point


# -- Categories ---------------------------------------------------------------------------------


def test_of_labels_a_category_is_decided_on() -> None:
    rated = make_labelled()

    made = decide(rated, "a", None, categories=["other"])

    assert (made.categories, made.rating) == (["other"], None)
    assert queries.in_words(made, rated.study) == "other"


def test_several_categories_stand_in_their_order() -> None:
    rated = make_labelled(is_several=True)

    made = decide(rated, "a", None, categories={"unclear", "same"})

    assert made.categories == ["same", "unclear"]


@pytest.mark.parametrize(
    ("categories", "sentence"),
    [
        ([], "Choose a category."),
        (["else"], "“else” is not a category of this study."),
        (["same", "other"], "Choose one category only."),
    ],
)
def test_categories_that_cannot_be_are_refused(categories: list[str], sentence: str) -> None:
    with pytest.raises(InvalidAnswerError, match=sentence):
        decide(make_labelled(), "a", None, categories=categories)


def test_a_rating_is_no_category() -> None:
    with pytest.raises(InvalidAnswerError, match=r"Choose a category\."):
        decide(make_labelled(), "a", "3")


# -- Two experts --------------------------------------------------------------------------------


def test_nothing_of_another_expert_is_replaced_unseen(rated: Rated) -> None:
    ada = make_user("ada")
    theirs = decide(rated, "a", "5", by=ada)

    with pytest.raises(AdjudicatedMeanwhileError, match=r"ada decided: 5") as error:
        decide(rated, "a", "2", seen=0)
    mine = decide(rated, "a", "2", seen=theirs.pk)

    assert error.value.status == 409
    assert list(current(rated.study.design).values()) == [mine]


def test_what_was_taken_back_meanwhile_is_said(rated: Rated) -> None:
    made = decide(rated, "a", "5")
    adjudications.lift(adjudication=made)

    with pytest.raises(AdjudicatedMeanwhileError, match="took back the decision"):
        decide(rated, "a", "2", seen=made.pk)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_of_two_experts_at_once_one_is_told() -> None:
    rated = make_rated()
    experts = [make_user(), make_user()]

    answers = at_once(
        [
            lambda by=by, value=value: decide(rated, "a", value, by=by, seen=0)
            for by, value in zip(experts, ("2", "5"), strict=True)
        ]
    )

    assert sorted(type(one).__name__ for one in answers) == [
        "AdjudicatedMeanwhileError",
        "Adjudication",
    ]
    assert Adjudication.objects.count() == 1


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_one_stands_and_all_are_kept() -> None:
    rated = make_rated()
    experts = [make_user() for _ in range(6)]

    at_once(
        [
            lambda by=by, value=str(value): decide(rated, "a", value, by=by)
            for value, by in enumerate(experts)
        ]
    )

    assert Adjudication.objects.count() == 6
    assert Adjudication.objects.current().count() == 1


# -- What is disputed ---------------------------------------------------------------------------


def disputes(rated: Rated, phase: Phase) -> list[Dispute]:
    return rules_of(rated.study).disputes(rated.study.design, phase)


def answers(rated: Rated, phase: Phase, item: Item) -> Sequence[CountedAnswer]:
    return rules_of(rated.study).answers(rated.study.design, phase, item)


def order(rated: Rated, phase: Phase | None = None) -> list[str]:
    found = disputes(rated, phase or rated.phases[0])
    return [one.key for one in sorted(found, key=lambda one: one.how_disputed)]


def test_the_largest_standard_deviation_comes_first(rated: Rated) -> None:
    rows = {one.key: one for one in disputes(rated, rated.phases[0])}

    # d was never rated.
    assert order(rated) == ["a", "c", "b", "d"]
    assert (rows["a"].n, rows["a"].mean, rows["a"].median, rows["a"].majority) == (3, 4, 6, "6")
    assert rows["a"].sd == pytest.approx(12**0.5)
    assert (rows["c"].is_undecided, rows["c"].majority) == (True, "")
    assert (rows["d"].n, rows["d"].mean, rows["d"].is_undecided) == (0, None, False)


def test_ties_come_first_then_the_smallest_majority() -> None:
    rated = make_labelled()
    for said in (
        {"a": ["same"], "b": ["same"], "c": ["same"]},
        {"a": ["same"], "b": ["other"], "c": ["same"]},
        {"a": ["other"], "c": ["same"]},
    ):
        label(rated, said)

    rows = {one.key: one for one in disputes(rated, rated.phases[0])}

    assert order(rated) == ["b", "a", "c", "d"]
    assert (rows["a"].majority, rows["a"].share) == ("same", pytest.approx(2 / 3))
    assert rows["b"].is_undecided
    assert (rows["d"].n, rows["d"].share) == (0, None)


def test_every_counted_answer_of_an_item_is_listed_and_no_other(rated: Rated) -> None:
    rated.answer({"a": 5}, is_counted=False)
    rated.answer({"a": 5}, source=Source.SIMULATED)
    exclusions.exclude(
        annotator=rated.answer({"a": 5}).annotator, reason="clicked", by=rated.study.owner
    )

    said = answers(rated, rated.phases[0], rated.items["a"])

    assert [(one.value, one.label) for one in said] == [
        ("0", "unrelated"),
        ("6", "the same"),
        ("6", "the same"),
    ]


def test_what_somebody_rates_again_is_not_listed() -> None:
    rated = make_rated(("a", "b"), conditions=(FREE,), with_repeats=True)
    # b was rated by the same person in the earlier round.
    rated.answer({"a": 0}, repeats=[{"a": 6, "b": 5}])

    a, b = (answers(rated, rated.phases[0], rated.items[key]) for key in "ab")

    assert ([one.value for one in a], b) == (["0"], [])


def test_of_a_person_with_two_booklets_the_first_answer_is_listed_as_it_is_scored() -> None:
    rated = make_rated(("a", "b"), conditions=(FREE,))
    person = rated.answer({"a": 0, "b": 1}).annotator
    question = rated.questions[0]["main", "a"]
    rated.booklet = Booklet.objects.create(design=rated.study.design, number=2, n_screens=1)
    question.pk, question.booklet = None, rated.booklet
    question.save()
    again = rated.answer({"a": 6})
    again.annotator = person
    again.save()

    said = answers(rated, rated.phases[0], rated.items["a"])

    assert [one.value for one in said] == ["0"]
    (of_a, _of_b) = disputes(rated, rated.phases[0])
    assert (of_a.n, of_a.mean) == (1, 0)


# -- Files and figures --------------------------------------------------------------------------


def test_the_final_value_is_the_experts_and_every_other_figure_the_peoples(rated: Rated) -> None:
    before = export(rated.study)
    decide(rated, "a", "1", reason="the first text is ironic")
    decide(rated, "d", "2", phase=2)

    files = export(rated.study)

    items = {row["id"]: row for row in rows(files["items.tsv"])}
    final = ("mean_1", "adjudicated_1", "final_1", "mean_2", "adjudicated_2", "final_2")
    assert [items["a"][name] for name in final] == ["4.0", "1", "1.0", "2.0", "", "2.0"]
    assert [items["d"][name] for name in final] == ["", "", "", "", "2", "2.0"]
    test = {row["id"]: row for row in rows(files["test_free.tsv"])}
    assert (test["a"]["mean"], test["a"]["adjudicated"], test["a"]["final"]) == ("4.0", "1", "1.0")
    assert json.loads(test["a"]["ratings"]) == [0, 6, 6]
    # Whatever is computed is of people alone.
    for name in ("ratings_1.tsv", "judgments.tsv", "annotators.tsv", "calibration.tsv"):
        assert files[name] == before[name], name
    for row, old in zip(rows(files["items.tsv"]), rows(before["items.tsv"]), strict=True):
        changed = {name for name in row if row[name] != old[name]}
        assert changed <= {"adjudicated_1", "final_1", "adjudicated_2", "final_2"}


def test_the_file_of_the_study_counts_the_decided_items(rated: Rated) -> None:
    decide(rated, "a", "1")
    decide(rated, "a", "2", phase=2)
    adjudications.lift(adjudication=decide(rated, "b", "2"))

    counts = json.loads(export(rated.study)["study.json"])["counts"]

    assert counts["items_adjudicated"] == 1


def test_the_figures_of_a_study_do_not_change_with_a_decision(rated: Rated) -> None:
    before = score(rated.study)
    decide(rated, "a", "1")

    assert score(rated.study) == before


def test_every_decision_is_in_a_file_also_those_taken_back(rated: Rated, clock: Clock) -> None:
    first = decide(rated, "a", "4", reason="at first sight", by=make_user("ada"))
    clock.move(hours=1)
    decide(rated, "a", "5", reason="read again,\nin context", by=make_user("ben"))

    (one, two) = rows(export(rated.study)["adjudications.tsv"])

    assert [one[name] for name in ("item", "phase", "condition", "value", "reason", "by")] == [
        *("a", "1", "context_free", "4", "at first sight", "researcher 1")
    ]
    assert one["made_at"] == f"{first.made_at:%Y-%m-%dT%H:%M:%S}.{first.made_at:%f}"[:23] + "Z"
    assert one["lifted_at"] == two["made_at"]
    assert (two["value"], two["reason"], two["lifted_at"]) == ("5", "read again,\nin context", "")


def test_an_expert_is_never_beside_simulated_answers(rated: Rated) -> None:
    rated.answer({"a": 3}, {"a": 3}, source=Source.SIMULATED)
    decide(rated, "a", "1")

    files = export(rated.study, "simulated")

    assert rows(files["adjudications.tsv"]) == []
    row = next(row for row in rows(files["items.tsv"]) if row["id"] == "a")
    assert (row["mean_1"], row["adjudicated_1"], row["final_1"]) == ("3.0", "", "3.0")


def test_who_withdraws_takes_no_decision_with_them(rated: Rated) -> None:
    made = decide(rated, "a", "1")

    for person in rated.people:
        withdrawal.withdraw(annotator=person)

    made.refresh_from_db()
    assert made.lifted_at is None
    row = next(row for row in rows(export(rated.study)["items.tsv"]) if row["id"] == "a")
    assert (row["mean_1"], row["n_1"], row["final_1"]) == ("", "0", "1.0")


def test_values_are_read_as_arrays(rated: Rated) -> None:
    decide(rated, "b", "1", phase=2)
    read = read_ratings(rated.study, "people")

    free, dependent = queries.ratings(read, "people")

    assert str(free.tolist()) == "[nan, nan, nan, nan, nan]"
    assert str(dependent.tolist()) == "[nan, nan, 1.0, nan, nan]"


def test_labels_decided_on_are_in_the_file_by_their_names() -> None:
    rated = make_labelled(is_several=True)
    decide(rated, "a", None, categories=["other", "same"])

    (record,) = queries.records(rated.study, "people")

    assert record.value == "same|other"
