"""What is public of Connect's API: neither the adapter nor the simulator goes beyond it."""

import re
from pathlib import Path
from typing import Any

import pytest
import requests

from annotation.crowds.platforms import assumptions
from annotation.crowds.platforms.connect import assignments
from tests.crowds.platforms.connect_documentation import (
    ANSWERS,
    ASSIGNMENT_STATES,
    DOCUMENTATION,
    HEADERS,
    PARAMETERS,
    PARTS,
    WORDS,
    beyond,
)
from tests.crowds.platforms.connect_lab import ConnectLab, make_listing
from tests.simulators.connect import api


def call(method: str, path: str, body: Any = None, **query: str) -> dict[str, Any]:
    return {"method": method, "path": f"/api/v1{path}", "body": body, "query": query}


@pytest.mark.parametrize(
    ("method", "path", "body", "problem"),
    [
        ("POST", "/project/1/publish", {}, "no such call"),
        ("POST", "/project/1/update-status", {"status": "Published"}, "status 'Published'"),
        ("POST", "/project", {"name": "x", "reward": 1}, "field reward"),
        ("POST", "/project", {"name": "x"}, "no payment"),
        ("POST", "/assignments/1/approve", {"participants": [{"who": "x"}]}, "item who"),
        ("POST", "/assignments/1/bonus", {"bonusPayments": []}, "field bonusPayments"),
    ],
)
def test_what_is_not_public_is_named(
    method: str, path: str, body: dict[str, Any], problem: str
) -> None:
    problems = DOCUMENTATION.undocumented(call(method, path, body))

    assert any(problem in each for each in problems)


def test_the_simulator_answers_every_call_and_no_other() -> None:
    for each in ANSWERS:
        assert api.ROUTES.has(each.method, each.path), each.path
    assert len(api.ROUTES) == len(ANSWERS)


def test_the_simulator_says_nothing_beyond_the_sources(connect: ConnectLab) -> None:
    listing = make_listing()
    project = connect.publish(listing)
    connect.visit(listing)
    paths = {"/project": "", f"/project/{project}": "{id}", f"/assignments/{project}": "{id}"}

    for path, name in {**paths, "/account": ""}.items():
        with requests.get(
            connect.sim.api + path, headers={"X-API-KEY": connect.sim.token}, timeout=5
        ) as answer:
            documented = "/api/v1" + (path.replace(project, name) if name else path)
            [fields] = [
                known
                for each, known in ANSWERS.items()
                if (each.method, each.path) == ("GET", documented)
            ]
            assert answer.status_code == 200
            assert beyond(answer.json(), fields) == []


def test_every_word_of_the_adapter_stands_in_the_table() -> None:
    """Names in mixed case are the platform's: those of ours have underscores."""
    folder = Path(assignments.__file__).parent
    text = "".join(path.read_text() for path in sorted(folder.glob("*.py")))
    words = set(re.findall(r'"([a-z]+(?:[A-Z][a-z]+)+|[A-Z][a-z]+)"', text))

    known = {*ASSIGNMENT_STATES, *PARAMETERS, *(word for some in WORDS.values() for word in some)}
    for operation, answer in ANSWERS.items():
        known |= operation.needs | operation.may | operation.query | operation.items
        known |= set(_names(answer))
    known |= {name for names in PARTS.values() for name in names}

    assert words - known - {"Connect", "Installation", "Places"} == set()
    assert set(assumptions.CONNECT_STATES) == WORDS["status"]
    assert set(assumptions.CONNECT_PARAMETERS) == set(PARAMETERS)
    assert set(assignments.STATES) == ASSIGNMENT_STATES


def test_the_headers_are_the_documented_ones(connect: ConnectLab) -> None:
    client = connect.platform
    listing = make_listing()
    connect.publish(listing)

    assert client.environments()[-1].missing == ()
    assert {"x-api-key", "idempotency-token"} == set(HEADERS)
    [created] = [row for row in connect.calls("/project") if row["path"] == "/api/v1/project"]
    assert created["authorised"]


def _names(answer: Any) -> list[str]:
    return [
        each
        for name, inner in answer.items()
        for each in (name, *(_names(inner) if isinstance(inner, dict) else ()))
    ]
