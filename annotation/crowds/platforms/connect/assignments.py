"""Assignments on Connect: what is told of them, what is decided about them, and bonuses.

Connect answers a decision with nothing: whether it stands is seen in the list. A bonus has no name
there. It is known by the total that an assignment showed before it, which is kept first.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from annotation.basics.sentences import sentence as _
from annotation.core.platforms.base import Keep, LookedUp, LookUpResult, Sent, Submission
from annotation.core.platforms.errors import DoubtfulError, RefusedError, UnavailableError
from annotation.crowds.platforms import assumptions
from annotation.crowds.platforms.connect.http import Client, idempotency
from annotation.crowds.platforms.connect.prices import money_in
from annotation.crowds.platforms.intent_rows import (
    NOT_DONE,
    UNKNOWN,
    known_submission_of,
    standing_alike,
    submission_of,
    text_of,
    ticket_id_of,
    was_sent_within,
)
from annotation.crowds.platforms.values import is_money, moment_of
from annotation.models import Intent, Listing, Visit

_REMOTE = Visit.Remote
STATES: Mapping[str, Visit.Remote] = {
    "Pending": _REMOTE.SUBMITTED,
    "Approved": _REMOTE.APPROVED,
    "Rejected": _REMOTE.REJECTED,
}
_DECIDED = {Intent.Kind.APPROVE: "Approved", Intent.Kind.REJECT: "Rejected"}


# -- what is told -----------------------------------------------------------------------------
def listed(client: Client, listing: Listing) -> Iterator[Submission]:
    """Those that were completed, of all the listing's projects."""
    for project in listing.tickets.order_by("pk").values_list("remote_id", flat=True):
        for row in rows(client, project):
            if moment_of(row.get("completionTime")) is not None:
                yield _read(row, project)


def rows(client: Client, project: str) -> list[Mapping[str, Any]]:
    """All assignments of a project, as Connect says them. Raises UnavailableError."""
    return client.rows_of(client.get(f"assignments/{project}"), "assignments")


def _read(row: Mapping[str, Any], project: str) -> Submission:
    status = str(row.get("status", ""))
    if status not in STATES:
        raise UnavailableError(
            _("Connect says “%(word)s” of an assignment, which Likeness does not know.")
            % {"word": status[:60]}
        )
    completion = row.get("completion")
    code = completion.get("completionCode") if isinstance(completion, dict) else None
    return Submission(
        submission_id=str(row.get("assignmentId") or ""),
        person_id=str(row.get("participantId") or ""),
        ticket_id=project,
        state=STATES[status],
        accepted_at=moment_of(row.get("startTime")),
        submitted_at=moment_of(row.get("completionTime")),
        handed_in={"code": str(code)} if code else {},
        raw=dict(row),
    )


def _detail(client: Client, intent: Intent, key: str) -> Mapping[str, Any]:
    for row in rows(client, ticket_id_of(intent)):
        if row.get("assignmentId") == key:
            return row
    raise UnavailableError(_("Connect did not return the assignment."))


# -- what is decided --------------------------------------------------------------------------
def approve(client: Client, intent: Intent) -> Sent:
    """Also of what was rejected: "a Rejected assignment can be Approved"."""
    return _decide(client, intent, "approve", text_of(intent, "message"))


def reject(client: Client, intent: Intent) -> Sent:
    message = text_of(intent, "reason", "message")
    if not message:
        raise RefusedError(_("Give a reason. The person reads it."))
    return _decide(client, intent, "reject", message)


def _decide(client: Client, intent: Intent, verb: str, message: str) -> Sent:
    key = submission_of(intent)
    participant = {"id": key, **({"message": message} if message else {})}
    body = {"participants": [participant]}
    path = f"assignments/{ticket_id_of(intent)}/{verb}"
    try:
        client.change("POST", path, body, needs_body=False)
    except RefusedError:
        # It may have been decided already, by itself or on Connect's own page.
        if not _is_decided(client, intent, key):
            raise
    else:
        if not _is_decided(client, intent, key):
            raise DoubtfulError(_("Connect does not show the decision yet."))
    return Sent(remote_id=key)


def look_up_decided(client: Client, intent: Intent) -> LookedUp:
    key = known_submission_of(intent)
    status = str(_detail(client, intent, key).get("status"))
    if status == _DECIDED[Intent.Kind(intent.kind)]:
        return LookedUp(LookUpResult.DONE, Sent(remote_id=key))
    return UNKNOWN if was_sent_within(intent, assumptions.CONNECT_SHOWS_LATE) else NOT_DONE


def _is_decided(client: Client, intent: Intent, key: str) -> bool:
    try:
        status = _detail(client, intent, key).get("status")
    except UnavailableError:
        return False
    return status == _DECIDED[Intent.Kind(intent.kind)]


# -- bonuses ----------------------------------------------------------------------------------
def pay(client: Client, intent: Intent, keep: Keep) -> Sent:
    key = submission_of(intent)
    if intent.pays <= 0 or not is_money(intent.pays):
        raise RefusedError(_("A bonus must be above 0 and have at most two decimals."))
    total = _total(client, intent, key)
    if intent.remote_id and total != _before(intent):
        # This one came through after all, or another was paid meanwhile: a person sees which.
        raise DoubtfulError(
            _("Connect shows a bonus that may be this one, so it is not paid again.")
        )
    name = f"{key} {total}"
    keep(name)
    payment = {"id": key, "message": text_of(intent, "message"), "amount": float(intent.pays)}
    path = f"assignments/{ticket_id_of(intent)}/bonus"
    body = {"bonusPayment": [payment]}
    try:
        client.change("POST", path, body, needs_body=False, headers=idempotency(intent.token))
    except RefusedError as error:
        if intent.remote_id:
            # "Two requests with the same token will fail": the first may have been carried out.
            raise DoubtfulError(error.said[0]) from error
        raise
    return Sent(remote_id=name, answer={"amount": str(intent.pays)})


def look_up_bonus(client: Client, intent: Intent) -> LookedUp:
    if not intent.remote_id:
        # The total before it was not kept, so it was not paid.
        return NOT_DONE
    before = _before(intent)
    paid = _total(client, intent, known_submission_of(intent)) - before
    others = standing_alike(intent).exclude(remote_id="")
    # Those that the total before must have held already cannot be what was added.
    sums = _possible_sums([each.pays for each in others if _before(each) + each.pays > before])
    # What was added is this one with some of the others, and cannot be others alone.
    if paid - intent.pays in sums and paid not in sums:
        return LookedUp(LookUpResult.DONE, Sent(remote_id=intent.remote_id))
    is_sure = not paid and not was_sent_within(intent, assumptions.CONNECT_PAYS_LATE)
    # It is sent a second time with the same token at most; then only the total tells.
    return NOT_DONE if is_sure and intent.attempts <= 1 else UNKNOWN


def _possible_sums(amounts: Sequence[Decimal]) -> set[Decimal]:
    """What may be added by any of these."""
    sums = {Decimal(0)}
    for amount in amounts:
        sums |= {each + amount for each in sums}
    return sums


def _total(client: Client, intent: Intent, key: str) -> Decimal:
    total = money_in(_detail(client, intent, key), "bonus")
    if total is None:
        raise UnavailableError(_("Connect did not return the bonuses that were paid."))
    return total


def _before(intent: Intent) -> Decimal:
    """The total that was shown before, as the name of the bonus keeps it."""
    try:
        return Decimal(intent.remote_id.rpartition(" ")[2])
    except InvalidOperation as error:
        raise UnavailableError(_("Likeness does not know which bonuses there were before.")) from (
            error
        )
