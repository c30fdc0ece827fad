"""Whether the workers run: tasks that beat sends to each queue leave a mark of it."""

from datetime import datetime, timedelta

from annotation.basics import clock
from annotation.models import Job, WorkerMark

# The sweep comes to the queue of short jobs every few seconds.
ABSENT_AFTER = timedelta(seconds=45)
# The mark of the queue of long jobs is renewed every half minute.
LONG_ABSENT_AFTER = timedelta(minutes=2)
# A server that has just started has no mark of its long worker yet.
LONG_JOB_PATIENCE = timedelta(minutes=1)

# The rows of the marks, one for each queue.
SHORT, LONG = 1, 2


def seen(mark: int = SHORT) -> None:
    WorkerMark.objects.update_or_create(pk=mark, defaults={"seen_at": clock.shared_now()})


def last_seen(mark: int = SHORT) -> datetime | None:
    return WorkerMark.objects.filter(pk=mark).values_list("seen_at", flat=True).first()


def is_running(within: timedelta = ABSENT_AFTER) -> bool:
    """Whether there is a worker: one that is busy with a long job comes to no sweep."""
    recent = _recent(within)
    return (
        WorkerMark.objects.filter(pk=SHORT, seen_at__range=recent).exists()
        or Job.objects.filter(state=Job.State.RUNNING, heartbeat_at__range=recent).exists()
    )


def is_long_running(within: timedelta = LONG_ABSENT_AFTER) -> bool:
    """Whether there is a worker for what may take hours.

    One that is busy leaves no mark, but renews the heartbeat of its job. A job that has just ended
    counts, too, because the next mark is still to come.
    """
    recent = _recent(within)
    if WorkerMark.objects.filter(pk=LONG, seen_at__range=recent).exists():
        return True
    return any(job.is_long for job in Job.objects.filter(heartbeat_at__range=recent))


def lacks_long_worker(job: Job) -> bool:
    """Whether a job has waited for long enough to say that no worker will begin it."""
    if not job.is_long or job.state != Job.State.QUEUED:
        return False
    return clock.shared_now() - job.created_at > LONG_JOB_PATIENCE and not is_long_running()


def _recent(within: timedelta) -> tuple[datetime, datetime]:
    """When a sign of life must have come.

    One from the future was left by a clock that was wrong, and says nothing about now.
    """
    now = clock.shared_now()
    return now - within, now + clock.MAX_DIFFERENCE
