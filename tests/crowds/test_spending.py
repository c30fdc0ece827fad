"""The cap: checked before anything is asked for, and what comes free again."""

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.basics.errors import AnnotationError, StateError
from annotation.core.platforms import platform_of
from annotation.core.queries import commitments
from annotation.crowds.queries.free_places import free_for
from annotation.crowds.services import decisions, outbox, publishing, reconciling, spending
from annotation.crowds.services.spending import BudgetError
from annotation.models import Intent, Listing, Ticket, Visit
from tests.support.clock import Clock
from tests.support.factories import make_user
from tests.support.remote_side import Fake, Remote, make_listing, make_visit

pytestmark = pytest.mark.django_db


def published(**columns) -> Listing:
    """Four places at 1.80, made on the platform."""
    listing = make_listing(**columns)
    publishing.publish(listing=listing, typed=Decimal("7.20"), by=make_user())
    outbox.send_due()
    listing.refresh_from_db()
    return listing


def pay_more(visit: Visit, amount: str = "1.00", code: str = "thorough"):
    return decisions.bonus(
        visit=visit, amount=Decimal(amount), reason_code=code, message="Thanks.", by=make_user()
    )


def test_no_budget_is_a_cap_of_nothing(remote: Remote) -> None:
    study = make_listing(cap=None).study

    assert spending.cap_of(study, "USD") == spending.left(study, "USD") == 0


def test_currencies_are_kept_apart(remote: Remote) -> None:
    listing = published(cap="7.20")

    spending.set_cap(study=listing.study, currency="GBP", cap=Decimal("5.00"), by=None)

    assert spending.left(listing.study, "USD") == 0
    assert spending.left(listing.study, "GBP") == 5


def test_a_cap_is_met_to_the_cent(remote: Remote) -> None:
    listing = published(cap="8.40")
    visit = make_visit(listing)

    with pytest.raises(
        BudgetError, match=r"may cost 1\.21 USD, but only 1\.20 of .* cap of 8\.40 are left"
    ):
        pay_more(visit, "1.01")
    pay_more(visit, "1.00")

    assert spending.left(listing.study, "USD") == 0


def test_raising_and_lowering_the_cap(remote: Remote) -> None:
    listing = published(cap="7.20")
    visit = make_visit(listing)
    with pytest.raises(BudgetError):
        pay_more(visit)

    spending.set_cap(study=listing.study, currency="USD", cap=Decimal("10.00"), by=None)
    pay_more(visit)
    spending.set_cap(study=listing.study, currency="USD", cap=Decimal("5.00"), by=None)

    assert spending.left(listing.study, "USD") == Decimal("-3.40")
    with pytest.raises(BudgetError, match=r"only 0\.00 of"):
        pay_more(visit, "0.01", "another")
    # What costs nothing more goes on.
    decisions.approve(visit=visit, by=make_user())


@pytest.mark.parametrize("cap", ["-0.01", "1.005", "NaN", "Infinity"])
def test_a_cap_that_is_no_sum_is_refused(remote: Remote, cap: str) -> None:
    study = make_listing(cap=None).study

    with pytest.raises(AnnotationError):
        spending.set_cap(study=study, currency="USD", cap=Decimal(cap), by=None)


def test_what_was_refused_is_not_committed(remote: Remote) -> None:
    listing = published()
    before = commitments.committed(listing.study, "USD")
    remote.faults = ["refuses"]

    pay_more(make_visit(listing))
    assert commitments.committed(listing.study, "USD") == before + Decimal("1.20")
    outbox.send_due()

    assert commitments.committed(listing.study, "USD") == before


def test_what_is_in_doubt_is_committed(remote: Remote) -> None:
    listing = published()
    remote.faults = ["drops before"]

    pay_more(make_visit(listing))
    outbox.send_due()

    assert commitments.committed(listing.study, "USD") == Decimal("8.40")


def make_over(listing: Listing, clock: Clock, *, polled: bool = True) -> None:
    """The ticket has ended, nobody can hand in any more, and a poll has seen that."""
    ticket = listing.tickets.get()
    Ticket.objects.filter(pk=ticket.pk).update(state=Ticket.State.EXPIRED)
    clock.set(ticket.expires_at + timedelta(hours=1))
    if polled:
        Listing.objects.filter(pk=listing.pk).update(polled_at=clock.time, read_at=clock.time)


def test_places_of_an_open_ticket_stay_committed(remote: Remote, clock: Clock) -> None:
    listing = published()
    make_visit(listing, "S1", remote_state=Visit.Remote.RETURNED)
    make_visit(listing, "S2", remote_state=Visit.Remote.REJECTED)

    clock.move(days=365)

    assert commitments.committed(listing.study, "USD") == Decimal("7.20")


