"""Messages on Prolific: written once, found again by their text, and read for a page."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

from django.db.models import Q

from annotation.basics import clock
from annotation.basics.sentences import sentence as _
from annotation.core.platforms.base import LookedUp, LookUpResult, Sent
from annotation.core.platforms.errors import RefusedError, UnavailableError
from annotation.core.platforms.messages import Message
from annotation.crowds.platforms import assumptions
from annotation.crowds.platforms.intent_rows import standing_alike, text_of, ticket_id_of
from annotation.crowds.platforms.prolific.http import Client, rows_of
from annotation.crowds.platforms.prolific.rows import not_found, person_of
from annotation.models import Intent


def send(client: Client, intent: Intent) -> Sent:
    text = text_of(intent, "message")
    if not text:
        raise RefusedError(_("The message is empty."))
    body = {"recipient_id": person_of(intent), "body": text, "study_id": ticket_id_of(intent)}
    client.change("POST", "messages/", body, needs_body=False)
    return Sent()


def look_up(client: Client, intent: Intent) -> LookedUp:
    """Two of the same text are told apart by their number alone."""
    text = text_of(intent, "message")
    try:
        person = person_of(intent)
    except RefusedError as error:
        raise UnavailableError(error.said[0]) from error
    n_seen = sum(
        message.is_ours and _comparable(message.text) == _comparable(text)
        for message in exchanged(client, person)
    )
    # Of all their visits: Prolific lists messages by person, and none that is older.
    of_person = Q(visit=intent.visit) | Q(payload__person_id=person)
    since = clock.now() - assumptions.PROLIFIC_LISTS_MESSAGES - timedelta(days=1)
    n_alike = standing_alike(
        intent,
        of_person & Q(last_sent_at__gte=since),
        payload__message=intent.payload.get("message"),
    ).count()
    return LookedUp(LookUpResult.DONE) if n_seen > n_alike else not_found(intent)


def exchanged(client: Client, person: str) -> Sequence[Message]:
    """With one participant, oldest first. Raises UnavailableError."""
    messages = [_read(row, person=person) for row in _rows(client, "messages/", user_id=person)]
    return sorted(messages, key=lambda message: message.sent_at or _LONG_AGO)


def unread(client: Client) -> Sequence[Message]:
    """What the account received and has not read on Prolific. Raises UnavailableError."""
    return [_read(row, person=_sender(row)) for row in _rows(client, "messages/unread/")]


_LONG_AGO = datetime.min.replace(tzinfo=UTC)


def _rows(client: Client, path: str, **query: str) -> Sequence[Mapping[str, Any]]:
    """These lists are documented without pages, and as null where there is nothing."""
    page = client.get(path, **query)
    is_empty = isinstance(page, dict) and "results" in page and page["results"] is None
    return [] if is_empty else rows_of(page)


def _read(row: Mapping[str, Any], *, person: str) -> Message:
    data = row.get("data")
    study = data.get("study_id") if isinstance(data, dict) else None
    moment = row.get("sent_at") or row.get("datetime_created")
    return Message(
        person_id=person,
        is_ours=_sender(row) != person,
        text=str(row.get("body") or ""),
        study_id=str(study or ""),
        sent_at=_moment(moment),
    )


def _sender(row: Mapping[str, Any]) -> str:
    # The documentation names the sender otherwise than Prolific's own client.
    return str(row.get("sender_id") or row.get("sender") or "")


def _moment(text: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _comparable(text: str) -> str:
    """How texts are "sanitised" is not documented: entities and blanks may differ."""
    return " ".join(unescape(text).split())
