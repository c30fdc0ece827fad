"""Coming by a platform: the address, the consent page, the way in, and whom it refuses."""

import re

import pytest
from django.core import signing
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from annotation.answering.services import assignments, judgments, rosters, visits
from annotation.basics import keys
from annotation.basics.errors import NothingLeftError, StateError
from annotation.crowds.services import decisions, launch_room, publishing
from annotation.designs.services import designs, pilots
from annotation.models import (
    Annotator,
    Assignment,
    Judgment,
    Listing,
    Person,
    PhaseRun,
    Place,
    Throttle,
    Visit,
)
from annotation.models.kinds import CrowdPlatform, Outcome
from annotation.studies.services import studies
from tests.support import crowds, rating
from tests.support.annotating import read, watched, writes
from tests.support.answering import answer_all, answer_one, draft_one
from tests.support.clock import Clock
from tests.support.crowds import make_listing, make_ticket
from tests.support.factories import make_open_study, make_study
from tests.support.researcher_pages import in_one_line, signed_in, url

pytestmark = pytest.mark.django_db

TINY = {"annotations_per_tuple": 5, "questions_per_screen": 1}


@pytest.fixture(autouse=True)
def one_network_for_all(settings) -> None:
    """Everybody comes from the same address here; `test_floods_by_network` is about that."""
    settings.JOINS_PER_ADDRESS_PER_HOUR = 1000


@pytest.fixture
def listing() -> Listing:
    return make_listing(make_open_study(dialogues=1, parameters=TINY))


@pytest.fixture
def framed(monkeypatch) -> Listing:
    crowds.use_framed(monkeypatch)
    made = make_listing(
        make_open_study(dialogues=1, parameters=TINY),
        platform=CrowdPlatform.MTURK,
        environment="sandbox",
    )
    make_ticket(made)
    return made


def look(listing: Listing, **query: object) -> HttpResponse:
    return Client().get(f"/p/{listing.token}/", query)


def ticket_in(page: HttpResponse) -> str:
    [fields] = read(page).forms.values()
    return fields["ticket"]


def say(listing: Listing, ticket: str, do: str = "agree", **fields: str) -> HttpResponse:
    return Client().post(f"/p/{listing.token}/", {"ticket": ticket, "do": do, **fields})


def panel(person: str = "p1", session: str = "s1") -> dict[str, str]:
    return {"participant": person, "session": session}


def crowd(worker: str = "W1", sitting: str = "A1", hit: str = "HIT1", **more: str):
    return {"worker": worker, "sitting": sitting, "hit": hit, **more}


def come(listing: Listing, do: str = "agree", **query: str) -> HttpResponse:
    """Look, and press a button."""
    return say(listing, ticket_in(look(listing, **query)), do)


def nothing_written() -> bool:
    return not any(
        model.objects.exists() for model in (Visit, Person, Annotator, Assignment, Judgment)
    )


def test_looking_writes_nothing_and_agreeing_takes_a_place(listing: Listing) -> None:
    with watched() as queries:
        page = look(listing, **panel())
    assert page.status_code == 200
    assert writes(queries) == []

    answer = say(listing, ticket_in(page))

    visit = Visit.objects.get()
    assert answer.status_code == 303
    assert answer["Location"].startswith("/a/")
    assert (visit.person.platform_id, visit.submission_id) == ("p1", "s1")
    assert visit.run.assignment.annotator.key_hash is None
    assert visit.run.assignment.annotator.consents.count() == 1
    assert Client().get(answer["Location"]).status_code == 303  # to the instructions


def test_no_page_sets_a_cookie(listing: Listing) -> None:
    client = Client()
    page = client.get(f"/p/{listing.token}/", panel())
    data = {"ticket": ticket_in(page), "do": "agree"}
    answer = client.post(f"/p/{listing.token}/", data)
    client.get(client.get(answer["Location"])["Location"])

    assert not client.cookies
    assert not answer.cookies


def test_agreeing_twice_is_agreeing_once(listing: Listing) -> None:
    ticket = ticket_in(look(listing, **panel()))

    first, second = say(listing, ticket), say(listing, ticket)

    assert first["Location"] == second["Location"]
    assert Visit.objects.count() == Assignment.objects.count() == 1


def test_whoever_does_not_agree_gets_the_code_for_that(listing: Listing) -> None:
    answer = come(listing, "decline", **panel())

    page = Client().get(answer["Location"])
    assert "You are not taking part" in page.content.decode()
    assert "CODE-NO_CONSENT" in page.content.decode()
    assert Visit.objects.get().outcome == Outcome.NO_CONSENT
    assert not Assignment.objects.exists()


def test_whoever_did_not_agree_may_change_their_mind(listing: Listing) -> None:
    come(listing, "decline", **panel())

    come(listing, **panel())

    visit = Visit.objects.get()
    assert (visit.state, visit.outcome) == (Visit.State.WORKING, "")


def test_an_open_sitting_is_gone_on_with_by_a_button_not_by_the_address(listing: Listing) -> None:
    entered = come(listing, **panel())["Location"]

    again = look(listing, **panel())

    assert "You have been here before" in again.content.decode()
    assert entered.split("/")[2] not in again.content.decode()
    assert say(listing, ticket_in(again), "go on")["Location"] == entered


def test_a_signed_launch_leads_on_at_once(framed: Listing) -> None:
    signed = crowd(signed="yes")
    entered = come(framed, **signed)["Location"]

    assert look(framed, **signed)["Location"] == entered
    assert Visit.objects.get().verified_at is not None


