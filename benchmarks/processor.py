"""Processor time of showing a screen and of saving its answer: one process, no server, no waiting.

    python -m benchmarks.processor KEYS_FILE [SCREENS [--profile show | save]]

The last line printed is JSON: the median milliseconds of showing and saving, in Python and in the
database.
"""

import argparse
import cProfile
import io
import json
import os
import pstats
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

from django.core.wsgi import get_wsgi_application

from benchmarks.crowd import OPTION, SHOWN

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = get_wsgi_application()

from django.db import connection  # noqa: E402 - the application makes Django ready

WARM_UP = 20


class Costs:
    """Sends requests to the application, and notes the processor time of each."""

    def __init__(self, profile: str) -> None:
        self.milliseconds: dict[str, list[float]] = defaultdict(list)
        self.profiled = profile
        self.profile = cProfile.Profile()

    def get(self, path: str) -> str:
        return self._ask("show", path, "GET", b"")

    def post(self, path: str, data: dict[str, Any]) -> str:
        return self._ask("save", path, "POST", urlencode(data).encode())

    def _ask(self, kind: str, path: str, method: str, body: bytes) -> str:
        environ = {
            "REQUEST_METHOD": method,
            "PATH_INFO": path,
            "SCRIPT_NAME": "",
            "QUERY_STRING": "",
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": "127.0.0.1",
            "HTTP_HOST": "localhost",
            "HTTP_ACCEPT": "application/json" if body else "text/html",
            "HTTP_ACCEPT_LANGUAGE": "en",
            "CONTENT_TYPE": "application/x-www-form-urlencoded" if body else "",
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(body),
            "wsgi.errors": io.StringIO(),
        }
        seen: list[Any] = []
        in_database, began = database_time(), time.thread_time()
        if self.profiled == kind:
            self.profile.enable()

        def note(status: str, headers: Any, error: Any = None, /) -> Callable[[bytes], object]:
            seen.append(status)
            return seen.append

        answer = application(environ, note)
        content = b"".join(answer)
        self.profile.disable()
        in_python = 1000 * (time.thread_time() - began)
        answer.close()
        assert seen[0].startswith("200"), (path, seen, content[:500])
        self.milliseconds[kind].append(in_python)
        self.milliseconds[f"{kind}, database"].append(database_time() - in_database)
        return content.decode()


def database_time() -> float:
    """Milliseconds that the connection's own process of PostgreSQL has used; 0 where unknown."""
    if connection.vendor != "postgresql" or connection.connection is None:
        return 0.0
    process = connection.connection.get_backend_pid()
    with suppress(OSError):
        return int(Path(f"/proc/{process}/schedstat").read_text().split()[0]) / 1e6
    return 0.0


def screens(keys: list[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    for key, n_screens in keys:
        for number in range(1, n_screens + 1):
            yield key, number


def _choice(html: bytes) -> dict[str, str]:
    """Of a best-worst question two of its options; a rating that any scale has."""
    options = [item.decode() for _, item in OPTION.findall(html)[:2]]
    return dict(zip(("best", "worst"), options, strict=True)) if options else {"rating": "1"}


def measure(keys: list[tuple[str, int]], n: int, costs: Costs) -> dict[str, float]:
    for turn, (key, number) in zip(range(WARM_UP + n), screens(keys), strict=False):
        if turn == WARM_UP:
            costs.milliseconds.clear()
            costs.profile.clear()
        html = costs.get(f"/a/{key}/s/{number}/").encode()
        question, shown = (part.decode() for part in SHOWN.findall(html)[0])
        answer = {
            **_choice(html),
            "comment": "",
            "active_ms": 1500,
            "shown": shown,
            "base": "none",
            "sequence": 1,
            "idempotency_key": uuid4(),
        }
        costs.post(f"/a/{key}/q/{question}/", answer)
    return {kind: round(median(values), 3) for kind, values in costs.milliseconds.items()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="benchmarks.processor")
    parser.add_argument("keys", type=Path)
    parser.add_argument("screens", type=int, nargs="?", default=600)
    parser.add_argument("--profile", choices=("show", "save"), default="")
    arguments = parser.parse_args()
    costs = Costs(arguments.profile)
    keys = [tuple(row) for row in json.loads(arguments.keys.read_text())]
    found = measure(keys, arguments.screens, costs)
    if arguments.profile:
        pstats.Stats(costs.profile).sort_stats("tottime").print_stats(45)
        pstats.Stats(costs.profile).sort_stats("cumulative").print_stats(70)
    print(json.dumps(found))
