"""The plumbing of both ports: replies, broken replies, and a server that can be closed at once."""

import socket
import sys
import threading
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol
from urllib.parse import parse_qsl, urlsplit

LOOPBACK = "127.0.0.1"
_MOST_BYTES = 4_000_000


@dataclass
class Request:
    method: str
    path: str
    query: list[tuple[str, str]]
    headers: Message
    body: bytes

    def parameter(self, name: str, default: str = "") -> str:
        return dict(reversed(self.query)).get(name, default)

    def form(self) -> list[tuple[str, str]]:
        return parse_qsl(self.body.decode("utf-8", "replace"), keep_blank_values=True)


@dataclass
class Reply:
    status: int
    body: bytes
    content_type: str
    headers: dict[str, str] = field(default_factory=dict)
    # The connection ends without an answer.
    dropped: bool = False


DROPPED = Reply(0, b"", "", dropped=True)


class Site(Protocol):
    def answer(self, request: Request) -> Reply: ...


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # One write per answer: a head on its own would wait for its acknowledgement.
    wbufsize = -1
    disable_nagle_algorithm = True
    server: "Server"

    def _serve(self) -> None:
        try:
            length = int(self.headers.get("Content-Length") or 0)
        except ValueError:
            length = -1
        if not 0 <= length <= _MOST_BYTES:
            self.send_error(413)
            return
        url = urlsplit(self.path)
        request = Request(
            self.command,
            url.path,
            parse_qsl(url.query, keep_blank_values=True),
            self.headers,
            self.rfile.read(length),
        )
        reply = self.server.site.answer(request)
        if reply.dropped:
            self.close_connection = True
            return
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        self.send_header("Content-Length", str(len(reply.body)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.body)

    # The names are those of the standard library.
    do_GET = do_HEAD = do_POST = _serve  # noqa: N815 - see above

    def log_message(self, format: str, *args: Any) -> None:
        """The journal tells what was asked; standard error stays quiet."""


class Server(ThreadingHTTPServer):
    """Serves one site on loopback; closing it ends every connection and joins every thread."""

    daemon_threads = False
    block_on_close = True
    request_queue_size = 256

    def __init__(self, port: int, site: Site) -> None:
        self.site = site
        self._open: set[socket.socket] = set()
        self._guard = threading.Lock()
        # Mistakes of our own, told when the server is stopped: a client only sees its line drop.
        self.crashes: list[Exception] = []
        super().__init__((LOOPBACK, port), Handler)

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._guard:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._guard:
            self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away while it was answered is no news; anything else is."""
        error = sys.exc_info()[1]
        if isinstance(error, Exception) and not isinstance(error, ConnectionError):
            self.crashes.append(error)
            super().handle_error(request, client_address)

    def start(self, name: str) -> None:
        self._thread = threading.Thread(target=self.serve_forever, args=(0.05,), name=name)
        self._thread.start()

    def stop(self) -> None:
        self.shutdown()
        self._thread.join()
        with self._guard:
            for connection in self._open:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue  # its client closed it already
        self.server_close()
