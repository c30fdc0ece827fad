"""Many annotators at once, in one process that costs little: plain sockets and one selector.

An annotator behaves as the page does, over one connection that is kept: fetches a screen, thinks,
saves, fetches the next one. The same annotators answer Likeness and the bare application, which
has the same addresses and the same form.
"""

import heapq
import random
import re
import selectors
import socket
import time
from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from urllib.parse import urlencode
from uuid import UUID

SHOWN = re.compile(rb'name="q(\d+)-shown" value="([^"]*)"')
OPTION = re.compile(rb'name="q(\d+)-best" value="(\d+)"')
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
CLOSES = re.compile(rb"\r\nconnection: *close", re.IGNORECASE)
PATIENCE = 30.0


@dataclass(frozen=True)
class Request:
    kind: str
    content: bytes


@dataclass(frozen=True)
class Pause:
    seconds: float


@dataclass(frozen=True)
class ScreenDone:
    n_answers: int


Person = Generator[Request | Pause | ScreenDone, bytes, None]


@dataclass
class Measured:
    """What one crowd saw in the seconds that were measured."""

    seconds: float = 0.0
    n_screens: int = 0
    n_answers: int = 0
    # Seconds from the first byte sent to the last one received.
    latencies: dict[str, list[float]] = field(default_factory=dict)
    n_errors: int = 0
    first_error: str = ""
    n_reconnected: int = 0
    client_cpu: float = 0.0
    server_cpu: float = 0.0
    database_cpu: float = 0.0

    def add(self, other: "Measured") -> None:
        self.seconds += other.seconds
        self.n_screens += other.n_screens
        self.n_answers += other.n_answers
        for kind, values in other.latencies.items():
            self.latencies.setdefault(kind, []).extend(values)
        self.n_errors += other.n_errors
        self.first_error = self.first_error or other.first_error
        self.n_reconnected += other.n_reconnected
        self.client_cpu += other.client_cpu
        self.server_cpu += other.server_cpu
        self.database_cpu += other.database_cpu


def annotator(
    keys: deque[tuple[str, int]], *, rng: random.Random, think: tuple[float, float] | None
) -> Person:
    """Answer booklet after booklet; whoever has finished one is followed by somebody new.

    Without thinking time a question is one complete save, as the peers were measured. With it, the
    first choice is sent as a draft half-way, as the page does it.
    """
    if think:
        yield Pause(rng.uniform(0, think[1]))  # they do not all begin in the same moment
    while keys:
        key, n_screens = keys.popleft()
        for number in range(1, n_screens + 1):
            page = yield Request("show", get(f"/a/{key}/s/{number}/"))
            shown = dict(SHOWN.findall(page))
            options: dict[bytes, list[bytes]] = {}
            for question, item in OPTION.findall(page):
                options.setdefault(question, []).append(item)
            seconds = rng.uniform(*think) if think else 0.0
            for sequence, question in enumerate(shown):
                best, worst = rng.sample(options[question], 2)
                answer = {
                    "best": best,
                    "worst": worst,
                    "comment": "",
                    "active_ms": round(seconds * 1000),
                    "shown": shown[question],
                    "sequence": 2 * sequence + 2,
                    "idempotency_key": UUID(int=rng.getrandbits(128), version=4),
                }
                url = f"/a/{key}/q/{question.decode()}/"
                if think:
                    yield Pause(seconds / 2 / len(shown))
                    first = {**answer, "worst": "", "sequence": 2 * sequence + 1}
                    first["idempotency_key"] = UUID(int=rng.getrandbits(128), version=4)
                    yield Request("draft", post(url, first))
                    yield Pause(seconds / 2 / len(shown))
                yield Request("save", post(url, answer))
            yield ScreenDone(len(shown))


def get(path: str) -> bytes:
    return (
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/html\r\n"
        "Accept-Language: en\r\nUser-Agent: benchmark\r\n\r\n"
    ).encode()


def post(path: str, data: dict[str, object]) -> bytes:
    body = urlencode(data)
    return (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n"
        "Accept-Language: en\r\nUser-Agent: benchmark\r\n"
        "Content-Type: application/x-www-form-urlencoded;charset=UTF-8\r\n"
        f"Content-Length: {len(body)}\r\n\r\n{body}"
    ).encode()


