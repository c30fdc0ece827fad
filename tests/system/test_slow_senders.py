"""Senders who are slow, or send too much, keep nobody waiting: `make run` and gunicorn."""

import select
import shutil
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest

from tests.system.servers import UNUSED_REDIS, Installation

N_SLOW = 200
MAKE_TOKENS = """
from annotation.core.services import tokens
from tests.support.factories import make_user
for name in ("ada", "grace"):
    print(tokens.make(user=make_user(name), name="file", can_write=True).key)
"""


@pytest.fixture(scope="module")
def tokens(migrated: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], Path]:
    """Tokens of two researchers, and the database that knows them."""
    installation = Installation(tmp_path_factory.mktemp("tokens"))
    shutil.copy(migrated, installation.data)
    keys = installation.python(MAKE_TOKENS).split()
    installation.end()
    return keys, installation.data / migrated.name


@pytest.fixture(scope="module", params=["make run", "gunicorn"])
def server(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    tokens: tuple[list[str], Path],
    collected: Path,
) -> Iterator[Installation]:
    """As it is documented, with few threads."""
    installation = Installation(tmp_path_factory.mktemp("slow"))
    installation.extra["STATIC_ROOT"] = str(collected)
    shutil.copy(tokens[1], installation.data)
    if request.param == "gunicorn":
        installation.redis_url = UNUSED_REDIS
        installation.database_url = f"sqlite:///{installation.data / tokens[1].name}"
        installation.gunicorn("--workers", "2", "--threads", "2")
    else:
        installation.serve("--no-demo", "--no-worker", "--threads", "2")
    yield installation
    installation.end()


def connect(server: Installation) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=20)


def answer(connection: socket.socket) -> HTTPResponse:
    response = HTTPResponse(connection)
    response.begin()
    return response


def upload_head(token: str, n_bytes: int, more: str = "") -> bytes:
    """The head of a researcher's upload to a study that is not there."""
    return (
        "POST /api/v1/studies/none/items/ HTTP/1.1\r\nContent-Type: text/plain\r\n"
        f"Host: localhost\r\nAuthorization: Token {token}\r\n{more}"
        f"Content-Length: {n_bytes}\r\n\r\n"
    ).encode()


def seconds_of_others(server: Installation) -> float:
    """How long somebody else waits who comes now."""
    began = time.monotonic()
    with closing(HTTPConnection("127.0.0.1", server.port, timeout=20)) as browser:
        browser.request("GET", "/healthz/")
        assert browser.getresponse().read() == b"ok\n"
    return time.monotonic() - began


@pytest.mark.parametrize(
    "begun",
    [
        b"",
        b"GET /healthz/ HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
        b"POST /admin/login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nx=",
        b"POST /admin/login/ HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"fff\r\nx=",
    ],
    ids=["nothing", "head", "body", "chunks"],
)
def test_others_are_answered_while_many_send_slowly(server: Installation, begun: bytes) -> None:
    with ExitStack() as slow:
        senders = [slow.enter_context(closing(connect(server))) for _ in range(N_SLOW)]
        waits = []
        for sent in (begun, b"a", b"b"):
            for sender in senders:
                if sent and begun:
                    sender.sendall(sent)
            waits.append(seconds_of_others(server))

        assert max(waits) < 1


@pytest.mark.parametrize("path", ["/", "/admin/login/", "/api/v1/studies/", "/a/nobody/"])
@pytest.mark.parametrize("is_chunked", [False, True])
def test_a_long_body_of_a_stranger_is_refused_before_it_is_sent(
    server: Installation, path: str, is_chunked: bool
) -> None:
    length = "Transfer-Encoding: chunked" if is_chunked else "Content-Length: 60000000"
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\n{length}\r\n\r\n".encode()
    part = b"8000\r\n" + b"x" * 0x8000 + b"\r\n" if is_chunked else b"x" * 0x8000
    with closing(connect(server)) as sender:
        sender.sendall(head)
        if is_chunked:
            # No end of it can be seen yet.
            for _ in range(5):
                sender.sendall(part)

        response = answer(sender)

        # Where nobody's page is, an annotator's address is unknown whatever is sent to it.
        assert response.status == (404 if path.startswith("/a/") else 413)
        assert response.headers["Connection"] == "close"
        assert b"x" * 100 not in response.read()


def test_many_long_bodies_of_strangers_keep_nobody_waiting(server: Installation) -> None:
    head = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000000\r\n\r\n"
    with ExitStack() as stack:
        for _ in range(50):
            sender = stack.enter_context(closing(connect(server)))
            sender.setblocking(False)
            sender.send(head + b"x" * 100_000)

        assert seconds_of_others(server) < 1


def test_a_cookie_that_is_nobodys_lets_no_long_body_in(server: Installation) -> None:
    with closing(connect(server)) as sender:
        sender.sendall(
            b"POST /admin/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000000\r\n"
            b"Cookie: sessionid=abcdefghijklmnopqrstuvwxyz012345\r\n\r\n"
        )

        assert answer(sender).status == 413


def test_a_researcher_sends_a_file_and_no_more_than_one_may_be(
    server: Installation, tokens: tuple[list[str], Path]
) -> None:
    body = b"x" * 3_000_000
    key = tokens[0][0]

    with closing(connect(server)) as sender:
        sender.sendall(upload_head(key, len(body)) + body)
        # It was read to its end: the study is looked for, and there is none.
        assert answer(sender).status == 404
    with closing(connect(server)) as sender:
        sender.sendall(upload_head(key, len(body), "Expect: 100-continue\r\n"))
        assert sender.recv(100).startswith(b"HTTP/1.1 100")
        sender.sendall(body)
        assert answer(sender).status == 404
    with closing(connect(server)) as sender:
        sender.sendall(upload_head(key, 999_000_000))
        assert answer(sender).status == 413


def test_slow_uploads_of_one_researcher_keep_no_other_researcher_out(
    server: Installation, tokens: tuple[list[str], Path]
) -> None:
    ada, grace = tokens[0]
    body = b"x" * 3_000_000
    n_senders, n_processes = 12, 2
    with ExitStack() as stack:
        slow = [stack.enter_context(closing(connect(server))) for _ in range(n_senders)]
        for sender in slow:
            sender.sendall(upload_head(ada, 60_000_000))
        refused: set[socket.socket] = set()
        deadline = time.monotonic() + 10
        while len(refused) < n_senders - 2 * n_processes and time.monotonic() < deadline:
            refused |= set(select.select(slow, [], [], 1)[0])
        with closing(connect(server)) as sender:
            sender.sendall(upload_head(grace, len(body)) + body)

            assert answer(sender).status == 404
        responses = [answer(sender) for sender in refused]

    assert n_senders - 2 * n_processes <= len(refused) <= n_senders - 2
    assert {response.status for response in responses} == {429}
    assert all(response.headers["Retry-After"] for response in responses)


@pytest.mark.parametrize("path", ["/healthz/", "/nothing/", "/robots.txt"])
def test_what_follows_the_answer_to_head_is_the_next_answer(
    server: Installation, path: str
) -> None:
    last = "GET /healthz/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    received = b""
    with closing(connect(server)) as browser:
        browser.sendall(f"HEAD {path} HTTP/1.1\r\nHost: localhost\r\n\r\n{last}".encode())
        while part := browser.recv(10_000):
            received += part

    _, following, rest = received.split(b"\r\n\r\n")
    assert following.startswith(b"HTTP/1.1 200 ")
    assert rest == b"ok\n"
