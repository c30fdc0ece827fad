"""Everything the simulated platform knows: one dictionary that can be written to a file."""

import contextlib
import copy
import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.simulators.prolific import rules

Row = dict[str, Any]


def iso(moment: float | None) -> str | None:
    if moment is None:
        return None
    text = datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def new_state(*, seed: str, moment: float, config: Row) -> Row:
    return {
        "seed": seed,
        "counter": 0,
        "clock": {"mode": "still", "at": moment},
        "config": {**rules.default_config(), **config},
        "wallet": {"balance": 1_000_000},
        "participants": {},
        "groups": {},
        "studies": {},
        "submissions": {},
        "batches": {},
        "payments": [],
        "messages": [],
        "secrets": {},
        "subscriptions": {},
        "events": [],
        "ledger": [],
        "keys": [],
    }


class World:
    """The state behind one lock, its clock, and who is told when it has changed.

    `due` gives what the clock has brought about, as (moment, what to do); `settle` follows every
    change. Both are set by `platform.py`, which knows the rules.
    """

    def __init__(self, *, seed: str, config: Row | None = None, file: Path | None = None) -> None:
        self.lock = threading.RLock()
        self.seed = seed
        self.file = file
        self.site = ""
        self.journal: list[Row] = []
        self.closing = threading.Event()
        self.changed = threading.Condition(self.lock)
        self.due: Callable[[World], list[tuple[float, int, Callable[[], None]]]] = lambda _: []
        self.settle: Callable[[World], None] = lambda _: None
        self._given = config or {}
        self.check_config(self._given)
        self._moment: float | None = None
        if file is not None and file.exists():
            stored = json.loads(file.read_text())
            self.state: Row = stored["state"]
            self.journal = stored["journal"]
        else:
            self.reset()

    def reset(self) -> None:
        self.state = self.new_state(moment=float(int(time.time())), config=self._given)
        self.journal = []

    def new_state(self, *, moment: float, config: Row) -> Row:
        return new_state(seed=self.seed, moment=moment, config=config)

    def check_config(self, knobs: Row) -> None:
        rules.check_config(knobs)

    @property
    def config(self) -> Row:
        return self.state["config"]

    # The clock

    def now(self) -> float:
        if self._moment is not None:
            return self._moment
        clock = self.state["clock"]
        if clock["mode"] == "running":
            return clock["at"] + time.time()  # `at` is then how far it is ahead
        return clock["at"]

    def run_clock(self, *, running: bool) -> None:
        now = self.now()
        self.state["clock"] = (
            {"mode": "running", "at": now - time.time()}
            if running
            else {"mode": "still", "at": now}
        )

    def move_clock(self, *, to: float) -> None:
        """Go on to that moment; what falls due on the way happens at its own time, in order."""
        self.state["clock"]["at"] += to - self.now()
        self.tick()

    def tick(self) -> None:
        until = self.now()
        while True:
            waiting = [entry for entry in self.due(self) if entry[0] <= until]
            if not waiting:
                break
            moment, _, act = min(waiting, key=lambda entry: entry[:2])
            self._moment = moment
            try:
                act()
                self.settle(self)
            finally:
                self._moment = None

    # Changing it

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """Hold the lock; let the clock catch up before and the consequences follow after."""
        with self.lock:
            self.tick()
            yield
            self.settle(self)
            self.tick()
            self.changed.notify_all()

    @contextlib.contextmanager
    def looking_at(self, stale: Row) -> Iterator[None]:
        """Answer from an older state; whatever is written there is lost."""
        with self.lock:
            current, self.state = self.state, copy.deepcopy(stale)
            try:
                yield
            finally:
                self.state = current

    def new_id(self, kind: str) -> str:
        """24 hexadecimal digits, like the platform's own."""
        self.state["counter"] += 1
        text = f"{self.state['seed']}:{kind}:{self.state['counter']}"
        return hashlib.sha256(text.encode()).hexdigest()[:24]

    def book(self, kind: str, amount: int, **about: Any) -> None:
        """Write a line of the ledger; a negative amount has left the wallet."""
        if kind not in ("hold", "release"):
            self.state["wallet"]["balance"] += amount
        ledger = self.state["ledger"]
        ledger.append(
            {
                "n": len(ledger) + 1,
                "at": iso(self.now()),
                "kind": kind,
                "amount": amount,
                "balance": self.state["wallet"]["balance"],
                **about,
            }
        )

    # Files

    def snapshot(self) -> Row:
        with self.lock:
            return copy.deepcopy({"state": self.state, "journal": self.journal})

    def restore(self, snapshot: Row) -> None:
        with self.lock:
            self.state = copy.deepcopy(snapshot["state"])
            self.journal = copy.deepcopy(snapshot["journal"])
            self.changed.notify_all()

    def save(self) -> None:
        """Write the state to its file, whole or not at all."""
        if self.file is None:
            return
        with self.lock:
            text = json.dumps({"state": self.state, "journal": self.journal})
            partial = self.file.with_suffix(self.file.suffix + ".partial")
            partial.write_text(text)
            os.replace(partial, self.file)
