"""Starting the simulator, in a thread or as a process, and steering it from outside."""

import contextlib
import http.client
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import boto3
from botocore.config import Config

from tests.simulators.mturk.http import LOOPBACK, Server
from tests.simulators.mturk.protocol import REGION, Credentials
from tests.simulators.mturk.requester import Requester
from tests.simulators.mturk.service import ACCESS_KEY, SECRET_KEY, Service
from tests.simulators.mturk.worker_site import WorkerSite

WORKER_HOST = "worker.localhost"
_FOLDER = Path(__file__).parents[3]


class ControlError(Exception):
    """The control interface refused something."""


class Steering:
    """What a test does to a simulator, wherever that runs."""

    endpoint: str
    worker_site: str
    credentials: Credentials

    def control(self, method: str, path: str, values: Any = None) -> Any:
        connection = http.client.HTTPConnection(urlsplit(self.endpoint).netloc, timeout=30)
        with contextlib.closing(connection):
            body = None if values is None else json.dumps(values)
            connection.request(method, f"/_sim/{path}", body)
            response = connection.getresponse()
            answer = json.loads(response.read())
        if response.status != 200:
            raise ControlError(answer["error"])
        return answer

    def client(self, *, attempts: int = 1, read_timeout: float = 20, **config: Any) -> Any:
        """A real boto3 client of this simulator; it sends each call once unless told otherwise."""
        return boto3.client(
            "mturk",
            endpoint_url=self.endpoint,
            region_name=REGION,
            aws_access_key_id=self.credentials.access_key,
            aws_secret_access_key=self.credentials.secret_key,
            config=Config(
                retries={"mode": "standard", "total_max_attempts": attempts},
                connect_timeout=5,
                read_timeout=read_timeout,
                **config,
            ),
        )

    @property
    def now(self) -> datetime:
        return datetime.fromisoformat(self.control("GET", "clock")["iso"])

    def advance(self, delta: timedelta | float) -> None:
        seconds = delta.total_seconds() if isinstance(delta, timedelta) else delta
        self.control("POST", "clock", {"advance_s": seconds})

    def set_clock(self, moment: datetime) -> None:
        self.control("POST", "clock", {"set": moment.isoformat()})

    def follow_real_time(self, follow: bool = True) -> None:
        self.control("POST", "clock", {"follow": follow})

    def add_worker(self, worker_id: str, **profile: Any) -> str:
        self.control("POST", "workers", {"worker_id": worker_id, **profile})
        return worker_id

    def deposit(self, amount: Decimal | str) -> None:
        self.control("POST", "funds", {"deposit": str(amount)})

    def leave(self, available: Decimal | str) -> None:
        """Let so much money be available, whatever there was."""
        self.control("POST", "funds", {"available": str(available)})

    def configure(self, **settings: Any) -> None:
        self.control("POST", "config", settings)

    def fault(
        self,
        kind: str,
        op: str = "",
        *,
        nth: int = 0,
        worker: str = "",
        times: int | None = 1,
        probability: float = 1.0,
        seed: int = 0,
        seconds: float | None = None,
    ) -> dict[str, Any]:
        """Spoil requests; `times=None` is for good, `seconds` how long a hang or a wait takes."""
        match = {"nth": nth, "worker": worker} | ({"op": op} if op else {})
        values = {
            "match": match,
            "kind": kind,
            "times": times,
            "probability": probability,
            "seed": seed,
            "seconds": seconds,
        }
        rule: dict[str, Any] = self.control("POST", "faults", values)
        return rule

    def faults(self) -> list[dict[str, Any]]:
        rules: list[dict[str, Any]] = self.control("GET", "faults")
        return rules

    def clear_faults(self) -> None:
        self.control("POST", "faults/clear")

    def journal(self, op: str = "") -> list[dict[str, Any]]:
        return [row for row in self.control("GET", "journal") if op in ("", row["op"])]

    def ledger(self, *kinds: str) -> list[dict[str, Any]]:
        """The lines of the ledger, of these kinds only if any are named; amounts are Decimal."""
        rows = self.control("GET", "ledger")["entries"]
        rows = [row for row in rows if not kinds or row["kind"] in kinds]
        return [{**row, "amount": Decimal(row["amount"])} for row in rows]

    @property
    def charged(self) -> Decimal:
        """All that was paid: rewards, bonuses and the fees on both."""
        return Decimal(self.control("GET", "ledger")["charged"])

    @property
    def available(self) -> Decimal:
        return Decimal(self.control("GET", "funds")["available"])

    @property
    def on_hold(self) -> Decimal:
        return Decimal(self.control("GET", "funds")["on_hold"])

    def state(self) -> dict[str, Any]:
        state: dict[str, Any] = self.control("GET", "state")
        return state

    def snapshot(self) -> str:
        return str(self.control("POST", "snapshot")["snapshot"])

    def restore(self, snapshot: str) -> None:
        self.control("POST", "restore", {"snapshot": snapshot})

    def notices(self) -> list[dict[str, Any]]:
        """Receive the notifications that have arrived."""
        arrived: list[dict[str, Any]] = self.control("POST", "queue")
        return arrived

    def letters(self) -> list[dict[str, Any]]:
        letters: list[dict[str, Any]] = self.control("GET", "letters")
        return letters

    def reset(self, **values: Any) -> None:
        self.control("POST", "reset", values)


