"""The web server's own limits: time to send, connections, bodies on their way."""

import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
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

    def start(
        long_body_sender: webserver.LongBodySender = account_in_cookie,
        n_servers: int = 1,
        **limits: Any,
    ) -> int:
        for name, limit in limits.items():
            monkeypatch.setattr(webserver, name, limit)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            for _ in range(n_servers):
                start_one(listener, long_body_sender)
            port: int = listener.getsockname()[1]
        return port

    def start_one(listener: socket.socket, long_body_sender: webserver.LongBodySender) -> None:
        server = webserver.WebServer(
            application, [listener.dup()], threads=2, long_body_sender=long_body_sender
        )

        def run() -> None:
            while not ends.is_set():
                server.poll(0.05)
            server.finish(1)

        threads.append(threading.Thread(target=run))
        threads[-1].start()

    yield start
    ends.set()
    for thread in threads:
        thread.join(20)


def connect(stack: ExitStack, port: int) -> socket.socket:
    return stack.enter_context(closing(socket.create_connection(("127.0.0.1", port), timeout=20)))


def account_in_cookie(cookies: str, authorization: str) -> int:
    return int(cookies)


def post(port: int, n_bytes: int, *, account: int = 1) -> bytes:
    with closing(HTTPConnection("127.0.0.1", port, timeout=20)) as browser:
        browser.request("POST", "/", body=b"x" * n_bytes, headers={"Cookie": str(account)})
        return browser.getresponse().read()


def test_a_byte_now_and_then_keeps_no_connection(serve: Callable[..., int]) -> None:
    port = serve(SECONDS_TO_SEND=0.3)
    with ExitStack() as stack:
        sender = connect(stack, port)
        sender.sendall(ROOT.encode())

        wait_until_closed(sender)


def test_a_full_server_gives_up_those_who_have_waited_longest(serve: Callable[..., int]) -> None:
    port = serve(MAX_CONNECTIONS=20)
    with ExitStack() as stack:
        for _ in range(100):
            connect(stack, port).sendall(ROOT.encode())

            assert post(port, 10) == b"10"


def begin_upload(stack: ExitStack, port: int, *, account: int, n_bytes: int) -> socket.socket:
    sender = connect(stack, port)
    head = f"POST / HTTP/1.1\r\nHost: a\r\nCookie: {account}\r\nContent-Length: {n_bytes}\r\n\r\n"
    sender.sendall(head.encode())
    # Nothing that could be read tells when the server has let it in.
    time.sleep(0.2)
    return sender


def answer_to(sender: socket.socket) -> bytes:
    response = HTTPResponse(sender)
    response.begin()
    return response.read()


def test_an_account_may_send_two_long_bodies_at_once(serve: Callable[..., int]) -> None:
    port = serve()
    with ExitStack() as stack:
        senders = [begin_upload(stack, port, account=1, n_bytes=10**6) for _ in range(3)]

        assert answer_to(senders[2]) == bodies.TOO_MANY_AT_ONCE.encode()
        # However long the others' bodies are, and however few threads there are.
        assert post(port, 64_000_000, account=2) == b"64000000"
        for sender in senders[:2]:
            sender.sendall(b"x" * 10**6)
            assert answer_to(sender) == b"1000000"

    assert post(port, 10**6, account=1) == b"1000000"


def test_long_bodies_of_all_accounts_are_limited_by_their_length(
    serve: Callable[..., int],
) -> None:
    port = serve()
    with ExitStack() as stack:
        for account in (1, 1, 2):
            begin_upload(stack, port, account=account, n_bytes=64_000_000)

        assert post(port, 64_000_000, account=3) == bodies.SERVER_BUSY.encode()
        assert post(port, 10**6, account=3) == b"1000000"


def test_a_slow_upload_gives_way_when_its_time_is_over(serve: Callable[..., int]) -> None:
    port = serve(SECONDS_TO_SEND=0.3)
    with ExitStack() as stack:
        # At the lowest speed the whole body would take an hour; only what has come counts.
        senders = [begin_upload(stack, port, account=1, n_bytes=64_000_000) for _ in range(2)]
        for sender in senders:
            wait_until_closed(sender)

        assert post(port, 10**6, account=1) == b"1000000"


def test_whoever_is_refused_can_read_why_although_they_sent_it_all(
    serve: Callable[..., int],
) -> None:
    port = serve(long_body_sender=lambda *_: None)

    assert post(port, 8_000_000) == bodies.UNKNOWN_SENDER.encode()
    assert post(port, bodies.BODY_LIMIT) == str(bodies.BODY_LIMIT).encode()


