"""Letting people in and keeping them out, writing to them, and paying who could not hand in."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from annotation.core.platforms.base import Again, LookUpResult
from annotation.core.platforms.errors import DoubtfulError, RefusedError, UnavailableError
from annotation.crowds.platforms.mturk import client
from annotation.crowds.platforms.mturk.qualifications import done_name, entrance_name
from annotation.models import Intent, Ticket, Visit
from tests.crowds.platforms.mturk_desk import Desk, desk_at, make_listing
from tests.simulators.mturk.bot import BotRefusedError, WorkerBot
from tests.support.clock import Clock

pytestmark = pytest.mark.django_db

_KIND = Intent.Kind
_DOUBTS = [
    ("500_before", False),
    ("timeout_before", False),
    ("commit_then_500", True),
    ("commit_then_drop", True),
    ("commit_then_hang", True),
]


@pytest.fixture
def desk(clock: Clock, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.setattr(client, "_READ_SECONDS", 1)
    with desk_at(clock, settings, monkeypatch) as found:
        yield found


@pytest.fixture
def ticket(desk: Desk) -> Ticket:
    desk.listing.n_places = 18
    return desk.publish()[0]


@pytest.fixture
def visit(desk: Desk, ticket: Ticket) -> Visit:
    return desk.work("AW1", ticket)


def _grants(desk: Desk) -> list[tuple[str, str]]:
    """(qualification's name, status) of whom any was given to."""
    client = desk.simulator.client()
    types = client.list_qualification_types(
        MustBeRequestable=False, MustBeOwnedByCaller=True, MaxResults=100
    )["QualificationTypes"]
    return [
        (kind["Name"], status)
        for kind in types
        for status in ("Granted", "Revoked")
        for _row in client.list_workers_with_qualification_type(
            QualificationTypeId=kind["QualificationTypeId"], Status=status
        )["Qualifications"]
    ]


def _second_part(desk: Desk) -> Ticket:
    desk.listing = make_listing(study=desk.listing.study, phase_number=2, n_places=9)
    return desk.publish()[0]


def test_a_later_part_is_seen_by_nobody_until_they_are_let_in(desk: Desk, visit: Visit) -> None:
    second = _second_part(desk)
    group = second.details["HITGroupId"]
    bot = WorkerBot(desk.simulator.worker_site, "AW1")
    with pytest.raises(BotRefusedError):
        bot.accept(group)

    grant = desk.intent(_KIND.GRANT, visit=visit, reason_code="listing 2")
    desk.platform.send(grant)

    assert _grants(desk) == [(entrance_name(desk.listing.study, 2), "Granted")]
    assert desk.platform.look_up(grant).result == LookUpResult.DONE
    assert bot.accept(group).hit_id == second.remote_id

    revoke = desk.intent(_KIND.REVOKE, visit=visit, reason_code="listing 2")
    assert desk.platform.look_up(revoke).result == LookUpResult.UNKNOWN
    desk.platform.send(revoke)
    assert desk.platform.look_up(revoke).result == LookUpResult.DONE
    assert _grants(desk) == [(entrance_name(desk.listing.study, 2), "Revoked")]
    # Once more is the same.
    desk.platform.send(revoke)
    assert desk.platform.again(grant) == desk.platform.again(revoke) == Again.HARMLESS


def test_who_took_part_does_not_see_the_hits_any_more(desk: Desk, visit: Visit) -> None:
    (planned,) = desk.platform.plan_verified(visit)
    bot = WorkerBot(desk.simulator.worker_site, "AW1")
    group = visit.ticket.details["HITGroupId"]
    assert group in bot.groups()

    desk.platform.send(desk.of_plan(planned, visit=visit))

    assert _grants(desk) == [(done_name(desk.listing.study, 1), "Granted")]
    assert group not in bot.groups()
    assert group in desk.bot("AW2").groups()


def test_nothing_is_granted_where_people_may_come_twice(desk: Desk, visit: Visit) -> None:
    visit.listing.options = {**visit.listing.options, "once": False}

    assert desk.platform.plan_verified(visit) == []


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "is_done"), _DOUBTS)
@pytest.mark.parametrize("kind", [_KIND.GRANT, _KIND.REVOKE])
def test_a_doubtful_grant_is_found_out(
    desk: Desk, visit: Visit, kind: Intent.Kind, fault: str, is_done: bool
) -> None:
    _second_part(desk)
    operation = "AssociateQualificationWithWorker"
    if kind == _KIND.REVOKE:
        desk.platform.send(desk.intent(_KIND.GRANT, visit=visit))
        operation = "DisassociateQualificationFromWorker"
    intent = desk.intent(kind, visit=visit)
    n_before = len(desk.calls(operation))
    desk.simulator.fault(fault, operation, seconds=2)

    with pytest.raises(DoubtfulError):
        desk.platform.send(intent)

    assert len(desk.calls(operation)) == n_before + 1
    expected = LookUpResult.DONE if is_done else LookUpResult.UNKNOWN
    assert desk.platform.look_up(intent).result == expected
    desk.move(minutes=20)
    expected = LookUpResult.DONE if is_done else LookUpResult.NOT_DONE
    assert desk.platform.look_up(intent).result == expected
    desk.platform.send(intent)
    assert desk.platform.look_up(intent).result == LookUpResult.DONE


