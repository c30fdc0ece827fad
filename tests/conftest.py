"""What every test shares: settings that make tests quick, and tools that may be missing."""

import gc
import os
import shutil
from collections.abc import Generator, Iterator
from importlib import import_module
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import hypothesis
import pytest
from django.conf import settings
from django.core.cache import caches
from django.core.servers.basehttp import WSGIRequestHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.utils import timezone

from annotation.answering.queries import screen_contents
from tests.support.clock import CLOCK, Clock
from tests.support.door import door_of
from tests.support.once import Rows, rows_of
from tests.support.remote_side import Remote, install
from tests.support.tables import (
    call_migrated,
    delete_rows,
    drop_dead_rows,
    keep_statistics_away,
    make_at_once,
    wait_for_no_disk,
)

_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Pages of one context share a process, which is quicker to have than another one.
    "--process-per-site",
]


# Processes that are killed, the studies of whole papers, every page in pictures, and the
# simulators of the platforms, which change seldom.
_SLOW_FOLDERS = ("tests/system/", "tests/papers/", "tests/pictures/", "tests/simulators/")
# The fixture of tests/scoring/neural without which nothing loads torch.
_NEEDS_MODELS = "packages"


def pytest_configure() -> None:
    # How long an example takes says how busy the machine is, and nothing of the code.
    hypothesis.settings.register_profile(
        "busy",
        # Half of the usual number: a run of all tests stays below twenty minutes.
        max_examples=50,
        deadline=None,
        suppress_health_check=[hypothesis.HealthCheck.too_slow],
    )
    hypothesis.settings.load_profile("busy")
    # Tests answer at once; those of the floor itself set it.
    settings.SCREEN_SECONDS = 0
    # A browser asks for several things at once, and Django's server has a thread for each.
    settings.WEB_THREADS = 100
    # No manifest to collect, and no slow hash for passwords nobody attacks.
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    # Nothing is collected in tests: files are looked up where they lie, also by a live server.
    settings.WHITENOISE_AUTOREFRESH = True
    # Pages are the same whether the documentation was built or not.
    settings.WHITENOISE_ROOT = None
    # Django's test server writes the head and the body of an answer one after the other; the body
    # would wait 40 ms for the acknowledgement of the head. The servers we run on do not wait.
    WSGIRequestHandler.disable_nagle_algorithm = True
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    delete_rows()
    make_at_once()
    wait_for_no_disk()


def pytest_collection_modifyitems(items: list[pytest.Function]) -> None:
    missing = {
        "postgres": None
        if os.environ.get("DATABASE_URL", "").startswith("postgres")
        else "DATABASE_URL names no PostgreSQL database: row locks are not tested",
        "redis": None if os.environ.get("REDIS_URL") else "REDIS_URL is not set",
        "browser": None
        if chromium()
        else "no Chromium: install it (Debian: apt install chromium-headless-shell) or set"
        " CHROMIUM to its path",
        "gettext": None
        if all(map(shutil.which, ("xgettext", "msgmerge", "msgfmt")))
        else "no xgettext, msgmerge or msgfmt: install them (Debian: apt install gettext)",
    }
    for item in items:
        if item.nodeid.startswith(_SLOW_FOLDERS) or _NEEDS_MODELS in item.fixturenames:
            item.add_marker(pytest.mark.slow)
        for name, reason in missing.items():
            if reason and item.get_closest_marker(name):
                item.add_marker(pytest.mark.skip(reason=reason))
    # What takes longest comes first: at the end nobody shall wait for one long test alone.
    items.sort(key=lambda item: "tests/system/" not in item.nodeid)


def pytest_collection_finish() -> None:
    # The first test that asks for a page would wait for all pages.
    import_module(settings.ROOT_URLCONF)
    # What is there now stays: looking for garbage in it again and again finds none.
    gc.collect()
    gc.freeze()
    # Nor does looking at each 700 new objects, which took a tenth of the time of all tests.
    gc.set_threshold(20_000, 20, 20)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    # Where everything is meant to be installed, a skipped test hides a missing install step.
    # Here, before anybody counts it: pytest ends with what it has counted.
    if report.skipped and os.environ.get("LIKENESS_REQUIRE_ALL") == "1":
        report.outcome = "failed"
    return report


def chromium() -> str | None:
    return (
        shutil.which(os.environ.get("CHROMIUM", ""))
        # The same engine without a window takes two thirds of the time.
        or shutil.which("chromium-headless-shell")
        or shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> None:
    with django_db_blocker.unblock():
        call_migrated()
        keep_statistics_away()


@pytest.fixture(scope="module", autouse=True)
def _no_dead_rows(django_db_blocker: Any) -> Iterator[None]:
    """Comes before what is made once for the module, and ends after it."""
    yield
    with django_db_blocker.unblock():
        drop_dead_rows()


@pytest.fixture(scope="module")
def rows_of_module(
    request: pytest.FixtureRequest,
    django_db_setup: None,
    django_db_blocker: Any,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Rows]:
    """What `made_once` made."""
    folder = tmp_path_factory.mktemp("once")
    with django_db_blocker.unblock(), rows_of(request.module.__name__, folder) as rows:
        yield rows


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the test. Pytest's own looks through those of all other tests to number it."""
    return Path(mkdtemp(dir=tmp_path_factory.getbasetemp()))


@pytest.fixture(autouse=True)
def _keep_files_apart(tmp_path, settings) -> None:
    settings.DATA = tmp_path
    settings.MEDIA_ROOT = tmp_path / "files"
    # The middleware that serves static files warns of a folder that is not there.
    settings.STATIC_ROOT = tmp_path / "static"
    settings.STATIC_ROOT.mkdir()
    # Primary keys come again when a test is rolled back; what was read of other rows does not.
    for cache in settings.CACHES:
        caches[cache].clear()
    screen_contents.forget()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One for all tests: each has contexts of its own, which share nothing."""
    from playwright.sync_api import expect, sync_playwright

    # Playwright's synchronous interface runs an event loop in this thread; Django would refuse to
    # touch the database there, though nothing here is asynchronous.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    # Five seconds, its own choice, are too short on a busy machine.
    expect.set_options(timeout=60_000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=_ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def clock(settings: Any) -> Clock:
    """A clock that stands still until the test moves it; everything that is dated reads it."""
    CLOCK.set(timezone.now())
    settings.CLOCK = "tests.support.clock.now"
    return CLOCK


@pytest.fixture
def open_server(transactional_db: None, live_server: Any) -> Iterator[Any]:
    """The web server, for the time of the test.

    A page that is closed leaves its last requests behind. The tables are emptied after each test;
    whoever still read them then would be one half of a deadlock.
    """
    with door_of(live_server).opened():
        yield live_server


@pytest.fixture
def kept_connection() -> Iterator[None]:
    """Whoever closes an answer by hand, as a server does, must not end the test's transaction.

    Django's own test client sees to that only for answers that it closes itself.
    """
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


@pytest.fixture
def remote(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, clock: Clock) -> Remote:
    """The other side of a platform, with a ledger of its own."""
    return install(monkeypatch, tmp_path / "ledger")