def test_what_nobody_is_paid_for_comes_free_at_the_end(remote: Remote, clock: Clock) -> None:
    listing = published()
    make_visit(listing, "S1", remote_state=Visit.Remote.APPROVED)
    make_visit(listing, "S2", remote_state=Visit.Remote.RETURNED)
    make_visit(listing, "S3", remote_state=Visit.Remote.REJECTED)
    make_visit(listing, "S4", remote_state=Visit.Remote.UNSEEN, state=Visit.State.CLOSED)
    make_visit(listing, "S5", remote_state=Visit.Remote.UNSEEN, state=Visit.State.WORKING)

    make_over(listing, clock, polled=False)
    assert commitments.committed(listing.study, "USD") == Decimal("7.20")
    make_over(listing, clock)

    # One is paid, and one may still be shown: two of four places.
    assert commitments.committed(listing.study, "USD") == Decimal("3.60")


def test_an_approval_beyond_the_places_is_free_again_if_a_place_is_not_paid(
    remote: Remote, clock: Clock
) -> None:
    listing, by = published(), make_user()
    visits = [make_visit(listing, f"S{n}") for n in range(5)]
    for visit in visits:
        decisions.approve(visit=visit, by=by)
    assert commitments.committed(listing.study, "USD") == Decimal("9.00")
    # The first one gave the work back before the platform heard of the approval.
    remote.faults = ["refuses"]
    outbox.send_due()
    Visit.objects.filter(pk=visits[0].pk).update(remote_state=Visit.Remote.RETURNED)
    Visit.objects.exclude(pk=visits[0].pk).update(remote_state=Visit.Remote.APPROVED)

    make_over(listing, clock)

    assert commitments.committed(listing.study, "USD") == Decimal("7.20")


def test_taking_a_rejection_back_needs_its_money_again(remote: Remote, clock: Clock) -> None:
    listing = published(cap="7.20")
    visit = make_visit(listing, remote_state=Visit.Remote.REJECTED)
    make_over(listing, clock)
    assert commitments.committed(listing.study, "USD") == 0

    spending.set_cap(study=listing.study, currency="USD", cap=Decimal("1.79"), by=None)
    with pytest.raises(BudgetError, match=r"may cost 1\.80 USD"):
        decisions.overturn(visit=visit, by=make_user())
    spending.set_cap(study=listing.study, currency="USD", cap=Decimal("1.80"), by=None)
    decisions.overturn(visit=visit, by=make_user())

    assert spending.left(listing.study, "USD") == 0


def test_a_poll_that_ends_meanwhile_makes_nothing_cheaper(
    remote: Remote, clock: Clock, monkeypatch
) -> None:
    listing = published(cap="8.00")
    visit = make_visit(listing, remote_state=Visit.Remote.APPROVED)
    make_over(listing, clock)
    pay_more(visit, "5.00")
    Listing.objects.update(polled_at=None, read_at=None)
    committed = commitments.committed

    def before_a_poll(*arguments) -> Decimal:
        found = committed(*arguments)
        Listing.objects.update(polled_at=clock.time, read_at=clock.time)
        return found

    monkeypatch.setattr(commitments, "committed", before_a_poll)
    with pytest.raises(BudgetError, match=r"may cost 1\.20 USD"):
        pay_more(visit, "1.00", "again")


def test_what_is_asked_for_again_costs_what_it_costs_now(remote: Remote, clock: Clock) -> None:
    listing, by = published(cap="7.20"), make_user()
    remote.faults = ["refuses"]
    refused = decisions.approve(visit=make_visit(listing, "S0"), by=by)
    assert refused is not None
    outbox.send_due()
    for n in range(1, 5):
        decisions.approve(visit=make_visit(listing, f"S{n}"), by=by)

    with pytest.raises(BudgetError, match=r"may cost 1\.80 USD"):
        decisions.ask_again(intent=refused, by=by)


def test_a_place_that_is_released_is_never_more_than_its_share(
    remote: Remote, clock: Clock
) -> None:
    listing = published()
    listing.intents.filter(kind="publish").update(commits=Decimal("0.10"))
    listing.tickets.update(n_places=3)
    make_visit(listing)

    make_over(listing, clock)

    # Two thirds of ten cents, rounded down.
    assert commitments.released(listing.study, "USD") == Decimal("0.06")


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=0, max_value=10**6))
def test_amounts_are_whole_cents_or_refused(amount: Decimal) -> None:
    is_whole = (amount * 100) % 1 == 0

    if is_whole:
        assert spending.in_cents(amount) == amount
    else:
        with pytest.raises(AnnotationError, match="has too many decimals; write at most two"):
            spending.in_cents(amount)