def test_qualifications_of_one_environment_are_not_used_in_another(
    desk: Desk, visit: Visit
) -> None:
    # A ticket of elsewhere names an id that must not be taken here.
    name = entrance_name(desk.listing.study, 1)
    Ticket.objects.create(
        listing=make_listing(study=desk.listing.study, environment="sandbox"),
        platform="mturk",
        environment="sandbox",
        remote_id="3ELSE",
        n_places=1,
        created_at=desk.clock.time,
        details={"qualifications": {name: "3FOREIGN"}},
    )

    sent = desk.platform.send(desk.intent(_KIND.GRANT, visit=visit))

    assert sent.remote_id != "3FOREIGN"
    assert _grants(desk) == [(name, "Granted")]


def test_somebody_unknown_to_the_platform_is_refused(desk: Desk, ticket: Ticket) -> None:
    stranger = desk.visit("ASTRANGER", ticket, "3NONE")

    with pytest.raises(RefusedError, match="ASTRANGER does not exist"):
        desk.platform.send(desk.intent(_KIND.GRANT, visit=stranger))


# -- messages ------------------------------------------------------------------------------------


def _message(desk: Desk, visit: Visit, text: str = "The next part is open.") -> Intent:
    return desk.intent(_KIND.MESSAGE, visit=visit, payload={"message": text})


def test_a_message_is_sent_once(desk: Desk, visit: Visit) -> None:
    desk.platform.send(desk.intent(_KIND.APPROVE, visit=visit))
    intent = _message(desk, visit)

    desk.platform.send(intent)

    (letter,) = desk.simulator.letters()
    assert letter["worker_id"] == "AW1"
    assert letter["text"] == "The next part is open."
    assert not desk.platform.is_marked(intent)
    assert letter["subject"] == desk.listing.study.title
    assert desk.platform.again(intent) == Again.NEVER
    # Nothing lists messages.
    desk.move(days=2)
    assert desk.platform.look_up(intent).result == LookUpResult.UNKNOWN


def test_a_message_that_was_not_passed_on_is_refused(desk: Desk, visit: Visit) -> None:
    # Only those whose work was reviewed can be written to.
    with pytest.raises(RefusedError, match="did not deliver the message: You have not reviewed"):
        desk.platform.send(_message(desk, visit))


