"""Projects on Connect: made, read back, published, paused, started again, closed.

A project that is not published costs nothing and is seen by nobody. It is published only if what
Connect says of it is what was asked for, and costs no more than was agreed to.
"""

from collections.abc import Mapping, Sequence, Set
from datetime import timedelta
from decimal import Decimal
from typing import Any

from annotation.basics.sentences import sentence as _
from annotation.core.platforms.base import LookedUp, LookUpResult, NewTicket, Planned, Sent
from annotation.core.platforms.errors import DoubtfulError, RefusedError, UnavailableError
from annotation.crowds.platforms import assumptions
from annotation.crowds.platforms.addresses import launch_address
from annotation.crowds.platforms.connect import prices
from annotation.crowds.platforms.connect.http import Client, idempotency
from annotation.crowds.platforms.connect.options import Options
from annotation.crowds.platforms.drafts import draft_of, mark, numbered
from annotation.crowds.platforms.intent_rows import (
    NOT_DONE,
    UNKNOWN,
    ticket_id_of,
    was_sent_within,
)
from annotation.crowds.platforms.values import is_number
from annotation.models import Intent, Listing, Ticket
from annotation.models.kinds import Outcome

_LIVE, _PAUSED, _UNPUBLISHED, _ARCHIVED = "Live", "Paused", "Unpublished", "Archived"
_ENDED = frozenset({"Completed", "Closed", _ARCHIVED})
_WAS_PUBLISHED = frozenset({_LIVE, _PAUSED, "Completed", "Closed"})
# Its limit is not known; a mark is added, by which a project is found again.
_MAX_INTERNAL_NAME = 200
# Of a project and of a ticket's details, in minutes.
_LIMIT = "maxTimeInMinutes"
# What a change is asked for, one after the other, and where it leads, or is as good.
_STEPS: Mapping[str, Sequence[str]] = {
    Intent.Kind.PAUSE: (_PAUSED,),
    Intent.Kind.RESUME: (_LIVE,),
    # "Live - Can only transition to Paused."
    Intent.Kind.CLOSE: (_PAUSED, "Closed"),
}


# -- what is planned --------------------------------------------------------------------------
def plan(listing: Listing) -> list[Planned]:
    """The draft, and its publication, which alone costs something."""
    kind = Intent.Kind.PUBLISH
    before = listing.intents.filter(kind=kind)
    draft = {"step": "draft", "body": project_body(listing)}
    publish = {"step": "publish", "n_places": listing.n_places}
    worst = prices.estimate(listing).worst
    return [
        Planned(kind, numbered("draft", before), draft),
        Planned(kind, numbered("publish", before), publish, commits=worst),
    ]


def project_body(listing: Listing) -> dict[str, Any]:
    """What is offered by a listing."""
    body = offer_body(
        Options.of(listing.options),
        address=launch_address(listing),
        code=listing.codes[Outcome.COMPLETED],
        n_places=listing.n_places,
        minutes=listing.minutes,
        reward=listing.reward,
    )
    # More places are another project: nobody takes part twice.
    if earlier := list(listing.tickets.order_by("pk").values_list("remote_id", flat=True)):
        body["platformTargeting"] = {"projects": {"excludedProjects": earlier}}
    return body


def offer_body(
    options: Options, *, address: str, code: str, n_places: int, minutes: int, reward: Decimal
) -> dict[str, Any]:
    """What is offered, as Connect's API takes it."""
    title = options.title.strip()
    return {
        "name": title,
        "internalName": (options.internal_name.strip() or title)[:_MAX_INTERNAL_NAME],
        "summary": options.summary.strip(),
        "projectUrl": address,
        "payment": float(reward),
        "estimatedTimeInMinutes": minutes,
        _LIMIT: options.longest(minutes),
        "participants": n_places,
        "hasSensitiveContent": options.is_sensitive,
        "completionSettings": {
            "projectCompletionType": assumptions.CONNECT_COMPLETION,
            "value": code,
        },
    }


# -- what is sent -----------------------------------------------------------------------------
def make_draft(client: Client, intent: Intent) -> Sent:
    body = dict(intent.payload["body"])
    body["internalName"] = f"{body['internalName']} {mark(intent)}"
    answer = client.change("POST", "project", body, headers=idempotency(intent.token))
    fields = project_in(answer.body)
    if fields is None:
        raise DoubtfulError(_("Connect did not return the id of the project."))
    return Sent(remote_id=fields["projectId"], answer=_short(fields))


def look_up_draft(client: Client, intent: Intent) -> LookedUp:
    """A draft too many costs nothing and is seen by nobody."""
    for row in client.projects(_UNPUBLISHED):
        if mark(intent) in str(row.get("internalName")) and _is_named(row):
            return LookedUp(LookUpResult.DONE, Sent(str(row["projectId"]), answer=_short(row)))
    return _not_found(intent)