def test_of_a_repeated_parameter_the_first_counts(listing: Listing) -> None:
    page = Client().get(f"/p/{listing.token}/?participant=first&session=s&participant=second")
    say(listing, ticket_in(page))

    assert Person.objects.get().platform_id == "first"


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"participant": "p1"},
        {"session": "s1"},
        {"participant": "%PID%", "session": "s"},
        {"participant": "{{%PID%}}", "session": "s"},
        {"participant": "<b>", "session": "s"},
        {"participant": "p" * 101, "session": "s"},
        {"participant": "p\n1", "session": "s"},
        {"participant": "p\x00", "session": "s"},
    ],
)
def test_an_address_that_is_incomplete_says_so(listing: Listing, query: dict[str, str]) -> None:
    page = look(listing, **query)

    assert page.status_code == 400
    assert "incomplete" in page.content.decode()
    assert nothing_written()


@pytest.mark.parametrize("state", [Listing.State.DRAFT])
def test_a_draft_and_an_unknown_token_are_no_study(listing: Listing, state: str) -> None:
    listing.state = state
    listing.save()

    assert look(listing, **panel()).status_code == 404
    assert Client().get("/p/unknown/").status_code == 404
    assert Client().get("/p/un/known").status_code in {302, 404}


def test_other_methods_are_refused_and_head_is_like_get(listing: Listing) -> None:
    address = f"/p/{listing.token}/?participant=p&session=s"

    assert Client().head(address).status_code == 200
    assert Client().put(address).status_code == 405
    assert Client().delete(address)["Allow"] == "GET, POST, HEAD"


@pytest.mark.parametrize("state", [Listing.State.PAUSED, Listing.State.CLOSED])
def test_a_listing_that_takes_nobody_shows_the_code_for_that(listing: Listing, state) -> None:
    listing.state = state
    listing.save()

    page = look(listing, **panel())

    assert "no questions" in page.content.decode()
    assert "CODE-NOTHING_LEFT" in page.content.decode()
    assert nothing_written()


@pytest.mark.parametrize("change", [studies.pause, studies.close, studies.finish])
def test_so_does_a_study_that_takes_nobody(listing: Listing, change) -> None:
    ticket = ticket_in(look(listing, **panel()))
    if change == studies.finish:
        # A study is finished only after its listings; the panel may send people all the same.
        publishing.close(listing=listing, by=listing.study.owner)
    change(study=listing.study)

    assert "CODE-NOTHING_LEFT" in look(listing, **panel()).content.decode()
    answer = say(listing, ticket)
    assert "CODE-NOTHING_LEFT" in Client().get(answer["Location"]).content.decode()
    assert not Assignment.objects.exists()


def test_nothing_left_hurts_nobody_who_comes_again(listing: Listing) -> None:
    ticket = ticket_in(look(listing, **panel()))
    studies.pause(study=listing.study)
    say(listing, ticket)
    studies.open_study(study=listing.study)

    come(listing, **panel())

    assert Visit.objects.get().state == Visit.State.WORKING


def test_a_part_that_the_study_does_not_have_is_said(listing: Listing) -> None:
    listing.phase_number = 7
    listing.save()

    assert look(listing, **panel()).status_code == 400


@pytest.mark.slow
def test_all_places_taken_is_an_outcome(listing: Listing) -> None:
    for n in range(5):
        come(listing, **panel(f"p{n}", f"s{n}"))

    answer = come(listing, **panel("late", "late"))

    assert "CODE-NOTHING_LEFT" in Client().get(answer["Location"]).content.decode()
    assert Assignment.objects.count() == 5


def test_a_preview_shows_instructions_and_consent_and_lets_nobody_in(framed: Listing) -> None:
    framed.study.instructions = "Compare the **texts**."
    framed.study.save()
    with watched() as queries:
        page = look(framed, worker="", sitting=crowds.PREVIEW, hit="HIT1")

    html = page.content.decode()
    assert page.status_code == 200
    assert "<strong>texts</strong>" in html
    assert "<form" not in html
    assert "ticket" not in html
    assert "<button" not in html
    assert writes(queries) == []
    assert nothing_written()


# -- what is forged -------------------------------------------------------------------------------


def test_an_unknown_task_shows_nothing_of_the_study(framed: Listing) -> None:
    page = look(framed, **crowd(hit="OTHER"))

    assert page.status_code == 400
    assert "do not know this task" in page.content.decode()
    assert nothing_written()


def test_a_task_of_another_listing_or_environment_is_unknown(framed: Listing) -> None:
    other = make_listing(framed.study, platform=CrowdPlatform.MTURK, environment="production")
    make_ticket(other, "HIT2")

    assert look(framed, **crowd(hit="HIT2")).status_code == 400
    assert look(other, **crowd(hit="HIT1")).status_code == 400


def test_a_ticket_that_was_changed_is_refused(listing: Listing) -> None:
    ticket = ticket_in(look(listing, **panel()))

    assert say(listing, ticket[:-1] + ("a" if ticket[-1] != "a" else "b")).status_code == 400
    assert say(listing, "").status_code == 400
    assert say(listing, signing.dumps({"launch": {}}, salt="other")).status_code == 400
    assert nothing_written()


def test_a_ticket_of_another_listing_is_refused(listing: Listing) -> None:
    other = make_listing(listing.study)
    elsewhere = make_listing(make_open_study(dialogues=1))
    ticket = ticket_in(look(listing, **panel()))

    assert say(other, ticket).status_code == 400
    assert say(elsewhere, ticket).status_code == 400
    assert nothing_written()


