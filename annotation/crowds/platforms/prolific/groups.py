"""Groups of participants: who may see a later part's study, and since when.

A group is empty when its study is published, and Prolific looks into it each time somebody looks
for studies: anybody who is put into it sees the study from then on.
"""

from annotation.basics.sentences import sentence as _
from annotation.core.platforms.base import LookedUp, LookUpResult, Sent
from annotation.core.platforms.errors import RefusedError, UnavailableError
from annotation.crowds.platforms.prolific.http import Client, id_of, rows_of
from annotation.crowds.platforms.prolific.rows import not_found, person_of
from annotation.models import Intent


def make(client: Client, intent: Intent) -> Sent:
    body = {**intent.payload["body"], "name": _name(intent)}
    answer = client.change("POST", "participant-groups/", body)
    return Sent(remote_id=id_of(answer))


def look_up_made(client: Client, intent: Intent) -> LookedUp:
    """A second group of the same name would cost nothing, and would be nobody's."""
    workspace = intent.payload["body"]["workspace_id"]
    for row in client.pages("participant-groups/", workspace_id=workspace):
        if row.get("name") == _name(intent) and not row.get("is_deleted"):
            return LookedUp(LookUpResult.DONE, Sent(remote_id=str(row["id"])))
    return not_found(intent)


def _name(intent: Intent) -> str:
    return f"{intent.payload['body']['name']} [{intent.reference}]"


def group_of(intent: Intent) -> str:
    """The group of the intent's listing. Raises RefusedError if it has none."""
    made = intent.listing.intents.filter(
        kind=Intent.Kind.PUBLISH, state=Intent.State.CONFIRMED, payload__step="group"
    ).first()
    if made is None or not made.remote_id:
        raise RefusedError(
            _("The later part has no participant group on Prolific yet. Publish it first.")
        )
    return made.remote_id


def grant(client: Client, intent: Intent) -> Sent:
    group = group_of(intent)
    body = {"participant_ids": [person_of(intent)]}
    client.change("POST", _members(group), body, needs_body=False)
    return Sent(remote_id=group)


def revoke(client: Client, intent: Intent) -> Sent:
    group = group_of(intent)
    body = {"participant_ids": [person_of(intent)]}
    client.change("DELETE", _members(group), body, needs_body=False)
    return Sent(remote_id=group)


def look_up_granted(client: Client, intent: Intent) -> LookedUp:
    group = _group_or_unavailable(intent)
    if _is_member(client, group, intent):
        return LookedUp(LookUpResult.DONE, Sent(remote_id=group))
    return not_found(intent)


def look_up_revoked(client: Client, intent: Intent) -> LookedUp:
    group = _group_or_unavailable(intent)
    if not _is_member(client, group, intent):
        return LookedUp(LookUpResult.DONE, Sent(remote_id=group))
    return not_found(intent)


def _members(group: str) -> str:
    return f"participant-groups/{group}/participants/"


def _is_member(client: Client, group: str, intent: Intent) -> bool:
    person = person_of(intent)
    rows = rows_of(client.get(_members(group)))
    return any(row.get("participant_id") == person for row in rows)


def _group_or_unavailable(intent: Intent) -> str:
    try:
        person_of(intent)
        return group_of(intent)
    except RefusedError as error:
        raise UnavailableError(error.said[0]) from error
