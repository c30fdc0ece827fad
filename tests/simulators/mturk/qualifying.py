"""Who qualifies for what: built-in qualifications from a worker's profile, others from grants."""

import operator
from collections.abc import Callable
from typing import Any

from tests.simulators.mturk.entities import APPROVED, HitType, Worker
from tests.simulators.mturk.world import World

LOCALE = "00000000000000000071"
N_APPROVED = "00000000000000000040"
PERCENT_APPROVED = "000000000000000000L0"
ADULT = "00000000000000000060"
# Below this many submitted assignments everybody counts as fully approved.
_ENOUGH_TO_COUNT = 100
# What each way of guarding keeps from people who do not qualify.
_GUARDS = {
    "Accept": {"Accept"},
    "PreviewAndAccept": {"Accept", "Preview"},
    "DiscoverPreviewAndAccept": {"Accept", "Preview", "Discover"},
}
_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "LessThan": operator.lt,
    "LessThanOrEqualTo": operator.le,
    "GreaterThan": operator.gt,
    "GreaterThanOrEqualTo": operator.ge,
}


def built_in(world: World) -> dict[str, str]:
    return {
        world.masters_type: "Masters",
        LOCALE: "Worker_Locale",
        N_APPROVED: "Worker_NumberHITsApproved",
        PERCENT_APPROVED: "Worker_PercentAssignmentsApproved",
        ADULT: "Worker_Adult",
    }


def n_approved(world: World, worker: Worker) -> int:
    here = sum(
        a.worker_id == worker.worker_id and a.status == APPROVED
        for a in world.assignments.values()
    )
    return worker.approved + here


def percent_approved(worker: Worker) -> int:
    return worker.percent if worker.n_submitted >= _ENOUGH_TO_COUNT else 100


def score(world: World, worker: Worker, type_id: str) -> int | None:
    """The value that counts for this worker at this moment; None without the qualification."""
    if type_id == N_APPROVED:
        return n_approved(world, worker)
    if type_id == PERCENT_APPROVED:
        return percent_approved(worker)
    if type_id == ADULT:
        return 1 if worker.adult else None
    if type_id == world.masters_type:
        return 1 if worker.masters else None
    grant = world.grants.get(f"{type_id}/{worker.worker_id}")
    if grant is None:
        return None
    if world.now < grant.changed_at + world.settings.qual_effect_lag_s:
        return grant.earlier_value
    return grant.value if grant.status == "Granted" else None


def meets(world: World, worker: Worker, requirement: dict[str, Any]) -> bool:
    """Does the worker satisfy one requirement?"""
    comparator: str = requirement["Comparator"]
    if requirement["QualificationTypeId"] == LOCALE:
        there = any(_lives_in(worker, place) for place in requirement.get("LocaleValues", []))
        return {"Exists": True, "DoesNotExist": False, "EqualTo": there, "In": there}.get(
            comparator, not there
        )
    value = score(world, worker, requirement["QualificationTypeId"])
    if comparator in ("Exists", "DoesNotExist"):
        return (value is not None) == (comparator == "Exists")
    if value is None:
        return False
    wanted: list[int] = requirement.get("IntegerValues", [])
    if comparator in ("EqualTo", "In"):
        return value in wanted
    if comparator in ("NotEqualTo", "NotIn"):
        return value not in wanted
    return _COMPARE[comparator](value, wanted[0])


def _lives_in(worker: Worker, place: dict[str, str]) -> bool:
    subdivision = place.get("Subdivision")
    return worker.country == place["Country"] and (
        not subdivision or worker.subdivision == subdivision
    )


def why_not(world: World, worker: Worker, hit_type: HitType, action: str) -> str:
    """Why a worker may not Discover, Preview or Accept; empty if they may."""
    for requirement in hit_type.requirements:
        guard = requirement.get("ActionsGuarded", "Accept")
        if requirement.get("RequiredToPreview"):
            guard = "PreviewAndAccept"
        if action in _GUARDS[guard] and not meets(world, worker, requirement):
            name = requirement["QualificationTypeId"]
            name = built_in(world).get(name, name)
            return f"You do not meet the qualification {name} of this HIT."
    return ""
