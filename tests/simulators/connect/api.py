"""The researcher's interface, `/api/v1`."""

import hmac
from typing import Any

from tests.simulators.connect import world as connect
from tests.simulators.connect.world import cents_of, project_of
from tests.simulators.prolific.errors import Refusal
from tests.simulators.prolific.wire import Answer, Request, Routes
from tests.simulators.prolific.world import Row, World, iso

ROUTES = Routes("/api/v1")
_NEEDED = {"name", "payment", "estimatedTimeInMinutes", "participants"}
_OPTIONAL = {
    *("projectUrl", "summary", "instructions", "internalName", "systemRequirements"),
    *("hasSensitiveContent", "deviceRequirements", "completionSettings", "maxTimeInMinutes"),
    *("demographicTargeting", "platformTargeting", "taskTemplate"),
}
_COMPLETIONS = ("RedirectUrl", "CompletionCode", "Template")
_LEAST_HOURLY = 750  # cents


def answer(world: World, request: Request) -> Answer:
    if not authorised(world, request):
        raise Refusal(401, "Invalid API key.")
    _use_token(world, request)
    return ROUTES.answer(world, request)


def authorised(world: World, request: Request) -> bool:
    given = request.headers.get("x-api-key", "")
    return hmac.compare_digest(given.encode(), world.config["token"].encode())


def _use_token(world: World, request: Request) -> None:
    """A second request with the same token fails, even if the first one did."""
    token = request.headers.get("idempotency-token")
    if token is None or request.method == "GET":
        return
    tokens = world.state["tokens"]
    if token in tokens and world.now() - tokens[token] < world.config["tokens_live_s"]:
        raise Refusal(400, "This idempotency token was used before.")
    tokens[token] = world.now()


@ROUTES.on("GET", "/account")
def account(world: World, request: Request) -> Answer:
    return Answer(body={"accountBalance": connect.available(world) / 100})


@ROUTES.on("POST", "/demographics/feasibility")
def feasibility(world: World, request: Request) -> Answer:
    body = request.json()
    _check_money({"name": "x", **body})
    total = connect.cost(world, body) / 100
    return Answer(body={"totalProjectCost": total, "availablePlatforms": ["Connect"]})


# Projects


@ROUTES.on("POST", "/project")
def create(world: World, request: Request) -> Answer:
    body = request.json()
    _check(body)
    key = world.new_id("project")
    project = {
        "maxTimeInMinutes": None,
        "hasSensitiveContent": False,
        "platformTargeting": None,
        **body,
        **world.config["changes"],
        "projectId": key,
        "createdAt": iso(world.now()),
        "status": connect.UNPUBLISHED,
    }
    world.state["projects"][key] = project
    return Answer(body={"project": _shown(world, project)})


@ROUTES.on("GET", "/project")
def listed(world: World, request: Request) -> Answer:
    status, size = request.asked("Status"), int(request.asked("Size", "10"))
    if status not in ("", *connect.STATES) or not 1 <= size <= 100:
        raise Refusal(400, "Bad request.")
    rows = [
        _shown(world, project)
        for project in reversed(world.state["projects"].values())
        if status in ("", project["status"])
    ]
    start = int(request.asked("NextToken", "0"))
    more = str(start + size) if start + size < len(rows) else None
    return Answer(body={"projects": rows[start : start + size], "nextToken": more})


@ROUTES.on("GET", "/project/<key>")
def one(world: World, request: Request, key: str) -> Answer:
    return Answer(body={"project": _shown(world, project_of(world, key))})


@ROUTES.on("POST", "/project/<key>/update-status")
def update(world: World, request: Request, key: str) -> Answer:
    connect.move(world, project_of(world, key), request.json().get("status"))
    return Answer(204)


def _shown(world: World, project: Row) -> Row:
    """Its state is not in it."""
    fields = {name: value for name, value in project.items() if name != "status"}
    return {**fields, "totalCost": connect.cost(world, project) / 100}


