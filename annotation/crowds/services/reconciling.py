"""What the platforms show, taken over by asking again and again: they are right about payments.

A poll reads everything that a platform shows of a listing. What it says of a submission is kept as
it came, where something differs from which anything is concluded; then the visit follows. Polling
twice changes nothing, also by two workers at once. A webhook only wakes a poll.

Nothing is rejected here, and no answers are deleted: what does not fit is put in doubt, for a
person.
"""

import logging
import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Max, QuerySet

from annotation.answering.services import visits
from annotation.basics import clock, keys
from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import Said, stored
from annotation.basics.sentences import sentence as _
from annotation.core.platforms import platform_of
from annotation.core.platforms.base import RECEIPT, Platform, Submission, UnavailableError
from annotation.core.services.locks import lock_study
from annotation.crowds.queries.listings import POLL_FAILED
from annotation.crowds.services import endpoints
from annotation.crowds.services.decisions import ask_what_follows
from annotation.crowds.services.platform_events import plain
from annotation.crowds.services.poll_conclusions import (
    DONE,
    GRACE,
    look_for_missing,
    look_for_taken,
    offered,
    record,
)
from annotation.models import Listing, Person, PlatformEvent, Ticket, Visit

logger = logging.getLogger("annotation.reconciling")

LONGEST_SWEEP_SECONDS = 30
# Platforms forget, and nothing changes any more.
LAST_POLL = timedelta(days=30)
# So long nobody asks again where asking came to nothing.
AFTER_FAILURE = timedelta(minutes=1)
_NEVER = datetime.min.replace(tzinfo=UTC)
_DAILY = 86400

_REMOTE, _STATE = Visit.Remote, Visit.State
_HANDED_IN = frozenset({_REMOTE.SUBMITTED, _REMOTE.APPROVED, _REMOTE.REJECTED})
_GONE = frozenset({_REMOTE.RETURNED, _REMOTE.TIMED_OUT})
# Of a submission: what is said of it beside times and the platform's own words.
_SAYS = ("person_id", "ticket_id", "state", "handed_in", "doubt")
_SUBMISSION = "submission"

UNKNOWN = _("The platform shows this submission, and nobody came here by it.")
SOMEBODY_ELSE = _("The platform says that this submission is somebody else's.")
ANOTHER_TASK = _("The platform shows this submission for another task than the one done here.")
UNFINISHED = _("It was handed in on the platform, and not finished here.")
CLOSED_HERE = _("It was handed in on the platform, after another visit had taken its place here.")
NO_RECEIPT = _("It was handed in without the receipt of the last page.")
WRONG_RECEIPT = _("It was handed in with a receipt that no visit was given.")
OTHERS_RECEIPT = _("It was handed in with the receipt of another visit.")
LENT_RECEIPT = _("Somebody else handed in the receipt of this visit.")
DONE_AND_GONE = _("All was done here; the platform says that it was returned, or ran out of time.")


def wake(listing: Listing) -> None:
    """Something may have happened on the platform: the next sweep asks."""
    Listing.objects.filter(pk=listing.pk).update(polled_at=None)


def poll_due() -> int:
    """Poll the listings whose turn it is; return how many were."""
    until = time.monotonic() + LONGEST_SWEEP_SECONDS
    now = clock.shared_now()
    n_polled = 0
    # Whoever was erased would come back with the next poll.
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
    handed_in = ended + platform_of(listing.platform).hand_in_time(listing)
    if now < handed_in + GRACE:
        return settings.POLL_SECONDS_AFTERWARDS
    return _DAILY if now < ended + LAST_POLL or offered(listing, now).exists() else None


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
    events = _Told(listing)
    began = clock.shared_now()
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
                "The platform shows %(n)s submissions in a way that cannot be read. The others"
                " were taken over; the server's log says what is wrong with these."
            )
            % {"n": n_unread}
        )
    now = clock.shared_now()
    listing.tickets.filter(state=Ticket.State.OPEN, expires_at__lte=now).update(
        state=Ticket.State.EXPIRED
    )
    look_for_missing(platform, listing, now)
    look_for_taken(platform, listing, now)
    if events.n_left:
        wake(listing)
    else:
        # Not if it was woken meanwhile: what happened may stand on a page that was read before.
        Listing.objects.filter(pk=listing.pk, polled_at=begun_with).update(polled_at=now)
        Listing.objects.filter(pk=listing.pk).update(read_at=began)


