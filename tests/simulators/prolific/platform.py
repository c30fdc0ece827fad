"""The rules tied to the clock: what is due, in the order in which it falls due."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.simulators.prolific import bonuses, rules, studies, submissions
from tests.simulators.prolific.world import Row, World

Due = tuple[float, int, Callable[[], None]]


def new_world(*, seed: str, config: Row | None = None, file: Path | None = None) -> World:
    world = World(seed=seed, config=config, file=file)
    world.due = due
    world.settle = studies.settle
    return world


def due(world: World) -> list[Due]:
    found: list[tuple[float, Callable[[], None]]] = []
    config = world.config
    for study in world.state["studies"].values():
        if study["status"] == rules.PUBLISHING:
            found.append(
                (
                    study["publish_due"],
                    partial(studies.set_status, world, study, rules.STUDY_ACTIVE),
                )
            )
    for row in world.state["submissions"].values():
        status = row["status"]
        end = partial(submissions.set_status, world, row, rules.TIMED_OUT)
        if status == rules.RESERVED:
            found.append((row["reserved_at"] + config["reserved_s"], end))
        elif status == rules.ACTIVE:
            longest = world.state["studies"][row["study_id"]]["maximum_allowed_time"]
            found.append((row["started_at"] + longest * 60, end))
        elif status == rules.PROCESSING:
            found.append((row["processing_until"], partial(submissions.finish, world, row)))
        elif status == rules.AWAITING_REVIEW:
            moment = row["completed_at"] + config["auto_approve_s"]
            found.append((moment, partial(submissions.approve, world, row)))
        if row["bulk_due"] is not None:
            found.append((row["bulk_due"], partial(submissions.finish_bulk, world, row)))
    found += [(at, partial(bonuses.settle, world, each)) for at, each in bonuses.due(world)]
    return [(moment, n, act) for n, (moment, act) in enumerate(found)]
