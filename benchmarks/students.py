"""Two phases of a rating study, answered by as many students as the Czech news study had.

They join, agree and answer 61 questions in each phase, over HTTP; `rating_study` makes the study.
"""

import random
import re
import time
from collections import deque
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from benchmarks.crowd import SHOWN, Crowd, Measured, Pause, Person, Request, ScreenDone, get, post
from benchmarks.report import figures
from benchmarks.servers import Installation

AT_ONCE = 64
THINKING, THINK, ARRIVE = 200, (2.0, 4.0), 25.0

TICKET = re.compile(rb'name="ticket" value="([^"]*)"')
RUN = re.compile(rb'name="run" value="(\d+)"')
N_SCREENS = re.compile(rb"Screen \d+ of (\d+)")
OWN = re.compile(rb"\r\nlocation: *(/a/[^\r]*)", re.IGNORECASE)


# -- the students --------------------------------------------------------------------------------


def newcomers(
    token: str,
    n_left: "deque[int]",
    came: list[str],
    rng: random.Random,
    *,
    think: bool = False,
) -> Person:
    """Join and answer the first phase; whoever has finished it is followed by somebody new."""
    while n_left:
        n_left.popleft()
        if think:
            # A class comes in within some seconds, and not at once: that would be a flood.
            yield Pause(rng.uniform(0, ARRIVE))
        page = yield Request("consent", get(f"/j/{token}/"))
        ticket = TICKET.search(page)
        assert ticket is not None
        head = yield Request(
            "join", _form(f"/j/{token}/", {"ticket": ticket[1].decode(), "agree": "1"})
        )
        own = OWN.search(head)
        assert own is not None
        key = own[1].decode().split("/")[2]
        yield Request("begin", _form(f"/a/{key}/instructions/", {}))
        yield from _phase(key, rng, think=think)
        came.append(key)


def returning(keys: "deque[str]", rng: random.Random) -> Person:
    """Come back and answer the next phase."""
    while keys:
        yield from _phase(keys.popleft(), rng, think=False)


def _phase(key: str, rng: random.Random, *, think: bool) -> Person:
    number, n_screens = 1, 1
    while number <= n_screens:
        page = yield Request("show", get(f"/a/{key}/s/{number}/"))
        # Not all booklets are of one length.
        n_screens = int(N_SCREENS.findall(page)[0])
        number += 1
        shown = SHOWN.findall(page)
        for question, note in shown:
            seconds = rng.uniform(*THINK) if think else 0.0
            if think:
                yield Pause(seconds)
            answer = {
                "rating": rng.randrange(7),
                "comment": "",
                "active_ms": round(seconds * 1000),
                "shown": note,
                "sequence": 1,
                "idempotency_key": UUID(int=rng.getrandbits(128), version=4),
            }
            yield Request("save", post(f"/a/{key}/q/{question.decode()}/", answer))
        yield ScreenDone(len(shown))
    page = yield Request("overview", get(f"/a/{key}/overview/"))
    run = RUN.search(page)
    assert run is not None
    yield Request("send", post(f"/a/{key}/submit/", {"run": run[1].decode()}))


def _form(path: str, data: dict[str, str]) -> bytes:
    body = urlencode(data)
    return (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/html\r\n"
        "User-Agent: benchmark\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        f"Content-Length: {len(body)}\r\n\r\n{body}"
    ).encode()


# -- measuring -----------------------------------------------------------------------------------


def measure(
    installation: Installation, n_people: int, seconds_thinking: float, say: Callable[[str], None]
) -> dict[str, Any]:
    """All at full speed, then 200 who think, if for a while; starts and stops the server."""
    # One address is all students here.
    installation.extra["JOINS_PER_ADDRESS_PER_HOUR"] = "1000000"
    made = installation.read("-m", "benchmarks.rating_study", "make", str(n_people))
    n_booklets = int(made["booklets"])
    installation.start()
    began = time.monotonic()
    came: list[str] = []
    left = deque(range(n_booklets))
    people = [newcomers(made["token"], left, came, random.Random(i)) for i in range(AT_ONCE)]
    first = Crowd(installation.port, people).finish(usage=installation.usage)
    say(f"   {len(came)} students, first phase: {first.seconds:.0f} s, {first.n_errors} errors")
    installation.read("-m", "benchmarks.rating_study", "open")
    keys = deque(came)
    people = [returning(keys, random.Random(1000 + i)) for i in range(AT_ONCE)]
    second = Crowd(installation.port, people).finish(usage=installation.usage)
    say(f"   second phase: {second.seconds:.0f} s, {second.n_errors} errors")
    seconds = time.monotonic() - began
    found = installation.read("-m", "benchmarks.rating_study", "check")

    # A short while would measure how they join: most of them would not have begun.
    thinking = _thinking(installation, seconds_thinking) if seconds_thinking else None
    installation.stop()
    whole = Measured()
    whole.add(first)
    whole.add(second)
    return {
        "people": n_booklets,
        "seconds": round(seconds),
        "whole": figures(whole),
        "thinking": figures(thinking) if thinking else None,
        **found,
    }


def _thinking(installation: Installation, seconds: float) -> Measured:
    more = installation.read("-m", "benchmarks.rating_study", "make", str(THINKING + 60))
    left = deque(range(THINKING))
    people = [
        newcomers(more["token"], left, [], random.Random(2000 + i), think=True)
        for i in range(THINKING)
    ]
    return Crowd(installation.port, people).work(
        seconds=seconds, warm_up=ARRIVE + THINK[1], usage=installation.usage
    )
