"""What a job is at, and what a queued one waits for."""

from django.utils.translation import ngettext

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.models import Job

# With the name of the owner.
_NOT_TOLD = _(
    "The reason may name people who took part. Only the owner, %(owner)s, and the "
    "editors can read it here."
)


def who_is_told(job: Job) -> Said:
    """Who can see why a job failed, for a reader of its study."""
    return _NOT_TOLD % {"owner": job.study.owner.get_username()}


def message_of(job: Job) -> str:
    """What the work is at, or how much of the server's other work it waits for."""
    if job.state != Job.State.QUEUED:
        return job.said
    running = Job.objects.filter(state=Job.State.RUNNING).exclude(pk=job.pk)
    n_ahead = sum(other.is_long == job.is_long for other in running)
    if not n_ahead:
        return job.said
    if job.is_long:
        # Which ones is not said: they may be of studies that the reader may not see.
        return ngettext(
            "Waiting: this server is running %(n)s other job that may take hours.",
            "Waiting: this server is running %(n)s other jobs that may take hours.",
            n_ahead,
        ) % {"n": n_ahead}
    return ngettext(
        "Waiting: this server is running %(n)s other short job.",
        "Waiting: this server is running %(n)s other short jobs.",
        n_ahead,
    ) % {"n": n_ahead}
