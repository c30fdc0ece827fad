"""Messages with people on Prolific: shown and not stored, sent once, and counted until read."""

from typing import Any

import pytest
from django.test import Client

from annotation.crowds.services import outbox, reconciling
from annotation.models import Intent, Listing, PlatformEvent, Study, Visit
from tests.crowds.platforms.prolific_lab import Lab, person_id
from tests.crowds.platforms.prolific_spending import begin, published, set_cap, study
from tests.support.researcher_pages import signed_in, url

__all__ = ["study"]

STATE = Intent.State


@pytest.fixture
def visit(lab: Lab, study: Study) -> Visit:
    return begin(lab, published(lab, study))


@pytest.fixture
def client(study: Study) -> Client:
    return signed_in(study.owner)


def write(lab: Lab, visit: Visit, body: str, **about: str) -> None:
    assert visit.person is not None
    lab.sim.bot(visit.person.platform_id).write(body, **about)


def page(client: Client, visit: Visit) -> Any:
    assert visit.listing is not None
    return client.get(url(visit.listing.study, "visit", visit.pk))


def post(client: Client, visit: Visit, text: str, *, number: int = 1) -> Any:
    assert visit.listing is not None
    fields = {"do": "message", "message-text": text, "message-number": str(number)}
    return client.post(url(visit.listing.study, "visit", visit.pk), fields)


def deliver(lab: Lab, *, n: int = 3) -> None:
    for _time in range(n):
        lab.advance(minutes=6)
        outbox.send_due()


def there(lab: Lab) -> list[str]:
    """What the researcher wrote, as Prolific has it."""
    rows = lab.sim.world.state["messages"]
    return [row["body"] for row in rows if row["recipient_id"] == row["participant"]]


def shown(response: Any) -> list[tuple[bool, str]]:
    return [(each.is_ours, each.text) for each in response.context["conversation"].messages]


def poll(lab: Lab) -> None:
    lab.advance(minutes=10)
    Listing.objects.update(polled_at=None)
    reconciling.poll_due()


def who_wrote(client: Client, visit: Visit) -> tuple[int, list[Visit]]:
    """The number on the page of visits, and those that its filter shows."""
    assert visit.listing is not None
    response = client.get(url(visit.listing.study, "visits"), {"show": "wrote"})
    [n] = [n for name, _label, n in response.context["tabs"] if name == "wrote"]
    return n, [row.visit for row in response.context["rows"]]


# -- reading --------------------------------------------------------------------------------------
def test_the_page_shows_what_was_exchanged_about_this_study(
    lab: Lab, visit: Visit, client: Client
) -> None:
    ticket = visit.ticket
    assert ticket is not None
    write(lab, visit, "<b>Is the second text right?</b>", study=ticket.remote_id)
    lab.advance(minutes=1)
    post(client, visit, "Yes, it is.")
    deliver(lab)
    write(lab, visit, "About something else", study="a" * 24)
    write(lab, visit, "About nothing")

    response = page(client, visit)

    assert shown(response) == [(False, "<b>Is the second text right?</b>"), (True, "Yes, it is.")]
    assert response.context["conversation"].n_others == 2
    assert b"About" not in response.content
    assert b"<b>Is" not in response.content
    assert not PlatformEvent.objects.filter(payload__icontains="second text").exists()


def test_without_an_answer_the_page_says_so_and_works(
    lab: Lab, visit: Visit, client: Client
) -> None:
    lab.sim.fault("500_before", path="/messages/", times=0)

    response = page(client, visit)

    assert response.status_code == 200
    assert response.context["conversation"].problem
    assert b'name="message-text"' in response.content
    assert post(client, visit, "Hello.").status_code == 302


def test_in_a_dry_run_nothing_is_read_and_nothing_sent(
    lab: Lab, visit: Visit, client: Client
) -> None:
    Study.objects.update(dry_run=True)
    n_calls = len(lab.sim.journal("/messages/"))

    response = page(client, visit)
    answer = post(client, visit, "Hello.")
    poll(lab)

    assert b'name="message-text"' not in response.content
    assert answer.status_code >= 400
    assert len(lab.sim.journal("/messages/")) == n_calls


