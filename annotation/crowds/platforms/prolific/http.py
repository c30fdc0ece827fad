"""Calls to Prolific's API: one attempt each, bounded in time and size, and what an answer means.

A call that changes something and has no clear answer is doubtful; one that only reads is not
available then. Nothing that is said here holds the token, even if Prolific repeats it.
"""

import json
import socket
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests
from requests.adapters import HTTPAdapter
from requests.auth import AuthBase
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, PoolManager
from urllib3.exceptions import ConnectTimeoutError, NameResolutionError, NewConnectionError

from annotation.basics.sentences import sentence as _
from annotation.basics.time_limits import CutOff
from annotation.core.platforms.errors import (
    MAX_LISTS_SECONDS,
    DoubtfulError,
    MissingCredentialsError,
    RefusedError,
    TooLongError,
    UnavailableError,
)
from annotation.crowds.platforms.prolific.environments import Installation

CONNECT_SECONDS, READ_SECONDS = 5.0, 20.0
# Of one call, from beginning to end: a server may send a byte now and then.
MAX_SECONDS = 60.0
MAX_ANSWER_BYTES = 8 * 1024 * 1024
PAGE_SIZE = 100
MAX_PAGES = 10_000
_MAX_DETAIL_LENGTH = 300
_USER_AGENT = "Likeness"


class NotThereError(UnavailableError):
    """Prolific says that there is no such thing, which may also mean: not yet."""


@dataclass(frozen=True)
class Answer:
    """What Prolific answered to a call that it carried out."""

    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)

    def id(self) -> str:
        """What was made is called; without that nobody knows what happened."""
        made = self.body.get("id") if isinstance(self.body, dict) else None
        # A subscription may come as the only row of a list.
        if made is None and isinstance(self.body, dict):
            rows = self.body.get("results")
            if isinstance(rows, list) and len(rows) == 1 and isinstance(rows[0], dict):
                made = rows[0].get("id")
        if not isinstance(made, str) or not made:
            raise DoubtfulError(_("Prolific did not return the id of what it created."))
        return made


class _TokenAuth(AuthBase):
    """As an object of its own: without one, requests would take a password from a .netrc file."""

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Token {self._token}"
        return request


class TooMuchError(Exception):
    """The answer is longer, or takes longer, than any of Prolific's."""


