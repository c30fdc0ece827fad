"""What platforms send unasked: kept as it came, and a reason to ask them soon."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from annotation.basics import clock
from annotation.core.services import throttle
from annotation.crowds.services import reconciling
from annotation.models import Listing, PlatformEvent, Ticket, Visit

# No shorter than a signature is believed; at the turn of two windows it is heard twice.
_HEARD_MINUTES = 30


@transaction.atomic
def record(
    *,
    platform: str,
    environment: str,
    event_id: str,
    signature: str,
    kind: str,
    about: str,
    payload: Mapping[str, Any],
) -> bool:
    """Keep an event, once however often it is sent, and have its listing asked about.

    `about` is the platform's id of a ticket or a submission. In one transaction: an event that is
    kept and forgotten would never be sent again. Returns whether it is new.

    The event's id is not part of what was signed, so that anybody who has overheard one could send
    it under other ids for as long as its signature is believed: one signature is one event.
    """
    heard = f"webhook/{environment}/{signature}"
    if throttle.count(bucket=heard, minutes=_HEARD_MINUTES) > 1:
        return False
    listing = _listing_of(platform, environment, about)
    _event, is_new = PlatformEvent.objects.get_or_create(
        source=PlatformEvent.Source.WEBHOOK,
        event_id=f"{platform}/{environment}/{event_id}",
        defaults={
            "listing": listing,
            "visit": None,
            "kind": kind,
            "payload": dict(payload),
            "seen_at": clock.now(),
        },
    )
    if is_new and listing is not None:
        reconciling.wake(listing)
    return is_new


def _listing_of(platform: str, environment: str, about: str) -> Listing | None:
    """Null for what is of no listing of ours, or of somebody who has not come here yet."""
    where = {"platform": platform, "environment": environment}
    ticket = Ticket.objects.filter(**where, remote_id=about).select_related("listing").first()
    if ticket:
        return ticket.listing
    visit = (
        Visit.objects.filter(**where, submission_id=about, listing__isnull=False)
        .select_related("listing")
        .order_by("-pk")
        .first()
    )
    return visit.listing if visit else None
