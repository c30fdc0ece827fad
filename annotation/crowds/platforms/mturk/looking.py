"""Asking Mechanical Turk what became of an intent whose answer was lost, and what it shows."""

import logging
from collections.abc import Callable, Iterator
from datetime import datetime
from random import randrange

from annotation.basics import clock
from annotation.core.platforms.base import OUTCOME, RECEIPT, Found, LookedUp, Sent, Submission
from annotation.crowds.platforms import assumptions
from annotation.crowds.platforms.mturk import errors as mturk_errors
from annotation.crowds.platforms.mturk.questions import AnswerUnreadableError, read_answer
from annotation.crowds.platforms.mturk.requester import Answer, Requester, plain
from annotation.crowds.platforms.mturk.sending import (
    annotation_of,
    compensated,
    has_expired,
    is_granted,
    known_type,
    published,
    qualification_of,
    reference_of,
    submission_of,
    worker_of,
)
from annotation.models import Intent, Listing, Ticket, Visit

logger = logging.getLogger("annotation.crowds.platforms.mturk.platform")

_STATES = {
    "Submitted": Visit.Remote.SUBMITTED,
    "Approved": Visit.Remote.APPROVED,
    "Rejected": Visit.Remote.REJECTED,
}


class IntentLookUp:
    """One intent and the client of its environment."""

    def __init__(self, requester: Requester, intent: Intent) -> None:
        self._requester = requester
        self._intent = intent

    def look_up(self) -> LookedUp:
        kind = Intent.Kind
        looking: dict[str, Callable[[], Sent | None]] = {
            kind.PUBLISH: self._published,
            kind.COMPENSATE: self._compensated,
            kind.CLOSE: self._expired,
            kind.APPROVE: lambda: self._reviewed("Approved"),
            kind.REJECT: lambda: self._reviewed("Rejected"),
            kind.BONUS: self._bonus,
            kind.GRANT: self._granted,
            kind.REVOKE: self._revoked,
        }
        if self._intent.kind not in looking:
            # Messages are nowhere listed.
            return LookedUp(Found.UNKNOWN)
        if sent := looking[self._intent.kind]():
            return LookedUp(Found.DONE, sent)
        asked_at = self._intent.last_sent_at or self._intent.planned_at
        is_early = clock.now() < asked_at + assumptions.MTURK_SHOWS_LATE
        return LookedUp(Found.UNKNOWN if is_early else Found.NOT_DONE)

    def _published(self) -> Sent | None:
        hit = self._hit()
        return None if hit is None else published(hit, qualifications={})

    def _compensated(self) -> Sent | None:
        hit = self._hit()
        return None if hit is None else compensated(hit)

    def _hit(self) -> Answer | None:
        wanted = annotation_of(self._intent)
        hits = self._requester.pages("list_hits", "HITs")
        return next((hit for hit in hits if hit.get("RequesterAnnotation") == wanted), None)

    def _expired(self) -> Sent | None:
        own_ticket = self._intent.ticket
        for ticket in [own_ticket] if own_ticket else self._intent.listing.tickets.order_by("pk"):
            try:
                answer = self._requester.look("get_hit", HITId=ticket.remote_id)
            except mturk_errors.MissingError:
                return None
            if not has_expired(answer.get("HIT", {}), clock.now()):
                return None
        return Sent(remote_id=own_ticket.remote_id if own_ticket else "")

    def _reviewed(self, wanted: str) -> Sent | None:
        assignment_id = submission_of(self._intent)
        try:
            answer = self._requester.look("get_assignment", AssignmentId=assignment_id)
        except (mturk_errors.MissingError, mturk_errors.StateError):
            return None
        assignment = answer.get("Assignment", {})
        if assignment.get("AssignmentStatus") != wanted:
            return None
        assignment = {key: value for key, value in assignment.items() if key != "Answer"}
        return Sent(remote_id=assignment_id, answer=plain(assignment))

    def _bonus(self) -> Sent | None:
        assignment_id, mark = submission_of(self._intent), reference_of(self._intent)
        try:
            rows = list(
                self._requester.pages(
                    "list_bonus_payments", "BonusPayments", AssignmentId=assignment_id
                )
            )
        except mturk_errors.MissingError:
            return None
        for row in rows:
            if str(row.get("Reason", "")).rstrip().endswith(mark):
                return Sent(remote_id=assignment_id, answer=plain(row))
        return None

    def _granted(self) -> Sent | None:
        type_id = known_type(self._requester, self._intent, qualification_of(self._intent))
        if type_id and is_granted(self._requester, type_id, worker_of(self._intent)):
            return Sent(remote_id=type_id)
        return None

    def _revoked(self) -> Sent | None:
        type_id = known_type(self._requester, self._intent, qualification_of(self._intent))
        if type_id and is_granted(self._requester, type_id, worker_of(self._intent)):
            return None
        return Sent(remote_id=type_id)