def test_an_old_ticket_is_refused(listing: Listing, monkeypatch) -> None:
    ticket = ticket_in(look(listing, **panel()))
    monkeypatch.setattr("annotation.answering.launch._DAY", -1)

    assert say(listing, ticket).status_code == 400


def test_fields_of_the_form_are_not_believed(listing: Listing) -> None:
    ticket = ticket_in(look(listing, **panel()))

    fields = {"participant": "other", "person_id": "other", "is_signed": "true"}
    say(listing, ticket, **fields)

    visit = Visit.objects.get()
    assert visit.person.platform_id == "p1"
    assert visit.verified_at is None


@pytest.mark.slow
def test_many_unproven_launches_hold_no_more_than_the_task_has(framed: Listing) -> None:
    framed.tickets.update(n_places=1)
    n_at_most = launch_room.SLACK + 1
    for n in range(2 * n_at_most):
        answer = come(framed, **crowd(f"W{n}", f"A{n}"))
        assert answer.status_code == 303
        assert Assignment.objects.holding().count() == min(n + 1, n_at_most)
        if n >= n_at_most:
            visit = Visit.objects.get(submission_id=f"A{n}")
            answer_one(visit.run.assignment, visit.run.questions.first())

    # Each of them is at work now: nobody is silent, who could give way.
    assert come(framed, **crowd("W99", "A99")).status_code == 429
    assert Assignment.objects.holding().count() == n_at_most


@pytest.mark.slow
def test_unproven_launches_with_nothing_but_drafts_keep_nobody_out(
    framed: Listing, clock: Clock, settings
) -> None:
    framed.tickets.update(n_places=1)
    for n in range(launch_room.SLACK + 1):
        come(framed, **crowd(f"W{n}", f"A{n}"))
    for assignment in Assignment.objects.all():
        question = assignment.booklet.questions.order_by("pk")[0]
        draft_one(assignment, question, best=judgments.members(question)[0])
    clock.move(minutes=settings.SILENT_LAUNCH_MINUTES, seconds=1)

    assert come(framed, **crowd("W9", "A9")).status_code == 303


def test_joins_are_throttled_by_address(listing: Listing, settings) -> None:
    settings.LAUNCHES_PER_ADDRESS_PER_HOUR = 2
    statuses = [come(listing, **panel(f"p{n}", f"s{n}")).status_code for n in range(3)]

    assert statuses == [303, 303, 429]


def test_joins_are_throttled_by_task(framed: Listing, settings, clock: Clock) -> None:
    settings.JOINS_PER_TICKET_PLACE_PER_HOUR = 1
    framed.tickets.update(n_places=2)
    statuses = [come(framed, **crowd(f"W{n}", f"A{n}")).status_code for n in range(3)]

    assert statuses == [303, 303, 429]


# -- the same person, the same sitting ------------------------------------------------------------


def test_a_second_sitting_is_refused_while_one_is_open(framed: Listing) -> None:
    first = come(framed, **crowd("W1", "A1LONGENOUGH1234"))["Location"]

    page = come(framed, **crowd("W1", "A2"))

    html = page.content.decode()
    assert page.status_code == 409
    assert "1234" in html
    assert "A1LONGENOUGH" not in html
    assert first.split("/")[2] not in html
    assert Visit.objects.get().state == Visit.State.WORKING
    assert Client().get(first).status_code == 303


def test_whoever_returned_the_first_begins_the_second(framed: Listing) -> None:
    first = come(framed, **crowd("W1", "A1"))["Location"]
    page = come(framed, **crowd("W1", "A2"))

    second = say(framed, ticket_in(page), "take over")["Location"]

    assert second != first
    assert Client().get(first).status_code == 409
    assert "This session has ended" in Client().get(first).content.decode()
    states = dict(Visit.objects.values_list("submission_id", "state"))
    assert states == {"A1": "closed", "A2": "working"}
    assert Assignment.objects.live().count() == 1


def test_no_key_of_a_proven_sitting_is_taken_over_by_an_unproven_launch(framed: Listing) -> None:
    proven = come(framed, **crowd("W1", "A1", signed="yes"))["Location"]
    page = come(framed, **crowd("W1", "A2"))

    assert say(framed, ticket_in(page), "take over").status_code == 400
    assert come(framed, **crowd("W9", "A1")).status_code == 400

    assert Visit.objects.get(submission_id="A1").state == Visit.State.WORKING
    assert Client().get(proven).status_code == 303


def test_a_returned_sitting_is_handed_on_to_another_person(framed: Listing) -> None:
    first = come(framed, **crowd("W1", "A1"))["Location"]

    second = come(framed, **crowd("W2", "A1"))["Location"]

    assert first != second
    assert Client().get(first).status_code == 409
    old, new = Visit.objects.order_by("pk")
    assert (old.state, new.state) == (Visit.State.CLOSED, Visit.State.WORKING)
    assert old.run.assignment_id != new.run.assignment_id
    assert Assignment.objects.live().count() == 1


def test_the_holder_has_it_back_from_whoever_only_claimed_it(framed: Listing) -> None:
    first = come(framed, **crowd("W1", "A1"))["Location"]
    come(framed, **crowd("FORGED", "A1"))

    back = come(framed, **crowd("W1", "A1"))["Location"]

    assert back == first
    assert Client().get(first).status_code == 303
    assert Visit.objects.filter(state=Visit.State.WORKING).get().person.platform_id == "W1"


@pytest.fixture
def wide() -> Listing:
    """With more booklets than one, so that the same person may have another."""
    parameters = {**TINY, "screens_per_booklet": 2}
    return make_listing(make_open_study(dialogues=4, parameters=parameters))


