"""Publishing, more places, pausing and closing: planned after the sum was typed, asked once."""

from decimal import Decimal

import pytest

from annotation.basics.errors import AnnotationError, StateError
from annotation.core.queries import commitments
from annotation.crowds.queries.free_places import free_for
from annotation.crowds.services import outbox, publishing
from annotation.crowds.services.spending import BudgetError
from annotation.models import Intent, Listing, Study, Ticket
from tests.support.clock import Clock
from tests.support.factories import join, make_user
from tests.support.remote_side import Remote, make_listing

pytestmark = pytest.mark.django_db

# Twenty places at 1.50 and a fee of a fifth.
SUM = Decimal("36.00")


def published(**columns) -> Listing:
    listing = make_listing(n_places=20, **columns)
    publishing.publish(listing=listing, typed=SUM, by=make_user())
    return listing


def send(listing: Listing, clock: Clock) -> Listing:
    clock.move(minutes=1)
    publishing.close_left_open()
    outbox.send_due()
    listing.refresh_from_db()
    return listing


def test_a_listing_is_published_by_its_steps(remote: Remote, clock: Clock) -> None:
    listing = published()
    listing.refresh_from_db()
    assert listing.state == Listing.State.PUBLISHING

    send(listing, clock)

    assert listing.state == Listing.State.PUBLISHED
    assert listing.published_at == clock.time
    assert [ticket.n_places for ticket in listing.tickets.all()] == [9, 9, 2]
    assert sum(Decimal(entry["amount"]) for entry in remote.entries) == SUM


@pytest.mark.parametrize("typed", ["35.99", "36.01", "0.00", "3600", "NaN"])
def test_another_sum_is_refused_with_both(remote: Remote, typed: str) -> None:
    listing = make_listing(n_places=20)

    with pytest.raises(AnnotationError) as raised:
        publishing.publish(listing=listing, typed=Decimal(typed), by=make_user())

    assert f"You typed {typed}" in str(raised.value)
    assert "36.00 USD" in str(raised.value)
    assert not Intent.objects.exists()


def test_a_dry_run_publishes_nothing(remote: Remote) -> None:
    listing = make_listing(n_places=20)
    Study.objects.update(dry_run=True)

    with pytest.raises(StateError, match="dry run"):
        publishing.publish(listing=listing, typed=SUM, by=make_user())


@pytest.mark.parametrize("cap", [None, "0.00", "35.99"])
def test_without_a_budget_for_all_of_it_nothing_is_published(remote: Remote, cap) -> None:
    listing = make_listing(n_places=20, cap=cap)

    with pytest.raises(BudgetError, match="Raise the cap"):
        publishing.publish(listing=listing, typed=SUM, by=make_user())

    listing.refresh_from_db()
    assert listing.state == Listing.State.DRAFT
    assert not Intent.objects.exists()


def test_steps_that_cost_more_than_was_typed_are_not_planned(remote: Remote) -> None:
    remote.extra_commit = Decimal("0.01")
    listing = make_listing(n_places=20)

    with pytest.raises(AnnotationError, match=r"36\.03 USD, more than the estimated 36\.00"):
        publishing.publish(listing=listing, typed=SUM, by=make_user())


def test_obstacles_are_named_all_at_once(remote: Remote) -> None:
    remote.obstacles = ["Set the access key.", "Write a title."]

    with pytest.raises(AnnotationError) as raised:
        publishing.publish(listing=make_listing(n_places=20), typed=SUM, by=make_user())

    assert raised.value.message == "Set the access key.\nWrite a title."


def test_a_listing_is_published_once(remote: Remote) -> None:
    listing = published()

    with pytest.raises(StateError, match="This listing is already published"):
        publishing.publish(listing=listing, typed=SUM, by=make_user())


def test_a_study_that_takes_nobody_is_not_listed(remote: Remote) -> None:
    listing = make_listing(n_places=20)
    Study.objects.update(state=Study.State.PAUSED)

    with pytest.raises(StateError, match="Open it first"):
        publishing.publish(listing=listing, typed=SUM, by=make_user())


def test_a_listing_that_was_refused_is_a_draft_again(remote: Remote, clock: Clock) -> None:
    remote.faults = ["refuses"]
    listing = send(published(), clock)
    assert listing.state == Listing.State.DRAFT
    assert commitments.committed(listing.study, "USD") == 0

    publishing.publish(listing=listing, typed=SUM, by=make_user())
    send(listing, clock)

    assert listing.state == Listing.State.PUBLISHED
    assert len(remote.entries) == 3