class Client:
    """Of one installation, for one piece of work."""

    def __init__(self, installation: Installation) -> None:
        self.installation = installation
        self.read_seconds = READ_SECONDS
        self._lists_until = time.monotonic() + MAX_LISTS_SECONDS

    def get(self, path: str, **query: str | int) -> Any:
        """What is there. Raises NotThereError or another UnavailableError."""
        return self._asked("GET", path, query=query)

    def compute(self, path: str, body: Any) -> Any:
        """What Prolific computes and does not keep. Raises UnavailableError."""
        return self._asked("POST", path, body=body)

    def _asked(self, method: str, path: str, **what: Any) -> Any:
        try:
            status, text, _headers = self._call(method, path, **what)
        except MissingCredentialsError as error:
            raise UnavailableError(error.said[0]) from error
        except (requests.RequestException, TooMuchError) as error:
            raise _unreachable() from error
        if status == 404:
            raise NotThereError(self._says(status, text))
        if status != 200:
            raise UnavailableError(self._says(status, text))
        try:
            return _read(text)
        except ValueError as error:
            raise _unreachable() from error

    def pages(self, path: str, **query: str | int) -> Iterator[Mapping[str, Any]]:
        """All rows of a list, to its last page; a page past the end is an end."""
        n_pages, seen = 0, set()
        target = path
        parameters: dict[str, str | int] = {"page_size": PAGE_SIZE, **query}
        while target:
            if time.monotonic() > self._lists_until:
                raise TooLongError
            try:
                page = self.get(target, **parameters)
            except NotThereError:
                # Of the first page it says that the list itself is not there.
                if n_pages == 0:
                    raise
                return
            yield from rows_of(page)
            n_pages += 1
            seen.add(target)
            target, parameters = self._next(page), {}
            if n_pages >= MAX_PAGES or target in seen:
                raise UnavailableError(_("Prolific's list does not end."))

    def change(
        self, method: str, path: str, body: Any = None, *, needs_body: bool = True
    ) -> Answer:
        """Have something done.

        Raises RefusedError (a definite no), UnavailableError (nothing was done) or DoubtfulError.
        """
        try:
            status, text, headers = self._call(method, path, body=body)
        except (requests.RequestException, TooMuchError) as error:
            if _was_not_sent(error):
                raise _unreachable() from error
            raise _doubtful() from error
        if status == 429:
            raise UnavailableError(_("Prolific is busy. Likeness tries again later."))
        if status >= 500 or status in (408, 425) or not 200 <= status < 500 or 300 <= status < 400:
            raise DoubtfulError(self._says(status, text))
        try:
            content = _read(text) if text.strip() else None
        except ValueError as error:
            raise _doubtful() from error
        if status >= 400:
            if content is None:
                raise _doubtful()
            raise RefusedError(self._says(status, text))
        if content is None and needs_body:
            raise _doubtful()
        return Answer(content, headers)

    def _next(self, page: Any) -> str:
        links = page.get("_links") if isinstance(page, dict) else None
        following = links.get("next") if isinstance(links, dict) else None
        href = following.get("href") if isinstance(following, dict) else None
        return href if isinstance(href, str) else ""

    def _url(self, path: str) -> str:
        url = urljoin(self.installation.api + "/", path)
        # A link of the platform's is followed with the token: never to another place.
        if not url.startswith(self.installation.api + "/"):
            raise UnavailableError(
                _(
                    "Prolific's list continues at another host (%(host)s), which Likeness "
                    "does not open."
                )
                % {"host": urlsplit(url).netloc}
            )
        return url

    def _call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str | int] | None = None,
        body: Any = None,
    ) -> tuple[int, str, Mapping[str, str]]:
        with (
            _session(
                self.installation, seconds=min(MAX_SECONDS, 3 * self.read_seconds)
            ) as session,
            session.request(
                method,
                self._url(path),
                params=query or None,
                json=body,
                auth=_TokenAuth(self.installation.token),
                headers={"Accept": "application/json", "User-Agent": _USER_AGENT},
                timeout=(min(CONNECT_SECONDS, self.read_seconds), self.read_seconds),
                allow_redirects=False,
                stream=True,
            ) as answer,
        ):
            text = read_bounded(answer, most_bytes=MAX_ANSWER_BYTES)
            session.refuse_if_cut_off()
            return answer.status_code, text, answer.headers

    def _says(self, status: int, text: str) -> Any:
        words = _words(text).replace(self.installation.token, "…")
        if not words:
            return _("Prolific answered with status %(status)s and no reason.") % {
                "status": status
            }
        return _("Prolific says (status %(status)s): %(words)s") % {
            "status": status,
            "words": words,
        }


