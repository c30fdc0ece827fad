"""The time at which a paper's people answer: weeks ago, and three days after their first phase."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from django.test.utils import override_settings
from django.utils import timezone

_moment: datetime | None = None


def now() -> datetime:
    return _moment or timezone.now()


def move_to(moment: datetime) -> None:
    """Inside `moved_clock`: let the server's clock say this."""
    global _moment  # noqa: PLW0603 - there is one clock, as in the application
    _moment = moment


@contextmanager
def moved_clock(moment: datetime) -> Iterator[None]:
    """Let the server's clock say this moment, until it is moved on."""
    global _moment  # noqa: PLW0603
    with override_settings(CLOCK=f"{__name__}.now"):
        _moment = moment
        try:
            yield
        finally:
            _moment = None