def test_nothing_is_free_while_the_last_poll_still_reads(
    remote: Remote, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    listing = published(cap="7.20")
    make_over(listing, clock, polled=False)
    left = []

    def submissions(self: Any, asked: Any) -> Iterator[Any]:
        left.append(spending.left(listing.study, "USD"))
        yield from ()

    monkeypatch.setattr(Fake, "submissions", submissions)
    reconciling.poll_due()

    assert left == [Decimal("0.00")]
    assert spending.left(listing.study, "USD") == Decimal("7.20")


def test_whoever_did_nothing_and_is_never_shown_binds_no_money(
    remote: Remote, clock: Clock
) -> None:
    listing = published(cap="7.20")
    unseen = {"remote_state": Visit.Remote.UNSEEN, "ticket": listing.tickets.get()}
    ended = {"state": Visit.State.ENDED, "outcome": "no_consent", "ended_at": clock.time}
    make_visit(listing, "S1", **ended, **unseen)
    make_visit(listing, "S2", state=Visit.State.WORKING, **unseen)

    make_over(listing, clock)

    # One of four places: for that work somebody may still be owed.
    assert commitments.committed(listing.study, "USD") == Decimal("1.80")


# -- Places that the platform refused ------------------------------------------------------------


def approve_all(listing: Listing, clock: Clock, *, n: int) -> None:
    for number in range(n):
        decisions.approve(visit=make_visit(listing, f"S{number}"), by=make_user())
        clock.move(minutes=1)
        outbox.send_due()


@pytest.mark.slow
@pytest.mark.parametrize("is_refused_at", ["first", "top-up", "close"])
def test_places_that_were_not_made_are_not_foreseen(
    remote: Remote, clock: Clock, is_refused_at: str
) -> None:
    """Nine places are made. The platform shows more submissions: those pass the cap or fail."""
    by = make_user()
    listing = make_listing(n_places=9 if is_refused_at == "top-up" else 20, cap="100")
    publishing.publish(
        listing=listing, typed=platform_of(listing.platform).estimate(listing).worst, by=by
    )
    if is_refused_at == "first":
        remote.faults = ["none", "refuses"]
        outbox.send_due()
    elif is_refused_at == "top-up":
        outbox.send_due()
        listing.refresh_from_db()
        remote.faults = ["refuses"]
        publishing.top_up(listing=listing, n=9, typed=Decimal("16.20"), by=by)
        clock.move(minutes=1)
        outbox.send_due()
    else:
        # The first ticket is made, and the others are not asked for any more.
        outbox.send(listing.intents.earliest("planned_at").pk)
        listing.refresh_from_db()
        publishing.close(listing=listing, by=by)
    listing.refresh_from_db()
    assert listing.n_places == sum(listing.tickets.values_list("n_places", flat=True)) == 9
    left = commitments.committed(listing.study, "USD")
    assert left == Decimal("16.20")
    spending.set_cap(study=listing.study, currency="USD", cap=left, by=by)

    approve_all(listing, clock, n=9)
    with pytest.raises(BudgetError, match=r"may cost 1\.80 USD"):
        decisions.approve(visit=make_visit(listing, "S9"), by=by)

    assert commitments.committed(listing.study, "USD") == left


def test_places_that_were_refused_are_free_again(remote: Remote, clock: Clock) -> None:
    listing = make_listing(n_places=9, cap="1000")
    publishing.publish(listing=listing, typed=Decimal("16.20"), by=make_user())
    outbox.send_due()
    listing.refresh_from_db()
    free = free_for(listing)
    remote.faults = ["refuses"]
    publishing.top_up(listing=listing, n=9, typed=Decimal("16.20"), by=make_user())
    assert free_for(listing) == free - 9
    clock.move(minutes=1)
    outbox.send_due()

    assert free_for(listing) == free


def test_a_publication_is_not_asked_for_again_with_its_old_words(
    remote: Remote, clock: Clock
) -> None:
    listing = make_listing(n_places=9, cap="1000")
    publishing.publish(listing=listing, typed=Decimal("16.20"), by=make_user())
    remote.faults = ["refuses"]
    outbox.send_due()
    refused = listing.intents.get(kind="publish")
    assert refused.state == Intent.State.REFUSED

    with pytest.raises(StateError, match="Publish the listing again"):
        decisions.ask_again(intent=refused, by=make_user())

    listing.refresh_from_db()
    assert (listing.state, listing.n_places) == (Listing.State.DRAFT, 9)
