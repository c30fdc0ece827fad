"""The web server shares its threads and connections among network addresses."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from typing import Any

import pytest

from config import webserver

# The peer, and what a proxy there says about whom it speaks for.
Sender = tuple[str, str]
# Without a proxy, and behind one.
DIRECT = (("127.0.0.2", ""), ("127.0.0.3", ""))
PROXIED = (("127.0.0.1", "192.0.2.2"), ("127.0.0.1", "192.0.2.3"))
LONG_HEAD = b"POST /long HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n"


class FairServer:
    """A server that works only while a test polls it, and answers once it is allowed to."""

    def __init__(self, stack: ExitStack, *, threads: int) -> None:
        self.stack = stack
        self.may_answer = threading.Event()
        self.paths: list[str] = []
        self.listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        self.server = webserver.WebServer(
            self._answer,
            [self.listener.dup()],
            threads=threads,
            long_body_sender=lambda cookies, authorization: 1,
        )
        stack.callback(self.server.finish, 5)
        stack.callback(self.may_answer.set)

    def _answer(self, environ: dict[str, Any], start_response: Any) -> list[bytes]:
        self.paths.append(environ["PATH_INFO"])
        assert self.may_answer.wait(20)
        start_response("200 OK", [("Content-Length", "2")])
        return [b"ok"]

    @property
    def channels(self) -> list[Any]:
        return list(self.server._servers[0].active_channels.values())

    @property
    def n_waiting(self) -> int:
        return len(self.server._dispatcher.queue)

    def poll_until(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 10
        while not condition():
            assert time.monotonic() < deadline
            self.server.poll(0.05)

    def connect(self, sender: Sender = DIRECT[0]) -> socket.socket:
        peer, _ = sender
        connection = self.stack.enter_context(
            closing(
                socket.create_connection(
                    self.listener.getsockname(), timeout=10, source_address=(peer, 0)
                )
            )
        )
        port = connection.getsockname()[1]
        self.poll_until(lambda: any(channel.addr[1] == port for channel in self.channels))
        return connection

    def ask(self, path: str, sender: Sender, n_requests: int = 1) -> socket.socket:
        """Connect and send requests; wait until the server has read them or closed this."""
        connection = self.connect(sender)
        connection.sendall(n_requests * get(path, sender))
        port = connection.getsockname()[1]
        self.poll_until(
            lambda: all(len(c.requests) == n_requests for c in self.channels if c.addr[1] == port)
        )
        return connection


def get(path: str, sender: Sender) -> bytes:
    _, forwarded_for = sender
    header = f"X-Forwarded-For: {forwarded_for}\r\n" if forwarded_for else ""
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{header}\r\n".encode()


@pytest.fixture
def start() -> Iterator[Callable[..., FairServer]]:
    with ExitStack() as stack:
        yield lambda threads=1: FairServer(stack, threads=threads)


def test_a_connection_has_one_task_at_a_time(start: Callable[..., FairServer]) -> None:
    server = start()
    sender = server.connect()
    sender.sendall(get("/first", DIRECT[0]) + LONG_HEAD)
    server.poll_until(lambda: server.paths == ["/first"])

    # To ask who sends the body of the second request would take another thread.
    assert server.n_waiting == 0

    server.may_answer.set()
    body = threading.Thread(target=sender.sendall, args=[b"x" * 1_000_000])
    body.start()
    server.poll_until(lambda: server.paths == ["/first", "/long"])
    body.join(10)


@pytest.mark.parametrize(("crowd", "newcomer"), [DIRECT, PROXIED])
def test_the_address_with_the_most_connections_makes_room(
    start: Callable[..., FairServer],
    monkeypatch: pytest.MonkeyPatch,
    settings: Any,
    crowd: Sender,
    newcomer: Sender,
) -> None:
    monkeypatch.setattr(webserver, "MAX_CONNECTIONS", 20)
    settings.TRUSTED_PROXIES = 1
    server = start()
    for _ in range(19):
        server.ask("/crowd", crowd, n_requests=8)

    # The server is full before it has heard anything from the newcomer.
    connection = server.connect(newcomer)
    for _ in range(5):
        server.ask("/crowd", crowd, n_requests=8)
    connection.sendall(get("/newcomer", newcomer))
    for _ in range(5):
        server.ask("/crowd", crowd, n_requests=8)

    server.may_answer.set()
    server.poll_until(lambda: "/newcomer" in server.paths)
    assert connection.recv(100).startswith(b"HTTP/1.1 200")


def test_a_request_that_is_being_answered_makes_no_room(
    start: Callable[..., FairServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webserver, "MAX_CONNECTIONS", 5)
    crowd, other = DIRECT
    server = start(threads=3)
    connections = [server.ask("/crowd", crowd) for _ in range(3)]
    server.poll_until(lambda: len(server.paths) == 3)
    for _ in range(5):
        server.ask("/other", other)

    server.may_answer.set()
    server.poll_until(lambda: not server.server._servers[0].is_at_work())
    assert all(c.recv(100).startswith(b"HTTP/1.1 200") for c in connections)


def test_a_closed_connection_waits_for_no_thread(
    start: Callable[..., FairServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webserver, "MAX_CONNECTIONS", 10)
    crowd, other = DIRECT
    server = start()
    for _ in range(5):
        server.ask("/", crowd)
    for _ in range(4):
        server.connect(crowd).sendall(LONG_HEAD)
    # A thread has the first.
    server.poll_until(lambda: server.n_waiting == 8)

    for _ in range(5):
        server.ask("/", other)

    assert server.n_waiting < len(server.channels)


@pytest.mark.parametrize(("crowd", "newcomer"), [DIRECT, PROXIED])
def test_addresses_take_turns(
    start: Callable[..., FairServer], settings: Any, crowd: Sender, newcomer: Sender
) -> None:
    settings.TRUSTED_PROXIES = 1
    server = start()
    for _ in range(10):
        server.ask("/crowd", crowd, n_requests=8)
    server.ask("/newcomer", newcomer)

    server.may_answer.set()
    server.poll_until(lambda: len(server.paths) == 81)
    # One had the thread already, and one had waited before.
    assert server.paths.index("/newcomer") == 2


def test_a_class_at_one_address_is_served(start: Callable[..., FairServer]) -> None:
    server = start(threads=2)
    students = [server.ask("/class", DIRECT[0]) for _ in range(300)]

    server.may_answer.set()
    server.poll_until(
        lambda: len(server.paths) == 300 and not server.server._servers[0].is_at_work()
    )
    assert all(student.recv(100).startswith(b"HTTP/1.1 200") for student in students)


def test_who_connects_does_not_wait_for_everybody_before(
    start: Callable[..., FairServer],
) -> None:
    server = start(threads=8)
    with ExitStack() as stack:
        for _ in range(8):
            stack.enter_context(
                closing(socket.create_connection(server.listener.getsockname(), timeout=10))
            )
        server.poll_until(lambda: bool(server.channels))

        assert len(server.channels) == 8
