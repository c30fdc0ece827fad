"""What the platforms show, taken over by asking again and again: they are right about payments.

A poll reads everything that a platform shows of a listing. What it says of a submission is kept as
it came, where something differs from which anything is concluded; then the visit follows. Polling
twice changes nothing, also by two workers at once. A webhook only wakes a poll.

Nothing is rejected here, and no answers are deleted: what does not fit is put in doubt, for a
person.
"""

import logging
import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from random import Random

from django.conf import settings
from django.db import transaction
from django.db.models import Max, Q

from annotation.basics import clock
from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import sentence as _
from annotation.basics.sentences import stored
from annotation.core.platforms import platform_of
from annotation.core.platforms.base import Platform, Submission
from annotation.core.platforms.errors import UnavailableError
from annotation.core.queries.commitments import LAST_POLL
from annotation.core.services.locks import lock_study
from annotation.crowds.queries.listings import POLL_FAILED
from annotation.crowds.services import endpoints
from annotation.crowds.services.messages import follow_unread
from annotation.crowds.services.platform_events import plain
from annotation.crowds.services.poll_conclusions import (
    GRACE,
    look_for_missing,
    look_for_taken,
    offered,
    record,
)
from annotation.crowds.services.submission_events import SubmissionEvents, is_news, store_event
from annotation.crowds.services.submission_visits import follow_submission
from annotation.models import Intent, Listing, PlatformEvent, Ticket, Visit

logger = logging.getLogger("annotation.reconciling")

MAX_SWEEP_SECONDS = 30
# How long nobody asks again after asking failed.
AFTER_FAILURE = timedelta(minutes=1)
_NEVER = datetime.min.replace(tzinfo=UTC)
_DAILY = 86400

_REMOTE, _STATE = Visit.Remote, Visit.State


def wake(listing: Listing) -> None:
    """Something may have happened on the platform: the next sweep asks."""
    Listing.objects.filter(pk=listing.pk).update(polled_at=None)


def poll_due() -> int:
    """Poll the listings whose turn it is; return how many were."""
    until = time.monotonic() + MAX_SWEEP_SECONDS
    now = clock.shared_now()
    n_polled = 0
    # A person who was erased would come back with the next poll.
    published = Listing.objects.exclude(state=Listing.State.DRAFT).filter(study__erased_at=None)
    # The clock was put back since: nobody knows when these were polled or read last.
    published.filter(polled_at__gt=clock.latest()).update(polled_at=None)
    published.filter(read_at__gt=clock.latest()).update(read_at=None)
    failed = _last_failures()

    def last_try(listing: Listing) -> datetime:
        return max(filter(None, (listing.polled_at, failed.get(listing.pk))), default=_NEVER)

    # By the last try and not by the last success: what hangs comes after all the others.
    for listing in sorted(published.order_by("pk"), key=last_try):
        if time.monotonic() > until:
            break
        shows = platform_of(listing.platform).capabilities.shows_submissions
        if not shows or not _is_due(listing, now):
            continue
        if listing.pk in failed and now < failed[listing.pk] + AFTER_FAILURE:
            continue
        before = listing.polled_at
        # Held by the time itself: another worker finds that it is not due.
        if not published.filter(pk=listing.pk, polled_at=before).update(polled_at=now):
            continue
        try:
            poll(listing)
        except Exception as error:
            Listing.objects.filter(pk=listing.pk, polled_at=now).update(polled_at=before)
            _record_failure(listing, error)
            if not isinstance(error, AnnotationError):
                logger.exception("poll of listing %s", listing.pk)
                continue
        n_polled += 1
    return n_polled


def _is_due(listing: Listing, now: datetime) -> bool:
    if listing.polled_at is None:
        return True
    seconds = _interval(listing, now)
    return seconds is not None and now >= listing.polled_at + timedelta(seconds=seconds)


def _interval(listing: Listing, now: datetime) -> float | None:
    """Minutes while people are sent, then hours, then days; None: no more."""
    tickets = listing.tickets.all()
    if listing.state != Listing.State.CLOSED and (
        tickets.filter(state=Ticket.State.OPEN).exists() or not tickets.exists()
    ):
        # Drawn anew after each poll, so that listings do not stay in step.
        drawn = Random(f"{listing.pk} {listing.polled_at}")  # noqa: S311 - no secret
        return drawn.uniform(*settings.POLL_SECONDS)
    ended = tickets.aggregate(last=Max("expires_at"))["last"] or listing.closed_at
    if ended is None:
        return None
    platform = platform_of(listing.platform)
    handed_in = ended + platform.hand_in_time(listing)
    if now < handed_in + GRACE:
        return settings.POLL_SECONDS_AFTERWARDS
    last = ended + LAST_POLL
    if platform.capabilities.takes_late_work:
        # Once more after it: the money of those who may be late is free when nobody came.
        last += timedelta(days=2)
    return _DAILY if now < last or offered(listing).exists() else None


