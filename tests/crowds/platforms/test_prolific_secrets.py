"""The token is sent to Prolific and to nobody else, and nothing calls out without it."""

import contextlib
import http.server
import logging
import socket
import threading
import traceback
from collections.abc import Iterator
from typing import Any

import pytest

from annotation.basics.errors import AnnotationError
from annotation.core.platforms.errors import (
    DoubtfulError,
    MissingCredentialsError,
    RefusedError,
    UnavailableError,
)
from annotation.crowds.platforms import rest
from annotation.crowds.platforms.prolific import http as prolific_http
from annotation.crowds.platforms.prolific.environments import installation
from annotation.models import Intent, PlatformEvent
from tests.crowds.platforms.prolific_lab import LAB, Lab, make_listing

SECRET = "tok-5f1c2e9a77"


class Server:
    """Answers everything with the same, and remembers what it was asked."""

    def __init__(self) -> None:
        self.status, self.headers, self.body = 200, {"Content-Type": "application/json"}, b"{}"
        self.asked: list[tuple[str, str, dict[str, str]]] = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append((self.command, self.path, dict(self.headers)))
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                self.send_response(outer.status)
                for name, value in outer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(outer.body)))
                self.end_headers()
                # Whoever has read enough hangs up.
                with contextlib.suppress(ConnectionError):
                    self.wfile.write(outer.body)

            def do_POST(self) -> None:
                self.do_GET()

            def log_message(self, *_: Any) -> None:
                """Nothing: a test's output is its own."""

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    def __enter__(self) -> "Server":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def server(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("PROLIFIC_TOKEN_LAB", SECRET)
    with Server() as server:
        settings.PROLIFIC_ENDPOINTS = {LAB: [f"{server.address}/api/v1", server.address]}
        yield server


@pytest.fixture
def client(server: Server) -> prolific_http.Client:
    return prolific_http.Client(installation(LAB))


def test_the_token_is_in_one_header(server: Server, client: prolific_http.Client) -> None:
    client.get("studies/")

    [(method, path, headers)] = server.asked
    assert (method, path) == ("GET", "/api/v1/studies/")
    assert headers["Authorization"] == f"Token {SECRET}"
    assert SECRET not in path


def test_a_netrc_file_does_not_replace_it(
    server: Server, client: prolific_http.Client, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login somebody password else\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(type(client.installation), "is_local", property(lambda _self: False))

    client.get("studies/")

    assert server.asked[0][2]["Authorization"] == f"Token {SECRET}"


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_no_redirect_is_followed(
    server: Server, client: prolific_http.Client, status: int
) -> None:
    with Server() as elsewhere:
        server.status = status
        server.headers = {"Location": f"{elsewhere.address}/api/v1/studies/"}

        with pytest.raises(UnavailableError):
            client.get("studies/")
        with pytest.raises(DoubtfulError):
            client.change("POST", "studies/", {})

        assert elsewhere.asked == []
    assert len(server.asked) == 2


@pytest.mark.parametrize("link", ["http://127.0.0.1:9/api/v1/studies/?page=2", "//evil.example/"])
def test_no_link_to_another_place_is_followed(
    server: Server, client: prolific_http.Client, link: str
) -> None:
    server.body = b'{"results": [], "_links": {"next": {"href": "%s"}}}' % link.encode()

    with pytest.raises(UnavailableError, match="Prolific's list continues at another host"):
        list(client.pages("studies/"))


def test_a_list_without_an_end_ends(server: Server, client: prolific_http.Client) -> None:
    link = f"{server.address}/api/v1/studies/?page=2"
    server.body = b'{"results": [], "_links": {"next": {"href": "%s"}}}' % link.encode()

    with pytest.raises(UnavailableError, match="Prolific's list does not end"):
        list(client.pages("studies/"))

    assert len(server.asked) == 2


@pytest.mark.parametrize("status", [200, 400, 500])
def test_an_answer_without_end_is_not_read(
    server: Server, client: prolific_http.Client, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    monkeypatch.setattr(rest, "MAX_ANSWER_BYTES", 100_000)
    server.status, server.body = status, b'"' + b"x" * 5_000_000 + b'"'

    with pytest.raises(UnavailableError):
        client.get("studies/")
    with pytest.raises(DoubtfulError):
        client.change("POST", "studies/", {})


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (200, b"", DoubtfulError),
        (200, b"<html>", DoubtfulError),
        (200, b'{"id": NaN}', DoubtfulError),
        (200, b"[" * 200_000, DoubtfulError),
        (201, b'{"id": "x"', DoubtfulError),
        (400, b"", DoubtfulError),
        (400, b"<html>no</html>", DoubtfulError),
        (400, b'{"error": {"detail": "No."}}', RefusedError),
        (401, b'{"error": {"detail": "No."}}', RefusedError),
        (404, b'{"error": {"detail": "No."}}', RefusedError),
        (408, b'{"error": {"detail": "No."}}', DoubtfulError),
        (429, b"", UnavailableError),
        (429, b"<html>", UnavailableError),
        (500, b'{"error": {"detail": "No."}}', DoubtfulError),
        (503, b"<html>", DoubtfulError),
    ],
)
def test_what_an_answer_to_a_change_means(
    server: Server,
    client: prolific_http.Client,
    status: int,
    body: bytes,
    error: type[AnnotationError],
) -> None:
    server.status, server.body = status, body

    with pytest.raises(AnnotationError) as raised:
        client.change("POST", "studies/", {})

    assert type(raised.value) is error


@pytest.mark.parametrize("status", [201, 302, 400, 401, 403, 429, 500])
def test_what_cannot_be_read_is_unavailable(
    server: Server, client: prolific_http.Client, status: int
) -> None:
    server.status = status

    with pytest.raises(UnavailableError):
        client.get("studies/")


def test_where_nobody_listens_nothing_was_done(
    client: prolific_http.Client, settings: Any
) -> None:
    settings.PROLIFIC_ENDPOINTS = {LAB: ["http://127.0.0.1:9/api/v1", "http://127.0.0.1:9"]}

    with pytest.raises(UnavailableError):
        prolific_http.Client(installation(LAB)).change("POST", "studies/", {})


def test_what_prolific_repeats_of_the_token_is_not_repeated(
    server: Server, client: prolific_http.Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.status = 400
    server.body = (
        b'{"error": {"detail": {"Authorization": ["Token %s is bad"]}}}' % SECRET.encode()
    )

    with pytest.raises(RefusedError) as raised:
        client.change("POST", "studies/", {})

    said = "".join(traceback.format_exception(raised.value))
    assert "Token … is bad" in raised.value.message
    for text in (said, repr(raised.value), raised.value.message, caplog.text, repr(client)):
        assert SECRET not in text
    assert SECRET not in repr(vars(client)) + repr(client.installation)


def test_words_of_prolific_are_short(server: Server, client: prolific_http.Client) -> None:
    server.status, server.body = 400, b'{"error": {"detail": "%s"}}' % (b"no " * 10_000)

    with pytest.raises(RefusedError) as raised:
        client.change("POST", "studies/", {})

    assert len(raised.value.message) < 400


def test_without_credentials_nothing_is_asked(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    listing = make_listing()
    lab.publish(listing)
    visit = lab.visit(listing)
    n_before = len(lab.sim.journal())
    monkeypatch.delenv("PROLIFIC_TOKEN_LAB")

    for kind in Intent.Kind:
        payload = {"step": "draft", "body": {}, "message": "x" * 100, "category": "OTHER"}
        intent = lab.decide(visit, kind, payload=payload)
        with pytest.raises(MissingCredentialsError, match="lacks PROLIFIC_TOKEN_LAB"):
            lab.platform.send(intent)
    looked_up = lab.decide(visit, Intent.Kind.APPROVE, "again")
    with pytest.raises(UnavailableError, match="lacks PROLIFIC_TOKEN_LAB"):
        lab.platform.look_up(looked_up)
    with pytest.raises(UnavailableError, match="lacks PROLIFIC_TOKEN_LAB"):
        list(lab.platform.submissions(listing))

    assert len(lab.sim.journal()) == n_before


def test_no_row_holds_the_token(lab: Lab) -> None:
    listing = make_listing()
    lab.publish(listing)
    visit = lab.visit(listing)
    lab.send(lab.bonus(visit))

    rows = [
        *Intent.objects.values(),
        *PlatformEvent.objects.values(),
        *listing.tickets.values(),
        {"answers": [vars(one) for one in lab.platform.submissions(listing)]},
    ]
    assert lab.sim.token not in repr(rows)


@pytest.mark.slow
@pytest.mark.parametrize("part", ["head", "body", "body without an end"])
def test_an_answer_in_drops_is_cut_off(
    part: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each drop comes in time for a single read; only the time for all of them ends it."""
    monkeypatch.setattr(rest, "MAX_SECONDS", 0.5)
    begins = {
        "head": b"HTTP/1.1 200 OK\r\nX: ",
        "body": b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n",
        "body without an end": b"HTTP/1.1 200 OK\r\n\r\n",
    }
    ends = threading.Event()

    def drip(listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _address = listener.accept()
                with connection, contextlib.suppress(OSError):
                    connection.sendall(begins[part])
                    while not ends.wait(0.05):
                        connection.sendall(b"1")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        threading.Thread(target=drip, args=(listener,), daemon=True).start()
        monkeypatch.setenv("PROLIFIC_TOKEN_LAB", SECRET)
        settings.PROLIFIC_ENDPOINTS = {LAB: [f"{address}/api/v1", address]}
        lab = installation(LAB)
        client = prolific_http.Client(lab)
        try:
            with pytest.raises(UnavailableError):
                client.get("studies/")
            with pytest.raises(DoubtfulError):
                client.change("POST", "studies/", {}, needs_body=False)
            with pytest.raises(UnavailableError):
                prolific_http.fetch_public(lab, address, seconds=0.5)
        finally:
            ends.set()
            # Whoever waits for a connection there is woken up.
            listener.shutdown(socket.SHUT_RDWR)
