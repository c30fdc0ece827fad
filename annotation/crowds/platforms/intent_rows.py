"""Whom and what an intent is about, by a platform's names; refused if that is not known."""

from datetime import timedelta
from typing import Any

from django.db.models import Q, QuerySet

from annotation.basics import clock
from annotation.basics.sentences import sentence as _
from annotation.core.platforms.base import LookedUp, LookUpResult
from annotation.core.platforms.errors import RefusedError, UnavailableError
from annotation.models import Intent, Visit

UNKNOWN = LookedUp(LookUpResult.UNKNOWN)
NOT_DONE = LookedUp(LookUpResult.NOT_DONE)


def visit_of(intent: Intent) -> Visit:
    visit, listing = intent.visit, intent.listing
    if visit is None or not visit.submission_id:
        raise RefusedError(_("This needs one submission, but none is given."))
    if (visit.platform, visit.environment) != (listing.platform, listing.environment):
        raise RefusedError(
            _("This submission belongs to “%(theirs)s”, but the listing belongs to “%(ours)s”.")
            % {"theirs": visit.environment, "ours": listing.environment}
        )
    return visit


def submission_of(intent: Intent) -> str:
    return visit_of(intent).submission_id


def known_submission_of(intent: Intent) -> str:
    """The same, for what only looks. Raises UnavailableError."""
    try:
        return submission_of(intent)
    except RefusedError as error:
        raise UnavailableError(error.said[0]) from error


def ticket_id_of(intent: Intent) -> str:
    """The platform's study: of the ticket, else of the visit, else the listing's only one."""
    if intent.ticket:
        return intent.ticket.remote_id
    if intent.visit and intent.visit.ticket:
        return intent.visit.ticket.remote_id
    ids = list(intent.listing.tickets.values_list("remote_id", flat=True)[:2])
    if len(ids) != 1:
        raise RefusedError(_("Likeness does not know which study on the platform this is about."))
    return ids[0]


def text_of(intent: Intent, *names: str) -> str:
    """What people are told, from the first of these that the payload has."""
    for name in names:
        if text := str(intent.payload.get(name, "")).strip():
            return text
    return ""


def was_sent_within(intent: Intent, time: timedelta) -> bool:
    """Whether it was sent so short a time ago that the platform may not show it yet."""
    return intent.last_sent_at is not None and clock.now() - intent.last_sent_at < time


def standing_alike(intent: Intent, whose: Q | None = None, **columns: Any) -> QuerySet[Intent]:
    """Others of the kind, for the same visit if nothing else is said, that happened or may."""
    states = Intent.State
    return Intent.objects.filter(
        Q(visit=intent.visit) if whose is None else whose,
        kind=intent.kind,
        state__in=(states.SENDING, states.CONFIRMED, states.AMBIGUOUS, states.NEEDS_PERSON),
        **columns,
    ).exclude(pk=intent.pk)
