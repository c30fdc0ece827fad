"""Who is still inside the web server that tests share, and who may come in."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Condition
from typing import Any

PATIENCE = 60  # seconds: no request takes so long, unless the machine is busy with other things


class Door:
    """Stands before the web server's application and knows who is still inside."""

    def __init__(self, application: Callable[..., Iterable[bytes]]) -> None:
        self._application = application
        self._changed = Condition()
        self._inside = 0
        self._open = False

    def __call__(self, environ: Any, start_response: Any) -> Iterable[bytes]:
        with self._changed:
            if not self._open:
                start_response("503 Service Unavailable", [("Content-Length", "0")])
                return []
            self._inside += 1
        try:
            return _Counted(self._application(environ, start_response), self._leave)
        except BaseException:
            self._leave()
            raise

    def _leave(self) -> None:
        with self._changed:
            self._inside -= 1
            self._changed.notify_all()

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Let requests in; afterwards let none in, and wait until those inside have left."""
        with self._changed:
            self._open = True
        yield
        with self._changed:
            self._open = False
            assert self._changed.wait_for(lambda: self._inside == 0, PATIENCE), (
                "a request was not answered"
            )


class _Counted:
    def __init__(self, body: Any, leave: Callable[[], None]) -> None:
        self._body, self._leave = body, leave

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._body)

    def close(self) -> None:
        try:
            self._body.close()
        finally:
            self._leave()


def door_of(live_server: Any) -> Door:
    """The one before this server's application; made when it is asked for the first time."""
    httpd = live_server.thread.httpd
    if not isinstance(httpd.get_app(), Door):
        httpd.set_app(Door(httpd.get_app()))
    door: Door = httpd.get_app()
    return door
