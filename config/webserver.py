"""The web server of `manage.py serve` and of gunicorn's workers: waitress, with limits.

waitress reads requests in one thread and hands complete ones to other threads, so a slow sender
holds no thread. This module adds what waitress lacks:

- a sender has limited time for a request, and a reader for an answer;
- only researchers may send long bodies and files, and what arrives at once is limited;
- a full server closes connections of the address that has the most instead of refusing new ones;
- addresses take turns, so that the requests of one address do not delay those of the others;
- whoever is refused can read why;
- cookies that are slow to read are left out;
- an answer to HEAD has no body.

`@override` marks what replaces a method of waitress; tests/system/test_waitress.py fails where
waitress no longer has what is used here.
"""

import os
import resource
import socket
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterable
from functools import partial
from io import BytesIO
from typing import Any

from django.conf import settings
from gunicorn.workers.base import Worker
from typing_extensions import override
from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher, WSGITask
from waitress.utilities import RequestEntityTooLarge

from config.addresses import household, sender_address
from config.bodies import (
    REFUSED,
    SCREEN_BODY_LIMIT,
    SERVER_BUSY,
    TOO_LARGE,
    TOO_MANY_AT_ONCE,
    UNKNOWN_SENDER,
    UNREADABLE_PARTS,
    WRONG_TYPE,
    anonymous_limit,
)
from config.cookies import without_escapes
from config.heads import problem_of
from config.sent_forms import has_readable_parts, is_for_researchers, is_simple

# A request must arrive within this time, plus one second for each MIN_BYTES_PER_SECOND of its
# body that have arrived.
SECONDS_TO_SEND = 20
MIN_BYTES_PER_SECOND = 16 * 1024
# Nothing of an answer was read for so long: a thread may be waiting to write the rest.
SECONDS_TO_READ = 20
# Browsers keep their connections open: they are closed after so many silent seconds.
KEEP_ALIVE_SECONDS = 60
# A refused sender gets so long to stop sending and to read why.
SECONDS_TO_LINGER = 10
# While all threads are busy, a new connection is left to other processes for so long.
SECONDS_FOR_OTHER_PROCESSES = 0.1

MAX_HEAD_BYTES = 32 * 1024
# One read of 8 KiB can hold hundreds of requests. No browser sends one before it has the last
# answer.
MAX_PIPELINED_REQUESTS = 8
# Many systems allow a process 1024 open files. Some are the database, templates and long bodies.
MAX_CONNECTIONS = 800
N_OTHER_FILES = 200

# Long bodies are files in /tmp, which may be memory. In one process an account may send two at
# once, and all accounts together as much as three of full length: one researcher, however slow,
# always leaves room for another.
MAX_LONG_BODIES_PER_ACCOUNT = 2
MAX_FULL_LENGTH_BODIES = 3
# All bodies of senders who are not signed in. They stay in memory and cannot fill the disk.
MAX_ANONYMOUS_BYTES = 64 * 1024 * 1024
# A shorter body is never given up.
ANONYMOUS_SHARE_BYTES = MAX_ANONYMOUS_BYTES // MAX_CONNECTIONS

Application = Callable[[dict[str, Any], Any], Iterable[bytes]]
# Given the headers Cookie and Authorization: the account of the researcher who sends them.
LongBodySender = Callable[[str, str], int | None]


