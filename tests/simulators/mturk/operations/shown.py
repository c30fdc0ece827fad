"""Rows as the API shows them."""

from typing import Any

from tests.simulators.mturk import life
from tests.simulators.mturk.entities import (
    ACCEPTED,
    APPROVED,
    REJECTED,
    VISIBLE,
    Assignment,
    Bonus,
    Grant,
    Hit,
    QualificationType,
)
from tests.simulators.mturk.errors import RequestError
from tests.simulators.mturk.world import SANDBOX, World


def stamp(world: World) -> str:
    """What the service hangs on its messages: a time, marked in the sandbox."""
    return f"{int(world.now * 1000)}" + (" s" if world.mode == SANDBOX else "")


def find_hit(world: World, hit_id: str) -> Hit:
    hit = world.hits.get(hit_id)
    if hit is None:
        raise RequestError("HITDoesNotExist", f"Hit {hit_id} does not exist.")
    if hit.disposed_at is not None:
        raise RequestError(
            "InvalidHITState", f"HIT {hit_id} is currently in the state 'Disposed'."
        )
    return hit


def is_visible(world: World, assignment: Assignment) -> bool:
    """Has the requester's side heard of this submission?"""
    return (
        assignment.status in VISIBLE
        and assignment.submitted_at is not None
        and world.now >= assignment.submitted_at + world.settings.list_lag_s
    )


def hit(world: World, row: Hit) -> dict[str, Any]:
    kind = world.hit_type(row)
    return {
        "HITId": row.hit_id,
        "HITTypeId": row.hit_type_id,
        "HITGroupId": kind.group_id,
        "CreationTime": row.created_at,
        "Title": kind.title,
        "Description": kind.description,
        "Keywords": kind.keywords,
        "Reward": kind.reward,
        "AutoApprovalDelayInSeconds": kind.auto_approval_s,
        "AssignmentDurationInSeconds": kind.duration_s,
        "QualificationRequirements": kind.requirements,
        "Question": row.question,
        "RequesterAnnotation": row.annotation,
        "HITStatus": life.status(world, row),
        "MaxAssignments": row.max_assignments,
        "Expiration": row.expiration,
        "HITReviewStatus": "NotReviewed",
        "NumberOfAssignmentsPending": life.count(world, row, ACCEPTED),
        "NumberOfAssignmentsAvailable": life.available(row),
        "NumberOfAssignmentsCompleted": life.count(world, row, APPROVED, REJECTED),
    }


def assignment(row: Assignment) -> dict[str, Any]:
    return {
        "AssignmentId": row.assignment_id,
        "WorkerId": row.worker_id,
        "HITId": row.hit_id,
        "AssignmentStatus": row.status,
        "AutoApprovalTime": row.auto_approval_at,
        "AcceptTime": row.accepted_at,
        "SubmitTime": row.submitted_at,
        "ApprovalTime": row.approved_at,
        "RejectionTime": row.rejected_at,
        "Deadline": row.deadline,
        "Answer": row.answer,
        "RequesterFeedback": row.feedback,
    }


def bonus(row: Bonus) -> dict[str, Any]:
    return {
        "WorkerId": row.worker_id,
        "BonusAmount": row.amount,
        "AssignmentId": row.assignment_id,
        "Reason": row.reason,
        "GrantTime": row.paid_at,
    }


def qualification_type(row: QualificationType) -> dict[str, Any]:
    return {
        "QualificationTypeId": row.type_id,
        "CreationTime": row.created_at,
        "Name": row.name,
        "Description": row.description,
        "Keywords": row.keywords,
        "QualificationTypeStatus": row.status,
        "RetryDelayInSeconds": row.retry_delay_s,
        "IsRequestable": True,
        "AutoGranted": row.auto_granted,
        "AutoGrantedValue": row.auto_granted_value if row.auto_granted else None,
    }


def grant(row: Grant) -> dict[str, Any]:
    return {
        "QualificationTypeId": row.type_id,
        "WorkerId": row.worker_id,
        "GrantTime": row.granted_at,
        "IntegerValue": row.value,
        "Status": row.status,
    }
