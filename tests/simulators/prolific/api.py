"""The researcher's interface: `/api/v1` and the published keys."""

import hmac
from typing import Any

from tests.simulators.prolific import (
    audience,
    bonuses,
    groups,
    hooks,
    messages,
    money,
    rules,
    studies,
    submissions,
    tokens,
)
from tests.simulators.prolific.errors import Refusal, invalid, missing
from tests.simulators.prolific.wire import Answer, Request, Routes, page_of
from tests.simulators.prolific.world import Row, World, iso

ROUTES = Routes("/api/v1")
JWKS = "/.well-known/study/jwks.json"


def answer(world: World, request: Request) -> Answer:
    if request.path.rstrip("/") == JWKS:
        return Answer(body=tokens.jwks(world))
    if not authorised(world, request):
        raise Refusal(401, "Authentication credentials were not provided or are not valid.")
    return ROUTES.answer(world, request)


def authorised(world: World, request: Request) -> bool:
    kind, _, given = request.headers.get("authorization", "").partition(" ")
    return kind == "Token" and hmac.compare_digest(
        given.strip().encode(), world.config["token"].encode()
    )


@ROUTES.on("GET", "/users/me/")
def me(world: World, request: Request) -> Answer:
    return Answer(
        body={
            "id": messages.researcher(world),
            "name": "Simulated Researcher",
            "email": "researcher@simulator.example",
            "user_type": "researcher",
            "currency_code": world.config["currency"],
            "balance": world.state["wallet"]["balance"],
            "available_balance": studies.available(world),
            "workspace_id": tokens.workspace(world),
        }
    )


@ROUTES.on("GET", "/workspaces/")
def workspaces(world: World, request: Request) -> Answer:
    key = tokens.workspace(world)
    return Answer(body={"results": [{"id": key, "title": "Simulated"}], "meta": {"count": 1}})


@ROUTES.on("GET", "/workspaces/<key>/balance/")
def balance(world: World, request: Request, key: str) -> Answer:
    if key != tokens.workspace(world):
        raise missing("Workspace", key)
    return Answer(
        body={
            "currency_code": world.config["currency"],
            "total_balance": world.state["wallet"]["balance"],
            "available_balance": studies.available(world),
        }
    )


# Studies


@ROUTES.on("GET", "/studies/")
def study_list(world: World, request: Request) -> Answer:
    state = request.asked("state").upper()
    rows = [
        studies.shown(world, study)
        for study in world.state["studies"].values()
        if state in ("", study["status"])
    ]
    return page_of(world, request, rows)


@ROUTES.on("POST", "/studies/")
def study_create(world: World, request: Request) -> Answer:
    return Answer(201, studies.shown(world, studies.create(world, request.json())))


@ROUTES.on("GET", "/studies/<key>/")
def study_get(world: World, request: Request, key: str) -> Answer:
    return Answer(body=studies.shown(world, studies.find(world, key)))


@ROUTES.on("PATCH", "/studies/<key>/")
def study_change(world: World, request: Request, key: str) -> Answer:
    study = studies.change(world, studies.find(world, key), request.json())
    return Answer(body=studies.shown(world, study))


@ROUTES.on("DELETE", "/studies/<key>/")
def study_delete(world: World, request: Request, key: str) -> Answer:
    if studies.find(world, key)["status"] != rules.UNPUBLISHED:
        raise Refusal(400, "Only an UNPUBLISHED study can be deleted.")
    del world.state["studies"][key]
    return Answer(204)


@ROUTES.on("POST", "/studies/<key>/transition/")
def study_transition(world: World, request: Request, key: str) -> Answer:
    study = studies.transition(world, studies.find(world, key), request.json().get("action"))
    return Answer(body=studies.shown(world, study))


@ROUTES.on("GET", "/studies/<key>/submissions/")
def study_submissions(world: World, request: Request, key: str) -> Answer:
    rows = studies.submissions_of(world, studies.find(world, key))
    return page_of(world, request, [submissions.listed(world, row) for row in rows])


@ROUTES.on("GET", "/studies/<key>/cost/")
def study_cost(world: World, request: Request, key: str) -> Answer:
    study = studies.find(world, key)
    if request.asked("is_projected").lower() in ("1", "true", "yes", "t"):
        each, n = studies.unit(world, study), study["total_available_places"]
        rewards = (each.amount * n, each.fee * n, each.vat * n)
        return Answer(body={"rewards": _cost(world, *rewards), "bonuses": _cost(world, 0, 0, 0)})
    lines = [line for line in world.state["ledger"] if line.get("study") == key]

    def spent(*kinds: str) -> int:
        return -sum(line["amount"] for line in lines if line["kind"] in kinds)

    return Answer(
        body={
            "rewards": _cost(
                world,
                spent("reward", "screen_out"),
                spent("reward_fee", "screen_out_fee"),
                spent("reward_vat", "screen_out_vat"),
            ),
            "bonuses": _cost(world, spent("bonus"), spent("bonus_fee"), spent("bonus_vat")),
        }
    )


