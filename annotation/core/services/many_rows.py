"""Storing a million rows: their keys are known before, and no object is made for any of them."""

from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain, islice
from typing import Any

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection, connections, models
from django.utils import timezone

_BATCH = 2000
# Kibibytes. With SQLite's own 2 MiB the indexes of large tables are read again and again.
_SQLITE_CACHE = 65_536
# Their values are written as they are; the others the database's backend prepares.
_PLAIN = (
    models.CharField,
    models.TextField,
    models.BooleanField,
    models.IntegerField,
    models.FloatField,
)


def reserve_keys(model: type[models.Model], n: int) -> Sequence[int]:
    """Primary keys that nobody else gets, also after the transaction that reserves them."""
    if not n:
        return ()
    table = model._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)",
                [connection.ops.quote_name(table), n],
            )
            return _packed(key for (key,) in cursor)
        # A sequence has a row from the first key on. An immediate transaction writes alone.
        cursor.execute("UPDATE sqlite_sequence SET seq = seq + %s WHERE name = %s", [n, table])
        if not cursor.rowcount:
            cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [table, n])
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
        (last,) = cursor.fetchone()
    first = last - n + 1
    return range(first, first + n)


def _packed(keys: Iterable[int]) -> Sequence[int]:
    return array("q", keys)


class RowWriter:
    """Inserts rows of one model.

    `names` are the attributes that each row has, in this order, with "_id" where they are keys;
    `constants` are the same in all rows, and the others have their defaults. Without "id" among
    the names the database gives the keys.
    """

    def __init__(self, model: type[models.Model], names: Sequence[str], **constants: Any) -> None:
        fields = {field.attname: field for field in model._meta.concrete_fields}
        now = timezone.now()
        for name, field in fields.items():
            if name in names or name in constants or field.primary_key:
                continue
            constants[name] = now if getattr(field, "auto_now_add", False) else field.get_default()
        self._constants = tuple(
            fields[name].get_db_prep_save(value, connection) for name, value in constants.items()
        )
        self._prepared = [
            (place, fields[name])
            for place, name in enumerate(names)
            if not isinstance(fields[name], (*_PLAIN, models.ForeignKey))
        ]
        # The thread's own: looking it up anew for each value takes longer than preparing it.
        self._connection = connections[DEFAULT_DB_ALIAS]
        quoted = connection.ops.quote_name
        columns = ", ".join(quoted(str(fields[name].column)) for name in (*names, *constants))
        table = quoted(model._meta.db_table)
        self._insert = f"INSERT INTO {table} ({columns}) VALUES "  # noqa: S608 - names of ours
        self._n_columns = len(names) + len(constants)

    def write(self, rows: Iterable[Sequence[Any]]) -> None:
        complete = map(self._complete, rows)
        with connection.cursor() as cursor:
            while batch := list(islice(complete, _BATCH)):
                placeholders = f"({', '.join(['%s'] * self._n_columns)})"
                if connection.vendor == "sqlite":
                    cursor.executemany(self._insert + placeholders, batch)
                else:
                    # One statement for all: psycopg2 sends those of executemany one by one.
                    cursor.execute(
                        self._insert + ", ".join([placeholders] * len(batch)), list(chain(*batch))
                    )

    def _complete(self, row: Sequence[Any]) -> tuple[Any, ...]:
        if self._prepared:
            values = list(row)
            for place, field in self._prepared:
                if values[place] is not None:
                    values[place] = field.get_db_prep_save(values[place], self._connection)
            row = values
        return (*row, *self._constants)


def update_rows(rows: Collection[models.Model], names: Sequence[str]) -> None:
    """Store these attributes of rows of one model: one short statement for each.

    `bulk_update` writes a statement of many cases, which takes a hundred times as long.
    """
    if not rows:
        return
    options = next(iter(rows))._meta
    of_name = {field.name: field for field in options.concrete_fields}
    fields = [of_name[name] for name in names]
    quoted = connection.ops.quote_name
    columns = ", ".join(f"{quoted(str(field.column))} = %s" for field in fields)
    table, key = quoted(options.db_table), quoted("id")
    statement = f"UPDATE {table} SET {columns} WHERE {key} = %s"  # noqa: S608 - names of ours
    values: list[list[Any]] = [
        [
            *(field.get_db_prep_save(getattr(row, field.attname), connection) for field in fields),
            row.pk,
        ]
        for row in rows
    ]
    with connection.cursor() as cursor:
        cursor.executemany(statement, values)


def delete_rows(model: type[models.Model], keys: Sequence[int]) -> None:
    """Delete a batch of rows that no other row refers to: if one did, the database would refuse.

    A queryset's `delete` looks for such rows first, and fetches those that it deletes.
    """
    if not keys:
        return
    table, key = map(connection.ops.quote_name, (model._meta.db_table, "id"))
    marks = ", ".join(["%s"] * len(keys))
    statement = f"DELETE FROM {table} WHERE {key} IN ({marks})"  # noqa: S608 - names of ours
    with connection.cursor() as cursor:
        cursor.execute(statement, keys)


@contextmanager
def large_cache() -> Iterator[None]:
    """More memory for SQLite while it writes very many rows. Outside of the transaction."""
    if connection.vendor != "sqlite":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA cache_size")
        (before,) = cursor.fetchone()
        cursor.execute(f"PRAGMA cache_size = -{_SQLITE_CACHE}")
    try:
        yield
    finally:
        # Where the database itself failed, that is what has to be told.
        with suppress(DatabaseError), connection.cursor() as cursor:
            cursor.execute(f"PRAGMA cache_size = {int(before)}")
