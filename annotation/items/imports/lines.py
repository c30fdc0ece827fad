"""A file as lines of text and as records of a table, with what is wrong about its bytes."""

import csv
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import IO

from annotation.basics.numbers import grouped
from annotation.basics.sentences import Problem, Said, mebibytes
from annotation.basics.sentences import sentence as _
from annotation.items.imports.problems import Problems

Progress = Callable[[float, Said], None]
Lines = Iterator[tuple[int, str]]

_BOM = b"\xef\xbb\xbf"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
# How an .xlsx (which is a ZIP) and an .xls begin.
_WORKBOOK = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
_STEPS = 50
_LOOKED_AT = 10_000
_LINES_AHEAD = 50
# A line, or a cell of a table, is held in memory several times over.
MAX_LINE_BYTES = 8 * 1024**2
# How many lines, or rows of a table, may be blank.
MAX_BLANK = 100_000
# At least one of them is in every table that can be read here.
_COLUMNS = {
    *("id", "text", "target", "candidate", "target_context", "candidate_context"),
    *("pair_id", "sentence1", "sentence2", "text1", "text2"),
    *("item1", "bestitem", "worstitem", "name", "email"),
}


@contextmanager
def opened(source: str | Path | IO[bytes]) -> Iterator[IO[bytes]]:
    """The file of a path; or a stream, which the caller closes."""
    if isinstance(source, str | Path):
        with Path(source).open("rb") as file:
            yield file
    else:
        yield source


def look_ahead(lines: Lines, n_bytes: int = 2**20) -> list[tuple[int, str]]:
    """Some of the next lines, to see how they are separated; the caller puts them back."""
    ahead = []
    for line in islice(lines, _LINES_AHEAD):
        ahead.append(line)
        n_bytes -= len(line[1])
        if n_bytes < 0:
            break
    return ahead


def beginning(file: IO[bytes], n_bytes: int) -> tuple[IO[bytes], bool]:
    """The lines that begin within so many bytes, and whether the file goes on after them."""
    start = file.read(n_bytes)
    if len(start) == n_bytes and not start.endswith(b"\n"):
        start += file.readline(MAX_LINE_BYTES + 1)
    return BytesIO(start), bool(file.read(1))


