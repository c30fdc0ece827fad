"""The control interface under /_sim/: clock, people, money, faults, and what happened."""

import copy
import json
from collections.abc import Callable
from dataclasses import fields
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from tests.simulators.mturk import money, notices, snapshots
from tests.simulators.mturk.entities import Worker
from tests.simulators.mturk.http import Reply, Request
from tests.simulators.mturk.service import FIRST_FUNDS, Service

Values = dict[str, Any]


class Control:
    def __init__(self, service: Service) -> None:
        self._service = service
        self._routes: dict[str, Callable[[Values], Any]] = {
            "GET health": self._health,
            "POST reset": self._reset,
            "GET clock": self._clock,
            "POST clock": self._set_clock,
            "GET workers": self._workers,
            "POST workers": self._add_workers,
            "GET funds": self._funds,
            "POST funds": self._add_funds,
            "GET config": self._config,
            "POST config": self._set_config,
            "GET journal": self._journal,
            "GET ledger": self._ledger,
            "GET state": lambda _: self._service.state(),
            "POST snapshot": lambda _: {"snapshot": snapshots.dump(self._service.world)},
            "POST restore": self._restore,
            "GET faults": lambda _: self._service.faults.shown(),
            "POST faults": self._add_fault,
            "POST faults/clear": lambda _: self._service.faults.clear(),
            "GET queue": lambda _: snapshots.plain(self._service.world.notices),
            "POST queue": lambda _: snapshots.plain(notices.receive(self._service.world)),
            "POST notifications": self._set_notifications,
            "GET letters": lambda _: snapshots.plain(self._service.world.letters),
        }

    def answer(self, request: Request) -> Reply:
        route = self._routes.get(f"{request.method} {request.path.removeprefix('/_sim/')}")
        if route is None:
            return _json(404, {"error": f"there is no {request.method} {request.path}"})
        try:
            values = json.loads(request.body or b"{}")
            with self._service.lock:
                self._service.catch_up()
                return _json(200, route(values))
        except (ValueError, TypeError, KeyError, InvalidOperation) as error:
            return _json(400, {"error": f"{type(error).__name__}: {error}"})

    def _health(self, _: Values) -> Values:
        world = self._service.world
        return {
            "ok": True,
            "mode": world.mode,
            "now": world.now,
            "worker_site": self._service.worker_origin,
        }

    def _reset(self, values: Values) -> Values:
        self._service.reset(
            mode=values.get("mode"),
            seed=values.get("seed", 0),
            now=_moment(values["now"]) if "now" in values else None,
            funds=Decimal(values.get("funds", str(FIRST_FUNDS))),
        )
        return self._health({})

    def _clock(self, _: Values) -> Values:
        now = self._service.world.now
        return {
            "now": now,
            "iso": datetime.fromtimestamp(now, UTC).isoformat(),
            "follow": self._service.follows_real_time,
        }

    def _set_clock(self, values: Values) -> Values:
        if "follow" in values:
            self._service.follow(real_time=bool(values["follow"]))
        if "set" in values:
            self._service.move_clock(_moment(values["set"]))
        if "advance_s" in values:
            self._service.move_clock(self._service.world.now + float(values["advance_s"]))
        return self._clock({})

    def _workers(self, _: Values) -> Any:
        return snapshots.plain(list(self._service.world.workers.values()))

    def _add_workers(self, values: Values | list[Values]) -> Any:
        known = {field.name for field in fields(Worker)}
        for row in values if isinstance(values, list) else [values]:
            if unknown := sorted(set(row) - known):
                raise ValueError(f"a worker has no {', '.join(unknown)}")
            worker = self._service.worker(row["worker_id"])
            for name, value in row.items():
                setattr(worker, name, value)
        return self._workers({})

    def _funds(self, _: Values) -> Values:
        world = self._service.world
        return {
            "balance": str(world.balance),
            "on_hold": str(world.on_hold),
            "available": str(world.available),
        }

    def _add_funds(self, values: Values) -> Values:
        """Add `deposit`, or make `available` what it says."""
        world = self._service.world
        if "deposit" in values:
            money.deposit(world, Decimal(values["deposit"]))
        if "available" in values:
            money.deposit(world, Decimal(values["available"]) - world.available)
        return self._funds({})

    def _config(self, _: Values) -> Any:
        return snapshots.plain(self._service.world.settings)

    def _set_config(self, values: Values) -> Any:
        self._service.world.settings.change(values)
        return self._config({})

    def _set_notifications(self, values: Values) -> Any:
        return self._set_config({f"notices_{name}": value for name, value in values.items()})

    def _journal(self, _: Values) -> Any:
        return self._service.journal

    def _ledger(self, _: Values) -> Values:
        entries = self._service.world.ledger
        charged = sum((e.amount for e in entries if e.kind in money.CHARGES), Decimal("0.00"))
        return {
            **self._funds({}),
            "charged": str(charged),
            "entries": snapshots.plain(entries),
        }

    def _restore(self, values: Values) -> Values:
        self._service.world = snapshots.load(values["snapshot"])
        return self._health({})

    def _add_fault(self, values: Values) -> Values:
        rule = self._service.faults.add(values)
        if rule.kind == "stale_read":
            rule.copy = copy.deepcopy(self._service.world)
            # Pages begun on the old memory may be continued on the new one.
            rule.copy.pages = self._service.world.pages
            rule.copy.seed = -1 - rule.number
        return rule.shown()


def _moment(value: Any) -> float:
    """A time as seconds since 1970 or as ISO text with its offset."""
    if isinstance(value, str):
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is None:
            raise ValueError(f"the time {value} has no offset from UTC")
        return moment.timestamp()
    return float(value)


def _json(status: int, value: Any) -> Reply:
    return Reply(status, json.dumps(value).encode(), "application/json")
