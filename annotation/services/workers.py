"""Whether a worker is running: the sweep, which beat sends every few seconds, leaves a mark."""

from datetime import datetime, timedelta

from annotation import clock
from annotation.models import Job, WorkerMark

ABSENT_AFTER = timedelta(seconds=45)


def seen() -> None:
    WorkerMark.objects.update_or_create(pk=1, defaults={"seen_at": clock.now()})


def last_seen() -> datetime | None:
    return WorkerMark.objects.values_list("seen_at", flat=True).first()


def is_running(within: timedelta = ABSENT_AFTER) -> bool:
    """Whether there is a worker: one that is busy with a long job comes to no sweep."""
    since = clock.now() - within
    mark = last_seen()
    if mark is not None and mark > since:
        return True
    return Job.objects.filter(state=Job.State.RUNNING, heartbeat_at__gt=since).exists()
