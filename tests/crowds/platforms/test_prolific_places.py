"""More places on the same study of Prolific: first some, a look, then the rest."""

from decimal import Decimal

import pytest

from annotation.core.queries import commitments
from annotation.crowds.services import manual_settlement, outbox, publishing
from annotation.models import Intent, Listing, Study, Ticket
from tests.crowds.platforms.prolific_lab import Lab
from tests.crowds.platforms.prolific_spending import (
    SCREENING,
    approve_all,
    end_early,
    left,
    published,
    set_cap,
    work,
)
from tests.simulators.prolific.researcher import Researcher
from tests.support.factories import make_user

STATE = Intent.State


@pytest.fixture
def listing(lab: Lab, study: Study) -> Listing:
    """One place is out; four places can be paid."""
    set_cap(study, "8.00")
    return published(lab, study)


def add(listing: Listing, n: int = 2, typed: str = "4.00") -> Intent:
    publishing.top_up(listing=listing, n=n, typed=Decimal(typed), by=make_user())
    return listing.intents.latest("planned_at")


def total(lab: Lab, listing: Listing) -> int:
    [ticket] = listing.tickets.all()
    return int(lab.sim.study(ticket.remote_id)["total_available_places"])


def state_of(intent: Intent) -> str:
    return Intent.objects.get(pk=intent.pk).state


def set_by_hand(lab: Lab, listing: Listing, n: int) -> None:
    path = f"/studies/{listing.tickets.get().remote_id}/"
    Researcher(lab.sim).call("PATCH", path, {"total_available_places": n})


def test_more_places_are_added_to_the_same_study(lab: Lab, study: Study, listing: Listing) -> None:
    intent = add(listing)
    bound_before_it_is_sent = left(study)
    work(lab, n=2, seconds=20)

    assert bound_before_it_is_sent == Decimal("2.00")
    assert state_of(intent) == STATE.CONFIRMED
    assert total(lab, listing) == listing.tickets.get().n_places == 3
    assert Listing.objects.get(pk=listing.pk).n_places == 3
    assert left(study) == Decimal("2.00")


@pytest.mark.slow
def test_first_some_then_a_look_then_the_rest(lab: Lab, study: Study, listing: Listing) -> None:
    approve_all(lab, listing)
    assert listing.tickets.get().state == Ticket.State.CLOSED

    add(listing)
    # Prolific still calls it completed when it is read before the places are there.
    lab.sim.fault("throttle", method="PATCH", times=2)
    work(lab, n=1, seconds=20)
    while_planned = listing.tickets.get().state
    work(lab, n=4)

    assert while_planned == listing.tickets.get().state == Ticket.State.OPEN
    assert total(lab, listing) == 3
    assert lab.sim.study(listing.tickets.get().remote_id)["status"] == "ACTIVE"
    approve_all(lab, listing)
    assert left(study) == Decimal("2.00")


@pytest.mark.slow
def test_a_study_that_ended_early_is_followed_by_another(lab: Lab, study: Study) -> None:
    set_cap(study, "8.00")
    listing = published(lab, study, "4.00", n_places=2)
    end_early(lab, listing)

    add(listing)
    work(lab, n=3, seconds=20)

    first, second = listing.tickets.order_by("pk")
    assert lab.sim.study(first.remote_id)["total_available_places"] == 2
    assert lab.sim.study(second.remote_id)["filters"] == [
        {"filter_id": "previous_studies_blocklist", "selected_values": [first.remote_id]}
    ]


@pytest.mark.parametrize(
    "fault",
    [*("commit_then_500", "commit_then_drop", "truncated_json"), *("500_before", "throttle")],
)
def test_a_lost_answer_adds_them_once(
    lab: Lab, study: Study, listing: Listing, fault: str
) -> None:
    lab.sim.fault(fault, method="PATCH")

    intent = add(listing)
    work(lab, n=6, minutes=10)

    assert state_of(intent) == STATE.CONFIRMED
    assert total(lab, listing) == listing.tickets.get().n_places == 3
    assert left(study) == Decimal("2.00")


@pytest.mark.slow
def test_a_listing_that_was_closed_meanwhile_is_not_opened_again(
    lab: Lab, study: Study, listing: Listing
) -> None:
    lab.sim.fault("500_before", method="PATCH")
    intent = add(listing)
    lab.advance(seconds=20)
    outbox.send_due()
    assert state_of(intent) == STATE.AMBIGUOUS

    publishing.close(listing=listing, by=make_user())
    work(lab, n=1, seconds=20)
    # What was asked for first may still arrive, and would open it again.
    assert listing.intents.get(kind=Intent.Kind.CLOSE).state == STATE.PLANNED
    work(lab, n=8, minutes=20)

    ticket = listing.tickets.get()
    assert state_of(intent) == STATE.REFUSED
    assert lab.sim.study(ticket.remote_id)["stopped"] is True
    assert total(lab, listing) == 1
    assert commitments.committed(study, "USD") <= Decimal("2.00")


def test_a_number_that_was_changed_on_prolific_is_not_guessed(
    lab: Lab, study: Study, listing: Listing
) -> None:
    set_by_hand(lab, listing, 2)

    intent = add(listing)
    work(lab, n=2, seconds=20)

    assert state_of(intent) == STATE.REFUSED
    assert total(lab, listing) == 2
    assert Listing.objects.get(pk=listing.pk).n_places == 1
    assert left(study) == Decimal("6.00")


@pytest.mark.slow
def test_a_doubt_goes_to_a_person(lab: Lab, study: Study, listing: Listing) -> None:
    lab.sim.fault("commit_then_500", method="PATCH")
    intent = add(listing)
    lab.advance(seconds=20)
    outbox.send_due()
    set_by_hand(lab, listing, 5)

    work(lab, n=60)

    assert state_of(intent) == STATE.NEEDS_PERSON
    intent.refresh_from_db()
    manual_settlement.settle_by_hand(
        intent=intent, happened=True, note="I looked.", by=make_user()
    )
    assert listing.tickets.get().n_places == 3
    assert left(study) == Decimal("2.00")


def test_a_price_above_what_was_typed_is_not_paid(
    lab: Lab, study: Study, listing: Listing
) -> None:
    lab.sim.configure(vat="0.02")

    refused = add(listing)
    work(lab, n=2, seconds=20)

    assert state_of(refused) == STATE.REFUSED
    assert total(lab, listing) == 1
    more = lab.platform.more_of(Listing.objects.get(pk=listing.pk), 2)
    publishing.ask_price(more)
    intent = add(listing, typed="4.02")
    work(lab, n=2, seconds=20)
    assert state_of(intent) == STATE.CONFIRMED


@pytest.mark.slow
def test_more_places_bring_no_further_rewards_for_being_screened_out(
    lab: Lab, study: Study
) -> None:
    set_cap(study, "20.00")
    listing = published(lab, study, "3.08", options=SCREENING)
    before = left(study)

    add(listing)
    work(lab, n=2, seconds=20)

    assert total(lab, listing) == 3
    assert before - left(study) == Decimal("4.00")
