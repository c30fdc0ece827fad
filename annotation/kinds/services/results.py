"""Storing a result: its rows in short transactions, all of them there once its job is done."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from annotation.core.services import jobs
from annotation.core.services.job_rows import JobRows, forget_half_stored
from annotation.models import Annotator, AnnotatorStatistics, ItemScore, Job, Result

_ROWS = ((ItemScore, "result"), (AnnotatorStatistics, "result"))


@contextmanager
def storing(run: jobs.Run, result: Result) -> Iterator[JobRows]:
    """Store a result with the rows that are written meanwhile; the job is done with that."""
    # A worker may have been killed over the same result.
    forget_half_stored(Result._base_manager.filter(job=run.job), *_ROWS)
    rows = JobRows(run)
    rows.insert(Result, [result])
    yield rows
    rows.end()


def add_people(rows: JobRows, statistics: Iterable[AnnotatorStatistics]) -> None:
    """Of all but those who have withdrawn since their answers were read."""

    def write(batch: list[AnnotatorStatistics]) -> None:
        # Locked: somebody who withdraws now finds these rows, and deletes them.
        here = set(
            Annotator.objects.select_for_update(no_key=True)
            .filter(pk__in=[one.annotator_id for one in batch], withdrawn_at=None)
            .order_by("pk")
            .values_list("pk", flat=True)
        )
        AnnotatorStatistics.objects.bulk_create(one for one in batch if one.annotator_id in here)

    rows.in_batches(statistics, write)


def forget_abandoned() -> None:
    """Delete what jobs have left that failed, were cancelled or killed over it."""
    ended = (Job.State.FAILED, Job.State.CANCELLED)
    forget_half_stored(Result._base_manager.filter(job__state__in=ended), *_ROWS)
