"""What goes wrong on order: each fault names the requests it hits and how often."""

import copy
import itertools
import re
import threading
from dataclasses import dataclass, field

from tests.simulators.prolific.errors import invalid
from tests.simulators.prolific.world import Row

KINDS = {
    "throttle": "429 with Retry-After, nothing done",
    "500_before": "500, nothing done",
    "timeout_before": "nothing done, no answer, the connection is closed in the end",
    "commit_then_500": "done, answered with 500",
    "commit_then_drop": "done, the connection is cut",
    "commit_then_hang": "done, no answer, the connection is closed in the end",
    "latency": "answered late",
    "truncated_json": "done, half of the answer",
    "wrong_content_type": "nothing done, an HTML page with status 503",
    "stale_read": "GET answered from the state of the moment at which the fault was ordered",
    "service_closed": "403 for everything that writes, until the faults are cleared",
    "lose_submission": "the participant is thanked, the platform has kept nothing",
}
BEFORE = ("throttle", "500_before", "timeout_before", "wrong_content_type", "service_closed")


@dataclass
class Fault:
    """One order: `times` 0 means until cleared, `nth` counts the matching requests from 1."""

    n: int
    kind: str
    method: str = ""
    path: str = ""
    nth: int = 1
    times: int = 1
    seconds: float = 20.0
    stale: Row = field(default_factory=dict)
    seen: int = 0
    fired: int = 0

    def shown(self) -> Row:
        return {k: v for k, v in vars(self).items() if k != "stale"}


class Faults:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._orders: list[Fault] = []
        self._numbers = itertools.count(1)

    def order(self, body: Row, state: Row) -> Fault:
        kind, match = body.get("kind"), body.get("match") or {}
        if kind not in KINDS:
            raise invalid(kind=f"{kind!r} is not one of {', '.join(KINDS)}.")
        fault = Fault(
            next(self._numbers),
            kind,
            method=match.get("method", "").upper(),
            path=match.get("path", ""),
            nth=int(match.get("nth", 1)),
            times=int(body.get("times", 0 if kind == "service_closed" else 1)),
            seconds=min(float(body.get("seconds", 20.0)), 120.0),
        )
        re.compile(fault.path)
        if kind == "stale_read":
            fault.stale = copy.deepcopy(state)
        with self._lock:
            self._orders.append(fault)
        return fault

    def clear(self) -> None:
        with self._lock:
            self._orders.clear()

    def shown(self) -> list[Row]:
        with self._lock:
            return [fault.shown() for fault in self._orders]

    def for_request(self, method: str, path: str) -> Fault | None:
        """The first order that hits this request; it is counted as used."""
        with self._lock:
            for fault in self._orders:
                if not _fits(fault, method, path):
                    continue
                fault.seen += 1
                if fault.seen >= fault.nth and not 0 < fault.times <= fault.fired:
                    fault.fired += 1
                    return fault
        return None


def _fits(fault: Fault, method: str, path: str) -> bool:
    if fault.kind == "stale_read" and method != "GET":
        return False
    if fault.kind == "service_closed" and method == "GET":
        return False
    return fault.method in ("", method) and re.search(fault.path, path) is not None
