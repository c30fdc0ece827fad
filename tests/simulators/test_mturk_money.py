"""Funds, fees and the ledger, against figures worked out by hand."""

from decimal import Decimal
from typing import Any

import pytest

from tests.simulators.crowd import create_hit, hit_values, refusal, submit_one
from tests.simulators.mturk import MturkSimulator, fees
from tests.simulators.mturk.bot import WorkerBot
from tests.simulators.mturk.world import MASTERS


@pytest.mark.parametrize(
    ("reward", "n", "masters", "fee"),
    [
        ("1.50", 9, False, "0.30"),
        ("1.50", 10, False, "0.60"),
        ("1.50", 9, True, "0.38"),  # 0.375
        ("1.50", 10, True, "0.68"),  # 0.675
        ("0.01", 1, False, "0.01"),  # 0.002, under the least
        ("0.00", 1, False, "0.01"),
        ("0.07", 9, False, "0.01"),  # 0.014
        ("0.08", 9, False, "0.02"),  # 0.016
        ("0.07", 10, False, "0.03"),  # 0.028
        ("0.50", 9, True, "0.13"),  # 0.125: half goes up
    ],
)
def test_fee_of_a_reward(reward: str, n: int, masters: bool, fee: str) -> None:
    taken = fees.fee_of_reward(Decimal(reward), n_assignments=n, masters=masters)

    assert taken == Decimal(fee)


@pytest.mark.parametrize(
    ("amount", "fee"), [("0.01", "0.01"), ("0.12", "0.02"), ("0.13", "0.03"), ("2.50", "0.50")]
)
def test_fee_of_a_bonus(amount: str, fee: str) -> None:
    assert fees.fee_of_bonus(Decimal(amount)) == Decimal(fee)


def test_money_is_held_settled_and_released(mturk: MturkSimulator, client: Any) -> None:
    mturk.leave("20.00")
    hit = create_hit(client, MaxAssignments=9)
    assert (mturk.available, mturk.on_hold) == (Decimal("3.80"), Decimal("16.20"))
    first, second, third = (
        submit_one(client, WorkerBot(mturk.worker_site, f"A{n}"), hit) for n in range(1, 4)
    )

    client.approve_assignment(AssignmentId=first)
    client.reject_assignment(AssignmentId=second, RequesterFeedback="Empty.")
    assert (mturk.available, mturk.on_hold) == (Decimal("5.60"), Decimal("12.60"))
    client.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=0)

    # Only the third one may still cost something.
    assert (mturk.available, mturk.on_hold) == (Decimal("16.40"), Decimal("1.80"))
    client.approve_assignment(AssignmentId=third)
    assert (mturk.available, mturk.on_hold) == (Decimal("16.40"), Decimal("0.00"))
    assert mturk.charged == Decimal("3.60")
    balance = client.get_account_balance()
    assert (balance["AvailableBalance"], balance["OnHoldBalance"]) == ("16.40", "0.00")
    paid = [(row["kind"], row["amount"]) for row in mturk.ledger("reward", "reward_fee")]
    assert paid == [("reward", Decimal("1.50")), ("reward_fee", Decimal("0.30"))] * 2


def test_what_the_account_cannot_pay_is_refused_and_changes_nothing(
    mturk: MturkSimulator, client: Any
) -> None:
    mturk.leave("16.19")
    token = "t-1"

    code, _ = refusal(client.create_hit, **hit_values(MaxAssignments=9, UniqueRequestToken=token))

    assert code == "InsufficientFunds"
    assert client.list_hits()["HITs"] == []
    assert mturk.on_hold == 0
    mturk.deposit("0.01")
    # A refusal did not use the token up.
    create_hit(client, MaxAssignments=9, UniqueRequestToken=token)
    assert mturk.available == 0


def test_ten_assignments_cost_twice_the_fee_and_masters_more(
    mturk: MturkSimulator, client: Any
) -> None:
    masters = {"QualificationTypeId": MASTERS["production"], "Comparator": "Exists"}

    create_hit(client, MaxAssignments=10)
    assert mturk.on_hold == Decimal("21.00")
    create_hit(client, MaxAssignments=2, QualificationRequirements=[masters])

    # 21.00 + 2 x (1.50 + 0.38)
    assert mturk.on_hold == Decimal("24.76")


def test_a_bonus_is_charged_at_once_with_its_fee(mturk: MturkSimulator, client: Any) -> None:
    hit = create_hit(client)
    assignment = submit_one(client, WorkerBot(mturk.worker_site, "A1"), hit)
    client.approve_assignment(AssignmentId=assignment)
    bonus = {"WorkerId": "A1", "AssignmentId": assignment, "Reason": "Second part"}
    mturk.leave("0.60")

    assert refusal(client.send_bonus, **bonus, BonusAmount="0.51")[0] == "InsufficientFunds"
    client.send_bonus(**bonus, BonusAmount="0.5")

    assert mturk.available == 0
    payments = client.list_bonus_payments(AssignmentId=assignment)["BonusPayments"]
    assert [(p["WorkerId"], p["BonusAmount"], p["Reason"]) for p in payments] == [
        ("A1", "0.50", "Second part")
    ]
    assert client.list_bonus_payments(HITId=hit["HITId"])["NumResults"] == 1
    assert 'Earned: <strong id="earned">$2.00' in WorkerBot(mturk.worker_site, "A1").read(
        "/earnings"
    )


def test_bonuses_need_work_of_that_worker(mturk: MturkSimulator, client: Any) -> None:
    hit = create_hit(client, MaxAssignments=2)
    assignment = submit_one(client, WorkerBot(mturk.worker_site, "A1"), hit)
    held = WorkerBot(mturk.worker_site, "A2").accept()
    bonus = {"BonusAmount": "0.50", "Reason": "More"}

    other = refusal(client.send_bonus, WorkerId="A2", AssignmentId=assignment, **bonus)
    unsent = refusal(client.send_bonus, WorkerId="A2", AssignmentId=held.assignment_id, **bonus)
    nothing = refusal(
        client.send_bonus,
        WorkerId="A1",
        AssignmentId=assignment,
        **{**bonus, "BonusAmount": "0.00"},
    )

    assert [other[0], unsent[0], nothing[0]] == [
        "InvalidParameterValue",
        "InvalidAssignmentState",
        "InvalidParameterValue",
    ]
    assert mturk.ledger("bonus") == []


def test_the_sandbox_never_runs_out_and_its_ledger_still_counts() -> None:
    with MturkSimulator(mode="sandbox") as sandbox:
        sandbox.leave("0.00")
        client = sandbox.client()

        hit = create_hit(client)
        assignment = submit_one(client, WorkerBot(sandbox.worker_site, "A1"), hit)
        client.approve_assignment(AssignmentId=assignment)

        assert client.get_account_balance()["AvailableBalance"] == "10000.00"
        assert sandbox.charged == Decimal("1.80")
