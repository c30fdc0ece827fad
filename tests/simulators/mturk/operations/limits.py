"""Limits that the model does not state but the service keeps."""

import re
from decimal import Decimal
from typing import Any

from tests.simulators.mturk.errors import RequestError, invalid
from tests.simulators.mturk.qualifying import LOCALE, built_in
from tests.simulators.mturk.world import World

YEAR_S = 31_536_000
MONTH_S = 2_592_000
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


def text(parameters: dict[str, Any], name: str, most: int, *, least: int = 0) -> str:
    value = parameters.get(name, "")
    if not least <= len(value) <= most:
        raise invalid(f"{name} has {len(value)} characters: between {least} and {most} are taken.")
    if _CONTROLS.search(value):
        raise invalid(f"{name} holds control characters.")
    assert isinstance(value, str)
    return value


def number(
    parameters: dict[str, Any], name: str, low: int, high: int, default: int | None = None
) -> int:
    value = parameters.get(name, default)
    assert isinstance(value, int)
    if not low <= value <= high:
        raise invalid(f"{name} is {value}: between {low} and {high} is taken.")
    return value


def money(parameters: dict[str, Any], name: str) -> Decimal:
    return Decimal(parameters[name]).quantize(Decimal("0.01"))


def requirements(world: World, parameters: dict[str, Any]) -> list[dict[str, Any]]:
    """The qualification requirements of a HIT type, each held against its rules."""
    wanted: list[dict[str, Any]] = parameters.get("QualificationRequirements", [])
    if len(wanted) > 10:
        raise invalid(f"{len(wanted)} QualificationRequirements: at most 10 are taken.")
    for requirement in wanted:
        _check_requirement(world, requirement)
    return wanted


def _check_requirement(world: World, requirement: dict[str, Any]) -> None:
    type_id, comparator = requirement["QualificationTypeId"], requirement["Comparator"]
    own = world.qualification_types.get(type_id)
    if type_id not in built_in(world) and (own is None or own.deleted_at is not None):
        raise RequestError(
            "QualificationTypeDoesNotExist", f"QualificationType {type_id} does not exist."
        )
    if "RequiredToPreview" in requirement and "ActionsGuarded" in requirement:
        raise invalid("RequiredToPreview and ActionsGuarded exclude each other.")
    integers = requirement.get("IntegerValues", [])
    places = requirement.get("LocaleValues", [])
    if comparator in ("Exists", "DoesNotExist"):
        if integers or places:
            raise invalid(f"{comparator} takes no values.")
        return
    if bool(places) == bool(integers) or bool(places) != (type_id == LOCALE):
        kind = "LocaleValues" if type_id == LOCALE else "IntegerValues"
        raise invalid(f"{comparator} on {type_id} takes {kind} and no others.")
    if places and comparator not in ("EqualTo", "NotEqualTo", "In", "NotIn"):
        raise invalid(f"{comparator} does not compare places.")
    many = comparator in ("In", "NotIn")
    most = (30 if places else 15) if many else 1
    if len(integers or places) > most:
        raise invalid(f"{comparator} takes at most {most} values.")
