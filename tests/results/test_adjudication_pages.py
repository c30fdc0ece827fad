"""The pages on which an expert decides on single items, and sees what was decided."""

from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from annotation.core.services import jobs
from annotation.models import Adjudication, Job, Judgment, Study
from annotation.models.kinds import Source
from annotation.results.services import adjudications
from tests.results.test_adjudicating import label, make_labelled
from tests.support.clock import Clock
from tests.support.factories import make_open_study, make_user
from tests.support.rated_studies import DEPENDENT, Rated, add_context, make_rated
from tests.support.researcher_pages import in_one_line, said, signed_in, text, url

pytestmark = pytest.mark.django_db


@pytest.fixture
def rated() -> Rated:
    rated = make_rated(("a", "b", "c"))
    rated.answer({"a": 3, "b": 0, "c": 1}, {"a": 1, "b": 5, "c": 2})
    rated.answer({"a": 3, "b": 6, "c": 2}, {"a": 6, "b": 5, "c": 2})
    return rated


@pytest.fixture
def client(rated: Rated) -> Client:
    return signed_in(rated.study.owner)


def address(rated: Rated, key: str, phase: int = 1) -> str:
    return url(rated.study, "adjudicate", rated.items[key].pk, phase)


def decide(rated: Rated, key: str, value: str = "4", **more: Any) -> Adjudication:
    return adjudications.adjudicate(
        study=rated.study,
        item=rated.items[key],
        phase=rated.phases[0],
        rating=Decimal(value),
        **{"reason": "read twice", "by": rated.study.owner, **more},
    )


def keys(response: Any) -> list[str]:
    return [row.dispute.key for row in response.context["rows"]]


# -- The list -----------------------------------------------------------------------------------


def test_the_most_disputed_items_of_a_phase_come_first(client: Client, rated: Rated) -> None:
    listed = client.get(url(rated.study, "adjudications"))
    later = client.get(url(rated.study, "adjudications"), {"phase": 2})

    assert keys(listed) == ["b", "c", "a"]
    assert keys(later) == ["a", "b", "c"]
    assert "3 items, 0 decided." in text(listed)
    assert listed.context["first"].startswith(address(rated, "b"))


def test_what_is_decided_is_not_listed_unless_it_is_asked_for(
    client: Client, rated: Rated
) -> None:
    decide(rated, "b")

    listed = client.get(url(rated.study, "adjudications"))
    every = client.get(url(rated.study, "adjudications"), {"show": "all"})

    assert keys(listed) == ["c", "a"]
    assert keys(every) == ["b", "c", "a"]
    assert "3 items, 1 decided." in text(listed)


def test_when_all_is_decided_the_page_says_so(client: Client, rated: Rated) -> None:
    for key in rated.items:
        decide(rated, key)

    assert "All items are decided" in text(client.get(url(rated.study, "adjudications")))


def test_decisions_are_listed_with_who_and_why_the_latest_first(
    client: Client, rated: Rated, clock: Clock
) -> None:
    decide(rated, "a", "2", reason="<b>first</b>", by=make_user("ada"))
    clock.move(hours=1)
    decide(rated, "a", "5")

    response = client.get(url(rated.study, "adjudications"), {"show": "decisions"})

    assert [row.value for row in response.context["rows"]] == ["5", "2"]
    page = text(response)
    assert "&lt;b&gt;first&lt;/b&gt;" in page
    assert "ada" in page
    assert page.count("Take back") == 2  # a button, and its name for who cannot see it
    assert page.count("taken back</span>") == 1


@pytest.mark.parametrize("query", [{"phase": "9"}, {"phase": "x"}, {"show": "x"}, {"page": "99"}])
def test_addresses_of_nothing_show_the_first_page(
    client: Client, rated: Rated, query: dict[str, str]
) -> None:
    assert keys(client.get(url(rated.study, "adjudications"), query)) == ["b", "c", "a"]


def test_of_a_best_worst_study_the_page_says_why_there_is_nothing() -> None:
    study = make_open_study()
    client = signed_in(study.owner)

    listed = client.get(url(study, "adjudications"))
    one = client.get(url(study, "adjudicate", study.items.all()[0].pk, 1), follow=True)

    assert "Items of a best-worst study cannot be adjudicated" in text(listed)
    assert "cannot be adjudicated" in said(one)[0]


