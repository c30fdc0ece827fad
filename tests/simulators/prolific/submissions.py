"""Submissions: from the place taken to the money paid."""

from typing import Any

from tests.simulators.prolific import groups, messages, money, rules, studies
from tests.simulators.prolific.errors import Refusal, invalid, missing
from tests.simulators.prolific.world import Row, World, iso


def find(world: World, key: str) -> Row:
    try:
        return world.state["submissions"][str(key)]
    except KeyError:
        raise missing("Submission", key) from None


def set_status(world: World, row: Row, status: str) -> None:
    row["status"] = status
    row["holds_place"] = status in (*rules.UNPAID_PLACE, *rules.PAID_PLACE) or (
        status == rules.SCREENED_OUT and row["keeps_place"]
    )
    row["history"].append([iso(world.now()), status])
    studies.emit(
        world,
        "submission.status.change",
        row["id"],
        participant_id=row["participant_id"],
        status=status,
    )


# What the participant does


def why_not(world: World, study: Row, participant: str) -> str | None:
    """Why the study is not offered to this participant, None if it is."""
    if study["status"] != rules.STUDY_ACTIVE:
        return "The study is not open."
    if not groups.is_eligible(world, study, participant):
        return "You are not eligible for this study."
    mine = [r for r in studies.submissions_of(world, study) if r["participant_id"] == participant]
    if any(row["status"] in (rules.RESERVED, rules.ACTIVE) for row in mine):
        return "You are already taking part."
    config = study["submissions_config"]
    counted = [row for row in mine if row["started_at"] is not None]
    limit = config["max_submissions_per_participant"]
    if limit != -1 and len(counted) >= limit:
        return "You have already taken part."
    if studies.places_taken(world, study) >= study["total_available_places"]:
        return "There is no place left."
    together = config["max_concurrent_submissions"]
    at_work = sum(r["status"] in rules.AT_WORK for r in studies.submissions_of(world, study))
    if together != -1 and at_work >= together:
        return "Too many people are taking part just now."
    return None


def reserve(world: World, study: Row, participant: str) -> Row:
    if reason := why_not(world, study, participant):
        raise Refusal(403, reason)
    for row in world.state["submissions"].values():
        at_work = row["status"] in (rules.RESERVED, rules.ACTIVE)
        if row["participant_id"] == participant and at_work:
            raise Refusal(403, "Finish or return the study that you have begun first.")
    row = {
        "id": world.new_id("submission"),
        "study_id": study["id"],
        "participant_id": participant,
        "reserved_at": world.now(),
        "started_at": None,
        "completed_at": None,
        "processing_until": None,
        "returned_at": None,
        "return_requested": None,
        "entered_code": None,
        "keeps_place": False,
        "bulk_due": None,
        "paid": 0,
        "message": None,
        "rejection_category": None,
        "history": [],
        "external_url": _address(world, study),
    }
    set_status(world, row, rules.RESERVED)
    world.state["submissions"][row["id"]] = row
    return row


def _address(world: World, study: Row) -> str:
    if study["access_details"] is None:
        return study["external_study_url"]
    rows = [row for row in studies.submissions_of(world, study) if row["holds_place"]]
    for detail in study["access_details"]:
        used = sum(row["external_url"] == detail["external_url"] for row in rows)
        if used < detail["total_allocation"]:
            return detail["external_url"]
    raise Refusal(403, "There is no place left.")


def start(world: World, row: Row) -> Row:
    """Open the study; opening it again changes nothing."""
    if row["status"] == rules.RESERVED:
        row["started_at"] = world.now()
        set_status(world, row, rules.ACTIVE)
    elif row["status"] != rules.ACTIVE:
        raise Refusal(403, f"This submission is {row['status']}.")
    return row


