"""Starting a job once more that failed or was cancelled, from what it was told the first time."""

from collections.abc import Callable

from django.contrib.auth.models import User

from annotation.basics.errors import StateError
from annotation.basics.sentences import sentence as _
from annotation.core.services import jobs
from annotation.models import Job

# Queues the same work for somebody; raises where it did not fail, or cannot be done any more.
Repeat = Callable[[Job, User], Job]

# The modules that do the work fill it. Kinds that need a form or a file are not among them.
_repeat_by_kind: dict[str, Repeat] = {}


def repeats(kind: Job.Kind) -> Callable[[Repeat], Repeat]:
    """Register the decorated function as what queues a job of a kind once more."""

    def register(repeat: Repeat) -> Repeat:
        if kind in _repeat_by_kind:
            raise ValueError(f"the repetition of {kind} is registered twice")
        _repeat_by_kind[kind] = repeat
        return repeat

    return register


def kinds() -> list[str]:
    """The kinds whose jobs can be started once more."""
    jobs.load_work()
    return list(_repeat_by_kind)


def repeat(job: Job, by: User) -> Job:
    """Queue the work of a job once more; raises StateError if that is refused."""
    jobs.load_work()
    return _repeat_by_kind[job.kind](job, by)


def refuse_unless_ended_early(job: Job) -> None:
    """Raise StateError for a job that neither failed nor was cancelled."""
    if not job.has_ended_early:
        raise StateError(_("This job did not fail, so it is not started again."))
