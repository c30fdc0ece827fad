"""Messages with the people of a listing: written through an intent, read for a page, counted."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction

from annotation.basics import clock
from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.platforms import platform_of
from annotation.core.platforms.base import Platform
from annotation.core.platforms.messages import Message
from annotation.crowds.queries.messages import READ, UNREAD, with_unread
from annotation.crowds.services import decision_intents, endpoints
from annotation.models import Intent, Listing, PlatformEvent, Ticket, Visit


@dataclass(frozen=True)
class Conversation:
    """What was exchanged with one person about one study, or why it cannot be shown.

    Parameters
    ----------
    n_others : int
        Messages with them that name another study or none: those stay on the platform.
    """

    messages: Sequence[Message] = ()
    n_others: int = 0
    problem: Said = ""


def conversation(visit: Visit) -> Conversation:
    """Ask the platform, within seconds; nothing is stored."""
    assert visit.listing is not None  # visits of a study have one
    try:
        endpoints.refuse_moved(visit.listing)
        messages = platform_of(visit.platform).messages(visit)
    except AnnotationError as error:
        return Conversation(problem=error.message)
    study_ids = set(
        Ticket.objects.filter(
            listing__study=visit.listing.study_id,
            platform=visit.platform,
            environment=visit.environment,
        ).values_list("remote_id", flat=True)
    )
    of_study = [message for message in messages if message.study_id in study_ids]
    return Conversation(of_study, n_others=len(messages) - len(of_study))


@transaction.atomic
def send(*, visit: Visit, text: str, number: int, by: User) -> Intent:
    """Write to the person of a visit.

    `number` counts the messages to them: the same form sent twice is one message.
    """
    visit = decision_intents.locked_visit(visit)
    if not decision_intents.capabilities_of(visit).can_message:
        raise StateError(_("Likeness cannot send messages on this platform."))
    words = decision_intents.required_text(text, _("Write a message first."))
    return decision_intents.plan_intent(
        visit, Intent.Kind.MESSAGE, reason_code=str(number), payload={"message": words}, by=by
    )


def follow_unread(platform: Platform, listing: Listing) -> None:
    """Note whose messages wait on the platform to be read. Raises UnavailableError."""
    if not platform.capabilities.shows_messages or listing.study.dry_run:
        return
    study_ids = {"", *listing.tickets.values_list("remote_id", flat=True)}
    senders = {
        message.person_id
        for message in platform.unread_messages(listing)
        if message.study_id in study_ids
    }
    before = set(with_unread(listing.visits.all()).values_list("pk", flat=True))
    # By the last visit of each: a person may come twice.
    last_visits = {
        visit.person_id: visit.pk
        for visit in listing.visits.filter(person__platform_id__in=senders).order_by("pk")
    }
    now = set(last_visits.values())
    for kind, visit_ids in ((UNREAD, now - before), (READ, before - now)):
        PlatformEvent.objects.bulk_create(
            PlatformEvent(
                listing=listing,
                visit_id=visit_id,
                source=PlatformEvent.Source.POLL,
                kind=kind,
                seen_at=clock.now(),
            )
            for visit_id in sorted(visit_ids)
        )
