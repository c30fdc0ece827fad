"""Waiting for what a person would wait for: the page is there, and does what it is told."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.pictures.waiting import arrive, settled

__all__ = [
    "PATIENCE",
    "arrive",
    "no_timers",
    "painted",
    "saved",
    "settled",
    "stop_the_clock",
    "until",
]

PATIENCE = 60  # seconds: nothing takes so long, unless the machine is busy with other things


def saved(page: Any, n: int) -> Any:
    """Wait until so many questions of the screen are called saved."""
    return page.wait_for_function(
        "n => [...document.querySelectorAll('[data-state]')]"
        ".filter(p => p.textContent === 'Saved').length === n",
        arg=n,
    )


def until(condition: Callable[[], Any], seconds: float = PATIENCE) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


def painted(page: Any) -> None:
    """Let the page measure and draw what has changed: two frames are enough for both."""
    page.evaluate(
        "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
    )


def stop_the_clock(page: Any) -> None:
    """From now on the page's time passes only by `page.clock.run_for`."""
    page.clock.install()
    page.clock.pause_at(datetime.now(UTC) + timedelta(minutes=1))


def no_timers(page: Any) -> None:
    """What the page would do by itself after a while, it does not do any more."""
    page.evaluate("window.setTimeout = () => 0")
