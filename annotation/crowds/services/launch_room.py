"""Room for one more launch that nobody signed: somebody else's unconfirmed place gives way."""

from datetime import timedelta

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.answering.services import giving_way, join_limits
from annotation.answering.services.join_limits import Origin
from annotation.basics import clock
from annotation.basics.errors import TooManyError
from annotation.basics.sentences import ngettext
from annotation.models import Assignment, Judgment, Listing, Ticket, Visit

# More open sittings than places: those who returned theirs are not known at once.
SLACK = 3


def make_room(listing: Listing, ticket: Ticket | None, origin: Origin) -> None:
    """Forged launches hold no more places than there are sittings to be had.

    Those count, too, who have sent theirs without the platform showing it. Of those who hold one
    the silent give way, then the network from which most came, then the least active of networks
    from which more came than from the newcomer's: so they keep nobody out who comes from
    elsewhere. A person who gives way may go on, takes a place again if one is free, and otherwise
    counts if they complete it first.
    """
    n_places = ticket.n_places if ticket else listing.n_places
    if not n_places:
        return
    now = clock.now()
    of_task = Visit.objects.filter(
        Q(state=Visit.State.WORKING)
        | Q(state=Visit.State.ENDED, remote_state=Visit.Remote.UNSEEN, run__is_counted=False),
        Q(ticket=ticket) if ticket else Q(listing=listing),
        run__assignment=OuterRef("pk"),
        verified_at=None,
    )
    # A person who was idle for too long has given the place back, and keeps nobody out.
    holders = Assignment.objects.holding().filter(
        Exists(of_task),
        last_active_at__gte=now - timedelta(minutes=listing.study.idle_minutes),
    )
    silent = holders.filter(~Exists(Judgment.objects.filter(assignment=OuterRef("pk"))))
    for _each in range(1 + holders.count() - n_places - SLACK):
        if _next_gives_way(holders, silent, listing, origin) is None:
            raise _crowded()


def _next_gives_way(
    holders: QuerySet[Assignment],
    silent: QuerySet[Assignment],
    listing: Listing,
    origin: Origin,
) -> Assignment | None:
    """Let the next unconfirmed launch give way; None if nobody has to."""
    now = clock.now()
    group = join_limits.arrival_from(listing.study, origin.network).group
    return (
        giving_way.give_way(silent.order_by("pk"), now=now)
        or giving_way.give_way(join_limits.crowd(holders, beside=group).order_by("pk"), now=now)
        or giving_way.give_way(join_limits.least_active(holders, beside=group), now=now)
    )


def _crowded() -> TooManyError:
    minutes = settings.CROWDED_RETRY_MINUTES
    sentence = ngettext(
        "Many people have just started and taken all places. Please try again in %(n)s minute.",
        "Many people have just started and taken all places. Please try again in %(n)s minutes.",
        minutes,
    )
    return TooManyError(sentence % {"n": minutes}, retry_after=60 * minutes)
