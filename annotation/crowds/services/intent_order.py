"""Which intents happen one after the other, and what one of them waits for."""

from collections.abc import Callable

from django.db.models import Q, QuerySet

from annotation.core.platforms import platform_of
from annotation.models import Intent

_STATE, _KIND = Intent.State, Intent.Kind
_OF_TICKETS = (_KIND.PAUSE, _KIND.RESUME, _KIND.CLOSE)


def stands_before(intent: Intent) -> QuerySet[Intent]:
    """What must be settled before it is sent.

    Steps of publishing, and of opening and shutting a ticket, happen in the order of their
    planning; bonuses one at a time, where the platform wants that.
    """
    earlier = Intent.objects.filter(listing=intent.listing_id, planned_at__lt=intent.planned_at)
    narrow = _IN_ORDER.get(intent.kind)
    return narrow(intent, earlier) if narrow else earlier.none()


def _steps_of_publishing(intent: Intent, earlier: QuerySet[Intent]) -> QuerySet[Intent]:
    steps = Q(kind=_KIND.PUBLISH, state__in=(*Intent.UNSETTLED, _STATE.NEEDS_PERSON))
    if intent.ticket_id is None:
        return earlier.filter(steps)
    return earlier.filter(steps) | _of_same_ticket(intent, earlier)


def _being_paid(intent: Intent, _earlier: QuerySet[Intent]) -> QuerySet[Intent]:
    """Bonuses of the same account, of whatever study, that another worker is sending."""
    listing = intent.listing
    if not platform_of(listing.platform).capabilities.bonuses_one_by_one:
        return Intent.objects.none()
    return Intent.objects.filter(
        kind=_KIND.BONUS,
        state=_STATE.SENDING,
        listing__platform=listing.platform,
        listing__environment=listing.environment,
    )


def _of_same_ticket(intent: Intent, earlier: QuerySet[Intent]) -> QuerySet[Intent]:
    # A person's delay must not keep anybody from closing.
    # More places open a study again: none may be on their way when it is closed.
    return earlier.filter(
        ticket=intent.ticket_id,
        kind__in=(*_OF_TICKETS, _KIND.PUBLISH),
        state__in=Intent.UNSETTLED,
    )


# The kinds that wait for others, and for which.
_IN_ORDER: dict[str, Callable[[Intent, QuerySet[Intent]], QuerySet[Intent]]] = {
    _KIND.PUBLISH: _steps_of_publishing,
    _KIND.BONUS: _being_paid,
    **dict.fromkeys(_OF_TICKETS, _of_same_ticket),
}
