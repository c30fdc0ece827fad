"""Batch results of Mechanical Turk: a CSV with a row for each assignment."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from annotation.basics.sentences import Problem
from annotation.basics.sentences import sentence as _
from annotation.items.imports.foreign.entries import Entry, Remarks, checked
from annotation.items.imports.json_lines import refuse_too_large
from annotation.items.imports.lines import Lines, Record, delimiter_of, look_further, read_records
from annotation.items.imports.problems import Problems, cells_problem, shown

INPUT, ANSWER = "Input.", "Answer."
# Forms of the newer kind write all of their answers into this one column.
_ALL_IN_ONE = "Answer.taskAnswers"
_TIME, _MOMENT = "WorkTimeInSeconds", "SubmitTime"
_NEEDED = ("AssignmentId", "WorkerId")


def read(
    lines: Lines, problems: Problems, remarks: Remarks, *, limit_bytes: int
) -> Iterator[Entry]:
    """Answers in the order of the file; those of rejected assignments only if asked for."""
    first = next(lines, None)
    if first is None:
        return
    header_line = first[1]

    def all_lines() -> Lines:
        yield first
        yield from lines

    delimiter = delimiter_of(header_line)
    # A spreadsheet saves semicolons if the comma is the decimal mark.
    if _NEEDED[0] in [name.strip().strip('"') for name in header_line.split(";")]:
        delimiter = ";"
    records = read_records(all_lines(), problems, delimiter=delimiter)
    header = next(records, None)
    names = [name.strip() for name in header.cells] if header else []
    if header is None or not _is_sound(header.line, names, problems):
        look_further(records)
        return
    seen: dict[str, int] = {}
    for record in records:
        if entry := _entry(record, names, problems, remarks, seen):
            yield checked(entry, problems)


def _is_sound(line: int, names: list[str], problems: Problems) -> bool:
    n_before = len(problems)
    for name in _NEEDED:
        if name not in names:
            problems.add(
                line,
                Problem(
                    "missing",
                    _("column %(name)s is missing"),
                    _(
                        "download the results of the batch as CSV and leave its columns as they"
                        " are"
                    ),
                )
                % {"name": name},
            )
    for prefix in (INPUT, ANSWER):
        if not any(name.startswith(prefix) for name in names):
            problems.add(
                line,
                Problem(
                    "missing",
                    _("there is no column whose name begins with %(prefix)s"),
                    _("choose another format"),
                )
                % {"prefix": prefix},
            )
    for name, n in Counter(name for name in names if name).items():
        if n > 1:
            problems.add(
                line,
                Problem(
                    "duplicate", _("the column %(name)s occurs twice"), _("remove one of them")
                )
                % {"name": name},
            )
    return len(problems) == n_before


def _entry(
    record: Record,
    names: list[str],
    problems: Problems,
    remarks: Remarks,
    seen: dict[str, int],
) -> Entry | None:
    if not record.cells:
        return None
    if len(record.cells) != len(names):
        problems.add(
            record.line,
            cells_problem(len(record.cells), len(names)),
        )
        return None
    row = dict(zip(names, record.cells, strict=True))
    before = seen.setdefault(row["AssignmentId"], record.line)
    if before != record.line:
        problems.add(
            record.line,
            Problem(
                "duplicate",
                _("AssignmentId %(id)s is that of line %(before)s"),
                _("remove one of the two lines"),
            )
            % {"id": shown(row["AssignmentId"]), "before": before},
        )
        return None
    status = row.get("AssignmentStatus", "").strip().lower()
    if status == "rejected" and not remarks.with_rejected:
        remarks.left_out["rejected"] += 1
        return None
    if status not in {"approved", "submitted", "rejected", ""}:
        problems.add(
            record.line,
            Problem(
                "wrong_value",
                _("AssignmentStatus is %(status)s"),
                _("write Approved, Submitted or Rejected"),
            )
            % {"status": shown(row["AssignmentStatus"])},
        )
        return None
    answers = _answers(record.line, row, problems)
    if answers is None:
        return None
    return Entry(
        record.line,
        {name: text for name, text in row.items() if name.startswith(INPUT)},
        answers,
        row["WorkerId"],
        remarks.milliseconds(record.line, _TIME, row.get(_TIME)),
        remarks.moment(record.line, _MOMENT, row.get(_MOMENT)),
    )


def _answers(
    line: int, row: dict[str, str], problems: Problems
) -> dict[str, tuple[str, ...]] | None:
    """Answers by column. Columns like Answer.best.item2, true in one of them, are one answer."""
    cells = {name: text for name, text in row.items() if name.startswith(ANSWER)}
    chosen_by_name: dict[str, tuple[str, ...]] = {}
    if packed := cells.pop(_ALL_IN_ONE, ""):
        refuse_too_large(line, packed, problems)
        try:
            answers = json.loads(packed)
        except (ValueError, RecursionError):
            answers = None
        of_forms = answers if isinstance(answers, list) else [answers]
        if not of_forms or not all(isinstance(form, dict) for form in of_forms):
            problems.add(
                line,
                Problem(
                    "unreadable",
                    _("%(field)s is not a JSON object"),
                    _("leave the cell as Mechanical Turk wrote it"),
                )
                % {"field": _ALL_IN_ONE},
            )
            return None
        for number, form in enumerate(of_forms, start=1):
            # If a task has several forms, the number of the form is appended to the name.
            behind = str(number) if len(of_forms) > 1 else ""
            for name, value in form.items():
                chosen_by_name |= _named_choices(f"{ANSWER}{name}{behind}", value)
    for name, text in cells.items():
        stem, dot, choice = name.removeprefix(ANSWER).rpartition(".")
        if dot and text.strip().lower() in {"true", "false", "on", "off", ""}:
            chosen = chosen_by_name.get(ANSWER + stem, ())
            is_on = text.strip().lower() in {"true", "on"}
            chosen_by_name[ANSWER + stem] = (*chosen, choice) if is_on else chosen
        else:
            # Ticked boxes of a group are written like this.
            parts = tuple(part for part in text.split("|") if part.strip())
            chosen_by_name[name] = parts
    return chosen_by_name


def _named_choices(name: str, value: Any) -> dict[str, tuple[str, ...]]:
    """The answers below a name: fields that stand together may be an object of their own."""
    if isinstance(value, dict) and value.keys() <= {"label", "labels"}:
        # The element crowd-classifier writes a choice like this.
        return {
            name: tuple(text for inner_value in value.values() for text in _choices(inner_value))
        }
    if isinstance(value, dict) and not all(
        isinstance(inner_value, bool) for inner_value in value.values()
    ):
        choices: dict[str, tuple[str, ...]] = {}
        for inner, inner_value in value.items():
            choices |= _named_choices(f"{name}.{inner}", inner_value)
        return choices
    return {name: _choices(value)}


def _choices(value: Any) -> tuple[str, ...]:
    if isinstance(value, dict):
        return tuple(str(name) for name, is_on in value.items() if is_on is True)
    if isinstance(value, list):
        return tuple(str(element) for element in value)
    return () if value in (None, "") else (str(value),)
