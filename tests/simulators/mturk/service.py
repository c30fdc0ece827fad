"""The simulated service as one object: memory, lock, clock, faults, journal."""

import threading
import time
from decimal import Decimal
from typing import Any

from tests.simulators.mturk import life, money, snapshots
from tests.simulators.mturk.entities import Worker
from tests.simulators.mturk.faults import Faults
from tests.simulators.mturk.protocol import Credentials
from tests.simulators.mturk.world import PRODUCTION, SANDBOX, World

ACCESS_KEY, SECRET_KEY = "AKIASIMULATED0000000", "the-simulators-secret-key"
FIRST_FUNDS = Decimal("10000.00")


class Service:
    """Everything behind the two ports; whoever reads or changes it holds `lock`."""

    def __init__(
        self,
        *,
        mode: str = PRODUCTION,
        seed: int = 0,
        now: float | None = None,
        follows_real_time: bool = False,
        funds: Decimal = FIRST_FUNDS,
        credentials: Credentials | None = None,
    ) -> None:
        self.world: World
        self.lock = threading.RLock()
        self.closing = threading.Event()
        self.credentials = credentials or Credentials(ACCESS_KEY, SECRET_KEY)
        self.worker_origin = ""
        self.follows_real_time = follows_real_time
        self._looked_at = time.monotonic()
        self.reset(mode=mode, seed=seed, now=now, funds=funds)

    def reset(
        self,
        *,
        mode: str | None = None,
        seed: int = 0,
        now: float | None = None,
        funds: Decimal = FIRST_FUNDS,
    ) -> None:
        """Forget everything, settings and faults included."""
        with self.lock:
            mode = mode or self.world.mode
            if mode not in (PRODUCTION, SANDBOX):
                raise ValueError(f"the mode {mode!r} is neither {PRODUCTION} nor {SANDBOX}")
            start = float(int(time.time())) if now is None else now
            self.world = World(mode, seed, start)
            self.faults = Faults()
            self.journal: list[dict[str, Any]] = []
            money.deposit(self.world, funds)

    def catch_up(self) -> None:
        """Let the simulated clock follow the real one, where it was asked to."""
        real = time.monotonic()
        passed, self._looked_at = real - self._looked_at, real
        life.move_clock(self.world, self.world.now + (passed if self.follows_real_time else 0))

    def follow(self, *, real_time: bool) -> None:
        self.catch_up()
        self.follows_real_time = real_time

    def move_clock(self, to: float) -> None:
        if to < self.world.now:
            raise ValueError("the clock does not go back: reset the simulator instead")
        life.move_clock(self.world, to)

    def worker(self, worker_id: str) -> Worker:
        """The worker with this id, made up on first sight."""
        return self.world.workers.setdefault(worker_id, Worker(worker_id))

    def note(self, **entry: Any) -> None:
        self.journal.append({"seq": len(self.journal) + 1, "at": self.world.now, **entry})

    def rest(self, seconds: float | None) -> None:
        """Wait in real time, but no longer than the server lives."""
        self.closing.wait(self.world.settings.hang_s if seconds is None else seconds)

    def state(self) -> Any:
        return snapshots.plain(self.world)
