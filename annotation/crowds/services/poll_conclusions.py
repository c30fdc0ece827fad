"""What is concluded once everything was read that a platform shows of a listing."""

import logging
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from annotation.answering.services import visits
from annotation.basics import clock
from annotation.basics.sentences import sentence as _
from annotation.basics.sentences import stored
from annotation.core.platforms.base import Platform
from annotation.core.platforms.errors import UnavailableError
from annotation.core.services.locks import lock_study
from annotation.crowds.services import intents
from annotation.models import Intent, Listing, PlatformEvent, Visit
from annotation.models.kinds import Outcome

logger = logging.getLogger("annotation.reconciling")

# So long after the last moment to hand in, a submission that is not shown is missing.
GRACE = timedelta(days=1)
_NOT_ACCEPTED = _("Nobody accepted it while the platform offered it.")
# A person who reached one of these has sent everything.
DONE = frozenset({Outcome.COMPLETED, Outcome.FAILED_CHECKS})
_NEVER_SHOWN = "never shown"

MISSING = _("Finished here, but the platform has never listed this submission.")


def record(
    listing: Listing, kind: str, content: Mapping[str, Any], visit: Visit | None = None
) -> PlatformEvent:
    """Keep what a poll told, as it came."""
    return PlatformEvent.objects.create(
        listing=listing,
        visit=visit,
        source=PlatformEvent.Source.POLL,
        kind=kind,
        payload=content,
        seen_at=clock.now(),
    )


def offered(listing: Listing) -> QuerySet[Intent]:
    """Compensations of which the platform has not said yet whether they were accepted."""
    return Intent.objects.offered().filter(listing=listing)


def look_for_taken(platform: Platform, listing: Listing, now: datetime) -> None:
    """A person who was offered a compensation is paid by it once they accept.

    Once the platform offers it no more, it came to nothing, and its money is free.
    """
    for intent in intents.with_all(offered(listing)):
        try:
            is_taken = platform.is_taken(intent)
        except UnavailableError:
            continue  # the next poll asks again; it stays an offer until then
        except Exception:
            # One by one: what is wrong with an offer keeps no other from being known as taken.
            logger.exception("a compensation of listing %s", listing.pk)
            continue
        still_offered = Intent.objects.offered().filter(pk=intent.pk)
        if is_taken:
            still_offered.update(taken_at=now)
        elif intent.has_lapsed(now):
            still_offered.update(
                state=Intent.State.GIVEN_UP, settled_at=now, error=stored(_NOT_ACCEPTED)
            )


def look_for_missing(platform: Platform, listing: Listing, now: datetime) -> None:
    """Who came here and was never shown until long after the last moment to hand in."""
    latest = now - GRACE
    longest = platform.hand_in_time(listing)
    unseen = listing.visits.filter(
        remote_state=Visit.Remote.UNSEEN, state__in=(Visit.State.WORKING, Visit.State.ENDED)
    ).exclude(events__kind=_NEVER_SHOWN)
    for visit in unseen.order_by("pk"):
        if (visit.deadline or visit.created_at + longest) > latest:
            continue
        with transaction.atomic():
            lock_study(listing.study_id)
            held = visits.hold(visit)
            if not unseen.filter(pk=held.pk).exists():
                continue  # another worker missed it, or it came to light
            record(listing, _NEVER_SHOWN, {"submission_id": held.submission_id}, held)
            if held.state == Visit.State.WORKING:
                visits.close(visit=held)
            elif held.outcome in DONE:
                visits.doubt(visit=held, reason=MISSING)