# -- One item -----------------------------------------------------------------------------------


def test_an_item_is_shown_with_everything_people_said(client: Client, rated: Rated) -> None:
    response = client.get(address(rated, "b"))

    page = text(response)
    assert "Target of b." in page
    assert "Candidate of b." in page
    assert [(one.value, one.label) for one in response.context["answers"]] == [
        ("0", "unrelated"),
        ("6", "the same"),
    ]
    assert "none: a tie" in page
    assert "4.24" in page
    # An expert chooses as everybody else does.
    assert 'type="radio"' in page
    assert "checked" not in page


def test_an_item_is_shown_with_the_comments_of_people(client: Client, rated: Rated) -> None:
    judgments = Judgment.objects.filter(question__item=rated.items["b"])
    judgments.filter(pk__in=judgments.values("pk")[:1]).update(comment="hard <to> say")

    assert "hard &lt;to&gt; say" in text(client.get(address(rated, "b")))


def test_the_context_is_shown_where_the_phase_shows_it() -> None:
    rated = make_rated(("a",), conditions=("context_free", DEPENDENT))
    turn = add_context(rated.study, "report", [f"Sentence {n}." for n in range(1, 12)])[5]
    item = rated.items["a"]
    item.candidate_text, item.candidate_turn = None, turn
    item.save()
    client = signed_in(rated.study.owner)

    free, dependent = (text(client.get(address(rated, "a", phase))) for phase in (1, 2))

    assert "Sentence 6." in free
    assert "Sentence 5." not in free
    for sentence in ("Sentence 1.", "Sentence 5.", "Sentence 6.", "Sentence 11."):
        assert sentence in dependent
    assert "2 earlier turns" in dependent


def test_a_decision_is_saved_and_one_comes_back(client: Client, rated: Rated) -> None:
    back = f"{url(rated.study, 'result_items')}?sort=-sd1&page=1"

    response = client.post(
        address(rated, "b"), {"value": "5", "reason": "the same flood", "from": back}
    )

    assert (response.status_code, response["Location"]) == (302, back)
    made = Adjudication.objects.get()
    assert (made.rating, made.reason, made.by) == (5, "the same flood", rated.study.owner)
    assert "Adjudicated b in phase 1: 5" in text(client.get(url(rated.study, "history")))


def test_one_item_follows_another(client: Client, rated: Rated) -> None:
    decide(rated, "c")

    response = client.post(address(rated, "b"), {"value": "5", "reason": "x", "go": "next"})

    # c is decided already.
    assert response["Location"].startswith(address(rated, "a"))
    last = client.post(response["Location"], {"value": "5", "reason": "x", "go": "next"})
    assert last["Location"] == url(rated.study, "adjudications")


@pytest.mark.parametrize(
    "elsewhere",
    [
        "https://example.org/",
        "//example.org/",
        "/admin/",
        "javascript:alert(1)",
        "/\\example.org",
        "/admin/annotation/study/{study}/../../../logout/",
        "https://example.org/admin/annotation/study/{study}/",
    ],
)
def test_nobody_is_led_elsewhere(client: Client, rated: Rated, elsewhere: str) -> None:
    elsewhere = elsewhere.format(study=rated.study.pk)

    response = client.post(address(rated, "b"), {"value": "5", "reason": "x", "from": elsewhere})

    assert response["Location"] == url(rated.study, "adjudications")


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({}, "Choose a value of the scale."),
        ({"value": "3"}, "Enter a reason. It is stored with your decision."),
        ({"value": "7", "reason": "x"}, "7 is not one of the available choices"),
        ({"value": "2.5", "reason": "x"}, "2.5 is not one of the available choices"),
        ({"value": "3", "reason": "a\x00b"}, "Null characters are not allowed"),
        ({"value": "3", "reason": "x" * 2001}, "at most 2000 characters"),
    ],
)
def test_what_is_missing_or_wrong_is_said_and_what_was_typed_stays(
    client: Client, rated: Rated, sent: dict[str, str], sentence: str
) -> None:
    response = client.post(address(rated, "b"), sent)

    assert response.status_code == 400
    assert sentence in text(response)
    assert not Adjudication.objects.exists()