class _Told:
    """What the platform said last of each submission of a listing, whichever worker heard it.

    Events are written under the study's lock, so that those with greater keys came later.
    """

    def __init__(self, listing: Listing) -> None:
        self._events = listing.events.filter(source=PlatformEvent.Source.POLL, kind=_SUBMISSION)
        latest = (
            self._events.order_by()
            .values("payload__submission_id")
            .annotate(latest=Max("pk"))
            .values("latest")
        )
        self._last: dict[str, PlatformEvent] = {}
        self._n_seen = 0
        self._read(PlatformEvent.objects.filter(pk__in=latest))
        self._others: set[str] = set()
        # How many submissions were left to others.
        self.n_left = 0

    def last(self, submission_id: str) -> PlatformEvent | None:
        return self._last.get(submission_id)

    def is_others(self, submission_id: str) -> bool:
        """Whether another poll has said something of it since this one began.

        Which of the two asked later nobody knows. The caller holds the study.
        """
        self._others |= self._read(self._events.filter(pk__gt=self._n_seen))
        return submission_id in self._others

    def add(self, event: PlatformEvent) -> None:
        self._last[event.payload["submission_id"]] = event
        self._n_seen = event.pk

    def _read(self, events: QuerySet[PlatformEvent]) -> set[str]:
        submission_ids = set()
        for event in events.order_by("pk").iterator():
            self.add(event)
            submission_ids.add(event.payload["submission_id"])
        return submission_ids


def _take_in(platform: Platform, listing: Listing, submission: Submission, events: _Told) -> None:
    if not submission.submission_id.strip() or not submission.person_id.strip():
        # Nobody's: it would close the sitting of whoever came here by that id.
        raise UnavailableError(_("The platform does not say whose submission this is."))
    content = plain(asdict(submission) | {"doubt": _doubt_of(submission)})
    event = events.last(submission.submission_id)
    # A person may have settled since what the platform said before.
    was_told = bool(
        event and event.visit_id is not None and event.payload.get("doubt", "") == content["doubt"]
    )
    if event is None or _news_in(content, event.payload):
        event = _keep(listing, content, events)
    if event and event.visit_id is None:
        doubt = "" if was_told else submission.doubt
        _follow(platform, listing, replace(submission, doubt=doubt), event, events)


def _news_in(content: Mapping[str, Any], before: Mapping[str, Any]) -> bool:
    """Whether anything differs but the platform's own words, of which nothing is concluded."""
    return any(value != _before(before, name) for name, value in content.items() if name != "raw")


def _before(payload: Mapping[str, Any], name: str) -> Any:
    # Events from before doubts were told have none.
    return payload.get(name, "" if name == "doubt" else None)


@transaction.atomic
def _keep(listing: Listing, content: Mapping[str, Any], events: _Told) -> PlatformEvent | None:
    """Keep what the platform says before anything is concluded from it.

    Where times alone differ from what it said last, that is what it says now, and no event more:
    one that shows another time at each poll fills no table.

    None: another poll has heard of it meanwhile; the next one, soon, sees whether that stands.
    """
    lock_study(listing.study_id)
    submission_id = content["submission_id"]
    if events.is_others(submission_id):
        events.n_left += 1
        return None
    before = events.last(submission_id)
    if before is None or any(content[name] != _before(before.payload, name) for name in _SAYS):
        event = record(listing, _SUBMISSION, content)
        events.add(event)
        return event
    before.payload, before.seen_at = dict(content), clock.now()
    # To be followed once more.
    before.visit = None
    before.save(update_fields=["payload", "seen_at", "visit"])
    return before


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


@transaction.atomic
def _follow(
    platform: Platform,
    listing: Listing,
    submission: Submission,
    event: PlatformEvent,
    events: _Told,
) -> None:
    """Let the visit be what the platform says; an event with a visit has been followed."""
    lock_study(listing.study_id)
    if events.is_others(submission.submission_id):
        return  # what they heard stands, and may be newer
    event.refresh_from_db(fields=["visit"])
    if event.visit_id is not None:
        return
    of_submission = Visit.objects.filter(
        platform=listing.platform,
        environment=listing.environment,
        submission_id=submission.submission_id,
    ).select_related("person")
    mine, others = None, []
    for visit in of_submission.order_by("pk"):
        if visit.person is None or visit.person.platform_id == submission.person_id:
            mine = visit
        elif visit.state != _STATE.CLOSED:
            others.append(visit)
    for other in others:
        # A launch that nobody signed claimed it; its answers stay, and are not counted.
        visits.close(visit=other)
        visits.doubt(visit=other, reason=SOMEBODY_ELSE)
    if mine is None:
        if submission.state not in _HANDED_IN:
            return  # they may come yet
        mine = _make(listing, submission)
    elif mine.listing_id not in {None, listing.pk}:
        # They came by the address of one task with the sitting of another, which is what is paid.
        visits.doubt(visit=mine, reason=ANOTHER_TASK)
    else:
        _take_over(platform, listing, mine, submission)
    event.visit = mine
    event.save(update_fields=["visit"])