# -- writing --------------------------------------------------------------------------------------
@pytest.mark.django_db(transaction=True)
def test_a_message_is_sent_once_and_the_next_one_may_be_the_same(
    lab: Lab, visit: Visit, client: Client
) -> None:
    number = page(client, visit).context["message_number"]
    for _click in range(2):
        assert post(client, visit, " Thank you! ", number=number).status_code == 302
    deliver(lab)
    following = page(client, visit).context["message_number"]
    post(client, visit, "Thank you!", number=following)
    deliver(lab)

    assert there(lab) == ["Thank you!", "Thank you!"]


def test_two_colleagues_do_not_answer_at_once(lab: Lab, visit: Visit, client: Client) -> None:
    number = page(client, visit).context["message_number"]
    post(client, visit, "Yes.", number=number)

    response = post(client, visit, "No.", number=number)

    assert response.status_code == 409
    assert b"No." in response.content
    # The page says so, and lets them write all the same.
    assert post(client, visit, "No.", number=response.context["message_number"]).status_code == 302


@pytest.mark.parametrize("text", ["", "  ", "x" * 4001])
def test_what_is_no_message_is_refused(lab: Lab, visit: Visit, client: Client, text: str) -> None:
    assert post(client, visit, text).status_code == 400
    assert not Intent.objects.filter(kind=Intent.Kind.MESSAGE).exists()


@pytest.mark.parametrize("escapes", [True, False])
@pytest.mark.parametrize("fault", ["commit_then_drop", "commit_then_500", "500_before"])
def test_a_lost_answer_is_found_and_nothing_is_sent_twice(
    lab: Lab, visit: Visit, client: Client, fault: str, escapes: bool
) -> None:
    lab.sim.configure(escapes_messages=escapes)
    text = "Yes: 2 < 3 & that's right."
    # They quote it: theirs is not ours.
    write(lab, visit, text)
    lab.sim.fault(fault, path="/messages/", method="POST")

    post(client, visit, text)
    deliver(lab)

    intent = Intent.objects.get(kind=Intent.Kind.MESSAGE)
    was_sent = fault != "500_before"
    assert intent.state == (STATE.CONFIRMED if was_sent else STATE.NEEDS_PERSON)
    assert there(lab) == [text] * was_sent


def test_the_same_message_of_two_months_ago_is_not_taken_for_this_one(
    lab: Lab, visit: Visit, client: Client
) -> None:
    post(client, visit, "Hello.")
    deliver(lab)
    lab.advance(days=60)
    lab.sim.fault("commit_then_drop", path="/messages/", method="POST")

    post(client, visit, "Hello.", number=2)
    deliver(lab)

    assert Intent.objects.get(kind=Intent.Kind.MESSAGE, reason_code="2").state == STATE.CONFIRMED


# -- unread ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("as_client", [True, False])
def test_who_wrote_is_counted_until_it_is_read_on_prolific(
    lab: Lab, study: Study, visit: Visit, client: Client, as_client: bool
) -> None:
    lab.sim.configure(unread_as_client=as_client)
    assert who_wrote(client, visit) == (0, [])
    write(lab, visit, "A secret question")
    for _time in range(2):
        poll(lab)

    assert who_wrote(client, visit) == (1, [visit])
    assert PlatformEvent.objects.filter(visit=visit, kind="wrote to us").count() == 1
    assert not PlatformEvent.objects.filter(payload__icontains="secret").exists()

    lab.sim.read_messages()
    poll(lab)
    assert who_wrote(client, visit) == (0, [])
    write(lab, visit, "One more")
    poll(lab)
    assert who_wrote(client, visit) == (1, [visit])


@pytest.mark.slow
def test_messages_about_another_study_are_not_counted(
    lab: Lab, study: Study, visit: Visit, client: Client
) -> None:
    set_cap(study, "10.00")
    other = published(lab, study)
    there = other.tickets.get().remote_id
    write(lab, visit, "Hello", study=there)
    lab.sim.participant(person_id(98))
    lab.sim.bot(person_id(98)).write("I am new here")

    poll(lab)

    assert who_wrote(client, visit) == (0, [])


def test_unread_messages_that_cannot_be_read_stop_no_poll(
    lab: Lab, visit: Visit, client: Client
) -> None:
    write(lab, visit, "Hello")
    poll(lab)
    lab.sim.fault("500_before", path="/messages/unread/", times=0)
    before = Listing.objects.get(pk=visit.listing_id).read_at

    poll(lab)

    after = Listing.objects.get(pk=visit.listing_id).read_at
    assert before is not None
    assert after is not None
    assert after > before
    assert who_wrote(client, visit) == (1, [visit])
