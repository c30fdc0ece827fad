"""HITs and assignments from their creation to their end, as a real boto3 client sees them."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from tests.simulators.crowd import ANSWER, answered, create_hit, refusal, submit_one
from tests.simulators.mturk import MturkSimulator
from tests.simulators.mturk.bot import BotRefusedError, WorkerBot


def _status(client: Any, hit: dict[str, Any]) -> str:
    return str(client.get_hit(HITId=hit["HITId"])["HIT"]["HITStatus"])


def test_25_assignments_over_three_hits_of_at_most_nine(
    mturk: MturkSimulator, client: Any
) -> None:
    hits = [create_hit(client, MaxAssignments=n, RequesterAnnotation=f"h{n}") for n in (9, 9, 7)]
    bots = [WorkerBot(mturk.worker_site, f"A{n}") for n in range(25)]

    assert len({hit["HITGroupId"] for hit in hits}) == 1
    for bot in bots:
        assert bot.work(answered) == "submitted"

    pages = client.get_paginator("list_reviewable_hits").paginate(MaxResults=2)
    found = [hit["HITId"] for page in pages for hit in page["HITs"]]
    assert sorted(found) == sorted(hit["HITId"] for hit in hits)
    workers = set()
    for hit in hits:
        paginator = client.get_paginator("list_assignments_for_hit")
        for page in paginator.paginate(HITId=hit["HITId"], MaxResults=4):
            assert page["NumResults"] == len(page["Assignments"]) <= 4
            for assignment in page["Assignments"]:
                workers.add(assignment["WorkerId"])
                client.approve_assignment(AssignmentId=assignment["AssignmentId"])
        counts = client.get_hit(HITId=hit["HITId"])["HIT"]
        assert counts["NumberOfAssignmentsCompleted"] == hit["MaxAssignments"]
        client.delete_hit(HITId=hit["HITId"])
    assert len(workers) == 25
    assert client.list_hits()["HITs"] == []
    # 25 x (1.50 + 0.30): nothing is held any more.
    assert mturk.charged == Decimal("45.00")
    assert mturk.on_hold == 0


def test_lists_come_ten_at_a_time_unless_asked_otherwise(
    mturk: MturkSimulator, client: Any
) -> None:
    hit = create_hit(client, MaxAssignments=25)
    for n in range(25):
        submit_one(client, WorkerBot(mturk.worker_site, f"A{n}"), hit)

    sizes, token = [], {}
    while True:
        page = client.list_assignments_for_hit(HITId=hit["HITId"], **token)
        sizes.append(page["NumResults"])
        if "NextToken" not in page:
            break
        token = {"NextToken": page["NextToken"]}

    assert sizes == [10, 10, 5]


def test_a_hit_changes_its_state_with_its_counts(mturk: MturkSimulator, client: Any) -> None:
    hit = create_hit(client, MaxAssignments=2)
    first, second = (WorkerBot(mturk.worker_site, name) for name in ("A1", "A2"))

    assert _status(client, hit) == "Assignable"
    task = first.accept()
    assert _status(client, hit) == "Assignable"
    other = second.accept()
    assert _status(client, hit) == "Unassignable"
    second.give_back(other)
    assert _status(client, hit) == "Assignable"
    first.submit(task, ANSWER)
    second.work(answered)
    assert _status(client, hit) == "Reviewable"
    client.update_hit_review_status(HITId=hit["HITId"])
    assert _status(client, hit) == "Reviewing"
    assert refusal(client.delete_hit, HITId=hit["HITId"])[0] == "InvalidHITState"
    client.update_hit_review_status(HITId=hit["HITId"], Revert=True)
    assert _status(client, hit) == "Reviewable"


def test_a_returned_id_goes_to_the_next_worker_and_not_back_to_the_same(
    mturk: MturkSimulator, client: Any
) -> None:
    create_hit(client, MaxAssignments=3)
    first, second = (WorkerBot(mturk.worker_site, name) for name in ("A1", "A2"))
    task = first.accept()

    first.give_back(task)
    again = first.accept()
    handed_on = second.accept()

    assert again.assignment_id != task.assignment_id
    assert handed_on.assignment_id == task.assignment_id
    with pytest.raises(BotRefusedError) as caught:
        first.submit(task, ANSWER)
    assert caught.value.outcome == "not_yours"
    assert second.submit(handed_on, ANSWER) == "submitted"
    found = client.get_assignment(AssignmentId=task.assignment_id)["Assignment"]
    assert found["WorkerId"] == "A2"


def test_ids_are_new_where_they_are_not_to_be_used_again(
    mturk: MturkSimulator, client: Any
) -> None:
    mturk.configure(reuse_assignment_ids=False)
    create_hit(client)
    first, second = (WorkerBot(mturk.worker_site, name) for name in ("A1", "A2"))
    task = first.accept()

    first.give_back(task)

    assert second.accept().assignment_id != task.assignment_id


def test_work_not_sent_by_its_deadline_is_abandoned(mturk: MturkSimulator, client: Any) -> None:
    hit = create_hit(client)
    late, last = (WorkerBot(mturk.worker_site, name) for name in ("A1", "A2"))
    task = late.accept()

    mturk.advance(3599)
    assert _status(client, hit) == "Unassignable"
    mturk.advance(1)
    assert _status(client, hit) == "Assignable"

    with pytest.raises(BotRefusedError) as caught:
        late.submit(task, ANSWER)
    assert caught.value.outcome == "too_late"
    assert last.work(answered) == "submitted"


def test_accepted_work_may_be_sent_after_the_hit_expired(
    mturk: MturkSimulator, client: Any
) -> None:
    hit = create_hit(client, MaxAssignments=2)
    bot = WorkerBot(mturk.worker_site, "A1")
    task = bot.accept()

    client.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=0)

    assert _status(client, hit) == "Unassignable"
    assert WorkerBot(mturk.worker_site, "A2").groups() == []
    assert bot.submit(task, ANSWER) == "submitted"
    assert _status(client, hit) == "Reviewable"
    counts = client.get_hit(HITId=hit["HITId"])["HIT"]
    # Submitted = all - available - pending - completed.
    assert counts["NumberOfAssignmentsAvailable"] == 1
    assert counts["NumberOfAssignmentsPending"] == 0


def test_a_hit_expires_by_itself_and_can_be_extended(mturk: MturkSimulator, client: Any) -> None:
    hit = create_hit(client, LifetimeInSeconds=3600, MaxAssignments=2)

    mturk.advance(3600)
    assert _status(client, hit) == "Reviewable"
    assert mturk.on_hold == 0
    client.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=mturk.now + timedelta(hours=1))

    assert _status(client, hit) == "Assignable"
    assert mturk.on_hold == Decimal("3.60")


def test_a_fresh_hit_can_only_be_expired(mturk: MturkSimulator, client: Any) -> None:
    hit = create_hit(client, MaxAssignments=2)
    more = {"HITId": hit["HITId"], "NumberOfAdditionalAssignments": 1}

    code, message = refusal(client.create_additional_assignments_for_hit, **more)
    assert (code, "moments ago" in message) == ("InvalidHITState", True)
    mturk.advance(5)
    client.create_additional_assignments_for_hit(**more)

    assert client.get_hit(HITId=hit["HITId"])["HIT"]["MaxAssignments"] == 3


def test_fewer_than_ten_assignments_never_become_ten(mturk: MturkSimulator, client: Any) -> None:
    small, large = create_hit(client, MaxAssignments=9), create_hit(client, MaxAssignments=10)
    mturk.advance(5)
    call = client.create_additional_assignments_for_hit

    code, _ = refusal(call, HITId=small["HITId"], NumberOfAdditionalAssignments=1)
    call(HITId=large["HITId"], NumberOfAdditionalAssignments=1)

    assert code == "InvalidMaximumAssignmentsIncrease"
    # 11 x (1.50 + 0.60) + 9 x (1.50 + 0.30)
    assert mturk.on_hold == Decimal("39.30")


def test_what_nobody_reviews_is_approved_by_time(mturk: MturkSimulator, client: Any) -> None:
    hit = create_hit(client)
    assignment = submit_one(client, WorkerBot(mturk.worker_site, "A1"), hit)

    mturk.advance(timedelta(days=3) - timedelta(seconds=1))
    before = client.get_assignment(AssignmentId=assignment)["Assignment"]
    mturk.advance(timedelta(days=2))
    after = client.get_assignment(AssignmentId=assignment)["Assignment"]

    assert before["AssignmentStatus"] == "Submitted"
    assert after["AssignmentStatus"] == "Approved"
    assert after["ApprovalTime"] == after["SubmitTime"] + timedelta(days=3)
    code, message = refusal(
        client.reject_assignment, AssignmentId=assignment, RequesterFeedback="no"
    )
    assert code == "InvalidAssignmentState"
    assert "can be called with a status of: Submitted" in message


def test_a_delay_of_nothing_approves_at_once(mturk: MturkSimulator, client: Any) -> None:
    hit = create_hit(client, AutoApprovalDelayInSeconds=0)

    assignment = submit_one(client, WorkerBot(mturk.worker_site, "A1"), hit)

    found = client.get_assignment(AssignmentId=assignment)["Assignment"]
    assert found["AssignmentStatus"] == "Approved"


def test_a_rejection_can_be_overridden_for_thirty_days(mturk: MturkSimulator, client: Any) -> None:
    hit = create_hit(client, MaxAssignments=2)
    first, second = (
        submit_one(client, WorkerBot(mturk.worker_site, name), hit) for name in ("A1", "A2")
    )
    for assignment in (first, second):
        client.reject_assignment(AssignmentId=assignment, RequesterFeedback="Empty.")
    assert mturk.charged == mturk.on_hold == 0

    assert refusal(client.approve_assignment, AssignmentId=first)[0] == "InvalidAssignmentState"
    mturk.advance(timedelta(days=30))
    client.approve_assignment(AssignmentId=first, OverrideRejection=True)
    mturk.advance(1)
    late = refusal(client.approve_assignment, AssignmentId=second, OverrideRejection=True)

    assert late[0] == "InvalidAssignmentState"
    assert mturk.charged == Decimal("1.80")


def test_hidden_assignments_answer_as_in_a_strange_state(
    mturk: MturkSimulator, client: Any
) -> None:
    hit = create_hit(client)
    task = WorkerBot(mturk.worker_site, "A1").accept()

    assert client.list_assignments_for_hit(HITId=hit["HITId"])["Assignments"] == []
    approving = refusal(client.approve_assignment, AssignmentId=task.assignment_id)
    reading = refusal(client.get_assignment, AssignmentId=task.assignment_id)

    assert "with a status of: null" in approving[1]
    assert "Reviewable,Approved,Rejected" in reading[1]
    assert refusal(client.get_assignment, AssignmentId="3NONE")[0] == "AssignmentDoesNotExist"


def test_a_submission_shows_after_the_lag(mturk: MturkSimulator, client: Any) -> None:
    mturk.configure(list_lag_s=60)
    hit = create_hit(client)
    assignment = submit_one(client, WorkerBot(mturk.worker_site, "A1"), hit)

    mturk.advance(59)
    assert client.list_assignments_for_hit(HITId=hit["HITId"])["NumResults"] == 0
    assert "null" in refusal(client.approve_assignment, AssignmentId=assignment)[1]
    mturk.advance(1)
    assert client.list_assignments_for_hit(HITId=hit["HITId"])["NumResults"] == 1


def test_hits_are_disposed_of_by_hand_or_by_time(mturk: MturkSimulator, client: Any) -> None:
    gone, old = create_hit(client), create_hit(client)
    assert refusal(client.delete_hit, HITId=gone["HITId"])[0] == "InvalidHITState"

    client.update_expiration_for_hit(HITId=gone["HITId"], ExpireAt=0)
    client.delete_hit(HITId=gone["HITId"])

    assert refusal(client.get_hit, HITId=gone["HITId"])[0] == "HITDoesNotExist"
    assert "'Disposed'" in refusal(client.delete_hit, HITId=gone["HITId"])[1]
    mturk.advance(timedelta(days=127) - timedelta(seconds=1))
    assert _status(client, old) == "Reviewable"
    mturk.advance(1)
    assert refusal(client.get_hit, HITId=old["HITId"])[0] == "HITDoesNotExist"


def test_hit_types_of_equal_values_are_one(mturk: MturkSimulator, client: Any) -> None:
    values = {
        "AssignmentDurationInSeconds": 3600,
        "Reward": "0.5",
        "Title": "Compare",
        "Description": "Texts",
    }

    first = client.create_hit_type(**values)["HITTypeId"]
    same = client.create_hit_type(**{**values, "Reward": "0.50"})["HITTypeId"]
    other = client.create_hit_type(**{**values, "Reward": "0.51"})["HITTypeId"]

    assert first == same != other


def test_a_hit_moves_to_another_type_until_somebody_accepts(
    mturk: MturkSimulator, client: Any
) -> None:
    hit, other = create_hit(client), create_hit(client, Reward="2.00")
    move = {"HITId": hit["HITId"], "HITTypeId": other["HITTypeId"]}
    mturk.advance(5)

    client.update_hit_type_of_hit(**move)
    WorkerBot(mturk.worker_site, "A1").accept(other["HITGroupId"], hit["HITId"])

    assert mturk.on_hold == Decimal("4.80")
    assert refusal(client.update_hit_type_of_hit, **move)[0] == "InvalidHITState"
