"""Whether a worker is running: the sweep, which beat sends every few seconds, leaves a mark."""

from datetime import datetime, timedelta

from annotation import clock
from annotation.models import Job, WorkerMark

ABSENT_AFTER = timedelta(seconds=45)


def seen() -> None:
    WorkerMark.objects.update_or_create(pk=1, defaults={"seen_at": clock.shared_now()})


def last_seen() -> datetime | None:
    return WorkerMark.objects.values_list("seen_at", flat=True).first()


def is_running(within: timedelta = ABSENT_AFTER) -> bool:
    """Whether there is a worker: one that is busy with a long job comes to no sweep.

    A mark from the future was left by a clock that was wrong, and says nothing about now.
    """
    now = clock.shared_now()
    recent = now - within, now + clock.MAX_DIFFERENCE
    return (
        WorkerMark.objects.filter(seen_at__range=recent).exists()
        or Job.objects.filter(state=Job.State.RUNNING, heartbeat_at__range=recent).exists()
    )
