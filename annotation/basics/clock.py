"""What time it is: one clock for all that opens, closes, lapses or is dated.

The clock is the server's. `settings.CLOCK` names the function that tells it, so that a test can
let three days pass without waiting for them; no setting of the environment does.
"""

from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.db import connection
from django.utils.module_loading import import_string

_HOST_CLOCK = "django.utils.timezone.now"
# The clocks of two hosts may differ by so much. A stored time that is further ahead was written
# by a clock that was wrong.
MAX_DIFFERENCE = timedelta(minutes=1)


def now() -> datetime:
    """This moment, with its time zone (UTC)."""
    moment: datetime = import_string(settings.CLOCK)()
    # Adding 72 hours to a time of the wall is wrong by one where clocks are put forward or back.
    return moment.astimezone(UTC)


def shared_now() -> datetime:
    """This moment by the database's clock, for marks that one host writes and another compares.

    SQLite has no clock of its own, and an injected clock is the same for everybody.
    """
    if settings.CLOCK != _HOST_CLOCK or connection.vendor != "postgresql":
        return now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        shared: datetime = cursor.fetchone()[0]
    return shared.astimezone(UTC)


def latest() -> datetime:
    """The latest time that a host whose clock is right may have written until now."""
    return shared_now() + MAX_DIFFERENCE
