"""The clock of tests: it stands still until a test moves it. `settings.CLOCK` names `now`."""

from datetime import datetime, timedelta

from django.utils import timezone


class Clock:
    """One for all tests of a process; each test that asks for it finds it set to this moment."""

    def __init__(self) -> None:
        self.time = timezone.now()

    def set(self, time: datetime) -> None:
        self.time = time

    def move(self, **units: float) -> None:
        """Let time pass: `hours=72`."""
        self.time += timedelta(**units)


CLOCK = Clock()


def now() -> datetime:
    return CLOCK.time