def take_over(listing: Listing, address: str = "203.0.113.66", **query: str) -> HttpResponse:
    """Claim to have returned the other sitting."""
    page = look(listing, **query)
    client = Client(REMOTE_ADDR=address)
    return client.post(f"/p/{listing.token}/", {"ticket": ticket_in(page), "do": "take over"})


@pytest.mark.slow
def test_an_invented_sitting_closes_shows_and_changes_nothing_that_was_answered(
    wide: Listing,
) -> None:
    key = key_in(come(wide, **panel("p1", "s1")))
    mine = Visit.objects.get()
    answer_one(mine.run.assignment, mine.run.questions.first())

    for n in range(3):
        assert come(wide, **panel("p1", f"made-up-{n}")).status_code == 409
        key_in(take_over(wide, **panel("p1", f"made-up-{n}")))

    mine.refresh_from_db()
    assert mine.state == Visit.State.WORKING
    assert mine.run.assignment.state == Assignment.State.ACTIVE
    assert mine.run.assignment.judgments.current().count() == 1
    assert Visit.objects.exclude(pk=mine.pk).filter(run=mine.run).count() == 0
    # The invented ones closed each other: nothing was answered in them.
    assert Visit.objects.filter(state=Visit.State.WORKING).count() == 2
    assert key_in(say(wide, ticket_in(look(wide, **panel("p1", "s1"))), "go on")) == key
    answer_all(mine.run.assignment)
    visits.submit(visit=mine)
    assert mine.run.assignment.runs.get().is_counted


def test_what_others_answered_under_an_id_keeps_its_member_not_out(wide: Listing) -> None:
    come(wide, **panel("p1", "made-up"))
    forged = Visit.objects.get()
    answer_one(forged.run.assignment, forged.run.questions.first())

    key = key_in(take_over(wide, **panel("p1", "s1")))

    assert Client().get(f"/a/{key}/").status_code == 303
    mine = Visit.objects.get(submission_id="s1")
    assert mine.run.assignment_id != forged.run.assignment_id


@pytest.mark.slow
def test_who_was_closed_while_silent_does_not_see_what_another_answered_since(
    wide: Listing,
) -> None:
    come(wide, **panel("p1", "made-up"))
    key_in(take_over(wide, **panel("p1", "s1")))
    mine, forged = (
        Visit.objects.get(submission_id="s1"),
        Visit.objects.get(submission_id="made-up"),
    )
    # The same booklet, of which the other one has no part any more.
    assert (mine.run.assignment.pk, forged.run) == (Assignment.objects.get().pk, None)
    answer_one(mine.run.assignment, mine.run.questions.first())

    key_in(take_over(wide, **panel("p1", "made-up")))

    forged.refresh_from_db()
    assert forged.run != mine.run
    mine.refresh_from_db()
    assert mine.state == Visit.State.WORKING


@pytest.mark.slow
def test_a_later_part_that_is_being_answered_is_neither_closed_nor_cleared(clock: Clock) -> None:
    study = rating.make_rating_study(phases=rating.TWICE, pairs=2)
    first, later = make_listing(study), make_listing(study, phase_number=2)
    come(first, **panel("p1", "s1"))
    visit = Visit.objects.get()
    for question in visit.run.questions.all():
        rating.rate(visit.run.assignment, question, run=visit.run)
    visits.submit(visit=visit)
    clock.move(hours=200)
    key = key_in(come(later, **panel("p1", "s2")))
    mine = Visit.objects.get(submission_id="s2")
    rating.rate(mine.run.assignment, mine.run.questions.first(), run=mine.run)
    answered = set(Judgment.objects.current())

    assert take_over(later, **panel("p1", "made-up")).status_code == 400

    assert set(Judgment.objects.current()) == answered
    assert Client().get(f"/a/{key}/").status_code == 303
    # What is proven is not given up; the rest is, by a person.
    page = signed_in(study.owner).get(url(study, "visit", mine.pk))
    assert page.context["may_forget_key"]
    decisions.forget_key(visit=mine, by=study.owner)
    assert take_over(later, **panel("p1", "s3")).status_code == 303
    Visit.objects.filter(submission_id="s3").update(verified_at=clock.time)
    with pytest.raises(StateError):
        decisions.forget_key(visit=Visit.objects.get(submission_id="s3"), by=study.owner)


@pytest.mark.slow
def test_one_address_takes_over_sittings_of_one_person_a_few_times_an_hour(
    wide: Listing, settings
) -> None:
    settings.TAKE_OVERS_PER_PERSON_PER_HOUR = 2
    come(wide, **panel("p1", "s1"))
    come(wide, **panel("p2", "s2"))

    tried = [take_over(wide, **panel("p1", f"made-up-{n}")).status_code for n in range(3)]

    assert tried == [303, 303, 429]
    # Neither others nor the person themselves are kept from it.
    assert take_over(wide, **panel("p2", "made-up")).status_code == 303
    assert take_over(wide, "198.51.100.1", **panel("p1", "s1")).status_code == 303
    assert not any("p1" in bucket for bucket in Throttle.objects.values_list("bucket", flat=True))


def test_ids_of_two_panels_have_nothing_to_do_with_each_other(listing: Listing) -> None:
    other = make_listing(make_open_study(dialogues=1, parameters=TINY))

    come(listing, **panel())
    come(other, **panel())

    assert Visit.objects.filter(state=Visit.State.WORKING).count() == 2
    assert Person.objects.count() == 2


# -- a panel that names people and no sittings ----------------------------------------------------


