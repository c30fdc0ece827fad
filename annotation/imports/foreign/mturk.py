"""Batch results of Mechanical Turk: a CSV with a row for each assignment."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from annotation.imports.foreign.entries import Entry, milliseconds, moment
from annotation.imports.lines import Lines, Record, delimiter_of, read_records
from annotation.imports.problems import Problems, shown
from annotation.sentences import sentence as _

INPUT, ANSWER = "Input.", "Answer."
# Forms of the newer kind write all of their answers into this one column.
_ALL_IN_ONE = "Answer.taskAnswers"
_NEEDED = ("AssignmentId", "WorkerId")


def read(
    lines: Lines, problems: Problems, left_out: Counter[str], *, limit_bytes: int
) -> Iterator[Entry]:
    """Answers of assignments that were not rejected, in the order of the file."""
    first = next(lines, None)
    if first is None:
        return
    header_line = first[1]

    def all_lines() -> Lines:
        yield first
        yield from lines

    delimiter = delimiter_of(header_line)
    if ";" in header_line and "," not in header_line:
        delimiter = ";"
    records = read_records(all_lines(), problems, delimiter=delimiter, limit_bytes=limit_bytes)
    header = next(records, None)
    names = [name.strip() for name in header.cells] if header else []
    if header is None or not _is_sound(header.line, names, problems):
        for _record in records:
            pass  # what is wrong with the lines themselves is said all the same
        return
    seen: dict[str, int] = {}
    for record in records:
        if entry := _entry(record, names, problems, left_out, seen):
            yield entry


def _is_sound(line: int, names: list[str], problems: Problems) -> bool:
    n_before = len(problems)
    for name in _NEEDED:
        if name not in names:
            problems.add(
                line,
                _(
                    "column %(name)s is missing; download the results of the batch as CSV and"
                    " leave its columns as they are"
                )
                % {"name": name},
            )
    for prefix in (INPUT, ANSWER):
        if not any(name.startswith(prefix) for name in names):
            problems.add(
                line,
                _("there is no column whose name begins with %(prefix)s; choose another format")
                % {"prefix": prefix},
            )
    for name, n in Counter(name for name in names if name).items():
        if n > 1:
            problems.add(
                line, _("column %(name)s occurs twice; remove one of them") % {"name": name}
            )
    return len(problems) == n_before


def _entry(
    record: Record,
    names: list[str],
    problems: Problems,
    left_out: Counter[str],
    seen: dict[str, int],
) -> Entry | None:
    if not record.cells:
        return None
    if len(record.cells) != len(names):
        problems.add(
            record.line,
            _("%(n)s columns, but the header has %(wanted)s; put texts into quotation marks")
            % {"n": len(record.cells), "wanted": len(names)},
        )
        return None
    row = dict(zip(names, record.cells, strict=True))
    before = seen.setdefault(row["AssignmentId"], record.line)
    if before != record.line:
        problems.add(
            record.line,
            _("AssignmentId %(id)s is that of line %(before)s; remove one of the two lines")
            % {"id": shown(row["AssignmentId"]), "before": before},
        )
        return None
    status = row.get("AssignmentStatus", "").strip().lower()
    if status == "rejected":
        left_out["rejected"] += 1
        return None
    if status not in {"approved", "submitted", ""}:
        problems.add(
            record.line,
            _("AssignmentStatus is %(status)s; write Approved, Submitted or Rejected")
            % {"status": shown(row["AssignmentStatus"])},
        )
        return None
    said = _said(record.line, row, problems)
    if said is None:
        return None
    return Entry(
        record.line,
        {name: text for name, text in row.items() if name.startswith(INPUT)},
        said,
        row["WorkerId"],
        milliseconds(row.get("WorkTimeInSeconds")),
        moment(row.get("SubmitTime")),
    )


def _said(line: int, row: dict[str, str], problems: Problems) -> dict[str, tuple[str, ...]] | None:
    """Answers by column. Columns like Answer.best.item2, true in one of them, are one answer."""
    cells = {name: text for name, text in row.items() if name.startswith(ANSWER)}
    said: dict[str, tuple[str, ...]] = {}
    if packed := cells.pop(_ALL_IN_ONE, ""):
        try:
            answers = json.loads(packed)
        except (ValueError, RecursionError):
            answers = None
        if isinstance(answers, list) and answers:
            answers = answers[0]
        if not isinstance(answers, dict):
            problems.add(
                line,
                _("%(field)s is no JSON object; leave the cell as Mechanical Turk wrote it")
                % {"field": _ALL_IN_ONE},
            )
            return None
        said |= {f"{ANSWER}{name}": _choices(value) for name, value in answers.items()}
    for name, text in cells.items():
        stem, dot, choice = name.removeprefix(ANSWER).rpartition(".")
        if dot and text.strip().lower() in {"true", "false", "on", "off", ""}:
            chosen = said.get(ANSWER + stem, ())
            is_on = text.strip().lower() in {"true", "on"}
            said[ANSWER + stem] = (*chosen, choice) if is_on else chosen
        else:
            # As a group of boxes that were ticked is written.
            parts = tuple(part for part in text.split("|") if part.strip())
            said[name] = parts
    return said


def _choices(value: Any) -> tuple[str, ...]:
    if isinstance(value, dict):
        return tuple(str(name) for name, is_on in value.items() if is_on is True)
    if isinstance(value, list):
        return tuple(str(one) for one in value)
    return () if value in (None, "") else (str(value),)