def read_lines(
    file: IO[bytes],
    problems: Problems,
    *,
    limit_bytes: int,
    max_line_bytes: int = MAX_LINE_BYTES,
    progress: Progress | None = None,
) -> Lines:
    """Lines with their numbers and their line ends; what cannot be read becomes a problem.

    Reading ends at a line that is too long, and where too many are blank. A byte order mark is
    dropped. The caller goes on to the end, and then looks at the problems.
    """
    size = _size(file)
    if size > limit_bytes:
        problems.add(None, _too_large(size, limit_bytes))
        return
    n_read = 0
    step = max(size // _STEPS, 1)
    next_step = step
    number = n_blank = 0
    while raw := file.readline(min(limit_bytes - n_read, max_line_bytes) + 1):
        number += 1
        n_read += len(raw)
        if number == 1 and _ends_lines_by_carriage_returns(raw):
            problems.add(
                None,
                Problem(
                    "unreadable",
                    _("the lines end in carriage returns only, as on an old Mac"),
                    _("save the file with Unix or Windows line ends"),
                ),
            )
            return
        if n_read > limit_bytes:
            # A stream of unknown size.
            problems.add(None, _too_large(None, limit_bytes))
            return
        if len(raw) > max_line_bytes:
            problems.add(number, _too_long())
            return
        if len(raw) <= 2 and raw.isspace():
            n_blank += 1
            if n_blank > MAX_BLANK:
                problems.add(number, _too_many_blank())
                return
        if number == 1:
            if raw.startswith(_UTF_16):
                problems.add(
                    1, Problem("unreadable", _("the file is UTF-16"), _("save it as UTF-8"))
                )
                return
            if raw.startswith(_WORKBOOK):
                problems.add(
                    None,
                    _(
                        "This is an Excel workbook, not a text file: save it as CSV or TSV"
                        " (UTF-8) and upload that."
                    ),
                )
                return
            raw = raw.removeprefix(_BOM)
        if progress and size and n_read >= next_step:
            next_step = n_read + step
            progress(min(n_read / size, 1.0), _("line %(n)s read") % {"n": number})
        try:
            yield number, raw.decode()
        except UnicodeDecodeError as error:
            problems.add(
                number,
                Problem(
                    "unreadable",
                    _("not UTF-8 at byte %(place)s of the line (%(byte)s)"),
                    _("save the file as UTF-8"),
                )
                % {"place": error.start + 1, "byte": f"0x{raw[error.start]:02x}"},
            )
            # Read somehow, so that what follows is not misread for want of this line.
            yield number, raw.decode("latin-1")


def _ends_lines_by_carriage_returns(first: bytes) -> bool:
    """Whether what is read up to the first line feed, or to the end, is several lines."""
    is_text = not first.startswith((*_UTF_16, *_WORKBOOK))
    return is_text and not first.endswith(b"\n") and b"\r" in first.rstrip(b"\r\n")


def _size(file: IO[bytes]) -> int:
    """Bytes from here to the end, or 0 if a stream does not say."""
    if not file.seekable():
        return 0
    here = file.tell()
    size = file.seek(0, os.SEEK_END) - here
    file.seek(here)
    return size


def _too_large(size: int | None, limit: int) -> Said:
    if not size:
        return Problem(
            "too_large",
            _("the file is too large: the limit is %(limit)s"),
            _("split it"),
        ) % {"limit": mebibytes(limit)}
    return Problem(
        "too_large",
        _("the file has %(size)s, and the limit is %(limit)s"),
        _("split it"),
    ) % {
        "size": mebibytes(size),
        "limit": mebibytes(limit),
    }


def _too_long() -> Said:
    return Problem(
        "too_large",
        _("the line is longer than %(limit)s"),
        _("end each entry with a line break, and split what is larger"),
    ) % {"limit": mebibytes(MAX_LINE_BYTES)}


def _too_many_blank() -> Said:
    return Problem(
        "too_large", _("more than %(n)s lines of the file are empty"), _("remove them")
    ) % {"n": grouped(MAX_BLANK)}


@dataclass(frozen=True)
class Record:
    """One record of a table; quoted line breaks make it longer than a line."""

    line: int
    cells: list[str]
    # What another tool's file calls the columns of our table.
    called: Mapping[str, str] = field(default_factory=dict)


def read_records(
    lines: Lines, problems: Problems, *, delimiter: str, is_cut: bool = False
) -> Iterator[Record]:
    """Records with RFC 4180 quoting; blank lines are passed over.

    Of a file that `is_cut` the last record may go on behind the end.

    A record whose quoting is broken is reported, and comes without cells. Reading ends at a line
    that is too long, and where too many records are empty.
    """
    # A process-wide setting of the csv module.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_LINE_BYTES))
    last = first = n_blank = 0

    def texts() -> Iterator[str]:
        nonlocal first, last
        for number, text in lines:
            first = first or number
            last = number
            if len(text) > MAX_LINE_BYTES:
                problems.add(number, _too_long())
                return
            yield text

    reader = csv.reader(texts(), delimiter=delimiter, strict=True)
    while True:
        first = 0
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            if is_cut and "unexpected end of data" in str(error):
                return
            problems.add(first or last, _quoting(str(error), delimiter))
            yield Record(first or last, [])
            continue
        if cells:
            # A record takes time of its own, however short it is.
            problems.count_values(first, 1 + len(cells))
            if not any(cells):
                n_blank += 1
                if n_blank > MAX_BLANK:
                    problems.add(first, _too_many_blank())
                    return
            yield Record(first, cells)


def look_further(records: Iterable[Record]) -> None:
    """Let problems of the first lines be found below a header that says nothing of the columns."""
    for _record in islice(records, _LOOKED_AT):
        pass


def _quoting(error: str, delimiter: str) -> Said:
    if "unexpected end of data" in error:
        return Problem(
            "unreadable",
            _("a quotation mark that opens here is never closed"),
            _('write " inside a field as ""'),
        )
    if "field limit" in error:
        return Problem(
            "too_large",
            _("a field that begins here is longer than %(n)s characters"),
            _("shorten it, or close a quotation mark that is open"),
        ) % {"n": grouped(MAX_LINE_BYTES)}
    if "new-line character" in error:
        return Problem(
            "unreadable",
            _("a carriage return outside quotation marks"),
            _("put the field into quotation marks"),
        )
    name = {"\t": _("tab"), ";": _("semicolon")}.get(delimiter, _("comma"))
    return Problem(
        "unreadable",
        _("text between a closing quotation mark and the next %(separator)s"),
        _(
            "put a field that holds a quotation mark into quotation marks, and write each one"
            ' inside as ""'
        ),
    ) % {"separator": name}


def delimiter_of(header: str, following: Sequence[str] = ()) -> str:
    """Tab, comma or semicolon, whichever separates the names in the first line.

    A spreadsheet writes semicolons where the comma is the decimal mark. A text may hold one, too:
    it separates columns only if that, and no comma, makes the line name one that is known; or, in
    a line that names none, if the lines `following` have as many columns.
    """
    cells = {mark: _cells([header], mark) for mark in "\t;,"}
    widths = {mark: len(row[0]) for mark, row in cells.items() if row and len(row[0]) > 1}
    if "\t" in widths:
        return "\t"
    named = [mark for mark in widths if _names_a_column(cells[mark][0])]
    if named:
        return named[-1]
    fitting = [mark for mark, width in widths.items() if _fits(following, mark, width)]
    return max(reversed(fitting), key=widths.__getitem__, default=",")


def names_a_column(header: str) -> bool:
    """Whether a first line has a name of a column that is known."""
    return any(_names_a_column(row) for mark in "\t;," for row in _cells([header], mark))


def are_columns(lines: Sequence[str], delimiter: str) -> bool:
    """Whether some lines are records of equally many columns, and of more than one."""
    rows = _cells(lines, delimiter)
    return len(rows) > 1 and len(rows[0]) > 1 and _fits(lines[1:], delimiter, len(rows[0]))


def _cells(lines: Iterable[str], delimiter: str) -> list[list[str]]:
    """The records of some lines, as far as they can be read; the last may go on behind them."""
    rows = []
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    with suppress(csv.Error):
        for row in reader:
            rows.append(row)
    return rows


def _fits(lines: Sequence[str], delimiter: str, width: int) -> bool:
    """Whether as good as all of the records below a header have its columns."""
    rows = [row for row in _cells(lines, delimiter) if row]
    return 10 * sum(len(row) == width for row in rows) >= 9 * len(rows)


def _names_a_column(cells: Sequence[str]) -> bool:
    names = {cell.strip().strip('"').strip().lower() for cell in cells}
    return len(cells) > 1 and not names.isdisjoint(_COLUMNS)


def leading_lines(lines: Lines) -> Lines:
    """Lines up to the first that is not blank."""
    for line in lines:
        yield line
        if line[1].strip():
            return
