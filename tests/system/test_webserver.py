"""The web server's own limits: time to send, connections, bodies on their way."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from http.client import HTTPConnection, HTTPResponse
from typing import Any

import pytest

from config import bodies, webserver

ROOT = "GET / HTTP/1.1\r\nHost: localhost\r\n"


def application(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    answer = environ.get(bodies.REFUSED) or str(len(environ["wsgi.input"].read()))
    start_response("200 OK", [("Content-Length", str(len(answer)))])
    return [answer.encode()]


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., int]]:
    """Start a server and get its port. Limits of config/webserver.py are arguments."""
    ends = threading.Event()
    threads = []

    def start(may_send_files: webserver.MaySendFiles = lambda *_: True, **limits: Any) -> int:
        for name, limit in limits.items():
            monkeypatch.setattr(webserver, name, limit)
        listener = socket.create_server(("127.0.0.1", 0))
        server = webserver.WebServer(
            application, [listener], threads=2, may_send_files=may_send_files
        )

        def run() -> None:
            while not ends.is_set():
                server.poll(0.05)
            server.finish(1)

        threads.append(threading.Thread(target=run))
        threads[-1].start()
        port: int = listener.getsockname()[1]
        return port

    yield start
    ends.set()
    for thread in threads:
        thread.join(20)


def connect(stack: ExitStack, port: int) -> socket.socket:
    return stack.enter_context(closing(socket.create_connection(("127.0.0.1", port), timeout=20)))


def post(port: int, n_bytes: int) -> bytes:
    with closing(HTTPConnection("127.0.0.1", port, timeout=20)) as browser:
        browser.request("POST", "/", body=b"x" * n_bytes)
        return browser.getresponse().read()


def test_a_byte_now_and_then_keeps_no_connection(serve: Callable[..., int]) -> None:
    port = serve(SECONDS_TO_SEND=0.3)
    with ExitStack() as stack:
        sender = connect(stack, port)
        sender.sendall(ROOT.encode())

        for _ in range(300):
            time.sleep(0.05)
            if goes_nowhere(sender):
                break
        else:
            raise AssertionError("the connection was kept")


def test_a_full_server_gives_up_those_who_have_waited_longest(serve: Callable[..., int]) -> None:
    port = serve(MAX_CONNECTIONS=20)
    with ExitStack() as stack:
        for _ in range(100):
            connect(stack, port).sendall(ROOT.encode())

            assert post(port, 10) == b"10"


def test_no_more_files_arrive_at_once_than_there_are_threads(serve: Callable[..., int]) -> None:
    port = serve()
    long = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n"
    with ExitStack() as stack:
        senders = [connect(stack, port) for _ in range(4)]
        answers = []
        for sender in senders:
            sender.sendall(long)
            time.sleep(0.2)
        for sender in senders[2:]:
            response = HTTPResponse(sender)
            response.begin()
            answers.append(response.read())
        assert answers == [bodies.SERVER_BUSY.encode()] * 2
        for sender in senders[:2]:
            sender.sendall(b"x" * 1_000_000)
            response = HTTPResponse(sender)
            response.begin()
            assert response.read() == b"1000000"

    assert post(port, 1_000_000) == b"1000000"


def test_whoever_is_refused_can_read_why_although_they_sent_it_all(
    serve: Callable[..., int],
) -> None:
    port = serve(may_send_files=lambda *_: False)

    assert post(port, 8_000_000) == bodies.UNKNOWN_SENDER.encode()
    assert post(port, bodies.BODY_LIMIT) == str(bodies.BODY_LIMIT).encode()


def test_who_waits_to_be_told_to_go_on_is_told_each_time(serve: Callable[..., int]) -> None:
    port = serve()
    head = f"POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: {10**6}\r\n\r\n"
    with ExitStack() as stack:
        # Two threads that write to one connection at once show up in one of dozens.
        for _ in range(100):
            sender = connect(stack, port)
            sender.sendall(head.encode())
            assert sender.recv(100).startswith(b"HTTP/1.1 100")
            sender.sendall(b"x" * 10**6)
            response = HTTPResponse(sender)
            response.begin()
            assert response.read() == b"1000000"


def test_an_error_while_asking_for_permission_refuses(serve: Callable[..., int]) -> None:
    def fail(cookies: str, authorization: str) -> bool:
        raise RuntimeError

    port = serve(may_send_files=fail)

    assert post(port, 1_000_000) == bodies.UNKNOWN_SENDER.encode()


def test_bodies_of_strangers_on_their_way_are_bounded(serve: Callable[..., int]) -> None:
    port = serve(MAX_ANONYMOUS_BYTES=1_000_000)
    head = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 120000\r\n\r\n"
    with ExitStack() as stack:
        senders = [connect(stack, port) for _ in range(20)]
        for sender in senders:
            sender.sendall(head + b"x" * 100_000)
            time.sleep(0.02)
        time.sleep(0.2)
        for sender in senders:
            sender.settimeout(0.01)
        kept = [sender for sender in senders if not is_closed(sender)]

        assert 5 <= len(kept) <= 10
        assert kept == senders[-len(kept) :]
        assert post(port, 10) == b"10"


def goes_nowhere(sender: socket.socket) -> bool:
    try:
        sender.sendall(b"X")
    except OSError:
        return True
    return False


def is_closed(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) == b""
    except TimeoutError:
        return False
    except OSError:
        return True


LARGE = b"x" * 40_000_000


def large(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    answer = LARGE if environ["PATH_INFO"] == "/large" else environ["REMOTE_ADDR"].encode()
    if forwarded := environ.get("HTTP_X_FORWARDED_FOR"):
        answer = forwarded.encode()
    start_response("200 OK", [("Content-Length", str(len(answer)))])
    return [answer]


def test_who_does_not_read_gives_the_thread_back(
    serve: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{__name__}.application", large)
    port = serve(SECONDS_TO_READ=1)
    with ExitStack() as stack:
        # As many as there are threads, and each asks for more than may wait to be sent.
        for _ in range(2):
            connect(stack, port).sendall(2 * b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")

        with closing(HTTPConnection("127.0.0.1", port, timeout=15)) as browser:
            browser.request("GET", "/")
            assert browser.getresponse().read() == b"127.0.0.1"


def test_requests_that_are_sent_ahead_are_not_all_worked_on(
    serve: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{__name__}.application", large)
    port = serve()
    with ExitStack() as stack:
        eager = connect(stack, port)
        eager.sendall(200 * b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        read = b""
        with suppress(ConnectionError):
            while part := eager.recv(65536):
                read += part

    assert read.count(b"200 OK") <= webserver.MAX_REQUESTS_AHEAD


def test_what_a_proxy_says_reaches_the_application(
    serve: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{__name__}.application", large)
    port = serve()
    with closing(HTTPConnection("127.0.0.1", port, timeout=15)) as proxy:
        proxy.request("GET", "/", headers={"X-Forwarded-For": "192.0.2.7"})
        assert proxy.getresponse().read() == b"192.0.2.7"