def current(world: World, participant: str) -> Row | None:
    """The submission a completion code of this participant is for: the one begun last."""
    mine = [
        row
        for row in world.state["submissions"].values()
        if row["participant_id"] == participant and row["started_at"] is not None
    ]
    at_work = [row for row in mine if row["status"] == rules.ACTIVE]
    return max(at_work or mine, key=lambda row: row["started_at"], default=None)


def may_hand_in(world: World, row: Row) -> bool:
    """Somebody at work, or out of time while nobody else has the place."""
    if row["status"] == rules.TIMED_OUT and row["started_at"] is not None:
        study = studies.find(world, row["study_id"])
        return bool(studies.places_taken(world, study) < study["total_available_places"])
    return bool(row["status"] == rules.ACTIVE)


def enter_code(world: World, row: Row, code: str) -> Row:
    if not may_hand_in(world, row):
        raise Refusal(403, f"This submission is {row['status']}.")
    study = studies.find(world, row["study_id"])
    if study["status"] == rules.STUDY_COMPLETED:
        # There is something to review again.
        studies.set_status(world, study, rules.STUDY_AWAITING_REVIEW)
    row["entered_code"] = code
    row["completed_at"] = world.now()
    if lag := world.config["completion_lag_s"]:
        row["processing_until"] = world.now() + lag
        set_status(world, row, rules.PROCESSING)
    else:
        finish(world, row)
    return row


def give_back(world: World, row: Row) -> Row:
    if row["status"] not in (rules.RESERVED, rules.ACTIVE, rules.AWAITING_REVIEW):
        raise Refusal(403, f"This submission is {row['status']}.")
    row["returned_at"] = world.now()
    set_status(world, row, rules.RETURNED)
    study = studies.find(world, row["study_id"])
    ended = [r for r in studies.submissions_of(world, study) if r["status"] not in rules.AT_WORK]
    returned = sum(r["status"] == rules.RETURNED for r in ended)
    if len(ended) >= 10 and returned * 2 >= len(ended) and not study["warned_of_returns"]:
        study["warned_of_returns"] = True
        studies.emit(world, "study.has_high_return_rate", study["id"], metadata={})
    return row


# What a completion code brings about


def code_of(study: Row, code: str | None) -> Row | None:
    return next((each for each in study["completion_codes"] if each["code"] == code), None)


def finish(world: World, row: Row, data: Row | None = None) -> None:
    """Leave the participant's hands: whatever the code's actions say, else await review."""
    study = studies.find(world, row["study_id"])
    code = code_of(study, row["entered_code"])
    set_status(world, row, rules.AWAITING_REVIEW)
    for action in code["actions"] if code else []:
        if action["action"] == "FIXED_SCREEN_OUT_PAYMENT":
            _use_slot(world, study, row, action)
        else:
            _act(world, study, row, action, data or {})


def _act(world: World, study: Row, row: Row, action: Row, data: Row) -> None:
    name = action["action"]
    if name == "AUTOMATICALLY_APPROVE":
        approve(world, row)
    elif name == "ADD_TO_PARTICIPANT_GROUP":
        groups.add(world, action["participant_group"], [row["participant_id"]])
    elif name == "REMOVE_FROM_PARTICIPANT_GROUP":
        groups.remove(world, action["participant_group"], [row["participant_id"]])
    elif name == "REQUEST_RETURN":
        row["return_requested"] = world.now()
        messages.tell(world, row["participant_id"], action["return_reason"], study["id"])
    elif name == "DYNAMIC_PAYMENT" and "percentage_of_reward" in data:
        cents = int(study["reward"] * data["percentage_of_reward"] / 100)
        set_status(world, row, rules.PARTIALLY_APPROVED)
        charge(world, row, "reward", money.reward(cents, world.config))


def _use_slot(world: World, study: Row, row: Row, action: Row) -> None:
    """Pay for a screen-out while there are slots; the last one pauses the study."""
    code = row["entered_code"]
    used = study["slots_used"].get(code, 0)
    if used >= action["slots"]:
        return
    study["slots_used"][code] = used + 1
    screen_out(world, row, action["fixed_screen_out_reward"])
    if used + 1 == action["slots"] and study["status"] == rules.STUDY_ACTIVE:
        studies.set_status(world, study, rules.PAUSED)


