"""Answering the questions about people: when they come, what is kept, whom they screen out."""

import pytest
from django.http import HttpResponse
from django.test import Client

from annotation.answering.services import pending_questions, phases, withdrawal
from annotation.models import Assignment, QuestionnaireReply, Visit
from annotation.models.kinds import Outcome
from tests.crowds.test_launches import come, panel
from tests.questionnaires.forms import AFTER, BEFORE, make_asking_study
from tests.support.annotating import Participant, watched
from tests.support.clock import Clock
from tests.support.crowds import make_listing
from tests.support.rating import TWICE, join, make_rating_study, rate_phase

pytestmark = pytest.mark.django_db

RIGHT = {"age": "30", "first_language": "en"}
ENDED = {"effort": "2", "agree:clear": "yes", "agree:fun": "no"}


def led_to(response: HttpResponse, somebody: Participant) -> str:
    assert response.status_code == 303, response.content.decode()
    return response["Location"].removeprefix(somebody.url())


@pytest.fixture
def somebody() -> Participant:
    return Participant(make_asking_study(before=BEFORE, after=AFTER))


def reply_of(somebody: Participant, moment: str = "before") -> QuestionnaireReply:
    return QuestionnaireReply.objects.get(annotator=somebody.annotator, moment=moment)


def errors(response: HttpResponse) -> set[str]:
    assert response.status_code == 400
    return {each.question.key for each in response.context["problems"]}


def test_the_questions_come_before_the_first_screen_and_before_sending(
    somebody: Participant,
) -> None:
    for page in ("", "s/1/", "overview/"):
        assert led_to(somebody.get(page), somebody) == "about/before/", page
    # Those of the end are not open yet.
    assert led_to(somebody.get("about/after/"), somebody) == ""

    assert led_to(somebody.post("about/before/", RIGHT), somebody) == "s/1/"
    assert led_to(somebody.get(), somebody) == "s/1/"
    assert led_to(somebody.get("about/before/"), somebody) == ""
    assert led_to(somebody.get("about/after/"), somebody) == ""

    somebody.answer_everything()
    assert led_to(somebody.post("submit/"), somebody) == "about/after/"
    assert somebody.get("about/after/").status_code == 200
    assert phases.latest(somebody.assignment).completed_at is None
    assert led_to(somebody.post("about/after/", ENDED), somebody) == ""
    assert phases.latest(somebody.assignment).completed_at is not None
    assert reply_of(somebody, "after").values == {
        "effort": 2,
        "agree": {"clear": "yes", "fun": "no"},
    }
    # What was answered once stays.
    assert led_to(somebody.post("about/after/", {**ENDED, "effort": "5"}), somebody) == ""
    assert reply_of(somebody, "after").values["effort"] == 2


def test_what_is_missing_or_does_not_fit_is_named_and_the_rest_is_kept(
    somebody: Participant,
) -> None:
    assert errors(somebody.post("about/before/", {})) == {"age", "first_language"}
    for age in ("old", "9", "121", "1e400", "nan"):
        assert errors(somebody.post("about/before/", {**RIGHT, "age": age})) == {"age"}, age
    for language in ("fr", ["en", "other"]):
        sent = {**RIGHT, "first_language": language}
        assert errors(somebody.post("about/before/", sent)) == {"first_language"}
    # A question that depends on another one is required only of whom it is shown to.
    response = somebody.post("about/before/", {**RIGHT, "first_language": "other", "which": " "})
    assert errors(response) == {"which"}
    draft = reply_of(somebody)
    assert draft.completed_at is None
    assert draft.values == {"age": 30, "first_language": "other"}
    form = somebody.get("about/before/").context["form"]
    assert [each.chosen for each in form.questions] == [["30"], ["other"], []]


def test_a_hidden_answer_is_dropped_and_declining_outweighs_an_answer(
    somebody: Participant,
) -> None:
    sent = {"age": "30,0", "first_language": "other", "first_language:declined": "1", "which": "x"}
    somebody.post("about/before/", sent)
    reply = reply_of(somebody)
    assert reply.completed_at is not None
    assert reply.values == {"age": 30}
    assert reply.declined == ["first_language"]


