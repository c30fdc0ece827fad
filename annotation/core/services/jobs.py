"""Work in the background: a `Job` row holds it, Celery carries its id, a sweep looks after both.

A lost message, a killed worker or a worker that is slow and taken for dead lose nothing and do
nothing twice: a running job has a token, and only the worker that holds it may store the outcome.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from importlib import import_module
from typing import Any
from uuid import UUID, uuid4

from celery import shared_task
from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, User
from django.db import IntegrityError, OperationalError, connection, transaction
from django.db.models import F, Q, QuerySet

from annotation.basics import clock
from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.full_disk import is_disk_full
from annotation.basics.sentences import Said, ngettext, stored
from annotation.basics.sentences import sentence as _
from annotation.models import Job, Study

logger = logging.getLogger("annotation.jobs")


# Among the parameters of a job that only the command can do which began it.
BY_COMMAND = "by_command"


class LostJobError(Exception):
    """Another worker holds this job now, or nobody; what this one computed is not stored."""


class TooLongError(Exception):
    """The work took longer than the operator allows.

    No AnnotationError: where one of several measures is refused the work goes on, but not here.
    """


# One thread gives messages to the broker, so that no request waits for a broker that is slow,
# frozen or away. A message that gets lost on the way is sent again by the sweep.
sender = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sender of jobs")


class Run:
    """One worker's hold on a job: what the work calls to say how far it is."""

    def __init__(self, job: Job, token: UUID) -> None:
        self.job = job
        self.token = token
        self.until = _until(job)
        # What `note` was told last; the next beat stores it.
        self.noted: dict[str, Any] = {}
        # Found out by a beat.
        self.is_lost = False
        # How often somebody had withdrawn from the study before anything was read.
        self.n_withdrawn = 0

    def progress(self, share: float, message: Said = "") -> None:
        """Say how far the work is. Not inside a transaction: others shall see it.

        Raises LostJobError where the job is not ours any more, such as one that was cancelled, and
        TooLongError if it took longer than it may.
        """
        self.noted = {}
        held = Job.objects.filter(pk=self.job.pk, run_token=self.token).update(
            progress=min(max(share, 0.0), 1.0),
            message=stored(message),
            heartbeat_at=clock.shared_now(),
        )
        if not held:
            raise LostJobError(str(self.job))
        if self.until is not None and clock.now() > self.until:
            raise TooLongError(str(self.job))

    def note(self, share: float, message: Said = "") -> None:
        """Say how far the work is inside a transaction: the heartbeat's connection stores it.

        Raises LostJobError once a beat found that the job is not ours any more.
        """
        if self.is_lost:
            raise LostJobError(str(self.job))
        self.noted = {"progress": min(max(share, 0.0), 1.0), "message": stored(message)}

    def keep(self, *, ends: bool = False) -> None:
        """In the transaction that stores the outcome: make sure the job is still ours.

        `ends`: what is stored is all there is to do. The job is done with it, so that nobody can
        cancel what is there.
        """
        job = Job.objects.select_for_update(no_key=True).filter(pk=self.job.pk).first()
        # A study that is deleted takes its jobs with it.
        if job is None or job.run_token != self.token or job.is_finished:
            raise LostJobError(str(self.job))
        if ends:
            _finish(self.job, self.token, state=Job.State.DONE, progress=1.0)


def _until(job: Job) -> datetime | None:
    """By when the work that begins now must be done; None: there is no limit."""
    if not job.is_long or not settings.JOB_HOURS:
        return None
    return clock.now() + timedelta(hours=settings.JOB_HOURS)


Work = Callable[[Run], None]

# The modules that do the work import this one and fill it. A process that does none needs few.
_work_by_kind: dict[str, Work] = {}


def does(kind: Job.Kind) -> Callable[[Work], Work]:
    """Register the decorated function as the work of all jobs of a kind."""

    def register(work: Work) -> Work:
        if kind in _work_by_kind:
            raise ValueError(f"the work of {kind} is registered twice")
        _work_by_kind[kind] = work
        return work

    return register


def load_work() -> None:
    """Have all kinds of jobs registered."""
    import_module("annotation.site.tasks")


