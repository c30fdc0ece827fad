"""The table of Prolific's documentation itself: it refuses what is not in it."""

from typing import Any

import pytest

from tests.crowds.platforms.prolific_documentation import OPERATIONS, undocumented
from tests.simulators.prolific import api


def call(method: str, path: str, body: Any = None, **query: str) -> dict[str, Any]:
    return {"method": method, "path": f"/api/v1{path}", "body": body, "query": query}


def test_a_documented_call_has_no_problem() -> None:
    body = {"action": "REJECT", "message": "…", "rejection_category": "NO_DATA"}

    assert undocumented(call("POST", "/submissions/1/transition/", body)) == []
    assert undocumented(call("GET", "/studies/", page="2", page_size="100")) == []


@pytest.mark.parametrize(
    ("method", "path", "body", "problem"),
    [
        ("POST", "/studies/1/pause/", {}, "no such call"),
        ("POST", "/submissions/1/transition/", {}, "no action"),
        ("POST", "/submissions/1/transition/", {"action": "UNREJECT"}, "action 'UNREJECT'"),
        (
            *("POST", "/submissions/1/transition/"),
            {"action": "REJECT", "rejection_category": "LAZY"},
            "rejection_category 'LAZY'",
        ),
        ("POST", "/participant-groups/", {"name": "g", "project_id": "p"}, "no workspace_id"),
        ("POST", "/messages/", {"recipient_id": "p", "body": "x", "to": "y"}, "field to"),
    ],
)
def test_what_is_not_documented_is_named(
    method: str, path: str, body: dict[str, Any], problem: str
) -> None:
    assert any(problem in each for each in undocumented(call(method, path, body)))


def test_the_simulator_answers_every_documented_call() -> None:
    for each in OPERATIONS:
        assert each.path == api.JWKS or api.ROUTES.has(each.method, each.path), each.path
