"""The operations of the requester API: one function each, looked up by name."""

from collections.abc import Callable
from typing import Any

from tests.simulators.mturk.errors import NotSimulatedError
from tests.simulators.mturk.operations import (
    assignments,
    bonuses,
    hits,
    listings,
    qualifications,
    workers,
)
from tests.simulators.mturk.world import World

Operation = Callable[[World, dict[str, Any]], dict[str, Any]]

SERVED: dict[str, Operation] = {
    **hits.OPERATIONS,
    **listings.OPERATIONS,
    **assignments.OPERATIONS,
    **bonuses.OPERATIONS,
    **qualifications.OPERATIONS,
    **workers.OPERATIONS,
}


def is_read(name: str) -> bool:
    return name.startswith(("Get", "List"))


def perform(world: World, name: str, parameters: dict[str, Any]) -> dict[str, Any]:
    if name not in SERVED:
        raise NotSimulatedError(name)
    return SERVED[name](world, parameters)
