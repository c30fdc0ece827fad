"""Calls to Connect's API."""

from collections.abc import Iterator, Mapping
from typing import Any

from annotation.crowds.platforms.rest import Query, RestClient

# "The default size is 10 and the max size is 100."
PAGE_SIZE = 100


class Client(RestClient):
    """Of one installation, for one piece of work."""

    platform_name = "CloudResearch Connect"

    def secret_headers(self, token: str) -> dict[str, str]:
        return {"X-API-KEY": token}

    def rows_of(self, page: Any, name: str) -> list[Mapping[str, Any]]:
        # Null is documented, and stands for none; that the list is missing is not.
        is_empty = isinstance(page, dict) and name in page and page[name] is None
        return [] if is_empty else super().rows_of(page, name)

    def projects(self, status: str) -> Iterator[Mapping[str, Any]]:
        """All projects in a state, the newest first."""
        return self.rows("project", "projects", {"Status": status, "Size": PAGE_SIZE})

    def next_page(self, path: str, query: Query, page: Any) -> tuple[str, Query] | None:
        token = page.get("nextToken") if isinstance(page, dict) else None
        return (path, {**query, "NextToken": token}) if isinstance(token, str) and token else None


def idempotency(token: str) -> dict[str, str]:
    """The header by which a second request for the same thing is refused, for 24 hours."""
    return {"IDEMPOTENCY-TOKEN": token}
