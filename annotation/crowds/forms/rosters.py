"""A roster from a file or a text field: ids or names, one a line, or a table with a header."""

import csv
import io
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import IO, Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from annotation.answering.services.rosters import RosterEntry
from annotation.basics.errors import ImportProblemsError
from annotation.basics.sentences import ngettext
from annotation.basics.sentences import sentence as _
from annotation.core.exports.columns import Column, cells
from annotation.items.imports.lines import delimiter_of, read_lines, read_records
from annotation.items.imports.problems import (
    Problems,
    key_problem,
    length_problem,
    shown,
    text_problem,
)

LIMIT_BYTES = 1024 * 1024
# The links of a roster travel once through a form, which may have one MiB.
MAX_ENTRIES = 5000
# Of anything with an id, a name and an address: of a `RosterEntry`, for instance.
ENTRY_COLUMNS = [
    Column("id", "of the person", lambda entry: entry.platform_id),
    Column("name", "empty without one", lambda entry: entry.name),
    Column("email", "empty without one", lambda entry: entry.email),
]
_NAMES = {column.name for column in ENTRY_COLUMNS}


def read_roster(file: IO[bytes]) -> list[RosterEntry]:
    """Read a whole roster; raises ImportProblemsError with every problem and its line."""
    problems = Problems()
    lines = list(read_lines(file, problems, limit_bytes=LIMIT_BYTES))
    first = next((text for _, text in lines if text.strip()), "")
    names = [cell.strip().strip('"').lower() for cell in first.split(delimiter_of(first))]
    rows = (
        _table_rows(lines, problems, delimiter_of(first))
        if set(names) & {"id", "name"} and set(names) <= _NAMES
        else _plain_rows(lines, problems)
    )
    entries = _entries(rows, problems)
    if not entries and not problems:
        problems.add(None, _("the list is empty; write one id or name per line"))
    if len(entries) > MAX_ENTRIES:
        problems.add(
            None,
            _("%(n)s people are too many; add at most %(limit)s at a time")
            % {"n": len(entries), "limit": MAX_ENTRIES},
        )
    problems.raise_if_any()
    return entries


def read_text(text: str) -> list[RosterEntry]:
    try:
        return read_roster(io.BytesIO(text.encode()))
    except UnicodeEncodeError:
        raise ImportProblemsError(
            [_("the text contains an incomplete character; type it again")]
        ) from None


Row = tuple[int, str, str, str]


def read_rows(rows: Iterable[Row]) -> list[RosterEntry]:
    """Entries that are no text: number, id, name, address; raises as `read_roster` does."""
    problems = Problems()
    entries = _entries(rows, problems)
    problems.raise_if_any()
    return entries


def _plain_rows(lines: Sequence[tuple[int, str]], problems: Problems) -> Iterable[Row]:
    for number, text in lines:
        entry = text.strip()
        if not entry:
            continue
        if "\t" in entry or ("@" in entry and ("," in entry or ";" in entry)):
            problems.add(
                number,
                _(
                    "%(entry)s has several columns, but there is no header; start with "
                    "the line id,name,email"
                )
                % {"entry": shown(entry)},
            )
            continue
        yield number, entry, "", ""


def _table_rows(
    lines: Sequence[tuple[int, str]], problems: Problems, delimiter: str
) -> Iterable[Row]:
    records = read_records(iter(lines), problems, delimiter=delimiter)
    header = next(iter(records), None)
    if header is None:
        return
    names = [cell.strip().lower() for cell in header.cells]
    if len(set(names)) < len(names):
        problems.add(header.line, _("a column appears twice; remove one"))
        return
    for record in records:
        cells = [cell.strip() for cell in record.cells]
        if not any(cells):
            continue
        if len(cells) != len(names):
            problems.add(
                record.line,
                ngettext(
                    "%(n)s column, but the header has %(names)s",
                    "%(n)s columns, but the header has %(names)s",
                    len(cells),
                )
                % {"n": len(cells), "names": len(names)},
            )
            continue
        row = dict(zip(names, cells, strict=True))
        name, email = row.get("name", ""), row.get("email", "")
        yield record.line, row.get("id", name), name, email


def _entries(rows: Iterable[Row], problems: Problems) -> list[RosterEntry]:
    entries, lines_of = [], dict[str, int]()
    for line, platform_id, name, email in rows:
        if problem := key_problem(platform_id):
            problems.add(line, problem % {"field": "id"})
        elif platform_id in lines_of:
            problems.add(
                line,
                _("id %(key)s is already in line %(before)s; give each person a different id")
                % {"key": shown(platform_id), "before": lines_of[platform_id]},
            )
        else:
            lines_of[platform_id] = line
            entries.append(RosterEntry(platform_id, name, email))
        if problem := text_problem(name) or (
            length_problem(len(name), 200) if len(name) > 200 else ""
        ):
            problems.add(line, problem % {"field": "name"})
        if email:
            try:
                validate_email(email)
            except ValidationError:
                problems.add(
                    line,
                    _("%(address)s is not a valid e-mail address; correct it or leave it out")
                    % {"address": shown(email)},
                )
    return entries


def written(entries: Iterable[RosterEntry]) -> str:
    """A roster as a table that `read_text` reads back."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(_with_names(ENTRY_COLUMNS, entries))
    return text.getvalue()


def spreadsheet_csv(columns: Sequence[Column], records: Iterable[Any]) -> str:
    """A CSV for a spreadsheet: a cell that would start a formula begins with an apostrophe.

    All cells are texts.
    """
    written = io.StringIO()
    csv.writer(written, lineterminator="\r\n").writerows(
        [f"'{cell}" if cell[:1] in {"=", "+", "-", "@", "\t", "\r"} else cell for cell in row]
        for row in _with_names(columns, records)
    )
    return written.getvalue()


def _with_names(columns: Sequence[Column], records: Iterable[Any]) -> Iterable[Sequence[Any]]:
    return chain([[column.name for column in columns]], cells(columns, records))
