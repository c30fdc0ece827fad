"""The outbox and Mechanical Turk together: whatever goes wrong, everything happens once.

A test of the two that share the risk: what one calls doubtful the other must not repeat.
"""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from annotation.answering.services import visits
from annotation.core.queries import commitments
from annotation.crowds.platforms.mturk import client
from annotation.crowds.services import decisions, outbox, publishing, reconciling, spending
from annotation.kinds.services.design_rows import add_places
from annotation.models import Intent, Visit
from annotation.models.kinds import Source
from tests.crowds.platforms.mturk_desk import Desk, desk_at, make_listing
from tests.support.clock import Clock
from tests.support.factories import make_open_study

pytestmark = pytest.mark.django_db

_STATE = Intent.State
FAULTS = [
    "throttle",
    "500_before",
    "timeout_before",
    "wrong_content_type",
    "commit_then_500",
    "commit_then_drop",
    "commit_then_hang",
    "truncated_json",
]
_COMMITTED = {"commit_then_500", "commit_then_drop", "commit_then_hang"}


@pytest.fixture
def desk(clock: Clock, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.setattr(client, "_READ_SECONDS", 1)
    with desk_at(clock, settings, monkeypatch) as found:
        study = make_open_study(dry_run=False)
        add_places(booklets=study.design.booklets.all(), source=Source.REAL, up_to=12)
        spending.set_cap(study=study, currency="USD", cap=Decimal("100.00"), by=study.owner)
        found.listing = make_listing(study=study, n_places=12)
        yield found


def _run(desk: Desk, *, minutes: int = 60) -> None:
    """Let the worker sweep while an hour passes."""
    for _n in range(minutes // 5):
        outbox.send_due()
        desk.move(minutes=5)


def _publish(desk: Desk) -> None:
    worst = desk.platform.estimate(desk.listing).worst
    publishing.publish(listing=desk.listing, typed=worst, by=desk.listing.study.owner)


def _submitted(desk: Desk) -> Visit:
    ticket = desk.listing.tickets.earliest("pk")
    visit = desk.work("AW1", ticket)
    visit.remote_state = Visit.Remote.SUBMITTED
    visit.verified_at = desk.clock.time
    visit.save()
    return visit


def _states(kind: Intent.Kind) -> list[str]:
    return list(Intent.objects.filter(kind=kind).values_list("state", flat=True))


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_every_hit_is_made_once_whatever_goes_wrong(desk: Desk, fault: str) -> None:
    desk.simulator.fault(fault, "CreateHITWithHITType", seconds=2)

    _publish(desk)
    _run(desk)

    assert _states(Intent.Kind.PUBLISH) == [_STATE.CONFIRMED] * 2
    assert sorted(desk.listing.tickets.values_list("n_places", flat=True)) == [3, 9]
    made = [call for call in desk.calls("CreateHITWithHITType") if call["committed"]]
    assert len(made) == 2
    desk.listing.refresh_from_db()
    assert desk.listing.state == "published"
    assert desk.simulator.on_hold == commitments.committed(desk.listing.study, "USD")


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("operation", ["ApproveAssignment", "SendBonus"])
def test_everybody_is_paid_once_whatever_goes_wrong(
    desk: Desk, operation: str, fault: str
) -> None:
    _publish(desk)
    _run(desk, minutes=10)
    visit = _submitted(desk)
    by = desk.listing.study.owner
    desk.simulator.fault(fault, operation, seconds=2)

    decisions.approve(visit=visit, by=by)
    decisions.bonus(
        visit=visit, amount=Decimal("0.50"), reason_code="care", message="Thank you.", by=by
    )
    _run(desk)

    assert _states(Intent.Kind.APPROVE) == _states(Intent.Kind.BONUS) == [_STATE.CONFIRMED]
    paid = {row["kind"]: row["amount"] for row in desk.simulator.ledger("reward", "bonus")}
    assert paid == {"reward": Decimal("1.50"), "bonus": Decimal("0.50")}
    assert len(desk.simulator.ledger("reward", "bonus")) == 2
    # Once where it was known to have happened, and once more where it was known not to have.
    n_calls = len(desk.calls(operation))
    assert n_calls == (1 if fault in _COMMITTED | {"truncated_json"} else 2)


@pytest.mark.slow
def test_a_bonus_whose_answer_was_lost_a_day_ago_is_not_paid_again(desk: Desk) -> None:
    _publish(desk)
    _run(desk, minutes=10)
    visit = _submitted(desk)
    desk.simulator.fault("commit_then_drop", "SendBonus")
    decisions.bonus(
        visit=visit,
        amount=Decimal("0.50"),
        reason_code="care",
        message="Thank you.",
        by=desk.listing.study.owner,
    )
    outbox.send_due()

    # No worker ran for longer than the service keeps a token.
    desk.move(hours=25)
    _run(desk)

    assert _states(Intent.Kind.BONUS) == [_STATE.CONFIRMED]
    assert len(desk.simulator.ledger("bonus")) == 1
    assert len(desk.calls("SendBonus")) == 1


@pytest.mark.slow
def test_a_bonus_that_never_arrived_waits_for_a_person_once_its_token_is_old(desk: Desk) -> None:
    _publish(desk)
    _run(desk, minutes=10)
    visit = _submitted(desk)
    desk.simulator.fault("timeout_before", "SendBonus", seconds=2)
    decisions.bonus(
        visit=visit,
        amount=Decimal("0.50"),
        reason_code="care",
        message="Thank you.",
        by=desk.listing.study.owner,
    )
    outbox.send_due()

    desk.move(hours=25)
    _run(desk)

    assert _states(Intent.Kind.BONUS) == [_STATE.NEEDS_PERSON]
    assert desk.simulator.ledger("bonus") == []


def test_a_worker_that_dies_while_it_pays_does_not_pay_twice(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    _publish(desk)
    _run(desk, minutes=10)
    visit = _submitted(desk)
    decisions.bonus(
        visit=visit,
        amount=Decimal("0.50"),
        reason_code="care",
        message="Thank you.",
        by=desk.listing.study.owner,
    )
    intent = Intent.objects.get(kind=Intent.Kind.BONUS)
    # What a process leaves behind that is killed after the call and before it is written down.
    desk.platform.send(intent)
    Intent.objects.filter(pk=intent.pk).update(
        state=_STATE.SENDING,
        attempts=1,
        first_sent_at=desk.clock.time,
        last_sent_at=desk.clock.time,
        lease=intent.pk,
    )

    _run(desk)

    assert _states(Intent.Kind.BONUS) == [_STATE.CONFIRMED]
    assert len(desk.simulator.ledger("bonus")) == 1


def test_too_little_money_is_said_and_nothing_more_is_asked_for(desk: Desk) -> None:
    desk.simulator.leave("1.00")

    _publish(desk)
    _run(desk)

    first, second = Intent.objects.filter(kind=Intent.Kind.PUBLISH).order_by("planned_at")
    assert (first.state, second.state) == (_STATE.REFUSED, _STATE.REFUSED)
    assert "Mechanical Turk refused the request because the" in first.said
    assert len(desk.calls("CreateHITWithHITType")) == 1
    assert commitments.committed(desk.listing.study, "USD") == 0


def test_closing_ends_every_hit(desk: Desk) -> None:
    _publish(desk)
    _run(desk, minutes=10)

    publishing.close(listing=desk.listing, by=desk.listing.study.owner)
    _run(desk, minutes=10)

    hits = desk.simulator.client().list_hits()["HITs"]
    assert {hit["HITStatus"] for hit in hits} == {"Reviewable"}
    assert set(desk.listing.tickets.values_list("state", flat=True)) == {"closed"}
    assert desk.simulator.on_hold == 0


def test_who_took_part_sees_no_more_hits_once_the_platform_showed_it(desk: Desk) -> None:
    _publish(desk)
    _run(desk, minutes=10)
    ticket = desk.listing.tickets.earliest("pk")
    bot, task = desk.accept("AW1", ticket)
    visit = desk.visit("AW1", ticket, task.assignment_id)
    Visit.objects.filter(pk=visit.pk).update(state=Visit.State.WORKING)
    bot.submit(task, {"receipt": visits.receipt(visit)})
    group = ticket.details["HITGroupId"]
    assert group in bot.groups()

    for _n in range(2):
        reconciling.poll(desk.listing)
        _run(desk, minutes=5)

    visit.refresh_from_db()
    assert (
        visit.verified_at
        == desk.simulator.client().get_assignment(AssignmentId=visit.submission_id)["Assignment"][
            "SubmitTime"
        ]
    )
    assert _states(Intent.Kind.GRANT) == [_STATE.CONFIRMED]
    assert bot.groups() == []


def test_a_wrong_receipt_grants_nothing(desk: Desk) -> None:
    _publish(desk)
    _run(desk, minutes=10)
    ticket = desk.listing.tickets.earliest("pk")
    visit = desk.work("AW1", ticket, {"receipt": "invented"})
    Visit.objects.filter(pk=visit.pk).update(state=Visit.State.WORKING)

    reconciling.poll(desk.listing)

    visit.refresh_from_db()
    assert (visit.verified_at, visit.remote_state) == (None, "submitted")
    assert visit.doubt
    assert _states(Intent.Kind.GRANT) == []
