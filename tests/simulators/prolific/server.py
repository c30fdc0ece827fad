"""Two HTTP servers on this machine: the researcher's interface and the participants' site."""

import contextlib
import json
import socket
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.simulators.prolific.errors import Refusal
from tests.simulators.prolific.faults import BEFORE, Fault, Faults
from tests.simulators.prolific.loopback import is_loopback
from tests.simulators.prolific.wire import Answer, Request
from tests.simulators.prolific.world import World, iso

_BUSY = "<!doctype html><title>503</title><h1>Service temporarily unavailable</h1>"

Handler = Callable[[World, Request], Answer]


class Server(ThreadingHTTPServer):
    """Listens on 127.0.0.1 only; closing it ends every request that hangs."""

    daemon_threads = False
    request_queue_size = 128

    def __init__(
        self,
        world: World,
        faults: Faults,
        *,
        surface: str,
        handler: Handler,
        is_authorised: Callable[[World, Request], bool],
        control: Handler | None = None,
        port: int = 0,
    ) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.world = world
        self.faults = faults
        self.surface = surface
        self.handler = handler
        self.is_authorised = is_authorised
        self.control = control
        self.base = f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 20

    def log_message(self, format: str, *args: Any) -> None:
        """The journal is the log."""

    def handle_one_request(self) -> None:
        # A client that gives up in the middle is an everyday matter here.
        with contextlib.suppress(ConnectionError, TimeoutError):
            super().handle_one_request()

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def do_PATCH(self) -> None:
        self._serve()

    def do_DELETE(self) -> None:
        self._serve()

    def _serve(self) -> None:
        # One request a connection: nothing idle is left when the server closes.
        self.close_connection = True
        parts = urlsplit(self.path)
        length = int(self.headers.get("Content-Length") or 0)
        request = Request(
            self.command,
            parts.path,
            parse_qs(parts.query, keep_blank_values=True),
            {name.lower(): value for name, value in self.headers.items()},
            self.rfile.read(length),
            self.server.base,
        )
        host = urlsplit(f"//{request.headers.get('host', '')}").hostname or ""
        if not is_loopback(host):
            self._send(Answer(421, {"detail": "This server is for this machine only."}))
        else:
            try:
                if self.server.control and request.path.startswith("/_sim/"):
                    self._send(self._do(request, self.server.control))
                else:
                    self._serve_platform(request)
            except OSError:
                raise
            except Exception:
                # A mistake of the simulator: the caller is told, the server prints it.
                self._send(_instead("500_before"))
                raise

    def _serve_platform(self, request: Request) -> None:
        handler = self.server.handler
        fault = self.server.faults.for_request(request.method, request.path)
        kind = fault.kind if fault else ""
        if kind == "latency" and fault:
            self.server.world.closing.wait(fault.seconds)
        if fault and kind in BEFORE:
            answer = _instead(kind)
            self._note(request, answer.status if kind != "timeout_before" else None, fault)
        elif kind == "stale_read" and fault:
            with self.server.world.looking_at(fault.stale):
                answer = _tried(handler, self.server.world, request)
            self._note(request, answer.status, fault)
        elif kind == "lose_submission":
            answer = Answer(200, {"status": "AWAITING REVIEW"}, html=_thanks(request))
            self._note(request, 200, fault)
        else:
            answer = self._do(request, handler, fault=fault)
        self._deliver(answer, fault)

    def _do(
        self,
        request: Request,
        handler: Callable[[World, Request], Answer],
        *,
        fault: Fault | None = None,
    ) -> Answer:
        world = self.server.world
        with world.turn():
            answer = _tried(handler, world, request)
            if not request.path.startswith("/_sim/"):
                self._note(request, answer.status, fault, done=True)
        if request.method != "GET" or self.server.surface == "site":
            world.save()
        return answer

    def _deliver(self, answer: Answer, fault: Fault | None) -> None:
        kind = fault.kind if fault else ""
        if fault and kind in ("timeout_before", "commit_then_hang"):
            self.server.world.closing.wait(fault.seconds)
        if kind in ("timeout_before", "commit_then_hang", "commit_then_drop"):
            with contextlib.suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)
        elif kind == "commit_then_500":
            self._send(_instead("500_before"))
        else:
            self._send(answer, halved=kind == "truncated_json")

    def _send(self, answer: Answer, *, halved: bool = False) -> None:
        content, kind = answer.content()
        if halved:  # a sound message as far as HTTP goes
            content = content[: len(content) // 2]
        self.send_response(answer.status)
        if kind:
            self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Connection", "close")
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def _note(
        self, request: Request, status: int | None, fault: Fault | None, *, done: bool = False
    ) -> None:
        world = self.server.world
        with world.lock:
            world.journal.append(
                {
                    "n": len(world.journal) + 1,
                    "at": iso(world.now()),
                    "surface": self.server.surface,
                    "method": request.method,
                    "path": request.path,
                    "query": {name: values[0] for name, values in request.query.items()},
                    "body": _readable(request.raw),
                    # The token itself is nobody's business, not even here.
                    "authorised": self.server.is_authorised(world, request),
                    "status": status,
                    "fault": fault.kind if fault else None,
                    "done": done and status is not None and status < 400,
                }
            )


def _tried(handler: Callable[[World, Request], Answer], world: World, request: Request) -> Answer:
    try:
        return handler(world, request)
    except Refusal as refusal:
        return Answer(refusal.status, refusal.body)


def _thanks(request: Request) -> str | None:
    return None if request.wants_json else "<!doctype html><title>Thank you</title><p>Thank you"


def _instead(kind: str) -> Answer:
    if kind == "throttle":
        body = Refusal(429, "Request was throttled.", title="Too many requests").body
        return Answer(429, body, {"Retry-After": "1"})
    if kind == "service_closed":
        return Answer(403, Refusal(403, "The service is closed.").body)
    if kind == "wrong_content_type":
        return Answer(503, html=_BUSY)
    return Answer(500, Refusal(500, "Internal server error.", title="Server error").body)


def _readable(raw: bytes) -> Any:
    try:
        return json.loads(raw) if raw else None
    except ValueError:
        return raw.decode(errors="replace")
