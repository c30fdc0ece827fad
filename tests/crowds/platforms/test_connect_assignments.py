"""Assignments on Connect: what is told of them, what is decided, bonuses that are paid once."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from annotation.core.platforms.base import Again, LookUpResult
from annotation.core.platforms.errors import (
    DoubtfulError,
    LaunchError,
    RefusedError,
    UnavailableError,
)
from annotation.crowds.platforms.connect import http
from annotation.models import Intent, Listing, Visit
from annotation.models.kinds import Outcome
from tests.crowds.platforms.connect_lab import ConnectLab, make_listing, person_id

KIND, REMOTE = Intent.Kind, Visit.Remote


@pytest.fixture
def listing(connect: ConnectLab) -> Listing:
    listing = make_listing()
    connect.publish(listing)
    return listing


@pytest.fixture
def visit(connect: ConnectLab, listing: Listing) -> Visit:
    return connect.visit(listing)


def answer_instead(
    monkeypatch: pytest.MonkeyPatch, change: dict[str, Any] | None = None, **body: Any
) -> None:
    """Let the list of assignments be another one, or its rows hold something else."""
    get = http.Client.get

    def other(client: http.Client, path: str, **query: Any) -> Any:
        page = get(client, path, **query)
        if not path.startswith("assignments/"):
            return page
        if change is None:
            return body
        return {"assignments": [{**row, **change} for row in page["assignments"]]}

    monkeypatch.setattr(http.Client, "get", other)


# -- what is told -------------------------------------------------------------------------------
def test_people_come_with_three_ids(connect: ConnectLab, listing: Listing) -> None:
    who = person_id(5)
    assignment, url = connect.sim.take(listing.tickets.get().remote_id, who)
    query = dict(pair.split("=") for pair in url.partition("?")[2].split("&"))

    launch = connect.platform.read_launch(listing, query)

    assert (launch.person_id, launch.submission_id) == (who, assignment)
    assert launch.ticket_id == listing.tickets.get().remote_id
    assert not launch.is_signed
    for name in query:
        for wrong in ("", "{{id}}", "x" * 65):
            with pytest.raises(LaunchError, match="incomplete or no longer valid"):
                connect.platform.read_launch(listing, {**query, name: wrong})


def test_who_did_the_work_gets_the_code_and_nobody_else(visit: Visit, connect: ConnectLab) -> None:
    assert visit.listing is not None
    codes = {
        outcome: connect.platform.completion(visit, Outcome(outcome), "").code
        for outcome in Outcome.values
    }

    with_code = {outcome for outcome, code in codes.items() if code}
    assert with_code == {Outcome.COMPLETED, Outcome.FAILED_CHECKS}
    assert codes[Outcome.FAILED_CHECKS] == visit.listing.codes[Outcome.COMPLETED]


def test_an_assignment_is_shown_once_it_was_completed(
    connect: ConnectLab, listing: Listing
) -> None:
    project = listing.tickets.get().remote_id
    assignment, _url = connect.sim.take(project, person_id(1))
    assert list(connect.platform.submissions(listing)) == []

    connect.advance(minutes=5)
    connect.sim.complete(assignment, listing.codes[Outcome.COMPLETED])
    [shown] = connect.platform.submissions(listing)

    assert (shown.submission_id, shown.person_id) == (assignment, person_id(1))
    assert (shown.ticket_id, shown.state) == (project, REMOTE.SUBMITTED)
    assert shown.handed_in == {"code": listing.codes[Outcome.COMPLETED]}
    assert shown.accepted_at is not None
    assert shown.submitted_at == shown.accepted_at + timedelta(minutes=5)


@pytest.mark.parametrize("state", ["Approved", "Rejected"])
def test_what_was_decided_on_connects_own_page_is_shown(
    connect: ConnectLab, listing: Listing, visit: Visit, state: str
) -> None:
    connect.sim.decide(visit.submission_id, state)

    [shown] = connect.platform.submissions(listing)

    assert shown.state == REMOTE(state.lower())


def test_what_nobody_decides_is_approved_after_a_fortnight(
    connect: ConnectLab, listing: Listing, visit: Visit
) -> None:
    [shown] = connect.platform.submissions(listing)
    visit.submitted_at = shown.submitted_at
    approves_at = connect.platform.approves_at(visit)
    assert approves_at is not None

    connect.advance(days=14)

    assert connect.status(visit) == "Approved"
    assert approves_at == connect.sim.now


def test_an_empty_list_is_null_and_one_that_is_missing_is_none(
    connect: ConnectLab, listing: Listing, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_instead(monkeypatch, assignments=None)
    assert list(connect.platform.submissions(listing)) == []

    for body in ({}, {"assignments": "none"}, {"assignments": [1]}):
        answer_instead(monkeypatch, **body)
        with pytest.raises(UnavailableError, match="could not be read"):
            list(connect.platform.submissions(listing))


def test_a_word_that_is_not_known_is_no_state(
    connect: ConnectLab, listing: Listing, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_instead(monkeypatch, {"status": "Paid"})

    with pytest.raises(UnavailableError, match="says “Paid” of an assignment"):
        list(connect.platform.submissions(listing))


# -- what is decided ----------------------------------------------------------------------------
def test_work_is_approved(connect: ConnectLab, visit: Visit) -> None:
    approve = connect.decide(visit, KIND.APPROVE)

    connect.send(approve)

    assert connect.status(visit) == "Approved"
    assert connect.look_up(approve).result is LookUpResult.DONE
    [line] = connect.sim.ledger("reward")
    assert line["amount"] == -188
    [call] = connect.calls("approve")
    assert call["body"] == {"participants": [{"id": visit.submission_id}]}


def test_a_rejection_needs_a_reason_and_can_be_taken_back(
    connect: ConnectLab, visit: Visit
) -> None:
    with pytest.raises(RefusedError, match="Give a reason"):
        connect.send(connect.decide(visit, KIND.REJECT))
    connect.send(connect.decide(visit, KIND.REJECT, payload={"reason": "All the same answer."}))
    assert connect.status(visit) == "Rejected"

    connect.send(connect.decide(visit, KIND.APPROVE, Intent.OVERTURN))

    assert connect.status(visit) == "Approved"
    assert len(connect.sim.ledger("reward")) == 1


def test_what_was_approved_cannot_be_rejected(connect: ConnectLab, visit: Visit) -> None:
    connect.send(connect.decide(visit, KIND.APPROVE))

    with pytest.raises(RefusedError, match="is Approved"):
        connect.send(connect.decide(visit, KIND.REJECT, payload={"reason": "Too late."}))


def test_approving_what_is_approved_already_is_no_failure(
    connect: ConnectLab, visit: Visit
) -> None:
    connect.sim.decide(visit.submission_id, "Approved")
    approve = connect.decide(visit, KIND.APPROVE)

    connect.send(approve)

    assert approve.state == Intent.State.CONFIRMED
    assert len(connect.sim.ledger("reward")) == 1


def test_an_answer_without_an_effect_is_not_believed(
    connect: ConnectLab, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    approve = connect.decide(visit, KIND.APPROVE)
    answer_instead(monkeypatch, {"status": "Pending"})

    with pytest.raises(DoubtfulError, match="does not show the decision yet"):
        connect.send(approve)

    assert connect.look_up(approve).result is LookUpResult.UNKNOWN


@pytest.mark.parametrize("fault", ["commit_then_500", "commit_then_drop", "timeout_before"])
def test_an_approval_without_an_answer_is_looked_up(
    connect: ConnectLab, visit: Visit, fault: str
) -> None:
    approve = connect.decide(visit, KIND.APPROVE)
    connect.sim.fault(fault, path="approve", seconds=0.1)
    with pytest.raises(DoubtfulError):
        connect.send(approve)

    connect.advance(minutes=6)
    if connect.look_up(approve).result is LookUpResult.NOT_DONE:
        assert fault == "timeout_before"
        connect.send(approve)

    assert connect.status(visit) == "Approved"
    assert len(connect.sim.ledger("reward")) == 1


# -- bonuses ------------------------------------------------------------------------------------
def test_a_bonus_is_paid_once_with_the_intents_token(connect: ConnectLab, visit: Visit) -> None:
    bonus = connect.bonus(visit, "0.35")

    connect.send(bonus)

    assert connect.sim.bonuses() == [35]
    assert connect.sim.ledger("bonus")[0]["amount"] == -44
    assert bonus.token in connect.sim.world.state["tokens"]
    assert connect.look_up(bonus).result is LookUpResult.DONE
    assert connect.platform.again(bonus) is Again.IF_YOUNG


@pytest.mark.parametrize("fault", ["commit_then_500", "commit_then_drop"])
def test_a_bonus_whose_answer_was_lost_is_found_and_not_paid_again(
    connect: ConnectLab, visit: Visit, fault: str
) -> None:
    connect.sim.pay_by_hand(visit.submission_id, 100)
    bonus = connect.bonus(visit, "1.00")
    connect.sim.fault(fault, path="bonus")

    with pytest.raises(DoubtfulError):
        connect.send(bonus)

    assert connect.look_up(bonus).result is LookUpResult.DONE
    assert connect.sim.bonuses() == [100, 100]


def test_a_bonus_that_did_not_arrive_is_sent_once_more(connect: ConnectLab, visit: Visit) -> None:
    bonus = connect.bonus(visit)
    connect.sim.fault("timeout_before", path="bonus", seconds=0.1)
    with pytest.raises(DoubtfulError):
        connect.send(bonus)

    assert connect.look_up(bonus).result is LookUpResult.UNKNOWN
    connect.advance(minutes=61)
    assert connect.look_up(bonus).result is LookUpResult.NOT_DONE
    connect.send(bonus)

    assert connect.sim.bonuses() == [150]


def test_a_bonus_that_is_shown_late_is_not_paid_twice(connect: ConnectLab, visit: Visit) -> None:
    connect.sim.configure(bonus_lag_s=3 * 60 * 60)
    bonus = connect.bonus(visit)
    connect.sim.fault("commit_then_drop", path="bonus")
    with pytest.raises(DoubtfulError):
        connect.send(bonus)
    connect.advance(minutes=61)
    assert connect.look_up(bonus).result is LookUpResult.NOT_DONE

    # Connect knows the token; and nothing more is sent after that.
    with pytest.raises(DoubtfulError, match="token was used before"):
        connect.send(bonus)
    connect.advance(minutes=61)
    assert connect.look_up(bonus).result is LookUpResult.UNKNOWN
    connect.advance(minutes=61)

    assert connect.look_up(bonus).result is LookUpResult.DONE
    assert connect.sim.bonuses() == [150]


def test_a_bonus_that_was_paid_by_hand_meanwhile_is_left_to_a_person(
    connect: ConnectLab, visit: Visit
) -> None:
    bonus = connect.bonus(visit)
    connect.sim.fault("throttle", path="bonus")
    with pytest.raises(UnavailableError):
        connect.send(bonus)
    connect.sim.pay_by_hand(visit.submission_id, 150)

    with pytest.raises(DoubtfulError, match="may be this one, so it is not paid again"):
        connect.send(bonus)

    assert connect.sim.bonuses() == [150]


def test_two_bonuses_without_answers_are_both_needed_to_believe_in_one(
    connect: ConnectLab, visit: Visit
) -> None:
    first, second = connect.bonus(visit, "1.00", "a"), connect.bonus(visit, "1.00", "b")
    connect.sim.fault("timeout_before", path="bonus", seconds=0.1)
    with pytest.raises(DoubtfulError):
        connect.send(first)
    connect.sim.clear_faults()
    connect.sim.fault("commit_then_drop", path="bonus")
    with pytest.raises(DoubtfulError):
        connect.send(second)

    # One was paid, and nobody can tell which: neither is taken for paid.
    assert connect.sim.bonuses() == [100]
    assert connect.look_up(first).result is LookUpResult.UNKNOWN
    assert connect.look_up(second).result is LookUpResult.UNKNOWN


@pytest.mark.parametrize("total", [None, "1.00", True, 0.001])
def test_without_the_bonuses_that_were_paid_nothing_more_is(
    connect: ConnectLab, visit: Visit, monkeypatch: pytest.MonkeyPatch, total: Any
) -> None:
    answer_instead(monkeypatch, {"bonus": total})

    with pytest.raises(UnavailableError, match="did not return the bonuses"):
        connect.send(connect.bonus(visit))

    assert connect.calls("bonus") == []


def test_a_bonus_without_enough_money_is_refused(connect: ConnectLab, visit: Visit) -> None:
    connect.sim.set_wallet(0)

    with pytest.raises(RefusedError, match="Insufficient funds"):
        connect.send(connect.bonus(visit))


@pytest.mark.parametrize("amount", ["0.00", "0.001"])
def test_no_bonus_of_nothing_or_of_parts_of_a_cent(
    connect: ConnectLab, visit: Visit, amount: str
) -> None:
    bonus = connect.bonus(visit, "1.00")
    bonus.pays = Decimal(amount)

    with pytest.raises(RefusedError, match="above 0 and have at most two decimals"):
        connect.platform.send(bonus)


def test_a_bonus_is_not_believed_for_another_sum_that_was_paid_by_hand(
    connect: ConnectLab, visit: Visit
) -> None:
    bonus = connect.bonus(visit, "1.00")
    connect.sim.fault("timeout_before", path="bonus", seconds=0.1)
    with pytest.raises(DoubtfulError):
        connect.send(bonus)

    connect.sim.pay_by_hand(visit.submission_id, 250)
    connect.advance(hours=2)

    assert connect.look_up(bonus).result is LookUpResult.UNKNOWN


def test_a_bonus_that_was_put_off_is_not_taken_for_another_that_was_paid_since(
    connect: ConnectLab, visit: Visit
) -> None:
    first, second = connect.bonus(visit, "1.00", "a"), connect.bonus(visit, "1.00", "b")
    connect.sim.fault("throttle", path="bonus")
    with pytest.raises(UnavailableError):
        connect.send(first)
    connect.send(second)
    connect.advance(days=8)

    # A week later it is sent as for the first time; the total has grown by as much meanwhile.
    Intent.objects.filter(pk=first.pk).update(attempts=0, first_sent_at=None)
    with pytest.raises(DoubtfulError, match="may be this one"):
        connect.send(first)

    assert connect.look_up(first).result is LookUpResult.UNKNOWN
    assert connect.sim.bonuses() == [100]
