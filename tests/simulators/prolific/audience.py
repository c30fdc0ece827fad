"""Filters of participants: the list that is published, what a filter may say, how many pass.

Shapes are those of https://docs.prolific.com/api-reference/filters (List all filters, Count
participants, Study Distribution), read in November 2026; which filters there are is made up.
"""

import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from tests.simulators.prolific import groups
from tests.simulators.prolific.errors import Refusal, invalid
from tests.simulators.prolific.world import Row, World

# Documented: fewer are counted as none, to protect the people's privacy.
LEAST_COUNTED = 25
_PERSON = re.compile("[0-9a-f]{24}")
_FIELDS = {"filter_id", "selected_values", "selected_range", "weightings"}
_TYPES: Mapping[str, type[Any] | tuple[type[Any], ...]] = {
    "integer": int,
    "float": (int, float),
    "date": str,
}


def _select(
    key: str, title: str, question: str, choices: list[str], data_type: str = "ChoiceID"
) -> Row:
    return {
        "filter_id": key,
        "title": title,
        "description": f"What people answered to “{question}”" if question else title,
        "question": question,
        "type": "select",
        "data_type": data_type,
        "choices": {str(n): choice for n, choice in enumerate(choices)},
    }


def _range(key: str, title: str, data_type: str, least: Any, most: Any) -> Row:
    return {
        "filter_id": key,
        "title": title,
        "description": f"{title} of a participant.",
        "question": "",
        "type": "range",
        "data_type": data_type,
        "min": least,
        "max": most,
    }


_COUNTRIES = [f"Country {n}" for n in range(60)] + ["Germany", "Czechia"]
_FIXED = (
    _range("age", "Age", "integer", 18, 100),
    _range("approval_rate", "Approval rate", "integer", 0, 100),
    _range("joined", "Joined Prolific", "date", "2014-01-01", "2026-12-31"),
    _select("sex", "Sex", "What is your sex?", ["Male", "Female"]),
    _select(
        *("handedness", "Handedness", "Are you left or right-handed?"),
        ["Right-handed", "Left-handed", "Ambidextrous"],
    ),
    _select(
        *("current-country-of-residence", "Country of residence", "Where do you live?"), _COUNTRIES
    ),
    _select(
        *("first-language", "First language", "What is your first language?"),
        ["English", "German", "Czech"],
    ),
)


def catalogue(world: World) -> list[Row]:
    """All filters; those of studies and groups have what the account has made."""
    studies = {key: row["internal_name"] for key, row in world.state["studies"].items()}
    made = {key: row["name"] for key, row in world.state["groups"].items()}
    lists = [
        ("previous_studies", "Previous studies", "StudyID", studies),
        ("participant_group", "Participant group", "ParticipantGroupID", made),
        ("custom", "Custom", "ParticipantID", {}),
    ]
    of_account = [
        {
            **_select(f"{key}_{kind}list", f"{title} {kind}list", "", [], data_type),
            "choices": known,
        }
        for key, title, data_type, known in lists
        for kind in ("allow", "block")
    ]
    return [*_FIXED, *of_account]


def checked(world: World, filters: Any) -> list[Row]:
    """The filters of a study or a count. Raises Refusal with what no filter takes."""
    if not isinstance(filters, list):
        raise invalid(filters="Expected a list.")
    known = {row["filter_id"]: row for row in catalogue(world)}
    for each in filters:
        key = each.get("filter_id") if isinstance(each, dict) else None
        if not isinstance(key, str) or key not in known:
            raise invalid(filters=f"There is no filter {key!r}.")
        if unknown := each.keys() - _FIELDS:
            raise invalid(filters=f"{key} takes no {', '.join(sorted(unknown))}.")
        if known[key]["type"] == "range":
            _check_range(known[key], each)
        else:
            _check_values(known[key], each)
    if len({each["filter_id"] for each in filters}) < len(filters):
        raise invalid(filters="A filter is given twice.")
    return filters


def _check_values(known: Row, given: Row) -> None:
    key, chosen = known["filter_id"], given.get("selected_values")
    if not isinstance(chosen, list) or not chosen or "selected_range" in given:
        raise invalid(filters=f"{key} needs selected_values.")
    for value in chosen:
        is_known = (
            bool(_PERSON.fullmatch(str(value)))
            if known["data_type"] == "ParticipantID"
            else value in known["choices"]
        )
        if not is_known:
            raise invalid(filters=f"{key} has no choice {value!r}.")
    shares = given.get("weightings", {})
    if shares and known["data_type"] != "ChoiceID":
        raise invalid(filters=f"{key} takes no weightings.")
    if not isinstance(shares, dict) or (shares and shares.keys() != set(chosen)):
        raise invalid(filters=f"{key} needs a weighting for each of its selected_values.")
    if any(type(share) is not int or share < 1 for share in shares.values()):
        raise invalid(filters=f"The weightings of {key} are whole numbers.")


def _check_range(known: Row, given: Row) -> None:
    key, span = known["filter_id"], given.get("selected_range")
    if not isinstance(span, dict) or not span or span.keys() - {"lower", "upper"}:
        raise invalid(filters=f"{key} needs a selected_range with lower, upper or both.")
    if given.keys() & {"selected_values", "weightings"}:
        raise invalid(filters=f"{key} takes a range alone.")
    for bound in span.values():
        if isinstance(bound, bool) or not isinstance(bound, _TYPES[known["data_type"]]):
            raise invalid(filters=f"{bound!r} is no {known['data_type']}.")
        if known["data_type"] == "date":
            _check_date(bound)
        if not known["min"] <= bound <= known["max"]:
            raise invalid(filters=f"{key} is from {known['min']} to {known['max']}.")


def _check_date(text: str) -> None:
    try:
        date.fromisoformat(text)
    except ValueError:
        raise invalid(filters=f"{text!r} is no date.") from None


def count(world: World, body: Row) -> int:
    """How many people pass every one of the filters."""
    if unknown := body.keys() - {"filters", "workspace_id", "organisation_id"}:
        raise Refusal(400, f"Unknown: {', '.join(sorted(unknown))}.")
    filters = checked(world, body.get("filters"))
    n_people = sum(groups.passes(world, filters, key) for key in world.state["participants"])
    return n_people if n_people >= LEAST_COUNTED else 0