def _columns(listing: Listing, submission: Submission) -> dict[str, Any]:
    ticket = listing.tickets.filter(remote_id=submission.ticket_id).first()
    columns: dict[str, Any] = {
        "remote_state": submission.state,
        "accepted_at": submission.accepted_at,
        "submitted_at": submission.submitted_at,
        "deadline": submission.deadline,
        "handed_in": plain(dict(submission.handed_in)),
    }
    return columns | ({"ticket": ticket} if ticket else {})


def _make(listing: Listing, submission: Submission) -> Visit:
    """What the platform has and nobody came here for."""
    person, _made = Person.objects.get_or_create(
        platform=listing.platform,
        environment=listing.environment,
        platform_id=submission.person_id,
    )
    return Visit.objects.create(
        listing=listing,
        person=person,
        platform=listing.platform,
        environment=listing.environment,
        submission_id=submission.submission_id,
        state=_STATE.REMOTE,
        doubt=stored(UNKNOWN),
        **_columns(listing, submission),
    )


def _take_over(platform: Platform, listing: Listing, visit: Visit, submission: Submission) -> None:
    visit = visits.hold(visit)
    columns = _columns(listing, submission)
    # Judged once: what a person has settled is not put in doubt again by a payment.
    is_news = visit.remote_state not in _HANDED_IN or visit.handed_in != columns["handed_in"]
    for name, value in columns.items():
        setattr(visit, name, value)
    visit.save(update_fields=list(columns))
    if submission.state in _GONE:
        _let_go(visit)
        visits.recount(visit=visit)
    elif submission.state in _HANDED_IN:
        if is_news:
            _judge(platform, visit, submission)
        visits.recount(visit=visit)
    elif not platform.capabilities.returns_receipts and visit.state != _STATE.REMOTE:
        _vouch(platform, visit, submission)
    if submission.doubt:
        visits.doubt(visit=visit, reason=submission.doubt)


def _doubt_of(submission: Submission) -> str:
    return stored(submission.doubt) if submission.doubt else ""


def _let_go(visit: Visit) -> None:
    if visit.state not in {_STATE.WORKING, _STATE.ENDED}:
        return
    was_done = visit.state == _STATE.ENDED and visit.outcome in DONE
    visits.close(visit=visit)
    if was_done:
        visits.doubt(visit=visit, reason=DONE_AND_GONE)


def _judge(platform: Platform, visit: Visit, submission: Submission) -> None:
    """Whether what was handed in is the work that was done here."""
    if visit.state == _STATE.REMOTE:
        return  # in doubt as it is
    if reason := _why_not_proven(platform, visit, submission):
        visits.doubt(visit=visit, reason=reason)
        return
    _vouch(platform, visit, submission)
    visit.refresh_from_db()
    if visit.state == _STATE.WORKING:
        visits.doubt(visit=visit, reason=UNFINISHED)
    elif visit.state == _STATE.CLOSED:
        visits.doubt(visit=visit, reason=CLOSED_HERE)


def _vouch(platform: Platform, visit: Visit, submission: Submission) -> None:
    is_first_time = visit.verified_at is None
    if is_first_time or visit.state == _STATE.CLOSED:
        visits.verify(visit=visit, at=submission.submitted_at or clock.now())
    if not is_first_time:
        return
    ask_what_follows(visit)


def _why_not_proven(platform: Platform, visit: Visit, submission: Submission) -> Said:
    if not platform.capabilities.returns_receipts:
        return ""  # the platform shows who and where, and that is all there is
    receipt = submission.handed_in.get(RECEIPT, "").strip()
    if not receipt:
        return NO_RECEIPT
    if visits.is_receipt(visit, receipt):
        return ""
    shown = Visit.objects.filter(listing=visit.listing_id, receipt_hash=keys.key_hash(receipt))
    if other := shown.exclude(pk=visit.pk).first():
        visits.doubt(visit=other, reason=LENT_RECEIPT)
        return OTHERS_RECEIPT
    return WRONG_RECEIPT
