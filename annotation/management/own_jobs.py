"""Helpers for commands that run a job themselves: progress, and Ctrl-C, which cancels it."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import Said
from annotation.core.services import jobs
from annotation.management.progress import ProgressLine
from annotation.models import Job, Study

Imported = TypeVar("Imported")
Progress = Callable[[float, Said], None]

# SIGINT too: a process that a script starts in the background ignores it until told otherwise.
SIGNALS = (signal.SIGINT, signal.SIGTERM)


def page_of(job: Job) -> str:
    """Address of a job's page; only its path where the operator has not said where we are."""
    return settings.PUBLIC_URL + reverse("admin:annotation_study_job", args=[job.study_id, job.pk])


@contextmanager
def own_job(command: BaseCommand) -> Iterator[Callable[[Job], None]]:
    """Say where the job is that begins here, and end with it when the command is interrupted.

    What is yielded is `on_start` of `jobs.run_here`, which cancels the job. A refusal is the
    command's; an interrupted command ends with 130, a terminated one with 143, as a shell has it.
    """
    started: list[Job] = []
    received: list[int] = []

    def on_start(job: Job) -> None:
        started.append(job)
        command.stderr.write(
            f"Job {job.pk} ({job.what}): {page_of(job)} – Ctrl-C cancels it.", style_func=str
        )

    def interrupt(number: int, frame: FrameType | None) -> None:
        # A second one must not cut off the cancelling.
        for each in SIGNALS:
            signal.signal(each, signal.SIG_IGN)
        received.append(number)
        raise KeyboardInterrupt

    # Python lets only the main thread set what a signal does.
    is_main = threading.current_thread() is threading.main_thread()
    before = {each: signal.signal(each, interrupt) for each in SIGNALS} if is_main else {}
    try:
        yield on_start
    except AnnotationError as error:
        raise CommandError(error.message) from error
    except KeyboardInterrupt as error:
        raise CommandError(
            _end_of(started), returncode=128 + (received[0] if received else signal.SIGINT)
        ) from error
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def import_here(
    command: BaseCommand, study: Study, work: Callable[[jobs.Run, Progress], Imported]
) -> Imported:
    """Import a file that only this process may find, and show how far it is; what `work` says.

    Raises CommandError where it is refused, with every problem of the file.
    """
    line = ProgressLine(command.stderr)
    imported: list[Imported] = []
    refusals: list[AnnotationError] = []

    def run_work(run: jobs.Run) -> None:
        def progress(share: float, message: Said) -> None:
            run.progress(share, message)
            line.show(share, message)

        try:
            imported.append(work(run, progress))
        except AnnotationError as error:
            refusals.append(error)
            raise
        finally:
            line.end()

    with own_job(command) as on_start:
        job = jobs.run_here(
            study=study, kind=Job.Kind.IMPORT_ITEMS, on_start=on_start, work=run_work
        )
    if refusals:
        raise CommandError(refusals[0].message) from refusals[0]
    if not imported:
        raise CommandError("\n".join(job.problems) or job.said)
    return imported[0]


def _end_of(started: list[Job]) -> str:
    if not started:
        return "Interrupted before the job started."
    job = started[-1]
    job.refresh_from_db()
    return f"Interrupted. Job {job.pk} ({job.what}): {job.get_state_display()}."
