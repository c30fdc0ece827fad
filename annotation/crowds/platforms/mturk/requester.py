"""The requester API as the rest sees it: asked once, read to the last page, errors told apart."""

import logging
from collections.abc import Iterator
from datetime import datetime
from time import monotonic
from typing import Any

from annotation.core.platforms.errors import (
    MAX_LISTS_SECONDS,
    DoubtfulError,
    RefusedError,
    TooLongError,
)
from annotation.crowds.platforms.mturk import errors as mturk_errors
from annotation.crowds.platforms.mturk.environments import Credentials

Answer = dict[str, Any]
_PAGE = 100
# An endless list is a fault of the service; a real one has not as many pages.
_MAX_PAGES = 10_000
_JSON = "application/x-amz-json"


class Requester:
    """One environment's client with its credentials."""

    def __init__(self, client: Any, credentials: Credentials) -> None:
        self._client = client
        self._credentials = credentials
        self._lists_until = monotonic() + MAX_LISTS_SECONDS

    def ask(self, operation: str, **values: Any) -> Answer:
        """One attempt. Raises RefusedError, UnavailableError or DoubtfulError."""
        # Only here: what no listing needs is not loaded with every page.
        from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415

        try:
            answer: Answer = getattr(self._client, operation)(**values)
        except (BotoCoreError, ClientError) as error:
            # Not chained: the client's errors hold whole requests and answers.
            raise mturk_errors.of_exception(error, self._credentials) from None
        content_type = (
            answer.pop("ResponseMetadata", {}).get("HTTPHeaders", {}).get("content-type", "")
        )
        # botocore takes a page that some machine between has put in place for an empty answer.
        if not content_type.startswith(_JSON):
            raise mturk_errors.unclear(f"content type {content_type!r}"[:200])
        return answer

    def look(self, operation: str, **values: Any) -> Answer:
        """Ask for something that changes nothing there: at worst it can be asked again.

        Raises UnavailableError; and MissingError or StateError as the platform says so.
        """
        try:
            return self.ask(operation, **values)
        except (mturk_errors.MissingError, mturk_errors.StateError):
            raise
        except (RefusedError, DoubtfulError) as error:
            raise mturk_errors.cannot_ask(error) from error

    def pages(self, operation: str, key: str, **values: Any) -> Iterator[Answer]:
        """Every row of a list, whatever the size of its pages. Raises like `look`."""
        for _page in range(_MAX_PAGES):
            if monotonic() > self._lists_until:
                raise TooLongError
            answer = self.look(operation, MaxResults=_PAGE, **values)
            if key not in answer and answer.get("NumResults") != 0:
                raise mturk_errors.cannot_ask(mturk_errors.unclear(f"{operation}: no {key}"))
            yield from answer.get(key, [])
            token = answer.get("NextToken")
            if not token:
                return
            if token == values.get("NextToken"):
                raise mturk_errors.cannot_ask(mturk_errors.unclear(f"{operation}: a page twice"))
            values["NextToken"] = token
        raise mturk_errors.cannot_ask(mturk_errors.unclear(f"{operation}: too many pages"))


def part(answer: Answer, *keys: str) -> Any:
    """What must be in a whole answer. Raises DoubtfulError if it was cut off."""
    value: Any = answer
    for key in keys:
        if not isinstance(value, dict) or key not in value:
            raise mturk_errors.unclear(f"no {'.'.join(keys)}")
        value = value[key]
    return value


def plain(value: Any) -> Any:
    """As JSON keeps it."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value.isoformat() if isinstance(value, datetime) else value


class NothingBelowWarnings(logging.Filter):
    """At DEBUG botocore writes whole headers, and with them the id of the key."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno >= logging.WARNING


def hush() -> None:
    """Keep what the client's libraries write below warnings out of every log.

    Each logger has it, since a filter is not asked for what comes from below.
    """
    quiet = NothingBelowWarnings()
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] in {"boto3", "botocore", "urllib3", "s3transfer"}:
            logger = logging.getLogger(name)
            if not any(isinstance(filter, NothingBelowWarnings) for filter in logger.filters):
                logger.addFilter(quiet)