def test_who_waits_to_be_told_to_go_on_is_told_each_time(serve: Callable[..., int]) -> None:
    port = serve()
    head = (
        "POST / HTTP/1.1\r\nHost: a\r\nCookie: 1\r\nExpect: 100-continue\r\n"
        f"Content-Length: {10**6}\r\n\r\n"
    )
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
    def fail(cookies: str, authorization: str) -> int | None:
        raise RuntimeError

    port = serve(long_body_sender=fail)

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


def wait_until_closed(sender: socket.socket) -> None:
    """Send a byte now and then until nobody takes it."""
    for _ in range(300):
        time.sleep(0.05)
        if goes_nowhere(sender):
            return
    raise AssertionError("the connection was kept")


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


def streaming(environ: dict[str, Any], start_response: Any) -> Iterator[bytes]:
    start_response("200 OK", [])
    for _ in range(600 if environ["PATH_INFO"] == "/large" else 1):
        yield b"x" * 65_536


def test_slow_readers_leave_half_of_the_threads_to_others(
    serve: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{__name__}.application", streaming)
    # Nobody is given up for reading nothing: the readers could take a little now and then.
    port = serve(SECONDS_TO_READ=600)
    with ExitStack() as stack:
        for _ in range(6):
            connect(stack, port).sendall(b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")

        with closing(HTTPConnection("127.0.0.1", port, timeout=15)) as browser:
            browser.request("GET", "/")
            assert len(browser.getresponse().read()) == 65_536


def taking_its_time(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    time.sleep(1 if environ["PATH_INFO"] == "/slow" else 0.01)
    start_response("200 OK", [("Content-Length", "2")])
    return [b"ok"]


def test_requests_that_are_sent_ahead_are_not_all_worked_on(
    serve: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{__name__}.application", taking_its_time)
    port = serve()
    with ExitStack() as stack:
        eager = connect(stack, port)
        eager.sendall(200 * b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        read = b""
        with suppress(ConnectionError):
            while part := eager.recv(65536):
                read += part

    assert read.count(b"200 OK") <= webserver.MAX_PIPELINED_REQUESTS


def test_what_a_proxy_says_reaches_the_application(
    serve: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{__name__}.application", large)
    port = serve()
    with closing(HTTPConnection("127.0.0.1", port, timeout=15)) as proxy:
        proxy.request("GET", "/", headers={"X-Forwarded-For": "192.0.2.7"})
        assert proxy.getresponse().read() == b"192.0.2.7"


def test_a_process_whose_threads_are_busy_leaves_newcomers_to_another(
    serve: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{__name__}.application", taking_its_time)
    # Of two servers with two threads each, one is busy, and the other has a thread left.
    port = serve(n_servers=2, SECONDS_FOR_OTHER_PROCESSES=10)
    with ExitStack() as stack:
        for _ in range(3):
            connect(stack, port).sendall(b"GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
            time.sleep(0.1)
        began = time.monotonic()
        for _ in range(10):
            post(port, 10)

        assert time.monotonic() - began < 0.6


@pytest.mark.parametrize(
    ("n_files", "n_connections"), [(256, 56), (1024, 800), (10**6, 800), (-1, 800)]
)
def test_connections_leave_some_of_the_files_that_a_process_may_open(
    monkeypatch: pytest.MonkeyPatch, n_files: int, n_connections: int
) -> None:
    monkeypatch.setattr("resource.getrlimit", lambda _: (n_files, n_files))

    assert webserver.max_connections() == n_connections


def test_files_of_a_connection_end_with_it(serve: Callable[..., int]) -> None:
    port = serve()
    before = open_files()
    with ExitStack() as stack:
        for account in (1, 1, 2):
            sender = begin_upload(stack, port, account=account, n_bytes=20_000_000)
            sender.sendall(b"x" * 10_000_000)
        assert len(open_files() - before) == 9

    for _ in range(100):
        if open_files() <= before:
            break
        time.sleep(0.05)
    else:
        raise AssertionError(open_files() - before)


def open_files() -> set[str]:
    """Sockets and temporary files of this process."""
    targets = set()
    for path in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            targets.add(f"{path} {os.readlink(path)}")
    return targets


@pytest.mark.parametrize("more", ["", "Expect: 100-continue\r\n"])
def test_the_application_says_what_is_too_large_for_anybody(
    serve: Callable[..., int], more: str
) -> None:
    port = serve()
    with ExitStack() as stack:
        sender = connect(stack, port)
        head = f"POST / HTTP/1.1\r\nHost: a\r\n{more}Content-Length: 999999999\r\n\r\n"
        sender.sendall(head.encode())

        assert answer_to(sender) == bodies.TOO_LARGE.encode()


def test_a_long_head_is_refused(serve: Callable[..., int]) -> None:
    port = serve()
    with ExitStack() as stack:
        sender = connect(stack, port)
        sender.sendall(b"GET / HTTP/1.1\r\nX: " + b"x" * webserver.MAX_HEAD_BYTES)

        assert sender.recv(100).startswith(b"HTTP/1.0 431 ")


def test_cookies_that_are_slow_to_read_reach_neither_application_nor_permission(
    serve: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def application(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        seen.append(environ.get("HTTP_COOKIE"))
        start_response("200 OK", [("Content-Length", "0")])
        return []

    def sender_of(cookies: str, authorization: str) -> int:
        seen.append(cookies)
        return 1

    monkeypatch.setattr(sys.modules[__name__], "application", application)
    port = serve(sender_of)
    slow = 'b="' + "\\0" * 7_000 + '"'
    with closing(HTTPConnection("127.0.0.1", port, timeout=20)) as browser:
        for body in (b"", b"x" * (bodies.BODY_LIMIT + 1)):
            browser.request("POST", "/", body=body, headers={"Cookie": f"a=1; {slow}; c=2"})
            browser.getresponse().read()

    assert seen == ["a=1; c=2"] * 3


def test_a_silent_connection_is_closed(serve: Callable[..., int]) -> None:
    port = serve(KEEP_ALIVE_SECONDS=1)
    with ExitStack() as stack:
        browser = connect(stack, port)
        browser.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert answer_to(browser) == b"0"

        assert browser.recv(1) == b""


def test_what_a_stranger_sends_becomes_no_file(serve: Callable[..., int]) -> None:
    port = serve()
    before = open_files()
    with ExitStack() as stack:
        sender = connect(stack, port)
        length = f"Content-Length: {bodies.SCREEN_BODY_LIMIT}\r\n\r\n"
        sender.sendall(f"POST /a/key/s/1/ HTTP/1.1\r\nHost: a\r\n{length}".encode())
        sender.sendall(b"x" * (bodies.SCREEN_BODY_LIMIT - 1))
        time.sleep(0.2)
        # Both ends of the connection.
        assert len(open_files() - before) == 2
        sender.sendall(b"x")

        assert answer_to(sender) == str(bodies.SCREEN_BODY_LIMIT).encode()


def test_waiting_for_permission_takes_no_time_from_the_sender() -> None:
    def forget_when_it_began(cookies: str, authorization: str) -> int:
        for channel in server._servers[0].active_channels.values():
            channel.request.began_at = 0
        return 1

    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        server = webserver.WebServer(
            application, [listener.dup()], threads=1, long_body_sender=forget_when_it_began
        )
        stack.callback(server.finish, 0)
        sender = connect(stack, listener.getsockname()[1])
        sender.sendall(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n")
        channels = server._servers[0].active_channels
        while not (channels and all(c.request and c.request.account for c in channels.values())):
            server.poll(0.05)

        server._servers[0].maintenance(time.time())

        assert not any(channel.will_close for channel in channels.values())


def test_an_answer_that_has_begun_comes_to_its_end_when_the_server_ends() -> None:
    read = []

    def fetch(port: int) -> None:
        with closing(HTTPConnection("127.0.0.1", port, timeout=20)) as browser:
            browser.request("GET", "/large")
            read.append(len(browser.getresponse().read()))

    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = webserver.WebServer(
            large, [listener.dup()], threads=1, long_body_sender=account_in_cookie
        )
        reader = threading.Thread(target=fetch, args=[listener.getsockname()[1]])
        reader.start()
        while not server._servers[0].is_at_work():
            server.poll(0.05)

        server.finish(20)
        reader.join(20)

    assert read == [len(LARGE)]


@pytest.mark.parametrize(
    "head",
    [
        b"GET a://" + b"1" * 20_000 + b" X\r\nHost: x\r\n\r\n",
        b"GET /" + b"a" * 10_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nX:" + b" " * 30_000 + b"\x01\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nX:" + b" " * 30_000 + b"a\r\n\r\n",
        b'GET / HTTP/1.1\r\nHost: x\r\nAccept: a/b;x="' + b"\\;" * 1000 + b"\r\n\r\n",
        b'GET / HTTP/1.1\r\nHost: x\r\nContent-Type: a/b;a="' + b";" * 20_000 + b"\r\n\r\n",
        *(
            b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n"
            b"Content-Type: multipart/form-data;" + rest + b"\r\n\r\n"
            for rest in (
                b" boundary=B; charset=punycode",
                b' CHARSET="hex" ;boundary=B',
                b"boundary=B;charset*=utf-8''idna",
            )
        ),
    ],
    ids=[
        "no path",
        "long",
        "control character",
        "blanks",
        "accept",
        "long type",
        "punycode",
        "hex",
        "*",
    ],
)
def test_heads_that_are_slow_to_read_are_refused_before_they_are_read(
    serve: Callable[..., int], head: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = serve()
    read = []
    monkeypatch.setattr(
        webserver.HTTPRequestParser, "parse_header", lambda self, head: read.append(head)
    )
    with ExitStack() as stack:
        sender = connect(stack, port)
        sender.sendall(head)

        assert b" 400 " in sender.recv(100)
    assert read == []


def test_usual_heads_are_read(serve: Callable[..., int]) -> None:
    port = serve()
    for path, content_type in (
        ("/a/b?c=d", "application/x-www-form-urlencoded"),
        ("/webhooks/", "application/json; charset=utf-8"),
        ("/api/", 'text/plain; charset="UTF-8"'),
        ("/admin/?c=d", "multipart/form-data; boundary=----WebKitFormBoundaryx"),
    ):
        assert post_as(port, path, b"x", content_type) == b"1"


def post_as(port: int, path: str, body: Any, content_type: str, **headers: str) -> bytes:
    headers = {"Content-Type": content_type, "Cookie": "1", **headers}
    with closing(HTTPConnection("127.0.0.1", port, timeout=20)) as browser:
        is_chunked = not isinstance(body, bytes)
        browser.request("POST", path, body=body, headers=headers, encode_chunked=is_chunked)
        return browser.getresponse().read()


FORM = "multipart/form-data; boundary=b"
PART = b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n'


@pytest.mark.parametrize("content_type", [FORM, "Multipart/mixed", "text/plain", "x;"])
@pytest.mark.parametrize("is_chunked", [False, True])
def test_pages_without_a_sign_in_take_no_other_type_from_anybody(
    serve: Callable[..., int], content_type: str, is_chunked: bool
) -> None:
    port = serve()
    more = {"Transfer-Encoding": "chunked"} if is_chunked else {}
    body = iter([PART, b"--b--"]) if is_chunked else PART + b"--b--"

    for path in ("/a/key/", "/j/token/", "/p/token/", "/webhooks/prolific/", "/"):
        assert post_as(port, path, body, content_type, **more) == bodies.WRONG_TYPE.encode()


def test_what_has_another_type_is_refused_before_it_is_sent(serve: Callable[..., int]) -> None:
    port = serve()
    with ExitStack() as stack:
        sender = connect(stack, port)
        head = "POST /a/key/ HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
        sender.sendall(f"{head}Content-Type: {FORM}\r\nContent-Length: 1000\r\n\r\n".encode())

        assert answer_to(sender) == bodies.WRONG_TYPE.encode()


@pytest.mark.parametrize("path", ["/admin/login/", "/api/v1/studies/"])
def test_files_are_taken_from_researchers_alone(serve: Callable[..., int], path: str) -> None:
    body = PART * 2 + b"--b--"
    port = serve(lambda cookies, authorization: int(cookies) or None)

    assert post_as(port, path, body, FORM, Cookie="0") == bodies.WRONG_TYPE.encode()
    assert post_as(port, path, body, FORM) == str(len(body)).encode()


@pytest.mark.parametrize("n_bytes", [0, bodies.SCREEN_BODY_LIMIT, 3 * 1024 * 1024])
def test_parts_that_are_slow_to_read_are_refused(serve: Callable[..., int], n_bytes: int) -> None:
    port = serve()
    file = PART.replace(b"x\r\n", b"x" * n_bytes + b"\r\n")
    slow = PART.replace(b'"a"', b"a" + b";" * 900)

    read = post_as(port, "/admin/", file + PART + b"--b--", FORM)
    refused = post_as(port, "/admin/", file + slow + b"--b--", FORM)

    assert read == str(len(file + PART) + 5).encode()
    assert refused == bodies.UNREADABLE_PARTS.encode()