def rows_of(page: Any) -> list[Mapping[str, Any]]:
    """The results of a list. Raises UnavailableError if it is none."""
    rows = page.get("results") if isinstance(page, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise _unreachable()
    return rows


def fetch_public(installation: Installation, url: str, *, seconds: float) -> Any:
    """JSON that needs no token, within so many seconds. Raises UnavailableError."""
    try:
        with (
            _session(installation, seconds=seconds) as session,
            session.get(
                url,
                auth=_no_auth,
                headers={"Accept": "application/json", "User-Agent": _USER_AGENT},
                timeout=(seconds / 2, seconds / 2),
                allow_redirects=False,
                stream=True,
            ) as answer,
        ):
            text = read_bounded(answer, most_bytes=256 * 1024)
            session.refuse_if_cut_off()
            if answer.status_code != 200:
                raise _unreachable()
            return _read(text)
    except (requests.RequestException, TooMuchError, ValueError) as error:
        raise _unreachable() from error


def _no_auth(request: requests.PreparedRequest) -> requests.PreparedRequest:
    return request


class _Adapter(HTTPAdapter):
    """Sends once, over connections that are shut down when their time is over."""

    def __init__(self, *, seconds: float) -> None:
        self._until = time.monotonic() + seconds
        self.cut_offs: list[CutOff] = []
        super().__init__(max_retries=0)

    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        super().init_poolmanager(*args, **options)
        self._limit(self.poolmanager)

    def proxy_manager_for(self, *args: Any, **options: Any) -> Any:
        manager = super().proxy_manager_for(*args, **options)
        self._limit(manager)
        return manager

    def close(self) -> None:
        super().close()
        for cut_off in self.cut_offs:
            cut_off.close()

    def _limit(self, manager: PoolManager) -> None:
        manager.pool_classes_by_scheme = {
            "http": self._limited(HTTPConnectionPool),
            "https": self._limited(HTTPSConnectionPool),
        }

    def _limited(self, pool: Any) -> Any:
        adapter = self

        class Connection(pool.ConnectionCls):  # type: ignore[misc] # one of two classes
            # The first moment at which there is a socket: before TLS and before the head.
            def _new_conn(self) -> socket.socket:
                opened: socket.socket = super()._new_conn()
                seconds = adapter._until - time.monotonic()
                adapter.cut_offs.append(CutOff(opened, seconds=seconds))
                return opened

        return type(pool.__name__, (pool,), {"ConnectionCls": Connection})


class _Session(requests.Session):
    """A new one for each call: a kept connection that the other side has closed is a doubt."""

    def __init__(self, *, seconds: float) -> None:
        super().__init__()
        self._adapter = _Adapter(seconds=seconds)
        for scheme in ("https://", "http://"):
            self.mount(scheme, self._adapter)

    def refuse_if_cut_off(self) -> None:
        """Raise TooMuchError if what was read may be only the beginning of an answer."""
        if any(cut_off.is_over for cut_off in self._adapter.cut_offs):
            raise TooMuchError


def _session(installation: Installation, *, seconds: float) -> _Session:
    session = _Session(seconds=seconds)
    # Nothing of this machine's own goes through a proxy.
    session.trust_env = not installation.is_local
    return session


def read_bounded(answer: requests.Response, *, most_bytes: int) -> str:
    """The body as text. Raises TooMuchError if it is too long."""
    parts, n_bytes = [], 0
    for part in answer.iter_content(64 * 1024):
        parts.append(part)
        n_bytes += len(part)
        if n_bytes > most_bytes:
            raise TooMuchError
    return b"".join(parts).decode("utf-8", errors="replace")


def _read(text: str) -> Any:
    """JSON. Raises ValueError if it is none."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _refuse(constant: str) -> None:
    """NaN and its like are no JSON."""
    raise ValueError(constant)


def _was_not_sent(error: Exception) -> bool:
    """Whether no connection came about at all."""
    if isinstance(error, requests.ConnectTimeout):
        return True
    reason = getattr(error.args[0], "reason", None) if error.args else None
    return isinstance(error, requests.ConnectionError) and isinstance(
        reason, ConnectTimeoutError | NameResolutionError | NewConnectionError
    )


def _words(text: str) -> str:
    """What an error says, as one line; nothing if it is not in the platform's form."""
    try:
        content = _read(text)
    except ValueError:
        return ""
    error = content.get("error", content) if isinstance(content, dict) else content
    detail = error.get("detail") or error.get("title") if isinstance(error, dict) else error
    line = " ".join(_flat(detail).split())
    return line if len(line) <= _MAX_DETAIL_LENGTH else line[: _MAX_DETAIL_LENGTH - 1] + "…"


def _flat(detail: Any) -> str:
    if isinstance(detail, dict):
        return "; ".join(f"{name}: {_flat(value)}" for name, value in detail.items())
    if isinstance(detail, list):
        return " ".join(map(_flat, detail))
    return "" if detail is None else str(detail)


def _unreachable() -> UnavailableError:
    return UnavailableError(_("Prolific could not be reached, or its answer could not be read."))


def _doubtful() -> DoubtfulError:
    return DoubtfulError(
        _("Prolific's answer does not say whether it worked. Likeness looks it up there.")
    )
