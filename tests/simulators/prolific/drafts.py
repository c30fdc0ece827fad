"""Reading the body that describes a study: the fields, their kinds and their limits."""

import math
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from tests.simulators.prolific import audience, rules
from tests.simulators.prolific.errors import Refusal, invalid
from tests.simulators.prolific.loopback import is_loopback
from tests.simulators.prolific.world import Row, World

# What may still be changed once a study is published.
CHANGEABLE = (
    "internal_name",
    "name",
    "description",
    "external_study_url",
    "total_available_places",
)
RETIRED = ("completion_code", "completion_option", "eligibility_requirements")
OPTIONAL: dict[str, Any] = {
    "internal_name": "",
    "device_compatibility": [],
    "peripheral_requirements": [],
    "is_external_study_url_secure": False,
    "is_custom_screening": False,
    "project": None,
    "metadata": None,
    "study_labels": [],
}


def checked(world: World, body: Row) -> Row:
    """The fields of a study, every one in place; `given` keeps what was sent."""
    for name in RETIRED:
        if name in body:
            raise invalid(**{name: "This field is no longer supported."})
    study: Row = {"given": {k: v for k, v in body.items() if k in _KNOWN}}
    for name in ("name", "description"):
        study[name] = _take(body, name, lambda value: isinstance(value, str) and value.strip())
    if len(study["name"]) > world.config["longest_title"]:
        raise invalid(name="Ensure this field has fewer characters.")
    for name in ("total_available_places", "estimated_completion_time", "reward"):
        study[name] = _take(body, name, _is_count)
    study["prolific_id_option"] = _take(
        body, "prolific_id_option", lambda value: value in rules.ID_OPTIONS
    )
    for name, default in OPTIONAL.items():
        study[name] = body.get(name, default)
    for name, known in (
        ("device_compatibility", rules.DEVICES),
        ("peripheral_requirements", rules.PERIPHERALS),
    ):
        if not _subset(study[name], known):
            raise invalid(**{name: f"Each has to be one of {', '.join(known)}."})
    if study["metadata"] is not None and not isinstance(study["metadata"], dict):
        raise invalid(metadata="Expected an object.")
    if not isinstance(study["is_external_study_url_secure"], bool):
        raise invalid(is_external_study_url_secure="Must be a valid boolean.")
    study.update(_addresses(body, study["total_available_places"]))
    longest = _longest(body, study["estimated_completion_time"])
    study["maximum_allowed_time"] = max(longest, world.config["own_time_limit"])
    study["completion_codes"] = _codes(world, body, study["reward"])
    study["filters"] = audience.checked(world, body.get("filters") or [])
    study["submissions_config"] = _limits(body.get("submissions_config") or {})
    return study


_KNOWN = {
    *("name", "description", "total_available_places", "estimated_completion_time", "reward"),
    *("prolific_id_option", "external_study_url", "access_details", "maximum_allowed_time"),
    *("completion_codes", "filters", "submissions_config", *OPTIONAL),
}


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _subset(value: Any, known: tuple[str, ...]) -> bool:
    return isinstance(value, list) and all(each in known for each in value)


def _take(body: Row, name: str, good: Callable[[Any], Any]) -> Any:
    if body.get(name) is None:
        raise invalid(**{name: "This field is required."})
    if not good(body[name]):
        raise invalid(**{name: f"{body[name]!r} is not a valid value."})
    return body[name]


def _address(url: Any, field: str) -> str:
    parts = urlsplit(url) if isinstance(url, str) else None
    safe = parts is not None and (
        parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname or ""))
    )
    if not safe or not parts or not parts.hostname:
        raise invalid(**{field: "Enter a valid URL; it has to use https."})
    return str(url)


