"""What a study may still have to pay for what was asked of platforms.

Committed is what all standing intents may cost at worst. Money is released, and may be spent
again, only where it is certain that nobody will be paid from it:

- what the platform refused, or a person settled as not having happened;
- of a ticket that has ended, after the longest time in which somebody may still hand in and a
  poll since then, the places beyond those whose visit may be paid, and the rewards for being
  screened out that nobody received. A visit that was returned, ran out of time or was rejected is
  not paid, unless an approval of it stands. Where a platform takes late work, one that ran out of
  time and was not replaced keeps its place for a month. An approval beyond the places committed
  a place of its own, and that is released like the others.

A place of a ticket that is open stays committed, whatever became of those who came: the platform
may hand it on. Shares are rounded down to the cent.
"""

from datetime import timedelta
from decimal import ROUND_DOWN, Decimal

from django.db.models import Exists, OuterRef, Q, QuerySet, Sum

from annotation.basics import clock
from annotation.core.platforms import platform_of
from annotation.models import Intent, Study, Ticket, Visit
from annotation.models.kinds import Outcome

CENT = Decimal("0.01")
NOTHING = Decimal("0.00")
# So long after its end a ticket is asked about: platforms forget, and nothing changes any more.
LAST_POLL = timedelta(days=30)
_UNPAID = (Visit.Remote.RETURNED, Visit.Remote.TIMED_OUT, Visit.Remote.REJECTED)


def committed(study: Study, currency: str) -> Decimal:
    """What everything that was asked for may cost at worst, less what is known to be released."""
    standing = Intent.objects.standing().filter(listing__study=study, currency=currency)
    return _sum(standing) - released(study, currency)


def released(study: Study, currency: str) -> Decimal:
    """What was committed for places of ended tickets that nobody will be paid for."""
    ended = Ticket.objects.filter(
        listing__study=study, listing__currency=currency, expires_at__isnull=False
    ).exclude(state=Ticket.State.OPEN)
    return sum((_released_of(ticket) for ticket in ended.select_related("listing")), NOTHING)


def _released_of(ticket: Ticket) -> Decimal:
    if not is_over(ticket) or not ticket.n_places:
        return NOTHING
    n_slots, for_slots = _slots(ticket)
    for_places = _sum(made_by(ticket)) - for_slots
    n_free = n_unused(ticket) + _n_paid_beside(ticket)
    return _share(for_places, n_free, ticket.n_places) + _share(
        for_slots, n_slots - _n_screened_out(ticket), n_slots
    )


def made_by(ticket: Ticket) -> QuerySet[Intent]:
    """What published a ticket, and added places to it."""
    return Intent.objects.filter(
        listing=ticket.listing_id,
        kind=Intent.Kind.PUBLISH,
        state=Intent.State.CONFIRMED,
        remote_id=ticket.remote_id,
    )


def n_unused(ticket: Ticket) -> int:
    """Places of a ticket that has ended for which nobody is paid; below 0 if more came."""
    n_slots, _for_slots = _slots(ticket)
    n_in_slots = min(_n_screened_out(ticket), n_slots)
    return ticket.n_places - (_n_payable(ticket) + _n_late(ticket) - n_in_slots)


def _n_paid_beside(ticket: Ticket) -> int:
    """Approvals that committed money of their own, since all places seemed to be paid."""
    approvals = Intent.objects.standing().filter(visit__ticket=ticket, kind=Intent.Kind.APPROVE)
    return approvals.filter(commits__gt=0).count()


def _slots(ticket: Ticket) -> tuple[int, Decimal]:
    """Rewards for being screened out stand beside the places, where some were foreseen."""
    slots = made_by(ticket).filter(payload__has_key="screen_outs").first()
    if slots is None:
        return 0, NOTHING
    return slots.payload["screen_outs"]["n"], Decimal(slots.payload["screen_outs"]["commits"])


def _n_screened_out(ticket: Ticket) -> int:
    return ticket.visits.filter(remote_state=Visit.Remote.SCREENED_OUT).count()


def _share(amount: Decimal, n: int, n_all: int) -> Decimal:
    return (amount * n / n_all).quantize(CENT, ROUND_DOWN) if n > 0 else NOTHING


def _sum(intents: QuerySet[Intent]) -> Decimal:
    # SQLite adds in binary; to the cent that is exact for any sum that is ever spent.
    total: Decimal = intents.aggregate(total=Sum("commits"))["total"] or NOTHING
    return total.quantize(CENT)


def is_over(ticket: Ticket) -> bool:
    """Whether nobody can hand in any more, and everything there was read since."""
    if ticket.state == Ticket.State.OPEN or ticket.expires_at is None:
        return False
    listing = ticket.listing
    until = ticket.expires_at + platform_of(listing.platform).hand_in_time(listing, ticket)
    return clock.now() >= until and listing.read_at is not None and listing.read_at >= until


def _n_late(ticket: Ticket) -> int:
    """Visits that ran out of time and may still be handed in."""
    if not _takes_late_work(ticket):
        return 0
    return ticket.visits.filter(remote_state=Visit.Remote.TIMED_OUT).count()


def _takes_late_work(ticket: Ticket) -> bool:
    """For a month after its end, until a poll has seen that nobody came."""
    assert ticket.expires_at is not None  # it is over
    read_at = ticket.listing.read_at
    is_past = read_at is not None and read_at >= ticket.expires_at + LAST_POLL
    return platform_of(ticket.platform).capabilities.takes_late_work and not is_past


def _n_payable(ticket: Ticket) -> int:
    """Visits that are paid or may be; one that the platform never showed, where work was done."""
    return ticket.visits.exclude(_dead()).count()


def _dead() -> Q:
    """Visits that nobody is paid for, as far as is known."""
    approval = Intent.objects.standing().filter(visit=OuterRef("pk"), kind=Intent.Kind.APPROVE)
    nothing_done = Q(state=Visit.State.ENDED) & ~Q(
        outcome__in=(Outcome.COMPLETED, Outcome.FAILED_CHECKS)
    )
    is_dead = Q(remote_state__in=_UNPAID) | Q(remote_state=Visit.Remote.UNSEEN) & (
        Q(state=Visit.State.CLOSED) | nothing_done
    )
    return is_dead & ~Q(Exists(approval.filter(reason_code=Intent.OVERTURN)))


def is_released(visit: Visit) -> bool:
    """Whether the money for a visit is free, by what is known before it is shown anew."""
    ticket = visit.ticket
    if ticket is None or not is_over(ticket):
        return False
    if visit.remote_state == Visit.Remote.TIMED_OUT and _takes_late_work(ticket):
        return False
    return Visit.objects.filter(_dead(), pk=visit.pk).exists()
