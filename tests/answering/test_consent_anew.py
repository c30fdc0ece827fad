"""Consent asked anew: before the next question, and never at the cost of an answer."""

import pytest
from django.http import HttpResponse
from django.test import Client

from annotation.answering.services import assignments, instructions, rosters, withdrawal
from annotation.answering.services import consents as stopping
from annotation.core.queries import consents
from annotation.kinds.described import EVERYBODY, NEW_PEOPLE
from annotation.models import (
    Annotator,
    Assignment,
    Consent,
    ConsentRefusal,
    Draft,
    Judgment,
    PhaseRun,
    Study,
    Visit,
)
from annotation.models.kinds import Outcome, Source
from annotation.studies.services import studies
from tests.crowds.test_launches import come, look, panel
from tests.crowds.test_visits import enter, fresh, html
from tests.crowds.test_visits import post as post_in
from tests.support import rating
from tests.support.annotating import Participant, read, watched
from tests.support.answering import answer_all, answer_one
from tests.support.clock import Clock
from tests.support.crowds import make_listing
from tests.support.factories import join, make_open_study

pytestmark = pytest.mark.django_db

NEW = "We also keep **the time** of each answer."
WHAT_IS_NEW = "The time of each answer is kept, too."


def publish(study: Study, text: str = NEW, *, asks: bool = True, changes: str = "") -> Study:
    who = EVERYBODY if asks else NEW_PEOPLE
    return studies.edit(
        study=study,
        changes={"consent": text, "consent_asks": who, "consent_changes": changes},
    )


def text(response: HttpResponse) -> str:
    return response.content.decode()


@pytest.fixture
def somebody() -> Participant:
    return Participant(make_open_study(dialogues=4, parameters={"screens_per_booklet": 3}))


def led_to(somebody: Participant, rest: str) -> str:
    """Where a page leads, without following."""
    answer = somebody.get(rest)
    return answer.headers.get("Location", "").removeprefix(somebody.url())


def agree(somebody: Participant, rest: str = "consent/") -> HttpResponse:
    form = read(somebody.get(rest)).forms[somebody.url("consent/")]
    return somebody.post("consent/", {**form, "do": "agree"})


def test_the_next_page_asks_and_agreeing_leads_back_to_the_same_screen(
    somebody: Participant, clock: Clock
) -> None:
    first, second = somebody.questions(1)
    somebody.save(first, somebody.choice(first))
    somebody.save(second, somebody.choice(second, worst="", sequence="2", **OTHER_KEY))
    screen_2 = somebody.filled(2)
    clock.move(hours=1)
    publish(somebody.study, changes=WHAT_IS_NEW)

    for rest in ("s/1/", "s/3/", "overview/", "", "instructions/"):
        asked = led_to(somebody, rest)
        assert asked in {"consent/", "consent/?screen=1", "consent/?screen=3", ""}, rest
        assert "q" not in asked
    # What was before them when it was published is saved, with and without a script.
    sent = somebody.post("s/2/", {**screen_2, "go": "next"})
    assert sent["Location"] == somebody.url("s/3/")
    assert Judgment.objects.count() == 1 + len(somebody.questions(2))
    assert led_to(somebody, "s/3/") == "consent/?screen=3"

    page = text(somebody.get("consent/?screen=3"))
    for said in (WHAT_IS_NEW, "<strong>the time</strong>", "Your answers are saved"):
        assert said in page, said
    assert "What is this about?" in page  # the text before, too
    assert agree(somebody, "consent/?screen=3")["Location"] == somebody.url("s/3/")

    assert somebody.get("s/3/").status_code == 200
    assert Draft.objects.count() == 1
    given = Consent.objects.order_by("text__version").values_list("text__version", "given_at")
    assert [version for version, _at in given] == [1, 2]
    assert given[1][1] == clock.time
    # Once is enough.
    assert led_to(somebody, "").partition("#")[0] == "s/1/"
    assert somebody.get("consent/")["Location"] == somebody.url()


OTHER_KEY = {"idempotency_key": "b5a5e0a8-5e0f-4f0e-9d3a-0d5a6f0c1b12"}


def test_nobody_is_asked_unless_the_researcher_says_so(somebody: Participant) -> None:
    publish(somebody.study, asks=False)

    assert led_to(somebody, "").partition("#")[0] == "s/1/"
    # Asked about the same text after all.
    publish(somebody.study)
    assert led_to(somebody, "") == "consent/"
    assert somebody.study.consent_texts.count() == 2


