"""Calls to Prolific's API."""

from collections.abc import Iterator, Mapping
from typing import Any

import requests

from annotation.basics.sentences import sentence as _
from annotation.core.platforms.errors import DoubtfulError
from annotation.crowds.platforms import rest
from annotation.crowds.platforms.prolific.environments import Installation
from annotation.crowds.platforms.rest import Answer, Query, RestClient, unreachable
from annotation.crowds.platforms.transport import (
    USER_AGENT,
    BoundedSession,
    TooMuchError,
    read_bounded,
    read_json,
)

PAGE_SIZE = 100
_NAME = "Prolific"


class Client(RestClient):
    """Of one installation, for one piece of work."""

    platform_name = _NAME
    installation: Installation

    def secret_headers(self, token: str) -> dict[str, str]:
        return {"Authorization": f"Token {token}"}

    def pages(self, path: str, **query: str | int) -> Iterator[Mapping[str, Any]]:
        """All rows of a list, to its last page; a page past the end is an end."""
        return self.rows(path, "results", {"page_size": PAGE_SIZE, **query})

    def next_page(self, path: str, query: Query, page: Any) -> tuple[str, Query] | None:
        links = page.get("_links") if isinstance(page, dict) else None
        following = links.get("next") if isinstance(links, dict) else None
        href = following.get("href") if isinstance(following, dict) else None
        return (href, {}) if isinstance(href, str) and href else None


def id_of(answer: Answer) -> str:
    """What was made is called; without that nobody knows what happened."""
    made = answer.body.get("id") if isinstance(answer.body, dict) else None
    # A subscription may come as the only row of a list.
    if made is None and isinstance(answer.body, dict):
        rows = answer.body.get("results")
        if isinstance(rows, list) and len(rows) == 1 and isinstance(rows[0], dict):
            made = rows[0].get("id")
    if not isinstance(made, str) or not made:
        raise DoubtfulError(_("Prolific did not return the id of what it created."))
    return made


def rows_of(page: Any) -> list[Mapping[str, Any]]:
    """The results of a list. Raises UnavailableError if it is none."""
    return rest.rows_of(page, "results", _NAME)


def fetch_public(installation: Installation, url: str, *, seconds: float) -> Any:
    """JSON that needs no token, within so many seconds. Raises UnavailableError."""
    try:
        with (
            BoundedSession(seconds=seconds, is_local=installation.is_local) as session,
            session.get(
                url,
                auth=_no_auth,
                headers={"Accept": "application/json", "User-Agent": USER_AGENT},
                timeout=(seconds / 2, seconds / 2),
                allow_redirects=False,
                stream=True,
            ) as answer,
        ):
            text = read_bounded(answer, most_bytes=256 * 1024)
            session.refuse_if_cut_off()
            if answer.status_code != 200:
                raise unreachable(_NAME)
            return read_json(text)
    except (requests.RequestException, TooMuchError, ValueError) as error:
        raise unreachable(_NAME) from error


def _no_auth(request: requests.PreparedRequest) -> requests.PreparedRequest:
    return request