def screen_out(world: World, row: Row, cents: int) -> None:
    set_status(world, row, rules.SCREENED_OUT)
    charge(world, row, "screen_out", money.reward(cents, world.config))


def approve(world: World, row: Row) -> None:
    study = studies.find(world, row["study_id"])
    set_status(world, row, rules.APPROVED)
    charge(world, row, "reward", studies.unit(world, study))


def charge(world: World, row: Row, kind: str, sum_: money.Charge) -> None:
    study = studies.find(world, row["study_id"])
    if study["is_test"]:
        return
    about = {
        "study": study["id"],
        "submission": row["id"],
        "participant": row["participant_id"],
    }
    row["paid"] += sum_.amount
    world.book(kind, -sum_.amount, **about)
    if sum_.fee:
        world.book(f"{kind}_fee", -sum_.fee, **about)
    if sum_.vat:
        world.book(f"{kind}_vat", -sum_.vat, **about)


# What the researcher does


def transition(world: World, row: Row, body: Row) -> Row:
    action = body.get("action")
    if action == "APPROVE":
        if row["status"] == rules.APPROVED:
            return row  # the platform ignores the second of two equal requests
        _want(row, action, rules.AWAITING_REVIEW)
        approve(world, row)
    elif action == "REJECT":
        if row["status"] == rules.REJECTED:
            return row
        message, category = body.get("message"), body.get("rejection_category")
        if not isinstance(message, str) or len(message) < rules.REJECTION_MESSAGE:
            raise invalid(message="Ensure this field has at least 100 characters.")
        if category not in rules.REJECTION_CATEGORIES:
            raise invalid(rejection_category=f"{category!r} is not a valid choice.")
        _want(row, action, rules.AWAITING_REVIEW)
        row.update(message=message, rejection_category=category)
        set_status(world, row, rules.REJECTED)
        messages.tell(world, row["participant_id"], message, row["study_id"])
    elif action == "COMPLETE":
        _complete(world, row, body)
    else:
        raise invalid(action=f"{action!r} is not one of APPROVE, REJECT, COMPLETE.")
    return row


def _want(row: Row, action: str, *statuses: str) -> None:
    if row["status"] not in statuses:
        raise Refusal(
            400, f"A submission that is {row['status']} can not take the action {action}."
        )


def _complete(world: World, row: Row, body: Row) -> None:
    """Complete it in the participant's place, with a code that only the researcher may use."""
    study = studies.find(world, row["study_id"])
    code = code_of(study, body.get("completion_code"))
    if code is None or code["actor"] != "researcher":
        raise invalid(completion_code="This is no code of the study for the researcher's use.")
    if row["entered_code"] == code["code"]:
        return
    _want(row, "COMPLETE", rules.ACTIVE, rules.TIMED_OUT, rules.AWAITING_REVIEW)
    data = body.get("completion_code_data") or {}
    if any(action["action"] == "DYNAMIC_PAYMENT" for action in code["actions"]):
        share = data.get("percentage_of_reward")
        if not isinstance(share, int | float) or not 0 < share <= 100:
            raise invalid(completion_code_data="percentage_of_reward has to be given, up to 100.")
    row["entered_code"] = code["code"]
    row["completed_at"] = row["completed_at"] or world.now()
    finish(world, row, data)


def undo_rejection(world: World, row: Row) -> None:
    """As the researcher may do it on the platform's own page."""
    _want(row, "UNREJECT", rules.REJECTED)
    set_status(world, row, rules.AWAITING_REVIEW)


