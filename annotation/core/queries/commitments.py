"""What a study may still have to pay for what was asked of platforms.

Committed is what all standing intents may cost at worst. Money is released, and may be spent
again, only where it is certain that nobody will be paid from it:

- what the platform refused, or a person settled as not having happened;
- of a ticket that has ended, after the longest time in which somebody may still hand in and a
  poll since then, the places beyond those whose visit may be paid. A visit that was returned, ran
  out of time or was rejected is not paid, unless an approval of it stands.

A place of a ticket that is open stays committed, whatever became of those who came: the platform
may hand it on. Shares are rounded down to the cent.
"""

from decimal import ROUND_DOWN, Decimal

from django.db.models import Exists, OuterRef, Q, QuerySet, Sum

from annotation.basics import clock
from annotation.core.platforms import platform_of
from annotation.models import Intent, Study, Ticket, Visit
from annotation.models.kinds import Outcome

CENT = Decimal("0.01")
NOTHING = Decimal("0.00")
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
    if not is_over(ticket):
        return NOTHING
    made = Intent.objects.filter(
        listing=ticket.listing_id,
        kind=Intent.Kind.PUBLISH,
        state=Intent.State.CONFIRMED,
        remote_id=ticket.remote_id,
    )
    if not ticket.n_places:
        return NOTHING
    n_unused = max(0, ticket.n_places - _n_payable(ticket))
    return (_sum(made) * n_unused / ticket.n_places).quantize(CENT, ROUND_DOWN)


def _sum(intents: QuerySet[Intent]) -> Decimal:
    # SQLite adds in binary; to the cent that is exact for any sum that is ever spent.
    total: Decimal = intents.aggregate(total=Sum("commits"))["total"] or NOTHING
    return total.quantize(CENT)


def is_over(ticket: Ticket) -> bool:
    """Whether nobody can hand in any more, and everything there was read since."""
    if ticket.state == Ticket.State.OPEN or ticket.expires_at is None:
        return False
    listing = ticket.listing
    until = ticket.expires_at + platform_of(listing.platform).hand_in_time(listing)
    return clock.now() >= until and listing.read_at is not None and listing.read_at >= until


def _n_payable(ticket: Ticket) -> int:
    """Visits that are paid or may be; one that the platform never showed, where work was done."""
    approval = Intent.objects.standing().filter(visit=OuterRef("pk"), kind=Intent.Kind.APPROVE)
    nothing_done = Q(state=Visit.State.ENDED) & ~Q(
        outcome__in=(Outcome.COMPLETED, Outcome.FAILED_CHECKS)
    )
    is_dead = Q(remote_state__in=_UNPAID) | Q(remote_state=Visit.Remote.UNSEEN) & (
        Q(state=Visit.State.CLOSED) | nothing_done
    )
    dead = is_dead & ~Q(Exists(approval.filter(reason_code=Intent.OVERTURN)))
    return ticket.visits.exclude(dead).count()
