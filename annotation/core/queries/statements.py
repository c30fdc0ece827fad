"""SELECT statements written by hand, for the few things that every screen and every save ask.

Django's ORM takes longer to write a query with joins than a database takes to answer it. Here the
text stands as it is sent, and the rows become the same objects that the ORM makes.

PostgreSQL plans a join longer than it carries it out, so there each connection prepares a
statement once. A pool that gives each transaction another connection does not keep these; who has
one sets DATABASE_POOLED=1 in the environment.
"""

import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import count
from secrets import token_hex
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection, transaction
from django.db.backends.signals import connection_created
from django.db.models import DecimalField, Field, Model
from django.db.transaction import TransactionManagementError
from django.dispatch import receiver

Argument = int | str | UUID | Sequence[int]
Read = Callable[[Any], Any]

# What PostgreSQL answers (SQLSTATE) where a statement is outdated: "cached plan must not change
# result type" after ALTER TABLE, and "does not exist" after DISCARD ALL or DEALLOCATE ALL. The
# first has other meanings, too; those are refused again when the statement is asked once more.
_OUTDATED = {"0A000", "26000"}
_numbers = count(1)


class _Prepared(threading.local):
    """What this thread's connection has prepared: a connection belongs to one thread."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        self.names: set[str] = set()
        # Part of each name: it never means what was prepared before, or by somebody else who had
        # this connection from a pool.
        self.prefix = f"likeness_{token_hex(4)}"


_prepared = _Prepared()


@receiver(connection_created)
def _forget(**_signal: Any) -> None:
    _prepared.forget()


def columns(model: type[Model], *, but: Collection[str] = ()) -> "Columns":
    """The columns of a model for a statement; those in `but` are read when they are asked for."""
    fields = [f for f in model._meta.get_fields() if isinstance(f, Field) and not f.many_to_many]
    return Columns(model, [field for field in fields if field.name not in but])


@dataclass(frozen=True)
class Columns:
    model: type[Model]
    fields: "list[Field[Any, Any]]"

    def of(self, alias: str) -> str:
        return ", ".join(f'{alias}."{field.get_attname_column()[1]}"' for field in self.fields)

    @property
    def names(self) -> list[str]:
        return [field.attname for field in self.fields]

    @property
    def reads(self) -> list[tuple[int, Read]]:
        """Which columns are other than what the database gives, and how they are read."""
        reads = [_read_of(field) for field in self.fields]
        return [(place, read) for place, read in enumerate(reads) if read]


class Statement:
    """A SELECT of the columns of models, and then of what else it names.

    `{name}` in the text stands for the columns of the model that is given under this name, of the
    table with this alias. A row is a list of the models' instances, None where an outer join found
    none, and of the further columns. A name can also stand for a piece of text that statements
    share. `%s` marks an argument; of a list, as many as it has. `locks`: the alias whose row is
    held until the end of the transaction.
    """

    def __init__(
        self, text: str, *, locks: str = "", **parts: Columns | type[Model] | str
    ) -> None:
        pieces = {name: part for name, part in parts.items() if isinstance(part, str)}
        self._columns = {
            name: part if isinstance(part, Columns) else columns(part)
            for name, part in parts.items()
            if not isinstance(part, str)
        }
        written = {name: part.of(name) for name, part in self._columns.items()}
        self._text = text.format(**written, **pieces)
        self._locks = locks
        self._texts: dict[tuple[int, ...], tuple[int, str]] = {}
        self._parts: list[_Part] = []

    def rows(self, *arguments: Argument) -> list[list[Any]]:
        """Without asking none, where a list of keys to look for is empty."""
        lengths = tuple(1 if isinstance(a, int | str | UUID) else len(a) for a in arguments)
        if 0 in lengths:
            return []
        if self._locks and transaction.get_autocommit():
            raise TransactionManagementError("a row is locked inside a transaction only")
        values: list[Any] = []
        for argument in arguments:
            if isinstance(argument, int | str | UUID):
                values.append(_as_stored(argument))
            else:
                values += argument
        try:
            rows = self._ask(lengths, values)
        except DatabaseError as error:
            if getattr(error.__cause__, "pgcode", None) not in _OUTDATED:
                raise
            # What made one outdated is likely to have met the others.
            _prepared.forget()
            # The error has ended a transaction; only the code that began it can begin it again.
            if not transaction.get_autocommit():
                raise
            with connection.cursor() as cursor:
                cursor.execute("DEALLOCATE ALL")
            rows = self._ask(lengths, values)
        return [self._row(row) for row in rows]

    def first(self, *arguments: Argument) -> list[Any] | None:
        return next(iter(self.rows(*arguments)), None)

    def _ask(self, lengths: tuple[int, ...], values: list[Any]) -> list[tuple[Any, ...]]:
        if lengths not in self._texts:
            self._texts[lengths] = self._written(lengths)
        number, text = self._texts[lengths]
        with connection.cursor() as cursor:
            if _keeps_statements():
                text = _prepare(cursor, f"{_prepared.prefix}_{number}", text, len(values))
            cursor.execute(text, values)
            rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows

    def _written(self, lengths: tuple[int, ...]) -> tuple[int, str]:
        text = self._text % tuple(", ".join(["%s"] * length) for length in lengths)
        if self._locks and connection.vendor == "postgresql":
            text += f" FOR NO KEY UPDATE OF {self._locks}"
        return next(_numbers), text

    def _row(self, row: Sequence[Any]) -> list[Any]:
        if not self._parts:
            self._parts = _parts(self._columns.values())
        read: list[Any] = [part.of(row) for part in self._parts]
        return read + list(row[self._parts[-1].end if self._parts else 0 :])


@dataclass(frozen=True)
class _Part:
    """The columns of one model in a row."""

    model: type[Model]
    names: list[str]
    reads: list[tuple[int, Read]]
    # Of its primary key, which is empty where an outer join found nothing.
    key: int
    start: int
    end: int

    def of(self, row: Sequence[Any]) -> Model | None:
        if row[self.key] is None:
            return None
        values = list(row[self.start : self.end])
        for place, read in self.reads:
            if values[place] is not None:
                values[place] = read(values[place])
        return self.model.from_db(DEFAULT_DB_ALIAS, self.names, values)


def _parts(every: Collection[Columns]) -> list[_Part]:
    parts, start = [], 0
    for model in every:
        key = start + next(n for n, field in enumerate(model.fields) if field.primary_key)
        end = start + len(model.fields)
        parts.append(_Part(model.model, model.names, model.reads, key, start, end))
        start = end
    return parts


def _prepare(cursor: Any, name: str, text: str, n_arguments: int) -> str:
    """What carries out a statement, which is prepared the first time."""
    if name not in _prepared.names:
        numbered = text % tuple(f"${number}" for number in range(1, n_arguments + 1))
        cursor.execute(f"PREPARE {name} AS {numbered}")
        _prepared.names.add(name)
    marks = ", ".join(["%s"] * n_arguments)
    return f"EXECUTE {name} ({marks})" if marks else f"EXECUTE {name}"


def _keeps_statements() -> bool:
    return (
        connection.vendor == "postgresql"
        and not settings.DATABASES[DEFAULT_DB_ALIAS]["DISABLE_SERVER_SIDE_CURSORS"]
    )


def _as_stored(value: int | str | UUID) -> int | str | UUID:
    """A UUID as the database has it: its own type, or on SQLite a text."""
    if isinstance(value, UUID) and connection.vendor == "sqlite":
        return value.hex
    return value


def _read_of(field: "Field[Any, Any]") -> Read | None:
    """How a column's value becomes that of the field; None: it is that value already."""
    reads: list[Read] = []
    if connection.vendor == "sqlite":
        kind = field.get_internal_type()
        if isinstance(field, DecimalField):
            digits = Decimal(1).scaleb(-field.decimal_places)
            reads.append(lambda value: Decimal(str(value)).quantize(digits))
        elif kind in _ON_SQLITE:
            reads.append(_ON_SQLITE[kind])
        elif kind not in _PLAIN:
            raise TypeError(f"{field} is a {kind}: write down here how SQLite keeps one")
    if from_db_value := getattr(field, "from_db_value", None):
        reads.append(lambda value: from_db_value(value, None, connection))
    if not reads:
        return None
    first, *more = reads
    return (lambda value: more[0](first(value))) if more else first


def _moment(value: datetime | str) -> datetime:
    read = datetime.fromisoformat(value) if isinstance(value, str) else value
    return read if read.tzinfo else read.replace(tzinfo=UTC)


# Of SQLite: what it keeps in another type. Django keeps moments in UTC.
_ON_SQLITE: dict[str, Read] = {
    "BooleanField": bool,
    "DateTimeField": _moment,
    "DurationField": lambda value: timedelta(microseconds=value),
    "UUIDField": UUID,
}
_PLAIN = {
    "BigAutoField",
    "BigIntegerField",
    "CharField",
    "FloatField",
    "ForeignKey",
    "IntegerField",
    "JSONField",
    "OneToOneField",
    "PositiveBigIntegerField",
    "PositiveIntegerField",
    "PositiveSmallIntegerField",
    "SlugField",
    "TextField",
}
