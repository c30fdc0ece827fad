"""The ledger's sums: what was paid, by whoever's decision, to the cent."""

from decimal import Decimal

import pytest

from annotation.basics.errors import StateError
from annotation.core.queries import commitments
from annotation.crowds import exports as crowd_tables
from annotation.crowds.queries import ledger
from annotation.crowds.services import (
    decisions,
    manual_settlement,
    outbox,
    publishing,
    reconciling,
)
from annotation.models import Intent, Listing, Study, Ticket, Visit
from annotation.models.kinds import CrowdPlatform
from tests.support.clock import Clock
from tests.support.crowds import make_listing as make_plain_listing
from tests.support.factories import make_user
from tests.support.remote_side import Fake, Remote, make_listing, make_visit

pytestmark = pytest.mark.django_db


@pytest.fixture
def listing(remote: Remote) -> Listing:
    """Four places at 1.50, and a fee of .30 each."""
    listing = make_listing()
    publishing.publish(listing=listing, typed=Decimal("7.20"), by=make_user())
    outbox.send_due()
    return listing


def paid(study: Study) -> tuple[str, str, str]:
    [account] = ledger.accounts(study)
    return str(account.paid), str(account.fees), str(account.under_way)


def rows(study: Study) -> list[dict[str, object]]:
    return [
        {column.name: column.value(record) for column in crowd_tables.payments()}
        for record in ledger.payments(study)
    ]


def test_what_the_platform_approved_by_its_clock_was_paid(listing: Listing) -> None:
    make_visit(listing, "S1", remote_state=Visit.Remote.APPROVED)
    make_visit(listing, "S2")

    assert paid(listing.study) == ("1.50", "0.30", "0.00")
    [row] = rows(listing.study)
    assert (row["submission_id"], row["kind"], row["paid"], row["fee"]) == (
        "S1",
        "approve",
        "1.50",
        "0.30",
    )
    assert (row["reason_code"], row["intent"]) == ("by the platform", "")


def test_an_approval_of_ours_is_counted_once(listing: Listing, remote: Remote) -> None:
    visit = make_visit(listing)
    decisions.approve(visit=visit, by=make_user())
    assert paid(listing.study) == ("0.00", "0.00", "1.50")

    # The platform shows it before the answer is taken down.
    Visit.objects.update(remote_state=Visit.Remote.APPROVED)
    assert paid(listing.study) == ("0.00", "0.00", "1.50")
    outbox.send_due()

    assert paid(listing.study) == ("1.50", "0.30", "0.00")
    assert len(rows(listing.study)) == 1


def test_a_refused_approval_that_the_platform_made_itself_was_paid(
    listing: Listing, remote: Remote
) -> None:
    decisions.approve(visit=make_visit(listing), by=make_user())
    remote.faults = ["refuses"]
    outbox.send_due()
    assert paid(listing.study) == ("0.00", "0.00", "0.00")

    Visit.objects.update(remote_state=Visit.Remote.APPROVED)

    assert paid(listing.study) == ("1.50", "0.30", "0.00")


def test_a_rejection_taken_back_is_paid_once(listing: Listing) -> None:
    visit = make_visit(listing)
    decisions.reject(
        visit=visit, reason="Every answer is the first.", category="no data", by=make_user()
    )
    outbox.send_due()
    Visit.objects.update(remote_state=Visit.Remote.REJECTED)
    assert paid(listing.study) == ("0.00", "0.00", "0.00")

    decisions.overturn(visit=visit, by=make_user("ada"))
    outbox.send_due()
    Visit.objects.update(remote_state=Visit.Remote.APPROVED)

    assert paid(listing.study) == ("1.50", "0.30", "0.00")
    assert Intent.objects.filter(kind="approve").count() == 1


