"""Participants and the groups they are put into, which open and close studies to them."""

import hashlib
from typing import Any

from tests.simulators.prolific.errors import invalid, missing
from tests.simulators.prolific.world import Row, World, iso


def participant(world: World, key: str, **attributes: Any) -> Row:
    """Somebody who takes part, made on first mention."""
    found = world.state["participants"].setdefault(
        key, {"id": key, "attributes": {}, "is_test": False}
    )
    found["attributes"].update(attributes)
    return found


def named(world: World, name: str) -> Row:
    """The same person for the same name, with an id like those of the platform."""
    found = participant(world, hashlib.sha256(name.encode()).hexdigest()[:24])
    found["name"] = name
    return found


def find(world: World, key: str) -> Row:
    """A deleted group is still found: filters and codes may name it."""
    try:
        return world.state["groups"][key]
    except KeyError:
        raise missing("Participant group", key) from None


def create(world: World, body: Row) -> Row:
    name = body.get("name")
    if not isinstance(name, str) or not name.strip():
        raise invalid(name="This field is required.")
    if not body.get("workspace_id") and not body.get("organisation_id"):
        raise invalid(workspace_id="This field is required.")
    members = _ids(world, body.get("participant_ids") or [])
    group = {
        "id": world.new_id("group"),
        "name": name,
        "description": body.get("description", ""),
        "workspace_id": body.get("workspace_id"),
        "project_id": body.get("project_id"),
        "is_deleted": False,
        "members": {},
    }
    world.state["groups"][group["id"]] = group
    add(world, group["id"], members)
    return group


def change(group: Row, body: Row) -> Row:
    for name in ("name", "description"):
        if isinstance(body.get(name), str):
            group[name] = body[name]
    return group


def _ids(world: World, keys: Any) -> list[str]:
    if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
        raise invalid(participant_ids="Expected a list of participant ids.")
    if unknown := [key for key in keys if key not in world.state["participants"]]:
        raise invalid(participant_ids=f"Not found: {', '.join(unknown)}.")
    return keys


def members_of_body(world: World, body: Row) -> list[str]:
    keys = _ids(world, body.get("participant_ids"))
    if not keys:
        raise invalid(participant_ids="This list may not be empty.")
    return keys


def add(world: World, key: str, people: list[str]) -> None:
    """Who is a member already stays one since then."""
    group = find(world, key)
    for each in people:
        group["members"].setdefault(each, world.now())


def remove(world: World, key: str, people: list[str]) -> None:
    for each in people:
        find(world, key)["members"].pop(each, None)


def shown(group: Row) -> Row:
    return {
        **{name: value for name, value in group.items() if name != "members"},
        "participant_count": len(group["members"]),
    }


def members(group: Row) -> Row:
    return {
        "results": [
            {"participant_id": key, "datetime_created": iso(since)}
            for key, since in group["members"].items()
        ]
    }


# Filters


def is_eligible(world: World, study: Row, person: str) -> bool:
    """Looked up each time: a group that is filled later opens the study then."""
    if study["is_test"]:
        return bool(participant(world, person)["is_test"])
    return passes(world, study["filters"], person)


def passes(world: World, filters: list[Row], person: str) -> bool:
    return all(_passes(world, each, person) for each in filters)


def _passes(world: World, rule: Row, person: str) -> bool:
    kind, chosen = rule["filter_id"], rule.get("selected_values") or []
    if kind.endswith("_allowlist") or kind.endswith("_blocklist"):
        return _is_listed(world, kind, chosen, person) is kind.endswith("_allowlist")
    value = participant(world, person)["attributes"].get(kind)
    if value is None:
        return False
    if span := rule.get("selected_range"):
        return span.get("lower", value) <= value <= span.get("upper", value)
    return value in chosen


def _is_listed(world: World, kind: str, chosen: list[str], person: str) -> bool:
    if kind.startswith("participant_group_"):
        return any(person in find(world, group)["members"] for group in chosen)
    if kind.startswith("previous_studies_"):
        return any(
            row["participant_id"] == person and row["study_id"] in chosen
            for row in world.state["submissions"].values()
        )
    return person in chosen
