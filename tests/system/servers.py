"""Likeness as its users run it: real processes, on a database of their own, on loopback."""

import json
import os
import re
import secrets
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg2

ROOT = Path(__file__).resolve().parents[2]
SECRET_KEY = secrets.token_hex(32)
# gunicorn does not start without a broker; where no job is sent, none has to be there.
UNUSED_REDIS = "redis://127.0.0.1:9/0"
PATIENCE = 120  # seconds: nothing takes so long, unless the machine is busy with other things


@dataclass
class Installation:
    """A data folder, a database and the processes started on them."""

    data: Path
    database_url: str = ""
    redis_url: str = ""
    extra: dict[str, str] = field(default_factory=dict)
    port: int = 0
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    _console: "Console | None" = None
    _alone: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.data.mkdir(parents=True, exist_ok=True)
        self.port = self.port or free_port()
        self.log = self.data / "output.log"

    @property
    def environment(self) -> dict[str, str]:
        kept = {
            name: value
            for name, value in os.environ.items()
            if name not in {"DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE"}
        }
        ours = {
            "LIKENESS_DATA": str(self.data),
            "PORT": str(self.port),
            "DJANGO_SETTINGS_MODULE": "tests.system.quick_beat",
            "SECRET_KEY": SECRET_KEY,
            "SCREEN_SECONDS": "0",
            **self.extra,
        }
        if self.database_url:
            ours["DATABASE_URL"] = self.database_url
        if self.redis_url:
            ours["REDIS_URL"] = self.redis_url
        return {**kept, **ours}

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def manage(self, *arguments: str) -> str:
        """Run a management command on this installation and return what it printed."""
        with self._alone:
            if self._console is None or self._console.environment != self.environment:
                self._console = Console(self)
            status, out, errors = self._console.run(arguments)
        assert status == 0, errors
        return out

    def python(self, code: str) -> str:
        """Run a few lines with Django set up."""
        return self.manage("shell", "--verbosity", "0", "-c", code)

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        """Read rows past the application, from whichever database it is."""
        if self.database_url:
            with closing(psycopg2.connect(self.database_url)) as connection:
                cursor = connection.cursor()
                cursor.execute(sql)
                return cursor.fetchall()
        with closing(sqlite3.connect(self.data / "likeness.sqlite3", timeout=20)) as connection:
            return connection.execute(sql).fetchall()

    def start(self, *command: str) -> subprocess.Popen[bytes]:
        """Start a process in a group of its own, its output going to the log."""
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, *command],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.processes.append(process)
        return process

    def serve(self, *options: str) -> subprocess.Popen[bytes]:
        """`make run`, without installing anything."""
        process = self.start("manage.py", "serve", *options)
        self.wait_until_it_answers(process)
        return process

    def gunicorn(self, *options: str) -> subprocess.Popen[bytes]:
        """The web server of the compose file: two processes, so that only the database locks."""
        process = self.start(*self.web_command(), *options)
        self.wait_until_it_answers(process)
        return process

    def web_command(self) -> list[str]:
        return [
            *("-m", "gunicorn", "config.wsgi", "--config", "python:config.gunicorn"),
            *("--bind", f"127.0.0.1:{self.port}", "--no-control-socket"),
            *("--workers", "2", "--threads", "8"),
        ]

    def wait_until_it_answers(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            assert process.poll() is None, self.log.read_text()
            try:
                connection = HTTPConnection("127.0.0.1", self.port, timeout=5)
                connection.request("GET", "/healthz/")
                if connection.getresponse().status == 200:
                    return
            except OSError:
                pass
            finally:
                connection.close()
            time.sleep(0.05)
        raise AssertionError(f"no answer within {PATIENCE} s: {self.log.read_text()}")

    def printed(self, pattern: str) -> str:
        """The first group of what a started process printed."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if found := re.search(pattern, self.log.read_text()):
                return found[1]
            time.sleep(0.05)
        raise AssertionError(f"{pattern!r} was not printed: {self.log.read_text()}")

    def end(self) -> None:
        for process in self.processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(PATIENCE)
            for pipe in (process.stdin, process.stdout):
                if pipe:
                    pipe.close()
        self._console = None


class Console:
    """A process beside the installation's own in which its commands run, one after the other."""

    def __init__(self, installation: Installation) -> None:
        self.environment = installation.environment
        with (installation.data / "console.log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.system.console"],
                cwd=ROOT,
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )
        installation.processes.append(self._process)
        self._log = installation.data / "console.log"

    def run(self, arguments: Sequence[str]) -> tuple[int, str, str]:
        """How the command ended, what it printed, and what it complained of."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(arguments).encode() + b"\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, self._log.read_text()
        status, out, errors = json.loads(answer)
        return status, out, errors


def kill_9(process: subprocess.Popen[bytes]) -> None:
    """As the power or the kernel would: nothing can be tidied up."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(PATIENCE)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def postgres_database(template: str = "") -> Iterator[str]:
    """A fresh database beside the one that DATABASE_URL names; dropped afterwards.

    It is empty, or a copy of the database that the address `template` names.
    """
    parts = urlsplit(os.environ["DATABASE_URL"])
    name = f"likeness_system_{secrets.token_hex(4)}"
    admin = psycopg2.connect(urlunsplit(parts._replace(path="/postgres")))
    admin.autocommit = True
    try:
        with admin.cursor() as cursor:
            copied = f' TEMPLATE "{template.rpartition("/")[2]}"' if template else ""
            cursor.execute(f'CREATE DATABASE "{name}"{copied}')
        yield urlunsplit(parts._replace(path=f"/{name}"))
        with admin.cursor() as cursor:
            cursor.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
    finally:
        admin.close()
