"""A simulated platform as a test holds it: its servers, clock, wallet and faults."""

import threading
from abc import ABC, abstractmethod
from datetime import UTC, datetime, timedelta
from typing import Any, Self

from tests.simulators.prolific.faults import Faults
from tests.simulators.prolific.server import Handler, Server
from tests.simulators.prolific.wire import Request
from tests.simulators.prolific.world import Row, World


class RunningPlatform(ABC):
    """Servers on this machine around one world; take `world.turn()` to change it directly."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._faults = Faults()
        self._servers: list[Server] = []
        self._threads: list[threading.Thread] = []

    @abstractmethod
    def is_authorised(self, world: World, request: Request) -> bool:
        """Whether a request bears what opens the account; the journal says so."""

    @abstractmethod
    def addresses(self) -> Row:
        """Where everything is, as its process says it first."""

    def _server(self, surface: str, handler: Handler, port: int, **more: Handler) -> Server:
        return Server(
            self.world,
            self._faults,
            surface=surface,
            handler=handler,
            is_authorised=self.is_authorised,
            port=port,
            **more,
        )

    def start(self) -> Self:
        for server in self._servers:
            thread = threading.Thread(
                target=server.serve_forever, args=(0.02,), name=f"simulated-{server.surface}"
            )
            thread.start()
            self._threads.append(thread)
        return self

    def stop(self) -> None:
        """End everything it started, requests that hang included."""
        for server in self._servers:
            server.shutdown()
            server.server_close()
        for thread in self._threads:
            thread.join()
        self.world.save()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def now(self) -> datetime:
        with self.world.lock:
            return datetime.fromtimestamp(self.world.now(), UTC)

    def advance(self, **units: float) -> None:
        """Let time pass: `hours=72`."""
        with self.world.turn():
            self.world.move_clock(to=self.world.now() + timedelta(**units).total_seconds())
        self.world.save()

    def set_clock(self, moment: datetime) -> None:
        with self.world.turn():
            self.world.move_clock(to=moment.timestamp())
        self.world.save()

    def run_clock(self, *, running: bool = True) -> None:
        with self.world.turn():
            self.world.run_clock(running=running)

    def set_wallet(self, cents: int) -> None:
        with self.world.turn():
            self.world.book("top_up", cents - self.world.state["wallet"]["balance"])

    def ledger(self, kind: str = "", **about: str) -> list[Row]:
        """Lines of the ledger; `participant`, `submission` and `study` choose."""
        with self.world.turn():
            return [
                dict(line)
                for line in self.world.state["ledger"]
                if kind in ("", line["kind"])
                and all(line.get(name) == value for name, value in about.items())
            ]

    def spent(self, **about: str) -> int:
        """Cents that have left the wallet, fees included."""
        lines = self.ledger(**about)
        return -sum(x["amount"] for x in lines if x["kind"] not in ("top_up", "hold", "release"))

    def configure(self, **knobs: Any) -> None:
        self.world.check_config(knobs)
        with self.world.turn():
            self.world.config.update(knobs)

    def journal(self, path: str = "", method: str = "") -> list[Row]:
        with self.world.lock:
            rows = list(self.world.journal)
        return [row for row in rows if path in row["path"] and method in ("", row["method"])]

    def fault(self, kind: str, path: str = "", method: str = "", **more: Any) -> None:
        """Order a fault of KINDS; `nth`, `times` (0: until cleared) and `seconds` say when."""
        match = {"path": path, "method": method, "nth": more.pop("nth", 1)}
        with self.world.lock:
            self._faults.order({"kind": kind, "match": match, **more}, self.world.state)

    def clear_faults(self) -> None:
        self._faults.clear()

    def snapshot(self) -> Row:
        return self.world.snapshot()

    def restore(self, snapshot: Row) -> None:
        self.world.restore(snapshot)