@pytest.fixture
def members(listing: Listing) -> Listing:
    """Whoever knows a member's id knows the whole address."""
    listing.options = {"person": "participant"}
    listing.save()
    return listing


def key_in(answer: HttpResponse) -> str:
    assert answer.status_code == 303, answer.content.decode()
    return answer["Location"].split("/")[2]


def come_back(listing: Listing, member: str, code: str) -> HttpResponse:
    page = look(listing, participant=member)
    return say(listing, ticket_in(page), "come back", code=code)


def answer_something(member: str) -> Visit:
    visit = Visit.objects.get(person__platform_id=member)
    draft_one(visit.run.assignment, visit.run.questions.first(), comment="not sure yet")
    return visit


def same(page: HttpResponse) -> str:
    """A page without what is drawn anew each time, and what a browser remembers it by."""
    html = re.sub(r'name="ticket" value="[^"]*"', "", page.content.decode())
    return re.sub(r'data-begun="[^"]*"', "", html)


@pytest.mark.slow
def test_a_member_id_alone_opens_nothing_that_was_answered(members: Listing) -> None:
    key = key_in(come(members, participant="p1"))
    answer_something("p1")

    for do in ("agree", "go on", "take over", "decline", "come back"):
        answer = come(members, do, participant="p1")
        assert answer.status_code != 303, do
        assert key not in answer.content.decode()
    visit = Visit.objects.get()
    assert visit.state == Visit.State.WORKING
    assert Client().get(f"/a/{key}/").status_code == 303


def test_the_page_is_the_same_for_ids_that_took_part_and_others(members: Listing) -> None:
    come(members, participant="p1")
    answer_something("p1")
    come(members, "decline", participant="p2")

    pages = [look(members, participant=f"p{n}") for n in (1, 2, 3)]

    assert len({(page.status_code, same(page)) for page in pages}) == 1
    for state in (Listing.State.PAUSED, Listing.State.CLOSED):
        members.state = state
        members.save()
        pages = [look(members, participant=f"p{n}") for n in (1, 2, 3)]
        assert len({(page.status_code, same(page)) for page in pages}) == 1
        # Whoever took part comes back all the same.
        assert 'name="code"' in pages[0].content.decode()


def test_declining_is_the_same_for_ids_that_took_part_and_others(members: Listing) -> None:
    come(members, participant="p1")
    answer_something("p1")

    known, new = (come(members, "decline", participant=f"p{n}") for n in (1, 2))

    assert (known.status_code, same(known)) == (new.status_code, same(new))
    assert Visit.objects.get(person__platform_id="p1").state == Visit.State.WORKING
    assert Visit.objects.get(person__platform_id="p2").outcome == Outcome.NO_CONSENT


@pytest.mark.slow
def test_declining_tells_the_same_of_all_ids_while_many_are_there(members: Listing) -> None:
    members.n_places = 1
    members.save()
    hold_all_with_an_answer(members, launch_room.SLACK + 1, participant="p{}")
    assert come(members, participant="new").status_code == 429

    known, new = (come(members, "decline", participant=one) for one in ("p0", "new"))

    assert known.status_code == new.status_code == 200
    assert same(known) == same(new)


@pytest.mark.slow
def test_silent_sittings_of_a_panel_keep_no_new_member_out(members: Listing) -> None:
    members.n_places = 1
    members.save()
    n = launch_room.SLACK + 1
    silent = [key_in(come(members, participant=f"made-up-{i}")) for i in range(n)]

    mine = key_in(come(members, participant="p1"))

    assert Assignment.objects.holding().count() == n
    lapsed = Assignment.objects.get(state=Assignment.State.LAPSED)
    # The one who came first; who was only slow goes on all the same.
    assert lapsed.annotator.person.platform_id == "made-up-0"
    visit = answer_something("made-up-0")
    answer_one(visit.run.assignment, visit.run.questions.first())
    lapsed.refresh_from_db()
    assert (lapsed.state, lapsed.is_surplus) == (Assignment.State.ACTIVE, False)
    for key in (silent[0], mine):
        assert Client().get(f"/a/{key}/").status_code == 303


@pytest.mark.slow
def test_nobody_gives_way_to_whom_nothing_is_left_for(members: Listing) -> None:
    members.n_places = 1
    members.save()
    for i in range(launch_room.SLACK + 1):
        come(members, participant=f"silent-{i}")
    ticket = ticket_in(look(members, participant="p1"))
    studies.close(study=members.study)

    say(members, ticket)

    assert not Assignment.objects.filter(state=Assignment.State.LAPSED).exists()


def test_their_code_leads_a_member_back(members: Listing) -> None:
    key = key_in(come(members, participant="p1"))
    answer_something("p1")
    code = keys.code_of(key)
    assert code in Client().get(f"/a/{key}/instructions/").content.decode()

    assert key_in(come_back(members, "p1", code.lower())) == key
    assert come_back(members, "p2", code).status_code == 404
    members.state = Listing.State.CLOSED
    members.save()
    assert key_in(come_back(members, "p1", code)) == key


def test_the_same_browser_leads_a_member_back_and_no_other_member(members: Listing) -> None:
    key = key_in(come(members, participant="p1"))
    own = in_one_line(Client().get(f"/a/{key}/instructions/").content.decode())

    [kept] = re.findall(r'data-study="([^"]+)" data-own="/a/[^"]+"', own)

    assert f'data-begun="{kept}"' in look(members, participant="p1").content.decode()
    assert f'data-begun="{kept}"' not in look(members, participant="p2").content.decode()