def test_an_answer_from_a_page_shown_before_is_saved_and_acknowledged(
    somebody: Participant,
) -> None:
    question = somebody.questions(1)[0]
    choice = somebody.choice(question)
    publish(somebody.study)

    assert somebody.save(question, choice).json()["state"] == "saved"
    assert somebody.save(question, choice).json()["state"] == "saved"
    assert Judgment.objects.count() == 1


def test_a_form_from_nowhere_shows_no_question_before_they_agree(
    somebody: Participant,
) -> None:
    """Else its problems would, with what is needed to answer, screen by screen to the end."""
    seen = somebody.form(1)
    publish(somebody.study)
    other = Participant(somebody.study)
    of_other = {name: sent for name, sent in seen.items() if name.endswith("-shown")}

    for sent in ({}, {"go": "next"}, seen):
        answer = somebody.post("s/2/", sent)
        assert answer.headers.get("Location") == somebody.url("consent/?screen=2"), sent
    Annotator.objects.filter(pk=other.annotator.pk).update(consent_version=1)
    answer = other.post("s/1/", of_other)
    assert answer.headers.get("Location") == other.url("consent/?screen=1")
    # A form with something missing is shown again, with what was sent: no new question.
    again = somebody.post("s/1/", {**seen, "go": "next"})
    assert again.status_code == 400
    assert [*read(again).forms[somebody.url("s/1/")]] == [*seen]


def test_what_is_wrong_with_a_screen_is_shown_before_anything_is_asked(
    somebody: Participant,
) -> None:
    filled = somebody.filled(1)
    pk = somebody.questions(1)[0].pk
    publish(somebody.study)

    filled[f"q{pk}-worst"] = filled[f"q{pk}-best"]
    response = somebody.post("s/1/", {**filled, f"q{pk}-comment": "Mine.", "go": "next"})

    assert response.status_code == 400
    assert "Mine." in text(response)


def test_whoever_answered_everything_sends_it_and_is_not_asked(somebody: Participant) -> None:
    somebody.answer_everything()
    publish(somebody.study)

    assert led_to(somebody, "") == "overview/"
    assert somebody.get("overview/").status_code == 200
    assert somebody.post("submit/")["Location"] == somebody.url()
    assert "received your answers" in text(somebody.get())
    assert not consents.unanswered(Study.objects.get()).exists()


def test_another_set_is_not_shown_before_they_agree() -> None:
    study = make_open_study(dialogues=4, max_booklets=2, parameters={"annotations_per_tuple": 2})
    somebody = Participant(study)
    somebody.answer_everything()
    somebody.post("submit/")
    publish(study)

    somebody.post("more/")

    assert led_to(somebody, "") == "consent/"
    assert led_to(somebody, "s/1/") == "consent/?screen=1"


def test_whoever_does_not_agree_stops_and_keeps_what_they_answered(
    somebody: Participant, clock: Clock
) -> None:
    question, later = somebody.questions(1)
    answer_one(somebody.assignment, question)
    open_tab = somebody.choice(later, **OTHER_KEY)
    publish(somebody.study)
    page = text(somebody.get("consent/"))
    assert somebody.url("stop/") in page
    offered = text(somebody.get("stop/"))
    assert somebody.url("withdraw/") in offered
    assert Assignment.objects.get().state == Assignment.State.ACTIVE

    assert somebody.post("stop/")["Location"] == somebody.url()

    assert "You have stopped" in text(somebody.get())
    assert Judgment.objects.current().count() == 1
    # The place is free, and nothing more is taken from a tab that stayed open.
    assert Assignment.objects.get().state == Assignment.State.LAPSED
    late = somebody.save(later, open_tab)
    assert late.status_code == 409
    assert late.json()["error"] == str(assignments.STOPPED)
    assert Judgment.objects.count() == 1
    assert somebody.post("submit/", headers={"accept": "application/json"}).status_code == 409
    assert [one.pseudonym for one in consents.stopped(Study.objects.get())] == [
        somebody.annotator.pseudonym
    ]
    assert not consents.unanswered(Study.objects.get()).exists()
    clock.move(minutes=3)
    # They may change their mind.
    assert agree(somebody).status_code == 303
    assert somebody.save(later, open_tab).status_code == 200
    assert not consents.stopped(Study.objects.get()).exists()
    refused = ConsentRefusal.objects.get()
    assert (refused.text.version, refused.at < clock.time) == (2, True)


def test_whoever_agreed_in_another_tab_a_moment_ago_is_not_stopped(
    somebody: Participant,
) -> None:
    publish(somebody.study)
    # As the page read them, before they agreed.
    before = Annotator.objects.select_related("study").get()
    assert agree(somebody).status_code == 303

    stopping.stop(annotator=before, visit=None)

    assert Assignment.objects.get().state == Assignment.State.ACTIVE
    assert not ConsentRefusal.objects.exists()
    assert led_to(somebody, "").partition("#")[0] == "s/1/"


