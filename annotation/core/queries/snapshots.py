"""Reading everything as it was at one moment."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def snapshot() -> Iterator[None]:
    """Read everything as it was at one moment, and let everybody else go on writing.

    Inside a transaction, such as a test's, that transaction is the moment.
    """
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "sqlite":
        connection.ensure_connection()
        # Our transactions take the write lock when they begin. One that only reads must not: in
        # WAL mode it keeps seeing the database as it was at its first read.
        usual = connection.transaction_mode  # type: ignore[attr-defined]
        connection.transaction_mode = "DEFERRED"  # type: ignore[attr-defined]
        try:
            with transaction.atomic():
                connection.transaction_mode = usual  # type: ignore[attr-defined]
                yield
        finally:
            connection.transaction_mode = usual  # type: ignore[attr-defined]
    else:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
