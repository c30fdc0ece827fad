"""What a clock that jumps ahead and is put back does to beat, workers, jobs and personal data.

    python -m benchmarks.clock_jumps [--tree PATH] [--hours 2] [--patience 60] [--database-url URL]

Real processes, whose clock libfaketime moves while they run: a beat and a worker on a Redis of
their own, then `manage.py serve`, which has both inside. Each has a database of its own: SQLite,
or the empty PostgreSQL database that is named (for the first pair alone; the clock of its server
is right). `--tree` measures another checkout beside this one. Needs redis-server and libfaketime
(Debian: apt install redis-server faketime). Prints a table.
"""

import argparse
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.servers import ROOT, free_port

LIBRARIES = "/usr/lib", "/usr/lib64", "/usr/local/lib"
START_SECONDS = 120

# A study that is due in an hour, with a name in it; the clock will jump further than that.
POPULATE = """
from datetime import timedelta
from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone
from annotation.models import Annotator, Person, Study
from annotation.studies.services import studies
study = studies.create(owner=User.objects.create_user("benchmark"), title="A finished study")
Annotator.objects.create(study=study, person=Person.objects.create(name="Ada Lovelace"))
now = timezone.now()
ended = now - timedelta(days=settings.RETENTION_DAYS) + timedelta(hours=1)
Study.objects.update(state="finished", opened_at=ended, finished_at=ended)
"""
# A job whose worker died while the clock was ahead.
ADD_JOB = """
from datetime import timedelta
from uuid import uuid4
from django.utils import timezone
from annotation.models import Job, Study
Job.objects.create(
    study=Study.objects.get(), kind="score", state="running", run_token=uuid4(), attempts=1,
    heartbeat_at=timezone.now() + timedelta(hours={hours}),
)
"""
# Run by Python before anything else. This libfaketime (0.9.10) refuses the call by which
# time.sleep waits for a time of the monotonic clock, once that clock is left alone.
SITE_CUSTOMIZE = """
import select, time
time.sleep = lambda seconds: select.select([], [], [], seconds) and None
"""
# Asked with a line, answers with one; its clock is always right.
PROBE = """
import json, sys
import django
django.setup()
from annotation.models import Job, Person
from annotation.core.services import workers
for _line in sys.stdin:
    mark, job = workers.last_seen(), Job.objects.last()
    print(json.dumps({
        "mark": mark.isoformat() if mark else None,
        "is_running": workers.is_running(),
        "n_names": Person.objects.exclude(name="").count(),
        "job": job.state if job else None,
    }), flush=True)
"""


class System:
    """A database, the processes on it, and their clock."""

    def __init__(self, tree: Path, folder: Path, *, redis_url: str, database_url: str) -> None:
        folder.mkdir()
        self._tree, self._folder = tree, folder
        self._time = folder / "time"
        self._site = folder / "site"
        self._site.mkdir()
        (self._site / "sitecustomize.py").write_text(SITE_CUSTOMIZE)
        self.is_postgres = bool(database_url)
        self.set_clock(timedelta(0))
        self._environment = {
            **{name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ},
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "LIKENESS_DATA": str(folder),
            "SECRET_KEY": secrets.token_hex(32),
            "REDIS_URL": redis_url,
            **({"DATABASE_URL": database_url} if database_url else {}),
        }
        self._processes: list[subprocess.Popen[str]] = []
        self.log = folder / "output.log"
        self.run("manage.py", "migrate", "--verbosity", "0")
        self.run("manage.py", "shell", "--verbosity", "0", "-c", POPULATE)
        self._probe = self._start(
            "-c", PROBE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self._environment
        )

    def set_clock(self, ahead: timedelta) -> None:
        # At once, so that no process reads half of it.
        part = self._time.with_suffix(".part")
        part.write_text(f"+{ahead.total_seconds():.0f}\n")
        part.replace(self._time)

    def run(self, *command: str) -> None:
        done = subprocess.run(
            [sys.executable, *command],
            cwd=self._tree,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)} failed: {done.stderr[-2000:]}")

    def start(self, *command: str) -> subprocess.Popen[str]:
        """Start a process whose clock is ours to move."""
        moved = {
            "LD_PRELOAD": str(find_libfaketime()),
            "FAKETIME_TIMESTAMP_FILE": str(self._time),
            "FAKETIME_NO_CACHE": "1",
            "PYTHONPATH": str(self._site),
            # A clock that is set leaves this one alone.
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
        }
        with self.log.open("a") as log:
            return self._start(
                *command, stdout=log, stderr=subprocess.STDOUT, env=self._environment | moved
            )

    def _start(self, *command: str, **options: Any) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, *command],
            cwd=self._tree,
            text=True,
            start_new_session=True,
            **options,
        )
        self._processes.append(process)
        return process

    def ask(self) -> dict[str, Any]:
        assert self._probe.stdin
        assert self._probe.stdout
        print(file=self._probe.stdin, flush=True)
        answer: dict[str, Any] = json.loads(self._probe.stdout.readline())
        return answer

    def is_mark_of(self, ahead: timedelta) -> bool:
        """Whether a worker has swept a moment ago by a clock that is so far ahead."""
        mark = self.ask()["mark"]
        if mark is None:
            return False
        now = datetime.now(UTC) + ahead
        return abs(datetime.fromisoformat(mark) - now) < timedelta(seconds=20)

    def end(self) -> None:
        self.kill_all()
        kill(self._probe)

    def kill_all(self) -> None:
        """All but the one that is asked."""
        for process in self._processes:
            if process is not self._probe:
                kill(process)


