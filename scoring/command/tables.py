"""Tables in, tables and JSON out: the form in which the commands of `scoring` read and write.

A table is CSV or TSV, by content: tabs between the names of the columns make it TSV. UTF-8 with or
without a byte order mark, RFC 4180 quoting, any line ends. Every cell is text: None, nan and false
may be names of items. Lines are counted from 1, and a row has the number of its first line.
"""

import csv
import io
import json
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.arrays import FloatArray
from scoring.json_values import JsonObject
from shell import InputError, bytes_of


@dataclass(frozen=True, eq=False)
class Table:
    """A table of text.

    Parameters
    ----------
    columns : list of str
        Names of the columns, from the first row.
    rows : list of list of str
        The other rows, each with at least one cell per column.
    lines : list of int
        Line of the file in which each row begins.
    """

    columns: list[str]
    rows: list[list[str]]
    lines: list[int]

    def place(self, name: str) -> int:
        """Number of the column of this name.

        Raises
        ------
        InputError
            If there is none, or more than one.
        """
        if (n := self.columns.count(name)) != 1:
            wrong = "no column" if n == 0 else f"{n} columns"
            raise InputError(
                f"line 1: {wrong} {name!r}; the columns are {', '.join(self.columns)}"
            )
        return self.columns.index(name)

    def cells(self, name: str) -> list[str]:
        """Cells of the column of this name."""
        place = self.place(name)
        return [row[place] for row in self.rows]

    def numbers(self, name: str) -> FloatArray:
        """The column of this name as numbers, shape (n,); nan where a cell is empty.

        Raises
        ------
        InputError
            If a cell is neither empty nor a finite number.
        """
        values = np.full(len(self.rows), np.nan)
        for place, (cell, line) in enumerate(zip(self.cells(name), self.lines, strict=True)):
            if not cell.strip():
                continue
            values[place] = number_in(cell)
            if math.isnan(values[place]):
                raise InputError(
                    f"line {line}: {name} {cell!r} is not a number; leave it empty where it is "
                    "missing"
                )
        return values

    def refuse_empty(self, name: str) -> None:
        """Refuse the first row whose cell in this column is empty or white space."""
        for line, cell in zip(self.lines, self.cells(name), strict=True):
            if not cell.strip():
                raise InputError(f"line {line}: {name} is empty")


def read_table(name: str) -> Table:
    """Read a table from a file, or from the standard input where the name is a dash.

    Raises
    ------
    InputError
        If there is no such file, it is not UTF-8, a row is shorter or longer than the first, a
        quote is not closed, or there are no rows below the first.
    """
    text = _text(bytes_of(name))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    rows, lines = [], []
    line = 1
    try:
        for row in reader:
            # An empty line is a row without cells, not one with an empty cell.
            if row:
                rows.append(row)
                lines.append(line)
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"line {line}: {error}") from error
    if not rows:
        raise InputError("line 1: there are no rows")
    if len(rows) < 2:
        raise InputError(f"line {lines[0]}: there are no rows below the names of the columns")

    columns = rows.pop(0)
    lines.pop(0)
    n = len(columns)
    for row_line, row in zip(lines, rows, strict=True):
        # Spreadsheets leave empty cells behind; a full one has lost its place.
        if len(row) < n or any(row[n:]):
            raise InputError(
                f"line {row_line}: the row has {len(row)} cells, but there are {n} columns"
            )
    return Table(columns, rows, lines)


def number_in(cell: str) -> float:
    """The finite number that a cell holds; nan if it holds none."""
    # Python's own numbers may be written 1_000, which in a table is a slip or a name.
    if "_" in cell:
        return math.nan
    try:
        value = float(cell)
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan


def write_table(columns: Sequence[str], rows: Iterable[Sequence[str | int | float]]) -> None:
    """Write TSV to standard output: numbers as repr, nan as an empty cell, RFC 4180 quoting."""
    # Bytes, so that neither the locale nor Windows's line ends change what was read.
    sys.stdout.buffer.writelines(lines_of(columns, rows))


def lines_of(
    columns: Sequence[str], rows: Iterable[Sequence[str | int | float]]
) -> Iterator[bytes]:
    """Yield the lines of a table as TSV; see `write_table`."""
    for row in (columns, *rows):
        yield ("\t".join(map(_cell, row)) + "\n").encode()


def write_json(figures: JsonObject) -> None:
    """Write JSON to standard output."""
    text = json.dumps(figures, indent=2, ensure_ascii=False, allow_nan=False)
    sys.stdout.buffer.write(text.encode() + b"\n")


def _text(content: bytes) -> str:
    try:
        text = content.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise InputError(f"line {line}: not UTF-8 ({error.reason})") from error
    if (place := text.find("\0")) >= 0:
        raise InputError(f"line {text.count(chr(10), 0, place) + 1}: NUL in a table of text")
    return text


def _delimiter(text: str) -> str:
    """Tab where one parts the names of the columns; else a comma."""
    try:
        lines = io.StringIO(text, newline="")
        names = next(filter(None, csv.reader(lines, delimiter="\t", strict=True)), [])
    except csv.Error:
        # A closing quote is followed by something else than a tab.
        return ","
    return "\t" if len(names) > 1 else ","


def _cell(value: str | int | float) -> str:
    if isinstance(value, str):
        if any(character in value for character in '\t\n\r"'):
            return '"' + value.replace('"', '""') + '"'
        return value
    # Only nan differs from itself.
    return "" if value != value else repr(value)  # noqa: PLR0124 - as said
