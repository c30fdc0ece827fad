"""Queries that every screen and every save asks, put into SQL once for each connection.

Django's ORM takes longer to write a query with a few joins than a database takes to answer it,
and it writes the same one for every visitor. Here a query is written once, with marks where the
arguments go; from then on only the arguments change. Rows become the same objects as ever.

PostgreSQL, too, plans a look-up by key longer than it carries it out, so there the query is a
prepared statement. A pool that gives each transaction another connection does not keep these;
who has one sets DATABASE_POOLED=1 in the environment and gets plain statements. Where the server
refuses a statement because a column changed or a reset forgot it, all are prepared anew.

This leans on Django's private compiler, as it is in DJANGO. Another version, or one that lacks
what is used here, is asked the ordinary query set instead: slower, but right; and a test says so.
Whoever has run the tests with a new version on both databases writes it into DJANGO.
"""

import copy
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar
from uuid import UUID, uuid4

import django
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections
from django.db.models import Model, QuerySet, query
from django.db.models.sql import compiler
from django.db.transaction import TransactionManagementError

M = TypeVar("M", bound=Model)
Argument = int | str | UUID | Sequence[int]
_SINGLE = (int, str, UUID)

DJANGO = (5, 2)

# Larger than any key here and smaller than the largest number a 32-bit column compares with.
_FIRST_MARK = 2_000_000_000

# What PostgreSQL answers (SQLSTATE) where a statement is outdated: "cached plan must not change
# result type" after ALTER TABLE, and "does not exist" after DISCARD ALL or DEALLOCATE ALL. The
# first has other meanings, too; those are refused again when the query is asked once more.
_OUTDATED = {"0A000", "26000"}
_USED = ("as_sql", "execute_sql", "get_converters", "results_iter")


def fits_django() -> bool:
    """Whether this is a Django that queries were prepared for, with all that is used of it."""
    of_compiler = getattr(compiler, "SQLCompiler", None)
    return (
        django.VERSION[:2] == DJANGO
        and hasattr(query, "ModelIterable")
        and all(hasattr(of_compiler, name) for name in _USED)
    )


# Whoever measures what this brings sets it to False in between.
IS_USED = fits_django()


class Prepared(Generic[M]):
    """A query built by a function of its arguments: whole numbers, texts, UUIDs, lists of keys.

    The function must only compare columns with its arguments: it is called with marks in their
    stead, and what it would do with one value it does for all.
    """

    def __init__(self, build: Callable[..., QuerySet[M, Any]]) -> None:
        self._build = build

    def objects(self, *arguments: Argument) -> list[M]:
        """The rows as model instances."""
        if _nothing_can_be_found(arguments):
            return []
        if not IS_USED:
            return list(self._build(*arguments))
        return self._read(
            lambda compiler: list(query.ModelIterable(_Asked(compiler))),  # type: ignore[arg-type]
            arguments,
        )

    def first(self, *arguments: Argument) -> M | None:
        """The first row; the query itself is best limited to one."""
        return next(iter(self.objects(*arguments)), None)

    def rows(self, *arguments: Argument) -> list[Any]:
        """The rows of a query of `values_list`, as tuples."""
        if _nothing_can_be_found(arguments):
            return []
        if not IS_USED:
            return list(self._build(*arguments))
        return self._read(
            lambda compiler: list(compiler.results_iter(tuple_expected=True)), arguments
        )

    def _read(
        self, read: Callable[[Any], list[Any]], arguments: tuple[Argument, ...]
    ) -> list[Any]:
        try:
            return read(self._compiler(arguments))
        except DatabaseError as error:
            if getattr(error.__cause__, "pgcode", None) not in _OUTDATED:
                raise
            connection = connections[DEFAULT_DB_ALIAS]
            # What made one outdated is likely to have met the others.
            connection.__dict__.pop("_likeness_prepared", None)
            # The error has ended a transaction; only whoever began it can begin it again.
            if not connection.get_autocommit():
                raise
            with connection.cursor() as cursor:
                cursor.execute("DEALLOCATE ALL")
        return read(self._compiler(arguments))

    def _compiler(self, arguments: tuple[Argument, ...]) -> Any:
        connection = connections[DEFAULT_DB_ALIAS]
        # A connection belongs to one thread, and so does what is kept with it.
        prepared: dict[Any, _Written] = connection.__dict__.setdefault("_likeness_prepared", {})
        # A list of three is another query than a list of four.
        shape = (self, *(None if isinstance(a, _SINGLE) else len(a) for a in arguments))
        written = prepared.get(shape)
        if written is None:
            written = prepared[shape] = _Written(self._build, arguments, connection)
        return written.with_arguments(arguments, connection)