def test_after_a_refusal_a_later_text_is_asked_about_and_old_tabs_stay_closed(
    somebody: Participant,
) -> None:
    question = somebody.questions(1)[0]
    open_tab = somebody.choice(question)
    publish(somebody.study)
    somebody.post("stop/")
    publish(somebody.study, "A third text.", changes="Milder.")

    assert led_to(somebody, "") == "consent/"
    assert somebody.save(question, open_tab).status_code == 409
    page = text(somebody.get("consent/"))
    assert "A third text." in page
    assert agree(somebody).status_code == 303
    assert somebody.save(question, open_tab).status_code == 200
    assert sorted(Consent.objects.values_list("text__version", flat=True)) == [1, 3]


def test_whoever_stopped_with_everything_answered_finds_the_text_and_not_a_dead_end(
    somebody: Participant,
) -> None:
    *others, last = somebody.questions(1) + somebody.questions(2) + somebody.questions(3)
    for question in others:
        answer_one(somebody.assignment, question)
    open_tab = somebody.choice(last)
    publish(somebody.study)
    # One question was open when they chose to stop; another tab answered it just then.
    assert somebody.save(last, open_tab).status_code == 200
    somebody.post("stop/")
    assert somebody.post("submit/").status_code == 409

    assert somebody.url("consent/") in text(somebody.get())
    assert led_to(somebody, "overview/") == "consent/"
    agree(somebody)
    assert led_to(somebody, "") == "overview/"
    assert somebody.post("submit/")["Location"] == somebody.url()


def test_what_changed_is_said_of_each_version_since_theirs(somebody: Participant) -> None:
    publish(somebody.study, "Two.", changes="First change.")
    publish(somebody.study, "Three.", asks=False, changes="Second change.")

    page = text(somebody.get("consent/"))

    assert page.index("First change.") < page.index("Second change.") < page.index("Three.")
    assert "Two." not in page
    agree(somebody)
    assert somebody.annotator.consent_version == 3


def test_agreeing_to_a_text_that_was_replaced_meanwhile_shows_the_new_one(
    somebody: Participant,
) -> None:
    publish(somebody.study)
    form = read(somebody.get("consent/?screen=2")).forms[somebody.url("consent/")]
    publish(somebody.study, "A third text.")

    again = somebody.post("consent/", {**form, "do": "agree"})

    assert again.status_code == 400
    assert "The text has changed since you opened it" in text(again)
    assert "A third text." in text(again)
    assert Consent.objects.count() == 1
    form = read(again).forms[somebody.url("consent/")]
    assert form["screen"] == "2"
    for wrong in ({}, {**form, "do": "maybe"}, {"consent": "9" * 30, "do": "agree"}):
        assert somebody.post("consent/", wrong).status_code == 400, wrong
    assert somebody.post("consent/", {**form, "do": "agree", "screen": "77"}).status_code == 303


def test_somebody_who_withdrew_is_asked_nothing(somebody: Participant) -> None:
    publish(somebody.study)
    withdrawal.withdraw(annotator=somebody.annotator)

    assert "You have withdrawn" in text(somebody.get())
    for rest in ("consent/", "stop/"):
        assert somebody.get(rest)["Location"] == somebody.url()
        assert somebody.post(rest, {"do": "agree"}).status_code == 409
    assert not consents.unanswered(Study.objects.get()).exists()


def test_simulated_people_and_those_on_a_roster_who_have_not_begun_are_not_asked() -> None:
    study = make_open_study(dialogues=2)
    simulated = join(study)
    Annotator.objects.filter(pk=simulated.annotator.pk).update(source=Source.SIMULATED)
    instructions.begin(annotator=simulated.annotator)
    [entry] = rosters.add_roster(study=study, entries=[rosters.RosterEntry("s1")])
    publish(study)

    assert Client().get(f"/a/{simulated.key}/")["Location"].endswith("/s/1/")
    assert NEW.split("**")[1] in text(Client().get(f"/a/{entry.key}/"))
    assert Client().get(f"/a/{entry.key}/consent/")["Location"] == f"/a/{entry.key}/"
    Client().post(f"/a/{entry.key}/", {"agree": "1", "consent": "2"})
    assert Client().get(f"/a/{entry.key}/")["Location"].endswith("/instructions/")


