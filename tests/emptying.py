"""How tables are emptied after a test whose transactions are real ones."""

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
