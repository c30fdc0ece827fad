"""A visit follows what the platform shows of its submission: made, verified, or put in doubt."""

from typing import Any

from django.db import transaction

from annotation.answering.services import visits
from annotation.basics import clock, keys
from annotation.basics.sentences import Said, stored
from annotation.basics.sentences import sentence as _
from annotation.core.platforms.base import RECEIPT, Platform, Submission
from annotation.core.queries import commitments
from annotation.core.services.locks import lock_study
from annotation.crowds.services.decision_intents import UNDONE, ask_what_follows
from annotation.crowds.services.platform_events import plain
from annotation.crowds.services.poll_conclusions import DONE
from annotation.crowds.services.submission_events import SubmissionEvents
from annotation.models import Intent, Listing, Person, PlatformEvent, Visit

_REMOTE, _STATE, _KIND = Visit.Remote, Visit.State, Intent.Kind

_HANDED_IN = frozenset({_REMOTE.SUBMITTED, _REMOTE.APPROVED, _REMOTE.REJECTED})
_TO_BE_PAID = frozenset({_REMOTE.SUBMITTED, _REMOTE.APPROVED})
_GONE = frozenset({_REMOTE.RETURNED, _REMOTE.TIMED_OUT})

UNKNOWN = _("The platform lists this submission, but nobody came here with it.")
SOMEBODY_ELSE = _("The platform says that this submission is somebody else's.")
ANOTHER_TASK = _("The platform lists this submission under another task than the one done here.")
UNFINISHED = _("Submitted on the platform, but not finished here.")
CLOSED_HERE = _("Submitted on the platform after another visit had taken its place here.")
NO_RECEIPT = _("Submitted without the receipt that Likeness adds on the last page.")
WRONG_RECEIPT = _("Submitted with a receipt that belongs to no visit.")
OTHERS_RECEIPT = _("Submitted with the receipt of another visit.")
LENT_RECEIPT = _("Somebody else submitted the receipt of this visit.")
DONE_AND_GONE = _("Finished here, but the platform says that it was returned or timed out.")


@transaction.atomic
def follow_submission(
    platform: Platform,
    listing: Listing,
    submission: Submission,
    event: PlatformEvent,
    events: SubmissionEvents,
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
    columns = _columns(listing, submission)
    ticket = columns.get("ticket")
    return Visit.objects.create(
        listing=listing,
        person=person,
        platform=listing.platform,
        environment=listing.environment,
        submission_id=submission.submission_id,
        state=_STATE.REMOTE,
        doubt=stored(UNKNOWN),
        came_after_release=bool(ticket and commitments.is_over(ticket)),
        **columns,
    )


def _take_over(platform: Platform, listing: Listing, visit: Visit, submission: Submission) -> None:
    visit = visits.hold(visit)
    columns = _columns(listing, submission)
    # Judged once: what a person has settled is not put in doubt again by a payment.
    is_news = visit.remote_state not in _HANDED_IN or visit.handed_in != columns["handed_in"]
    was_rejected = visit.remote_state == _REMOTE.REJECTED
    if submission.state in _TO_BE_PAID and commitments.is_released(visit):
        columns["came_after_release"] = True
    for name, value in columns.items():
        setattr(visit, name, value)
    visit.save(update_fields=list(columns))
    if was_rejected:
        _take_back_rejection(visit, submission)
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


def _take_back_rejection(visit: Visit, submission: Submission) -> None:
    """Undone on the platform's own page: what it says now stands, and a person decides anew."""
    if submission.state not in {_REMOTE.SUBMITTED, _REMOTE.APPROVED}:
        return
    decided = visit.intents.standing()
    if decided.filter(kind=_KIND.APPROVE, reason_code=Intent.OVERTURN).exists():
        return  # undone from here
    decided.filter(kind=_KIND.REJECT, state=Intent.State.CONFIRMED).update(
        state=Intent.State.GIVEN_UP, error=stored(UNDONE)
    )
    if submission.state == _REMOTE.SUBMITTED:
        visits.doubt(visit=visit, reason=UNDONE)


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
