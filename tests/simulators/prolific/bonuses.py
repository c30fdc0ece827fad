"""Bonuses: a batch is drawn up, then paid. Paying is asynchronous, and twice is twice."""

from typing import Any

from tests.simulators.prolific import money, rules, studies, submissions
from tests.simulators.prolific.errors import invalid, missing
from tests.simulators.prolific.world import Row, World


def create(world: World, body: Row) -> Row:
    study = studies.find(world, str(body.get("study_id")))
    text = body.get("csv_bonuses")
    if not isinstance(text, str) or not text.strip():
        raise invalid(csv_bonuses="This field is required.")
    lines = [_read(world, study, line) for line in text.splitlines() if line.strip()]
    charges = [money.bonus(line["amount"], world.config) for line in lines]
    batch = {
        "id": world.new_id("batch"),
        "study": study["id"],
        "lines": lines,
        "amount": sum(each.amount for each in charges),
        "fees": sum(each.fee for each in charges),
        "vat": sum(each.vat for each in charges),
        "total_amount": sum(each.total for each in charges),
        "paid_times": 0,
    }
    world.state["batches"][batch["id"]] = batch
    return batch


def _read(world: World, study: Row, line: str) -> Row:
    key, _, sum_ = line.partition(",")
    cents = money.cents_of(sum_)
    if cents is None:
        raise invalid(csv_bonuses=f"{line!r} is no id and amount, like `id,1.50`.")
    key = key.strip()
    took_part = [
        row
        for row in studies.submissions_of(world, study)
        if key in (row["id"], row["participant_id"]) and row["status"] != rules.RESERVED
    ]
    if not took_part:
        raise invalid(csv_bonuses=f"Not found in this study: {key}.")
    # Somebody with several submissions gets it for the last one.
    row = max(took_part, key=lambda each: each["reserved_at"])
    return {"submission": row["id"], "participant": row["participant_id"], "amount": cents}


def shown(batch: Row) -> Row:
    names = ("id", "study", "amount", "fees", "vat", "total_amount")
    return {name: batch[name] for name in names}


def pay(world: World, key: str) -> None:
    """Order the batch to be paid, whether or not it was ordered before."""
    try:
        batch = world.state["batches"][key]
    except KeyError:
        raise missing("Bulk bonus payment", key) from None
    if batch["total_amount"] > studies.available(world):
        raise studies.no_money()
    batch["paid_times"] += 1
    for line in batch["lines"]:
        sum_ = money.bonus(line["amount"], world.config)
        world.state["payments"].append(
            {
                **line,
                "id": world.new_id("payment"),
                "batch": batch["id"],
                "total": sum_.total,
                "due": world.now() + world.config["pay_delay_s"],
                "paid_at": None,
                "status": "WAITING",
            }
        )


def settle(world: World, payment: Row) -> None:
    """The money leaves the wallet."""
    payment.update(status="PAID", paid_at=world.now())
    row = submissions.find(world, payment["submission"])
    submissions.charge(world, row, "bonus", money.bonus(payment["amount"], world.config))


def due(world: World) -> list[tuple[float, Any]]:
    waiting = (each for each in world.state["payments"] if each["status"] == "WAITING")
    return [(each["due"], each) for each in waiting]
