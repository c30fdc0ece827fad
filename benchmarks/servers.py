"""Databases and web servers that exist for one benchmark: made, started, measured, ended."""

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg2

ROOT = Path(__file__).resolve().parent.parent
POSTGRES = "postgres://postgres@127.0.0.1:5432/postgres"
# Of the processor, in one second.
IDLE_SECONDS = 0.05
# As on a machine of four processors, and as `manage.py serve` starts waitress.
GUNICORN = ("--workers", "4", "--threads", "2")
WAITRESS_THREADS = 8
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Installation:
    """A data folder, a database, and the web server that is started on them."""

    folder: Path
    is_bare: bool = False
    database_url: str = ""
    extra: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None
    port: int = 0

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.log = self.folder / "output.log"

    @property
    def environment(self) -> dict[str, str]:
        kept = {
            name: value
            for name, value in os.environ.items()
            if name not in {"DATABASE_URL", "REDIS_URL", "SECRET_KEY", "DJANGO_SETTINGS_MODULE"}
        }
        ours = {"LIKENESS_DATA": str(self.folder), "DEBUG": "0", **self.extra}
        if self.database_url:
            ours["DATABASE_URL"] = self.database_url
            # gunicorn starts with what a server has. Nothing that is measured sends a message.
            ours.update(SECRET_KEY=secrets.token_hex(32), REDIS_URL="redis://127.0.0.1:9/0")
        return {**kept, **ours}

    def run(self, *command: str) -> str:
        """Run a Python program on this installation; what it printed."""
        done = subprocess.run(
            [sys.executable, *command],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)} failed: {done.stderr[-2000:]}")
        return done.stdout

    def read(self, *command: str) -> Any:
        """The JSON on the last line that a program prints."""
        return json.loads(self.run(*command).splitlines()[-1])

    def start(self) -> None:
        self.port = free_port()
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, *self._command()],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                break
            connection = HTTPConnection("127.0.0.1", self.port, timeout=5)
            with suppress(OSError, HTTPException):
                connection.request("GET", "/healthz/")
                if connection.getresponse().status == 200:
                    return self._wait_until_idle(deadline)
            connection.close()
            time.sleep(0.05)
        raise RuntimeError(f"the server did not start: {self.log.read_text()[-2000:]}")

    def _wait_until_idle(self, deadline: float) -> None:
        """It answers before it has loaded everything, which would be measured, too."""
        used = -1.0
        while time.monotonic() < deadline:
            now, _of_database = self.usage()
            if now - used < IDLE_SECONDS:
                return
            used = now
            time.sleep(1)
        raise RuntimeError(f"the server is busy after its start: {self.log.read_text()[-2000:]}")

    def _command(self) -> list[str]:
        address = f"127.0.0.1:{self.port}"
        if self.database_url:
            if self.is_bare:
                application = ["benchmarks.bare", "--worker-class", "gthread"]
            else:
                application = ["config.wsgi", "--config", "python:config.gunicorn"]
            gunicorn = ["-m", "gunicorn", *application, "--bind", address, *GUNICORN]
            return [*gunicorn, "--worker-tmp-dir", "/dev/shm", "--no-control-socket"]
        if self.is_bare:
            return ["-m", "benchmarks.bare", "serve", str(self.port), str(WAITRESS_THREADS)]
        return ["manage.py", "serve", "--no-demo", "--port", str(self.port)]

    def usage(self) -> tuple[float, float]:
        """Processor seconds used so far: by the web server, and by its database's processes."""
        if self.process is None or not Path("/proc").is_dir():
            return 0.0, 0.0
        database = urlsplit(self.database_url).path.lstrip("/")
        server = of_database = 0.0
        for folder in Path("/proc").iterdir():
            if not folder.name.isdigit():
                continue
            with suppress(OSError, IndexError):
                after_name = (folder / "stat").read_text().rpartition(")")[2].split()
                spent = (int(after_name[11]) + int(after_name[12])) / _TICKS
                if int(after_name[2]) == self.process.pid:
                    server += spent
                elif database and f" {database} ".encode() in (folder / "cmdline").read_bytes():
                    of_database += spent
        return server, of_database

    def stop(self) -> None:
        if self.process is None:
            return
        if self.process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait(10)
        self.process = None


class Postgres:
    """The PostgreSQL to measure on, with databases that are dropped at the end."""

    def __init__(self, url: str) -> None:
        self._parts = urlsplit(url)
        self._made: list[str] = []

    def version(self) -> str:
        return str(self._ask("SHOW server_version")[0][0])

    def durability(self) -> str:
        names = ("fsync", "synchronous_commit", "full_page_writes")
        return ", ".join(f"{name} {self._ask(f'SHOW {name}')[0][0]}" for name in names)

    def _ask(self, sql: str) -> list[tuple[Any, ...]]:
        connection = psycopg2.connect(urlunsplit(self._parts), connect_timeout=5)
        connection.autocommit = True
        try:
            with connection.cursor() as cursor:
                cursor.execute(sql)
                return cursor.fetchall() if cursor.description else []
        finally:
            connection.close()

    def create(self) -> str:
        name = f"likeness_bench_{secrets.token_hex(4)}"
        self._ask(f"CREATE DATABASE \"{name}\" ENCODING 'UTF8' TEMPLATE template0")
        self._made.append(name)
        return urlunsplit(self._parts._replace(path=f"/{name}"))

    def drop_all(self) -> None:
        while self._made:
            self._ask(f'DROP DATABASE IF EXISTS "{self._made.pop()}" WITH (FORCE)')


def find_postgres() -> Postgres | str:
    """The one of DATABASE_URL, else the one of this machine; a reason where neither answers."""
    url = os.environ.get("DATABASE_URL", "")
    if not url.startswith(("postgres://", "postgresql://")):
        url = POSTGRES
    found = Postgres(url)
    try:
        found.version()
    except psycopg2.Error as error:
        return str(error).strip().splitlines()[0]
    return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
