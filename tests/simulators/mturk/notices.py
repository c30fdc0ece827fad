"""Notifications of events, as a queue gets them: duplicated, reordered, dropped or late."""

from datetime import UTC, datetime
from typing import Any

from tests.simulators.mturk.entities import Assignment, Hit, Notice
from tests.simulators.mturk.world import World

VERSION = "2014-08-15"


def tell(world: World, event: str, hit: Hit, assignment: Assignment | None = None) -> None:
    """Announce an event to whoever watches the HIT's type."""
    watch = world.watches.get(hit.hit_type_id)
    if watch is None or not watch.active or event not in watch.specification["EventTypes"]:
        return
    if world.settings.notices_drop:
        return
    about = {"HITTypeId": hit.hit_type_id, "HITId": hit.hit_id}
    if assignment is not None:
        about["AssignmentId"] = assignment.assignment_id
    for _ in range(2 if world.settings.notices_duplicate else 1):
        post(world, event, watch.specification, about)


def post(world: World, event: str, specification: dict[str, Any], about: dict[str, str]) -> None:
    at = datetime.fromtimestamp(world.now, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    body = {
        "EventDocVersion": VERSION,
        # The same for a notice that is delivered twice: that is how a reader knows.
        "EventDocId": f"{event}-{about.get('AssignmentId') or about.get('HITId', 'TEST')}-{at}",
        "CustomerId": "ASIMULATEDREQUESTER",
        "Events": [{"EventType": event, "EventTimestamp": at, **about}],
    }
    notice = Notice(
        world.number(),
        world.now + world.settings.notices_delay_s,
        specification["Destination"],
        specification["Transport"],
        body,
    )
    if world.settings.notices_reorder:
        world.notices.insert(0, notice)
    else:
        world.notices.append(notice)


def receive(world: World) -> list[Notice]:
    """Take what has arrived out of the queue."""
    arrived = [notice for notice in world.notices if notice.visible_at <= world.now]
    world.notices = [notice for notice in world.notices if notice.visible_at > world.now]
    return arrived
