"""HITs are made once each, whatever becomes of the answers."""

from collections.abc import Iterator
from datetime import timedelta
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
from annotation.crowds.platforms.mturk.qualifications import done_name
from annotation.models import Intent, Listing
from tests.crowds.platforms.mturk_desk import Desk, desk_at, make_listing
from tests.simulators.mturk.bot import BotRefusedError, WorkerBot
from tests.support.clock import Clock

pytestmark = pytest.mark.django_db

CREATE = "CreateHITWithHITType"


@pytest.fixture
def desk(clock: Clock, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.setattr(client, "_READ_SECONDS", 1)
    with desk_at(clock, settings, monkeypatch) as found:
        yield found


def _first(desk: Desk) -> Intent:
    return desk.of_plan(desk.platform.plan_publishing(desk.listing)[0])


def _hits(desk: Desk) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = desk.simulator.client().list_hits(MaxResults=100)["HITs"]
    return found


def test_25_places_are_three_hits_of_at_most_nine_of_one_type(desk: Desk) -> None:
    tickets = desk.publish()

    assert [ticket.n_places for ticket in tickets] == [9, 9, 7]
    assert len({ticket.group_id for ticket in tickets}) == 1
    assert len({ticket.details["HITGroupId"] for ticket in tickets}) == 1
    assert {ticket.expires_at for ticket in tickets} == {
        desk.simulator.now + timedelta(hours=7 * 24)
    }
    hits = _hits(desk)
    assert sorted(hit["HITId"] for hit in hits) == sorted(t.remote_id for t in tickets)
    for hit in hits:
        intent = Intent.objects.get(pk=hit["RequesterAnnotation"].removeprefix("intent:"))
        assert intent.kind == Intent.Kind.PUBLISH
        assert (hit["Reward"], hit["AutoApprovalDelayInSeconds"]) == ("1.50", 3 * 86_400)
        assert f"https://likeness.example/p/{desk.listing.token}/" in hit["Question"]
    # What is on hold is what was estimated.
    assert desk.simulator.on_hold == desk.platform.estimate(desk.listing).worst == Decimal("45")


def test_the_question_is_not_kept_with_the_ticket_and_the_token_is_the_intents(
    desk: Desk,
) -> None:
    intent = _first(desk)

    sent = desk.platform.send(intent)

    assert sent.ticket is not None
    assert "Question" not in sent.ticket.details
    (call,) = desk.calls(CREATE)
    assert call["body"]["UniqueRequestToken"] == intent.token
    assert call["body"]["RequesterAnnotation"] == f"intent:{intent.token}"
    # By its first characters a person finds it there.
    assert intent.reference in call["body"]["RequesterAnnotation"]
    assert desk.platform.is_marked(intent)


def test_only_those_above_98_percent_in_germany_who_did_not_take_part(desk: Desk) -> None:
    (ticket, *_) = desk.publish()

    (hit,) = [hit for hit in _hits(desk) if hit["HITId"] == ticket.remote_id]
    comparators = [one["Comparator"] for one in hit["QualificationRequirements"]]
    assert comparators == ["GreaterThan", "GreaterThan", "In", "DoesNotExist"]
    desk.bot("AGOOD")
    for worker_id, profile in {
        "AGOOD": {},
        "AFRANCE": {"country": "FR"},
        "A98": {"percent": 98},
        "ANEW": {"approved": 100, "percent": 100},
    }.items():
        desk.simulator.add_worker(
            worker_id, **{"approved": 101, "percent": 99, "country": "DE", **profile}
        )
    group = ticket.details["HITGroupId"]
    for worker_id in ("AFRANCE", "A98", "ANEW"):
        with pytest.raises(BotRefusedError):
            WorkerBot(desk.simulator.worker_site, worker_id).accept(group)
    task = WorkerBot(desk.simulator.worker_site, "AGOOD").accept(group)
    assert task.frame.startswith(f"https://likeness.example/p/{desk.listing.token}/?")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "error", "is_done"),
    [
        ("throttle", UnavailableError, False),
        ("insufficient_funds", RefusedError, False),
        ("service_closed", ServiceClosedError, False),
        ("500_before", DoubtfulError, False),
        ("timeout_before", DoubtfulError, False),
        ("wrong_content_type", DoubtfulError, False),
        ("commit_then_500", DoubtfulError, True),
        ("commit_then_drop", DoubtfulError, True),
        ("commit_then_hang", DoubtfulError, True),
        ("truncated_json", DoubtfulError, True),
    ],
)
def test_every_fault_at_a_hit_is_told_apart_and_found_out(
    desk: Desk, fault: str, error: type[Exception], is_done: bool
) -> None:
    intent = _first(desk)
    desk.simulator.fault(fault, CREATE, seconds=2)

    with pytest.raises(error) as caught:
        desk.platform.send(intent)
    assert type(caught.value) is error
    assert len(desk.calls(CREATE)) == 1

    found = desk.platform.look_up(intent)
    if is_done:
        assert found.result == LookUpResult.DONE
        assert found.sent.ticket is not None
        (hit,) = _hits(desk)
        assert desk.keep(found.sent).remote_id == hit["HITId"]
        return
    assert found.result == LookUpResult.UNKNOWN
    desk.move(minutes=15)
    assert desk.platform.look_up(intent).result == LookUpResult.NOT_DONE
    desk.platform.send(intent)
    assert len(_hits(desk)) == 1