def publish(client: Client, intent: Intent) -> Sent:
    draft = draft_of(intent)
    project = draft.remote_id
    fields = read(client, project)
    refuse_other(draft.payload["body"], fields)
    prices.refuse_dearer(intent, fields)
    _change(client, project, _LIVE, wished=_WAS_PUBLISHED)
    return _published(intent, draft)


def look_up_published(client: Client, intent: Intent) -> LookedUp:
    try:
        draft = draft_of(intent)
    except RefusedError as error:
        raise UnavailableError(error.said[0]) from error
    if status_of(client, draft.remote_id) in _WAS_PUBLISHED:
        return LookedUp(LookUpResult.DONE, _published(intent, draft))
    return _not_found(intent)


def _published(intent: Intent, draft: Intent) -> Sent:
    made = NewTicket(
        remote_id=draft.remote_id,
        n_places=int(intent.payload["n_places"]),
        details={_LIMIT: draft.payload["body"][_LIMIT]},
    )
    return Sent(remote_id=draft.remote_id, ticket=made)


def time_limit(ticket: Ticket) -> timedelta:
    """From beginning to handing in, as the project has it; a listing's minutes may change."""
    listing = ticket.listing
    usual = Options.of(listing.options).longest(listing.minutes)
    return timedelta(minutes=ticket.details.get(_LIMIT, usual))


def change_state(client: Client, intent: Intent) -> Sent:
    """Pause, start again, close: in one step or two."""
    project = ticket_id_of(intent)
    *_before, last = _STEPS[intent.kind]
    status = status_of(client, project)
    for step in _STEPS[intent.kind]:
        if status in {last, *_ENDED}:
            break
        if status != step:
            _change(client, project, step, wished={step, *_ENDED})
    return Sent(remote_id=project)


def look_up_state(client: Client, intent: Intent) -> LookedUp:
    try:
        project = ticket_id_of(intent)
    except RefusedError as error:
        raise UnavailableError(error.said[0]) from error
    *_before, last = _STEPS[intent.kind]
    if status_of(client, project) in {last, *_ENDED}:
        return LookedUp(LookUpResult.DONE, Sent(remote_id=project))
    return NOT_DONE


def _change(client: Client, project: str, status: str, *, wished: Set[str]) -> None:
    path = f"project/{project}/update-status"
    try:
        client.change("POST", path, {"status": status}, needs_body=False)
    except RefusedError as error:
        # What is so already may be refused, and is what was wanted.
        try:
            current = status_of(client, project)
        except UnavailableError:
            raise DoubtfulError(error.said[0]) from error
        if current not in wished:
            raise


# -- what is read -----------------------------------------------------------------------------
def read(client: Client, project: str) -> Mapping[str, Any]:
    """A project as Connect keeps it. Raises UnavailableError."""
    fields = project_in(client.get(f"project/{project}"))
    if fields is None or fields["projectId"] != project:
        raise UnavailableError(_("Connect did not return the project."))
    return fields


def status_of(client: Client, project: str) -> str:
    """The state in whose list a project stands. Raises UnavailableError."""
    for status in assumptions.CONNECT_STATES:
        if any(row.get("projectId") == project for row in client.projects(status)):
            return status
    raise UnavailableError(_("Connect did not return the state of the project."))


def refuse_other(body: Mapping[str, Any], fields: Mapping[str, Any]) -> None:
    """Raise RefusedError if Connect keeps something else than it was told."""
    for name, value in body.items():
        # Its own name has a mark; and what people read may be tidied there.
        if name in {"internalName", "name", "summary"} or _holds(value, fields.get(name)):
            continue
        raise RefusedError(
            _(
                "Connect stored a different value of %(name)s than Likeness sent, so the project "
                "is not published. Check the project on Connect, and tell the maintainers of "
                "Likeness."
            )
            % {"name": name}
        )


def _holds(wanted: Any, current: Any) -> bool:
    """Whether a current value says what is wanted, and perhaps more."""
    if isinstance(wanted, dict):
        return isinstance(current, dict) and all(
            _holds(part, current.get(name)) for name, part in wanted.items()
        )
    if isinstance(wanted, list):
        return isinstance(current, list) and sorted(map(str, wanted)) == sorted(map(str, current))
    if is_number(wanted):
        return is_number(current) and Decimal(str(wanted)) == Decimal(str(current))
    return bool(wanted == current)


def project_in(answer: Any) -> dict[str, Any] | None:
    """The project of an answer; None: there is none with an id."""
    fields = answer.get("project") if isinstance(answer, dict) else None
    return fields if isinstance(fields, dict) and _is_named(fields) else None


def _is_named(fields: Mapping[str, Any]) -> bool:
    return isinstance(fields.get("projectId"), str) and bool(fields["projectId"])


def _not_found(intent: Intent) -> LookedUp:
    is_young = was_sent_within(intent, assumptions.CONNECT_SHOWS_LATE)
    return UNKNOWN if is_young else NOT_DONE


def _short(fields: Mapping[str, Any]) -> dict[str, Any]:
    names = ("projectId", "internalName", "totalCost", "participants", "payment")
    return {name: fields[name] for name in names if name in fields}
