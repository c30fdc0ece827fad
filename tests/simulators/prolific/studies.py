"""Studies: what a draft must say, what may change when, and who may take part."""

from statistics import median
from typing import Any

from tests.simulators.prolific import money, rules
from tests.simulators.prolific.drafts import CHANGEABLE, checked
from tests.simulators.prolific.errors import Refusal, invalid, missing
from tests.simulators.prolific.world import Row, World, iso


def find(world: World, key: str) -> Row:
    try:
        return world.state["studies"][str(key)]
    except KeyError:
        raise missing("Study", key) from None


def create(world: World, body: Row) -> Row:
    study = {
        **checked(world, body),
        "id": world.new_id("study"),
        "status": rules.UNPUBLISHED,
        "date_created": world.now(),
        "published_at": None,
        "publish_due": None,
        "stopped": False,
        "held": 0,
        "places_seen": 0,
        "is_test": False,
        "slots_used": {},
        "warned_of_returns": False,
    }
    world.state["studies"][study["id"]] = study
    return study


def change(world: World, study: Row, body: Row) -> Row:
    if study["status"] == rules.UNPUBLISHED:
        study.update(checked(world, {**study["given"], **body}))
        return study
    for name in body:
        if name not in CHANGEABLE:
            raise invalid(**{name: "This can only be changed while the study is UNPUBLISHED."})
    new = checked(world, {**study["given"], **body})
    if new["total_available_places"] < study["total_available_places"]:
        raise invalid(total_available_places="The number of places can only be increased.")
    if new["total_available_places"] == study["total_available_places"]:
        study.update(new)
        return study
    status = study["status"]
    if status in (rules.STUDY_AWAITING_REVIEW, rules.STUDY_COMPLETED):
        # With more places even a study that was stopped or completed is offered again.
        status = rules.STUDY_ACTIVE
    wanted = {**study, **new, "status": status, "stopped": False}
    if liability(world, wanted) - study["held"] > available(world):
        raise no_money()
    study.update(new, stopped=False)
    set_status(world, study, status)
    return study


def transition(world: World, study: Row, action: Any) -> Row:
    status = study["status"]
    allowed = {
        "PUBLISH": (rules.UNPUBLISHED,),
        "PAUSE": (rules.STUDY_ACTIVE,),
        "START": (rules.PAUSED,),
        "STOP": (rules.STUDY_ACTIVE, rules.PAUSED, rules.STUDY_AWAITING_REVIEW),
    }
    if not isinstance(action, str) or action not in allowed:
        raise invalid(action=f"{action!r} is not one of {', '.join(allowed)}.")
    if status not in allowed[action]:
        raise Refusal(400, f"A study that is {status} can not take the action {action}.")
    if action == "PUBLISH":
        _publish(world, study)
    elif action == "PAUSE":
        set_status(world, study, rules.PAUSED)
    elif action == "START":
        set_status(world, study, rules.STUDY_ACTIVE)
    else:
        study["stopped"] = True
        set_status(world, study, rules.STUDY_AWAITING_REVIEW)
    return study


def _publish(world: World, study: Row) -> None:
    hourly = study["reward"] * 60 / study["estimated_completion_time"]
    if hourly < world.config["lowest_hourly"]:
        raise invalid(reward="The reward is below the minimum hourly rate.")
    if not study["is_test"] and liability(world, study, published=True) > available(world):
        raise no_money()
    study["published_at"] = world.now()
    if delay := world.config["publish_delay_s"]:
        study["publish_due"] = world.now() + delay
        set_status(world, study, rules.PUBLISHING)
    else:
        set_status(world, study, rules.STUDY_ACTIVE)


def set_status(world: World, study: Row, status: str) -> None:
    if study["status"] != status:
        study["status"] = status
        emit(world, "study.status.change", study["id"], status=status, metadata={})


def emit(world: World, kind: str, resource: str, **more: Any) -> None:
    """Note an event for every subscription that wants it; `hooks.py` sends it."""
    for subscription in world.state["subscriptions"].values():
        wanted = subscription["event_type"] == kind
        if wanted and subscription["is_enabled"] and subscription["confirmed"]:
            world.state["events"].append(
                {
                    "id": world.new_id("event"),
                    "subscription": subscription["id"],
                    "payload": {"resource_id": resource, "event_type": kind, **more},
                    "at": world.now(),
                    "next_at": world.now(),
                    "attempts": [],
                    "copies": world.config["hooks_duplicate"],
                    "status": "PENDING",
                }
            )


# Places and money


def submissions_of(world: World, study: Row) -> list[Row]:
    return [row for row in world.state["submissions"].values() if row["study_id"] == study["id"]]