def _check(body: Row) -> None:
    if missing := _NEEDED - body.keys():
        raise Refusal(400, f"Required: {', '.join(sorted(missing))}.")
    if unknown := body.keys() - _NEEDED - _OPTIONAL:
        raise Refusal(400, f"Unknown: {', '.join(sorted(unknown))}.")
    if len(body["name"]) > 500 or len(body.get("summary") or "") > 5000:
        raise Refusal(400, "The text is too long.")
    completion = body.get("completionSettings") or {}
    if completion.get("projectCompletionType") not in _COMPLETIONS:
        raise Refusal(400, "Choose how participants complete the project.")
    _check_money(body)
    longest = body.get("maxTimeInMinutes")
    if longest is not None and longest <= body["estimatedTimeInMinutes"]:
        raise Refusal(400, "The maximum time must be greater than the estimated time.")


def _check_money(body: Row) -> None:
    if body["participants"] < 1 or body["estimatedTimeInMinutes"] < 2:
        raise Refusal(400, "At least 1 participant and 2 minutes.")
    if cents_of(body["payment"]) * 60 < _LEAST_HOURLY * body["estimatedTimeInMinutes"]:
        raise Refusal(400, "The payment is below the minimum of $7.50 an hour.")


# Assignments


@ROUTES.on("GET", "/assignments/<key>")
def assignments(world: World, request: Request, key: str) -> Answer:
    rows = [
        row
        for row in connect.assignments_of(world, project_of(world, key))
        if row["completed_at"] is not None or world.config["lists_unfinished"]
    ]
    return Answer(body={"assignments": [_assignment(world, row) for row in rows]})


def _assignment(world: World, row: Row) -> Row:
    return {
        "participantId": row["person"],
        "assignmentId": row["id"],
        "startTime": iso(row["begun_at"]),
        "completionTime": iso(row["completed_at"]),
        "status": row["status"],
        "payment": project_of(world, row["project"])["payment"],
        "bonus": connect.shown_bonus(world, row) / 100,
        "completion": {"completionCode": row["code"], "submissionType": "CompletionCode"},
    }


@ROUTES.on("POST", "/assignments/<key>/approve")
def approve(world: World, request: Request, key: str) -> Answer:
    return _decided(world, request, key, connect.APPROVED)


@ROUTES.on("POST", "/assignments/<key>/reject")
def reject(world: World, request: Request, key: str) -> Answer:
    if not all(each.get("message") for each in request.json().get("participants") or ()):
        raise Refusal(400, "Every rejected assignment needs a message.")
    return _decided(world, request, key, connect.REJECTED)


def _decided(world: World, request: Request, key: str, status: str) -> Answer:
    rows = [_of_project(world, key, each) for each in _items(request, "participants")]
    for row in rows:
        connect.decide(world, row, status)
    return Answer(204)


@ROUTES.on("POST", "/assignments/<key>/bonus")
def bonus(world: World, request: Request, key: str) -> Answer:
    items = _items(request, "bonusPayment")
    rows = [_of_project(world, key, each) for each in items]
    sums = [cents_of(each.get("amount", 0)) for each in items]
    if min(sums) <= 0:
        raise Refusal(400, "The amount must be above 0.")
    total = sum(connect.charge(world, cents, is_bonus=True) for cents in sums)
    if total > connect.available(world):
        raise Refusal(400, "Insufficient funds.")
    for row, cents in zip(rows, sums, strict=True):
        connect.pay(world, row, cents, token=request.headers.get("idempotency-token", ""))
    return Answer(204)


def _items(request: Request, name: str) -> list[dict[str, Any]]:
    items = request.json().get(name)
    if not isinstance(items, list) or not items:
        raise Refusal(400, f"{name} must not be empty.")
    return items


def _of_project(world: World, key: str, item: Row) -> Row:
    """By its own id, or by that of its participant."""
    for row in connect.assignments_of(world, project_of(world, key)):
        if item.get("id") in (row["id"], row["person"]):
            return row
    raise Refusal(400, f"{item.get('id')} has no assignment in this project.")
