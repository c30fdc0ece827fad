"""What goes wrong on purpose, as boto3 meets it, and what was done all the same."""

import time
from decimal import Decimal
from typing import Any

import botocore.exceptions
import pytest

from tests.simulators.crowd import ANSWER, create_hit, hit_values, refusal, submit_one
from tests.simulators.mturk import ControlError, MturkSimulator
from tests.simulators.mturk.bot import WorkerBot
from tests.simulators.mturk.faults import KINDS

_REFUSED = {
    "throttle": "ThrottlingException",
    "500_before": "ServiceFault",
    "insufficient_funds": "InsufficientFunds",
    "service_closed": "AccessDeniedException",
}
_HUNG = botocore.exceptions.ReadTimeoutError
_DROPPED = botocore.exceptions.ConnectionClosedError


def _n_hits(client: Any) -> int:
    return int(client.list_hits()["NumResults"])


@pytest.mark.parametrize(("kind", "code"), _REFUSED.items())
def test_refusals_before_anything_is_done(
    mturk: MturkSimulator, client: Any, kind: str, code: str
) -> None:
    mturk.fault(kind, "CreateHIT")

    assert refusal(client.create_hit, **hit_values())[0] == code
    assert _n_hits(client) == 0
    create_hit(client)
    first, second = mturk.journal("CreateHIT")
    assert (first["fault"], first["committed"]) == (kind, False)
    assert (second["fault"], second["committed"]) == ("", True)


def test_a_server_error_has_the_status_500(mturk: MturkSimulator, client: Any) -> None:
    mturk.fault("500_before", "ListHITs")

    with pytest.raises(client.exceptions.ServiceFault) as caught:
        client.list_hits()

    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 500


def test_a_page_of_html_instead_of_an_answer(mturk: MturkSimulator, client: Any) -> None:
    mturk.fault("wrong_content_type", "CreateHIT")

    with pytest.raises(botocore.exceptions.ClientError) as caught:
        create_hit(client)

    metadata = caught.value.response["ResponseMetadata"]
    assert metadata["HTTPStatusCode"] == 503
    assert metadata["HTTPHeaders"]["content-type"] == "text/html"
    assert _n_hits(client) == 0


@pytest.mark.parametrize(
    ("kind", "error", "n_hits"),
    [
        ("timeout_before", _HUNG, 0),
        ("commit_then_hang", _HUNG, 1),
        ("commit_then_drop", _DROPPED, 1),
    ],
)
def test_no_answer_whether_it_was_done_or_not(
    mturk: MturkSimulator, client: Any, kind: str, error: type[Exception], n_hits: int
) -> None:
    mturk.fault(kind, "CreateHIT", seconds=2)

    with pytest.raises(error):
        create_hit(mturk.client(read_timeout=0.3))

    assert _n_hits(client) == n_hits


def test_a_hang_ends_by_itself(mturk: MturkSimulator) -> None:
    mturk.fault("timeout_before", "ListHITs", seconds=0.1)

    with pytest.raises(_DROPPED):
        mturk.client().list_hits()


def test_done_and_answered_with_an_error(mturk: MturkSimulator, client: Any) -> None:
    mturk.fault("commit_then_500", "CreateHIT")

    assert refusal(client.create_hit, **hit_values())[0] == "ServiceFault"
    assert _n_hits(client) == 1


def test_half_an_answer_reaches_the_caller_as_an_empty_success(
    mturk: MturkSimulator, client: Any
) -> None:
    mturk.fault("truncated_json", "CreateHIT")

    answer = client.create_hit(**hit_values())

    assert "HIT" not in answer
    assert _n_hits(client) == 1


def test_latency(mturk: MturkSimulator, client: Any) -> None:
    mturk.fault("latency", "GetAccountBalance", seconds=0.2)
    started = time.monotonic()

    assert client.get_account_balance()["AvailableBalance"] == "10000.00"

    assert time.monotonic() - started >= 0.2


def test_stale_reads_show_what_was_when_they_were_set(mturk: MturkSimulator, client: Any) -> None:
    hit = create_hit(client)
    mturk.fault("stale_read", times=2)
    assignment = submit_one(client, WorkerBot(mturk.worker_site, "A1"), hit)

    assert client.list_assignments_for_hit(HITId=hit["HITId"])["NumResults"] == 0
    assert refusal(client.get_assignment, AssignmentId=assignment)[0] == "AssignmentDoesNotExist"
    assert client.list_assignments_for_hit(HITId=hit["HITId"])["NumResults"] == 1


