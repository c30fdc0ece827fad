"""Which intents happen in the order of their planning, and what one of them waits for."""

from collections.abc import Callable

from django.db.models import Q, QuerySet

from annotation.models import Intent

_STATE, _KIND = Intent.State, Intent.Kind
_OF_TICKETS = (_KIND.PAUSE, _KIND.RESUME, _KIND.CLOSE)


def earlier_in_order(intent: Intent) -> QuerySet[Intent]:
    """What must be settled before: steps of publishing, and of opening and shutting a ticket."""
    earlier = Intent.objects.filter(listing=intent.listing_id, planned_at__lt=intent.planned_at)
    narrow = _IN_ORDER.get(intent.kind)
    return narrow(intent, earlier) if narrow else earlier.none()


def _steps_of_publishing(intent: Intent, earlier: QuerySet[Intent]) -> QuerySet[Intent]:
    steps = Q(kind=_KIND.PUBLISH, state__in=(*Intent.UNSETTLED, _STATE.NEEDS_PERSON))
    if intent.ticket_id is None:
        return earlier.filter(steps)
    return earlier.filter(steps) | _of_same_ticket(intent, earlier)


def _of_same_ticket(intent: Intent, earlier: QuerySet[Intent]) -> QuerySet[Intent]:
    # A person's delay must not keep anybody from closing.
    # More places open a study again: none may be on their way when it is closed.
    return earlier.filter(
        ticket=intent.ticket_id,
        kind__in=(*_OF_TICKETS, _KIND.PUBLISH),
        state__in=Intent.UNSETTLED,
    )


# The kinds that happen in the order of their planning, and which earlier ones they wait for.
_IN_ORDER: dict[str, Callable[[Intent, QuerySet[Intent]], QuerySet[Intent]]] = {
    _KIND.PUBLISH: _steps_of_publishing,
    **dict.fromkeys(_OF_TICKETS, _of_same_ticket),
}
