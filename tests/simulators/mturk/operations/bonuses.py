"""Bonus payments, their list, and the balance of the account."""

from decimal import Decimal
from typing import Any

from tests.simulators.mturk import fees, money
from tests.simulators.mturk.entities import Bonus
from tests.simulators.mturk.errors import RequestError, invalid
from tests.simulators.mturk.operations import limits, shown, tokens
from tests.simulators.mturk.paging import page
from tests.simulators.mturk.world import SANDBOX, World

Values = dict[str, Any]
_SANDBOX_BALANCE = Decimal("10000.00")


def send_bonus(world: World, values: Values) -> Values:
    tokens.refuse_repeat(world, "SendBonus", values, "DuplicateRequest")
    amount = limits.money(values, "BonusAmount")
    reason = limits.text(values, "Reason", 4096, least=1)
    if not amount:
        raise invalid("BonusAmount is 0: at least 0.01 is taken.")
    found = world.assignments.get(values["AssignmentId"])
    if found is None:
        raise RequestError(
            "AssignmentDoesNotExist", f"Assignment {values['AssignmentId']} does not exist."
        )
    if not shown.is_visible(world, found):
        raise RequestError(
            "InvalidAssignmentState",
            "This operation can be called with a status of: Submitted,Approved,Rejected",
        )
    if found.worker_id != values["WorkerId"]:
        raise invalid("This worker did not submit this assignment.")
    assert found.submitted_at is not None
    if world.now > found.submitted_at + world.settings.bonus_window_s:
        raise RequestError("InvalidAssignmentState", "This assignment is too old for a bonus.")
    money.require(world, amount + fees.fee_of_bonus(amount))

    money.pay_bonus(world, found, amount, values.get("UniqueRequestToken", ""))
    seq = world.number()
    world.bonuses.append(
        Bonus(found.assignment_id, found.hit_id, found.worker_id, amount, reason, world.now, seq)
    )
    reference = f"request {seq} for assignment {found.assignment_id}"
    tokens.remember(world, "SendBonus", values, reference)
    return {}


def list_bonus_payments(world: World, values: Values) -> Values:
    hit_id, assignment_id = values.get("HITId"), values.get("AssignmentId")
    if (hit_id is None) == (assignment_id is None):
        raise invalid("Bonuses are listed for either a HITId or an AssignmentId.")
    rows = [
        ([bonus.seq], shown.bonus(bonus))
        for bonus in world.bonuses
        if hit_id in (None, bonus.hit_id) and assignment_id in (None, bonus.assignment_id)
    ]
    listing = f"ListBonusPayments {hit_id} {assignment_id}"
    return page(world, values, listing, "BonusPayments", rows)


def get_account_balance(world: World, values: Values) -> Values:
    if world.mode == SANDBOX:
        return {"AvailableBalance": _SANDBOX_BALANCE}
    return {"AvailableBalance": world.available, "OnHoldBalance": world.on_hold}


OPERATIONS = {
    "SendBonus": send_bonus,
    "ListBonusPayments": list_bonus_payments,
    "GetAccountBalance": get_account_balance,
}