def start(
    *,
    study: Study,
    kind: Job.Kind,
    parameters: dict[str, Any] | None = None,
    by: AbstractBaseUser | None = None,
) -> Job:
    """Queue a job; while one of its kind is unfinished, that one is returned instead.

    Raises StateError where `by` has too many unfinished ones.
    """
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        unfinished = Job.objects.filter(study=study, kind=kind, state__in=Job.UNFINISHED).first()
        if unfinished:
            return unfinished
        if by:
            _refuse_too_many(by)
        job = Job.objects.create(
            study=study,
            kind=kind,
            parameters=parameters or {},
            requested_by_id=by.pk if by else None,
            queued_at=clock.shared_now(),
        )
        transaction.on_commit(lambda: sender.submit(_send, job))
    return job


def seen_by_requester(job: Job) -> QuerySet[Study]:
    """The studies that a job may read: those its researcher sees now; a command sees all."""
    by = job.requested_by
    return Study.objects.seen_by(by) if by else Study.objects.all()


def _refuse_too_many(researcher: AbstractBaseUser) -> None:
    """Raise StateError where a researcher has so many unfinished jobs that others would wait."""
    n = Job.objects.filter(requested_by_id=researcher.pk, state__in=Job.UNFINISHED).count()
    if n >= settings.MAX_UNFINISHED_JOBS:
        raise StateError(
            _(
                "You already have %(n)s unfinished jobs, the maximum. Wait until one "
                "is finished, or cancel one on its page."
            )
            % {"n": n}
        )


def run_here(
    *,
    study: Study,
    kind: Job.Kind,
    parameters: dict[str, Any] | None = None,
    by: AbstractBaseUser | None = None,
    on_start: Callable[[Job], None] | None = None,
    work: "Work | None" = None,
) -> Job:
    """Do the work now, in this process: for commands. One that is interrupted cancels its job.

    `work`: what no worker could do in its place, such as reading a file that only this process
    finds. Raises StateError while another job of this kind is unfinished.
    """
    try:
        with transaction.atomic():
            job = Job.objects.create(
                study=study,
                kind=kind,
                parameters={**(parameters or {}), **({BY_COMMAND: True} if work else {})},
                requested_by_id=by.pk if by else None,
                queued_at=clock.shared_now(),
            )
    except IntegrityError as error:
        raise StateError(_unfinished(study, kind)) from error
    try:
        if on_start:
            on_start(job)
        run(job.pk, work)
    except KeyboardInterrupt:
        # Else a worker would take it for one whose own worker died, and go on with it.
        with suppress(StateError):
            cancel(job=job)
        raise
    job.refresh_from_db()
    return job


def _unfinished(study: Study, kind: Job.Kind) -> Said:
    job = Job.objects.filter(study=study, kind=kind, state__in=Job.UNFINISHED).first()
    return _(
        "Job %(id)s of %(study)s (%(kind)s) is not finished yet. Wait until it is, or cancel it on"
        " its page."
    ) % {"id": str(job.pk) if job else "–", "study": study.slug, "kind": str(kind.label)}


def cancel(*, job: Job, by: User | None = None) -> bool:
    """End a job that is queued or running; what it has kept until now stays. None: a command did.

    Its worker finds out when it next reports its progress. False: somebody else has
    cancelled it already. Raises StateError if it has ended otherwise.
    """
    message = _("Cancelled on the command line.")
    if by is not None:
        message = _("Cancelled by %(name)s.") % {"name": by.get_username()}
    was_unfinished = Job.objects.filter(pk=job.pk, state__in=Job.UNFINISHED).update(
        state=Job.State.CANCELLED,
        finished_at=clock.now(),
        # Nobody holds it.
        run_token=None,
        message=stored(message),
    )
    job.refresh_from_db()
    if job.state != Job.State.CANCELLED:
        raise StateError(_("This ended before you could cancel it."))
    return bool(was_unfinished)


def _send(job: Job) -> None:
    task = run_long_job if job.is_long else run_job
    try:
        task.delay(job.pk)
    except Exception:  # noqa: BLE001 - whatever a broker raises; the sweep sends it again
        logger.warning("job %s could not be sent to the broker; the sweep will", job.pk)


@shared_task
def run_job(job_id: int) -> None:
    run(job_id)


@shared_task
def run_long_job(job_id: int) -> None:
    """The same for what may take hours, from a queue of its own (config/settings.py)."""
    run(job_id)


