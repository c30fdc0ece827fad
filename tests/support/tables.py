"""What tests do with whole tables: empty them, have the database look at them."""

from collections.abc import Iterable
from typing import Any

from django.core.management.commands import flush
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

# What Django writes when it migrates, and would write anew after each test; no test changes it.
_KEPT = {"django_content_type", "auth_permission"}


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