def test_the_second_phase_asks_before_it_opens(clock: Clock) -> None:
    study = rating.make_rating_study(pairs=2, phases=rating.TWICE)
    joined = rating.join(study)
    rating.rate_phase(joined.assignment)
    address, client = f"/a/{joined.key}/", Client()
    assert client.get(address).status_code == 200  # waiting
    publish(study)

    assert client.get(address)["Location"] == f"{address}consent/"
    form = read(client.get(f"{address}consent/")).forms[f"{address}consent/"]
    clock.move(hours=73)
    assert client.get(address)["Location"] == f"{address}consent/"
    client.post(f"{address}consent/", {**form, "do": "agree"})
    assert "The next part is open" in text(client.get(address))


def test_whoever_stops_between_two_phases_keeps_the_first(clock: Clock) -> None:
    study = rating.make_rating_study(pairs=2, phases=rating.TWICE)
    joined = rating.join(study)
    rating.rate_phase(joined.assignment)
    PhaseRun.objects.filter(phase__number=2).update(reminder_email="a@mail.example")
    publish(study)

    Client().post(f"/a/{joined.key}/stop/")

    assignment = Assignment.objects.get()
    assert not PhaseRun.objects.exclude(reminder_email="").exists()
    assert assignment.state == Assignment.State.LAPSED
    assert assignment.runs.get(phase__number=1).is_counted
    assert Judgment.objects.current().count() == 2
    # Somebody else takes the place.
    assert rating.join(study).assignment.place_id == assignment.place_id


def test_too_late_for_a_phase_is_said_and_nothing_asked(clock: Clock) -> None:
    study = rating.make_rating_study(pairs=2, phases=rating.TWICE)
    joined = rating.join(study)
    rating.rate_phase(joined.assignment)
    publish(study)
    clock.move(days=60)

    assert Client().get(f"/a/{joined.key}/").status_code == 200


def test_on_a_platform_stopping_ends_the_sitting_with_its_outcome_and_code() -> None:
    study = make_open_study(
        dialogues=2, parameters={"annotations_per_tuple": 5, "questions_per_screen": 1}
    )
    entered = enter(make_listing(study))
    question = fresh(entered).run.questions.first()
    answer_one(fresh(entered).run.assignment, question)
    publish(study)
    assert post_in(entered, "consent/", do="maybe").status_code == 400

    assert "The people who run the study decide what you are paid" in html(entered, "stop/")
    post_in(entered, "stop/")

    visit = fresh(entered)
    assert (visit.state, visit.outcome) == (Visit.State.ENDED, Outcome.NO_CONSENT)
    assert visit.receipt_hash
    last = html(entered)
    assert "You have stopped" in last
    assert "You did not agree" not in last
    # The code is to be typed: nobody is told before it that they may go.
    assert "CODE-NO_CONSENT" in last
    assert "Everything is saved" in last
    assert "nothing more is needed" not in last
    assert Judgment.objects.current().count() == 1
    assert visit.run.assignment.state == Assignment.State.LAPSED


def test_a_sitting_opened_again_calls_no_answers_kept_that_were_withdrawn() -> None:
    study = make_open_study(dialogues=2)
    listing = make_listing(study)
    own = come(listing, **panel())["Location"]
    answer_all(Assignment.objects.get())
    assert "Your answers are kept" in text(look(listing, **panel()))
    publish(study)

    Client().post(f"{own}withdraw/", {"confirm": "1"})

    again = text(look(listing, **panel()))
    assert "You have withdrawn from this study." in again
    assert "Your answers are kept" not in again


def test_each_new_sitting_agrees_to_the_latest_and_is_not_asked_again() -> None:
    study = make_open_study(
        dialogues=4,
        max_booklets=2,
        parameters={"annotations_per_tuple": 5, "screens_per_booklet": 2},
    )
    listing = make_listing(study)
    first = enter(listing)
    answer_all(fresh(first).run.assignment)
    post_in(first, "submit/")
    publish(study)

    second = enter(listing, submission="A2")

    assert fresh(second).run.assignment.annotator.consent_version == 2
    assert html(second, "s/1/").count("<form")


def test_pages_and_answers_ask_the_database_no_more_than_before(somebody: Participant) -> None:
    def n(work) -> int:
        with watched() as queries:
            work()
        return len(queries)

    question = somebody.questions(1)[0]
    choice = somebody.choice(question)
    before = n(lambda: somebody.get("s/1/"))
    publish(somebody.study)
    agree(somebody)

    assert n(lambda: somebody.get("s/1/")) == before
    with watched() as queries:
        somebody.save(question, choice)
    assert not [q for q in queries if "consent" in q["sql"].split("FROM")[-1].split("WHERE")[-1]]
