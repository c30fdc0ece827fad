"""Requests, answers, and the table that leads from one to the other."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlencode

from tests.simulators.prolific.errors import Refusal, invalid
from tests.simulators.prolific.world import Row, World


@dataclass
class Request:
    method: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    raw: bytes = b""
    base: str = ""

    def json(self) -> Row:
        if not self.raw:
            return {}
        try:
            body = json.loads(self.raw)
        except ValueError:
            raise Refusal(400, "JSON parse error.") from None
        if not isinstance(body, dict):
            raise Refusal(400, "Expected an object.")
        return body

    def form(self) -> dict[str, str]:
        pairs = parse_qs(self.raw.decode(), keep_blank_values=True)
        return {name: values[0] for name, values in pairs.items()}

    def asked(self, name: str, default: str = "") -> str:
        return self.query.get(name, [default])[0]

    def cookie(self, name: str) -> str:
        morsel = SimpleCookie(self.headers.get("cookie", "")).get(name)
        return morsel.value if morsel else ""

    @property
    def wants_json(self) -> bool:
        return "application/json" in self.headers.get("accept", "")


@dataclass
class Answer:
    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    html: str | None = None

    def content(self) -> tuple[bytes, str]:
        if self.html is not None:
            return self.html.encode(), "text/html; charset=utf-8"
        if self.status == 204:
            return b"", ""
        return json.dumps(self.body).encode(), "application/json"


Handler = Callable[..., Answer]


class Routes:
    """`<key>` in a pattern is handed to the function by that name; a last slash may be missing."""

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix
        self._entries: list[tuple[str, re.Pattern[str], Handler]] = []

    def on(self, method: str, pattern: str) -> Callable[[Handler], Handler]:
        regex = re.sub(r"<(\w+)>", r"(?P<\1>[^/]+)", self.prefix + pattern.rstrip("/"))

        def keep(function: Handler) -> Handler:
            self._entries.append((method, re.compile(f"^{regex}/?$"), function))
            return function

        return keep

    def __len__(self) -> int:
        return len(self._entries)

    def has(self, method: str, path: str) -> bool:
        return any(known == method and p.match(path) for known, p, _handler in self._entries)

    def answer(self, world: World, request: Request) -> Answer:
        known = False
        for method, pattern, function in self._entries:
            if match := pattern.match(request.path):
                known = True
                if method == request.method:
                    return function(world, request, **match.groupdict())
        if known:
            raise Refusal(405, f"Method {request.method!r} is not allowed.")
        raise Refusal(404, f"{request.path} was not found.")


def page_of(world: World, request: Request, rows: list[Any]) -> Answer:
    """One page of a list with its links; a page past the end is not found."""
    if "limit" in request.query or "offset" in request.query:
        size, start = _number(request, "limit", 200), _number(request, "offset", 0, least=0)
        return Answer(body={"results": rows[start : start + size], "meta": {"count": len(rows)}})
    size = min(
        _number(request, "page_size", world.config["page_size"]), world.config["largest_page"]
    )
    page = _number(request, "page", 1)
    last = max(1, -(-len(rows) // size))
    if page > last:
        raise Refusal(404, "Invalid page.")

    def link(number: int | None, title: str) -> Row:
        if number is None:
            return {"href": None, "title": title}
        query = {**{k: v[0] for k, v in request.query.items()}, "page": number, "page_size": size}
        return {"href": f"{request.base}{request.path}?{urlencode(query)}", "title": title}

    return Answer(
        body={
            "results": rows[(page - 1) * size : page * size],
            "_links": {
                "self": link(page, "Current"),
                "next": link(page + 1 if page < last else None, "Next"),
                "previous": link(page - 1 if page > 1 else None, "Previous"),
                "last": link(last, "Last"),
            },
            "meta": {"count": len(rows)},
        }
    )


def _number(request: Request, name: str, default: int, *, least: int = 1) -> int:
    text = request.asked(name, str(default))
    if not text.isdigit() or int(text) < least:
        raise invalid(**{name: "A valid integer is required."})
    return int(text)