def test_a_repeat_is_doubtful_and_found(desk: Desk) -> None:
    intent = _first(desk)
    first = desk.platform.send(intent)

    with pytest.raises(DoubtfulError, match="HitAlreadyExists"):
        desk.platform.send(intent)

    found = desk.platform.look_up(intent)
    assert (found.result, found.sent.remote_id) == (LookUpResult.DONE, first.remote_id)
    assert desk.platform.again(intent) == Again.IF_YOUNG
    assert len(_hits(desk)) == 1


def test_what_was_made_25_hours_ago_is_found_though_its_token_is_forgotten(desk: Desk) -> None:
    intent = _first(desk)
    desk.simulator.fault("commit_then_drop", CREATE)
    with pytest.raises(DoubtfulError):
        desk.platform.send(intent)

    desk.move(hours=25)

    # To send it would make a second one: hence IF_YOUNG, and asking first.
    assert desk.platform.again(intent) == Again.IF_YOUNG
    assert desk.platform.look_up(intent).result == LookUpResult.DONE
    assert len(_hits(desk)) == 1


def test_a_hit_is_found_behind_the_first_page(desk: Desk) -> None:
    client = desk.simulator.client()
    question = desk.platform.plan_publishing(desk.listing)[0].payload["hit"]["Question"]
    intent = _first(desk)
    desk.platform.send(intent)
    for _n in range(105):
        client.create_hit(
            LifetimeInSeconds=3600,
            AssignmentDurationInSeconds=600,
            Reward="0.01",
            Title="Other",
            Description="Other",
            Question=question,
            RequesterAnnotation="of somebody else",
        )

    assert desk.platform.look_up(intent).result == LookUpResult.DONE
    # What is not there is looked for on every page.
    n_before = len(desk.calls("ListHITs"))
    other = Intent(kind=intent.kind, listing=desk.listing, last_sent_at=desk.clock.time)
    assert desk.platform.look_up(other).result == LookUpResult.UNKNOWN
    assert len(desk.calls("ListHITs")) - n_before == 2
    # Half a list says nothing.
    desk.move(hours=1)
    desk.simulator.fault("page_token_expired", "ListHITs")
    with pytest.raises(UnavailableError, match="NextToken has expired"):
        desk.platform.look_up(other)


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault", ["throttle", "500_before", "wrong_content_type", "truncated_json", "timeout_before"]
)
def test_where_the_platform_cannot_be_asked_nothing_is_concluded(desk: Desk, fault: str) -> None:
    intent = _first(desk)
    desk.move(minutes=20)
    desk.simulator.fault(fault, "ListHITs", seconds=2)

    with pytest.raises(UnavailableError):
        desk.platform.look_up(intent)


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["500_before", "commit_then_drop", "throttle", "truncated_json"])
@pytest.mark.parametrize(
    "operation", ["CreateHITType", "ListQualificationTypes", "CreateQualificationType"]
)
def test_what_comes_before_the_hit_can_be_done_again(
    desk: Desk, operation: str, fault: str
) -> None:
    intent = _first(desk)
    desk.simulator.fault(fault, operation)

    with pytest.raises(UnavailableError):
        desk.platform.send(intent)
    assert desk.calls(CREATE) == []

    desk.platform.send(intent)
    assert len(_hits(desk)) == 1
    assert len(desk.simulator.state()["qualification_types"]) == 1