def test_only_what_may_be_declined_can_be(somebody: Participant) -> None:
    sent = {**RIGHT, "age": "", "age:declined": "1"}
    assert errors(somebody.post("about/before/", sent)) == {"age"}


def test_a_draft_is_saved_as_it_is_and_asks_for_nothing(somebody: Participant) -> None:
    json = {"headers": {"accept": "application/json"}}
    response = somebody.post("about/before/", {"age": "44", "as:draft": "1"}, **json)
    assert response.json() == {"state": "draft", "unfit": []}
    assert reply_of(somebody).values == {"age": 44}
    assert led_to(somebody.get(), somebody) == "about/before/"
    # What does not fit is in no draft, and the page is told so.
    typed = {"age": "old", "first_language": "en", "as:draft": "1"}
    assert somebody.post("about/before/", typed, **json).json()["unfit"] == ["age"]
    assert reply_of(somebody).values == {"first_language": "en"}
    # A tab that was left open saves nothing over what was sent.
    somebody.post("about/before/", RIGHT)
    late = somebody.post("about/before/", {"age": "44", "as:draft": "1"}, **json)
    assert late.status_code == 409
    assert reply_of(somebody).values["age"] == 30


def test_an_answer_can_end_the_study_for_a_person_whose_place_is_free_again(
    somebody: Participant,
) -> None:
    somebody.post("about/before/", {**RIGHT, "age": "17"})
    assert reply_of(somebody).screened_out
    assert "answering/screened_out.html" in [t.name for t in somebody.get().templates]
    somebody.assignment.refresh_from_db()
    assert somebody.assignment.state == Assignment.State.LAPSED
    for page in ("s/1/", "overview/"):
        assert somebody.get(page).status_code == 409, page
    assert somebody.post("more/").status_code == 409
    assert somebody.post("submit/").status_code in {400, 409}


def test_somebody_screened_out_on_a_platform_is_led_back_with_its_code() -> None:
    listing = make_listing(make_asking_study(before=BEFORE))
    own = come(listing, **panel())["Location"]
    assert Client().get(own)["Location"] == f"{own}about/before/"
    Client().post(f"{own}about/before/", {**RIGHT, "age": "17"})
    visit = Visit.objects.get()
    assert visit.state == Visit.State.ENDED
    assert visit.outcome == Outcome.SCREENED_OUT
    last_page = Client().get(own)
    assert "CODE-SCREENED_OUT" in last_page.content.decode()
    assert last_page.context["is_about_person"]


def test_questions_between_come_when_the_second_part_is_open(clock: Clock) -> None:
    study = make_rating_study(phases=TWICE)
    rested = {"key": "rested", "kind": "text", "text": "Did you rest?"}
    study.questionnaires = {"between": {"questions": [rested]}}
    study.save()
    joined = join(study)
    page = f"/a/{joined.key}/about/between/"
    rate_phase(joined.assignment)
    assert Client().get(page)["Location"] == f"/a/{joined.key}/"

    clock.move(hours=73)
    assert Client().get(f"/a/{joined.key}/s/1/")["Location"] == page
    # It leads on at once, and not to the page that says that the part is open.
    assert "/s/1/" in Client().post(page, {"rested": "a little"})["Location"]
    assert Client().get(f"/a/{joined.key}/s/1/").status_code == 200


def test_withdrawing_deletes_the_answers(somebody: Participant) -> None:
    somebody.post("about/before/", RIGHT)
    withdrawal.withdraw(annotator=somebody.annotator)
    assert not QuestionnaireReply.objects.exists()
    assert somebody.post("about/before/", RIGHT).status_code == 409
    assert not QuestionnaireReply.objects.exists()


def test_a_study_without_questions_asks_the_database_nothing_more() -> None:
    somebody = Participant(make_asking_study())
    run = phases.latest(somebody.assignment)
    with watched() as queries:
        assert pending_questions.pending(run, somebody.study) == ""
        assert pending_questions.pending_at_end(run, somebody.study) == ""
    assert not queries.captured_queries