def test_an_expired_page_token_by_fault_and_by_time(mturk: MturkSimulator, client: Any) -> None:
    for _ in range(3):
        create_hit(client)
    token = client.list_hits(MaxResults=1)["NextToken"]
    mturk.fault("page_token_expired")

    spoilt = refusal(client.list_hits, MaxResults=1, NextToken=token)
    mturk.advance(3599)
    assert client.list_hits(MaxResults=1, NextToken=token)["NumResults"] == 1
    mturk.advance(1)
    late = refusal(client.list_hits, MaxResults=1, NextToken=token)
    foreign = refusal(client.list_worker_blocks, NextToken=token)

    assert spoilt[0] == late[0] == foreign[0] == "InvalidParameterValue"


def test_a_submission_that_the_platform_loses(mturk: MturkSimulator, client: Any) -> None:
    hit = create_hit(client)
    bot = WorkerBot(mturk.worker_site, "A1")
    mturk.fault("lose_external_submit", worker="A1")

    task = bot.accept()
    assert bot.submit(task, ANSWER) == "submitted"

    assert client.list_assignments_for_hit(HITId=hit["HITId"])["Assignments"] == []
    mturk.advance(3600)
    states = [a["status"] for a in mturk.state()["assignments"].values()]
    assert states == ["Abandoned"]


def test_a_submission_that_the_platform_lists_twice(mturk: MturkSimulator, client: Any) -> None:
    hit = create_hit(client)
    mturk.fault("dup_external_submit")
    assignment = submit_one(client, WorkerBot(mturk.worker_site, "A1"), hit)

    pages = client.get_paginator("list_assignments_for_hit").paginate(
        HITId=hit["HITId"], MaxResults=1
    )

    listed = [a["AssignmentId"] for page in pages for a in page["Assignments"]]
    assert listed == [assignment, assignment]
    client.approve_assignment(AssignmentId=assignment)
    assert mturk.charged == Decimal("1.80")


def test_a_closed_service_refuses_changes_and_still_reads(
    mturk: MturkSimulator, client: Any
) -> None:
    create_hit(client)
    mturk.configure(closed=True)

    for _ in range(3):
        assert refusal(client.create_hit, **hit_values())[0] == "AccessDeniedException"

    assert _n_hits(client) == 1


def test_a_fault_meets_the_nth_call_of_one_worker(mturk: MturkSimulator, client: Any) -> None:
    hit = create_hit(client, MaxAssignments=2)
    bonuses = [
        {
            "WorkerId": name,
            "AssignmentId": submit_one(client, WorkerBot(mturk.worker_site, name), hit),
            "BonusAmount": "0.10",
            "Reason": "More",
        }
        for name in ("A1", "A2")
    ]
    mturk.fault("throttle", "SendBonus", worker="A2", nth=2)

    for bonus in [*bonuses, bonuses[0]]:
        client.send_bonus(**bonus)

    assert refusal(client.send_bonus, **bonuses[1])[0] == "ThrottlingException"
    client.send_bonus(**bonuses[1])


def test_a_probability_draws_from_its_seed(mturk: MturkSimulator, client: Any) -> None:
    def spoilt(seed: int) -> list[bool]:
        mturk.clear_faults()
        mturk.fault("throttle", "ListHITs", times=None, probability=0.5, seed=seed)
        before = len(mturk.journal("ListHITs"))
        for _ in range(20):
            try:
                client.list_hits()
            except botocore.exceptions.ClientError:
                continue
        return [bool(row["fault"]) for row in mturk.journal("ListHITs")[before:]]

    first = spoilt(1)

    assert first == spoilt(1) != spoilt(2)
    assert 4 <= sum(first) <= 16


def test_closing_ends_what_hangs() -> None:
    with MturkSimulator(hang_s=60) as simulator:
        simulator.fault("commit_then_hang", "ListHITs")
        with pytest.raises(_HUNG):
            simulator.client(read_timeout=0.2).list_hits()
        started = time.monotonic()

    assert time.monotonic() - started < 10


def test_a_fault_that_would_never_happen_is_refused(mturk: MturkSimulator) -> None:
    with pytest.raises(ControlError, match="there is no fault 'lightning'"):
        mturk.fault("lightning")
    with pytest.raises(ControlError, match="cannot be matched by opp"):
        mturk.control("POST", "faults", {"kind": "throttle", "match": {"opp": "CreateHIT"}})


def test_every_kind_of_fault_is_tested_here() -> None:
    with open(__file__, encoding="utf-8") as file:
        text = file.read()

    assert [kind for kind in sorted(KINDS) if f'"{kind}"' not in text] == []
