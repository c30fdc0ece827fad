"""The access log: one line for each request, without anybody's key.

ACCESS_LOG=1 writes it to the process's own log, without addresses. With
ACCESS_LOG_ADDRESS_DAYS the lines go to a file a day in the data folder instead, with the network
address that each request came from, and a file is deleted after so many days.
"""

import logging
import os
import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from annotation.core.pages.addresses import client_address
from config.logs import masked

logger = logging.getLogger("likeness.access")
_NAME = "access-%Y-%m-%d.log"


class AccessLog:
    """Middleware, outermost."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        began = time.monotonic()
        response = self.get_response(request)
        if settings.ACCESS_LOG or settings.ACCESS_LOG_ADDRESS_DAYS:
            _write(request, response.status_code, time.monotonic() - began)
        return response


def _write(request: HttpRequest, status: int, seconds: float) -> None:
    # Without what follows a question mark: launches carry people's ids there. Control characters
    # of a decoded path would begin lines of their own.
    path = masked(request.path).encode("unicode_escape").decode()
    line = f"{request.method} {path} {status} {seconds:.3f}"
    if not settings.ACCESS_LOG_ADDRESS_DAYS:
        logger.info(line)
        return
    now = datetime.now(UTC)
    text = f"{now:%Y-%m-%dT%H:%M:%SZ} {client_address(request)[:64]} {line}\n"
    try:
        folder().mkdir(mode=0o700, exist_ok=True)
        # All processes append to one file: a short line is written at once.
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        descriptor = os.open(folder() / f"{now:{_NAME}}", flags, 0o600)
        try:
            os.write(descriptor, text.encode(errors="replace"))
        finally:
            os.close(descriptor)
    except OSError as error:
        # A full disk is no reason to answer nobody.
        logger.error("the access log cannot be written: %s", error.strerror)


def forget_old() -> None:
    """Delete the files of more than so many days ago; without addresses, all of them."""
    if not folder().is_dir():
        return
    first_kept = datetime.now(UTC).date() - timedelta(days=settings.ACCESS_LOG_ADDRESS_DAYS)
    for path in folder().glob("access-*.log"):
        day = _day(path)
        if day is not None and (day < first_kept or not settings.ACCESS_LOG_ADDRESS_DAYS):
            path.unlink(missing_ok=True)


def folder() -> Path:
    return Path(settings.DATA) / "access"


def _day(path: Path) -> date | None:
    try:
        return datetime.strptime(path.name, _NAME).replace(tzinfo=UTC).date()
    except ValueError:
        return None
