"""Operations that make and change HITs."""

from typing import Any

from tests.simulators.mturk import fees, life, money, questions
from tests.simulators.mturk.entities import ACCEPTED, SUBMITTED, Hit, HitType
from tests.simulators.mturk.errors import NotSimulatedError, RequestError, invalid
from tests.simulators.mturk.notices import tell
from tests.simulators.mturk.operations import limits, shown, tokens
from tests.simulators.mturk.world import World

Values = dict[str, Any]
_NOT_SIMULATED = (
    "AssignmentReviewPolicy",
    "HITReviewPolicy",
    "HITLayoutId",
    "HITLayoutParameters",
)


def _hit_type(world: World, values: Values) -> HitType:
    """A HIT type of these values; not stored yet, unless there is one with the same values."""
    title = limits.text(values, "Title", 128, least=1)
    description = limits.text(values, "Description", 2000, least=1)
    keywords = limits.text(values, "Keywords", 1000)
    reward = limits.money(values, "Reward")
    duration_s = limits.number(values, "AssignmentDurationInSeconds", 30, limits.YEAR_S)
    auto_s = limits.number(values, "AutoApprovalDelayInSeconds", 0, limits.MONTH_S, limits.MONTH_S)
    requirements = limits.requirements(world, values)
    for known in world.hit_types.values():
        same = (
            (known.title, known.description, known.keywords, known.reward)
            == (title, description, keywords, reward)
            and (known.duration_s, known.auto_approval_s) == (duration_s, auto_s)
            and known.requirements == requirements
        )
        if same:
            return known
    return HitType(
        world.new_id("type"),
        world.new_id("group"),
        title,
        description,
        keywords,
        reward,
        duration_s,
        auto_s,
        requirements,
        world.number(),
    )


def create_hit_type(world: World, values: Values) -> Values:
    kind = _hit_type(world, values)
    world.hit_types[kind.hit_type_id] = kind
    return {"HITTypeId": kind.hit_type_id}


def create_hit(world: World, values: Values) -> Values:
    return _create(world, "CreateHIT", values)


def create_hit_with_hit_type(world: World, values: Values) -> Values:
    return _create(world, "CreateHITWithHITType", values)


def _create(world: World, operation: str, values: Values) -> Values:
    for name in _NOT_SIMULATED:
        if name in values:
            raise NotSimulatedError(name)
    tokens.refuse_repeat(world, operation, values, "HitAlreadyExists")
    lifetime_s = limits.number(values, "LifetimeInSeconds", 30, limits.YEAR_S)
    most = limits.number(values, "MaxAssignments", 1, 1_000_000_000, 1)
    annotation = limits.text(values, "RequesterAnnotation", 255)
    if "Question" not in values:
        raise invalid("A HIT needs a Question.")
    questions.check(values["Question"], allow_local_http=world.settings.allow_local_http)
    kind = (
        _hit_type(world, values)
        if operation == "CreateHIT"
        else _known_type(world, values["HITTypeId"])
    )
    money.require(world, most * money.unit_cost(world, kind, most))

    world.hit_types[kind.hit_type_id] = kind
    hit = Hit(
        world.new_id("hit"),
        kind.hit_type_id,
        world.number(),
        world.now,
        world.now + lifetime_s,
        most,
        values["Question"],
        annotation,
    )
    world.hits[hit.hit_id] = hit
    tokens.remember(world, operation, values, f"HIT {hit.hit_id}")
    life.expire_at(world, hit, hit.expiration)
    tell(world, "HITCreated", hit)
    return {"HIT": shown.hit(world, hit)}


def _known_type(world: World, type_id: str) -> HitType:
    if type_id not in world.hit_types:
        raise RequestError("HITTypeDoesNotExist", f"HITType {type_id} does not exist.")
    return world.hit_types[type_id]


def _refuse_fresh(world: World, hit: Hit) -> None:
    """In the first seconds of a HIT nothing but expiring it at once is possible."""
    if world.now < hit.created_at + world.settings.fresh_hit_s:
        raise RequestError(
            "InvalidHITState", f"HIT {hit.hit_id} was created moments ago: try again later."
        )