class MturkSimulator(Steering):
    """The simulator in threads of this process; a context manager."""

    def __init__(
        self,
        *,
        port: int = 0,
        worker_port: int = 0,
        worker_host: str = WORKER_HOST,
        mode: str = "production",
        seed: int = 0,
        now: datetime | None = None,
        follows_real_time: bool = False,
        credentials: Credentials | None = None,
        **settings: Any,
    ) -> None:
        self.service = Service(
            mode=mode,
            seed=seed,
            now=now.timestamp() if now else None,
            follows_real_time=follows_real_time,
            credentials=credentials,
        )
        self.service.world.settings.change(settings)
        self.credentials = self.service.credentials
        self._ports = (port, worker_port)
        self._worker_host = worker_host

    def start(self) -> Self:
        port, worker_port = self._ports
        self._requester = Server(port, Requester(self.service))
        self._workers = Server(worker_port, WorkerSite(self.service))
        self.endpoint = f"http://{LOOPBACK}:{self._requester.port}"
        self.worker_site = f"http://{self._worker_host}:{self._workers.port}"
        self.service.worker_origin = self.worker_site
        for server in self.servers:
            server.start(f"simulated Mechanical Turk, port {server.port}")
        return self

    @property
    def servers(self) -> tuple[Server, Server]:
        return self._requester, self._workers

    def close(self) -> None:
        self.service.closing.set()
        for server in self.servers:
            server.stop()
        if crashes := [error for server in self.servers for error in server.crashes]:
            raise ExceptionGroup("the simulator made mistakes of its own", crashes)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class RunningSimulator(Steering):
    """A simulator that runs somewhere else on this machine."""

    def __init__(
        self, endpoint: str, worker_site: str, credentials: Credentials | None = None
    ) -> None:
        self.endpoint = endpoint
        self.worker_site = worker_site
        self.credentials = credentials or Credentials(ACCESS_KEY, SECRET_KEY)


@contextlib.contextmanager
def simulator_process(*arguments: str) -> Iterator[RunningSimulator]:
    """Run the simulator as a process of its own, ended by closing its standard input."""
    command = [sys.executable, "-m", "tests.simulators.mturk", *arguments]
    with subprocess.Popen(
        command,
        cwd=_FOLDER,
        env=dict(os.environ),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin
        assert process.stdout
        ready = json.loads(process.stdout.readline())
        try:
            yield RunningSimulator(ready["endpoint"], ready["worker_site"])
        finally:
            process.stdin.close()
            process.wait(timeout=20)