def _nothing_can_be_found(arguments: tuple[Argument, ...]) -> bool:
    return any(not isinstance(a, _SINGLE) and not a for a in arguments)


class _Written:
    """A query in SQL, and which of its parameters are arguments."""

    def __init__(
        self,
        build: Callable[..., QuerySet[Any, Any]],
        arguments: tuple[Argument, ...],
        connection: Any,
    ) -> None:
        # Used once, so that it never means what was prepared before, or by somebody else who
        # had this connection from a pool.
        self._name = f"likeness_{uuid4().hex}"
        # The connection to the server that knows the statement; another one follows a lost one.
        self._known_to: Any = None
        marks: list[Any] = []
        in_their_stead: list[Any] = []
        for argument in arguments:
            n = 1 if isinstance(argument, _SINGLE) else len(argument)
            new: list[Any] = [_FIRST_MARK + len(marks) + i for i in range(n)]
            if isinstance(argument, str):
                new = [f"mark {mark}" for mark in new]
            if isinstance(argument, UUID):
                new = [UUID(int=mark) for mark in new]
            marks += [_as_stored(mark, connection) for mark in new]
            in_their_stead.append(new[0] if isinstance(argument, _SINGLE) else new)
        self._compiler: Any = build(*in_their_stead).query.get_compiler(DEFAULT_DB_ALIAS)
        self._locks = self._compiler.query.select_for_update
        self._converters: Any = None
        self._sql, parameters = self._compiler.as_sql()
        # Of each parameter: the number of its argument, or the value that never changes.
        self._parameters = [
            (marks.index(value), None) if value in marks else (-1, value) for value in parameters
        ]
        if {number for number, _ in self._parameters if number >= 0} != set(range(len(marks))):
            raise LookupError("an argument of a prepared query does not reach its SQL as it is")

    def with_arguments(self, arguments: tuple[Argument, ...], connection: Any) -> Any:
        values: list[Any] = []
        for argument in arguments:
            if isinstance(argument, _SINGLE):
                values.append(_as_stored(argument, connection))
            else:
                values += argument
        # Django looks at this where it writes the SQL, which it does only once.
        if self._locks and connection.get_autocommit():
            raise TransactionManagementError("a row is locked inside a transaction only")
        if _keeps_statements(connection):
            self._prepare_on(connection)
            marks = ", ".join(["%s"] * len(values))
            sql, parameters = f"EXECUTE {self._name} ({marks})", tuple(values)
        else:
            sql = self._sql
            parameters = tuple(
                value if number < 0 else values[number] for number, value in self._parameters
            )
        compiler = copy.copy(self._compiler)
        compiler.as_sql = lambda *_, **__: (sql, parameters)
        compiler.get_converters = self._get_converters
        return compiler

    def _get_converters(self, columns: Any) -> Any:
        """How values of the database become Python's: the columns are the same each time."""
        if self._converters is None:
            self._converters = self._compiler.get_converters(columns)
        return self._converters

    def _prepare_on(self, connection: Any) -> None:
        connection.ensure_connection()
        if self._known_to is connection.connection:
            return
        with connection.wrap_database_errors, connection.connection.cursor() as cursor:
            written = tuple(
                f"${number + 1}" if number >= 0 else cursor.mogrify("%s", (value,)).decode()
                for number, value in self._parameters
            )
            cursor.execute(f"PREPARE {self._name} AS {self._sql % written}")
        self._known_to = connection.connection


def _as_stored(value: Any, connection: Any) -> Any:
    """A UUID as the database has it: its own type, or on SQLite a text."""
    if isinstance(value, UUID) and not connection.features.has_native_uuid_field:
        return value.hex
    return value


def _keeps_statements(connection: Any) -> bool:
    return (
        connection.vendor == "postgresql"
        and not connection.settings_dict["DISABLE_SERVER_SIDE_CURSORS"]
    )


class _Asked:
    """As much of a query set as Django's own iteration over model instances looks at."""

    db = DEFAULT_DB_ALIAS
    _known_related_objects: dict[Any, Any] = {}

    def __init__(self, compiler: Any) -> None:
        self.query = self
        self._compiler = compiler

    def get_compiler(self, using: str) -> Any:
        return self._compiler
