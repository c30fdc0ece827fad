"""The web server of `manage.py serve` and of gunicorn's workers: waitress, bounded.

waitress reads requests in one thread and hands complete ones to others, so that a slow sender
keeps nobody waiting. What it lacks is here: senders have a limited time; whoever is not signed in
may send little; a full server gives up its oldest waiting connection, not the newest; an answer to
HEAD has no body.
"""

import io
import os
import resource
import socket
import time
from collections.abc import Callable, Iterable
from typing import Any

from django.conf import settings
from gunicorn.workers.base import Worker
from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import TcpWSGIServer
from waitress.task import ErrorTask, Task, ThreadedTaskDispatcher, WSGITask
from waitress.utilities import RequestEntityTooLarge

from config.bodies import REFUSED, SERVER_BUSY, TOO_LARGE, UNKNOWN_SENDER, anonymous_limit

# Seconds for the head of a request, and for a body beside what it takes at the lowest speed.
SECONDS_TO_SEND = 20
MIN_BYTES_PER_SECOND = 16 * 1024
# Browsers keep their connections: they are closed after so many silent seconds.
SECONDS_TO_KEEP = 60
# A new connection is left to another process for so long while all threads of this one are busy.
SECONDS_FOR_OTHERS = 0.1
# Whoever does not read so much of an answer in so long does not get the rest.
SECONDS_TO_READ = 20
MIN_BYTES_READ = 32 * 1024
# No browser sends more requests before it has the first answer.
MAX_REQUESTS_AHEAD = 8
# A refused sender gets so long to stop sending and to read why.
SECONDS_TO_LINGER = 10
MAX_HEAD = 32 * 1024
MAX_CONNECTIONS = 1000
# Files beside connections: the database, templates, bodies on disk.
OTHER_FILES = 200
# Of bodies on their way from senders who are not signed in, in one process; beyond, the oldest go.
MAX_ANONYMOUS_BYTES = 64 * 1024 * 1024
IN_MEMORY = 64 * 1024

Application = Callable[[dict[str, Any], Any], Iterable[bytes]]
# Given the headers Cookie and Authorization.
MaySendFiles = Callable[[str, str], bool]


class _RequestParser(HTTPRequestParser):  # type: ignore[misc] # waitress has no types
    """Knows when a body is longer than anybody may send."""

    error: Any
    expect_continue: bool
    refused = ""
    is_allowed = False
    # The sender of a long body waits for this before sending it.
    awaits_continue = False

    def __init__(self, adj: Any) -> None:
        super().__init__(adj)
        self.began_at = time.monotonic()

    def received(self, data: bytes) -> int:
        n_consumed: int = super().received(data)
        if isinstance(self.error, RequestEntityTooLarge):
            # The application answers, in the reader's language.
            self.error, self.refused = None, TOO_LARGE
        if self.must_be_allowed and self.expect_continue:
            self.expect_continue, self.awaits_continue = False, True
        return n_consumed

    @property
    def must_be_allowed(self) -> bool:
        if not self.headers_finished or self.completed or self.is_allowed:
            return False
        return self._length > anonymous_limit(self.path)

    @property
    def seconds_allowed(self) -> float:
        return SECONDS_TO_SEND + self._length / MIN_BYTES_PER_SECOND

    @property
    def _length(self) -> int:
        return max(int(self.content_length), int(self.body_bytes_received))


class _Headless(Task):  # type: ignore[misc]
    """waitress sends a body where HEAD asked for none, and so what follows is misread."""

    def write(self, data: bytes) -> None:
        if self.request.command != "HEAD":
            super().write(data)
            return
        super().write(b"")
        self.chunked_response = False
        self.content_bytes_written += len(data)


class _ErrorTask(_Headless, ErrorTask):  # type: ignore[misc]
    pass


class _WSGITask(_Headless, WSGITask):  # type: ignore[misc]
    def execute(self) -> None:
        if self.request.refused:
            # What the sender goes on sending is no further request.
            self.set_close_on_finish()
        super().execute()

    def get_environment(self) -> dict[str, Any]:
        is_new = self.environ is None
        environ: dict[str, Any] = super().get_environment()
        if is_new and self.request.command == "HEAD":
            # A file would be sent past write().
            del environ["wsgi.file_wrapper"]
        if is_new and self.request.refused:
            environ[REFUSED] = self.request.refused
            environ["wsgi.input"] = io.BytesIO()
            environ.setdefault("CONTENT_LENGTH", str(self.request.body_bytes_received))
        return environ


class _Permission:
    """A task for a thread: whether the sender of a long body may send it."""

    def __init__(self, channel: "_Channel", request: _RequestParser) -> None:
        self.channel, self.request = channel, request

    def service(self) -> None:
        headers = self.request.headers
        reason = UNKNOWN_SENDER
        try:
            server = self.channel.server
            if server.may_send_files(headers.get("COOKIE", ""), headers.get("AUTHORIZATION", "")):
                reason = ""
        finally:
            self.channel.decide(self.request, reason)

    def cancel(self) -> None:
        self.channel.cancel()