def _cost(world: World, amount: int, fee: int, vat: int) -> Row:
    def in_currency(cents: int) -> Row:
        return {"amount": cents, "currency": world.config["currency"]}

    return {
        "net": in_currency(amount),
        "fees": in_currency(fee),
        "tax": in_currency(vat),
        "total": in_currency(amount + fee + vat),
    }


@ROUTES.on("POST", "/study-cost-calculator/")
def calculator(world: World, request: Request) -> Answer:
    body = request.json()
    for name in ("reward", "total_available_places"):
        value = body.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise invalid(**{name: "A positive whole number is required."})
    each = money.reward(body["reward"], world.config)
    return Answer(body={"total_cost": each.total * body["total_available_places"]})


@ROUTES.on("GET", "/filters/")
def filter_list(world: World, request: Request) -> Answer:
    if (given := request.asked("workspace_id")) not in ("", tokens.workspace(world)):
        raise missing("Workspace", given)
    return Answer(body={"results": audience.catalogue(world), "meta": {}})


@ROUTES.on("POST", "/eligibility-count/")
def eligible(world: World, request: Request) -> Answer:
    return Answer(body={"count": audience.count(world, request.json())})


@ROUTES.on("POST", "/studies/<key>/test-study")
def try_study(world: World, request: Request, key: str) -> Answer:
    """A copy that only test participants see and nobody pays for."""
    study = studies.find(world, key)
    if study["status"] != rules.UNPUBLISHED:
        raise Refusal(400, "Only an UNPUBLISHED study can be tested.")
    if not any(each["is_test"] for each in world.state["participants"].values()):
        raise Refusal(400, "Create a test participant first.")
    copy = studies.create(world, study["given"])
    copy["is_test"] = True
    try:
        studies.transition(world, copy, "PUBLISH")
    except Refusal:
        del world.state["studies"][copy["id"]]
        raise
    return Answer(201, {"study_id": copy["id"], "study_url": f"{world.site}/studies/{copy['id']}"})


@ROUTES.on("POST", "/researchers/participants/")
def participant_create(world: World, request: Request) -> Answer:
    email = request.json().get("email")
    if not isinstance(email, str) or "@" not in email:
        raise invalid(email="Enter a valid email address.")
    key = world.new_id("participant")
    groups.participant(world, key)["is_test"] = True
    return Answer(201, {"participant_id": key})


@ROUTES.on("POST", "/studies/<key>/screen-out-submissions/")
def screen_out(world: World, request: Request, key: str) -> Answer:
    submissions.screen_out_many(world, studies.find(world, key), request.json())
    return Answer(202, {"message": "The submissions are being screened out."})


# Submissions


@ROUTES.on("GET", "/submissions/")
def submission_list(world: World, request: Request) -> Answer:
    if not request.asked("study"):
        raise invalid(study="This query parameter is required.")
    rows = studies.submissions_of(world, studies.find(world, request.asked("study")))
    wanted = request.asked("status").upper().replace("_", " ").replace("-", " ")
    kept = [row for row in rows if wanted in ("", row["status"].replace("-", " "))]
    return page_of(world, request, [submissions.listed(world, row) for row in kept])


@ROUTES.on("POST", "/submissions/bulk-approve/")
def bulk_approve(world: World, request: Request) -> Answer:
    submissions.bulk_approve(world, request.json())
    return Answer(200, "The request to bulk approve has been made successfully.")


@ROUTES.on("POST", "/submissions/bonus-payments/")
def bonus_create(world: World, request: Request) -> Answer:
    return Answer(201, bonuses.shown(bonuses.create(world, request.json())))


@ROUTES.on("POST", "/bulk-bonus-payments/<key>/pay/")
def bonus_pay(world: World, request: Request, key: str) -> Answer:
    bonuses.pay(world, key)
    return Answer(202, "The bonuses will be paid in the next minutes.")


@ROUTES.on("GET", "/submissions/<key>/")
def submission_get(world: World, request: Request, key: str) -> Answer:
    return Answer(body=submissions.detailed(world, submissions.find(world, key)))


@ROUTES.on("POST", "/submissions/<key>/transition/")
def submission_transition(world: World, request: Request, key: str) -> Answer:
    row = submissions.transition(world, submissions.find(world, key), request.json())
    return Answer(body=submissions.detailed(world, row))


@ROUTES.on("POST", "/submissions/<key>/request-return/")
def request_return(world: World, request: Request, key: str) -> Answer:
    row = submissions.request_return(world, submissions.find(world, key), request.json())
    return Answer(
        body={
            "id": row["id"],
            "status": row["status"],
            "participant": row["participant_id"],
            "return_requested": iso(row["return_requested"]),
        }
    )


