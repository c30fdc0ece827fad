"""Funds: what is held, settled, released and paid, each with a line in the ledger."""

from decimal import Decimal

from tests.simulators.mturk import fees
from tests.simulators.mturk.entities import (
    ACCEPTED,
    SUBMITTED,
    Assignment,
    Entry,
    Hit,
    HitType,
)
from tests.simulators.mturk.errors import RequestError
from tests.simulators.mturk.world import SANDBOX, World

ZERO = Decimal("0.00")
CHARGES = ("reward", "reward_fee", "bonus", "bonus_fee")


def note(
    world: World,
    kind: str,
    amount: Decimal,
    *,
    hit_id: str = "",
    assignment_id: str = "",
    worker_id: str = "",
    token: str = "",
) -> None:
    seq = world.number()
    world.ledger.append(
        Entry(seq, world.now, kind, amount, hit_id, assignment_id, worker_id, token)
    )


def deposit(world: World, amount: Decimal) -> None:
    world.balance += amount
    note(world, "deposit", amount)


def require(world: World, amount: Decimal) -> None:
    """Refuse what the account cannot pay; the sandbox has no end of money."""
    if world.mode != SANDBOX and amount > world.available:
        raise RequestError(
            "InsufficientFunds",
            f"You do not have enough funds: this costs ${amount} and ${world.available} is left.",
        )


def unit_fee(world: World, hit_type: HitType, n_assignments: int) -> Decimal:
    return fees.fee_of_reward(
        hit_type.reward,
        n_assignments=n_assignments,
        masters=hit_type.needs(world.masters_type),
    )


def unit_cost(world: World, hit_type: HitType, n_assignments: int) -> Decimal:
    return hit_type.reward + unit_fee(world, hit_type, n_assignments)


def liability(world: World, hit: Hit) -> Decimal:
    """What may still have to be paid for a HIT: open places, work in hand, work not reviewed."""
    if hit.disposed_at is not None:
        return ZERO
    states = [a.status for a in world.live_assignments(hit)]
    owed = sum(state in (ACCEPTED, SUBMITTED) for state in states)
    if hit.expiration > world.now:
        owed += hit.max_assignments - len(states)
    return owed * unit_cost(world, world.hit_type(hit), hit.max_assignments)


def hold_again(world: World, hit: Hit) -> None:
    """Hold as much for this HIT as may still have to be paid, and note the difference."""
    change = liability(world, hit) - hit.held
    if change:
        note(world, "hold" if change > 0 else "release", abs(change), hit_id=hit.hit_id)
        world.on_hold += change
        hit.held += change


def pay_reward(world: World, assignment: Assignment) -> None:
    hit = world.hits[assignment.hit_id]
    hit_type = world.hit_type(hit)
    _pay(world, assignment, "reward", hit_type.reward)
    _pay(world, assignment, "reward_fee", unit_fee(world, hit_type, hit.max_assignments))


def pay_bonus(world: World, assignment: Assignment, amount: Decimal, token: str) -> None:
    _pay(world, assignment, "bonus", amount, token)
    _pay(world, assignment, "bonus_fee", fees.fee_of_bonus(amount), token)


def _pay(
    world: World, assignment: Assignment, kind: str, amount: Decimal, token: str = ""
) -> None:
    world.balance -= amount
    note(
        world,
        kind,
        amount,
        hit_id=assignment.hit_id,
        assignment_id=assignment.assignment_id,
        worker_id=assignment.worker_id,
        token=token,
    )