def test_an_own_qualification_is_made_once_though_it_is_listed_late(desk: Desk) -> None:
    desk.simulator.configure(qual_index_lag_s=300)
    desk.simulator.fault("commit_then_drop", "CreateQualificationType")
    intent = _first(desk)
    with pytest.raises(UnavailableError):
        desk.platform.send(intent)
    # It is there, and not yet in the list.
    with pytest.raises(UnavailableError, match="QualificationTypeAlreadyExists"):
        desk.platform.send(intent)

    desk.move(minutes=5)
    desk.keep(desk.platform.send(intent))

    desk.simulator.configure(qual_index_lag_s=3000)
    second = desk.platform.send(desk.of_plan(desk.platform.plan_publishing(desk.listing)[1]))
    assert second.ticket is not None
    name = done_name(desk.listing.study, 1)
    assert list(second.ticket.details["qualifications"]) == [name]
    assert len(desk.simulator.state()["qualification_types"]) == 1


def test_a_name_that_begins_alike_is_not_taken_for_ours(desk: Desk) -> None:
    name = done_name(desk.listing.study, 1)
    client = desk.simulator.client()
    client.create_qualification_type(
        Name=f"{name} and more", Description="other", QualificationTypeStatus="Active"
    )

    sent = desk.platform.send(_first(desk))

    assert sent.ticket is not None
    own = sent.ticket.details["qualifications"][name]
    assert (
        client.get_qualification_type(QualificationTypeId=own)["QualificationType"]["Name"] == name
    )


def test_closing_expires_a_hit_at_once_and_twice_is_the_same(desk: Desk) -> None:
    (ticket, other, *_) = desk.publish()
    intent = desk.intent(Intent.Kind.CLOSE, ticket=ticket)
    assert desk.platform.look_up(intent).result == LookUpResult.UNKNOWN

    desk.platform.send(intent)
    desk.platform.send(intent)

    states = {hit["HITId"]: hit["HITStatus"] for hit in _hits(desk)}
    assert states[ticket.remote_id] == "Reviewable"
    assert states[other.remote_id] == "Assignable"
    assert desk.platform.look_up(intent).result == LookUpResult.DONE
    assert desk.platform.again(intent) == Again.HARMLESS


@pytest.mark.parametrize("fault", ["500_before", "commit_then_500", "commit_then_drop"])
def test_a_doubtful_end_is_asked_for_again(desk: Desk, fault: str) -> None:
    (ticket, *_) = desk.publish()
    intent = desk.intent(Intent.Kind.CLOSE, ticket=ticket)
    desk.simulator.fault(fault, "UpdateExpirationForHIT")

    with pytest.raises(DoubtfulError):
        desk.platform.send(intent)

    is_done = fault != "500_before"
    expected = LookUpResult.DONE if is_done else LookUpResult.UNKNOWN
    assert desk.platform.look_up(intent).result == expected


def test_without_a_ticket_every_hit_of_the_listing_is_closed(desk: Desk) -> None:
    desk.publish()

    desk.platform.send(desk.intent(Intent.Kind.CLOSE))

    assert {hit["HITStatus"] for hit in _hits(desk)} == {"Reviewable"}


@pytest.mark.parametrize("kind", [Intent.Kind.PAUSE, Intent.Kind.RESUME, Intent.Kind.ASK_RETURN])
def test_what_mechanical_turk_cannot_do_is_refused(desk: Desk, kind: Intent.Kind) -> None:
    with pytest.raises(RefusedError, match="offers no way"):
        desk.platform.send(desk.intent(kind))
    assert desk.calls("") == []


def test_an_endpoint_that_is_not_there_did_nothing(desk: Desk, settings: Any) -> None:
    intent = _first(desk)
    settings.MTURK_ENDPOINTS = {"lab": ["http://127.0.0.1:9", "http://127.0.0.1:9"]}

    with pytest.raises(UnavailableError, match="cannot be reached"):
        desk.platform.send(intent)


def test_wrong_keys_are_refused_with_the_remedy(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MTURK_ACCESS_KEY_ID_LAB", "AKIAWRONG")

    with pytest.raises(UnavailableError, match="does not accept this server's credentials"):
        desk.platform.look_up(_first(desk))


def test_a_listing_without_the_once_rule_makes_no_qualification(desk: Desk) -> None:
    desk.listing = make_listing(options={"once": False})
    assert isinstance(desk.listing, Listing)

    desk.platform.send(_first(desk))

    assert desk.calls("CreateQualificationType") == []