class _RequestParser(HTTPRequestParser):  # type: ignore[misc] # waitress has no types
    """A request that arrives."""

    error: Any
    # Why the rest of the body is not read.
    refused = ""
    # Of the researcher who was allowed to send a long body.
    account: int | None = None
    is_being_answered = False

    def __init__(self, adj: Any) -> None:
        super().__init__(adj)
        self.began_at = time.time()

    @override
    def received(self, data: bytes) -> int:
        n_consumed: int = super().received(data)
        if isinstance(self.error, RequestEntityTooLarge):
            # The application answers, in the reader's language.
            self.error, self.refused = None, TOO_LARGE
        elif self.has_body and not (is_simple(self.content_type) or is_for_researchers(self.path)):
            self.refused, self.completed = WRONG_TYPE, True
        if self.refused:
            # Otherwise waitress would ask for the body and read it.
            self.expect_continue = False
        return n_consumed

    @override
    def parse_header(self, header_plus: bytes) -> None:
        if problem := problem_of(header_plus):
            raise ParsingError(problem)
        super().parse_header(header_plus)
        if cookies := self.headers.get("COOKIE"):
            # Here, because both the application and `long_body_sender` read them.
            self.headers["COOKIE"] = without_escapes(cookies)

    @property
    def content_type(self) -> str:
        return str(self.headers.get("CONTENT_TYPE", ""))

    @property
    def has_body(self) -> bool:
        return (
            self.headers_finished and not self.error and (self.chunked or self.content_length > 0)
        )

    @property
    def needs_permission(self) -> bool:
        if not self.headers_finished or self.completed or self.account is not None:
            return False
        n_bytes = max(self.content_length, self.body_bytes_received)
        return bool(n_bytes > anonymous_limit(self.path))

    @property
    def max_body_bytes(self) -> int:
        """How long the body can become: a chunked one does not say."""
        return int(self.adj.max_request_body_size if self.chunked else self.content_length)

    def is_overdue(self, now: float) -> bool:
        seconds = SECONDS_TO_SEND + self.body_bytes_received / MIN_BYTES_PER_SECOND
        return bool(now > self.began_at + seconds)


class _Queue:
    """Connections that wait for a thread, each at most once. Addresses take turns.

    It replaces the queue of waitress' dispatcher, and needs that dispatcher's lock.
    """

    def __init__(self) -> None:
        # The address whose turn is next comes first.
        self._channels: OrderedDict[str, deque[_Channel]] = OrderedDict()
        self._n_channels = 0

    def __len__(self) -> int:
        return self._n_channels

    def append(self, channel: "_Channel") -> None:
        self._channels.setdefault(channel.address, deque()).append(channel)
        self._n_channels += 1

    def popleft(self) -> "_Channel":
        address, channels = self._channels.popitem(last=False)
        channel = channels.popleft()
        if channels:
            self._channels[address] = channels
        self._n_channels -= 1
        return channel

    def discard(self, channel: "_Channel") -> bool:
        """Remove a connection, and tell whether it was there."""
        channels = self._channels.get(channel.address)
        if channels is None or channel not in channels:
            return False
        channels.remove(channel)
        if not channels:
            del self._channels[channel.address]
        self._n_channels -= 1
        return True


class _AnswerTask(WSGITask):  # type: ignore[misc]
    """Has the application answer a complete or refused request."""

    @override
    def execute(self) -> None:
        self.request.is_being_answered = True
        self.request.refused = self.request.refused or self._reason_to_refuse()
        if self.request.refused:
            # What the sender goes on sending is no further request.
            self.set_close_on_finish()
            self.channel.lingers = True
        super().execute()

    def _reason_to_refuse(self) -> str:
        """Why the body of a complete request is not parsed; "" if it is."""
        request = self.request
        if not request.has_body or is_simple(request.content_type):
            return ""
        account, headers = request.account, request.headers
        if account is None:
            account = self.channel.server.long_body_sender(
                headers.get("COOKIE", ""), headers.get("AUTHORIZATION", "")
            )
        if account is None:
            return WRONG_TYPE
        body = request.get_body_stream()
        is_readable = has_readable_parts(body, request.content_type)
        body.seek(0)
        return "" if is_readable else UNREADABLE_PARTS

    @override
    def get_environment(self) -> dict[str, Any]:
        environ: dict[str, Any] = super().get_environment()
        if self.request.refused:
            environ[REFUSED] = self.request.refused
            environ["wsgi.input"] = BytesIO()
            environ.setdefault("CONTENT_LENGTH", str(self.request.body_bytes_received))
        return environ