def test_a_compensation_is_paid_once_it_is_accepted(
    listing: Listing, clock: Clock, monkeypatch
) -> None:
    accepted: list[str] = []
    monkeypatch.setattr(Fake, "is_taken", lambda self, intent: bool(accepted))
    visit = make_visit(listing, remote_state=Visit.Remote.RETURNED)
    decisions.compensate(visit=visit, amount=Decimal("1.00"), message="Sorry.", by=make_user())
    outbox.send_due()
    reconciling.poll(listing)
    assert paid(listing.study) == ("0.00", "0.00", "1.00")
    assert [row["state"] for row in rows(listing.study)] == ["offered"]

    # Long after the listing has closed, too.
    Listing.objects.update(state=Listing.State.CLOSED, closed_at=clock.time, polled_at=clock.time)
    Ticket.objects.update(state=Ticket.State.CLOSED, expires_at=clock.time)
    clock.move(days=31)
    accepted.append("yes")
    assert reconciling.poll_due() == 1

    assert paid(listing.study) == ("1.00", "0.20", "0.00")
    assert [row["state"] for row in rows(listing.study)] == ["confirmed"]


def offer(listing: Listing) -> Intent:
    visit = make_visit(listing, remote_state=Visit.Remote.RETURNED)
    intent = decisions.compensate(
        visit=visit, amount=Decimal("1.00"), message="Sorry.", by=make_user()
    )
    outbox.send_due()
    intent.refresh_from_db()
    return intent


def test_the_money_of_an_offer_that_nobody_accepted_becomes_free(
    listing: Listing, clock: Clock, monkeypatch
) -> None:
    monkeypatch.setattr(Fake, "is_taken", lambda self, intent: False)
    intent = offer(listing)
    clock.move(days=30)
    reconciling.poll(listing)
    assert commitments.committed(listing.study, "USD") > 0

    clock.move(days=1)
    reconciling.poll(listing)

    intent.refresh_from_db()
    assert (intent.state, intent.taken_at) == (Intent.State.GIVEN_UP, None)
    assert paid(listing.study) == ("0.00", "0.00", "0.00")
    assert not Intent.objects.offered().exists()


def test_an_offer_is_settled_by_hand_only_once_nobody_can_accept_it(
    listing: Listing, clock: Clock
) -> None:
    by = make_user("ada")
    intent = offer(listing)
    with pytest.raises(StateError):
        manual_settlement.settle_by_hand(intent=intent, happened=False, note="Gone.", by=by)

    clock.move(days=31)
    settled = manual_settlement.settle_by_hand(intent=intent, happened=False, note="Gone.", by=by)

    assert settled.state == Intent.State.GIVEN_UP
    assert paid(listing.study) == ("0.00", "0.00", "0.00")


def test_an_offer_that_was_seen_to_be_accepted_is_paid(listing: Listing, clock: Clock) -> None:
    intent = offer(listing)
    clock.move(days=31)

    settled = manual_settlement.settle_by_hand(
        intent=intent, happened=True, note="It is in the statement.", by=make_user("ada")
    )

    assert settled.state == Intent.State.CONFIRMED
    assert paid(listing.study) == ("1.00", "0.20", "0.00")


def test_prolific_pays_who_is_screened_out_by_itself(listing: Listing) -> None:
    options = {
        "handling": {"screened_out": "screen_out"},
        "screen_out_reward": "0.40",
        "screen_out_slots": 5,
        "pricing": "academic",
        "vat_percent": "20",
    }
    there = make_plain_listing(
        listing.study,
        platform=CrowdPlatform.PROLIFIC,
        environment="production",
        currency="GBP",
        reward=Decimal("2.00"),
        options=options,
    )
    make_visit(there, "S7", remote_state=Visit.Remote.SCREENED_OUT)

    [pounds] = [one for one in ledger.accounts(listing.study) if one.currency == "GBP"]

    # .333 of .40 is .13, and a tax of .03 on it.
    assert (str(pounds.paid), str(pounds.fees)) == ("0.40", "0.16")


def test_an_offer_that_cannot_be_read_keeps_no_other_from_being_taken(
    remote: Remote, monkeypatch
) -> None:
    listing, by = make_listing(), make_user()
    visits = [
        make_visit(listing, name, remote_state=Visit.Remote.TIMED_OUT) for name in ("S1", "S2")
    ]
    broken, other = [
        decisions.compensate(visit=visit, amount=Decimal("1.00"), message="Sorry.", by=by)
        for visit in visits
    ]
    outbox.send_due()

    def is_taken(self: Fake, intent: Intent) -> bool:
        return {other.pk: True}[intent.pk]

    monkeypatch.setattr(Fake, "is_taken", is_taken)
    reconciling.poll(listing)

    broken.refresh_from_db()
    other.refresh_from_db()
    assert broken.is_offered
    assert not other.is_offered
