"""What tests do with whole tables: empty them, have the database look at them."""

from collections.abc import Iterable
from typing import Any

from django.core.management.commands import flush
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

# What Django writes when it migrates, and would write anew after each test; no test changes it.
_KEPT = {"django_content_type", "auth_permission"}
_MAX_BYTES_OF_DEAD_ROWS = 512 * 1024


def delete_rows() -> None:
    """Have the few rows that a test leaves deleted, instead of all tables made anew.

    TRUNCATE makes new files of every table and index, and waits for the disk to have them: half a
    second, after each of two hundred tests. SQLite deletes rows anyway.
    """
    flush.emit_post_migrate_signal = lambda *_arguments, **_options: None
    operations: Any = type(connection.ops)
    by_django = operations.sql_flush

    def sql_flush(
        self: Any,
        style: Any,
        tables: Iterable[str],
        *,
        reset_sequences: bool = False,
        allow_cascade: bool = False,
    ) -> list[str]:
        tables = [table for table in tables if table not in _KEPT]
        if reset_sequences or connection.vendor != "postgresql":
            sql: list[str] = by_django(
                self, style, tables, reset_sequences=reset_sequences, allow_cascade=allow_cascade
            )
            return sql
        # In one transaction; foreign keys are looked at when it ends. At once: each would be asked
        # for, and waited for, alone.
        return [" ".join(f"DELETE FROM {self.quote_name(table)};" for table in tables)]

    operations.sql_flush = sql_flush


def make_at_once() -> None:
    """Have the tables of tests made as the models say, which takes a tenth of the time.

    tests/system runs the migrations, on both databases; `make check` compares them with the
    models.
    """
    connection.settings_dict["TEST"]["MIGRATE"] = False


def call_migrated() -> None:
    """Note in such a database that its migrations have been applied."""
    recorder = MigrationRecorder(connection)
    recorder.ensure_schema()
    recorder.migration_qs.bulk_create(
        recorder.Migration(app=app, name=name)
        for app, name in MigrationLoader(None).disk_migrations
    )


def keep_statistics_away() -> None:
    """Let PostgreSQL take tables for as large as they are, not for as empty as it once saw them.

    Each test's rows are gone when it ends. A table that PostgreSQL looks at between two tests is
    empty to its planner from then on, and plans for empty tables take seconds with the rows of the
    next test. Of tables that it has never looked at it expects as many rows as their pages hold.
    """
    if connection.vendor == "postgresql":
        tables = connection.introspection.table_names()
        with connection.cursor() as cursor:
            cursor.execute(
                " ".join(
                    f"ALTER TABLE {connection.ops.quote_name(table)}"
                    " SET (autovacuum_enabled = off);"
                    for table in tables
                )
            )


def drop_dead_rows() -> None:
    """Have the pages of rows that are gone given back, of tables that have become large by them.

    The planner counts pages. Outside a transaction; tables that are empty have no pages then.
    """
    if connection.vendor != "postgresql" or connection.connection is None:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND pg_relation_size(oid) > %s"
            " AND relnamespace = 'public'::regnamespace",
            [_MAX_BYTES_OF_DEAD_ROWS],
        )
        large = [connection.ops.quote_name(table) for (table,) in cursor.fetchall()]
        if large:
            cursor.execute(f"VACUUM {', '.join(large)}")


def wait_for_no_disk() -> None:
    """No power cut is survived in a test's database."""
    if connection.vendor == "postgresql":
        options = connection.settings_dict.setdefault("OPTIONS", {})
        options["options"] = f"{options.get('options', '')} -c synchronous_commit=off".strip()


def analyse() -> None:
    """Have PostgreSQL look at its tables, as it does of itself a minute after they grew.

    Without that it takes them for all but empty, and reads thousands of rows again and again.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
