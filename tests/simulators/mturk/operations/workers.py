"""Messages to workers, blocks, and notifications to the requester."""

from typing import Any

from tests.simulators.mturk import notices
from tests.simulators.mturk.entities import APPROVED, REJECTED, Letter, Watch
from tests.simulators.mturk.errors import RequestError, invalid
from tests.simulators.mturk.operations import limits
from tests.simulators.mturk.paging import page
from tests.simulators.mturk.world import World

Values = dict[str, Any]


def notify(world: World, values: Values) -> Values:
    """Write to workers whose work was reviewed; the others are named as failures."""
    subject = limits.text(values, "Subject", 200, least=1)
    text = limits.text(values, "MessageText", 4096, least=1)
    worker_ids = values["WorkerIds"]
    if not 1 <= len(worker_ids) <= 100:
        raise invalid(f"{len(worker_ids)} WorkerIds: between 1 and 100 are taken.")
    reviewed = {
        a.worker_id for a in world.assignments.values() if a.status in (APPROVED, REJECTED)
    }
    failures = []
    for worker_id in worker_ids:
        if worker_id in reviewed:
            world.letters.append(Letter(worker_id, subject, text, world.now))
        else:
            failures.append(
                {
                    "NotifyWorkersFailureCode": "HardFailure",
                    "NotifyWorkersFailureMessage": "You have not reviewed work of this worker.",
                    "WorkerId": worker_id,
                }
            )
    return {"NotifyWorkersFailureStatuses": failures}


def block(world: World, values: Values) -> Values:
    if values["WorkerId"] not in world.workers:
        raise invalid(f"Worker {values['WorkerId']} does not exist.")
    world.blocks[values["WorkerId"]] = values["Reason"]
    return {}


def unblock(world: World, values: Values) -> Values:
    # Lifting a block that is not there changes nothing and is no error.
    world.blocks.pop(values["WorkerId"], None)
    return {}


def list_blocks(world: World, values: Values) -> Values:
    rows: list[tuple[list[Any], Values]] = [
        ([worker_id], {"WorkerId": worker_id, "Reason": reason})
        for worker_id, reason in world.blocks.items()
    ]
    return page(world, values, "ListWorkerBlocks", "WorkerBlocks", rows)


def _check_specification(specification: Values) -> None:
    if specification["Version"] != notices.VERSION:
        raise invalid(f"The Version of a notification must be {notices.VERSION}.")
    if specification["Transport"] == "Email":
        raise invalid("Only SQS and SNS are taken as Transport.")
    if not specification["Destination"]:
        raise RequestError("InvalidTransportEndpoint", "The Destination is empty.")


def update_notification_settings(world: World, values: Values) -> Values:
    type_id = values["HITTypeId"]
    if type_id not in world.hit_types:
        raise RequestError("HITTypeDoesNotExist", f"HITType {type_id} does not exist.")
    known = world.watches.get(type_id)
    if (specification := values.get("Notification")) is not None:
        _check_specification(specification)
        active = values.get("Active", True)
    elif known is None:
        raise invalid("There is no Notification to switch on or off.")
    else:
        specification, active = known.specification, values.get("Active", known.active)
    world.watches[type_id] = Watch(specification, active)
    return {}


def send_test_event(world: World, values: Values) -> Values:
    _check_specification(values["Notification"])
    notices.post(world, values["TestEventType"], values["Notification"], {})
    return {}


OPERATIONS = {
    "NotifyWorkers": notify,
    "CreateWorkerBlock": block,
    "DeleteWorkerBlock": unblock,
    "ListWorkerBlocks": list_blocks,
    "UpdateNotificationSettings": update_notification_settings,
    "SendTestEventNotification": send_test_event,
}
