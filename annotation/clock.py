"""What time it is: one clock for all that opens, closes, lapses or is dated.

The clock is the server's. `settings.CLOCK` names the function that tells it, so that a test can
let three days pass without waiting for them; no setting of the environment does.
"""

from datetime import UTC, datetime

from django.conf import settings
from django.utils.module_loading import import_string


def now() -> datetime:
    """This moment, with its time zone (UTC)."""
    told: datetime = import_string(settings.CLOCK)()
    # Adding 72 hours to a time of the wall is wrong by one where clocks are put forward or back.
    return told.astimezone(UTC)
