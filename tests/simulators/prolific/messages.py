"""Messages between the researcher and participants, as the documentation shows them."""

from datetime import UTC, datetime
from html import escape
from typing import Any

from tests.simulators.prolific import rules, studies
from tests.simulators.prolific.errors import invalid
from tests.simulators.prolific.wire import Answer, Request
from tests.simulators.prolific.world import Row, World, iso

_CATEGORIES = (
    *("payment-timing", "payment-issues", "technical-issues", "feedback", "rejections", "other"),
)


def researcher(world: World) -> str:
    return f"{world.state['seed']:0<24}"[:24]


def tell(world: World, participant: str, body: str, study: str | None) -> Row:
    """Write to a participant in the researcher's name."""
    ends = {"sender_id": researcher(world), "recipient_id": participant}
    return _store(world, participant, body=body, study_id=study, **ends)


def write(world: World, participant: str, body: str, study: str | None, category: str) -> Row:
    """Let a participant write; they may choose the study that it is about."""
    if category and category not in _CATEGORIES:
        raise invalid(category=f"{category!r} is not one of {', '.join(_CATEGORIES)}.")
    ends = {"sender_id": participant, "recipient_id": researcher(world)}
    return _store(world, participant, body=body, study_id=study, category=category, **ends)


def of_participant(world: World, participant: str) -> list[Row]:
    return [each for each in world.state["messages"] if each["recipient_id"] == participant]


def read_all(world: World) -> None:
    """The researcher has looked at the messages on the platform's own page."""
    for message in world.state["messages"]:
        message["is_read"] = True


def listed(world: World, request: Request) -> Answer:
    person, after = request.asked("user_id"), request.asked("created_after")
    if not person and not after:
        raise invalid(user_id="Either user_id or created_after is required.")
    since = world.now() - 30 * rules.DAY
    if after:
        since = max(since, _moment(after))
    rows = [
        _shown(world, each)
        # In what order is not documented.
        for each in reversed(world.state["messages"])
        if each["at"] > since and person in ("", each["participant"])
    ]
    return Answer(body={"results": rows or None})


def unread(world: World, request: Request) -> Answer:
    """What was received and not read. Listing it does not mark it as read."""
    me = researcher(world)
    rows = [
        _shown(world, each)
        for each in world.state["messages"]
        if each["recipient_id"] == me and not each["is_read"]
    ]
    if world.config["unread_as_client"]:
        # The platform's own client reads these names.
        for row in rows:
            row["sender"], row["datetime_created"] = row.pop("sender_id"), row.pop("sent_at")
    return Answer(body={"results": rows or None})


def send(world: World, request: Request) -> Answer:
    body = request.json()
    for name in ("recipient_id", "body", "study_id"):
        if not isinstance(body.get(name), str) or not body[name]:
            raise invalid(**{name: "This field is required."})
    study = studies.find(world, body["study_id"])
    if body["recipient_id"] not in world.state["participants"]:
        raise invalid(recipient_id="This participant does not exist.")
    tell(world, body["recipient_id"], body["body"], study["id"])
    return Answer(204)


def _store(world: World, participant: str, **columns: Any) -> Row:
    message = {
        "id": world.new_id("message"),
        "participant": participant,
        "category": "",
        "at": world.now(),
        "is_read": False,
        **columns,
    }
    world.state["messages"].append(message)
    return message


def _shown(world: World, message: Row) -> Row:
    data = {"study_id": message["study_id"], "category": message["category"]}
    body = escape(message["body"]) if world.config["escapes_messages"] else message["body"]
    return {
        "id": message["id"],
        "sender_id": message["sender_id"],
        "body": body,
        "sent_at": iso(message["at"]),
        "channel_id": f"{message['participant']:0<64}"[:64],
        "type": "message",
        "data": {name: value for name, value in data.items() if value},
    }


def _moment(text: str) -> float:
    moment: Any
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise invalid(created_after="Enter a date and time in ISO 8601.") from None
    return float((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
