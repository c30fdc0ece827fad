"""What the simulated Connect knows: projects, assignments, a wallet in whole cents."""

from collections.abc import Callable
from decimal import ROUND_UP, Decimal
from functools import partial
from typing import Any

from tests.simulators.prolific.errors import Refusal
from tests.simulators.prolific.world import Row, World

LIVE, PAUSED, UNPUBLISHED = "Live", "Paused", "Unpublished"
COMPLETED, CLOSED, ARCHIVED = "Completed", "Closed", "Archived"
PENDING, APPROVED, REJECTED = "Pending", "Approved", "Rejected"
STATES = (UNPUBLISHED, PAUSED, LIVE, CLOSED, COMPLETED, ARCHIVED)
MOVES = {
    UNPUBLISHED: {LIVE, ARCHIVED},
    LIVE: {PAUSED},
    PAUSED: {LIVE, CLOSED},
}
DAY = 24 * 60 * 60
DEFAULTS: Row = {
    "token": "simulated-key",
    "fee": "0.25",
    "bonus_fee": "0.25",
    "auto_approve_s": 14 * DAY,
    "tokens_live_s": DAY,
    "lists_unfinished": True,  # assignments of people who are still at work
    "bonus_lag_s": 0,  # until an assignment shows a bonus that was paid
    "changes": {},  # fields of a project that are kept otherwise than they were sent
}


class ConnectWorld(World):
    """Its state, and what the clock brings about."""

    def new_state(self, *, moment: float, config: Row) -> Row:
        return {
            "seed": self.seed,
            "counter": 0,
            "clock": {"mode": "still", "at": moment},
            "config": {**DEFAULTS, **config},
            "wallet": {"balance": 1_000_000},
            "projects": {},
            "assignments": {},
            "bonuses": [],
            "tokens": {},
            "ledger": [],
        }

    def check_config(self, knobs: Row) -> None:
        if unknown := knobs.keys() - DEFAULTS.keys():
            raise ValueError(f"no knob {', '.join(sorted(unknown))}")


def new_world(*, seed: str, config: Row, file: Any = None) -> ConnectWorld:
    world = ConnectWorld(seed=seed, config=config, file=file)
    world.due = due
    return world


def due(world: World) -> list[tuple[float, int, Callable[[], None]]]:
    waiting = []
    for row in world.state["assignments"].values():
        if row["status"] == PENDING and row["completed_at"] is not None:
            moment = row["completed_at"] + world.config["auto_approve_s"]
            waiting.append((moment, row["n"], partial(decide, world, row, APPROVED)))
    return waiting


# Money, in cents and apart from the application's own sums


def charge(world: World, cents: int, *, is_bonus: bool = False) -> int:
    """What leaves the wallet when somebody receives so much."""
    rate = Decimal(world.config["bonus_fee" if is_bonus else "fee"])
    return cents + int((cents * rate).to_integral_value(ROUND_UP))


def cost(world: World, project: Row) -> int:
    return charge(world, cents_of(project["payment"])) * int(project["participants"])


def cents_of(dollars: Any) -> int:
    return round(Decimal(str(dollars)) * 100)


def available(world: World) -> int:
    """The wallet without what is held for places, and for work that waits for a decision."""
    held = 0
    for project in world.state["projects"].values():
        rows = assignments_of(world, project)
        unit = charge(world, cents_of(project["payment"]))
        if project["status"] in (LIVE, PAUSED):
            n_paid = sum(row["status"] == APPROVED for row in rows)
            held += unit * max(0, project["participants"] - n_paid)
        else:
            held += unit * sum(
                row["status"] == PENDING and row["completed_at"] is not None for row in rows
            )
    return int(world.state["wallet"]["balance"] - held)


# Projects


def project_of(world: World, key: str) -> Row:
    if key not in world.state["projects"]:
        raise Refusal(404, f"Project {key} was not found.")
    project: Row = world.state["projects"][key]
    return project


def assignments_of(world: World, project: Row) -> list[Row]:
    rows = world.state["assignments"].values()
    return [row for row in rows if row["project"] == project["projectId"]]


def move(world: World, project: Row, status: Any) -> None:
    if status not in STATES:
        raise Refusal(400, f"{status} is no status.")
    if status not in MOVES.get(project["status"], ()):
        raise Refusal(400, f"A project that is {project['status']} cannot become {status}.")
    if (
        status == LIVE
        and project["status"] == UNPUBLISHED
        and cost(world, project) > available(world)
    ):
        raise Refusal(400, "Insufficient funds.")
    project["status"] = status


# Assignments


def why_not(world: World, project: Row, person: str) -> str | None:
    if project["status"] != LIVE:
        return f"The project is {project['status']}."
    excluded = (project.get("platformTargeting") or {}).get("projects", {})
    barred = {project["projectId"], *excluded.get("excludedProjects", ())}
    rows = world.state["assignments"].values()
    if any(row["project"] in barred and row["person"] == person for row in rows):
        return "You have taken part already."
    taken = [row for row in assignments_of(world, project) if row["status"] != REJECTED]
    return "All places are taken." if len(taken) >= project["participants"] else None


def begin(world: World, project: Row, person: str) -> Row:
    if reason := why_not(world, project, person):
        raise Refusal(403, reason)
    key = world.new_id("assignment")
    row = {
        "id": key,
        "n": world.state["counter"],
        "project": project["projectId"],
        "person": person,
        "begun_at": world.now(),
        "completed_at": None,
        "status": PENDING,
        "code": None,
    }
    world.state["assignments"][key] = row
    return row


def complete(world: World, row: Row, code: str) -> None:
    row.update(completed_at=world.now(), code=code)
    project = project_of(world, row["project"])
    done = [
        each
        for each in assignments_of(world, project)
        if each["completed_at"] is not None and each["status"] != REJECTED
    ]
    if project["status"] == LIVE and len(done) >= project["participants"]:
        project["status"] = COMPLETED


def decide(world: World, row: Row, status: str) -> None:
    """Approving is final; what was rejected can still be approved."""
    if row["completed_at"] is None or row["status"] == APPROVED or row["status"] == status:
        raise Refusal(400, f"Assignment {row['id']} is {row['status']}.")
    if status == APPROVED:
        total = charge(world, cents_of(project_of(world, row["project"])["payment"]))
        world.book("reward", -total, assignment=row["id"], participant=row["person"])
    row["status"] = status


def pay(world: World, row: Row, cents: int, *, token: str = "") -> None:
    """`token`: of the request, by which a test knows a payment again."""
    total = charge(world, cents, is_bonus=True)
    about = {"assignment": row["id"], "participant": row["person"]}
    world.book("bonus", -total, pays=cents, token=token, **about)
    world.state["bonuses"].append({"id": row["id"], "cents": cents, "at": world.now()})


def shown_bonus(world: World, row: Row) -> int:
    until = world.now() - world.config["bonus_lag_s"]
    paid = [each for each in world.state["bonuses"] if each["id"] == row["id"]]
    return sum(each["cents"] for each in paid if each["at"] <= until)
