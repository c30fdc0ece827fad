"""Submissions on Prolific: what is told of them, and what is decided about them."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from annotation.basics import clock
from annotation.basics.sentences import sentence as _
from annotation.core.platforms.base import LookedUp, LookUpResult, Sent, Submission
from annotation.core.platforms.errors import RefusedError, UnavailableError
from annotation.crowds.platforms import assumptions
from annotation.crowds.platforms.intent_rows import (
    NOT_DONE,
    known_submission_of,
    submission_of,
    text_of,
    visit_of,
)
from annotation.crowds.platforms.prolific.http import Client
from annotation.crowds.platforms.prolific.options import (
    REJECTION_CATEGORIES,
    REJECTION_LENGTH,
)
from annotation.crowds.platforms.prolific.rows import not_found
from annotation.crowds.platforms.prolific.studies import time_limit
from annotation.crowds.platforms.values import moment_of
from annotation.models import Intent, Listing, Visit

_REMOTE = Visit.Remote
STATES: Mapping[str, Visit.Remote] = {
    "RESERVED": _REMOTE.ACTIVE,
    "ACTIVE": _REMOTE.ACTIVE,
    # Handed in, but nothing can be decided about it yet.
    "PROCESSING": _REMOTE.ACTIVE,
    "AWAITING REVIEW": _REMOTE.SUBMITTED,
    "APPROVED": _REMOTE.APPROVED,
    "PARTIALLY APPROVED": _REMOTE.APPROVED,
    "REJECTED": _REMOTE.REJECTED,
    "RETURNED": _REMOTE.RETURNED,
    "TIMED OUT": _REMOTE.TIMED_OUT,
    "SCREENED OUT": _REMOTE.SCREENED_OUT,
}
_AT_WORK = {"RESERVED", "ACTIVE", "PROCESSING"}
_PARTLY = "PARTIALLY APPROVED"
_PAID = {"APPROVED", _PARTLY}
_PAID_IN_PART = _(
    "Prolific approved this submission in part and paid less than the "
    "reward. Only its own page shows the sum; the ledger counts the whole "
    "reward."
)


# -- what is told -----------------------------------------------------------------------------
def listed(client: Client, listing: Listing) -> Iterator[Submission]:
    """Those of all the listing's studies, each once."""
    for ticket in listing.tickets.select_related("listing").order_by("pk"):
        study, longest = ticket.remote_id, time_limit(ticket)
        seen = set()
        for row in client.pages(f"studies/{study}/submissions/"):
            key = row.get("id")
            # Rows move to another page when somebody comes or goes.
            if not isinstance(key, str) or key in seen:
                continue
            seen.add(key)
            yield _read(row, study=study, longest=longest)


def _read(row: Mapping[str, Any], *, study: str, longest: timedelta) -> Submission:
    begun = moment_of(row.get("started_at"))
    code = row.get("study_code") or row.get("entered_code")
    status = _status(row)
    return Submission(
        submission_id=str(row["id"]),
        # A list names them otherwise than a single one does.
        person_id=str(row.get("participant_id") or row.get("participant") or ""),
        ticket_id=study,
        # A word that is not known yet says nothing: it goes on until there is another one.
        state=STATES.get(status, _REMOTE.ACTIVE),
        accepted_at=begun,
        submitted_at=moment_of(row.get("completed_at")),
        deadline=begun + longest if begun else None,
        handed_in={"code": str(code)} if code else {},
        doubt=_PAID_IN_PART if status == _PARTLY else "",
        raw=dict(row),
    )


def _status(row: Mapping[str, Any]) -> str:
    return str(row.get("status", "")).upper().replace("-", " ").replace("_", " ")


# -- what is decided --------------------------------------------------------------------------
def approve(client: Client, intent: Intent) -> Sent:
    return _decide(client, intent, {"action": "APPROVE"}, wished=_PAID)


def approve_together(client: Client, intents: Sequence[Intent]) -> None:
    """Prolific answers before it has approved any of them."""
    keys = [submission_of(intent) for intent in intents]
    client.change("POST", "submissions/bulk-approve/", {"submission_ids": keys}, needs_body=False)


def look_up_approved(client: Client, intent: Intent) -> LookedUp:
    if visit_of(intent).remote_state == _REMOTE.APPROVED:
        # A poll, which reads many in one call, has seen it.
        return LookedUp(LookUpResult.DONE, Sent(remote_id=known_submission_of(intent)))
    looked_up = _look_up_decided(client, intent, wished=_PAID)
    # One of many may still be in progress.
    return not_found(intent) if looked_up is NOT_DONE else looked_up