# Groups and messages


@ROUTES.on("GET", "/participant-groups/")
def group_list(world: World, request: Request) -> Answer:
    found = [groups.shown(group) for group in world.state["groups"].values()]
    return page_of(world, request, [group for group in found if not group["is_deleted"]])


@ROUTES.on("POST", "/participant-groups/")
def group_create(world: World, request: Request) -> Answer:
    return Answer(201, groups.shown(groups.create(world, request.json())))


@ROUTES.on("GET", "/participant-groups/<key>/")
def group_get(world: World, request: Request, key: str) -> Answer:
    return Answer(body=groups.shown(groups.find(world, key)))


@ROUTES.on("PATCH", "/participant-groups/<key>/")
def group_change(world: World, request: Request, key: str) -> Answer:
    return Answer(body=groups.shown(groups.change(groups.find(world, key), request.json())))


@ROUTES.on("DELETE", "/participant-groups/<key>/")
def group_delete(world: World, request: Request, key: str) -> Answer:
    groups.find(world, key)["is_deleted"] = True
    return Answer(204)


@ROUTES.on("GET", "/participant-groups/<key>/participants/")
def group_members(world: World, request: Request, key: str) -> Answer:
    return Answer(body=groups.members(groups.find(world, key)))


@ROUTES.on("POST", "/participant-groups/<key>/participants/")
def group_add(world: World, request: Request, key: str) -> Answer:
    groups.add(world, key, groups.members_of_body(world, request.json()))
    return Answer(body=groups.members(groups.find(world, key)))


@ROUTES.on("DELETE", "/participant-groups/<key>/participants/")
def group_remove(world: World, request: Request, key: str) -> Answer:
    groups.remove(world, key, groups.members_of_body(world, request.json()))
    return Answer(body=groups.members(groups.find(world, key)))


@ROUTES.on("GET", "/messages/")
def message_list(world: World, request: Request) -> Answer:
    return messages.listed(world, request)


@ROUTES.on("GET", "/messages/unread/")
def message_unread(world: World, request: Request) -> Answer:
    return messages.unread(world, request)


@ROUTES.on("POST", "/messages/")
def message_send(world: World, request: Request) -> Answer:
    return messages.send(world, request)


# Webhooks


@ROUTES.on("GET", "/hooks/event-types/")
def event_types(world: World, request: Request) -> Answer:
    kinds = rules.EVENT_TYPES.items()
    return Answer(
        body={"results": [{"event_type": name, "description": text} for name, text in kinds]}
    )


@ROUTES.on("GET", "/hooks/secrets/")
def secret_list(world: World, request: Request) -> Answer:
    return Answer(body={"results": list(world.state["secrets"].values())})


@ROUTES.on("POST", "/hooks/secrets/")
def secret_create(world: World, request: Request) -> Answer:
    return Answer(201, hooks.new_secret(world, request.json()))


@ROUTES.on("GET", "/hooks/subscriptions/")
def subscription_list(world: World, request: Request) -> Answer:
    wanted: Any = request.asked("is_enabled", "true").lower() in ("1", "true")
    found = world.state["subscriptions"].values()
    rows = [hooks.shown(each) for each in found if each["is_enabled"] == wanted]
    return page_of(world, request, rows)


@ROUTES.on("POST", "/hooks/subscriptions/")
def subscription_create(world: World, request: Request) -> Answer:
    found = hooks.subscribe(world, request.json())
    body = hooks.shown(found)
    if world.config["subscription_in_list"]:
        body = {"results": [body]}
    return Answer(201, body, {"X-Hook-Secret": found["hook_secret"]})


@ROUTES.on("GET", "/hooks/subscriptions/<key>/")
def subscription_get(world: World, request: Request, key: str) -> Answer:
    return Answer(body=hooks.shown(hooks.find(world, key)))


@ROUTES.on("POST", "/hooks/subscriptions/<key>/")
def subscription_confirm(world: World, request: Request, key: str) -> Answer:
    return Answer(body=hooks.shown(hooks.confirm(hooks.find(world, key), request.json())))


@ROUTES.on("PATCH", "/hooks/subscriptions/<key>/")
def subscription_change(world: World, request: Request, key: str) -> Answer:
    return Answer(body=hooks.shown(hooks.change(hooks.find(world, key), request.json())))


@ROUTES.on("DELETE", "/hooks/subscriptions/<key>/")
def subscription_delete(world: World, request: Request, key: str) -> Answer:
    hooks.find(world, key)
    del world.state["subscriptions"][key]
    return Answer(204)


@ROUTES.on("GET", "/hooks/subscriptions/<key>/events/")
def subscription_events(world: World, request: Request, key: str) -> Answer:
    hooks.find(world, key)
    found = (event for event in world.state["events"] if event["subscription"] == key)
    return page_of(world, request, [hooks.event_shown(event) for event in found])
