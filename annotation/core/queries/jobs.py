"""What a job is at, and what a queued one waits for."""

from django.utils.translation import ngettext

from annotation.models import Job


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
            "It waits: this server is at %(n)s other job that may take hours.",
            "It waits: this server is at %(n)s other jobs that may take hours.",
            n_ahead,
        ) % {"n": n_ahead}
    return ngettext(
        "It waits: this server is at %(n)s other short job.",
        "It waits: this server is at %(n)s other short jobs.",
        n_ahead,
    ) % {"n": n_ahead}