def test_an_empty_message_is_refused_here(desk: Desk, visit: Visit) -> None:
    with pytest.raises(RefusedError, match="The message is empty"):
        desk.platform.send(_message(desk, visit, " \n"))
    assert desk.calls("NotifyWorkers") == []


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "is_done"), _DOUBTS)
def test_a_doubtful_message_is_never_sent_again_by_a_library(
    desk: Desk, visit: Visit, fault: str, is_done: bool
) -> None:
    desk.platform.send(desk.intent(_KIND.APPROVE, visit=visit))
    desk.simulator.fault(fault, "NotifyWorkers", seconds=2)

    with pytest.raises(DoubtfulError):
        desk.platform.send(_message(desk, visit))

    assert len(desk.calls("NotifyWorkers")) == 1
    assert len(desk.simulator.letters()) == is_done


# -- compensation --------------------------------------------------------------------------------


@pytest.fixture
def failed(desk: Desk, ticket: Ticket) -> Visit:
    """Somebody who did the work and could not hand it in."""
    bot, task = desk.accept("AW5", ticket)
    bot.give_back(task)
    return desk.visit("AW5", ticket, task.assignment_id)


def _compensation(desk: Desk, visit: Visit) -> Intent:
    return desk.intent(
        _KIND.COMPENSATE,
        visit=visit,
        payload={"message": "Sorry that it could not be handed in.\nPress OK & be paid."},
        pays=Decimal("1.50"),
    )


def _compensation_hit(desk: Desk, hit_id: str) -> dict[str, Any]:
    hit: dict[str, Any] = desk.simulator.client().get_hit(HITId=hit_id)["HIT"]
    return hit


def test_a_compensation_is_for_one_person_and_paid_by_itself(desk: Desk, failed: Visit) -> None:
    intent = _compensation(desk, failed)

    sent = desk.platform.send(intent)

    assert sent.ticket is None
    hit = _compensation_hit(desk, sent.remote_id)
    assert (hit["MaxAssignments"], hit["Reward"]) == (1, "1.50")
    assert intent.reference in hit["RequesterAnnotation"]
    assert desk.platform.is_marked(intent)
    other = desk.bot("AW6")
    with pytest.raises(BotRefusedError):
        other.accept(hit["HITGroupId"])
    bot = WorkerBot(desk.simulator.worker_site, "AW5")
    assert hit["HITGroupId"] in bot.groups()
    desk.simulator.advance(1)
    task = bot.accept(hit["HITGroupId"], hit["HITId"])
    assert desk.platform.look_up(intent).result == LookUpResult.DONE
    intent.remote_id = sent.remote_id
    assert not desk.platform.is_taken(intent)
    assert bot.submit(task, {"ok": "OK"}) == "submitted"
    desk.move(seconds=1)
    assert desk.platform.is_taken(intent)
    assert desk.platform.again(intent) == Again.IF_YOUNG


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "is_done"), _DOUBTS)
def test_a_doubtful_compensation_is_made_once(
    desk: Desk, failed: Visit, fault: str, is_done: bool
) -> None:
    intent = _compensation(desk, failed)
    desk.simulator.fault(fault, "CreateHIT", seconds=2)

    with pytest.raises(DoubtfulError):
        desk.platform.send(intent)

    found = desk.platform.look_up(intent)
    assert found.result == (LookUpResult.DONE if is_done else LookUpResult.UNKNOWN)
    if is_done:
        assert _compensation_hit(desk, found.sent.remote_id)["Reward"] == "1.50"
        with pytest.raises(DoubtfulError, match="HitAlreadyExists"):
            desk.platform.send(intent)
    else:
        desk.platform.send(intent)
    assert len([call for call in desk.calls("CreateHIT") if call["committed"]]) == 1


@pytest.mark.parametrize(
    "operation", ["CreateQualificationType", "AssociateQualificationWithWorker"]
)
@pytest.mark.parametrize("fault", ["500_before", "commit_then_drop"])
def test_what_comes_before_the_compensation_can_be_done_again(
    desk: Desk, failed: Visit, operation: str, fault: str
) -> None:
    intent = _compensation(desk, failed)
    desk.simulator.fault(fault, operation)

    with pytest.raises(UnavailableError):
        desk.platform.send(intent)
    assert desk.calls("CreateHIT") == []

    assert desk.platform.send(intent).remote_id