def submissions(requester: Requester, listing: Listing) -> Iterator[Submission]:
    """Everything handed in for any HIT of a listing; what is accepted or returned is not shown."""
    tickets = list(listing.tickets.order_by("pk"))
    # Of so many that one reading does not get through them, another one begins with others.
    begin = randrange(len(tickets) or 1)  # noqa: S311 - no secret
    for ticket in tickets[begin:] + tickets[:begin]:
        seen: set[str] = set()
        try:
            for row in requester.pages(
                "list_assignments_for_hit",
                "Assignments",
                HITId=ticket.remote_id,
                AssignmentStatuses=list(_STATES),
            ):
                # One that was handed in twice may be listed twice.
                if row.get("AssignmentId") not in seen:
                    seen.add(row.get("AssignmentId", ""))
                    yield _submission(ticket, row)
        except (mturk_errors.MissingError, mturk_errors.StateError) as error:
            if not _is_disposed(ticket):
                raise mturk_errors.cannot_ask(error) from error


def is_taken(requester: Requester, intent: Intent) -> bool:
    """Whether a compensation's HIT was handed in: it approves itself."""
    if not intent.remote_id:
        return False
    rows = requester.pages(
        "list_assignments_for_hit",
        "Assignments",
        HITId=intent.remote_id,
        AssignmentStatuses=["Approved"],
    )
    try:
        return any(rows)
    except (mturk_errors.MissingError, mturk_errors.StateError) as error:
        raise mturk_errors.cannot_ask(error) from error


def _is_disposed(ticket: Ticket) -> bool:
    """Whether the platform has thrown the HIT away, as it does after a while."""
    since = ticket.expires_at or ticket.created_at
    return clock.now() >= min(since, ticket.created_at) + assumptions.MTURK_KEEPS_HITS


def _submission(ticket: Ticket, row: Answer) -> Submission:
    try:
        fields = read_answer(row.get("Answer", ""))
    except AnswerUnreadableError as error:
        # It holds no receipt then, and a person looks at it there.
        logger.warning("assignment of HIT %s: %s", ticket.remote_id, error.message)
        fields = {}
    # The last form also has a copy of the answers. They are not kept here a second time: nothing
    # would empty them when somebody withdraws.
    return Submission(
        submission_id=row["AssignmentId"],
        person_id=row["WorkerId"],
        ticket_id=row.get("HITId", ticket.remote_id),
        state=_STATES[row["AssignmentStatus"]],
        accepted_at=_time(row, "AcceptTime"),
        submitted_at=_time(row, "SubmitTime"),
        deadline=_time(row, "Deadline"),
        handed_in={name: fields[name] for name in (RECEIPT, OUTCOME) if name in fields},
        raw=plain({name: value for name, value in row.items() if name != "Answer"}),
    )


def _time(row: Answer, key: str) -> datetime | None:
    value = row.get(key)
    return value if isinstance(value, datetime) else None
