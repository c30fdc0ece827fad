"""Calls to a platform's REST API: one attempt each, and what an answer means.

A call that changes something and has no clear answer is doubtful; one that only reads is not
available then. Nothing that is said here holds the credentials, even if the platform repeats them.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar
from urllib.parse import urljoin, urlsplit

import requests
from requests.auth import AuthBase

from annotation.basics.sentences import sentence as _
from annotation.core.platforms.errors import (
    MAX_LISTS_SECONDS,
    DoubtfulError,
    MissingCredentialsError,
    RefusedError,
    TooLongError,
    UnavailableError,
)
from annotation.crowds.platforms.installations import RestInstallation
from annotation.crowds.platforms.transport import (
    USER_AGENT,
    BoundedSession,
    TooMuchError,
    read_bounded,
    read_json,
    was_not_sent,
)

CONNECT_SECONDS, READ_SECONDS = 5.0, 20.0
# Of one call, from beginning to end: a server may send a byte now and then.
MAX_SECONDS = 60.0
MAX_ANSWER_BYTES = 8 * 1024 * 1024
MAX_PAGES = 10_000
_MAX_DETAIL_LENGTH = 300
Query = Mapping[str, str | int]


class NotThereError(UnavailableError):
    """The platform says that there is no such thing, which may also mean: not yet."""


@dataclass(frozen=True)
class Answer:
    """What a platform answered to a call that it carried out."""

    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)


class _HeaderAuth(AuthBase):
    """As an object of its own: without one, requests would take a password from a .netrc file."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        self._headers = headers

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers.update(self._headers)
        return request


class RestClient(ABC):
    """Of one installation, for one piece of work."""

    # As sentences call the platform.
    platform_name: ClassVar[str]

    def __init__(self, installation: RestInstallation) -> None:
        self.installation = installation
        self.read_seconds = READ_SECONDS
        self._lists_until = time.monotonic() + MAX_LISTS_SECONDS

    @abstractmethod
    def secret_headers(self, token: str) -> dict[str, str]:
        """How the platform is told whose account it is."""

    @abstractmethod
    def next_page(self, path: str, query: Query, page: Any) -> tuple[str, Query] | None:
        """Path and query of the page after this one; None: it was the last."""

    def rows_of(self, page: Any, name: str) -> list[Mapping[str, Any]]:
        """The rows of one answer. Raises UnavailableError if it is no list."""
        return rows_of(page, name, self.platform_name)

    def get(self, path: str, **query: str | int) -> Any:
        """What is there. Raises NotThereError or another UnavailableError."""
        return self._asked("GET", path, query=query)

    def compute(self, path: str, body: Any) -> Any:
        """What the platform computes and does not keep. Raises UnavailableError."""
        return self._asked("POST", path, body=body)

    def _asked(self, method: str, path: str, **what: Any) -> Any:
        try:
            status, text, _headers = self._call(method, path, **what)
        except MissingCredentialsError as error:
            raise UnavailableError(error.said[0]) from error
        except (requests.RequestException, TooMuchError) as error:
            raise unreachable(self.platform_name) from error
        if status == 404:
            raise NotThereError(self._says(status, text))
        if status != 200:
            raise UnavailableError(self._says(status, text))
        try:
            return read_json(text)
        except ValueError as error:
            raise unreachable(self.platform_name) from error

    def rows(self, path: str, name: str, query: Query) -> Iterator[Mapping[str, Any]]:
        """All rows of a list, to its last page; a page past the end is an end."""
        n_pages, seen = 0, set()
        target: tuple[str, Query] | None = (path, query)
        while target:
            if time.monotonic() > self._lists_until:
                raise TooLongError
            try:
                page = self.get(target[0], **target[1])
            except NotThereError:
                # Of the first page it says that the list itself is not there.
                if n_pages == 0:
                    raise
                return
            yield from self.rows_of(page, name)
            n_pages += 1
            seen.add(str(target))
            target = self.next_page(*target, page)
            if n_pages >= MAX_PAGES or str(target) in seen:
                raise UnavailableError(
                    _("%(platform)s's list does not end.") % {"platform": self.platform_name}
                )

    def change(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        needs_body: bool = True,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Have something done.

        Raises RefusedError (a definite no), UnavailableError (nothing was done) or DoubtfulError.
        """
        try:
            status, text, answered = self._call(method, path, body=body, headers=headers)
        except (requests.RequestException, TooMuchError) as error:
            if was_not_sent(error):
                raise unreachable(self.platform_name) from error
            raise self._doubtful() from error
        if status == 429:
            raise UnavailableError(
                _("%(platform)s is busy. Likeness tries again later.")
                % {"platform": self.platform_name}
            )
        if status >= 500 or status in (408, 425) or not 200 <= status < 500 or 300 <= status < 400:
            raise DoubtfulError(self._says(status, text))
        try:
            content = read_json(text) if text.strip() else None
        except ValueError as error:
            raise self._doubtful() from error
        if status >= 400:
            if content is None:
                raise self._doubtful()
            raise RefusedError(self._says(status, text))
        if content is None and needs_body:
            raise self._doubtful()
        return Answer(content, answered)

    def _url(self, path: str) -> str:
        url = urljoin(self.installation.api + "/", path)
        # A link of the platform's is followed with the token: never to another place.
        if not url.startswith(self.installation.api + "/"):
            raise UnavailableError(
                _(
                    "%(platform)s's list continues at another host (%(host)s), which Likeness "
                    "does not open."
                )
                % {"platform": self.platform_name, "host": urlsplit(url).netloc}
            )
        return url

    def _call(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[int, str, Mapping[str, str]]:
        with (
            BoundedSession(
                seconds=min(MAX_SECONDS, 3 * self.read_seconds),
                is_local=self.installation.is_local,
            ) as session,
            session.request(
                method,
                self._url(path),
                params=query or None,
                json=body,
                auth=_HeaderAuth(self.secret_headers(self.installation.token)),
                headers={
                    "Accept": "application/json",
                    "User-Agent": USER_AGENT,
                    **(headers or {}),
                },
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
            return _("%(platform)s answered with status %(status)s and no reason.") % {
                "platform": self.platform_name,
                "status": status,
            }
        return _("%(platform)s says (status %(status)s): %(words)s") % {
            "platform": self.platform_name,
            "status": status,
            "words": words,
        }

    def _doubtful(self) -> DoubtfulError:
        return DoubtfulError(
            _("%(platform)s's answer does not say whether it worked. Likeness looks it up there.")
            % {"platform": self.platform_name}
        )


def _words(text: str) -> str:
    """What an error says, as one line; nothing if it is not in the platform's form."""
    try:
        content = read_json(text)
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


def rows_of(page: Any, name: str, platform_name: str) -> list[Mapping[str, Any]]:
    """The rows of a list. Raises UnavailableError if it is none."""
    rows = page.get(name) if isinstance(page, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise unreachable(platform_name)
    return rows


def unreachable(platform_name: str) -> UnavailableError:
    """For what was not answered, or not so that it could be read."""
    return UnavailableError(
        _("%(platform)s could not be reached, or its answer could not be read.")
        % {"platform": platform_name}
    )
