"""A limit for all the time that a connection is open, whatever the other side sends meanwhile."""

import contextlib
import socket
import threading


class CutOff:
    """Shuts a connection down when its time is over.

    Who sends a byte now and then never runs into the time limit of a single read.
    """

    def __init__(self, connection: socket.socket, *, seconds: float) -> None:
        # What shuts it down is a copy: TLS puts another object in the place of the first one, and
        # another thread is reading by that.
        self._copy = connection.dup()
        self.is_over = False
        self._timer = threading.Timer(max(0.0, seconds), self._cut)
        self._timer.daemon = True
        self._timer.start()

    def _cut(self) -> None:
        self.is_over = True
        with contextlib.suppress(OSError):  # closed already
            self._copy.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._timer.cancel()
        self._copy.close()
