"""Making a listing visible to people, pausing it, asking for more places, closing it.

Everything here only plans; a worker asks the platform afterwards (`intents`).
"""

import logging
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from django.contrib.auth.models import User
from django.db import transaction

from annotation.basics import clock
from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.platforms import platform_of
from annotation.core.platforms.base import Planned, Platform
from annotation.core.platforms.costs import Estimate
from annotation.core.platforms.errors import UnavailableError
from annotation.core.queries import commitments
from annotation.core.services.locks import lock_study
from annotation.crowds.queries.free_places import free_for
from annotation.crowds.services import effects, endpoints, intents, spending
from annotation.models import Intent, Listing, Ticket

logger = logging.getLogger("annotation.publishing")

_STATE, _KIND = Listing.State, Intent.Kind


@transaction.atomic
def publish(*, listing: Listing, typed: Decimal, by: User) -> Listing:
    """Plan what makes a draft visible, after its greatest cost was typed to the cent.

    Raises AnnotationError if something must be mended first, or another sum was typed.
    """
    listing = _hold(listing)
    platform = platform_of(listing.platform)
    if listing.state != _STATE.DRAFT:
        raise StateError(_("This listing is already published. Add places instead."))
    _refuse_unready(platform, listing)
    estimate = _confirmed_by(typed, platform, listing)
    listing.state = _STATE.PUBLISHING
    listing.save(update_fields=["state"])
    if not _plan_steps(platform.plan_publishing(listing), listing, estimate, by=by):
        # There is nobody to ask: people are sent by hand, as to a panel.
        listing.state, listing.published_at = _STATE.PUBLISHED, clock.now()
        listing.save(update_fields=["state", "published_at"])
    return listing


@transaction.atomic
def top_up(
    *, listing: Listing, n: int, typed: Decimal, by: User, n_before: int | None = None
) -> Listing:
    """Plan so many places more, after their greatest cost was typed.

    `n_before`: how many there were when that was typed, so that a form sent twice asks once.
    """
    listing = _hold(listing)
    platform = platform_of(listing.platform)
    if n < 1:
        raise AnnotationError(_("Add at least one place."))
    if listing.state != _STATE.PUBLISHED:
        raise StateError(_("Only a published listing can get more places; publish or resume it."))
    if n_before is not None and n_before != listing.n_places:
        raise StateError(_("Somebody added places in the meantime. Look at the listing again."))
    if listing.intents.unsettled().filter(kind=_KIND.PUBLISH).exists():
        raise StateError(_("The last places are still being added. Please wait."))
    more = platform.more_of(listing, n)
    _refuse_unready(platform, more)
    estimate = _confirmed_by(typed, platform, more)
    listing.n_places += n
    listing.save(update_fields=["n_places"])
    steps = [
        replace(step, reason_code=f"{listing.n_places}: {step.reason_code}")
        for step in platform.plan_more(more)
    ]
    for step in steps:
        if step.ticket:
            # One that had ended is offered again, and holds the money of all that it offers.
            effects.reopen(step.ticket)
    _plan_steps(steps, listing, estimate, by=by)
    return listing


@transaction.atomic
def pause(*, listing: Listing, by: User) -> Listing:
    """Plan that nobody new is sent for a while; anybody who has come may finish."""
    listing = _hold(listing)
    platform = platform_of(listing.platform)
    if listing.state != _STATE.PUBLISHED:
        raise StateError(_("Only a published listing can be paused."))
    if platform.capabilities.is_paid and not platform.capabilities.can_pause:
        raise StateError(
            _("This platform cannot pause listings. Close the listing and make another one later.")
        )
    if not _plan_for_tickets(listing, _KIND.PAUSE, by=by):
        listing.state = _STATE.PAUSED
        listing.save(update_fields=["state"])
    return listing


@transaction.atomic
def resume(*, listing: Listing, by: User) -> Listing:
    """Plan that people are sent again."""
    listing = _hold(listing)
    if listing.state != _STATE.PAUSED:
        raise StateError(_("Only a paused listing can be resumed."))
    _refuse_closed_study(listing)
    if not _plan_for_tickets(listing, _KIND.RESUME, by=by):
        listing.state = _STATE.PUBLISHED
        listing.save(update_fields=["state"])
    return listing