class _Channel(HTTPChannel):  # type: ignore[misc]
    """One connection."""

    parser_class = _RequestParser
    task_class = _WSGITask
    error_task_class = _ErrorTask
    request: Any
    close_when_flushed: bool
    is_asking = False
    _decision: tuple[_RequestParser, str] | None = None
    was_refused = False
    lingers_until = 0.0

    def __init__(self, *args: Any, **options: Any) -> None:
        # Since when it has been waiting for a request to begin.
        self.idle_since = time.monotonic()
        # Since when the reader has not read enough of an answer, and how much was sent then.
        self.reads_since: float | None = None
        self.n_sent = self.n_sent_then = 0
        super().__init__(*args, **options)

    def readable(self) -> bool:
        if self._decision is not None:
            self._apply(*self._decision)
        return not self.is_asking and bool(super().readable())

    def received(self, data: bytes) -> bool:
        if self.lingers_until:
            return True
        is_received = bool(super().received(data))
        with self.requests_lock:
            if len(self.requests) > MAX_REQUESTS_AHEAD:
                del self.requests[MAX_REQUESTS_AHEAD:]
                self.will_close = True
        request = self.request
        if request is not None and not self.is_asking:
            if request.must_be_allowed:
                self.is_asking = True
                self.server.add_task(_Permission(self, request))
            elif request.body_bytes_received > IN_MEMORY and not request.is_allowed:
                self.server.bound_bodies()
        return is_received

    def decide(self, request: _RequestParser, reason: str) -> None:
        """Called by a thread; what follows is done by the one that reads and writes."""
        self._decision = (request, reason)
        self.server.pull_trigger()

    def _apply(self, request: _RequestParser, reason: str) -> None:
        """Go on reading, or answer why not."""
        self._decision = None
        self.is_asking = False
        with self.requests_lock:
            if self.request is not request or not self.connected:
                return
            if not reason and self.server.n_long_bodies >= self.adj.threads:
                reason = SERVER_BUSY
            if reason:
                request.refused, request.completed = reason, True
                self.request = None
                self.requests.append(request)
                if len(self.requests) == 1:
                    self.server.add_task(self)
            else:
                request.is_allowed = True
                request.began_at = time.monotonic()
                request.expect_continue = request.awaits_continue
                if request.expect_continue and not self.requests:
                    self.send_continue()

    def service(self) -> None:
        self.was_refused = self.was_refused or bool(self.requests[0].refused)
        super().service()
        self.idle_since = time.monotonic()

    def handle_write(self) -> None:
        if self.was_refused and self.close_when_flushed and not self.total_outbufs_len:
            # Closed at once, the sender's system would throw the answer away unread.
            self.close_when_flushed = self.was_refused = False
            self.lingers_until = time.monotonic() + SECONDS_TO_LINGER
            try:
                self.socket.shutdown(socket.SHUT_WR)
            except OSError:
                self.will_close = True
            return
        super().handle_write()

    def send(self, data: bytes, do_close: bool = True) -> int:
        n_sent: int = super().send(data, do_close)
        self.n_sent += n_sent
        return n_sent

    def reads_too_slowly(self, now: float) -> bool:
        """Asked every now and then: a thread may be waiting until its answer is read."""
        if not self.total_outbufs_len:
            self.reads_since = None
        elif self.reads_since is None or self.n_sent - self.n_sent_then >= MIN_BYTES_READ:
            self.reads_since, self.n_sent_then = now, self.n_sent
        return self.reads_since is not None and now - self.reads_since > SECONDS_TO_READ

    def handle_close(self) -> None:
        super().handle_close()
        # The body on disk goes with its sender.
        if self.request is not None:
            self.request.close()

    @property
    def waits_since(self) -> float | None:
        """Since when it has kept others out; None while it is at work."""
        request = self.request
        if self.requests or self.is_asking or (request is not None and request.is_allowed):
            return None
        return self.idle_since if request is None else request.began_at

    def is_overdue(self, now: float) -> bool:
        if self.lingers_until:
            return now > self.lingers_until
        request = self.request
        if request is not None and not self.is_asking and not self.requests:
            return bool(now > request.began_at + request.seconds_allowed)
        return False


