"""How HITs and assignments change: by what people do, by what requesters call, and by time."""

from decimal import Decimal

from tests.simulators.mturk import money
from tests.simulators.mturk.entities import (
    ABANDONED,
    ACCEPTED,
    APPROVED,
    REJECTED,
    RETURNED,
    SUBMITTED,
    Assignment,
    Hit,
    Worker,
)
from tests.simulators.mturk.errors import WorkerRefusedError
from tests.simulators.mturk.notices import tell
from tests.simulators.mturk.qualifying import why_not
from tests.simulators.mturk.world import World


def count(world: World, hit: Hit, *states: str) -> int:
    return sum(a.status in states for a in world.live_assignments(hit))


def available(hit: Hit) -> int:
    return hit.max_assignments - len(hit.assignment_ids)


def status(world: World, hit: Hit) -> str:
    """The HIT's state follows from its counts and the clock alone."""
    if hit.disposed_at is not None:
        return "Disposed"
    expired = hit.expiration <= world.now
    if not expired and available(hit):
        return "Assignable"
    if count(world, hit, ACCEPTED):
        return "Unassignable"
    return "Reviewing" if hit.reviewing else "Reviewable"


def settle(world: World, hit: Hit) -> None:
    """After any change of a HIT: correct what is held and announce what began."""
    state = status(world, hit)
    if hit.expiration <= world.now and not hit.told_expired:
        hit.told_expired = True
        tell(world, "HITExpired", hit)
    elif hit.expiration > world.now:
        hit.told_expired = False
    if state in ("Assignable", "Unassignable"):
        hit.told_reviewable = hit.reviewing = False
    elif state == "Reviewable" and not hit.told_reviewable:
        hit.told_reviewable = True
        tell(world, "HITReviewable", hit)
    money.hold_again(world, hit)


def move_clock(world: World, to: float) -> None:
    """Let time pass: everything due happens at its own time, in order."""
    while due := world.next_due(to):
        at, kind, subject = due
        world.now = max(world.now, at)
        _happen(world, kind, subject)
    world.now = max(world.now, to)


def _happen(world: World, kind: str, subject: str) -> None:
    if kind == "expire":
        hit = world.hits[subject]
        if hit.disposed_at is None:
            settle(world, hit)
    elif kind == "dispose":
        hit = world.hits[subject]
        if hit.expiration + world.settings.retention_s <= world.now:
            dispose(world, hit)
    elif kind == "deadline":
        assignment = world.assignments[subject]
        if assignment.status == ACCEPTED and assignment.deadline <= world.now:
            _let_go(world, assignment, ABANDONED)
    elif kind == "auto_approve":
        assignment = world.assignments[subject]
        if assignment.status == SUBMITTED:
            approve(world, assignment, None, automatic=True)


def expire_at(world: World, hit: Hit, at: float) -> None:
    hit.expiration = at
    world.plan(at, "expire", hit.hit_id)
    world.plan(at + world.settings.retention_s, "dispose", hit.hit_id)
    settle(world, hit)


def dispose(world: World, hit: Hit) -> None:
    if hit.disposed_at is None:
        hit.disposed_at = world.now
        settle(world, hit)
        tell(world, "HITDisposed", hit)


def accept(world: World, hit: Hit, worker: Worker) -> Assignment:
    """Give the worker a place in this HIT, or say why not."""
    if status(world, hit) != "Assignable":
        raise WorkerRefusedError("There are no more of these HITs available.", outcome="none_left")
    if any(a.worker_id == worker.worker_id for a in world.live_assignments(hit)):
        raise WorkerRefusedError("You have already accepted this HIT.", outcome="already")
    if worker.worker_id in world.blocks:
        raise WorkerRefusedError("You are not permitted to work on this HIT.", outcome="blocked")
    if reason := why_not(world, worker, world.hit_type(hit), "Accept"):
        raise WorkerRefusedError(reason, outcome="not_qualified")
    queue = [a for a in world.assignments.values() if a.worker_id == worker.worker_id]
    if sum(a.status == ACCEPTED for a in queue) >= world.settings.max_queue:
        raise WorkerRefusedError("Your queue of HITs is full.", outcome="queue_full")

    assignment_id = _id_for(world, hit, worker)
    hit.assignment_ids.append(assignment_id)
    deadline = world.now + world.hit_type(hit).duration_s
    assignment = Assignment(
        assignment_id, hit.hit_id, worker.worker_id, world.number(), world.now, deadline
    )
    world.assignments[assignment_id] = assignment
    world.plan(deadline, "deadline", assignment_id)
    tell(world, "AssignmentAccepted", hit, assignment)
    settle(world, hit)
    return assignment


def _id_for(world: World, hit: Hit, worker: Worker) -> str:
    """A new id, or one that another worker gave back."""
    if world.settings.reuse_assignment_ids:
        for pair in hit.given_back:
            if pair[1] != worker.worker_id:
                hit.given_back.remove(pair)
                world.earlier.append(world.assignments[pair[0]])
                return pair[0]
    return world.new_id("assignment")


def give_back(world: World, assignment: Assignment) -> None:
    hit = world.hits[assignment.hit_id]
    hit.given_back.append([assignment.assignment_id, assignment.worker_id])
    _let_go(world, assignment, RETURNED)


def _let_go(world: World, assignment: Assignment, how: str) -> None:
    hit = world.hits[assignment.hit_id]
    assignment.status = how
    assignment.ended_at = world.now
    hit.assignment_ids.remove(assignment.assignment_id)
    tell(world, f"Assignment{how}", hit, assignment)
    settle(world, hit)


def submit(world: World, assignment: Assignment, answer: str) -> None:
    hit = world.hits[assignment.hit_id]
    assignment.status = SUBMITTED
    assignment.submitted_at = world.now
    assignment.auto_approval_at = world.now + world.hit_type(hit).auto_approval_s
    assignment.answer = answer
    world.plan(assignment.auto_approval_at, "auto_approve", assignment.assignment_id)
    tell(world, "AssignmentSubmitted", hit, assignment)
    settle(world, hit)


def approve(
    world: World, assignment: Assignment, feedback: str | None, *, automatic: bool = False
) -> None:
    hit = world.hits[assignment.hit_id]
    assignment.status = APPROVED
    assignment.approved_at = world.now
    assignment.was_automatic = automatic
    if feedback is not None:
        assignment.feedback = feedback
    money.pay_reward(world, assignment)
    tell(world, "AssignmentApproved", hit, assignment)
    settle(world, hit)


def reject(world: World, assignment: Assignment, feedback: str) -> None:
    hit = world.hits[assignment.hit_id]
    assignment.status = REJECTED
    assignment.rejected_at = world.now
    assignment.feedback = feedback
    tell(world, "AssignmentRejected", hit, assignment)
    settle(world, hit)


def earned(world: World, worker_id: str) -> Decimal:
    kinds = ("reward", "bonus")
    return sum(
        (e.amount for e in world.ledger if e.worker_id == worker_id and e.kind in kinds),
        Decimal("0.00"),
    )
