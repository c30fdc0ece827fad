"""What people notice while Redis is frozen or gone and when PostgreSQL restarts: real processes.

    python -m benchmarks.outages [--tree FOLDER]

Starts a PostgreSQL cluster and a Redis of its own on free ports, with gunicorn, a worker and beat,
and ends them by process id. `--tree` measures another version's folder with the same Python. Needs
the programs of PostgreSQL (POSTGRES_BIN, /usr/lib/postgresql/15/bin) and `redis-server`.
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
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from benchmarks.servers import ROOT, free_port

CLICKS = 10
VIEWS = 16
# A browser's user has given up long before.
TIMEOUT = 60
POSTGRES_BIN = Path(os.environ.get("POSTGRES_BIN", "/usr/lib/postgresql/15/bin"))
DESIGN_JOBS = "kind = 'make_design'"

# One study for each click: a study queues one job of a kind at a time.
POPULATE = f"""
import json, tempfile
from pathlib import Path
from django.contrib.auth.models import User
from annotation.items.services import imports
from annotation.studies.services import studies
from annotation.core.services import tokens
from annotation.simulation import demo
owner = User.objects.create_superuser("researcher", password=None)
demo.load(owner=owner)
lines = Path("demo/dialogues.en.jsonl").read_text()
for n in range(3 * {CLICKS}):
    study = studies.create(owner=owner, title=f"Study {{n}}", preset="giccs", slug=f"study-{{n}}")
    path = Path(tempfile.mkdtemp()) / "dialogues.jsonl"
    path.write_text(lines)
    imports.import_items(study=study, path=path, filename=path.name)