def test_what_another_expert_decided_meanwhile_is_shown_and_replaced_knowingly(
    client: Client, rated: Rated
) -> None:
    form = {"value": "5", "reason": "mine", "seen": "0"}
    decide(rated, "b", "1", by=make_user("ada"))

    told = client.post(address(rated, "b"), form)
    seen = told.context["form"]["seen"].value()
    again = client.post(address(rated, "b"), {**form, "seen": seen})

    assert told.status_code == 400
    assert "ada decided: 1" in text(told)
    assert ">mine</textarea>" in text(told).replace("\n", "")
    assert again.status_code == 302
    assert Adjudication.objects.current().get().rating == 5


def test_a_decision_can_be_changed_from_what_it_is(client: Client, rated: Rated) -> None:
    made = decide(rated, "b", "1")

    page = client.get(address(rated, "b"))
    client.post(address(rated, "b"), {"value": "2", "reason": "no", "seen": str(made.pk)})

    assert page.context["form"]["value"].value() == "1"
    assert Adjudication.objects.current().get().rating == 2


def test_a_scale_of_many_points_takes_a_typed_number() -> None:
    scale = {"low": "0.00", "high": "4.00", "step": "0.01"}
    rated = make_rated(("a",), scale=scale)
    client = signed_in(rated.study.owner)

    page = text(client.get(address(rated, "a")))
    refused = client.post(address(rated, "a"), {"value": "4.01", "reason": "x"})
    no_number = client.post(address(rated, "a"), {"value": "much", "reason": "x"})
    client.post(address(rated, "a"), {"value": "3,25", "reason": "x"})

    assert "From 0.00 to 4.00 in steps of 0.01." in page
    assert "4.01 is not on the scale" in text(refused)
    assert "Choose a value of the scale." in text(no_number)
    assert Adjudication.objects.get().rating == Decimal("3.25")


@pytest.mark.parametrize("is_several", [False, True])
def test_of_labels_categories_are_chosen(*, is_several: bool) -> None:
    rated = make_labelled(is_several=is_several)
    label(rated, {"a": ["same"]})
    label(rated, {"a": ["unclear"]})
    client = signed_in(rated.study.owner)

    page = in_one_line(text(client.get(address(rated, "a"))))
    listed = text(client.get(url(rated.study, "adjudications")))
    wrong = client.post(address(rated, "a"), {"value": "else", "reason": "x"})
    client.post(address(rated, "a"), {"value": "other", "reason": "x"})

    assert f'type="{"checkbox" if is_several else "radio"}"' in page
    assert "<dd>none</dd>" in page
    assert "Standard deviation" not in listed
    assert wrong.status_code == 400
    assert Adjudication.objects.get().categories == ["other"]
    assert client.get(address(rated, "a")).status_code == 200


def test_an_expert_reads_the_question_and_what_the_categories_mean() -> None:
    rated = make_labelled()
    study, item = rated.study, rated.items["a"]
    label(rated, {"a": ["same"]})
    study.rating_question = "Which error is it?"
    study.categories = {**study.categories, "explanations": {"same": "Either could stand there."}}
    study.save()
    turn = add_context(study, "report", ["Before.", "Asked."])[1]
    item.candidate_text, item.candidate_turn = None, turn
    item.save()
    study.design.phases.update(condition=DEPENDENT)
    client = signed_in(study.owner)

    page = text(client.get(address(rated, "a")))
    decided = client.post(address(rated, "a"), {"value": "other", "reason": "x"}, follow=True)
    taken_back = client.post(
        url(study, "lift_adjudication", Adjudication.objects.get().pk), follow=True
    )

    assert "Which error is it?" in page
    assert "Either could stand there." in page
    assert "judged</span>" in page
    assert "rated</span>" not in page
    # With one phase there are no parts to tell apart.
    assert said(decided) == ["Adjudicated a: other"]
    assert said(taken_back) == ["Took back the decision on a."]


def test_an_item_of_another_study_or_of_no_such_phase_is_not_found(
    client: Client, rated: Rated
) -> None:
    other = make_rated()

    assert client.get(url(rated.study, "adjudicate", other.items["a"].pk, 1)).status_code == 404
    assert client.get(address(rated, "a", 3)).status_code == 404


# -- Taking back --------------------------------------------------------------------------------


