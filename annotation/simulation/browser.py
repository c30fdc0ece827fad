"""A small browser without JavaScript: it reads pages and sends their forms."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.client import HTTPConnection, HTTPException, HTTPResponse
from urllib.parse import urlencode, urljoin, urlsplit


class SimulationError(Exception):
    """A page answered what a simulated annotator did not expect."""


@dataclass
class Choice:
    """A list to choose from, or several of one name, and the items that they are about."""

    items: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)

    def about(self, item: str) -> None:
        if item and item not in self.items:
            self.items.append(item)


@dataclass
class Form:
    """A form as it stands on the page: its fixed fields, and what may be chosen."""

    action: str
    method: str
    fields: dict[str, str] = field(default_factory=dict)
    radios: dict[str, list[str]] = field(default_factory=dict)
    checkboxes: dict[str, str] = field(default_factory=dict)
    # What is chosen about an item, from a list or by buttons that name it.
    selects: dict[str, Choice] = field(default_factory=dict)
    buttons: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class Page:
    status: int
    url: str
    forms: list[Form]
    text: str
    links: list[str] = field(default_factory=list)

    def form(self, ending: str = "") -> Form | None:
        """The POST form whose address ends so, or the first one."""
        return next(
            (
                form
                for form in self.forms
                if form.method == "post" and urlsplit(form.action).path.endswith(ending)
            ),
            None,
        )


class _Reader(HTMLParser):
    def __init__(self, url: str) -> None:
        super().__init__()
        self.url = url
        self.forms: list[Form] = []
        self._open: Form | None = None
        self._by_id: dict[str, Form] = {}
        self._select: Choice | None = None
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        at = {name: value or "" for name, value in attrs}
        if tag == "form":
            action = urljoin(self.url, at.get("action", "")) if at.get("action") else self.url
            self._open = Form(action, at.get("method", "get").lower())
            self.forms.append(self._open)
            if "id" in at:
                self._by_id[at["id"]] = self._open
        if tag == "a" and at.get("href"):
            self.links.append(urljoin(self.url, at["href"]))
        if tag == "option" and self._select:
            self._select.values.append(at.get("value", ""))
        # A control may stand outside its form and name it.
        form = self._by_id.get(at.get("form", "")) or self._open
        name = at.get("name")
        if form is None or not name or "disabled" in at:
            return
        kind = at.get("type", "text").lower()
        if tag == "input" and kind in {"radio", "checkbox"} and "data-item" in at:
            choice = form.selects.setdefault(name, Choice())
            choice.about(at["data-item"])
            choice.values.append(at.get("value", ""))
        elif tag == "input" and kind == "radio":
            form.radios.setdefault(name, []).append(at.get("value", ""))
        elif tag == "input" and kind == "checkbox":
            form.checkboxes[name] = at.get("value") or "on"
        elif tag == "select":
            self._select = form.selects.setdefault(name, Choice())
            self._select.about(at.get("data-item", ""))
        elif tag == "button":
            form.buttons.append((name, at.get("value", "")))
        elif tag in {"input", "textarea"}:
            form.fields[name] = at.get("value", "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._open = None
        elif tag == "select":
            self._select = None


def read(status: int, url: str, text: str) -> Page:
    """A page that was fetched, with its forms and links."""
    reader = _Reader(url)
    reader.feed(text)
    return Page(status, url, reader.forms, text, reader.links)


class Browser:
    """One person's connection to the server; keeps trying while the server is away."""

    def __init__(self, base: str, *, patience: float = 0.0) -> None:
        self._host = urlsplit(base).netloc
        self._patience = patience
        self._connection: HTTPConnection | None = None

    def get(self, url: str) -> Page:
        return self._follow("GET", url, None)

    def send(self, form: Form, values: Mapping[str, str | Sequence[str]]) -> Page:
        """Send a form; of several values each goes under the same name."""
        fields = urlencode({**form.fields, **values}, doseq=True)
        return self._follow("POST", form.action, fields)

    def close(self) -> None:
        if self._connection:
            self._connection.close()
            self._connection = None

    def _follow(self, method: str, url: str, body: str | None) -> Page:
        for _ in range(10):
            response, content = self._ask(method, url, body)
            location = response.getheader("Location")
            if response.status not in {301, 302, 303} or location is None:
                return read(response.status, url, content.decode())
            method, url, body = "GET", urljoin(url, location), None
        raise SimulationError(f"{urlsplit(url).path}: too many redirects")

    def _ask(self, method: str, url: str, body: str | None) -> tuple[HTTPResponse, bytes]:
        parts = urlsplit(url)
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        headers = {"Accept": "text/html"}
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        give_up = time.monotonic() + self._patience
        while True:
            try:
                if self._connection is None:
                    self._connection = HTTPConnection(self._host, timeout=60)
                self._connection.request(method, path, body, headers)
                response = self._connection.getresponse()
                return response, response.read()
            except (OSError, HTTPException) as error:
                # As a person would: the same form again, until the server is back.
                self.close()
                if time.monotonic() >= give_up:
                    raise SimulationError(
                        f"Nothing answers at http://{self._host}/ ({error}). Start the server, or"
                        " name its address: --base-url, or PORT as for make run."
                    ) from error
                time.sleep(0.1)