@transaction.atomic
def close(*, listing: Listing, by: User) -> Listing:
    """Send nobody any more. A person who has come may finish, and is paid.

    What was not asked for yet is not asked for; what the platform makes meanwhile is closed, too.
    """
    listing = _hold(listing)
    if listing.state == _STATE.DRAFT:
        raise StateError(_("This listing was never published; remove it instead."))
    now = clock.now()
    Intent.objects.filter(
        listing=listing, kind=_KIND.PUBLISH, state=Intent.State.PLANNED, attempts=0
    ).update(state=Intent.State.GIVEN_UP, settled_at=now, next_try_at=None)
    listing.state = _STATE.CLOSED
    listing.closed_at = listing.closed_at or now
    listing.published_at = listing.published_at or now
    listing.save(update_fields=["state", "closed_at", "published_at"])
    effects.count_places(listing.pk)
    _plan_for_tickets(listing, _KIND.CLOSE, by=by)
    return listing


def close_left_open() -> int:
    """Plan the end of tickets that came into being after their listing was closed."""
    left = Ticket.objects.filter(state=Ticket.State.OPEN, listing__state=_STATE.CLOSED).exclude(
        intents__kind=_KIND.CLOSE
    )
    listings = list(Listing.objects.filter(pk__in=left.values("listing")).order_by("pk"))
    for listing in listings:
        try:
            with transaction.atomic():
                _plan_for_tickets(_hold(listing), _KIND.CLOSE, by=None)
        except Exception:
            # One by one: what is wrong with a listing keeps none of the others open.
            logger.exception("end of listing %s", listing.pk)
    return len(listings)


def ask_price(listing: Listing) -> Said:
    """Have the platform's own price stand in the estimate; else a sentence on why it does not.

    Nothing is asked in a dry run. `listing` may offer more places than its row.
    """
    if listing.study.dry_run:
        return ""
    try:
        listing.quote |= platform_of(listing.platform).quote(listing)
    except UnavailableError as error:
        return error.said[0]
    Listing.objects.filter(pk=listing.pk).update(quote=listing.quote)
    return ""


def _hold(listing: Listing) -> Listing:
    lock_study(listing.study_id)
    return Listing.objects.select_related("study").get(pk=listing.pk)


def _refuse_unready(platform: Platform, listing: Listing) -> None:
    _refuse_closed_study(listing)
    if platform.capabilities.is_paid and listing.study.dry_run:
        raise StateError(intents.DRY_RUN)
    if listing.n_places < 1:
        raise AnnotationError(_("Choose at least one place."))
    if platform.capabilities.is_paid and (reason := too_many_places(listing)):
        raise StateError(reason)
    if obstacles := [*endpoints.moved(listing), *platform.obstacles(listing)]:
        error = AnnotationError(obstacles[0])
        error.said = obstacles
        raise error


def too_many_places(listing: Listing) -> Said:
    """Why so many places cannot be promised; empty if the study has them.

    A person who comes when all are taken has worked for nothing, or must be paid for nothing.
    """
    free = free_for(listing)
    if listing.n_places <= free:
        return ""
    return _(
        "You asked for %(n)s of the study's places, but only %(free)s are free for this listing. "
        "Ask for fewer, or first close another listing for the same part of the study."
    ) % {"n": listing.n_places, "free": free}


def _refuse_closed_study(listing: Listing) -> None:
    if not listing.study.takes_new_people:
        raise StateError(_("The study is not taking people at the moment. Open it first."))


def _confirmed_by(typed: Decimal, platform: Platform, listing: Listing) -> Estimate:
    estimate = platform.estimate(listing)
    worst = spending.in_cents(estimate.worst)
    if typed != worst:
        raise AnnotationError(
            _(
                "You typed %(typed)s, but this may cost %(worst)s %(currency)s. Check the "
                "estimate, then type this sum."
            )
            % {"typed": typed, "worst": worst, "currency": estimate.currency}
        )
    return estimate


def _plan_steps(
    steps: Sequence[Planned], listing: Listing, estimate: Estimate, *, by: User
) -> list[Intent]:
    total = sum((step.commits for step in steps), commitments.NOTHING)
    if total > estimate.worst:
        raise AnnotationError(
            _(
                "This may cost %(total)s %(currency)s, more than the estimated "
                "%(worst)s. Nothing was published; please report this."
            )
            % {"total": total, "worst": estimate.worst, "currency": estimate.currency}
        )
    return [
        intents.plan(listing=listing, planned=step, ticket=step.ticket, by=by) for step in steps
    ]


def _plan_for_tickets(listing: Listing, kind: Intent.Kind, *, by: User | None) -> list[Intent]:
    """One intent for each ticket that is open, unless one of the kind is on its way."""
    planned = []
    for ticket in listing.tickets.filter(state=Ticket.State.OPEN):
        before = ticket.intents.filter(kind=kind)
        if standing := before.unsettled().first():
            planned.append(standing)
            continue
        step = Planned(
            kind=kind,
            reason_code=str(before.count() + 1),
            payload={"ticket_id": ticket.remote_id},
        )
        planned.append(intents.plan(listing=listing, planned=step, ticket=ticket, by=by))
    return planned