def test_a_decision_is_taken_back(client: Client, rated: Rated) -> None:
    made = decide(rated, "b")
    back = f"{url(rated.study, 'adjudications')}?show=decisions"

    response = client.post(url(rated.study, "lift_adjudication", made.pk), {"from": back})
    again = client.post(url(rated.study, "lift_adjudication", made.pk), follow=True)

    assert response["Location"] == back
    assert not Adjudication.objects.current().exists()
    assert said(again) == ["Took back the decision on b in phase 1."]  # said once


def test_a_decision_of_another_study_is_not_found(client: Client, rated: Rated) -> None:
    other = make_rated()
    made = decide(other, "a")

    assert client.post(url(rated.study, "lift_adjudication", made.pk)).status_code == 404


# -- The results --------------------------------------------------------------------------------


def test_the_table_of_items_has_what_is_final_and_leads_to_the_expert(
    client: Client, rated: Rated
) -> None:
    decide(rated, "b", "5")

    response = client.get(url(rated.study, "result_items"), {"sort": "-final1"})

    (first, *_rest) = response.context["rows"]
    assert (first.item.key, first.phases[0].adjudicated, first.phases[0].final) == ("b", 5, 5)
    assert (first.phases[0].mean, first.phases[1].adjudicated, first.phases[1].final) == (
        3,
        None,
        5,
    )
    assert f"{address(rated, 'b')}?from=" in text(response)
    assert "sort%3D-final1" in first.phases[0].address


def test_where_nobody_decided_the_table_has_no_columns_for_it(
    client: Client, rated: Rated
) -> None:
    page = text(client.get(url(rated.study, "result_items"), {"sort": "final1"}))

    assert "final 1" not in page
    assert f"{address(rated, 'b')}?from=" in page


def test_the_download_page_says_whose_names_are_in_the_files(client: Client, rated: Rated) -> None:
    before = text(client.get(url(rated.study, "download")))
    decide(rated, "a")

    assert "without their names" not in before
    assert "without their names" in text(client.get(url(rated.study, "download")))


def test_simulated_answers_have_no_expert(client: Client, rated: Rated) -> None:
    rated.answer({"a": 3}, {"a": 3}, source=Source.SIMULATED)
    decide(rated, "a", "5")

    response = client.get(url(rated.study, "result_items"), {"population": "simulated"})

    assert response.context["rows"][0].phases[0].final == 3
    assert "Adjudicate" not in text(response)


def test_the_results_say_how_many_items_are_decided(client: Client, rated: Rated) -> None:
    jobs.run_here(study=rated.study, kind=Job.Kind.SCORE, parameters={"population": "people"})
    decide(rated, "a")

    page = text(client.get(url(rated.study, "results")))

    assert "1 item has been adjudicated" in page
    assert "All figures on this page use only the annotators' answers." in " ".join(page.split())
    assert "Outdated." not in page


def test_the_table_of_labels_leads_to_the_expert_too() -> None:
    rated = make_labelled()
    label(rated, {"a": ["same"]})
    client = signed_in(rated.study.owner)
    jobs.run_here(study=rated.study, kind=Job.Kind.SCORE, parameters={"population": "people"})
    items = url(rated.study, "result_items")

    before = text(client.get(items))
    client.post(address(rated, "a"), {"value": "other", "reason": "x"})
    after = text(client.get(items))

    assert f"{address(rated, 'a')}?from=" in before
    assert '<span class="tag">adjudicated</span>' in after
    results = text(client.get(url(rated.study, "results")))
    assert "1 item has been adjudicated" in results
    assert url(rated.study, "adjudications") in results


def test_a_colleague_decides_in_a_shared_study(rated: Rated) -> None:
    colleague = make_user()
    rated.study.shared_with.add(colleague)

    signed_in(colleague).post(address(rated, "b"), {"value": "5", "reason": "x"})

    assert Adjudication.objects.get().by == colleague


def test_a_strangers_decision_is_not_stored(rated: Rated) -> None:
    response = signed_in().post(address(rated, "b"), {"value": "5", "reason": "x"})

    assert response.status_code == 404
    assert not Adjudication.objects.exists()


def test_a_draft_says_that_nothing_can_be_decided_yet(client: Client, rated: Rated) -> None:
    Study.objects.filter(pk=rated.study.pk).update(state="draft")

    assert "Open the study first" in text(client.get(url(rated.study, "adjudications")))
