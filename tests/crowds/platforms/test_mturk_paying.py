"""People are paid once, and what was decided about their work happens once or is found out."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from annotation.core.platforms.base import Again, LookUpResult
from annotation.core.platforms.errors import (
    DoubtfulError,
    RefusedError,
    ServiceClosedError,
    UnavailableError,
)
from annotation.crowds.platforms.mturk import client
from annotation.models import Intent, Ticket, Visit
from tests.crowds.platforms.mturk_desk import Desk, desk_at
from tests.support.clock import Clock

pytestmark = pytest.mark.django_db

_KIND = Intent.Kind
# (fault, what is raised, whether it was done)
FAULTS = [
    ("throttle", UnavailableError, False),
    ("insufficient_funds", RefusedError, False),
    ("service_closed", ServiceClosedError, False),
    ("500_before", DoubtfulError, False),
    ("timeout_before", DoubtfulError, False),
    ("wrong_content_type", DoubtfulError, False),
    ("commit_then_500", DoubtfulError, True),
    ("commit_then_drop", DoubtfulError, True),
    ("commit_then_hang", DoubtfulError, True),
]
OPERATIONS = {
    _KIND.APPROVE: "ApproveAssignment",
    _KIND.REJECT: "RejectAssignment",
    _KIND.BONUS: "SendBonus",
}


@pytest.fixture
def desk(clock: Clock, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.setattr(client, "_READ_SECONDS", 1)
    with desk_at(clock, settings, monkeypatch) as found:
        yield found


@pytest.fixture
def ticket(desk: Desk) -> Ticket:
    desk.listing.n_places = 5
    return desk.publish()[0]


@pytest.fixture
def visit(desk: Desk, ticket: Ticket) -> Visit:
    return desk.work("AW1", ticket)


def _bonus(desk: Desk, visit: Visit, **columns: Any) -> Intent:
    columns = {"pays": Decimal("0.75"), "payload": {"message": "Thank you."}, **columns}
    return desk.intent(_KIND.BONUS, visit=visit, reason_code="thanks", **columns)


def _intent(desk: Desk, kind: Intent.Kind, visit: Visit) -> Intent:
    if kind == _KIND.BONUS:
        return _bonus(desk, visit)
    payload = {"message": "The answers were random."} if kind == _KIND.REJECT else {}
    return desk.intent(kind, visit=visit, payload=payload)


def _status(desk: Desk, visit: Visit) -> str:
    found = desk.simulator.client().get_assignment(AssignmentId=visit.submission_id)
    return str(found["Assignment"]["AssignmentStatus"])


def _paid(desk: Desk, kind: Intent.Kind) -> int:
    """How often it happened, by the simulator's own books."""
    if kind == _KIND.REJECT:
        done = [call for call in desk.calls("RejectAssignment") if call["committed"]]
        return len(done)
    return len(desk.simulator.ledger("bonus" if kind == _KIND.BONUS else "reward"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", list(OPERATIONS))
@pytest.mark.parametrize("case", FAULTS)
def test_every_fault_at_every_decision_is_told_apart_and_found_out(
    desk: Desk, visit: Visit, kind: Intent.Kind, case: tuple[str, type[Exception], bool]
) -> None:
    fault, error, is_done = case
    intent = _intent(desk, kind, visit)
    desk.simulator.fault(fault, OPERATIONS[kind], seconds=2)

    with pytest.raises(error) as caught:
        desk.platform.send(intent)

    assert type(caught.value) is error
    # Once: no library sends it again by itself.
    assert len(desk.calls(OPERATIONS[kind])) == 1
    assert _paid(desk, kind) == is_done
    if is_done:
        assert desk.platform.look_up(intent).result == LookUpResult.DONE
        return
    assert desk.platform.look_up(intent).result == LookUpResult.UNKNOWN
    desk.move(minutes=14, seconds=59)
    assert desk.platform.look_up(intent).result == LookUpResult.UNKNOWN
    desk.move(seconds=1)
    assert desk.platform.look_up(intent).result == LookUpResult.NOT_DONE
    desk.platform.send(intent)
    assert desk.platform.look_up(intent).result == LookUpResult.DONE
    assert _paid(desk, kind) == 1


@pytest.mark.parametrize("kind", list(OPERATIONS))
def test_an_answer_that_was_cut_off_says_that_it_happened(
    desk: Desk, visit: Visit, kind: Intent.Kind
) -> None:
    desk.simulator.fault("truncated_json", OPERATIONS[kind])

    desk.platform.send(_intent(desk, kind, visit))

    assert _paid(desk, kind) == 1


def test_a_bonus_has_its_reference_token_and_amount(desk: Desk, visit: Visit) -> None:
    intent = _bonus(desk, visit)

    desk.platform.send(intent)

    (call,) = desk.calls("SendBonus")
    assert call["body"] == {
        "WorkerId": "AW1",
        "AssignmentId": visit.submission_id,
        "BonusAmount": "0.75",
        "Reason": f"Thank you. [ref {intent.reference}]",
        "UniqueRequestToken": intent.token,
    }
    assert desk.platform.is_marked(intent)
    amounts = {row["kind"]: row["amount"] for row in desk.simulator.ledger("bonus", "bonus_fee")}
    fee = desk.platform.fee(desk.listing, Decimal("0.75"), is_bonus=True)
    assert amounts == {"bonus": Decimal("0.75"), "bonus_fee": fee}


def test_a_bonus_sent_twice_with_its_token_is_doubtful_and_paid_once(
    desk: Desk, visit: Visit
) -> None:
    intent = _bonus(desk, visit)
    desk.platform.send(intent)

    with pytest.raises(DoubtfulError, match="already used"):
        desk.platform.send(intent)

    assert desk.platform.look_up(intent).result == LookUpResult.DONE
    assert desk.platform.again(intent) == Again.IF_YOUNG
    assert _paid(desk, _KIND.BONUS) == 1


def test_a_bonus_of_25_hours_ago_is_found_though_its_token_is_forgotten(
    desk: Desk, visit: Visit
) -> None:
    intent = _bonus(desk, visit)
    desk.simulator.fault("commit_then_drop", "SendBonus")
    with pytest.raises(DoubtfulError):
        desk.platform.send(intent)

    desk.move(hours=25)

    assert desk.platform.look_up(intent).result == LookUpResult.DONE
    # The simulator would pay again: only asking first keeps that from happening.
    assert desk.platform.again(intent) == Again.IF_YOUNG


def test_another_bonus_of_the_same_person_is_not_taken_for_this_one(
    desk: Desk, visit: Visit
) -> None:
    first = _bonus(desk, visit)
    desk.platform.send(first)
    second = desk.intent(
        _KIND.BONUS,
        visit=visit,
        reason_code="more",
        pays=Decimal("0.75"),
        payload={"message": f"As before [ref {first.reference}] and"},
    )

    assert desk.platform.look_up(second).result == LookUpResult.UNKNOWN
    desk.platform.send(second)
    assert desk.platform.look_up(second).result == LookUpResult.DONE
    assert desk.platform.look_up(first).result == LookUpResult.DONE


def test_a_bonus_is_found_behind_the_first_page(desk: Desk, visit: Visit) -> None:
    client = desk.simulator.client()
    intent = _bonus(desk, visit)
    desk.platform.send(intent)
    for n in range(101):
        client.send_bonus(
            WorkerId="AW1", AssignmentId=visit.submission_id, BonusAmount="0.01", Reason=f"r{n}"
        )

    assert desk.platform.look_up(intent).result == LookUpResult.DONE
    desk.move(hours=1)
    other = Intent(
        kind=intent.kind, listing=desk.listing, visit=visit, last_sent_at=desk.clock.time
    )
    n_before = len(desk.calls("ListBonusPayments"))
    assert desk.platform.look_up(other).result == LookUpResult.UNKNOWN
    assert len(desk.calls("ListBonusPayments")) - n_before == 2


@pytest.mark.parametrize("amount", ["0.00", "-1.00"])
def test_a_bonus_of_nothing_is_refused_here(desk: Desk, visit: Visit, amount: str) -> None:
    intent = _bonus(desk, visit)
    intent.pays = Decimal(amount)

    with pytest.raises(RefusedError, match="The amount must be above 0"):
        desk.platform.send(intent)
    assert desk.calls("SendBonus") == []


@pytest.mark.parametrize(
    ("kind", "message", "said"),
    [
        (_KIND.REJECT, "x" * 1025, "1025 characters; Mechanical Turk allows 1024"),
        (_KIND.REJECT, "a\x0bb", "control character"),
        (_KIND.REJECT, "  ", "Write a reason: the worker reads it."),
        (_KIND.APPROVE, "x" * 1025, "allows 1024"),
        (_KIND.BONUS, "x" * 4096, "Shorten it"),
    ],
)
def test_texts_that_the_service_would_not_take_are_refused_here(
    desk: Desk, visit: Visit, kind: Intent.Kind, message: str, said: str
) -> None:
    intent = _intent(desk, kind, visit)
    intent.payload = {"message": message}

    with pytest.raises(RefusedError, match=said):
        desk.platform.send(intent)
    assert desk.calls(OPERATIONS[kind]) == []


def test_what_was_approved_by_the_clock_meanwhile_is_confirmed(desk: Desk, visit: Visit) -> None:
    intent = desk.intent(_KIND.APPROVE, visit=visit)
    desk.move(hours=73)
    assert _status(desk, visit) == "Approved"

    sent = desk.platform.send(intent)

    assert sent.remote_id == visit.submission_id
    assert sent.answer["AssignmentStatus"] == "Approved"
    assert _paid(desk, _KIND.APPROVE) == 1


def test_what_was_approved_by_the_clock_cannot_be_rejected(desk: Desk, visit: Visit) -> None:
    desk.move(hours=73)

    with pytest.raises(RefusedError, match="status of: Submitted"):
        desk.platform.send(_intent(desk, _KIND.REJECT, visit))


def test_a_rejection_is_overturned_and_only_where_that_is_meant(desk: Desk, visit: Visit) -> None:
    desk.platform.send(_intent(desk, _KIND.REJECT, visit))
    with pytest.raises(RefusedError, match="status of: Submitted"):
        desk.platform.send(desk.intent(_KIND.APPROVE, visit=visit, payload={"overturn": False}))
    assert _status(desk, visit) == "Rejected"

    overturn = desk.intent(
        _KIND.APPROVE, visit=visit, reason_code="overturn", payload={"overturn": True}
    )
    desk.platform.send(overturn)

    assert _status(desk, visit) == "Approved"
    assert desk.platform.look_up(overturn).result == LookUpResult.DONE


def test_work_that_has_not_arrived_yet_is_asked_for_again_later(
    desk: Desk, ticket: Ticket
) -> None:
    desk.simulator.configure(list_lag_s=400)
    visit = desk.work("AW2", ticket)
    intent = desk.intent(_KIND.APPROVE, visit=visit)

    with pytest.raises(UnavailableError, match="Mechanical Turk does not show it yet"):
        desk.platform.send(intent)
    assert desk.platform.look_up(intent).result == LookUpResult.UNKNOWN
    desk.move(seconds=400)

    desk.platform.send(intent)
    assert _status(desk, visit) == "Approved"


def test_a_stale_answer_is_not_taken_for_a_no(desk: Desk, visit: Visit) -> None:
    intent = _bonus(desk, visit)
    desk.simulator.fault("stale_read", "ListBonusPayments")
    desk.platform.send(intent)

    assert desk.platform.look_up(intent).result == LookUpResult.UNKNOWN
    assert desk.platform.look_up(intent).result == LookUpResult.DONE


def test_an_assignment_that_does_not_exist_is_refused(desk: Desk, ticket: Ticket) -> None:
    visit = desk.visit("AW9", ticket, "3NOTTHERE")

    with pytest.raises(RefusedError, match="does not exist"):
        desk.platform.send(desk.intent(_KIND.APPROVE, visit=visit))


def test_nobody_is_asked_for_whose_name_is_not_known_any_more(desk: Desk, visit: Visit) -> None:
    visit.person = None
    intent = _bonus(desk, visit)

    with pytest.raises(RefusedError, match="no longer stored"):
        desk.platform.send(intent)
    # What was written down when it was decided is enough.
    intent.payload = {**intent.payload, "person_id": "AW1"}
    desk.platform.send(intent)
    assert _paid(desk, _KIND.BONUS) == 1


def test_when_everybody_is_approved_the_estimate_is_what_was_charged(desk: Desk) -> None:
    desk.listing.n_places, desk.listing.reward = 12, Decimal("0.13")
    estimate = desk.platform.estimate(desk.listing)
    tickets = desk.publish()
    assert [ticket.n_places for ticket in tickets] == [9, 3]

    for ticket in tickets:
        for n in range(ticket.n_places):
            visit = desk.work(f"AW{ticket.pk}X{n}", ticket)
            desk.platform.send(desk.intent(_KIND.APPROVE, visit=visit))

    # 12 times 0.13 and a fee of 0.026, which is 0.03.
    assert desk.simulator.charged == estimate.worst == Decimal("1.92")
    assert desk.simulator.on_hold == 0
