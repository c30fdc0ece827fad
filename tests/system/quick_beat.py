"""Settings of a server whose worker looks more often for what is to be done.

Nothing else differs. Whoever waits for an intent to be sent, or for the job of a dead worker to be
taken up, would wait five seconds each time, and a dozen times.
"""

import gc

from config.settings import *  # noqa: F403 - everything else is as it always is
from config.settings import CELERY_BEAT_SCHEDULE as _USUAL

CELERY_BEAT_SCHEDULE = {
    **_USUAL,
    **{name: {**_USUAL[name], "schedule": 0.5} for name in ("sweep jobs", "send intents")},
}
JOB_HEARTBEAT_SECONDS = 1

# As in tests/conftest.py: to look for garbage while a process loads its modules takes a sixth of
# the time of its start, and most of these tests start several.
gc.set_threshold(20_000, 20, 20)
