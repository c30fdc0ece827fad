"""What tests do with whole tables: empty them, have the database look at them."""

from collections.abc import Iterable
from typing import Any

from django.db import connection


def delete_rows() -> None:
    """Have PostgreSQL delete the few rows that a test leaves, instead of truncating all tables.

    TRUNCATE makes new files of every table and index, and waits for the disk to have them: half a
    second, after each of two hundred tests. SQLite deletes rows anyway.
    """
    if connection.vendor != "postgresql":
        return
    operations: Any = type(connection.ops)
    truncate = operations.sql_flush

    def sql_flush(
        self: Any,
        style: Any,
        tables: Iterable[str],
        *,
        reset_sequences: bool = False,
        allow_cascade: bool = False,
    ) -> list[str]:
        if reset_sequences:
            sql: list[str] = truncate(
                self, style, tables, reset_sequences=True, allow_cascade=allow_cascade
            )
            return sql
        # In one transaction; foreign keys are looked at when it ends.
        return [f"DELETE FROM {self.quote_name(table)};" for table in tables]

    operations.sql_flush = sql_flush


def analyse() -> None:
    """Have PostgreSQL look at its tables, as it does of itself a minute after they grew.

    Without that it takes them for all but empty, and reads thousands of rows again and again.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
