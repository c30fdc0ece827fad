"""A real browser before a real web server."""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings as django_settings
from django.db import connections

from tests.browser.arriving import PATIENCE

# Answers that a test provokes on purpose; the browser notes each in its console.
_EXPECTED = (
    "the server responded with a status of 4",
    "the server responded with a status of 502",
    "the server responded with a status of 503",
    "net::ERR_",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/browser/" in item.path.as_posix():
            item.add_marker(pytest.mark.browser)


def pytest_configure(config: pytest.Config) -> None:
    # Test databases of SQLite are in memory, and a live server would share one connection of
    # theirs among its threads: two answers saved at once would stand in one transaction.
    database = connections.settings["default"]
    if database["ENGINE"] == "django.db.backends.sqlite3" and not database["TEST"]["NAME"]:
        folder = tempfile.TemporaryDirectory()
        config.add_cleanup(folder.cleanup)
        database["TEST"]["NAME"] = f"{folder.name}/test.sqlite3"
        # No power cut is survived here, so the disk need not be waited for.
        options = database["OPTIONS"]
        options["init_command"] = options["init_command"].replace("FULL", "OFF")


@dataclass
class Watched:
    """What a page must never do: ask another host, break the policy, throw, set a cookie."""

    host: str
    problems: list[str] = field(default_factory=list)

    def watch(self, context: Any) -> None:
        context.on("request", self._request)
        context.on("console", self._console)
        context.on("weberror", lambda error: self.problems.append(str(error.error)))
        context.on("page", lambda page: page.on("dialog", lambda dialog: dialog.accept()))

    def _request(self, request: Any) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in {"data", "blob"} and parts.netloc != self.host:
            self.problems.append(f"request to {request.url}")

    def _console(self, message: Any) -> None:
        if urlsplit(message.location["url"]).path == "/broken/":
            return  # the page that says so when we made a mistake
        if message.type == "error" and not any(text in message.text for text in _EXPECTED):
            self.problems.append(message.text)


@pytest.fixture(autouse=True)
def _nobody_inside(open_server: Any) -> None:
    """Every test here talks to the web server, and leaves it to nobody."""


@pytest.fixture
def new_context(browser: Any, live_server: Any, _nobody_inside: None) -> Iterator[Any]:
    """Makes browser contexts that are watched; at the end none of them may have misbehaved."""
    watched = Watched(urlsplit(live_server.url).netloc)
    contexts = []

    def make(**options: Any) -> Any:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        context.set_default_timeout(PATIENCE * 1000)
        watched.watch(context)
        contexts.append(context)
        return context

    yield make
    cookies = [cookie for context in contexts for cookie in context.cookies()]
    for context in contexts:
        context.close()
    assert watched.problems == []
    assert cookies == []


@pytest.fixture
def page(new_context: Any) -> Any:
    return new_context().new_page()


@pytest.fixture(autouse=True)
def _as_in_production(settings: Any) -> None:
    # The policy has an exemption for debug pages.
    assert not django_settings.DEBUG
