"""Many rows in short transactions: other writers wait for one of them, not for all.

SQLite has one write lock. A waiting writer looks again after up to a tenth of a second, so
there is a pause of that length between two transactions; without it others would never get in.
"""

import gc
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import islice
from typing import Protocol, TypeVar

from django.db import connection, models

from annotation.core.services.many_rows import delete_rows

# How long one transaction shall take; how many rows that is depends on the machine.
TARGET_SECONDS = 0.15
PAUSE_SECONDS = 0.1
# Short ones follow one another without a pause, until they have taken so long together.
SECONDS_WITHOUT_PAUSE = 0.05
MIN_ROWS, FIRST_ROWS, MAX_ROWS = 50, 500, 5000

M = TypeVar("M", bound=models.Model)
T = TypeVar("T")


def let_others_in(pause: Callable[[float], None] = time.sleep) -> None:
    """Between two transactions that follow one another."""
    if connection.vendor == "sqlite" and not connection.in_atomic_block:
        pause(PAUSE_SECONDS)


class Insert(Protocol):
    """Store many rows; they come back with their keys."""

    def __call__(self, model: type[M], rows: Iterable[M]) -> list[M]: ...


class Rows(Protocol):
    """Where the rows of something large are stored."""

    def insert(self, model: type[M], rows: Iterable[M]) -> list[M]:
        """They come back with their keys."""
        ...

    def add(self, model: type[M], rows: Iterable[M]) -> None:
        """Nobody needs their keys."""
        ...


class BoundedWrites:
    """Inserts and deletes in transactions of about equal length.

    `transaction` begins one, and makes sure that it may still be written; `on_rows` is told after
    each, outside of it, how many rows were written or deleted.
    """

    def __init__(
        self,
        transaction: Callable[[], AbstractContextManager[object]],
        on_rows: Callable[[int], None] = lambda n: None,
        *,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._transaction = transaction
        self._on_rows = on_rows
        self._clock = clock
        self._pause = pause
        self._n_rows = FIRST_ROWS
        self._seconds_since_pause = 0.0

    def insert(self, model: type[M], rows: Iterable[M]) -> list[M]:
        made: list[M] = []

        def write(batch: list[M]) -> None:
            made.extend(model._default_manager.bulk_create(batch))

        self.in_batches(rows, write)
        return made

    def in_batches(self, rows: Iterable[T], write: Callable[[list[T]], object]) -> None:
        """Call `write` with some of the rows at a time, each time in a transaction."""
        # Rows of another kind may take longer than those before.
        self._n_rows = min(self._n_rows, FIRST_ROWS)
        iterator = iter(rows)
        while batch := list(islice(iterator, self._n_rows)):
            with self._timed():
                write(batch)
            self._on_rows(len(batch))

    def delete(self, rows: "models.QuerySet[M]") -> None:
        """Rows that no other row refers to: if one did, the database would refuse."""
        while True:
            pks = list(rows.order_by("pk").values_list("pk", flat=True)[: self._n_rows])
            if not pks:
                return
            with self._timed():
                delete_rows(rows.model, pks)
            self._on_rows(len(pks))

    def let_others_in(self) -> None:
        """The same, where those since the last pause took long enough."""
        if self._seconds_since_pause > SECONDS_WITHOUT_PAUSE:
            let_others_in(self._pause)
            self._seconds_since_pause = 0.0

    @contextmanager
    def _timed(self) -> Iterator[None]:
        """One transaction, after which the next one has as many rows as take the target time."""
        self.let_others_in()
        with _without_collecting(), self._transaction():
            # Waiting for the lock is not counted.
            began = self._clock()
            yield
        seconds = max(self._clock() - began, 0.001)
        self._seconds_since_pause += seconds
        fitting = int(self._n_rows * TARGET_SECONDS / seconds)
        self._n_rows = min(max(fitting, self._n_rows // 4, MIN_ROWS), 2 * self._n_rows, MAX_ROWS)


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Collect garbage afterwards: of many rows in memory that takes more than a second."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