class _Server(TcpWSGIServer):  # type: ignore[misc]
    """Listens at one address."""

    channel_class = _Channel
    max_connections = MAX_CONNECTIONS
    may_send_files: MaySendFiles
    next_channel_cleanup: float
    full_since: float | None = None

    def readable(self) -> bool:
        now = time.time()
        if now >= self.next_channel_cleanup:
            self.next_channel_cleanup = now + self.adj.cleanup_interval
            self.maintenance(now)
        if len(self.active_channels) >= self.max_connections:
            self._make_room()
        # Where all threads are busy another process may have one that is not.
        threads = self.task_dispatcher
        n_idle = len(threads.threads) - threads.stop_count - threads.active_count
        is_full = len(threads.queue) > n_idle
        if not is_full:
            self.full_since = None
        elif self.full_since is None:
            self.full_since = time.monotonic()
        # Those who are here already must not keep everybody else out.
        has_left_to_others = time.monotonic() - (self.full_since or 0) > SECONDS_FOR_OTHERS
        return bool(self.accepting) and (not is_full or has_left_to_others)

    def maintenance(self, now: float) -> None:
        super().maintenance(now)
        now = time.monotonic()
        for channel in self.active_channels.values():
            if channel.is_overdue(now):
                channel.will_close = True
        # Nothing can be written to them, so nothing but this closes them.
        for channel in list(self.active_channels.values()):
            if channel.reads_too_slowly(now):
                channel.handle_close()

    def _make_room(self) -> None:
        """Close those that have waited longest: an honest browser connects again."""
        waiting = [
            (since, channel)
            for channel in self.active_channels.values()
            if not channel.will_close and (since := channel.waits_since) is not None
        ]
        waiting.sort(key=lambda pair: pair[0])
        for _, channel in waiting[: max(1, self.max_connections // 20)]:
            channel.will_close = True

    def bound_bodies(self) -> None:
        bodies = [
            (channel.request.began_at, channel.request.body_bytes_received, channel)
            for channel in self.active_channels.values()
            if channel.request is not None
            and not channel.request.is_allowed
            and not channel.will_close
        ]
        excess = sum(n_bytes for _, n_bytes, _ in bodies) - MAX_ANONYMOUS_BYTES
        if excess > 0:
            for _, n_bytes, channel in sorted(bodies, key=lambda body: body[0]):
                if n_bytes > IN_MEMORY and excess > 0:
                    channel.will_close = True
                    excess -= n_bytes

    @property
    def n_long_bodies(self) -> int:
        """How many long bodies arrive or are being worked on."""
        return sum(
            any(r is not None and r.is_allowed for r in [channel.request, *channel.requests])
            for channel in self.active_channels.values()
        )

    def is_at_work(self) -> bool:
        return any(
            channel.requests or channel.total_outbufs_len or channel.is_asking
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
        may_send_files: MaySendFiles,
    ) -> None:
        listeners = list(listeners)
        adjustments = Adjustments(
            sockets=listeners,
            threads=threads,
            ident=None,
            max_request_header_size=MAX_HEAD,
            max_request_body_size=settings.IMPORT_LIMIT_BYTES + 1024 * 1024,
            inbuf_overflow=IN_MEMORY,
            channel_timeout=SECONDS_TO_KEEP,
            cleanup_interval=2,
            # Django reads what proxies say, as far as TRUSTED_PROXIES trusts them.
            clear_untrusted_proxy_headers=False,
        )
        self._map: dict[int, Any] = {}
        self._dispatcher = ThreadedTaskDispatcher()
        self._dispatcher.set_thread_count(threads)
        max_connections = min(MAX_CONNECTIONS, _raise_file_limit() - OTHER_FILES)
        self._servers = []
        for listener in listeners:
            server = _Server(
                application,
                self._map,
                _sock=listener,
                dispatcher=self._dispatcher,
                adj=adjustments,
                sockinfo=(listener.family, listener.type, listener.proto, listener.getsockname()),
                bind_socket=False,
            )
            server.may_send_files = may_send_files
            server.max_connections = max(1, max_connections // len(listeners))
            self._servers.append(server)

    def poll(self, seconds: float = 0.25) -> None:
        """Wait for something to happen, not for ever, and see to it."""
        wasyncore.loop(timeout=seconds, use_poll=True, map=self._map, count=1)

    def wake(self) -> None:
        for server in self._servers:
            server.pull_trigger()

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
            server.trigger.close()
        wasyncore.close_all(self._map)


def _raise_file_limit() -> int:
    """A connection is an open file; many systems allow 1024 unless a process asks for more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_CONNECTIONS + OTHER_FILES
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    return wanted


class BoundedWorker(Worker):  # type: ignore[misc] # gunicorn has no types
    """gunicorn's process with this server in it."""

    def run(self) -> None:
        # Not in the process that this one is forked from, where Django is not set up.
        from annotation.doors import may_send_files  # noqa: PLC0415

        self._server = WebServer(
            self.wsgi,
            [listener.sock for listener in self.sockets],
            threads=self.cfg.threads,
            may_send_files=may_send_files,
        )
        while self.alive and os.getppid() == self.ppid:
            self.notify()
            self._server.poll()
        self.notify()
        self._server.finish(self.cfg.graceful_timeout)
