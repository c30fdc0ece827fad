"""Networks that break off or pretend, and come back."""

from collections.abc import Callable
from typing import Any

SAVES = "**/q/*/"
SENDING = "**/submit/"
WAITING = (
    "Not saved yet, but not lost: it will be sent again automatically."
    " Keep this page open, or come back on this device."
)
PORTAL = "<!DOCTYPE html><title>Free Wi-Fi</title><p>Please accept our terms."


def never_arrives(route: Any) -> None:
    route.abort()


def answer_never_arrives(route: Any) -> None:
    route.fetch()
    route.abort()


def half_an_answer(route: Any) -> None:
    answer = route.fetch()
    route.fulfill(response=answer, body=answer.text()[: len(answer.text()) // 2])


def captive_portal(route: Any) -> None:
    route.fulfill(status=200, content_type="text/html", body=PORTAL)


def portal_that_speaks_json(route: Any) -> None:
    route.fulfill(status=200, content_type="application/json", body='{"login": "/welcome"}')


def portal_elsewhere(route: Any) -> None:
    route.fulfill(status=302, headers={"Location": "/static/answering/icon.svg"})


def bad_gateway(route: Any) -> None:
    route.fulfill(status=502, content_type="text/html", body="<h1>Bad gateway</h1>")


def bad_gateway_after_storing(route: Any) -> None:
    route.fetch()
    route.fulfill(status=502, content_type="text/html", body="<h1>Bad gateway</h1>")


class BadNetwork:
    """What is asked for fails in one way, until the network is mended.

    Not by `unroute`: that would let through what is being lost just then.
    """

    def __init__(self, page: Any, fails: Callable[[Any], None], asked: str = SAVES) -> None:
        self._fails: Callable[[Any], None] | None = fails
        # Of a page or, for all its tabs, of a context.
        page.route(asked, self._answer)

    def _answer(self, route: Any) -> None:
        if self._fails:
            self._fails(route)
        else:
            route.continue_()

    def mend(self) -> None:
        self._fails = None


class SlowNetwork:
    """What is asked for is on its way, until it is let through."""

    def __init__(self, page: Any, asked: str) -> None:
        self.on_its_way: list[Any] = []
        page.route(asked, self._hold)

    def _hold(self, route: Any) -> None:
        self.on_its_way.append(route)

    def let_through(self) -> None:
        while self.on_its_way:
            self.on_its_way.pop(0).continue_()


def come_back(page: Any) -> None:
    """The network is there again, and the browser notices."""
    page.context.set_offline(False)
    page.evaluate("dispatchEvent(new Event('online'))")