class _Channel(HTTPChannel):  # type: ignore[misc]
    """One connection."""

    parser_class = _RequestParser
    task_class = _AnswerTask
    close_when_flushed: bool
    # Nothing is read until a thread has found out who sends.
    awaits_permission = False
    # After the answer the connection stays open until then, and what arrives is thrown away.
    lingers = False
    lingers_until = 0.0

    @override
    def readable(self) -> bool:
        return not self.awaits_permission and bool(super().readable())

    @override
    def received(self, data: bytes) -> bool:
        if self.lingers_until:
            return True
        is_received = bool(super().received(data))
        with self.requests_lock:
            if len(self.requests) > MAX_PIPELINED_REQUESTS:
                del self.requests[MAX_PIPELINED_REQUESTS:]
                self.will_close = True
        request = self.request
        if self.requests:
            # Nothing more is read, and no permission asked, until they are answered.
            return is_received
        if request is not None and request.needs_permission:
            self.awaits_permission = True
            self.server.add_task(self)
        elif request is not None and request.body_bytes_received > ANONYMOUS_SHARE_BYTES:
            self.server.limit_anonymous_bodies()
        return is_received

    @override
    def service(self) -> None:
        """Answer a request, or find out who sends a long body: a thread does either."""
        if self.request is None or not self.awaits_permission:
            super().service()
            return
        account, headers = None, self.request.headers
        try:
            # It reads the database.
            account = self.server.long_body_sender(
                headers.get("COOKIE", ""), headers.get("AUTHORIZATION", "")
            )
        finally:
            # The reading thread decides: it alone knows all connections.
            self.server.trigger.pull_trigger(partial(self.decide, self.request, account))

    def decide(self, request: _RequestParser, account: int | None) -> None:
        """Go on reading a long body, or have the application answer why not."""
        self.awaits_permission = False
        if reason := self.server.reason_to_refuse(request, account):
            with self.requests_lock:
                request.refused, request.completed = reason, True
                self.request = None
                self.requests.append(request)
                self.server.add_task(self)
        else:
            request.account = account
            request.began_at = time.time()

    @override
    def write_soon(self, data: Any) -> int:
        if self.holds_its_thread:
            self.server.limit_unread_answers()
        n_bytes: int = super().write_soon(data)
        return n_bytes

    @property
    def holds_its_thread(self) -> bool:
        """Whether so much is unread that the thread that writes the answer has to wait."""
        return int(self.total_outbufs_len) > int(self.adj.outbuf_high_watermark)

    @override
    def handle_write(self) -> None:
        if self.lingers and self.close_when_flushed:
            # Closed at once, the sender's system would throw the answer away unread.
            self.close_when_flushed = False
            self.lingers_until = time.time() + SECONDS_TO_LINGER
        super().handle_write()

    @override
    def handle_close(self) -> None:
        super().handle_close()
        dispatcher = self.server.task_dispatcher
        with dispatcher.lock:
            waited = dispatcher.queue.discard(self)
        # Removes their files. A request that a thread is answering has its file until then.
        for request in self.all_requests if waited else [self.request]:
            if request is not None:
                request.close()

    @property
    def all_requests(self) -> list[_RequestParser]:
        """Those that wait for a thread, the one that has it, and the one that arrives."""
        return [*self.requests, *([] if self.request is None else [self.request])]

    @property
    def first_request(self) -> _RequestParser | None:
        """The request that a thread has or will have next, or the one that arrives."""
        return next(iter(self.requests), self.request)

    @property
    def address(self) -> str:
        """The address of whoever sent the request; the peer's until its head has been read."""
        request, forwarded_for = self.first_request, ""
        if request is not None and request.headers_finished:
            forwarded_for = request.headers.get("X_FORWARDED_FOR", "")
        return household(sender_address(self.addr[0], forwarded_for))

    @property
    def must_stay(self) -> bool:
        """Whether a thread is answering a request, or a researcher sends a long body."""
        request = self.first_request
        return request is not None and (request.is_being_answered or request.account is not None)

    @property
    def claim(self) -> tuple[bool, float]:
        """Of two connections of one address, the one with the higher claim stays longer.

        Closing a silent one costs its browser nothing, least of all if it has long been silent.
        Of those that wait for a thread, the first will have it soonest.
        """
        request = self.first_request
        if request is None:
            return False, float(self.last_activity)
        is_waiting = bool(self.requests or self.awaits_permission)
        return is_waiting, -request.began_at if is_waiting else request.began_at

    def is_overdue(self, now: float) -> bool:
        """Whether the sender is too slow."""
        if self.lingers_until:
            return now > self.lingers_until
        if self.request is None or self.awaits_permission or self.requests:
            return False
        return bool(self.request.is_overdue(now))

    def is_unread(self, now: float) -> bool:
        """Whether nobody reads the answer."""
        return bool(self.total_outbufs_len and now > self.last_activity + SECONDS_TO_READ)