def test_a_form_sent_twice_comes_in_once(members: Listing) -> None:
    ticket = ticket_in(look(members, participant="p1"))

    first, second = say(members, ticket), say(members, ticket)
    answer_something("p1")

    assert key_in(first) == key_in(second) == key_in(say(members, ticket))
    assert Visit.objects.count() == Assignment.objects.count() == 1


def test_a_stranger_who_was_there_first_and_did_nothing_keeps_nobody_out(members: Listing) -> None:
    strangers = key_in(come(members, participant="p1"))
    come(members, "decline", participant="p2")

    mine = key_in(come(members, participant="p1"))

    assert mine != strangers
    assert Client().get(f"/a/{strangers}/").status_code == 404
    assert Client().get(f"/a/{mine}/").status_code == 303
    assert come(members, participant="p2").status_code == 303
    assert Visit.objects.count() == 2


def withdraw(key: str) -> None:
    assert Client().post(f"/a/{key}/withdraw/", {"confirm": "1"}).status_code == 303


@pytest.mark.slow
def test_a_stranger_who_agreed_and_withdrew_keeps_nobody_out(
    members: Listing, clock: Clock, settings
) -> None:
    for _ in range(2):
        strangers = key_in(come(members, participant="p1"))
        Client().post(f"/a/{strangers}/instructions/", {"go": "on"})
        withdraw(strangers)
    clock.move(minutes=settings.SILENT_LAUNCH_MINUTES + 5)

    mine = key_in(come(members, participant="p1"))

    assert Client().get(f"/a/{strangers}/").status_code == 404
    # They begin as if nobody had been there: with the instructions, and time to read them.
    assert Client().get(f"/a/{mine}/")["Location"] == f"/a/{mine}/instructions/"
    come(members, participant="p2")
    visit = answer_something("p1")
    assert visit.run.assignment.state == Assignment.State.ACTIVE
    assert come(members, participant="p1").status_code == 409
    assert Visit.objects.filter(person__platform_id="p1").count() == 1


def test_a_member_who_answered_and_withdrew_has_withdrawn_for_good(members: Listing) -> None:
    key = key_in(come(members, participant="p1"))
    visit = Visit.objects.get()
    answer_one(visit.run.assignment, visit.run.questions.first())
    withdraw(key)

    assert come(members, participant="p1").status_code == 409
    assert key_in(come_back(members, "p1", keys.code_of(key))) == key

    visit.refresh_from_db()
    assert (visit.state, visit.outcome) == (Visit.State.ENDED, Outcome.NO_CONSENT)
    assert Assignment.objects.get().state == Assignment.State.WITHDRAWN
    assert not Judgment.objects.current().exists()


def test_who_withdrew_from_a_sitting_without_an_answer_may_change_their_mind(
    listing: Listing,
) -> None:
    key = key_in(come(listing, **panel()))
    withdraw(key)
    page = look(listing, **panel())
    assert Visit.objects.get().outcome == Outcome.NO_CONSENT

    assert key_in(say(listing, ticket_in(page))) == key

    assert Visit.objects.get().state == Visit.State.WORKING
    assert Assignment.objects.get().state == Assignment.State.ACTIVE


def test_ids_and_codes_are_not_tried_one_after_the_other(members: Listing, settings) -> None:
    code = keys.code_of(key_in(come(members, participant="p1")))
    answer_something("p1")
    settings.CODE_TRIES_PER_ADDRESS = 3

    asked = [come(members, participant="p1").status_code for _ in range(2)]
    asked += [come_back(members, "p1", "0" * 12).status_code for _ in range(2)]

    assert asked == [409, 409, 404, 429]
    assert come_back(members, "p1", code).status_code == 303


def test_another_listing_of_the_study_opens_no_more(members: Listing) -> None:
    other = make_listing(members.study, options={"person": "participant"})
    key = key_in(come(members, participant="p1"))
    answer_something("p1")

    for do in ("agree", "take over", "decline"):
        assert come(other, do, participant="p1").status_code != 303
    assert Visit.objects.get().state == Visit.State.WORKING
    assert key_in(come_back(other, "p1", keys.code_of(key))) == key


def test_no_sitting_that_anybody_can_name_closes_what_a_member_answered(members: Listing) -> None:
    with_sittings = make_listing(members.study)
    key = key_in(come(members, participant="p1"))
    answer_something("p1")

    assert come(with_sittings, **panel("p1", "made-up")).status_code == 409
    # At most it goes on beside it, where there is another booklet.
    come(with_sittings, "take over", **panel("p1", "made-up"))

    assert Visit.objects.get(submission_id="").state == Visit.State.WORKING
    assert key_in(come_back(members, "p1", keys.code_of(key))) == key


def test_a_later_part_asks_every_id_for_the_code_of_the_one_before(clock: Clock) -> None:
    study = rating.make_rating_study(phases=rating.TWICE, pairs=2)
    members = make_listing(study, options={"person": "participant"})
    later = make_listing(study, options={"person": "participant"}, phase_number=2)
    key = key_in(come(members, participant="p1"))
    visit = Visit.objects.get()
    for question in visit.run.questions.all():
        rating.rate(visit.run.assignment, question, run=visit.run)
    visits.submit(visit=visit)
    last = Client().get(f"/a/{key}/").content.decode()
    assert keys.code_of(key) in last
    clock.move(hours=200)

    known, unknown = (come(later, participant=f"p{n}") for n in (1, 2))

    assert known.status_code == unknown.status_code == 409
    assert same(known) == same(unknown)
    page = look(later, participant="p1")
    wrong = say(later, ticket_in(page), "agree", code="0" * 12)
    answer = say(later, ticket_in(page), "agree", code=keys.code_of(key))
    assert wrong.status_code == 409
    assert key_in(answer) != key
    assert Visit.objects.get(listing=later).run.assignment_id == visit.run.assignment_id


