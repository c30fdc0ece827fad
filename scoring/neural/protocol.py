"""How a command talks to who started it: lines of JSON, and an end together with them."""

import json
import os
import stat
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from shell.messages import Message, as_data
from shell.messages import message as _

# If there is nothing new, the last line is sent again, so the reader sees that we are alive.
REPEAT_SECONDS = 1.5


class Lines:
    """Lines of JSON on what was the standard output; a context manager.

    Whatever libraries print meanwhile goes to the standard error. Messages are in these lines as
    data, so that the reader can translate them.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = {"progress": 0.0, "message": _("starting")}
        self._said_at = time.monotonic()
        self._ended = threading.Event()

    def __enter__(self) -> "Lines":
        sys.stdout.flush()
        self._own = os.dup(1)
        os.dup2(2, 1)
        self.say(0.0, _("starting"))
        threading.Thread(target=self._repeat, daemon=True).start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._ended.set()
        with self._lock:
            sys.stdout.flush()
            os.dup2(self._own, 1)
            os.close(self._own)

    def say(self, share: float, message: Message) -> None:
        """How much of the work is done, from 0 to 1, and what is being done."""
        with self._lock:
            self._last = {"progress": round(min(share, 1.0), 4), "message": message}
            self._write(self._last)

    def done(self, **what: Any) -> None:
        """The last line."""
        self._ended.set()
        with self._lock:
            self._write({"done": what})

    def _repeat(self) -> None:
        while not self._ended.wait(REPEAT_SECONDS / 3):
            with self._lock:
                is_due = time.monotonic() - self._said_at >= REPEAT_SECONDS
                if is_due and not self._ended.is_set():
                    try:
                        self._write(self._last)
                    except OSError:
                        # Nobody reads any more; the work would be for nobody.
                        os._exit(1)

    def _write(self, what: Mapping[str, Any]) -> None:
        _write(self._own, what)
        self._said_at = time.monotonic()


def refuse(message: str) -> None:
    """The last line on standard output of a command that cannot do what it is asked for.

    It holds a message as data. The sentence on standard error says the same to people.
    """
    with suppress(OSError):
        _write(1, {"refused": message})


def _write(number: int, what: Mapping[str, Any]) -> None:
    text = json.dumps(as_data(what), ensure_ascii=False)
    line = text.encode("utf-8", "replace") + b"\n"
    while line:
        line = line[os.write(number, line) :]


def end_with_parent() -> None:
    """End this process as soon as its standard input, where that is a pipe, is closed.

    The parent process holds the other end: if it is killed, the work is for nobody. What was
    stored so far stays.
    """
    try:
        is_pipe = stat.S_ISFIFO(os.fstat(0).st_mode) or stat.S_ISSOCK(os.fstat(0).st_mode)
    except OSError:
        # Started without a standard input.
        return
    if is_pipe:
        threading.Thread(target=_wait_for_end, daemon=True).start()


def _wait_for_end() -> None:
    while os.read(0, 4096):
        pass
    os.write(2, b"ended, because its standard input was closed\n")
    os._exit(1)
