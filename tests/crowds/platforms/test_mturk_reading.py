"""What Mechanical Turk shows of a listing, to the last page and whatever stands in it."""

import itertools
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from annotation.core.platforms.base import Submission
from annotation.core.platforms.errors import TooLongError, UnavailableError
from annotation.models import Visit
from annotation.models.kinds import Outcome
from tests.crowds.platforms.mturk_desk import Desk, desk_at
from tests.simulators.mturk.bot import WorkerBot
from tests.support.clock import Clock

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk(clock: Clock, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    with desk_at(clock, settings, monkeypatch) as found:
        yield found


def _shown(desk: Desk) -> list[Submission]:
    return list(desk.platform.submissions(desk.listing))


def test_a_submission_with_its_times_and_its_receipt(desk: Desk) -> None:
    (ticket, *_) = desk.publish()
    accepted_at = desk.simulator.now
    bot, task = desk.accept("AW1", ticket)
    assert _shown(desk) == []
    desk.move(minutes=7)
    completion = desk.platform.completion(
        desk.visit("AW1", ticket, task.assignment_id), Outcome.COMPLETED, "the <receipt> & more"
    )
    fields = dict(completion.fields)
    del fields["assignmentId"]
    # Of the answers' copy nothing stays here: they may be withdrawn.
    fields |= {"answers": "I live in Y.", "other": "I live in Y."}

    assert bot.submit(task, fields, to=completion.url) == "submitted"

    (found,) = _shown(desk)
    assert found.submission_id == task.assignment_id
    assert (found.person_id, found.ticket_id) == ("AW1", ticket.remote_id)
    assert found.state == Visit.Remote.SUBMITTED
    assert found.handed_in == {"receipt": "the <receipt> & more", "outcome": "completed"}
    assert found.accepted_at == accepted_at
    assert found.submitted_at == accepted_at + timedelta(minutes=7)
    assert found.deadline == accepted_at + desk.platform.hand_in_time(desk.listing)
    assert found.raw["AssignmentId"] == task.assignment_id
    assert "I live in Y." not in str(found)


def test_all_three_states_over_several_hits(desk: Desk) -> None:
    first, second, _third = desk.publish()
    visits = [
        desk.work("AW1", first),
        desk.work("AW2", first),
        desk.work("AW3", second),
    ]
    client = desk.simulator.client()
    client.approve_assignment(AssignmentId=visits[1].submission_id)
    client.reject_assignment(AssignmentId=visits[2].submission_id, RequesterFeedback="no")

    found = {one.person_id: (one.ticket_id, one.state) for one in _shown(desk)}

    assert found == {
        "AW1": (first.remote_id, Visit.Remote.SUBMITTED),
        "AW2": (first.remote_id, Visit.Remote.APPROVED),
        "AW3": (second.remote_id, Visit.Remote.REJECTED),
    }


def test_what_takes_too_long_goes_on_with_other_hits_next_time(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, _third = desk.publish()
    for n, ticket in enumerate([first, first, second]):
        desk.work(f"AW{n}", ticket)
    # Fifty seconds go by for each page.
    monkeypatch.setattr("annotation.crowds.platforms.mturk.requester._PAGE", 1)
    ticks = itertools.count(0, 50)
    monkeypatch.setattr(
        "annotation.crowds.platforms.mturk.requester.monotonic", lambda: next(ticks)
    )

    def read_from(begin: int) -> list[str]:
        monkeypatch.setattr("annotation.crowds.platforms.mturk.looking.randrange", lambda n: begin)
        found: list[str] = []
        with pytest.raises(TooLongError, match="longer than 120 seconds"):
            found += (one.person_id for one in desk.platform.submissions(desk.listing))
        return found

    assert read_from(0) == ["AW0", "AW1"]
    assert read_from(1) == ["AW2"]


def test_every_page_is_read(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotation.crowds.platforms.mturk.requester._PAGE", 2)
    (ticket, *_) = desk.publish()
    for n in range(7):
        desk.work(f"AW{n}", ticket)

    assert sorted(one.person_id for one in _shown(desk)) == [f"AW{n}" for n in range(7)]
    calls = desk.calls("ListAssignmentsForHIT")
    assert len([call for call in calls if call["body"]["HITId"] == ticket.remote_id]) == 4


def test_half_a_list_is_no_list(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotation.crowds.platforms.mturk.requester._PAGE", 2)
    (ticket, *_) = desk.publish()
    for n in range(3):
        desk.work(f"AW{n}", ticket)
    desk.simulator.fault("page_token_expired", "ListAssignmentsForHIT")

    with pytest.raises(UnavailableError, match="expired"):
        _shown(desk)


@pytest.mark.parametrize(
    "fault", ["throttle", "500_before", "wrong_content_type", "truncated_json", "commit_then_drop"]
)
def test_where_it_cannot_be_asked_nothing_is_shown(desk: Desk, fault: str) -> None:
    desk.publish()
    desk.simulator.fault(fault, "ListAssignmentsForHIT")

    with pytest.raises(UnavailableError):
        _shown(desk)


def test_one_that_was_handed_in_twice_is_one(desk: Desk) -> None:
    (ticket, *_) = desk.publish()
    desk.simulator.fault("dup_external_submit")

    desk.work("AW1", ticket)

    assert [one.person_id for one in _shown(desk)] == ["AW1"]


def test_one_that_the_platform_lost_is_not_there(desk: Desk) -> None:
    (ticket, *_) = desk.publish()
    desk.simulator.fault("lose_external_submit")

    desk.work("AW1", ticket)

    assert _shown(desk) == []


def test_a_returned_id_that_another_worker_has_is_shown_as_theirs(desk: Desk) -> None:
    (ticket, *_) = desk.publish()
    bot, task = desk.accept("AW1", ticket)
    bot.give_back(task)
    other, again = desk.accept("AW2", ticket)
    assert again.assignment_id == task.assignment_id

    assert other.submit(again, {"receipt": "of the second"}) == "submitted"

    (found,) = _shown(desk)
    assert (found.submission_id, found.person_id) == (task.assignment_id, "AW2")
    assert found.handed_in == {"receipt": "of the second"}


def test_what_cannot_be_read_is_shown_without_fields(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (ticket, *_) = desk.publish()
    desk.work("AW1", ticket)
    monkeypatch.setattr(
        "annotation.crowds.platforms.mturk.questions._MAX_ANSWER_BYTES", 10
    )  # so that this answer is too long

    (found,) = _shown(desk)

    assert found.handed_in == {}
    assert "receipt" not in str(found.raw)
    assert f"assignment of HIT {ticket.remote_id}" in caplog.text
    assert "AW1" not in caplog.text


def test_a_hit_that_the_platform_threw_away_shows_nothing_more(desk: Desk) -> None:
    tickets = desk.publish()
    desk.work("AW1", tickets[0])
    desk.move(days=300)

    assert _shown(desk) == []


def test_a_hit_that_is_not_there_yet_is_no_empty_one(desk: Desk) -> None:
    (ticket, *_) = desk.publish()
    type(ticket).objects.filter(pk=ticket.pk).update(remote_id="3ELSEWHERE")

    with pytest.raises(UnavailableError, match="does not exist"):
        _shown(desk)


def test_a_real_launch_is_read_as_the_platform_shows_it_later(desk: Desk) -> None:
    (ticket, *_) = desk.publish()
    bot: WorkerBot = desk.bot("AW1")
    look = bot.preview(ticket.details["HITGroupId"], ticket.remote_id)
    task = bot.accept(ticket.details["HITGroupId"], ticket.remote_id)

    preview = desk.platform.read_launch(desk.listing, dict(parse_qsl(urlsplit(look.frame).query)))
    launch = desk.platform.read_launch(desk.listing, dict(parse_qsl(urlsplit(task.frame).query)))
    bot.submit(task, {"receipt": "r"})

    assert (preview.is_preview, preview.person_id) == (True, "")
    (found,) = _shown(desk)
    assert (launch.person_id, launch.submission_id, launch.ticket_id) == (
        found.person_id,
        found.submission_id,
        found.ticket_id,
    )