class _Line:
    """One person's connection, and the request that is on its way."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self.socket: socket.socket | None = None
        self.request: Request | None = None
        self.sent_at = 0.0
        self.tries = 0
        self.buffer = b""
        self.due = 0


class Crowd:
    """People who all work on one server until their time is up."""

    def __init__(self, port: int, people: list[Person]) -> None:
        self._port = port
        self._lines = [_Line(person) for person in people]
        self._selector = selectors.DefaultSelector()
        self._timers: list[tuple[float, int, _Line]] = []
        self._n_timers = 0
        self._n_waiting = 0
        self._ends = False
        self._may_end = False
        self._measured: Measured | None = None
        self._lost = Measured()

    def work(
        self, *, seconds: float, warm_up: float, usage: Callable[[], tuple[float, float]]
    ) -> Measured:
        """Let everybody work; measure `seconds` of it after `warm_up`.

        `usage` tells the processor seconds that server and database have used so far.
        """
        begin = time.perf_counter()
        for line in self._lines:
            self._advance(line, b"", first=True)
        self._until(begin + warm_up)
        measured = self._measured = Measured()
        cpu, (server, database) = time.process_time(), usage()
        start = time.perf_counter()
        self._until(start + seconds)
        measured.seconds = time.perf_counter() - start
        measured.client_cpu = time.process_time() - cpu
        server_now, database_now = usage()
        measured.server_cpu = server_now - server
        measured.database_cpu = database_now - database
        measured.n_errors += self._lost.n_errors
        measured.first_error = measured.first_error or self._lost.first_error
        # What is still on its way must not burden whoever is measured next.
        self._measured = None
        self._ends = True
        deadline = time.perf_counter() + PATIENCE
        while self._n_waiting and time.perf_counter() < deadline:
            self._poll(0.2)
        for line in self._lines:
            self._hang_up(line)
        self._selector.close()
        return measured

    def finish(
        self, *, usage: Callable[[], tuple[float, float]], limit: float = 3600.0
    ) -> Measured:
        """Let everybody work until nobody has anything left to do, and measure all of it."""
        self._may_end = True
        measured = self._measured = Measured()
        cpu, (server, database) = time.process_time(), usage()
        start = time.perf_counter()
        for line in self._lines:
            self._advance(line, b"", first=True)
        while (self._n_waiting or self._timers) and time.perf_counter() < start + limit:
            self._until(time.perf_counter() + 0.5)
        measured.seconds = time.perf_counter() - start
        measured.client_cpu = time.process_time() - cpu
        server_now, database_now = usage()
        measured.server_cpu = server_now - server
        measured.database_cpu = database_now - database
        for line in self._lines:
            self._hang_up(line)
        self._selector.close()
        return measured

    def _until(self, moment: float) -> None:
        while (now := time.perf_counter()) < moment:
            while self._timers and self._timers[0][0] <= now:
                self._advance(heapq.heappop(self._timers)[2], b"")
            until = min(moment, self._timers[0][0]) if self._timers else moment
            self._poll(max(until - time.perf_counter(), 0))

    def _poll(self, seconds: float) -> None:
        for key, _ in self._selector.select(seconds):
            self._receive(key.data)

    def _advance(self, line: _Line, answer: bytes, *, first: bool = False) -> None:
        """Let the person go on, up to the next request or pause."""
        while not self._ends:
            try:
                step = next(line.person) if first or not answer else line.person.send(answer)
            except StopIteration:
                if self._may_end:
                    return
                self._error("nobody is left to answer: too few keys were made")
                return
            first, answer = False, b""
            if isinstance(step, Request):
                line.request, line.tries = step, 0
                line.sent_at = time.perf_counter()
                self._n_waiting += 1
                self._send(line)
                return
            if isinstance(step, Pause):
                self._n_timers += 1  # breaks ties: lines have no order
                due = time.perf_counter() + step.seconds
                heapq.heappush(self._timers, (due, self._n_timers, line))
                return
            if self._measured:
                self._measured.n_screens += 1
                self._measured.n_answers += step.n_answers

    def _send(self, line: _Line) -> None:
        assert line.request is not None
        line.tries += 1
        line.buffer = b""
        try:
            if line.socket is None:
                if line.tries > 1 and self._measured:
                    self._measured.n_reconnected += 1
                line.socket = socket.create_connection(("127.0.0.1", self._port), timeout=10)
                line.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._selector.register(line.socket, selectors.EVENT_READ, line)
            # A request is smaller than a socket's buffer: this does not wait.
            line.socket.sendall(line.request.content)
        except OSError as error:
            self._again(line, str(error))

    def _again(self, line: _Line, reason: str) -> None:
        """Servers close a connection that nobody uses for a while; a browser opens another."""
        self._hang_up(line)
        if line.tries < 3:
            self._send(line)
            return
        self._n_waiting -= 1
        line.request = None
        self._error(reason)

    def _receive(self, line: _Line) -> None:
        assert line.socket is not None
        try:
            line.socket.setblocking(False)
            received = line.socket.recv(262_144)
        except BlockingIOError:
            return
        except OSError:
            received = b""
        finally:
            line.socket.settimeout(10)
        if not received:
            if line.request is None:
                self._hang_up(line)
            else:
                self._again(line, "the server closed the connection")
            return
        line.buffer += received
        head, found, body = line.buffer.partition(b"\r\n\r\n")
        if not found:
            return
        if length := LENGTH.search(head):
            if len(body) < int(length[1]):
                return
        elif not body.endswith(b"0\r\n\r\n"):
            return
        self._answered(line, head, body)

    def _answered(self, line: _Line, head: bytes, body: bytes) -> None:
        assert line.request is not None
        seconds = time.perf_counter() - line.sent_at
        kind = line.request.kind
        line.request = None
        self._n_waiting -= 1
        if CLOSES.search(head):
            self._hang_up(line)
        if head[9:12] == b"303":
            # Where it leads to is in the head.
            self._advance(line, head)
            return
        if head[9:12] != b"200":
            said = re.sub(rb"<[^>]*>|\s+", b" ", body)[:200].decode(errors="replace")
            self._error(f"{kind}: {head[9:12].decode()} {said}")
            return
        if self._measured:
            self._measured.latencies.setdefault(kind, []).append(seconds)
        self._advance(line, body)

    def _error(self, what: str) -> None:
        # The person stops here, and the error stands beside the figures.
        counted = self._measured or self._lost
        counted.n_errors += 1
        counted.first_error = counted.first_error or what

    def _hang_up(self, line: _Line) -> None:
        if line.socket is not None:
            self._selector.unregister(line.socket)
            line.socket.close()
            line.socket = None