def run(job_id: int, work: "Work | None" = None) -> None:
    """Do a queued job's work, once, however often its message arrives."""
    token = uuid4()
    now = clock.shared_now()
    taken = Job.objects.filter(pk=job_id, state=Job.State.QUEUED).update(
        state=Job.State.RUNNING,
        run_token=token,
        started_at=now,
        heartbeat_at=now,
        attempts=F("attempts") + 1,
    )
    if not taken:
        return
    job = Job.objects.select_related("study", "requested_by").get(pk=job_id)
    if work is None:
        work = _refuse_command if BY_COMMAND in job.parameters else _work_of(job.kind)
    try:
        hold = Run(job, token)
        with _beating(hold):
            work(hold)
    except LostJobError:
        logger.warning("job %s was cancelled, or taken over by another worker", job_id)
    except TooLongError:
        _finish(job, token, state=Job.State.FAILED, error=stored(_too_long()))
    except AnnotationError as error:
        _finish(job, token, state=Job.State.FAILED, error="\n".join(map(stored, error.said)))
    except Exception as error:
        # The person who waits for it is told, and the log has the traceback.
        _finish(
            job,
            token,
            state=Job.State.FAILED,
            error=stored(DISK_FULL if is_disk_full(error) else _UNFORESEEN),
        )
        logger.exception("job %s failed", job_id)
        raise
    else:
        _finish(job, token, state=Job.State.DONE, progress=1.0)


_UNFORESEEN = _("Something went wrong. The server's log has the details.")
DISK_FULL = _("The server's disk is full. Tell the administrator, and start this again later.")


def _too_long() -> Said:
    return ngettext(
        "It was stopped after %(hours)s hour, the limit set by the administrator "
        "(LIKENESS_JOB_HOURS).",
        "It was stopped after %(hours)s hours, the limit set by the administrator "
        "(LIKENESS_JOB_HOURS).",
        "hours",
    ) % {"hours": settings.JOB_HOURS}


def _finish(job: Job, token: UUID, **columns: Any) -> None:
    Job.objects.filter(pk=job.pk, run_token=token, state=Job.State.RUNNING).update(
        finished_at=clock.shared_now(), **columns
    )


def _work_of(kind: str) -> Work:
    load_work()
    return _work_by_kind[kind]


def _refuse_command(run: Run) -> None:
    """The process that did this died."""
    raise AnnotationError(_("The command was interrupted. Run it again."))


@contextmanager
def _beating(hold: Run) -> Iterator[None]:
    """Renew the heartbeat from a thread while the work goes on."""
    job, token = hold.job, hold.token
    done = threading.Event()

    def beat() -> None:
        try:
            while not done.wait(settings.JOB_HEARTBEAT_SECONDS):
                try:
                    held = Job.objects.filter(pk=job.pk, run_token=token).update(
                        heartbeat_at=clock.shared_now(), **hold.noted
                    )
                    hold.is_lost = not held
                except OperationalError:
                    # The work itself may hold SQLite's one write lock; the next beat will do.
                    logger.info("heartbeat of job %s skipped: the database is busy", job.pk)
        finally:
            connection.close()

    if connection.in_atomic_block:
        # Inside a test's transaction another connection could not see the row.
        yield
        return
    thread = threading.Thread(target=beat, name=f"heartbeat of job {job.pk}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def sweep() -> int:
    """Send again what was queued and lost, and what a dead worker left; return how many."""
    now = clock.shared_now()
    dead_since = now - timedelta(seconds=settings.JOB_DEAD_AFTER_SECONDS)
    # The clock was put back since these were written. Who lives renews the heartbeat at once; who
    # is dead is found by it, as late as any other.
    Job.objects.filter(state=Job.State.RUNNING, heartbeat_at__gt=now).update(heartbeat_at=now)
    Job.objects.filter(state=Job.State.QUEUED, queued_at__gt=now).update(queued_at=now)
    dead = Q(state=Job.State.RUNNING, heartbeat_at__lt=dead_since)
    Job.objects.filter(dead, attempts__gte=settings.JOB_MAX_ATTEMPTS).update(
        state=Job.State.FAILED,
        finished_at=now,
        error=stored(
            _(
                "This job crashed the worker %(n)s times. The server's log may show "
                "why. Start the job again when you have fixed the cause."
            )
            % {"n": settings.JOB_MAX_ATTEMPTS}
        ),
    )
    Job.objects.filter(dead).update(
        state=Job.State.QUEUED, run_token=None, queued_at=None, progress=0.0
    )
    lost = Job.objects.filter(state=Job.State.QUEUED).filter(
        Q(queued_at=None) | Q(queued_at__lt=dead_since)
    )
    to_send = list(lost)
    # Marked before they are sent, so that the next sweep does not send them again at once.
    Job.objects.filter(pk__in=[job.pk for job in to_send]).update(queued_at=now)
    for job in to_send:
        _send(job)
    return len(to_send)