def _addresses(body: Row, places: int) -> Row:
    details = body.get("access_details")
    if details is None:
        if body.get("external_study_url") is None:
            raise invalid(external_study_url="This field is required.")
        url = _address(body["external_study_url"], "external_study_url")
        return {"external_study_url": url, "access_details": None}
    if body.get("external_study_url"):
        raise invalid(access_details="Give either this or external_study_url.")
    if not isinstance(details, list) or not all(
        isinstance(each, dict) and _is_count(each.get("total_allocation")) for each in details
    ):
        raise invalid(access_details="Each needs an external_url and a total_allocation.")
    for each in details:
        _address(each.get("external_url"), "access_details")
    if sum(each["total_allocation"] for each in details) != places:
        raise invalid(access_details="The allocations must add up to total_available_places.")
    return {"external_study_url": None, "access_details": details}


def _longest(body: Row, estimated: int) -> int:
    given = body.get("maximum_allowed_time")
    # Documented: the minimum, which is the default, too, is 2 + 2 m + 2 sqrt(m) minutes.
    least = min(1439, math.ceil(2 + 2 * estimated + 2 * math.sqrt(estimated)))
    if given is None:
        return least
    if not _is_count(given) or given < least or given >= 1440:
        raise invalid(maximum_allowed_time=f"At least {least} and less than 24 hours, in minutes.")
    return int(given)


def _codes(world: World, body: Row, reward: int) -> list[Row]:
    codes = _take(body, "completion_codes", lambda value: isinstance(value, list) and value)
    found: list[Row] = []
    for code in codes:
        if not isinstance(code, dict) or not isinstance(code.get("code"), str):
            raise invalid(completion_codes="Each needs a code.")
        if not code["code"].strip() or code["code"] in [each["code"] for each in found]:
            raise invalid(completion_codes=f"The code {code['code']!r} is empty or not unique.")
        if code.get("code_type") not in rules.CODE_TYPES:
            raise invalid(completion_codes=f"{code.get('code_type')!r} is no code_type.")
        actor = code.get("actor", "participant")
        if actor not in rules.ACTORS:
            raise invalid(completion_codes=f"{actor!r} is no actor.")
        actions = code.get("actions")
        if not isinstance(actions, list) or not actions:
            raise invalid(completion_codes=f"The code {code['code']!r} needs actions.")
        for action in actions:
            _check_action(world, body, action, reward)
        names = [action["action"] for action in actions]
        if {"AUTOMATICALLY_APPROVE", "MANUALLY_REVIEW"} <= set(names):
            raise invalid(completion_codes="These actions can not be used together.")
        found.append({**code, "actor": actor})
    return found


def _check_action(world: World, body: Row, action: Any, reward: int) -> None:
    name = action.get("action") if isinstance(action, dict) else None
    if name not in rules.ACTIONS:
        raise invalid(completion_codes=f"{name!r} is no action.")
    if name.endswith("PARTICIPANT_GROUP"):
        if str(action.get("participant_group")) not in world.state["groups"]:
            raise invalid(completion_codes="The participant_group does not exist.")
    elif name == "REQUEST_RETURN":
        if not action.get("return_reason"):
            raise invalid(completion_codes="REQUEST_RETURN needs a return_reason.")
    elif name == "FIXED_SCREEN_OUT_PAYMENT":
        if not body.get("is_custom_screening"):
            raise Refusal(403, "Custom screening is not enabled for this study.")
        paid, least = action.get("fixed_screen_out_reward"), world.config["least_screen_out"]
        if not _is_count(paid) or not least <= paid < reward or not _is_count(action.get("slots")):
            raise invalid(
                completion_codes=f"A screen-out pays {least} cents or more and less than the"
                " reward, and has slots."
            )


def _limits(config: Any) -> Row:
    if not isinstance(config, dict):
        raise invalid(submissions_config="Expected an object.")
    each = config.get("max_submissions_per_participant", 1)
    together = config.get("max_concurrent_submissions", -1)
    if not (_is_count(each) or each == -1) or not (_is_count(together) or together == -1):
        raise invalid(submissions_config="Positive numbers, or -1 for no limit.")
    categories = config.get("auto_rejection_categories") or []
    if not _subset(categories, rules.REJECTION_CATEGORIES):
        raise invalid(submissions_config="Unknown auto_rejection_categories.")
    return {
        "max_submissions_per_participant": each,
        "max_concurrent_submissions": together,
        "auto_rejection_categories": categories,
    }
