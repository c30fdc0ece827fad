"""Qualification types and who was granted them."""

from typing import Any

from tests.simulators.mturk.entities import Grant, QualificationType
from tests.simulators.mturk.errors import NotSimulatedError, RequestError, invalid
from tests.simulators.mturk.operations import limits, shown
from tests.simulators.mturk.paging import page
from tests.simulators.mturk.qualifying import built_in
from tests.simulators.mturk.world import World

Values = dict[str, Any]
_TESTS = ("Test", "AnswerKey", "TestDurationInSeconds")


def _find(world: World, values: Values, *, own: bool = False) -> QualificationType:
    type_id = values["QualificationTypeId"]
    found = world.qualification_types.get(type_id)
    if found is not None and found.deleted_at is None:
        return found
    if type_id in built_in(world):
        if own:
            raise RequestError(
                "PermissionDeniedException", "You may not change a qualification of the system."
            )
        return _of_the_system(world, type_id)
    raise RequestError(
        "QualificationTypeDoesNotExist", f"QualificationType {type_id} does not exist."
    )


def _of_the_system(world: World, type_id: str) -> QualificationType:
    name = built_in(world)[type_id]
    return QualificationType(type_id, name, name, "", "Active", 0.0, 0)


def _refuse_tests(values: Values) -> None:
    for name in _TESTS:
        if name in values:
            raise NotSimulatedError(f"A qualification's {name}")


def create_type(world: World, values: Values) -> Values:
    _refuse_tests(values)
    name = limits.text(values, "Name", 200, least=1)
    description = limits.text(values, "Description", 2000, least=1)
    for known in world.qualification_types.values():
        gone = (
            known.deleted_at is not None
            and world.now >= known.deleted_at + world.settings.qualification_limbo_s
        )
        if known.name == name and not gone:
            raise RequestError(
                "QualificationTypeAlreadyExists",
                "You have already created a QualificationType with this name.",
            )
    made = QualificationType(
        world.new_id("qualification"),
        name,
        description,
        limits.text(values, "Keywords", 1000),
        values["QualificationTypeStatus"],
        world.now,
        world.number(),
        values.get("RetryDelayInSeconds"),
        values.get("AutoGranted", False),
        values.get("AutoGrantedValue", 1),
    )
    world.qualification_types[made.type_id] = made
    return {"QualificationType": shown.qualification_type(made)}


def get_type(world: World, values: Values) -> Values:
    return {"QualificationType": shown.qualification_type(_find(world, values))}


def update_type(world: World, values: Values) -> Values:
    _refuse_tests(values)
    found = _find(world, values, own=True)
    if "Description" in values:
        found.description = limits.text(values, "Description", 2000, least=1)
    found.status = values.get("QualificationTypeStatus", found.status)
    found.retry_delay_s = values.get("RetryDelayInSeconds", found.retry_delay_s)
    found.auto_granted = values.get("AutoGranted", found.auto_granted)
    found.auto_granted_value = values.get("AutoGrantedValue", found.auto_granted_value)
    return {"QualificationType": shown.qualification_type(found)}


def delete_type(world: World, values: Values) -> Values:
    _find(world, values, own=True).deleted_at = world.now
    return {}


def list_types(world: World, values: Values) -> Values:
    query = values.get("Query", "").lower()
    found = [
        kind
        for kind in world.qualification_types.values()
        if kind.deleted_at is None
        and world.now >= kind.created_at + world.settings.qual_index_lag_s
    ]
    if not values.get("MustBeOwnedByCaller"):
        found += [_of_the_system(world, type_id) for type_id in built_in(world)]
    rows = [
        ([kind.seq, kind.type_id], shown.qualification_type(kind))
        for kind in found
        if query in f"{kind.name} {kind.description} {kind.keywords}".lower()
        # People cannot ask for a qualification of the system.
        and (kind.seq or not values["MustBeRequestable"])
    ]
    listing = (
        f"ListQualificationTypes {query} {values['MustBeRequestable']}"
        f" {values.get('MustBeOwnedByCaller')}"
    )
    return page(world, values, listing, "QualificationTypes", rows)


def associate(world: World, values: Values) -> Values:
    found = _find(world, values, own=True)
    if "IntegerValue" not in values and world.settings.associate_needs_value:
        raise invalid("IntegerValue is missing.")
    worker_id = values["WorkerId"]
    if worker_id not in world.workers:
        raise invalid(f"Worker {worker_id} does not exist.")
    if found.status != "Active":
        raise RequestError(
            "InvalidQualificationTypeState",
            "This operation can be called with a status of: Active",
        )
    key = f"{found.type_id}/{worker_id}"
    earlier = world.grants.get(key)
    world.grants[key] = Grant(
        found.type_id,
        worker_id,
        values.get("IntegerValue", 1),
        world.now,
        world.number(),
        changed_at=world.now,
        earlier_value=earlier.value if earlier and earlier.status == "Granted" else None,
    )
    return {}


def _grant(world: World, values: Values) -> Grant:
    found = world.grants.get(f"{values['QualificationTypeId']}/{values['WorkerId']}")
    if found is None:
        raise RequestError(
            "QualificationDoesNotExist",
            f"Worker {values['WorkerId']} does not have"
            f" the qualification {values['QualificationTypeId']}.",
        )
    return found


def disassociate(world: World, values: Values) -> Values:
    _find(world, values, own=True)
    found = _grant(world, values)
    if found.status != "Granted":
        raise RequestError(
            "InvalidQualificationState", "This operation can be called with a status of: Granted"
        )
    found.status = "Revoked"
    found.changed_at = world.now
    found.earlier_value = found.value
    return {}


def get_score(world: World, values: Values) -> Values:
    _find(world, values, own=True)
    return {"Qualification": shown.grant(_grant(world, values))}


def list_workers(world: World, values: Values) -> Values:
    found = _find(world, values, own=True)
    status = values.get("Status", "Granted")
    rows = [
        ([grant.seq], shown.grant(grant))
        for grant in world.grants.values()
        if grant.type_id == found.type_id and grant.status == status
    ]
    listing = f"ListWorkersWithQualificationType {found.type_id} {status}"
    return page(world, values, listing, "Qualifications", rows)


OPERATIONS = {
    "CreateQualificationType": create_type,
    "GetQualificationType": get_type,
    "UpdateQualificationType": update_type,
    "DeleteQualificationType": delete_type,
    "ListQualificationTypes": list_types,
    "AssociateQualificationWithWorker": associate,
    "DisassociateQualificationFromWorker": disassociate,
    "GetQualificationScore": get_score,
    "ListWorkersWithQualificationType": list_workers,
}