def create_additional_assignments(world: World, values: Values) -> Values:
    operation = "CreateAdditionalAssignmentsForHIT"
    tokens.refuse_repeat(world, operation, values, "DuplicateRequest")
    hit = shown.find_hit(world, values["HITId"])
    more = limits.number(values, "NumberOfAdditionalAssignments", 1, 1_000_000_000)
    _refuse_fresh(world, hit)
    most = hit.max_assignments + more
    if hit.max_assignments < fees.MANY_ASSIGNMENTS <= most:
        raise RequestError(
            "InvalidMaximumAssignmentsIncrease",
            f"A HIT created with fewer than {fees.MANY_ASSIGNMENTS} assignments cannot be"
            f" extended to {most}.",
        )
    if hit.expiration > world.now:
        money.require(world, more * money.unit_cost(world, world.hit_type(hit), most))

    hit.max_assignments = most
    tokens.remember(world, operation, values, f"request for HIT {hit.hit_id}")
    tell(world, "HITExtended", hit)
    life.settle(world, hit)
    return {}


def update_expiration(world: World, values: Values) -> Values:
    hit = shown.find_hit(world, values["HITId"])
    at = max(float(values["ExpireAt"]), 0.0)
    if at <= world.now:
        # What expired stays expired since then.
        life.expire_at(world, hit, min(hit.expiration, world.now))
        return {}
    _refuse_fresh(world, hit)
    if at < hit.expiration and not world.settings.may_shorten_expiration:
        raise invalid("The expiration of a HIT cannot be moved to an earlier time but now.")
    if at > hit.created_at + limits.YEAR_S:
        raise invalid("A HIT lives at most a year.")
    if hit.expiration <= world.now:
        unit = money.unit_cost(world, world.hit_type(hit), hit.max_assignments)
        money.require(world, life.available(hit) * unit)
    if at > hit.expiration:
        tell(world, "HITExtended", hit)
    life.expire_at(world, hit, at)
    return {}


def update_type_of_hit(world: World, values: Values) -> Values:
    hit = shown.find_hit(world, values["HITId"])
    kind = _known_type(world, values["HITTypeId"])
    _refuse_fresh(world, hit)
    if hit.assignment_ids:
        raise RequestError(
            "InvalidHITState", f"HIT {hit.hit_id} already has accepted or submitted assignments."
        )
    if hit.expiration > world.now:
        unit = money.unit_cost(world, kind, hit.max_assignments)
        money.require(world, hit.max_assignments * unit - hit.held)
    hit.hit_type_id = kind.hit_type_id
    life.settle(world, hit)
    return {}


def update_review_status(world: World, values: Values) -> Values:
    hit = shown.find_hit(world, values["HITId"])
    state, revert = life.status(world, hit), values.get("Revert", False)
    wanted = "Reviewing" if revert else "Reviewable"
    if state != wanted:
        raise RequestError(
            "InvalidHITState", f"This operation can be called with a status of: {wanted}"
        )
    hit.reviewing = not revert
    return {}


def delete_hit(world: World, values: Values) -> Values:
    hit = shown.find_hit(world, values["HITId"])
    states = ["Reviewable"] + ["Reviewing"] * world.settings.delete_reviewing
    if life.status(world, hit) not in states or life.count(world, hit, ACCEPTED, SUBMITTED):
        raise RequestError(
            "InvalidHITState",
            f"HIT {hit.hit_id} can be deleted once it is {' or '.join(states)}"
            " and every assignment is approved or rejected.",
        )
    life.dispose(world, hit)
    return {}


OPERATIONS = {
    "CreateHITType": create_hit_type,
    "CreateHIT": create_hit,
    "CreateHITWithHITType": create_hit_with_hit_type,
    "CreateAdditionalAssignmentsForHIT": create_additional_assignments,
    "UpdateExpirationForHIT": update_expiration,
    "UpdateHITTypeOfHIT": update_type_of_hit,
    "UpdateHITReviewStatus": update_review_status,
    "DeleteHIT": delete_hit,
}
