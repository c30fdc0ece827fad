"""A table of labels: in each line the id of an item or a context, and what shall change of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

from annotation.basics.sentences import Problem
from annotation.basics.sentences import sentence as _
from annotation.items.imports.entries import NAME_LIMIT
from annotation.items.imports.headers import MAX_COLUMNS
from annotation.items.imports.lines import (
    Record,
    delimiter_of,
    look_further,
    opened,
    read_lines,
    read_records,
)
from annotation.items.imports.problems import (
    Problems,
    cells_problem,
    key_problem,
    length_problem,
    shown,
    text_problem,
)

RowKind = Literal["item", "context"]

# Names of the column of ids, and whose ids it has; empty: either.
_IDS: dict[str, RowKind | Literal[""]] = {"id": "", "item": "item", "context": "context"}


# Others who write have to wait while so many are changed.
MAX_RELABELLED_VALUES = 50_000


@dataclass(frozen=True)
class RequestedChange:
    """One requested value; `line` is the line of the file that requests it."""

    key: str
    field: str
    # None removes a name from the metadata, and empties a column.
    value: str | None
    # Empty if the id alone is enough: only an item or only a context has it.
    row_kind: RowKind | Literal[""] = ""
    line: int | None = None


def read(source: str | Path | IO[bytes], *, limit_bytes: int) -> list[RequestedChange]:
    """Every value of the file. Raises ImportProblemsError with all its problems."""
    problems = Problems()
    wanted: list[RequestedChange] = []
    with opened(source) as file:
        lines = read_lines(file, problems, limit_bytes=limit_bytes)
        first = next(lines, None)
        if first is None:
            problems.add(None, _("the file is empty"))
        else:
            records = read_records(
                _again(first, lines),
                problems,
                delimiter=delimiter_of(first[1]),
            )
            wanted = list(_values(records, problems))
    if first is not None and not wanted and not len(problems):
        problems.add(None, _("the file has a header but no other lines"))
    problems.raise_if_any()
    return wanted


def _again(first: tuple[int, str], rest: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    yield first
    yield from rest


def _values(records: Iterator[Record], problems: Problems) -> Iterator[RequestedChange]:
    header = next(records, None)
    names = [cell.strip() for cell in header.cells] if header else []
    names = [name.lower() if name.lower() in _IDS else name for name in names]
    ids = [name for name in names if name in _IDS]
    if header is None or not _is_sound(header.line, names, ids, problems):
        look_further(records)
        return
    place = names.index(ids[0])
    seen: set[tuple[str, str]] = set()
    n_values = 0
    for record in records:
        if not record.cells:
            continue  # its quoting is broken, which was said
        if len(record.cells) != len(names):
            problems.add(record.line, cells_problem(len(record.cells), len(names)))
            continue
        key = record.cells[place]
        if problem := key_problem(key):
            problems.add(record.line, problem % {"field": ids[0]})
            continue
        for name, value in zip(names, record.cells, strict=True):
            if name == ids[0]:
                continue
            n_values += 1
            if n_values > MAX_RELABELLED_VALUES:
                problems.add(
                    record.line,
                    Problem("too_large", _("the file has more than %(n)s values"), _("split it"))
                    % {"n": MAX_RELABELLED_VALUES},
                )
                return
            if (key, name) in seen:
                problems.add(
                    record.line,
                    Problem(
                        "duplicate", _("%(id)s is listed twice"), _("remove one of the two lines")
                    )
                    % {"id": shown(key)},
                )
            else:
                seen.add((key, name))
                yield RequestedChange(key, name, value, _IDS[ids[0]], record.line)


def _is_sound(line: int, names: Sequence[str], ids: Sequence[str], problems: Problems) -> bool:
    n_before = len(problems)
    if len(ids) != 1:
        problems.add(
            line,
            _("the header needs one id column: id, or item or context if both have the same id"),
        )
    if len(names) < 2:
        problems.add(
            line,
            Problem(
                "missing",
                _("the header names no column to change"),
                _("add a column, such as domain"),
            ),
        )
    if len(names) > MAX_COLUMNS:
        problems.add(
            line,
            Problem(
                "too_large",
                _("the table has %(n)s columns, but at most %(limit)s are possible"),
                _("remove some"),
            )
            % {"n": len(names), "limit": MAX_COLUMNS},
        )
        return False
    for number, name in enumerate(names, start=1):
        if not name:
            problems.add(
                line,
                Problem("missing", _("column %(n)s has no name"), _("name it or remove it"))
                % {"n": number},
            )
        elif name in names[: number - 1]:
            problems.add(
                line,
                Problem(
                    "duplicate", _("the column %(name)s occurs twice"), _("rename one of them")
                )
                % {"name": shown(name)},
            )
        elif problem := text_problem(name):
            problems.add(line, problem % {"field": _("column %(name)s") % {"name": shown(name)}})
        elif len(name) > NAME_LIMIT:
            field = _("the name of column %(n)s") % {"n": number}
            problems.add(line, length_problem(len(name), NAME_LIMIT) % {"field": field})
    return len(problems) == n_before