def test_who_lost_the_code_is_let_in_again_by_the_researcher(members: Listing) -> None:
    old = key_in(come(members, participant="p1"))
    visit = answer_something("p1")

    decisions.forget_key(visit=visit, by=members.study.owner)

    assert Client().get(f"/a/{old}/").status_code == 404
    new = key_in(come(members, participant="p1"))
    assert new != old
    assert Client().get(f"/a/{new}/").status_code == 303
    assert come(members, participant="p1").status_code == 409
    assert Visit.objects.get().run_id == visit.run_id


# -- framing --------------------------------------------------------------------------------------


def policy(answer: HttpResponse) -> dict[str, str]:
    return dict(
        re.split(r"\s+", part.strip(), maxsplit=1)
        for part in answer["Content-Security-Policy"].split(";")
    )


def test_only_the_platform_may_frame_the_pages_of_its_visitors(framed: Listing) -> None:
    page = look(framed, **crowd())
    entered = say(framed, ticket_in(page))
    own = Client().get(entered["Location"])
    instructions = Client().get(own["Location"])

    for answer in (page, entered, own, instructions, look(framed, **crowd(hit="X"))):
        assert "X-Frame-Options" not in answer.headers
        assert policy(answer)["frame-ancestors"] == crowds.ORIGIN
        assert policy(answer)["form-action"] == f"'self' {crowds.ORIGIN}"


def test_everything_else_is_framed_by_nobody(framed: Listing, listing: Listing) -> None:
    pages = [
        look(listing, **panel()),
        Client().get("/p/unknown/"),
        Client().get(f"/j/{framed.study.join_token}/"),
        Client().get("/admin/login/"),
        Client().get("/"),
    ]

    for answer in pages:
        assert answer["X-Frame-Options"] == "DENY"
        assert policy(answer)["frame-ancestors"] == "'none'"
        assert policy(answer)["form-action"] == "'self'"


def test_the_open_link_of_the_study_is_not_shown_to_a_crowd(listing: Listing) -> None:
    html = look(listing, participant="<").content.decode()

    assert listing.study.join_token not in html
    assert PhaseRun.objects.count() == 0


def test_nobody_tries_all_ids_of_a_panel_to_go_on_with_somebodys_sitting(
    listing: Listing, settings
) -> None:
    tickets = []
    for n in range(3):
        come(listing, **panel(f"p{n}", f"s{n}"))
        tickets.append(ticket_in(look(listing, **panel(f"p{n}", f"s{n}"))))
    settings.LAUNCHES_PER_ADDRESS_PER_HOUR = 2

    statuses = [say(listing, ticket, "go on").status_code for ticket in tickets]

    assert statuses == [303, 303, 429]


# -- forged ones in great number ------------------------------------------------------------------


@pytest.mark.slow
def test_many_forged_launches_hold_a_few_places_for_a_while(
    framed: Listing, clock: Clock, settings
) -> None:
    # Fewer than the study has, so that the task's own limit is what is met.
    framed.tickets.update(n_places=1)
    page = look(framed, **crowd())
    forged = [ticket_in(look(framed, **crowd(f"W{n}", f"A{n}"))) for n in range(20)]
    texts = {item.candidate_text for item in framed.study.items.all()}

    answers = [
        # From many addresses: no single one of them is over its limit.
        Client(REMOTE_ADDR=f"203.0.113.{n}").post(
            f"/p/{framed.token}/", {"ticket": forged[n % 20], "do": "agree"}
        )
        for n in range(60)
    ]

    assert {answer.status_code for answer in answers} <= {303, 429}
    shown = "".join(answer.content.decode() for answer in answers) + page.content.decode()
    assert not any(text in shown for text in texts)
    most = framed.tickets.get().n_places + launch_room.SLACK
    assert Assignment.objects.holding().count() <= most
    assert not framed.intents.exists()

    clock.move(minutes=settings.SILENT_LAUNCH_MINUTES + 1)
    # Attempts are counted by the hour of the real clock: the next one has come.
    Throttle.objects.all().delete()
    honest = come(framed, **crowd("WHONEST", "AHONEST"))
    assert honest.status_code == 303, honest.content.decode()


def n_places(listing: Listing) -> int:
    return Place.objects.filter(booklet__design=listing.study.design, source="real").count()


