"""Many rows that a job stores in short transactions, in each of which it is still its own.

They count once the job is done, which the last transaction says: see `models.WhenDoneManager` for
results and releases, `filling` for drafts.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from operator import attrgetter
from typing import Any

from django.db import models, transaction

from annotation.core.services import jobs
from annotation.core.services.bounded_writes import BoundedWrites, M, T
from annotation.core.services.many_rows import RowWriter, reserve_keys
from annotation.models import Job


class JobRows:
    """What writes them; without a `run`, in the caller's transaction."""

    def __init__(
        self, run: jobs.Run | None, on_rows: Callable[[int], None] = lambda n: None
    ) -> None:
        self.run = run
        # In one transaction nobody could be told: on SQLite it holds the one write lock.
        self._writes = BoundedWrites(self.held, on_rows if run else lambda n: None)

    @contextmanager
    def held(self, *, ends: bool = False) -> Iterator[Any]:
        """A transaction in which the job is still ours; with `ends` the last one."""
        if self.run is None:
            yield
            return
        with transaction.atomic():
            self.run.keep(ends=ends)
            yield

    def let_others_in(self) -> None:
        self._writes.let_others_in()

    def end(self) -> None:
        """All rows are there: the job is done."""
        self.let_others_in()
        with self.held(ends=True):
            return

    def insert(self, model: type[M], rows: Iterable[M]) -> list[M]:
        """They come back with their keys."""
        return self._writes.insert(model, rows)

    def keys(self, model: type[M], rows: Iterable[M]) -> list[int]:
        """The same where no more is kept of them than their primary keys, in their order."""
        made: list[int] = []

        def write(batch: list[M]) -> None:
            made.extend(row.pk for row in model._default_manager.bulk_create(batch))

        self._writes.in_batches(rows, write)
        return made

    def add(self, model: type[M], rows: Iterable[M]) -> None:
        """The same for rows that nobody needs, which are made one by one and let go."""
        names = [field.attname for field in model._meta.concrete_fields if not field.primary_key]
        values = attrgetter(*names)
        self.write(RowWriter(model, names), (values(row) for row in rows))

    def reserve_keys(self, model: type[models.Model], n: int) -> Sequence[int]:
        """Primary keys for rows that are written later."""
        with self.held():
            return reserve_keys(model, n)

    def write(self, writer: RowWriter, rows: Iterable[tuple[object, ...]]) -> None:
        self._writes.in_batches(rows, writer.write)

    def in_batches(self, rows: Iterable[T], write: Callable[[list[T]], object]) -> None:
        self._writes.in_batches(rows, write)

    def note(self, **parameters: object) -> None:
        """Write something beside what the job was told; where there is no job, nothing."""
        if self.run is not None:
            job = self.run.job
            Job.objects.filter(pk=job.pk).update(parameters={**job.parameters, **parameters})


def forget_half_stored(
    half_stored: "models.QuerySet[M]", *of_each: tuple[type[models.Model], str]
) -> None:
    """Delete what jobs have left that were not done, first the rows that name it."""
    pks = list(half_stored.values_list("pk", flat=True))
    if not pks:
        return
    writes = BoundedWrites(transaction.atomic)
    for model, name in of_each:
        writes.delete(model._base_manager.filter(**{f"{name}__in": pks}))
    writes.delete(half_stored.model._base_manager.filter(pk__in=pks))
