"""Operations on assignments that were submitted."""

from typing import Any

from tests.simulators.mturk import life, money
from tests.simulators.mturk.entities import REJECTED, SUBMITTED, VISIBLE, Assignment
from tests.simulators.mturk.errors import RequestError
from tests.simulators.mturk.operations import limits, shown
from tests.simulators.mturk.paging import page
from tests.simulators.mturk.world import World

Values = dict[str, Any]


def _state_error(states: str) -> RequestError:
    return RequestError(
        "InvalidAssignmentState", f"This operation can be called with a status of: {states}"
    )


def _find(world: World, values: Values, states_of_hidden: str) -> Assignment:
    """An assignment the requester knows of; the others answer as if in a strange state."""
    found = world.assignments.get(values["AssignmentId"])
    if found is None or world.hits[found.hit_id].disposed_at is not None:
        raise RequestError(
            "AssignmentDoesNotExist", f"Assignment {values['AssignmentId']} does not exist."
        )
    if not shown.is_visible(world, found):
        raise _state_error(states_of_hidden)
    return found


def list_assignments(world: World, values: Values) -> Values:
    hit = shown.find_hit(world, values["HITId"])
    states = values.get("AssignmentStatuses") or list(VISIBLE)
    rows: list[tuple[list[Any], Values]] = []
    for found in world.live_assignments(hit):
        if shown.is_visible(world, found) and found.status in states:
            for copy in range(2 if found.doubled else 1):
                rows.append(([found.submitted_at, found.seq, copy], shown.assignment(found)))
    listing = f"ListAssignmentsForHIT {hit.hit_id} {sorted(states)}"
    return page(world, values, listing, "Assignments", rows)


def get_assignment(world: World, values: Values) -> Values:
    found = _find(world, values, "Reviewable,Approved,Rejected")
    hit = world.hits[found.hit_id]
    return {"Assignment": shown.assignment(found), "HIT": shown.hit(world, hit)}


def approve(world: World, values: Values) -> Values:
    feedback = limits.text(values, "RequesterFeedback", 1024)
    found = _find(world, values, "null")
    assert found.submitted_at is not None
    if found.status == REJECTED and values.get("OverrideRejection"):
        if world.now > found.submitted_at + world.settings.override_rejection_s:
            raise RequestError(
                "InvalidAssignmentState", "A rejection can be overridden for 30 days only."
            )
        hit = world.hits[found.hit_id]
        # What was held for this assignment was released with the rejection.
        money.require(world, money.unit_cost(world, world.hit_type(hit), hit.max_assignments))
    elif found.status != SUBMITTED:
        raise _state_error(SUBMITTED)
    life.approve(world, found, feedback or None)
    return {}


def reject(world: World, values: Values) -> Values:
    feedback = limits.text(values, "RequesterFeedback", 1024)
    found = _find(world, values, "null")
    if found.status != SUBMITTED:
        raise _state_error(SUBMITTED)
    life.reject(world, found, feedback)
    return {}


OPERATIONS = {
    "ListAssignmentsForHIT": list_assignments,
    "GetAssignment": get_assignment,
    "ApproveAssignment": approve,
    "RejectAssignment": reject,
}