class _Server(TcpWSGIServer):  # type: ignore[misc]
    """Listens at one address."""

    channel_class = _Channel
    long_body_sender: LongBodySender
    max_connections: int
    busy_since: float | None = None

    @override
    def readable(self) -> bool:
        """Whether to accept a connection: asked before each wait for something to happen."""
        is_accepting = bool(super().readable())
        if len(self.active_channels) >= self.max_connections:
            self._make_room()
        dispatcher = self.task_dispatcher
        if len(dispatcher.queue) + dispatcher.active_count < len(dispatcher.threads):
            self.busy_since = None
            return is_accepting
        self.busy_since = self.busy_since or time.monotonic()
        # Only for a moment: the other processes may be as busy.
        is_left = time.monotonic() - self.busy_since < SECONDS_FOR_OTHER_PROCESSES
        return is_accepting and not is_left

    @override
    def handle_accept(self) -> None:
        """Accept as many connections as there are threads.

        The system hands them over in the order in which they came, whatever their address. One at
        a time, a newcomer would wait long for hundreds who came first.
        """
        for _ in range(len(self.task_dispatcher.threads)):
            super().handle_accept()

    @override
    def maintenance(self, now: float) -> None:
        super().maintenance(now)
        for channel in list(self.active_channels.values()):
            if channel.is_overdue(now):
                channel.will_close = True
            if channel.is_unread(now):
                # Closed here, because nothing can be written to it any more.
                channel.handle_close()

    def _make_room(self) -> None:
        """Close connections of the address that has the most: an honest browser connects again."""
        channels = [c for c in self.active_channels.values() if not c.will_close]
        n_connections = Counter(channel.address for channel in channels)
        # Each with how many connections its address has when those with lower claims are closed.
        ranked = []
        closable = [channel for channel in channels if not channel.must_stay]
        for channel in sorted(closable, key=lambda channel: channel.claim):
            ranked.append((n_connections[channel.address], channel))
            n_connections[channel.address] -= 1
        ranked.sort(key=lambda pair: pair[0], reverse=True)
        for _, channel in ranked[: max(1, self.max_connections // 20)]:
            channel.will_close = True

    def limit_anonymous_bodies(self) -> None:
        """Give up the oldest bodies of strangers that are longer than their share."""
        channels = list(self.active_channels.values())
        requests = [request for channel in channels for request in channel.all_requests]
        excess = sum(r.body_bytes_received for r in requests if r.account is None)
        excess -= MAX_ANONYMOUS_BYTES
        if excess <= 0:
            return
        arriving = [c for c in channels if c.request is not None and c.request.account is None]
        for channel in sorted(arriving, key=lambda channel: channel.request.began_at):
            if excess > 0 and channel.request.body_bytes_received > ANONYMOUS_SHARE_BYTES:
                channel.will_close = True
                excess -= channel.request.body_bytes_received

    def limit_unread_answers(self) -> None:
        """Give up the oldest answers where slow readers hold more than half of the threads."""
        channels = list(self.active_channels.values())
        waiting = [c for c in channels if c.holds_its_thread and c.requests and not c.will_close]
        waiting.sort(key=lambda channel: channel.requests[0].began_at)
        most = max(1, len(self.task_dispatcher.threads) // 2)
        for channel in waiting[: max(0, len(waiting) - most)]:
            channel.will_close = True
            # Nothing can be written to it any more, so the reading thread has to close it.
            self.trigger.pull_trigger(channel.handle_close)

    def reason_to_refuse(self, request: _RequestParser, account: int | None) -> str:
        """Why this long body may not be sent now; "" if it may."""
        if account is None:
            return UNKNOWN_SENDER
        long_bodies = [
            other
            for channel in self.active_channels.values()
            for other in channel.all_requests
            if other.account is not None
        ]
        if sum(b.account == account for b in long_bodies) >= MAX_LONG_BODIES_PER_ACCOUNT:
            return TOO_MANY_AT_ONCE
        n_bytes = request.max_body_bytes + sum(body.max_body_bytes for body in long_bodies)
        if n_bytes > MAX_FULL_LENGTH_BODIES * self.adj.max_request_body_size:
            return SERVER_BUSY
        return ""

    def is_at_work(self) -> bool:
        return any(
            channel.requests or channel.total_outbufs_len or channel.awaits_permission
            for channel in self.active_channels.values()
        )


class WebServer:
    """All addresses, and the threads that answer."""

    def __init__(
        self,
        application: Application,
        listeners: Iterable[socket.socket],
        *,
        threads: int,
        long_body_sender: LongBodySender,
    ) -> None:
        listeners = list(listeners)
        adjustments = Adjustments(
            sockets=listeners,
            threads=threads,
            ident=None,
            max_request_header_size=MAX_HEAD_BYTES,
            # A file, and what a form adds to it.
            max_request_body_size=settings.IMPORT_LIMIT_BYTES + 1024 * 1024,
            # Only longer bodies become files: nobody but a researcher sends such.
            inbuf_overflow=SCREEN_BODY_LIMIT,
            channel_timeout=KEEP_ALIVE_SECONDS,
            cleanup_interval=2,
            # waitress would refuse new connections: _make_room() closes old ones.
            connection_limit=2 * MAX_CONNECTIONS,
            # Django reads what proxies say, as far as TRUSTED_PROXIES trusts them.
            clear_untrusted_proxy_headers=False,
        )
        self._map: dict[int, Any] = {}
        self._dispatcher = ThreadedTaskDispatcher()
        self._dispatcher.queue = _Queue()
        self._dispatcher.set_thread_count(threads)
        self._servers = []
        for listener in listeners:
            server = _Server(
                _without_body_for_head(application),
                self._map,
                _sock=listener,
                dispatcher=self._dispatcher,
                adj=adjustments,
                sockinfo=(listener.family, listener.type, listener.proto, listener.getsockname()),
                bind_socket=False,
            )
            server.long_body_sender = long_body_sender
            server.max_connections = max(1, max_connections() // len(listeners))
            self._servers.append(server)

    def poll(self, seconds: float = 0.25) -> None:
        """Wait at most so long for something to happen, and see to it."""
        wasyncore.loop(timeout=seconds, use_poll=True, map=self._map, count=1)

    def finish(self, seconds: float) -> None:
        """Take no more connections, and let those who are being answered have their answers."""
        deadline = time.monotonic() + seconds
        for server in self._servers:
            server.accepting = False
            server.del_channel()
            server.socket.close()
        while time.monotonic() < deadline and any(s.is_at_work() for s in self._servers):
            self.poll(0.1)
        self._dispatcher.shutdown(timeout=max(0.0, deadline - time.monotonic()))
        for server in self._servers:
            for channel in list(server.active_channels.values()):
                channel.handle_close()
            server.trigger.close()
        wasyncore.close_all(self._map)


def max_connections() -> int:
    """As many connections as this process may have open files, less what else it opens."""
    n_files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if n_files == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    return min(MAX_CONNECTIONS, n_files - N_OTHER_FILES)


def _without_body_for_head(application: Application) -> Application:
    """waitress sends what it is given, and the sender would misread the next answer."""

    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        body = application(environ, start_response)
        if environ["REQUEST_METHOD"] != "HEAD":
            return body
        if close := getattr(body, "close", None):
            close()
        return []

    return answer


class BoundedWorker(Worker):  # type: ignore[misc] # gunicorn has no types
    """gunicorn's process with this server in it."""

    def run(self) -> None:
        # Not in the process that this one is forked from, where Django is not set up.
        from annotation.core.middleware import long_body_sender  # noqa: PLC0415

        self._server = WebServer(
            self.wsgi,
            [listener.sock for listener in self.sockets],
            threads=self.cfg.threads,
            long_body_sender=long_body_sender,
        )
        while self.alive and os.getppid() == self.ppid:
            self.notify()
            self._server.poll()
        self.notify()
        self._server.finish(self.cfg.graceful_timeout)
