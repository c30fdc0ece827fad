"""What was deleted from SQLite stands in its write-ahead log until that is written back."""

from django.db import connection


def empty() -> None:
    """Write the log back and empty it; elsewhere than on SQLite there is nothing to do."""
    if connection.vendor == "sqlite" and not connection.in_atomic_block:
        with connection.cursor() as cursor:
            # Most of it is written back while others go on; emptying it keeps them waiting.
            cursor.execute("PRAGMA wal_checkpoint(PASSIVE)")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
