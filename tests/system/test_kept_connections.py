"""Browsers keep their connections open; nobody waits until somebody else's is given up."""

from contextlib import ExitStack, closing
from http.client import HTTPConnection

from tests.system.servers import Installation


def test_two_hundred_browsers_keep_their_connections_to_make_run(sqlite: Installation) -> None:
    sqlite.serve("--no-demo", "--no-worker")
    with ExitStack() as kept:
        for _ in range(200):
            # Far less than the minute after which the server closes a silent connection.
            browser = HTTPConnection("127.0.0.1", sqlite.port, timeout=20)
            kept.enter_context(closing(browser))
            browser.request("GET", "/healthz/")

            assert browser.getresponse().read()
