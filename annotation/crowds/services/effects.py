"""What follows here from what a platform did, in the transaction that settles the intent."""

from django.db.models import Q

from annotation.basics import clock
from annotation.basics.sentences import sentence as _
from annotation.basics.sentences import stored
from annotation.core.platforms import platform_of
from annotation.core.platforms.base import NewTicket, Planned, Sent
from annotation.core.queries import commitments
from annotation.crowds.services import intents
from annotation.models import Intent, Listing, Ticket

_STATE, _KIND = Intent.State, Intent.Kind
_STEP_BEFORE = _("The previous step failed, so this one was not sent.")
# After these the platform shows a visit in another state: it is asked soon.
_CHANGES_VISITS = frozenset(
    {_KIND.APPROVE, _KIND.REJECT, _KIND.ASK_RETURN, _KIND.BONUS, _KIND.COMPENSATE}
)


def happened(intent: Intent, sent: Sent) -> None:
    """The platform did it. The caller holds the study's lock."""
    if sent.ticket:
        _keep_ticket(intent, sent.ticket)
    match intent.kind:
        case _KIND.PUBLISH:
            if intent.ticket:
                _add_places(intent.ticket)
            # Of a step that was given up before its answer came.
            count_places(intent.listing_id)
            _published(intent.listing_id)
        case _KIND.PAUSE:
            _once_all(intent, Listing.State.PAUSED, before=Listing.State.PUBLISHED)
        case _KIND.RESUME:
            _once_all(intent, Listing.State.PUBLISHED, before=Listing.State.PAUSED)
        case _KIND.CLOSE:
            _shut(intent)
        case kind if kind in _CHANGES_VISITS:
            Listing.objects.filter(pk=intent.listing_id).update(polled_at=None)
    if intent.kind == _KIND.BONUS:
        _tell_of_bonus(intent)


def _tell_of_bonus(intent: Intent) -> None:
    """Somebody who is paid more reads why, also where the payment itself has no words."""
    words = intent.payload.get("message")
    if not words or not platform_of(intent.listing.platform).capabilities.bonus_is_silent:
        return
    whose = ("submission_id", "person_id", "ticket_id")
    payload = {name: intent.payload[name] for name in whose} | {"message": words}
    intents.plan(
        listing=intent.listing,
        visit=intent.visit,
        planned=Planned(_KIND.MESSAGE, reason_code=intent.reference, payload=payload),
        by=intent.requested_by,
        is_sequel=True,
    )


def came_to_nothing(intent: Intent) -> None:
    """It was refused, or given up by a person. The caller holds the study's lock."""
    if intent.kind != _KIND.PUBLISH:
        return
    Intent.objects.filter(
        listing=intent.listing_id,
        kind=_KIND.PUBLISH,
        state=_STATE.PLANNED,
        attempts=0,
        planned_at__gt=intent.planned_at,
    ).update(
        state=_STATE.REFUSED,
        settled_at=clock.now(),
        next_try_at=None,
        error=stored(_STEP_BEFORE),
    )
    count_places(intent.listing_id)
    _published(intent.listing_id)


def count_places(listing_id: int) -> None:
    """Let a listing have the places that stand, so that no other is approved as foreseen.

    A listing of which none does keeps its number: it is what a draft will ask for.
    """
    steps = Intent.objects.standing().filter(listing=listing_id, kind=_KIND.PUBLISH)
    standing = steps.values_list("payload__n_places", flat=True)
    if n_places := sum(n for n in standing if n):
        Listing.objects.filter(pk=listing_id).update(n_places=n_places)


def _keep_ticket(intent: Intent, made: NewTicket) -> None:
    listing = intent.listing
    Ticket.objects.get_or_create(
        platform=listing.platform,
        environment=listing.environment,
        remote_id=made.remote_id,
        defaults={
            "listing": listing,
            "n_places": made.n_places,
            "group_id": made.group_id,
            "expires_at": made.expires_at,
            "details": dict(made.details),
            "created_at": clock.now(),
        },
    )


def _add_places(ticket: Ticket) -> None:
    """Let a ticket have the places of all that published it, and be open unless it was closed."""
    numbers = commitments.made_by(ticket).values_list("payload__n_places", flat=True)
    Ticket.objects.filter(pk=ticket.pk).update(n_places=sum(n for n in numbers if n))
    if not Intent.objects.standing().filter(ticket=ticket, kind=_KIND.CLOSE).exists():
        reopen(ticket)


def reopen(ticket: Ticket) -> None:
    """A ticket that had ended is offered again."""
    Ticket.objects.filter(pk=ticket.pk).update(state=Ticket.State.OPEN, expires_at=None)


def _published(listing_id: int) -> None:
    """Once every step is settled the listing is published, or a draft if nothing was made."""
    steps = Intent.objects.filter(listing=listing_id, kind=_KIND.PUBLISH)
    listing = Listing.objects.get(pk=listing_id)
    is_made = listing.tickets.exists()
    if is_made and listing.published_at is None:
        listing.published_at = clock.now()
        listing.save(update_fields=["published_at"])
    is_open = Q(state__in=Intent.UNSETTLED) | Q(state=_STATE.NEEDS_PERSON)
    if listing.state == Listing.State.DRAFT and is_made:
        # Of an answer that came after its step was given up: people can see it there.
        listing.state = Listing.State.PUBLISHING
        listing.save(update_fields=["state"])
    if listing.state != Listing.State.PUBLISHING or steps.filter(is_open).exists():
        return
    listing.state = Listing.State.PUBLISHED if is_made else Listing.State.DRAFT
    listing.save(update_fields=["state"])


def _once_all(intent: Intent, state: Listing.State, *, before: Listing.State) -> None:
    """The listing follows when the last of its tickets did."""
    others = Intent.objects.unsettled().filter(listing=intent.listing_id, kind=intent.kind)
    if not others.exists():
        Listing.objects.filter(pk=intent.listing_id, state=before).update(state=state)


def _shut(intent: Intent) -> None:
    assert intent.ticket is not None  # only tickets are closed
    now = clock.now()
    until = intent.ticket.expires_at
    Ticket.objects.filter(pk=intent.ticket.pk).update(
        state=Ticket.State.CLOSED, expires_at=min(until, now) if until else now
    )