print(json.dumps(tokens.make(user=owner, name="benchmark", can_write=True).key))
"""
JOIN_PATH = """
import json
from django.urls import reverse
from annotation.models import Study
print(json.dumps(reverse("annotator:join", args=[Study.objects.get(slug="demo-en").join_token])))
"""


class Deployment:
    """PostgreSQL, Redis, gunicorn, a worker and beat, in one temporary folder."""

    def __init__(self, tree: Path, folder: Path) -> None:
        self.tree, self.folder = tree, folder
        self.port, self.redis_port, self.postgres_port = free_port(), free_port(), free_port()
        self.processes: list[subprocess.Popen[bytes]] = []
        self.environment = {
            **os.environ,
            "DATABASE_URL": f"postgres://postgres@127.0.0.1:{self.postgres_port}/postgres",
            "REDIS_URL": f"redis://127.0.0.1:{self.redis_port}/0",
            "LIKENESS_DATA": str(folder / "data"),
            "STATIC_ROOT": str(folder / "static"),
            "SECRET_KEY": secrets.token_urlsafe(50),
            "API_REQUESTS_PER_MINUTE": "0",
            "DEBUG": "0",
        }
        self.environment.pop("DJANGO_SETTINGS_MODULE", None)
        (folder / "data").mkdir()

    def start(self) -> None:
        cluster = self.folder / "postgres"
        cluster.mkdir()
        self.as_owner = []
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root.
            shutil.chown(cluster, "postgres")
            self.folder.chmod(0o755)
            self.as_owner = ["runuser", "-u", "postgres", "--"]
        initdb = ["-D", str(cluster / "data"), "-U", "postgres", "-A", "trust", "-E", "UTF8"]
        self._postgres("initdb", *initdb, "--no-sync")
        self.postgres("start")
        self.redis = self._start_redis()
        self._run("manage.py", "migrate", "--verbosity", "0")
        self._run("manage.py", "collectstatic", "--verbosity", "0", "--noinput")
        self.token = json.loads(self._shell(POPULATE))
        self.join_path = json.loads(self._shell(JOIN_PATH))
        server = ["-m", "gunicorn", "config.wsgi", "--config", "python:config.gunicorn"]
        server += ["--bind", f"127.0.0.1:{self.port}", "--workers", "4", "--threads", "2"]
        server += ["--no-control-socket"]
        self._start("web", sys.executable, *server)
        celery = [sys.executable, "-m", "celery", "-A", "config"]
        self._start("worker", *celery, "worker", "--loglevel", "INFO", "--concurrency", "2")
        beat = ["--schedule", str(self.folder / "schedule"), "--pidfile", ""]
        self._start("beat", *celery, "beat", *beat)
        wait_until(lambda: self.get("/healthz/")[0] == 200, "the web server answers")
        wait_until(lambda: self.query("SELECT 1 FROM annotation_workermark"), "a worker is there")
        # The first request of each process loads the application.
        for _ in range(VIEWS):
            self.get(self.join_path)

    def stop(self) -> None:
        for process in self.processes:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGCONT)
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        with suppress(subprocess.CalledProcessError, FileNotFoundError):
            self.postgres("stop")

    def postgres(self, action: str) -> None:
        """Start, stop or restart the cluster, and wait until it has."""
        options = f"-p {self.postgres_port} -c listen_addresses=127.0.0.1"
        options += f" -c unix_socket_directories={self.folder / 'postgres'}"
        where = ["-D", str(self.folder / "postgres" / "data"), "-w"]
        where += ["-l", str(self.folder / "postgres" / "log"), "-o", options]
        how = [] if action == "start" else ["-m", "fast"]
        self._postgres("pg_ctl", action, *where, *how)

    def _postgres(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [*self.as_owner, str(POSTGRES_BIN / program), *arguments],
            cwd=self.folder / "postgres",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            check=True,
        )

    def _start_redis(self) -> subprocess.Popen[bytes]:
        options = ["--bind", "127.0.0.1", "--save", "", "--dir", str(self.folder)]
        return self._start("redis", "redis-server", "--port", str(self.redis_port), *options)

    def restart_redis(self) -> None:
        self.redis = self._start_redis()

    def _start(self, name: str, *command: str) -> subprocess.Popen[bytes]:
        with (self.folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                command,
                cwd=self.tree,
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.processes.append(process)
        return process

    def _run(self, *command: str) -> str:
        done = subprocess.run(
            [sys.executable, *command],
            cwd=self.tree,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)[:60]} failed: {done.stderr[-2000:]}")
        return done.stdout

    def _shell(self, code: str) -> str:
        return self._run("manage.py", "shell", "--verbosity", "0", "-c", code).splitlines()[-1]

    def query(self, sql: str) -> str:
        done = subprocess.run(
            [POSTGRES_BIN / "psql", self.environment["DATABASE_URL"], "-qAtc", sql],
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout.strip()

    def get(self, path: str) -> tuple[int, float]:
        """The status and the seconds of a request; 0 where no answer came in a minute."""
        return self._ask("GET", path)

    def click(self, n: int) -> tuple[int, float]:
        """Ask for a design, as the page's button does: a request that queues a job."""
        path = f"/api/v1/studies/study-{n}/design/make/"
        return self._ask("POST", path, body="{}", headers=self._headers)

    @property
    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Token {self.token}", "Content-Type": "application/json"}

    def _ask(
        self,
        method: str,
        path: str,
        body: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> tuple[int, float]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        start = time.monotonic()
        status = 0
        with suppress(OSError, HTTPException):
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            response.read()
            status = response.status
        connection.close()
        return status, time.monotonic() - start


def wait_until(holds: Callable[[], object], what: str, patience: float = 240) -> float:
    """Seconds until it holds."""
    start = time.monotonic()
    while not holds():
        if time.monotonic() - start > patience:
            raise RuntimeError(f"in {patience:.0f} s it did not come true that {what}")
        time.sleep(0.1)
    return time.monotonic() - start


def click_and_view(deployment: Deployment, first: int) -> dict[str, object]:
    """Ten clicks at once, and annotators' pages while they wait."""
    with ThreadPoolExecutor(CLICKS + VIEWS) as people:
        clicks = [people.submit(deployment.click, first + n) for n in range(CLICKS)]
        time.sleep(0.5)
        views = [people.submit(deployment.get, deployment.join_path) for _ in range(VIEWS)]
    return {
        **summary("clicks", [click.result() for click in clicks]),
        **summary("annotators' pages", [view.result() for view in views]),
    }


def summary(name: str, answers: Sequence[tuple[int, float]]) -> dict[str, object]:
    statuses = [status for status, _seconds in answers]
    return {
        f"{name}, longest": f"{max(seconds for _status, seconds in answers):.2f} s",
        f"{name}, without an answer or failed": sum(s == 0 or s >= 400 for s in statuses),
    }


def jobs_done(deployment: Deployment, n: int) -> Callable[[], bool]:
    sql = f"SELECT count(*) FROM annotation_job WHERE {DESIGN_JOBS} AND state = 'done'"
    return lambda: deployment.query(sql) == str(n)


def measure_frozen_redis(deployment: Deployment) -> dict[str, object]:
    os.kill(deployment.redis.pid, signal.SIGSTOP)
    figures = click_and_view(deployment, 0)
    os.kill(deployment.redis.pid, signal.SIGCONT)
    seconds = wait_until(jobs_done(deployment, CLICKS), "the jobs are done")
    return {**figures, "jobs done after Redis went on": f"{seconds:.0f} s"}


def measure_dead_redis(deployment: Deployment) -> dict[str, object]:
    os.killpg(deployment.redis.pid, signal.SIGKILL)
    deployment.redis.wait()
    figures = click_and_view(deployment, CLICKS)
    deployment.restart_redis()
    seconds = wait_until(jobs_done(deployment, 2 * CLICKS), "the jobs are done")
    return {**figures, "jobs done after Redis was back": f"{seconds:.0f} s"}


def measure_postgres_restart(deployment: Deployment) -> dict[str, object]:
    with ThreadPoolExecutor(VIEWS) as people:
        list(people.map(deployment.get, [deployment.join_path] * 4 * VIEWS))
    deployment.postgres("restart")
    answers = [deployment.get(deployment.join_path) for _ in range(VIEWS)]
    return {f"of the first {VIEWS} pages failed": sum(status != 200 for status, _ in answers)}


def measure_postgres_restart_with_jobs(deployment: Deployment) -> dict[str, object]:
    clicks = [deployment.click(n) for n in range(2 * CLICKS, 3 * CLICKS)]
    deployment.postgres("restart")  # while the worker is at its jobs
    n_taken = sum(0 < status < 400 for status, _ in clicks)
    seconds = wait_until(jobs_done(deployment, 2 * CLICKS + n_taken), "the jobs are done", 120)
    return {**summary("clicks", clicks), "their jobs done after": f"{seconds:.0f} s"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tree", type=Path, default=ROOT, help="the folder of the version")
    tree = parser.parse_args().tree.resolve()
    with tempfile.TemporaryDirectory() as folder:
        deployment = Deployment(tree, Path(folder))
        try:
            deployment.start()
            for title, measure in (
                ("Redis frozen (SIGSTOP)", measure_frozen_redis),
                ("Redis killed, then started again", measure_dead_redis),
                ("PostgreSQL restarted", measure_postgres_restart),
                ("PostgreSQL restarted while jobs run", measure_postgres_restart_with_jobs),
            ):
                print(title)
                try:
                    for name, figure in measure(deployment).items():
                        print(f"  {name:<52}{figure}")
                except RuntimeError as error:
                    print(f"  {error}")
                sys.stdout.flush()
        finally:
            deployment.stop()


if __name__ == "__main__":
    main()
