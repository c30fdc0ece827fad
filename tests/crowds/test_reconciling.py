"""What the platform shows is taken over, again and again, with nothing lost or mixed up."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.answering.services import visits
from annotation.basics.errors import StateError
from annotation.basics.sentences import read
from annotation.core.platforms.base import Launch, Planned, Submission
from annotation.core.platforms.capabilities import Capabilities
from annotation.crowds.services import decisions, launches, outbox, reconciling
from annotation.models import (
    Assignment,
    Intent,
    Judgment,
    Listing,
    Person,
    PlatformEvent,
    Ticket,
    Visit,
)
from annotation.studies.services import studies
from tests.support.answering import answer_all, answer_one
from tests.support.clock import Clock
from tests.support.factories import make_user
from tests.support.remote_side import Fake, Remote, make_listing

pytestmark = pytest.mark.django_db

REMOTE, STATE = Visit.Remote, Visit.State
BY_RECEIPT = Capabilities(
    is_paid=True,
    shows_submissions=True,
    can_reject=True,
    can_overturn=True,
    returns_receipts=True,
)


@pytest.fixture
def listing(remote: Remote, monkeypatch) -> Listing:
    """Published, with one ticket of four places; work is proven by its receipt."""
    monkeypatch.setattr(Fake, "capabilities", BY_RECEIPT)
    listing = make_listing(state=Listing.State.PUBLISHED, published_at=timezone.now())
    Ticket.objects.create(
        listing=listing,
        platform=listing.platform,
        environment=listing.environment,
        remote_id="T1",
        n_places=4,
        created_at=timezone.now(),
        expires_at=timezone.now() + timedelta(days=3),
    )
    return listing


def come(listing: Listing, person: str = "W1", submission: str = "S1") -> Visit:
    """Somebody comes by an address that nobody signed, and agrees."""
    launch = Launch(person_id=person, submission_id=submission, ticket_id="T1")
    consent = studies.current_consent(listing.study)
    return launches.enter(listing=listing, launch=launch, consent=consent).visit


def do_all(visit: Visit) -> Visit:
    answer_all(visit.run.assignment)
    visits.submit(visit=visit)
    visit.refresh_from_db()
    return visit


def shown(visit: Visit | None = None, **changes: Any) -> Submission:
    """What the platform shows of a visit that was handed in as it should be."""
    submission = Submission("S1", "W1", "T1", REMOTE.SUBMITTED, submitted_at=timezone.now())
    if visit:
        submission = replace(
            submission,
            submission_id=visit.submission_id,
            person_id=visit.person.platform_id,
            handed_in={"receipt": visits.receipt(visit)},
        )
    return replace(submission, **changes)


def poll(listing: Listing, *visited: Visit) -> None:
    reconciling.poll(listing)
    for visit in visited:
        visit.refresh_from_db()


def test_the_right_receipt_proves_the_work_and_it_counts(listing: Listing, remote: Remote) -> None:
    visit = do_all(come(listing))
    assert not visit.run.is_counted
    remote.shown = [shown(visit)]

    poll(listing, visit)

    assert visit.verified_at == remote.shown[0].submitted_at
    assert (visit.remote_state, visit.doubt) == (REMOTE.SUBMITTED, "")
    visit.run.refresh_from_db()
    assert visit.run.is_counted


def test_polling_twice_changes_nothing(listing: Listing, remote: Remote) -> None:
    remote.shown = [shown(do_all(come(listing))), shown(submission_id="S2", person_id="W2")]
    reconciling.poll(listing)

    def rows() -> list[Any]:
        tables = (Visit, PlatformEvent, Ticket, Person, Assignment)
        return [list(table.objects.order_by("pk").values()) for table in tables]

    before = rows()
    reconciling.poll(listing)

    assert rows() == before


def test_what_is_said_is_kept_as_it_came_and_once(listing: Listing, remote: Remote) -> None:
    visit = do_all(come(listing))
    first = shown(visit, raw={"AssignmentStatus": "Submitted", "at": timezone.now()})
    remote.shown = [first]
    poll(listing)
    poll(listing)
    remote.shown = [replace(first, state=REMOTE.APPROVED, raw={"AssignmentStatus": "Approved"})]
    poll(listing, visit)

    told = [e.payload["raw"]["AssignmentStatus"] for e in PlatformEvent.objects.order_by("pk")]
    assert told == ["Submitted", "Approved"]
    assert visit.remote_state == REMOTE.APPROVED


def test_what_only_differs_in_times_and_own_words_is_no_event_more(
    listing: Listing, remote: Remote, clock: Clock
) -> None:
    visit = do_all(come(listing))
    for minute in range(5):
        remote.shown = [shown(visit, deadline=clock.time, raw={"LastSeen": minute})]
        poll(listing, visit)
        assert visit.deadline == clock.time
        clock.move(minutes=1)

    [event] = PlatformEvent.objects.all()
    assert event.payload["raw"] == {"LastSeen": 4}
    assert event.visit == visit


def test_what_another_poll_heard_meanwhile_is_not_turned_back(
    listing: Listing, remote: Remote, monkeypatch
) -> None:
    visit = do_all(come(listing))
    older, newer = [shown(visit)], [shown(visit, state=REMOTE.APPROVED)]
    pages = iter([older, newer, newer])

    def submissions(self: Fake, listing: Listing) -> Any:
        page = next(pages)
        if page is older:
            # Another worker begins later, and is done before.
            reconciling.poll(listing)
        yield from page

    monkeypatch.setattr(Fake, "submissions", submissions)
    poll(listing, visit)

    assert visit.remote_state == REMOTE.APPROVED
    assert [e.payload["state"] for e in PlatformEvent.objects.all()] == [REMOTE.APPROVED]
    # Nobody knows whose word was the newer one: it is asked again soon.
    assert reconciling.poll_due() == 1


def test_a_hint_during_a_poll_wakes_the_next(
    listing: Listing, remote: Remote, monkeypatch
) -> None:
    monkeypatch.setattr(Fake, "submissions", lambda self, of: reconciling.wake(of) or iter(()))

    assert (reconciling.poll_due(), reconciling.poll_due()) == (1, 1)


@pytest.mark.parametrize(
    ("handed_in", "sentence"),
    [
        ({}, "without the receipt"),
        ({"receipt": ""}, "without the receipt"),
        ({"receipt": "invented"}, "Submitted with a receipt that belongs to no"),
    ],
)
def test_work_without_its_receipt_waits_for_a_person(
    listing: Listing, remote: Remote, handed_in, sentence: str
) -> None:
    visit = do_all(come(listing))
    remote.shown = [shown(visit, handed_in=handed_in)]

    poll(listing, visit)

    assert sentence in visit.doubt
    assert visit.verified_at is None
    assert not Intent.objects.exists()


def test_a_receipt_of_somebody_else_puts_both_in_doubt(listing: Listing, remote: Remote) -> None:
    lazy, busy = come(listing, "W1", "S1"), do_all(come(listing, "W2", "S2"))
    remote.shown = [shown(lazy, handed_in={"receipt": visits.receipt(busy)})]

    poll(listing, lazy, busy)

    assert "receipt of another visit" in lazy.doubt
    assert "Somebody else submitted the receipt of this" in busy.doubt
    assert (lazy.verified_at, busy.verified_at) == (None, None)


def test_a_person_may_count_work_that_nothing_proves(listing: Listing, remote: Remote) -> None:
    visit = do_all(come(listing))
    with pytest.raises(StateError, match="not shown this submission"):
        decisions.vouch(visit=visit, by=make_user())
    remote.shown = [shown(visit, handed_in={})]
    poll(listing, visit)
    assert (visit.verified_at, visit.run.is_counted) == (None, False)

    decisions.vouch(visit=visit, by=make_user("ada"))

    visit = Visit.objects.get()
    assert (visit.run.is_counted, visit.doubt) == (True, "")
    assert "ada" in visit.note
    with pytest.raises(StateError, match="The platform has already confirmed this visit"):
        decisions.vouch(visit=visit, by=make_user("bob"))


def test_the_visits_page_settles_doubts_and_counts(listing: Listing, remote: Remote) -> None:
    visit = do_all(come(listing))
    remote.shown = [shown(visit, handed_in={})]
    poll(listing)
    researcher = make_user("ada", is_staff=True, is_superuser=True)
    client = Client()
    client.force_login(researcher)
    address = reverse("admin:annotation_study_visit", args=[listing.study_id, visit.pk])
    assert "Count them anyway" in client.get(address).content.decode()

    client.post(address, {"do": "settle_doubt"})
    assert (Visit.objects.get().doubt, Visit.objects.get().verified_at) == ("", None)
    client.post(address, {"do": "vouch"})

    assert Visit.objects.get().run.is_counted
    assert "Count them anyway" not in client.get(address).content.decode()


@pytest.mark.parametrize("dry_run", [False, True])
def test_what_follows_a_proof_is_asked_for_once(
    listing: Listing, remote: Remote, monkeypatch, dry_run: bool
) -> None:
    note = Planned(Intent.Kind.GRANT, reason_code="done", payload={"qualification": "q"})
    monkeypatch.setattr(Fake, "plan_verified", lambda self, visit: [note])
    visit = do_all(come(listing))
    listing.study.dry_run = dry_run
    listing.study.save()
    remote.shown = [shown(visit)]

    poll(listing)
    poll(listing, visit)

    assert visit.verified_at
    asked = [(one.reason_code, one.payload["person_id"]) for one in Intent.objects.all()]
    assert asked == ([] if dry_run else [("done", "W1")])


def test_a_doubt_that_a_person_settled_does_not_come_back(
    listing: Listing, remote: Remote
) -> None:
    visit = do_all(come(listing))
    remote.shown = [shown(visit, handed_in={})]
    poll(listing)
    decisions.settle_doubt(visit=visit, by=make_user())

    remote.shown = [shown(visit, handed_in={}, state=REMOTE.APPROVED)]
    poll(listing, visit)

    assert (visit.remote_state, visit.doubt) == (REMOTE.APPROVED, "")


def test_what_the_platform_itself_has_doubts_about_waits_for_a_person_once(
    listing: Listing, remote: Remote
) -> None:
    visit = do_all(come(listing))
    remote.shown = [shown(visit, state=REMOTE.APPROVED, doubt="It was paid in part.")]
    poll(listing, visit)
    assert (visit.remote_state, read(visit.doubt)) == (REMOTE.APPROVED, "It was paid in part.")
    decisions.settle_doubt(visit=visit, by=make_user())

    remote.shown = [replace(remote.shown[0], raw={"bonus": 1})]
    poll(listing, visit)

    assert visit.doubt == ""


def test_what_nobody_came_here_for_is_a_visit_in_doubt(listing: Listing, remote: Remote) -> None:
    remote.shown = [shown()]

    poll(listing)

    visit = Visit.objects.get()
    assert (visit.state, visit.person.platform_id) == (STATE.REMOTE, "W1")
    assert "nobody came here" in visit.doubt
    assert visit.ticket.remote_id == "T1"
    # It is the platform's: paying or not is a person's decision.
    decisions.approve(visit=visit, by=make_user())


def test_who_has_not_come_yet_may_still_come(listing: Listing, remote: Remote) -> None:
    remote.shown = [shown(state=REMOTE.ACTIVE)]
    poll(listing)
    assert not Visit.objects.exists()

    visit = come(listing)
    remote.shown = [shown(visit, state=REMOTE.ACTIVE)]
    poll(listing, visit)

    assert visit.remote_state == REMOTE.ACTIVE


def test_what_was_handed_in_unfinished_waits_for_a_person(
    listing: Listing, remote: Remote
) -> None:
    visit = come(listing)
    answer_one(visit.run.assignment, visit.run.questions.first())
    remote.shown = [shown(visit)]

    poll(listing, visit)

    assert "not finished here" in visit.doubt
    assert Judgment.objects.count() == 1


@pytest.mark.parametrize("state", [REMOTE.RETURNED, REMOTE.TIMED_OUT])
def test_a_returned_visit_gives_its_place_back_and_keeps_its_answers(
    listing: Listing, remote: Remote, state
) -> None:
    visit = come(listing)
    answer_one(visit.run.assignment, visit.run.questions.first())
    remote.shown = [shown(visit, state=state)]

    poll(listing, visit)

    assert (visit.state, visit.doubt) == (STATE.CLOSED, "")
    assert visit.run.assignment.state == Assignment.State.LAPSED
    assert Judgment.objects.count() == 1


def test_work_that_was_done_and_ran_out_of_time_waits_for_a_person(
    listing: Listing, remote: Remote
) -> None:
    visit = do_all(come(listing))
    remote.shown = [shown(visit, state=REMOTE.TIMED_OUT)]

    poll(listing, visit)

    assert visit.state == STATE.CLOSED
    assert "Finished here, but the platform says that it was" in visit.doubt


def test_an_id_that_was_handed_on_mixes_nothing_up(listing: Listing, remote: Remote) -> None:
    first = come(listing, "W1", "S1")
    answer_one(first.run.assignment, first.run.questions.first())
    second = do_all(come(listing, "W2", "S1"))
    remote.shown = [shown(second)]

    poll(listing, first, second)

    assert (first.state, first.remote_state) == (STATE.CLOSED, REMOTE.UNSEEN)
    assert second.verified_at is not None
    assert second.run.assignment_id != first.run.assignment_id
    assert first.run.assignment.judgments.count() == 1


def test_who_claimed_to_be_another_is_not_believed(listing: Listing, remote: Remote) -> None:
    forged = do_all(come(listing, "W9", "S1"))
    remote.shown = [shown(forged, person_id="W1")]

    poll(listing, forged)

    real = Visit.objects.exclude(pk=forged.pk).get()
    assert (forged.state, forged.verified_at) == (STATE.CLOSED, None)
    assert "somebody else's" in forged.doubt
    assert (real.state, real.person.platform_id) == (STATE.REMOTE, "W1")
    forged.run.refresh_from_db()
    assert not forged.run.is_counted


def test_what_the_platform_never_shows_is_missed_after_a_while(
    listing: Listing, remote: Remote, clock: Clock
) -> None:
    done, idle = do_all(come(listing)), come(listing, "W2", "S2")

    clock.move(hours=24)
    poll(listing, done, idle)
    assert (done.doubt, idle.state) == ("", STATE.WORKING)
    clock.move(hours=2)
    poll(listing, done, idle)

    assert "never listed" in done.doubt
    done.run.assignment.refresh_from_db()
    assert done.run.assignment.is_surplus
    assert (idle.state, idle.doubt) == (STATE.CLOSED, "")

    # Shown late after all: it is proven, and counts again.
    remote.shown = [shown(done)]
    poll(listing, done)
    done.run.refresh_from_db()
    assert done.verified_at is not None
    assert done.run.is_counted


def test_a_missed_visit_that_a_person_settled_is_not_missed_again(
    listing: Listing, clock: Clock
) -> None:
    visit = do_all(come(listing))
    clock.move(hours=26)
    poll(listing)
    decisions.settle_doubt(visit=visit, by=make_user())

    poll(listing, visit)

    assert visit.doubt == ""


def test_what_the_platform_decided_by_itself_is_taken_over(
    listing: Listing, remote: Remote
) -> None:
    visit = do_all(come(listing))
    for state in (REMOTE.SUBMITTED, REMOTE.REJECTED, REMOTE.APPROVED):
        remote.shown = [shown(visit, state=state)]
        poll(listing, visit)
        assert visit.remote_state == state

    assert not Intent.objects.exists()
    visit.run.refresh_from_db()
    assert visit.run.is_counted


def test_without_receipts_the_platforms_word_is_the_proof(
    listing: Listing, remote: Remote, monkeypatch
) -> None:
    monkeypatch.setattr(Fake, "capabilities", Capabilities(is_paid=True, shows_submissions=True))
    visit = come(listing)
    remote.shown = [shown(visit, state=REMOTE.ACTIVE, handed_in={})]

    poll(listing, visit)

    assert visit.verified_at is not None
    assert visit.state == STATE.WORKING


def test_a_payment_has_the_platform_asked_soon(listing: Listing, remote: Remote) -> None:
    visit = do_all(come(listing))
    remote.shown = [shown(visit)]
    poll(listing)
    decisions.approve(visit=visit, by=make_user())
    assert reconciling.poll_due() == 0

    outbox.send_due()
    remote.shown = [shown(visit, state=REMOTE.APPROVED)]
    assert reconciling.poll_due() == 1

    visit.refresh_from_db()
    assert visit.remote_state == REMOTE.APPROVED


@pytest.mark.slow
def test_how_often_a_platform_is_asked(listing: Listing, clock: Clock) -> None:
    begun, polls = clock.time, []
    while clock.time < begun + timedelta(days=40):
        if reconciling.poll_due():
            polls.append(clock.time - begun)
        # A minute at a time while it matters, as the worker does.
        passed = clock.time - begun
        clock.move(minutes=1 if passed < timedelta(hours=1) else 30 if passed.days < 5 else 360)

    first_hour = [at for at in polls if at < timedelta(hours=1)]
    assert 12 <= len(first_hour) <= 31
    # The ticket ends after three days, an hour more is left to hand in, and a day of grace.
    late = [at for at in polls if timedelta(days=3, hours=1) < at < timedelta(days=4)]
    assert 20 <= len(late) <= 24
    assert 28 <= len([at for at in polls if at > timedelta(days=4, hours=2)]) <= 30
    assert polls[-1] < timedelta(days=34)


def test_a_platform_on_this_machine_may_be_asked_every_few_seconds(
    listing: Listing, clock: Clock, settings: Any
) -> None:
    settings.POLL_SECONDS = (5, 5)
    assert reconciling.poll_due() == 1
    clock.move(seconds=4)
    assert reconciling.poll_due() == 0
    clock.move(seconds=1)

    assert reconciling.poll_due() == 1


def test_a_hint_wakes_a_poll(listing: Listing) -> None:
    assert reconciling.poll_due() == 1
    assert reconciling.poll_due() == 0

    reconciling.wake(listing)

    assert reconciling.poll_due() == 1


def test_a_platform_that_is_away_is_asked_again_and_noted_once(
    listing: Listing, remote: Remote, clock: Clock
) -> None:
    remote.is_down = True

    for _ in range(3):
        assert reconciling.poll_due() == 1
        clock.move(minutes=1)

    [event] = PlatformEvent.objects.all()
    assert (event.kind, event.payload["error"]) == ("poll failed", "UnavailableError")
    listing.refresh_from_db()
    assert listing.polled_at is None


def test_a_ticket_ends_by_the_clock(listing: Listing, clock: Clock) -> None:
    clock.move(days=3, minutes=1)
    poll(listing)

    assert listing.tickets.get().state == Ticket.State.EXPIRED