def is_over(listing: Listing) -> bool:
    """Whether the platform is asked about it no more, so that nobody comes back by a poll."""
    if not platform_of(listing.platform).capabilities.shows_submissions:
        return True
    return listing.polled_at is not None and _interval(listing, clock.now()) is None


def poll(listing: Listing) -> None:
    """Take over all that the platform shows of a listing.

    Raises UnavailableError, and what else the platform's `submissions` raises; what came before
    is taken over by then.
    """
    platform = platform_of(listing.platform)
    if not platform.capabilities.shows_submissions:
        return
    endpoints.refuse_moved(listing)
    begun_with = Listing.objects.values_list("polled_at", flat=True).get(pk=listing.pk)
    events = SubmissionEvents(listing)
    began = clock.shared_now()
    ended: Collection[str] = ()
    with suppress(UnavailableError):
        # Without it money comes free later; what people handed in is read all the same.
        ended = platform.ended_tickets(listing)
    with suppress(UnavailableError):
        follow_unread(platform, listing)
    n_unread = 0
    for submission in platform.submissions(listing):
        try:
            _take_in(platform, listing, submission, events)
        except Exception:
            # One by one: what is wrong with a submission stops none of the others.
            logger.exception("a submission of listing %s", listing.pk)
            n_unread += 1
    if n_unread:
        # Nothing is missing, and no money is free, before all was read.
        raise UnavailableError(
            _(
                "Submissions from the platform that Likeness could not read: %(n)s. The"
                " server's log has the reasons; all others were read."
            )
            % {"n": n_unread}
        )
    now = clock.shared_now()
    listing.tickets.filter(state=Ticket.State.OPEN, expires_at__lte=now).update(
        state=Ticket.State.EXPIRED
    )
    if ended:
        _close_ended(platform, listing, ended, began)
    look_for_missing(platform, listing, now)
    look_for_taken(platform, listing, now)
    if events.n_left:
        wake(listing)
    else:
        # Not if it was woken meanwhile: what happened may stand on a page that was read before.
        Listing.objects.filter(pk=listing.pk, polled_at=begun_with).update(polled_at=now)
        Listing.objects.filter(pk=listing.pk).update(read_at=began)


@transaction.atomic
def _close_ended(
    platform: Platform, listing: Listing, ended: Collection[str], began: datetime
) -> None:
    """Nobody is at work in these, so that the time to hand in is over, too.

    More places open one of them again: those that are, or since then were, on their way.
    """
    lock_study(listing.study_id)
    on_their_way = listing.intents.filter(kind=Intent.Kind.PUBLISH, ticket__isnull=False).filter(
        Q(settled_at=None) | Q(settled_at__gte=began)
    )
    over = listing.tickets.filter(state=Ticket.State.OPEN, remote_id__in=ended)
    for ticket in over.exclude(pk__in=on_their_way.values("ticket")).select_related("listing"):
        Ticket.objects.filter(pk=ticket.pk).update(
            state=Ticket.State.CLOSED, expires_at=began - platform.hand_in_time(listing, ticket)
        )


def _take_in(
    platform: Platform, listing: Listing, submission: Submission, events: SubmissionEvents
) -> None:
    if not submission.submission_id.strip() or not submission.person_id.strip():
        # Nobody's: it would close the sitting of the person who came here by that id.
        raise UnavailableError(_("The platform does not say whose submission this is."))
    content = plain(asdict(submission) | {"doubt": _doubt_of(submission)})
    event = events.last(submission.submission_id)
    # A person may have settled since what the platform said before.
    was_told = bool(
        event and event.visit_id is not None and event.payload.get("doubt", "") == content["doubt"]
    )
    if event is None or is_news(content, event.payload):
        event = store_event(listing, content, events)
    if event and event.visit_id is None:
        doubt = "" if was_told else submission.doubt
        follow_submission(platform, listing, replace(submission, doubt=doubt), event, events)


def _record_failure(listing: Listing, error: Exception) -> None:
    words = stored(error.said[0]) if isinstance(error, AnnotationError) else ""
    content = plain({"error": type(error).__name__, "said": words})
    last = listing.events.filter(source=PlatformEvent.Source.POLL).order_by("-pk").first()
    if last is None or (last.kind, last.payload) != (POLL_FAILED, content):
        record(listing, POLL_FAILED, content)
        return
    # Once however often, and it is known when it was tried last.
    last.seen_at = clock.shared_now()
    last.save(update_fields=["seen_at"])


def _last_failures() -> dict[int, datetime]:
    failures = PlatformEvent.objects.filter(
        source=PlatformEvent.Source.POLL,
        kind=POLL_FAILED,
        listing__isnull=False,
        # Later ones were written before the clock was put back.
        seen_at__lte=clock.latest(),
    )
    return dict(failures.values_list("listing").annotate(Max("seen_at")).order_by())


def _doubt_of(submission: Submission) -> str:
    return stored(submission.doubt) if submission.doubt else ""