def places_taken(world: World, study: Row) -> int:
    return sum(row["holds_place"] for row in submissions_of(world, study))


def unit(world: World, study: Row) -> money.Charge:
    return money.reward(study["reward"], world.config)


def screen_out_action(code: Row) -> Row | None:
    return next((a for a in code["actions"] if a["action"] == "FIXED_SCREEN_OUT_PAYMENT"), None)


def liability(world: World, study: Row, *, published: bool = False) -> int:
    """What may still have to be paid for the study, in cents."""
    status = rules.STUDY_ACTIVE if published else study["status"]
    if status in (rules.UNPUBLISHED, rules.STUDY_COMPLETED) or study["is_test"]:
        return 0
    rows = submissions_of(world, study)
    open_now = sum(row["status"] in rules.UNPAID_PLACE for row in rows)
    if study["stopped"]:
        return open_now * unit(world, study).total
    free = max(0, study["total_available_places"] - places_taken(world, study))
    slots = 0
    for code in study["completion_codes"]:
        if action := screen_out_action(code):
            left = action["slots"] - study["slots_used"].get(code["code"], 0)
            each = money.reward(action["fixed_screen_out_reward"], world.config)
            slots += max(0, left) * each.total
    return (free + open_now) * unit(world, study).total + slots


def available(world: World) -> int:
    held = sum(study["held"] for study in world.state["studies"].values())
    waiting = sum(row["total"] for row in world.state["payments"] if row["status"] == "WAITING")
    return world.state["wallet"]["balance"] - held - waiting


def no_money() -> Refusal:
    return Refusal(400, "There is not enough money in the wallet.", title="Insufficient funds")


def settle(world: World) -> None:
    """Bring the status of each study and the money held for it up to date."""
    for study in world.state["studies"].values():
        if study["status"] in (rules.UNPUBLISHED, rules.PUBLISHING) and not study["held"]:
            _hold(world, study)
            continue
        rows = submissions_of(world, study)
        taken = places_taken(world, study)
        if taken != study["places_seen"]:
            study["places_seen"] = taken
            emit(world, "study.progress.change", study["id"])
        full = taken >= study["total_available_places"]
        busy = any(row["status"] in rules.AT_WORK for row in rows)
        waiting = any(row["status"] == rules.AWAITING_REVIEW for row in rows)
        if study["status"] in (rules.STUDY_ACTIVE, rules.PAUSED) and full and not busy:
            set_status(world, study, rules.STUDY_AWAITING_REVIEW)
        if study["status"] == rules.STUDY_AWAITING_REVIEW:
            if not full and not study["stopped"]:
                set_status(world, study, rules.STUDY_ACTIVE)
            elif not busy and not waiting:
                set_status(world, study, rules.STUDY_COMPLETED)
        _hold(world, study)


def _hold(world: World, study: Row) -> None:
    amount = liability(world, study)
    if (more := amount - study["held"]) != 0:
        study["held"] = amount
        world.book("hold" if more > 0 else "release", abs(more), study=study["id"])


# What is shown


def shown(world: World, study: Row) -> Row:
    rows = submissions_of(world, study)
    times = [
        row["completed_at"] - row["started_at"]
        for row in rows
        if row["completed_at"] and row["started_at"]
    ]
    typical = median(times) / 60 if times else None
    hourly = round(study["reward"] * 60 / max(typical, 0.1)) if typical is not None else None
    own = {name: value for name, value in study["given"].items() if name in study}
    if not world.config["keeps_internal_names"]:
        own["internal_name"] = study["name"]
    return {
        **own,
        **{name: study[name] for name in ("id", "status", "maximum_allowed_time")},
        "completion_codes": study["completion_codes"],
        "filters": study["filters"],
        "submissions_config": study["submissions_config"],
        "total_available_places": study["total_available_places"],
        "is_external_study_url_secure": study["is_external_study_url_secure"],
        "date_created": iso(study["date_created"]),
        "published_at": iso(study["published_at"]),
        "places_taken": places_taken(world, study),
        "number_of_submissions": len(rows),
        "total_cost": unit(world, study).total * study["total_available_places"],
        "estimated_reward_per_hour": round(
            study["reward"] * 60 / study["estimated_completion_time"]
        ),
        "average_time_taken": None if typical is None else round(typical * 60),
        "average_reward_per_hour": hourly,
        "is_underpaying": None if hourly is None else hourly < world.config["lowest_hourly"],
        "presentment_currency_code": world.config["currency"],
        "study_type": "SINGLE",
        "is_test_study": study["is_test"],
    }
