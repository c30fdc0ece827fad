"""Heavy work that a page asks for: a process does one piece of each kind at a time."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from annotation.basics.errors import TooManyError
from annotation.basics.sentences import Said


class Turn:
    """Who comes while another has it is asked to come again, and holds no thread for long."""

    def __init__(self, message: Said, *, retry_after: int) -> None:
        self._lock = threading.Lock()
        self._message, self._retry_after = message, retry_after

    @contextmanager
    def taken(self, *, wait_seconds: float = 0) -> Iterator[None]:
        """Raises TooManyError while somebody else has it, after waiting so long."""
        if not self._lock.acquire(timeout=wait_seconds):
            raise TooManyError(self._message, retry_after=self._retry_after)
        try:
            yield
        finally:
            self._lock.release()
