"""gunicorn, worker and beat refuse to start where a server lacks something, each at once."""

import re
import shutil
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

import psycopg2
import pytest

from config import checks
from tests.system.servers import (
    PATIENCE,
    UNUSED_REDIS,
    Installation,
    kill_9,
    postgres_database,
)


@pytest.fixture
def server(blank: Installation, migrated: Path, collected: Path, tmp_path: Path) -> Installation:
    """All that a server needs, each part in a place of its own."""
    shutil.copy(migrated, tmp_path)
    blank.database_url = f"sqlite:///{tmp_path / migrated.name}"
    blank.redis_url = UNUSED_REDIS
    blank.extra["STATIC_ROOT"] = str(collected)
    return blank


def no_broker(server: Installation) -> None:
    server.redis_url = ""


def a_wrong_setting(server: Installation) -> None:
    server.extra["HTTPS"] = "perhaps"


def an_unreadable_database_url(server: Installation) -> None:
    server.database_url = "postgres://likeness:a/b@127.0.0.1/likeness"


def no_env_file(server: Installation) -> None:
    server.redis_url = server.extra["SECRET_KEY"] = ""
    server.database_url = f"sqlite:///{server.data / 'empty.sqlite3'}"
    # Permissions would not stop root, who may run these tests.
    server.extra["LIKENESS_DATA"] = str(server.log)


@pytest.mark.parametrize(
    ("spoil", "codes"),
    [
        (no_broker, {checks.NO_BROKER}),
        (a_wrong_setting, {checks.WRONG_SETTING}),
        (an_unreadable_database_url, {checks.WRONG_SETTING}),
        # Without a key and a place to keep one, not even the settings can be read.
        (no_env_file, {checks.WRONG_SETTING}),
    ],
)
def test_no_process_of_a_server_starts_without(
    server: Installation, spoil: Callable[[Installation], None], codes: set[str]
) -> None:
    spoil(server)
    worker = ("-m", "celery", "-A", "config", "worker", "--pool", "solo")
    beat = ("-m", "celery", "-A", "config", "beat", "--schedule", str(server.data / "schedule"))

    for command in (server.web_command(), worker, beat):
        assert refusal(server, *command) == codes


def test_the_web_server_does_not_start_without_its_style_sheets_and_scripts(
    server: Installation,
) -> None:
    server.extra["STATIC_ROOT"] = str(server.data / "nothing")
    # Its number may be another process's soon.
    pid = server.data / "web.pid"

    command = (*server.web_command(), "--pid", str(pid))
    assert refusal(server, *command) == {checks.NO_STATIC_FILES}
    assert not pid.exists()


def test_the_processes_of_the_web_server_share_what_is_loaded(server: Installation) -> None:
    """Each would otherwise hold some 120 MB of its own."""
    master = server.gunicorn().pid
    # The first to answer makes room for one that shares the researchers' pages, too.
    children = Path(f"/proc/{master}/task/{master}/children")
    first, *_others = children.read_text().split()
    deadline = time.monotonic() + PATIENCE
    while len(pids := children.read_text().split()) < 2 or first in pids:
        assert time.monotonic() < deadline, server.log.read_text()
        time.sleep(0.05)

    for pid in (str(master), *pids):
        shares = Path(f"/proc/{pid}/smaps_rollup").read_text()
        sizes = {name: int(size) for name, size in re.findall(r"^(\w+):\s+(\d+) kB", shares, re.M)}
        assert sizes["Pss"] < 0.75 * sizes["Rss"]


def refusal(server: Installation, *command: str) -> set[str]:
    """The codes of what is missing; the process has ended, and said each of them once."""
    server.log.write_text("")
    process = server.start(*command)
    try:
        status = process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        kill_9(process)
        raise AssertionError(f"it started: {server.log.read_text()}") from None
    log = server.log.read_text()
    assert status == checks.REFUSED_STATUS, log
    assert "Traceback" not in log
    codes = re.findall(r"Likeness does not start \((likeness\.E\d+)\)", log)
    assert len(codes) == len(set(codes)), log
    return set(codes)


def health(installation: Installation) -> tuple[int, bytes]:
    connection = HTTPConnection("127.0.0.1", installation.port, timeout=PATIENCE)
    with closing(connection):
        connection.request("GET", "/healthz/")
        answer = connection.getresponse()
        return answer.status, answer.read()


@pytest.mark.postgres
def test_a_database_that_loses_its_tables_or_goes_away_is_not_healthy(
    tmp_path: Path, collected: Path, migrated_postgres: str
) -> None:
    with postgres_database(migrated_postgres) as url, postgres_database() as other:
        server = Installation(tmp_path / "data", database_url=url, redis_url=UNUSED_REDIS)
        server.extra["STATIC_ROOT"] = str(collected)
        try:
            server.gunicorn()
            name = url.rpartition("/")[2]
            with closing(psycopg2.connect(other)) as admin:
                admin.autocommit = True
                cursor = admin.cursor()

                with closing(psycopg2.connect(url)) as inside, inside, inside.cursor() as tables:
                    tables.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
                assert health(server) == (503, b"no-tables\n")

                cursor.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
                cursor.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
                    [name],
                )
                # One answer finds its old connection dead, the next gets no new one.
                assert [health(server) for _ in range(6)] == 6 * [(503, b"no-database\n")]

                cursor.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')
        finally:
            server.end()
