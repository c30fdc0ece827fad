"""The ZIP that an export is: its members, written as they are read, and their check sums."""

import hashlib
import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Protocol, TypeVar

from annotation.basics import tables
from annotation.basics.cells import Cell, iso
from annotation.core.exports.columns import Column, column_line, rows_of
from annotation.core.exports.days import columns_of_days, rows_of_days, said_of_days
from annotation.core.exports.release_facts import ReleaseFacts
from annotation.core.exports.withheld import withheld_columns, without
from annotation.core.queries.counted_answers import Population
from annotation.models import Design, Study

# Fixed, so that the same data give the same bytes; 1980 is where ZIP's calendar begins.
_DATE = (1980, 1, 1, 0, 0, 0)
_BUFFER = 1 << 16


T = TypeVar("T")
Progress = Callable[[float, str], None]
# Between two words about how far it is.
_ROWS = 2000


def quietly(share: float, message: str) -> None:
    """Nobody watches."""


class Table:
    """What a table holds, known once it is written: which columns are numbers, which have gaps."""

    def __init__(self, columns: Sequence[Column], delimiter: str) -> None:
        self.columns = list(columns)
        self.delimiter = delimiter
        self.n_rows = 0
        self._types: list[set[type]] = [set() for _column in columns]

    def watched(self, rows: Iterable[Sequence[Cell]]) -> Iterator[Sequence[Cell]]:
        for row in rows:
            for seen, cell in zip(self._types, row, strict=True):
                # Nothing and the empty text look alike in a file.
                seen.add(type(None) if cell == "" else type(cell))
            self.n_rows += 1
            yield row

    @property
    def typed(self) -> list[tuple[Column, str]]:
        """Each column as `integer`, `number` or `text`; `integer` has no gaps."""
        return [
            (column, _kind(column, seen))
            for column, seen in zip(self.columns, self._types, strict=True)
        ]


def _kind(column: Column, seen: set[type]) -> str:
    if column.is_number:
        return "number"
    if seen == {int}:
        return "integer"
    return "number" if seen - {type(None)} and seen <= {int, float, type(None)} else "text"


@dataclass(frozen=True)
class Member:
    """A file of the ZIP as it was written; `table`: only of tables."""

    name: str
    sha256: str
    size: int
    table: Table | None = None


class FurtherFiles(Protocol):
    """Files that studies of several kinds have; a module with these two functions is one."""

    def sections(self, archive: "Archive") -> list[str]:
        """What the README says of the files that are there."""

    def write(self, archive: "Archive") -> None:
        """Write the files, where there is something to write."""


class Archive:
    """One ZIP under way; each kind of study has its own members.

    Of a release the README is held back until everything it tells of is written.
    """

    def __init__(
        self,
        study: Study,
        design: Design,
        population: Population,
        archive: zipfile.ZipFile,
        spreadsheet: bool,
        *,
        progress: Progress,
        release: ReleaseFacts | None = None,
        further: Sequence[FurtherFiles] = (),
    ) -> None:
        self.study = study
        self.design = design
        self.population = population
        self.archive = archive
        self.spreadsheet = spreadsheet
        self.progress = progress
        self.release = release
        self.further = further
        self.members: list[Member] = []
        self.readme_text = ""
        # Lines of the README about columns, and what a release says instead.
        self._other_lines: dict[str, str] = {}
        self.facts: dict[str, Any] = {}

    def watched(
        self, rows: Iterable[T], total: int, name: str, low: float, high: float
    ) -> Iterator[T]:
        """The rows, with a word now and then about how far they are."""
        for n, row in enumerate(rows):
            if n % _ROWS == 0:
                self.progress(low + (high - low) * min(n / max(total, 1), 1.0), name)
            yield row

    def table(
        self,
        name: str,
        header: list[Column],
        rows: Iterable[Any],
        delimiter: str = "\t",
    ) -> None:
        """Write one table; `rows` are records where the columns have values, else their cells."""
        rows = rows_of(header, rows)
        if self.has_days:
            rows, header = rows_of_days(header, rows), columns_of_days(header)
        if withheld := withheld_columns(self.release, name, header):
            rows = without(withheld, rows)
            self._explain_withheld(header, withheld)
            header = [withheld.get(n, column) for n, column in enumerate(header)]
        names = [[column.name for column in header]]
        table = Table(header, delimiter)
        if self.release:
            rows = table.watched(rows)
        self.member(
            name,
            tables.lines(chain(names, rows), delimiter=delimiter, spreadsheet=self.spreadsheet),
            table=table,
        )

    @property
    def has_days(self) -> bool:
        """Whether moments are told to the day alone."""
        return self.release is not None and not self.release.exact_times

    def readme(self, text: str) -> None:
        self.readme_text = said_of_days(text) if self.has_days else text
        if not self.release:
            self.member("README.md", [text])

    def further_sections(self) -> list[str]:
        """What the README says of files that studies of other kinds have, too."""
        return [text for part in self.further for text in part.sections(self)]

    def write_further(self) -> None:
        for part in self.further:
            part.write(self)

    def _explain_withheld(self, header: list[Column], withheld: dict[int, Column]) -> None:
        for n, column in withheld.items():
            self._other_lines[column_line(header[n])] = column_line(column)

    @property
    def release_readme(self) -> str:
        """What the README of every export says, with what this release leaves out."""
        text = self.readme_text
        for before, after in self._other_lines.items():
            text = text.replace(before, after)
        return text

    def study_json(self, facts: dict[str, Any]) -> None:
        # A release is of the moment at which it was made, whenever its file is written.
        moment = {"exported_at": iso(self.release.made_at)} if self.release else {}
        self.facts = {**facts, **moment}
        # Sorted: PostgreSQL keeps the keys of an object in an order of its own.
        document = json.dumps(self.facts, ensure_ascii=False, indent=1, sort_keys=True)
        self.member("study.json", [document, "\n"])

    @property
    def sums(self) -> list[str]:
        """The lines of `SHA256SUMS`."""
        return [f"{member.sha256}  {member.name}\n" for member in self.members]

    def member(self, name: str, texts: Iterable[str], *, table: Table | None = None) -> None:
        entry = zipfile.ZipInfo(name, _DATE)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.create_system = 3  # Unix, wherever it is written
        entry.external_attr = 0o644 << 16
        digest, size = hashlib.sha256(), 0
        # How long it will be is not known when its header is written.
        with self.archive.open(entry, "w", force_zip64=True) as member:
            for piece in _pieces(texts):
                digest.update(piece)
                size += len(piece)
                member.write(piece)
        self.members.append(Member(name, digest.hexdigest(), size, table))


def _pieces(texts: Iterable[str]) -> Iterator[bytes]:
    """UTF-8 in pieces of some size: compressing line by line would take twice the time."""
    held: list[str] = []
    length = 0
    for text in texts:
        held.append(text)
        length += len(text)
        if length >= _BUFFER:
            yield "".join(held).encode()
            held, length = [], 0
    yield "".join(held).encode()
