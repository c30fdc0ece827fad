"""What a platform, or somebody in between, can say to do harm: it stays with what it is about."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from annotation.core.platforms.base import (
    Launch,
    LookedUp,
    LookUpResult,
    NewTicket,
    Planned,
    Sent,
    Submission,
)
from annotation.core.platforms.errors import UnavailableError
from annotation.core.queries import commitments
from annotation.crowds.services import decisions, intents, outbox, reconciling, spending
from annotation.crowds.services.launches import enter
from annotation.models import Intent, Listing, PlatformEvent, Visit
from annotation.studies.services import studies
from tests.support.clock import Clock
from tests.support.crowds import make_ticket
from tests.support.factories import make_user
from tests.support.remote_side import Fake, Remote, make_listing, make_visit

pytestmark = pytest.mark.django_db

REMOTE, STATE = Visit.Remote, Visit.State


def published(ticket: str = "T1", n_places: int = 4, **columns: Any) -> Listing:
    listing = make_listing(
        state=Listing.State.PUBLISHED, published_at=timezone.now(), n_places=n_places, **columns
    )
    make_ticket(listing, ticket, n_places=n_places, expires_at=timezone.now() + timedelta(days=3))
    return listing


def come(listing: Listing, person: str = "W1", submission: str = "S1", ticket: str = "T1"):
    launch = Launch(person_id=person, submission_id=submission, ticket_id=ticket)
    consent = studies.current_consent(listing.study)
    return enter(listing=listing, launch=launch, consent=consent).visit


def shown(submission: str = "S1", person: str = "W1", **columns: Any) -> Submission:
    return Submission(submission, person, "T1", columns.pop("state", REMOTE.SUBMITTED), **columns)


# -- submissions ----------------------------------------------------------------------------------
def test_a_sitting_of_one_listing_is_not_proven_by_a_submission_to_another(
    remote: Remote,
) -> None:
    cheap, other = published("T1"), published("T2")
    visit = come(other, ticket="T2")
    remote.shown = [shown()]

    reconciling.poll(cheap)

    visit.refresh_from_db()
    assert (visit.verified_at, visit.remote_state) == (None, REMOTE.UNSEEN)
    assert "another task" in visit.doubt


@pytest.mark.parametrize("person", ["", " "])
def test_a_submission_of_nobody_closes_nobodys_sitting(remote: Remote, person: str) -> None:
    listing = published()
    visit = come(listing)
    remote.shown = [shown(person=person, state=REMOTE.ACTIVE)]

    with pytest.raises(UnavailableError):
        reconciling.poll(listing)

    visit.refresh_from_db()
    assert (visit.state, visit.doubt) == (STATE.WORKING, "")


def test_one_row_that_cannot_be_kept_stops_no_other(remote: Remote) -> None:
    listing = published()
    visit = come(listing)
    remote.shown = [
        shown("S9", "W9", raw={(1, 2): "no name that JSON has"}),
        shown(state=REMOTE.ACTIVE),
    ]

    with pytest.raises(UnavailableError, match="could not read"):
        reconciling.poll(listing)

    visit.refresh_from_db()
    assert visit.remote_state == REMOTE.ACTIVE
    listing.refresh_from_db()
    assert listing.polled_at is None


@pytest.mark.parametrize("word", ["\x00", "\ud800", float("inf"), float("nan")])
def test_what_no_column_takes_is_kept_in_words(remote: Remote, word: Any) -> None:
    listing = published()
    visit = come(listing)
    remote.shown = [shown(state=REMOTE.ACTIVE, raw={"x": [word], "y": {f"k{word}": 1}})]

    reconciling.poll(listing)

    visit.refresh_from_db()
    assert visit.remote_state == REMOTE.ACTIVE
    assert PlatformEvent.objects.count() == 1


# -- a platform that does not answer --------------------------------------------------------------
def test_a_platform_that_hangs_keeps_nobody_elses_turn(
    remote: Remote, monkeypatch, clock: Clock
) -> None:
    hanging, healthy = published("T1"), published("T2")
    passed, polled = [0.0], []

    def submissions(_self: Fake, listing: Listing):
        polled.append(listing.pk)
        if listing.pk == hanging.pk:
            passed[0] += reconciling.MAX_SWEEP_SECONDS + 1
            raise UnavailableError("There was no answer.")
        return iter(())

    monkeypatch.setattr(Fake, "submissions", submissions)
    monkeypatch.setattr(reconciling.time, "monotonic", lambda: passed[0])

    for _ in range(3):
        reconciling.poll_due()
        clock.move(seconds=10)

    assert polled == [hanging.pk, healthy.pk]
    clock.move(minutes=10)
    reconciling.poll_due()
    assert polled.count(hanging.pk) == 2
    hanging.refresh_from_db()
    assert hanging.polled_at is None, "it was never read to its end"


# -- answers about intents ------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize(
    "sent",
    [
        Sent(remote_id="x", answer={"said": ["\x00", "\ud800", float("inf")]}),
        Sent(remote_id="x" * 300),
        Sent(remote_id="x", ticket=NewTicket("x", n_places=-1)),
        Sent(remote_id="x", ticket=NewTicket("x" * 300, n_places=4)),
    ],
    ids=["no JSON", "long id", "negative places", "long id of a ticket"],
)
def test_an_answer_that_cannot_be_kept_ends_with_a_person_or_confirmed(
    remote: Remote, monkeypatch, clock: Clock, sent: Sent
) -> None:
    intent = intents.plan(
        listing=make_listing(),
        planned=Planned(Intent.Kind.PUBLISH, payload={"n_places": 4}, commits=Decimal("7.20")),
    )
    n_sent = []
    monkeypatch.setattr(Fake, "send", lambda self, intent, keep: n_sent.append(1) or sent)
    monkeypatch.setattr(Fake, "look_up", lambda self, intent: LookedUp(LookUpResult.DONE, sent))

    for _ in range(60):
        outbox.send_due()
        clock.move(hours=1)

    intent.refresh_from_db()
    assert intent.state in {Intent.State.CONFIRMED, Intent.State.NEEDS_PERSON}
    assert n_sent == [1]


# -- more submissions than places -----------------------------------------------------------------
def test_more_submissions_than_were_paid_for_need_room_below_the_cap(remote: Remote) -> None:
    listing = make_listing(cap="1.80", n_places=1)
    planned = Planned(Intent.Kind.PUBLISH, payload={"n_places": 1}, commits=Decimal("1.80"))
    intents.plan(listing=listing, planned=planned)
    outbox.send_due()
    first, second = make_visit(listing, "S1"), make_visit(listing, "S2")
    by = make_user()

    decisions.approve(visit=first, by=by)
    with pytest.raises(spending.BudgetError, match=r"1\.80"):
        decisions.approve(visit=second, by=by)
    spending.set_cap(study=listing.study, currency="USD", cap=Decimal("3.60"), by=by)
    intent = decisions.approve(visit=second, by=by)

    assert intent is not None
    assert intent.commits == Decimal("1.80")
    assert commitments.committed(listing.study, "USD") == Decimal("3.60")
    # A double click is the same.
    assert decisions.approve(visit=second, by=by) == intent