def reject(client: Client, intent: Intent) -> Sent:
    message, category = text_of(intent, "reason", "message"), text_of(intent, "category")
    if len(message) < REJECTION_LENGTH:
        raise RefusedError(
            _(
                "Prolific requires a reason of at least %(least)s characters; yours "
                "has %(n)s. Explain more, so that the person understands the "
                "rejection."
            )
            % {"least": REJECTION_LENGTH, "n": len(message)}
        )
    if category not in REJECTION_CATEGORIES:
        raise RefusedError(
            _("Choose one of Prolific's categories for the rejection: %(known)s.")
            % {"known": ", ".join(REJECTION_CATEGORIES)}
        )
    body = {"action": "REJECT", "message": message, "rejection_category": category}
    return _decide(client, intent, body, wished={"REJECTED"})


def look_up_rejected(client: Client, intent: Intent) -> LookedUp:
    return _look_up_decided(client, intent, wished={"REJECTED"})


def _decide(client: Client, intent: Intent, body: Mapping[str, str], wished: set[str]) -> Sent:
    key = submission_of(intent)
    try:
        answer = client.change("POST", f"submissions/{key}/transition/", body)
    except RefusedError as error:
        # It may have been decided by itself, or not have arrived yet: Prolific says which.
        try:
            status = _status(_detail(client, key))
        except UnavailableError:
            if _has_just_ended(intent):
                raise UnavailableError(error.said[0]) from error
            raise error from None
        if status in wished:
            return Sent(remote_id=key)
        if status == "PROCESSING" or (status in _AT_WORK and _has_just_ended(intent)):
            raise UnavailableError(error.said[0]) from error
        raise
    return Sent(remote_id=key, answer=_short(answer.body))


def _look_up_decided(client: Client, intent: Intent, wished: set[str]) -> LookedUp:
    key = known_submission_of(intent)
    row = _detail(client, key)
    if _status(row) in wished:
        return LookedUp(LookUpResult.DONE, Sent(remote_id=key, answer=_short(row)))
    return NOT_DONE


def _has_just_ended(intent: Intent) -> bool:
    ended = visit_of(intent).ended_at
    return ended is not None and clock.now() - ended < assumptions.PROLIFIC_COMPLETES_LATE


def ask_return(client: Client, intent: Intent) -> Sent:
    message = text_of(intent, "message", "reason")
    if not message:
        raise RefusedError(
            _("Explain why the submission should be returned. The person reads it.")
        )
    key = submission_of(intent)
    body = {"request_return_reasons": [message]}
    try:
        client.change("POST", f"submissions/{key}/request-return/", body)
    except RefusedError as error:
        try:
            row = _detail(client, key)
        except UnavailableError:
            raise error from None
        if _is_asked(row):
            return Sent(remote_id=key)
        if _status(row) == "PROCESSING":
            raise UnavailableError(error.said[0]) from error
        raise
    return Sent(remote_id=key)


def look_up_asked(client: Client, intent: Intent) -> LookedUp:
    key = known_submission_of(intent)
    if _is_asked(_detail(client, key)):
        return LookedUp(LookUpResult.DONE, Sent(remote_id=key))
    return NOT_DONE


def _is_asked(row: Mapping[str, Any]) -> bool:
    return bool(row.get("return_requested")) or _status(row) == "RETURNED"


# -- parts ------------------------------------------------------------------------------------
def _detail(client: Client, key: str) -> Mapping[str, Any]:
    row = client.get(f"submissions/{key}/")
    if not isinstance(row, dict) or row.get("id") != key:
        raise UnavailableError(_("Prolific did not return the state of the submission."))
    return row


def bonuses_of(client: Client, key: str) -> list[int]:
    """What a submission was paid beside its reward, in cents, as far as it is shown yet."""
    row = _detail(client, key)
    paid = row.get("bonus_payments")
    # Null is documented, and stands for none; that a field is missing is not.
    if paid is None and "bonus_payments" in row:
        return []
    if not isinstance(paid, list):
        raise UnavailableError(_("Prolific did not return the bonuses that were paid."))
    return [int(each) for each in paid if isinstance(each, int | float)]


def _short(fields: Any) -> dict[str, Any]:
    names = ("id", "status", "completed_at", "entered_code")
    return (
        {name: fields[name] for name in names if name in fields}
        if isinstance(fields, dict)
        else {}
    )