def test_what_was_made_before_a_refusal_stands(remote: Remote, clock: Clock) -> None:
    remote.faults = ["none", "refuses"]

    listing = send(published(), clock)

    assert listing.state == Listing.State.PUBLISHED
    assert [ticket.n_places for ticket in listing.tickets.all()] == [9]
    assert commitments.committed(listing.study, "USD") == Decimal("16.20")


def test_more_places_are_new_tickets(remote: Remote, clock: Clock) -> None:
    listing = send(published(), clock)

    publishing.top_up(listing=listing, n=3, typed=Decimal("5.40"), by=make_user(), n_before=20)
    with pytest.raises(StateError, match="Somebody added places in the meantime"):
        publishing.top_up(listing=listing, n=3, typed=Decimal("5.40"), by=make_user(), n_before=20)
    with pytest.raises(StateError, match="The last places are still being added"):
        publishing.top_up(listing=listing, n=3, typed=Decimal("5.40"), by=make_user())
    send(listing, clock)

    assert listing.n_places == 23
    assert [ticket.n_places for ticket in listing.tickets.all()] == [9, 9, 2, 3]
    with pytest.raises(AnnotationError, match="You typed"):
        publishing.top_up(listing=listing, n=3, typed=Decimal("5.41"), by=make_user())
    with pytest.raises(AnnotationError, match="at least one"):
        publishing.top_up(listing=listing, n=0, typed=Decimal("0.00"), by=make_user())


def test_pausing_and_resuming_ask_for_each_ticket(remote: Remote, clock: Clock) -> None:
    listing = send(published(), clock)
    for _ in range(2):
        publishing.pause(listing=listing, by=make_user())
        assert send(listing, clock).state == Listing.State.PAUSED
        publishing.resume(listing=listing, by=make_user())
        assert send(listing, clock).state == Listing.State.PUBLISHED

    assert remote.calls[3:] == (["pause"] * 3 + ["resume"] * 3) * 2


def test_closing_closes_each_ticket_also_in_a_dry_run(remote: Remote, clock: Clock) -> None:
    listing = send(published(), clock)
    Study.objects.update(dry_run=True)

    publishing.close(listing=listing, by=make_user())
    publishing.close(listing=listing, by=make_user())
    send(listing, clock)

    assert listing.state == Listing.State.CLOSED
    assert remote.calls[3:] == ["close"] * 3
    assert {ticket.state for ticket in listing.tickets.all()} == {Ticket.State.CLOSED}


def test_a_ticket_that_is_made_after_the_end_is_closed_too(remote: Remote, clock: Clock) -> None:
    remote.faults = ["commits then drops"]
    listing = published()
    outbox.send_due()

    publishing.close(listing=listing, by=make_user())
    for _ in range(3):
        clock.move(minutes=30)
        send(listing, clock)

    # What was not asked for yet never is.
    assert remote.calls == ["publish", "close"]
    assert listing.tickets.get().state == Ticket.State.CLOSED
    states = listing.intents.filter(kind="publish").values_list("state", flat=True)
    assert sorted(states) == ["confirmed", "given_up", "given_up"]


def test_a_draft_is_removed_and_not_closed(remote: Remote) -> None:
    with pytest.raises(StateError, match="remove it"):
        publishing.close(listing=make_listing(), by=make_user())


# -- places of the study ------------------------------------------------------------------------


def test_a_paid_listing_promises_no_place_that_the_study_has_not(
    remote: Remote, clock: Clock
) -> None:
    listing = make_listing(n_places=4)
    free = free_for(listing)
    Listing.objects.filter(pk=listing.pk).update(n_places=free + 1)

    with pytest.raises(StateError) as refused:
        publishing.publish(listing=listing, typed=_sum(free + 1), by=make_user())
    values = refused.value.said[0].values
    Listing.objects.filter(pk=listing.pk).update(n_places=free)
    publishing.publish(listing=listing, typed=_sum(free), by=make_user())
    listing = send(listing, clock)

    assert values == {"n": free + 1, "free": free}
    assert listing.state == Listing.State.PUBLISHED
    with pytest.raises(StateError):
        publishing.top_up(listing=listing, n=1, typed=_sum(1), by=make_user())
    assert listing.n_places == free


def test_places_that_others_hold_or_another_listing_promised_are_not_free(
    remote: Remote, clock: Clock
) -> None:
    listing = make_listing(n_places=4)
    free = free_for(listing)
    join(listing.study)
    assert free_for(listing) == free - 1
    other = make_listing(study=listing.study, n_places=2)
    publishing.publish(listing=other, typed=_sum(2), by=make_user())
    assert free_for(listing) == free - 3
    publishing.close(listing=send(other, clock), by=make_user())
    assert free_for(listing) == free - 1


def _sum(n: int) -> Decimal:
    return n * Decimal("1.80")
