"""Bonuses and the wallet of the simulated Prolific: late, and paid twice if asked twice."""

from collections.abc import Iterator

import pytest
import requests
from hypothesis import given
from hypothesis import strategies as st

from tests.simulators.prolific import ProlificSimulator, money, rules
from tests.simulators.prolific.researcher import Researcher


@pytest.fixture
def sim() -> Iterator[ProlificSimulator]:
    with ProlificSimulator() as simulator:
        yield simulator


@pytest.fixture
def me(sim: ProlificSimulator) -> Researcher:
    return Researcher(sim)


@pytest.fixture
def approved(sim: ProlificSimulator, me: Researcher) -> tuple[str, str]:
    """A study and the approved submission of p1."""
    study = me.published()
    bot = sim.bot("p1")
    submission, _ = bot.take(study)
    bot.type_code(submission, "DONE1234")
    me.approve(submission)
    return study, submission


def test_paying_a_batch_twice_pays_twice(
    sim: ProlificSimulator, me: Researcher, approved: tuple[str, str]
) -> None:
    study, submission = approved
    batch = me.batch(study, "p1,1.50")

    first, second = me.pay(batch), me.pay(batch)
    sim.advance(hours=1)

    assert (first.status_code, second.status_code) == (202, 202)
    assert sim.bonuses(submission=submission) == [150, 150]


def test_drawing_up_a_batch_costs_nothing(
    sim: ProlificSimulator, me: Researcher, approved: tuple[str, str]
) -> None:
    study, _ = approved

    body = me.post("/submissions/bonus-payments/", {"study_id": study, "csv_bonuses": "p1,4.25\n"})
    me.batch(study, "p1,4.25")
    sim.advance(hours=1)

    assert (body["amount"], body["fees"], body["total_amount"]) == (425, 142, 567)
    assert sim.bonuses() == []


@pytest.mark.parametrize("kind", ["commit_then_drop", "commit_then_500", "truncated_json"])
def test_a_lost_answer_has_paid_all_the_same(
    sim: ProlificSimulator, me: Researcher, approved: tuple[str, str], kind: str
) -> None:
    study, submission = approved
    batch = me.batch(study, "p1,1.50")
    sim.fault(kind, path="/pay/", method="POST")

    try:
        answer = me.pay(batch)
        lost = answer.status_code == 500 or not answer.json()
    except (requests.ConnectionError, requests.JSONDecodeError):
        lost = True
    sim.advance(hours=1)

    assert lost
    assert sim.bonuses(submission=submission) == [150]
    assert me.submission(submission)["bonus_payments"] == [150]
    (line,) = sim.journal("/pay/")
    assert (line["fault"], line["done"]) == (kind, True)


@pytest.mark.parametrize("kind", ["500_before", "throttle", "wrong_content_type"])
def test_a_refused_payment_has_paid_nothing(
    sim: ProlificSimulator, me: Researcher, approved: tuple[str, str], kind: str
) -> None:
    study, _ = approved
    batch = me.batch(study, "p1,1.50")
    sim.fault(kind, path="/pay/", method="POST")

    answer = me.pay(batch)
    sim.advance(hours=1)

    assert answer.status_code in (429, 500, 503)
    assert sim.bonuses() == []
    assert sim.journal("/pay/")[0]["done"] is False


def test_the_list_of_bonuses_lags_behind_the_wallet(
    sim: ProlificSimulator, me: Researcher, approved: tuple[str, str]
) -> None:
    study, submission = approved
    sim.configure(pay_delay_s=120, bonus_lag_s=3600)
    me.pay(me.batch(study, "p1,0.80"))

    ordered = sim.bonuses()
    sim.advance(seconds=120)
    paid, shown = sim.bonuses(), me.submission(submission)["bonus_payments"]
    sim.advance(hours=1)

    assert (ordered, paid, shown) == ([], [80], None)
    assert me.submission(submission)["bonus_payments"] == [80]


@pytest.mark.parametrize("line", ["p1", "p1,", "p1,0", "p1,-1", "p1,1.505", "p1,nan", "px,1.00"])
def test_a_bad_line_is_refused(
    sim: ProlificSimulator, me: Researcher, approved: tuple[str, str], line: str
) -> None:
    study, _ = approved

    body = {"study_id": study, "csv_bonuses": f"p1,1.00\n{line}"}
    answer = me.call("POST", "/submissions/bonus-payments/", body)

    assert answer.status_code == 400
    assert "csv_bonuses" in answer.json()["error"]["detail"]


def test_an_empty_wallet_publishes_and_pays_nothing(
    sim: ProlificSimulator, me: Researcher, approved: tuple[str, str]
) -> None:
    study, _ = approved
    batch, draft = me.batch(study, "p1,1.50"), me.study()
    held = sum(each["held"] for each in sim.world.state["studies"].values())
    sim.set_wallet(held + 199)

    pay = me.pay(batch)
    publish = me.call("POST", f"/studies/{draft}/transition/", {"action": "PUBLISH"})

    assert (pay.status_code, publish.status_code) == (400, 400)
    assert me.status(draft) == "UNPUBLISHED"


def test_what_is_held_is_always_what_can_still_be_spent(
    sim: ProlificSimulator, me: Researcher
) -> None:
    study = me.published(total_available_places=3)

    def held() -> int:
        user = me.get("/users/me/")
        return int(user["balance"] - user["available_balance"])

    steps = [held()]
    for person in ("p1", "p2"):
        bot = sim.bot(person)
        submission, _ = bot.take(study)
        bot.type_code(submission, "DONE1234")
        steps.append(held())
    me.approve(submission)
    steps.append(held())
    me.act(study, "STOP")
    steps.append(held())

    assert steps == [600, 600, 600, 400, 200]
    moved = sim.ledger("hold", study=study) + sim.ledger("release", study=study)
    assert [line["amount"] for line in moved] == [600, 200, 200]


@given(st.integers(1, 100_000), st.integers(0, 999), st.integers(0, 300))
def test_fees_are_rounded_half_up_for_each_payment(cents: int, fee: int, vat: int) -> None:
    knobs = {
        **rules.default_config(),
        "platform_fee": f"0.{fee:03}",
        "vat": f"0.{vat:03}",
    }

    charge = money.reward(cents, knobs)

    assert charge.fee == (cents * fee * 2 + 1000) // 2000
    assert charge.vat == (charge.fee * vat * 2 + 1000) // 2000


def test_a_corporate_account_pays_the_higher_fee(sim: ProlificSimulator, me: Researcher) -> None:
    sim.configure(platform_fee="0.428", vat="0.2")

    body = {"reward": 900, "total_available_places": 10}

    # 42.8 % of 9.00 is 3.85, a fifth of that 0.77.
    assert me.post("/study-cost-calculator/", body)["total_cost"] == 10 * (900 + 385 + 77)