def bulk_approve(world: World, body: Row) -> None:
    """In progress when it is answered: what is returned by then is passed over."""
    if keys := body.get("submission_ids"):
        rows = [find(world, key) for key in keys]
    elif body.get("study_id") and body.get("participant_ids"):
        mine = studies.submissions_of(world, studies.find(world, body["study_id"]))
        rows = [row for row in mine if row["participant_id"] in body["participant_ids"]]
    else:
        raise invalid(submission_ids="Give submission_ids, or study_id and participant_ids.")
    for row in rows:
        if row["status"] != rules.APPROVED:
            _want(row, "APPROVE", rules.AWAITING_REVIEW)
    for row in rows:
        row["bulk_due"] = world.now() + world.config["bulk_delay_s"]


def finish_bulk(world: World, row: Row) -> None:
    row["bulk_due"] = None
    if row["status"] == rules.AWAITING_REVIEW:
        approve(world, row)


def request_return(world: World, row: Row, body: Row) -> Row:
    reasons = body.get("request_return_reasons")
    if not isinstance(reasons, list) or not reasons:
        raise invalid(request_return_reasons="This field is required.")
    _want(row, "request-return", rules.ACTIVE, rules.AWAITING_REVIEW)
    row["return_requested"] = world.now()
    messages.tell(world, row["participant_id"], "; ".join(map(str, reasons)), row["study_id"])
    return row


def screen_out_many(world: World, study: Row, body: Row) -> None:
    if not study["is_custom_screening"]:
        raise Refusal(403, "Custom screening is not enabled for this study.")
    rows = [find(world, key) for key in body.get("submission_ids") or []]
    cents = money.cents_of(str(body.get("bonus_per_submission", "")))
    if not rows or cents is None:
        raise invalid(bonus_per_submission="Give submission_ids and a sum in currency units.")
    if money.reward(cents, world.config).total * len(rows) > studies.available(world):
        raise studies.no_money()
    for row in rows:
        if row["study_id"] != study["id"]:
            raise invalid(submission_ids=f"{row['id']} is of another study.")
        _want(row, "screen-out", rules.ACTIVE, rules.AWAITING_REVIEW)
    for row in rows:
        row["keeps_place"] = True
        screen_out(world, row, cents)
    if body.get("increase_places"):
        study["total_available_places"] += len(rows)


# What is shown: the list and the detail name things differently


def listed(world: World, row: Row) -> Row:
    taken = row["completed_at"] and row["started_at"] and row["completed_at"] - row["started_at"]
    return {
        "id": row["id"],
        "participant_id": row["participant_id"],
        "started_at": iso(row["started_at"]),
        "completed_at": iso(row["completed_at"]),
        "is_complete": row["completed_at"] is not None,
        "time_taken": taken,
        "reward": studies.find(world, row["study_id"])["reward"],
        "status": row["status"],
        "study_code": row["entered_code"],
        "bonus_payments": bonuses_seen(world, row),
        "has_siblings": False,
        "return_requested": iso(row["return_requested"]),
    }


def detailed(world: World, row: Row) -> Row:
    return {
        "id": row["id"],
        "study_id": row["study_id"],
        "participant": row["participant_id"],
        "started_at": iso(row["started_at"]),
        "completed_at": iso(row["completed_at"]),
        "returned_at": iso(row["returned_at"]),
        "status": row["status"],
        "entered_code": row["entered_code"],
        "parent_study_id": None,
        "bonus_payments": bonuses_seen(world, row),
        "return_requested": iso(row["return_requested"]),
    }


def bonuses_seen(world: World, row: Row) -> list[Any] | None:
    """Bonuses paid, in cents, once the platform's own list has caught up with its wallet.

    None until there is one: documented as "list of doubles or null".
    """
    lag = world.config["bonus_lag_s"]
    paid = [
        payment["amount"]
        for payment in world.state["payments"]
        if payment["submission"] == row["id"]
        and payment["status"] == "PAID"
        and payment["paid_at"] + lag <= world.now()
    ]
    return paid or None