@pytest.mark.slow
def test_signed_people_come_in_whatever_unsigned_ones_hold(framed: Listing) -> None:
    framed.tickets.update(n_places=1000)
    n = n_places(framed)
    for i in range(n):
        assert come(framed, **crowd(f"W{i}", f"A{i}")).status_code == 303
    forged = list(Visit.objects.order_by("pk"))
    busy = forged[: n // 2]
    for visit in busy:
        answer_one(visit.run.assignment, visit.run.questions.first())
    # The task has too many, and no place is free.
    framed.tickets.update(n_places=1)

    for i in range(n):
        answer = come(framed, **crowd(f"S{i}", f"B{i}", signed="yes"))
        assert answer.status_code == 303
        assert Client().get(answer["Location"]).status_code == 303
    genuine = Assignment.objects.filter(annotator__person__platform_id__startswith="S")
    assert genuine.holding().count() == n
    # Among themselves it is as ever.
    answer = come(framed, **crowd("SX", "BX", signed="yes"))
    assert Visit.objects.get(person__platform_id="SX").outcome == Outcome.NOTHING_LEFT

    # Nothing of what the others did is lost: they go on, as surplus.
    visit = busy[0]
    answer_one(visit.run.assignment, visit.run.questions.last())
    visit.run.assignment.refresh_from_db()
    assert visit.run.assignment.is_surplus
    assert visit.run.assignment.judgments.count() == 2


def hold_all_with_an_answer(listing: Listing, n: int, **more: str) -> None:
    """So many people under ids of their own, each with an answer: one more is too many."""
    for i in range(n):
        query = {name: value.format(i) for name, value in more.items()}
        assert come(listing, **query).status_code == 303
        visit = Visit.objects.latest("pk")
        answer_one(visit.run.assignment, visit.run.questions.first())


@pytest.mark.slow
def test_everybody_may_decline_whatever_others_hold(framed: Listing) -> None:
    framed.tickets.update(n_places=1)
    hold_all_with_an_answer(framed, launch_room.SLACK + 1, **crowd("W{}", "A{}"))
    assert come(framed, **crowd("WX", "AX")).status_code == 429

    assert come(framed, "decline", **crowd("WX", "AX")).status_code == 303
    assert come(framed, "decline", **crowd("S1", "B1", signed="yes")).status_code == 303
    assert set(Visit.objects.filter(run=None).values_list("outcome", flat=True)) == {
        Outcome.NO_CONSENT
    }


@pytest.mark.slow
def test_who_has_answered_nothing_gives_way_first(framed: Listing) -> None:
    framed.tickets.update(n_places=1000)
    n = n_places(framed)
    for i in range(n):
        come(framed, **crowd(f"W{i}", f"A{i}"))
    visits_ = list(Visit.objects.order_by("pk"))
    for visit in visits_[:-1]:
        answer_one(visit.run.assignment, visit.run.questions.first())

    come(framed, **crowd("S1", "B1", signed="yes"))

    lapsed = Assignment.objects.filter(state=Assignment.State.LAPSED)
    assert [a.pk for a in lapsed] == [visits_[-1].run.assignment_id]


@pytest.mark.slow
def test_unproven_sittings_keep_nobody_out_who_has_a_personal_link(framed: Listing) -> None:
    framed.tickets.update(n_places=1000)
    n = n_places(framed)
    for i in range(n):
        come(framed, **crowd(f"W{i}", f"A{i}"))
        visit = Visit.objects.latest("pk")
        answer_one(visit.run.assignment, visit.run.questions.first())
    least_active = Assignment.objects.order_by("last_active_at").first()
    entries = [rosters.RosterEntry(f"r{i}") for i in range(n + 1)]
    made = rosters.add_roster(study=framed.study, entries=entries)
    consent = studies.current_consent(framed.study)

    first = assignments.start(annotator=made[0].annotator, consent=consent)

    assert first.place == least_active.place
    least_active.refresh_from_db()
    assert least_active.state == Assignment.State.LAPSED
    assert least_active.judgments.current().count() == 1
    for one in made[1:n]:
        assignments.start(annotator=one.annotator, consent=consent)
    # Among themselves nobody gives way.
    with pytest.raises(NothingLeftError):
        assignments.start(annotator=made[n].annotator, consent=consent)


@pytest.mark.slow
def test_what_was_sent_and_never_shown_gives_way_and_may_count_after_all(
    framed: Listing,
) -> None:
    framed.tickets.update(n_places=1000)
    for i in range(n_places(framed)):
        come(framed, **crowd(f"W{i}", f"A{i}"))
        visit = Visit.objects.get(person__platform_id=f"W{i}")
        answer_all(visit.run.assignment)
        visits.submit(visit=visit)

    answer = come(framed, **crowd("S1", "B1", signed="yes"))

    assert Client().get(answer["Location"]).status_code == 303
    [gone] = Assignment.objects.filter(is_surplus=True)
    assert gone.judgments.current().exists()
    visits.verify(visit=gone.runs.get().visits.get(), at=timezone.now())
    gone.refresh_from_db()
    # The one who has its place has not finished yet.
    assert gone.runs.get().is_counted


@pytest.mark.slow
def test_whoever_knows_the_texts_from_a_pilot_is_not_let_into_the_study() -> None:
    study = make_study(dialogues=2)
    pilot = pilots.begin(study=study, n_parts=1)
    for one in (pilot, study):
        designs.make(design=one.design)
        studies.open_study(study=one)
    listing, of_pilot = make_listing(study), make_listing(pilot)
    looked_at_before = ticket_in(look(listing, **panel("p1", "s2")))
    assert come(of_pilot, **panel("p1")).status_code == 303
    # By a mere claim anybody could keep out whoever's id they know.
    assert "You took part" not in look(listing, **panel("p1", "s3")).content.decode()
    answer_all(Visit.objects.get(person__platform_id="p1").run.assignment)

    refused = look(listing, **panel("p1", "s3"))
    assert "You took part in a pilot of this study" in refused.content.decode()
    say(listing, looked_at_before)
    assert Visit.objects.get(submission_id="s2").outcome == Outcome.NOTHING_LEFT
    assert not study.annotators.exists()
    assert come(listing, **panel("p2", "s4")).status_code == 303
    assert study.annotators.count() == 1
    # Nobody is sent away from what they have begun, and other studies know nothing of it.
    assert look(listing, **panel("p2", "s4")).status_code in {200, 303}
    assert come(of_pilot, **panel("p2", "s5")).status_code == 303
    assert "in a pilot" not in look(listing, **panel("p2", "s7")).content.decode()
    other = make_listing(make_open_study(dialogues=1))
    assert come(other, **panel("p1", "s6")).status_code == 303
    assert other.study.annotators.count() == 1
