"""Many approvals told to a platform in one call.

Each stays an intent of its own, so that everybody is paid once. The call says nothing of a single
one: all are in doubt after it, and are looked up. What was not done by it is sent by itself, and
then the platform says why.
"""

from collections import defaultdict
from datetime import timedelta
from uuid import UUID, uuid4

from annotation.basics import clock
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.platforms import platforms
from annotation.core.platforms.base import Platform
from annotation.core.platforms.errors import DoubtfulError, RefusedError, UnavailableError
from annotation.crowds.services import endpoints, outbox, reconciling
from annotation.crowds.services.intents import with_all
from annotation.crowds.services.platform_events import of_error, record_call
from annotation.models import Intent

# Until then the next poll has seen most of them, in a few calls.
_POLLED_WITHIN = timedelta(minutes=2)
_IN_PROGRESS = _(
    "The platform approves these submissions in the background. Likeness checks each of them."
)


def send_together() -> None:
    """Send the approvals that are due for the first time, where a platform takes many at once."""
    for platform in platforms():
        if not platform.capabilities.approves_together:
            continue
        waiting = outbox.due(clock.shared_now()).filter(
            kind=Intent.Kind.APPROVE,
            state=Intent.State.PLANNED,
            attempts=0,
            listing__platform=platform.key,
        )
        by_environment: dict[str, list[Intent]] = defaultdict(list)
        for intent in with_all(waiting).order_by("planned_at", "id")[: outbox.AT_ONCE]:
            if not endpoints.moved(intent.listing):
                by_environment[intent.listing.environment].append(intent)
        for some in by_environment.values():
            if len(some) > 1:
                _send(platform, [intent.pk for intent in some])


def _send(platform: Platform, ids: list[UUID]) -> None:
    lease = uuid4()
    held = [pk for pk in ids if outbox.take(pk, lease)]
    intents = list(with_all(Intent.objects.filter(pk__in=held)))
    if not intents:
        return
    try:
        platform.approve_together(intents)
    except UnavailableError as error:
        for intent in intents:
            record_call(intent, "unavailable", of_error(error))
            outbox.put_off(intent, lease, error.said[0])
    except (RefusedError, DoubtfulError) as error:
        # Refused because of one of them, perhaps, and nobody knows because of which.
        _doubt(intents, lease, "doubtful", error.said[0])
    except BaseException:
        _doubt(intents, lease, "failed", _IN_PROGRESS)
        raise
    else:
        _doubt(intents, lease, "in progress", _IN_PROGRESS)
        in_doubt = Intent.objects.filter(pk__in=held, state=Intent.State.AMBIGUOUS)
        in_doubt.update(next_try_at=clock.shared_now() + _POLLED_WITHIN)
        for listing in {intent.listing_id: intent.listing for intent in intents}.values():
            reconciling.wake(listing)


def _doubt(intents: list[Intent], lease: UUID, kind: str, reason: Said) -> None:
    for intent in intents:
        record_call(intent, kind, {"n": len(intents)})
        outbox.doubt(intent, lease, reason)
