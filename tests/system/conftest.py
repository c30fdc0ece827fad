"""Installations to test: on SQLite everywhere, on PostgreSQL where DATABASE_URL names one."""

import os
import shutil
from collections.abc import Iterator
from fcntl import LOCK_EX, flock
from pathlib import Path
from typing import Any

import pytest

from tests.browser.arriving import PATIENCE
from tests.system.servers import Installation, postgres_database


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database as the first start leaves it. Making one takes seconds, a copy none."""
    return _made_by_one(tmp_path_factory, "migrate") / "likeness.sqlite3"


@pytest.fixture(scope="session")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _made_by_one(tmp_path_factory, "collectstatic", "--no-input") / "static"


@pytest.fixture(scope="session")
def migrated_postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The same on PostgreSQL, to be copied: the migrations take longer than most tests."""
    with postgres_database() as url:
        installation = Installation(tmp_path_factory.mktemp("postgres"), database_url=url)
        installation.manage("migrate", "--verbosity", "0")
        # A database that somebody is connected to cannot be copied.
        installation.end()
        yield url


def _made_by_one(folders: pytest.TempPathFactory, command: str, *arguments: str) -> Path:
    """The data folder of an installation after this command.

    The first of the processes that run tests makes it; the others wait for it.
    """
    together = folders.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        together = together.parent
    data = together / command
    with (together / f"{command}.lock").open("w") as lock:
        flock(lock, LOCK_EX)
        if not data.exists():
            installation = Installation(together / f"{command}-begun")
            installation.manage(command, "--verbosity", "0", *arguments)
            installation.end()
            installation.data.rename(data)
    return data


@pytest.fixture
def blank(tmp_path: Path) -> Iterator[Installation]:
    """What `make run` has: a SQLite file and a worker in the web server's process."""
    installation = Installation(tmp_path / "data")
    yield installation
    installation.end()


@pytest.fixture
def sqlite(blank: Installation, migrated: Path) -> Installation:
    """The same, after its first start."""
    shutil.copy(migrated, blank.data)
    return blank


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def installation(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Installation]:
    """The same on either database."""
    if request.param == "sqlite":
        yield request.getfixturevalue("sqlite")
        return
    with postgres_database(request.getfixturevalue("migrated_postgres")) as url:
        installation = Installation(tmp_path / "data", database_url=url)
        yield installation
        installation.end()


@pytest.fixture
def deployment(tmp_path: Path, migrated_postgres: str) -> Iterator[Installation]:
    """What the compose file describes: PostgreSQL, Redis, each process on its own."""
    with postgres_database(migrated_postgres) as url:
        installation = Installation(
            tmp_path / "data", database_url=url, redis_url=os.environ["REDIS_URL"]
        )
        yield installation
        installation.end()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page of a fresh browser."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(PATIENCE * 1000)
    yield context.new_page()
    context.close()
