"""The hand behind the curtain: `/_sim/`, for tests and for whoever runs the simulator."""

from datetime import datetime
from typing import Any

from tests.simulators.prolific import groups, rules, studies, submissions, tokens
from tests.simulators.prolific.errors import Refusal, invalid
from tests.simulators.prolific.faults import KINDS, Faults
from tests.simulators.prolific.wire import Answer, Request, Routes
from tests.simulators.prolific.world import World, iso


def clock_shown(world: World) -> dict[str, Any]:
    return {"mode": world.state["clock"]["mode"], "at": world.now(), "iso": iso(world.now())}


def routes(faults: Faults) -> Routes:
    table = Routes("/_sim")
    _clock(table)
    _people(table)
    _records(table, faults)
    return table


def _clock(table: Routes) -> None:
    @table.on("GET", "/clock")
    def clock(world: World, request: Request) -> Answer:
        return Answer(body=clock_shown(world))

    @table.on("POST", "/clock")
    def move(world: World, request: Request) -> Answer:
        """`advance_s`, `set` (seconds or ISO) and `mode` (still, running), in this order."""
        body = request.json()
        if "advance_s" in body:
            world.move_clock(to=world.now() + float(body["advance_s"]))
        if "set" in body:
            to = body["set"]
            moment = datetime.fromisoformat(to).timestamp() if isinstance(to, str) else float(to)
            world.move_clock(to=moment)
        if "mode" in body:
            if body["mode"] not in ("still", "running"):
                raise invalid(mode="still or running")
            world.run_clock(running=body["mode"] == "running")
        return Answer(body=clock_shown(world))


def _people(table: Routes) -> None:
    @table.on("POST", "/participants")
    def participant(world: World, request: Request) -> Answer:
        """`id`, or `name` for an id of its own; `attributes`: what filters look at."""
        body = request.json()
        key = groups.named(world, str(body["name"]))["id"] if "name" in body else str(body["id"])
        return Answer(201, groups.participant(world, key, **body.get("attributes", {})))

    @table.on("GET", "/participants")
    def participants(world: World, request: Request) -> Answer:
        return Answer(body={"results": list(world.state["participants"].values())})

    @table.on("POST", "/wallet")
    def wallet(world: World, request: Request) -> Answer:
        """`top_up` or `set`, in cents."""
        body = request.json()
        change = body.get("top_up", 0)
        if "set" in body:
            change = body["set"] - world.state["wallet"]["balance"]
        world.book("top_up", int(change))
        return Answer(body=_wallet(world))

    @table.on("GET", "/wallet")
    def wallet_shown(world: World, request: Request) -> Answer:
        return Answer(body=_wallet(world))

    @table.on("POST", "/token")
    def token(world: World, request: Request) -> Answer:
        """A token for `submission`, of the kind `variant`, and the address that carries it."""
        body = request.json()
        row, variant = submissions.find(world, body["submission"]), body.get("variant", "good")
        if variant not in tokens.VARIANTS:
            raise invalid(variant=f"{variant!r} is not one of {', '.join(tokens.VARIANTS)}.")
        said = None if variant == "missing" else tokens.mint(world, row, variant)
        return Answer(body={"token": said, "url": tokens.address(world, row, variant)})

    @table.on("POST", "/rotate-key")
    def rotate(world: World, request: Request) -> Answer:
        keep = bool(request.json().get("keep_old", True))
        return Answer(body={"kid": tokens.rotate(world, keep_old=keep)})


def _wallet(world: World) -> dict[str, int]:
    balance, free = world.state["wallet"]["balance"], studies.available(world)
    return {"balance": balance, "held": balance - free, "available": free}


def _records(table: Routes, faults: Faults) -> None:
    @table.on("GET", "/health")
    def health(world: World, request: Request) -> Answer:
        return Answer(body={"ok": True, "platform": "prolific", "clock": clock_shown(world)})

    @table.on("POST", "/reset")
    def reset(world: World, request: Request) -> Answer:
        world.reset()
        faults.clear()
        return Answer(body={"ok": True})

    @table.on("GET", "/config")
    def config_shown(world: World, request: Request) -> Answer:
        return Answer(body=world.config)

    @table.on("POST", "/config")
    def config(world: World, request: Request) -> Answer:
        knobs = request.json()
        try:
            rules.check_config(knobs)
        except ValueError as error:
            raise Refusal(400, str(error)) from error
        world.config.update(knobs)
        return Answer(body=world.config)

    @table.on("GET", "/journal")
    def journal(world: World, request: Request) -> Answer:
        """Every request; `path` and `method` choose."""
        rows = [
            row
            for row in world.journal
            if request.asked("path") in row["path"]
            and request.asked("method").upper() in ("", row["method"])
        ]
        return Answer(body={"results": rows})

    @table.on("GET", "/ledger")
    def ledger(world: World, request: Request) -> Answer:
        return Answer(body={"results": world.state["ledger"], **_wallet(world)})

    @table.on("GET", "/state")
    def state(world: World, request: Request) -> Answer:
        return Answer(body={k: v for k, v in world.state.items() if k != "keys"})

    @table.on("POST", "/snapshot")
    def snapshot(world: World, request: Request) -> Answer:
        return Answer(body=world.snapshot())

    @table.on("POST", "/restore")
    def restore(world: World, request: Request) -> Answer:
        world.restore(request.json())
        return Answer(body={"ok": True})

    @table.on("GET", "/faults")
    def faults_shown(world: World, request: Request) -> Answer:
        return Answer(body={"results": faults.shown(), "kinds": KINDS})

    @table.on("POST", "/faults")
    def fault(world: World, request: Request) -> Answer:
        return Answer(201, faults.order(request.json(), world.state).shown())

    @table.on("DELETE", "/faults")
    def no_faults(world: World, request: Request) -> Answer:
        faults.clear()
        return Answer(204)

    @table.on("GET", "/hooks")
    def events(world: World, request: Request) -> Answer:
        return Answer(body={"results": world.state["events"]})

    @table.on("POST", "/hooks/redeliver")
    def redeliver(world: World, request: Request) -> Answer:
        """Send every event again, or the one of `event`."""
        wanted = request.json().get("event")
        for event in world.state["events"]:
            if wanted in (None, event["id"]):
                event.update(status="PENDING", next_at=world.now())
        return Answer(body={"ok": True})