def kill(process: subprocess.Popen[str]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(10)


def find_libfaketime() -> Path:
    for folder in map(Path, LIBRARIES):
        if found := sorted(folder.glob("**/faketime/libfaketimeMT.so.1")):
            return found[0]
    raise SystemExit("no libfaketime: install it (Debian: apt install faketime)")


def seconds_until(holds: Callable[[], bool], patience: float) -> float | None:
    """None: it did not come about in this time."""
    began = time.monotonic()
    while time.monotonic() - began < patience:
        if holds():
            return time.monotonic() - began
        time.sleep(0.2)
    return None


def wait_until(holds: Callable[[], bool], system: System) -> None:
    if seconds_until(holds, START_SECONDS) is None:
        raise RuntimeError(f"no sweep: {system.log.read_text()[-2000:]}")


def start_pair(system: System, schedule: str) -> subprocess.Popen[str]:
    """Start a beat, and return the worker."""
    beat = ("-m", "celery", "-A", "config", "beat", "--loglevel", "WARNING", "--pidfile=")
    system.start(*beat, "--schedule", str(system.log.with_name(schedule)))
    worker = ("-m", "celery", "-A", "config", "worker", "--loglevel", "WARNING")
    return system.start(*worker, "--concurrency", "1")


def start_server(system: System, schedule: str) -> subprocess.Popen[str]:
    return system.start("manage.py", "serve", "--no-demo", "--port", str(free_port()))


def measure(
    system: System,
    start: Callable[[System, str], subprocess.Popen[str]],
    ahead: timedelta,
    patience: float,
) -> dict[str, str]:
    """Let the clock jump twice: once with everything at work, once with a worker that dies."""
    found = {}
    right = timedelta(0)

    def is_swept_ahead() -> bool:
        return system.is_mark_of(ahead) or (system.is_postgres and system.is_mark_of(right))

    worker = start(system, "schedule")
    wait_until(lambda: system.is_mark_of(right), system)
    system.set_clock(ahead)
    wait_until(is_swept_ahead, system)
    # What is sent every ten minutes is due as well, and takes its turn.
    time.sleep(10)
    n_names = system.ask()["n_names"]
    system.set_clock(right)
    # A mark of this moment, not the last one by the database's clock.
    back_at = datetime.now(UTC)

    def is_swept_again() -> bool:
        return system.is_mark_of(right) and (
            datetime.fromisoformat(system.ask()["mark"]) > back_at
        )

    found["seconds until a sweep"] = told(seconds_until(is_swept_again, patience), patience)
    found["names erased"] = "no" if n_names else "YES"

    system.set_clock(ahead)
    time.sleep(12)
    kill(worker)
    system.set_clock(right)
    found["is_running, worker killed, at once"] = str(system.ask()["is_running"])
    time.sleep(patience)
    found[f"is_running, {patience:.0f} s later"] = str(system.ask()["is_running"])

    hours = ahead / timedelta(hours=1)
    system.run("manage.py", "shell", "--verbosity", "0", "-c", ADD_JOB.format(hours=hours))
    # With a schedule that knows nothing of the jump: what is asked is whether the sweep helps.
    system.kill_all()
    start(system, "another schedule")
    wait_until(lambda: system.is_mark_of(right), system)
    taken_up = seconds_until(lambda: system.ask()["job"] != "running", patience)
    found["seconds until its job is taken up"] = told(taken_up, patience)
    return found


def told(seconds: float | None, patience: float) -> str:
    return f"over {patience:.0f}" if seconds is None else f"{seconds:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tree", type=Path, default=ROOT, help="the checkout to measure")
    parser.add_argument("--hours", type=float, default=2.0, help="how far the clock jumps")
    parser.add_argument(
        "--patience", type=float, default=60.0, help="seconds to wait for anything"
    )
    parser.add_argument("--database-url", default="", help="of an empty PostgreSQL database")
    asked = parser.parse_args()
    if shutil.which("redis-server") is None:
        raise SystemExit("no redis-server: install it (Debian: apt install redis-server)")
    ahead, tree = timedelta(hours=asked.hours), asked.tree.resolve()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        port = free_port()
        redis = subprocess.Popen(
            ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", ""],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        stack.callback(redis.wait, 10)
        stack.callback(redis.terminate)
        columns = {}
        database = "PostgreSQL" if asked.database_url else "SQLite"
        for name, start, redis_url in (
            (f"beat and worker, {database}", start_pair, f"redis://127.0.0.1:{port}/0"),
            ("manage.py serve", start_server, ""),
        ):
            if asked.database_url and not redis_url:
                continue
            system = System(
                tree,
                folder / start.__name__,
                redis_url=redis_url,
                database_url=asked.database_url,
            )
            stack.callback(system.end)
            columns[name] = measure(system, start, ahead, asked.patience)
            system.end()
    print(f"The clock jumps {asked.hours:g} h ahead and is put back.\n")
    print("| | " + " | ".join(columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    for row in next(iter(columns.values())):
        print(f"| {row} | " + " | ".join(column[row] for column in columns.values()) + " |")


if __name__ == "__main__":
    main()
