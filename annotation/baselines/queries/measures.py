"""Values of a measure for the items of a study, from wherever they come.

Each source is a function that gives a `Measure`; what compares measures with people knows no more
of them.
"""

import io
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import IO, Any

from annotation.basics.errors import StateError
from annotation.basics.sentences import Said, ngettext
from annotation.basics.sentences import sentence as _
from annotation.items.imports.alike import AlikeProblems
from annotation.items.imports.lines import Record, read_lines, read_records
from annotation.items.imports.numbers import is_empty
from annotation.items.imports.problems import LISTED, Problems, key_problem, shown
from annotation.items.queries.number_columns import value_of
from annotation.kinds.rating.queries import baseline_pairs
from annotation.models import Baseline, Study

LIMIT_BYTES = 8 * 1024 * 1024
NAME_LIMIT = 100
_CHUNK = 2000


@dataclass(frozen=True)
class Measure:
    """Values of a measure for the items of a study."""

    name: str
    # Values by the key of the item; items may lack a value.
    values: Mapping[str, float]


def of_column(study: Study, name: str) -> Measure:
    """A measure that was imported with the items, as a further column or field of the file.

    Raises ImportProblemsError for a value that is no number.
    """
    problems = Problems()
    values = {}
    rows = study.items.order_by("number").values_list("key", "metadata")
    for key, metadata in rows.iterator(chunk_size=_CHUNK):
        value = metadata.get(name)
        if is_empty(value):
            continue
        number = value_of(value)
        if number is None:
            problems.add(
                None,
                _("item %(key)s: %(problem)s") % {"key": shown(key), "problem": _no_number(value)},
            )
        else:
            values[key] = number
    if not values and not problems:
        problems.add(
            None,
            _("no item has a value in the column %(name)s; choose another")
            % {"name": shown(name)},
        )
    problems.raise_if_any()
    return Measure(name, values)


def of_baseline(study: Study, baseline: Baseline) -> Measure:
    """Values that were computed here, or uploaded; items without one are left out.

    Raises StateError where they are of other texts than there are today.
    """
    if baseline.digest != baseline_pairs.digest(study):
        raise StateError(
            _("%(name)s was computed for an earlier set of items. Compute it again.")
            % {"name": baseline.name}
        )
    keys = study.items.without_checks().order_by("number").values_list("key", flat=True)
    values = baseline.array.tolist()
    return Measure(
        baseline.name,
        {key: value for key, value in zip(keys, values, strict=True) if math.isfinite(value)},
    )


def of_text(study: Study, name: str, text: str) -> Measure:
    """A table as somebody pasted it."""
    return of_file(study, name, io.BytesIO(text.encode(errors="surrogatepass")))


def of_file(study: Study, name: str, file: IO[bytes]) -> Measure:
    """A table with two columns, id and value; a first line that says so may be there.

    Raises ImportProblemsError with the first problems, each with its line and what to do.
    """
    problems = AlikeProblems()
    [(_head, values)] = _columns_of(study, file, problems, may_be_wide=False).items()
    problems.raise_if_any()
    return Measure(name, values)


def all_of_file(study: Study, name: str, file: IO[bytes]) -> list[Measure]:
    """The same, or a measure for each further column that the first line names.

    `name` stands before these names; it may be empty. In a table of several columns a cell may.
    """
    problems = AlikeProblems()
    columns_by_head = _columns_of(study, file, problems, may_be_wide=True)
    problems.raise_if_any()
    if len(columns_by_head) == 1:
        return [Measure(name, values) for values in columns_by_head.values()]
    return [
        Measure(f"{name}: {head}" if name else head, values)
        for head, values in columns_by_head.items()
    ]


def _columns_of(
    study: Study, file: IO[bytes], problems: Problems, *, may_be_wide: bool
) -> dict[str, dict[str, float]]:
    """The values of each column by its name; the name of a single column is empty."""
    lines = read_lines(file, problems, limit_bytes=LIMIT_BYTES)
    first = next((line for line in lines if line[1].strip()), (1, ""))
    delimiter = next((mark for mark in ("\t", ";", ",") if mark in first[1]), "\t")
    lines = chain([first], lines)
    records = read_records(lines, problems, delimiter=delimiter)
    known = {*study.items.values_list("key", flat=True)}
    columns_by_head = _values(records, known, problems, may_be_wide=may_be_wide)
    if not any(columns_by_head.values()) and not problems:
        problems.add(None, _("the table is empty; write one line per item: id, tab, number"))
    for head, values in columns_by_head.items():
        if not values and not problems:
            problems.add(
                None,
                _("the column %(name)s is empty; add values or remove the column")
                % {"name": shown(head)},
            )
    return columns_by_head


def _values(
    records: Iterable[Record], known: set[str], problems: Problems, *, may_be_wide: bool
) -> dict[str, dict[str, float]]:
    columns_by_head: dict[str, dict[str, float]] = {"": {}}
    lines_of: dict[str, int] = {}
    for place, record in enumerate(records):
        if len(problems) >= LISTED - 1:
            problems.add(
                None,
                _("these are the first %(n)s problems; lines from %(line)s on were not read")
                % {"n": len(problems), "line": record.line},
            )
            break
        cells = [cell.strip() for cell in record.cells]
        if not any(cells):
            continue
        if place == 0 and _is_header(cells, known, may_be_wide=may_be_wide):
            if len(cells) > 2:
                columns_by_head = {head: {} for head in _heads(record.line, cells[1:], problems)}
                if problems:
                    break
            continue
        if len(columns_by_head) > 1 and len(cells) != len(columns_by_head) + 1:
            problems.add(
                record.line,
                ngettext(
                    "%(n)s column, but the first line has %(all)s; use the same number",
                    "%(n)s columns, but the first line has %(all)s; use the same number",
                    len(cells),
                )
                % {"n": len(cells), "all": len(columns_by_head) + 1},
            )
            continue
        if len(columns_by_head) == 1 and len(cells) != 2:
            problems.add(
                record.line,
                ngettext(
                    "%(n)s column, but two are needed: an id and a number, separated by a tab",
                    "%(n)s columns, but two are needed: an id and a number, separated by a tab",
                    len(cells),
                )
                % {"n": len(cells)},
            )
            continue
        key, *texts = cells
        # Cells of a table of several measures may be empty; those of a single measure may not.
        given = [text for text in texts if text] if len(columns_by_head) > 1 else texts
        wrong = (_problem(key, text, known, lines_of.get(key)) for text in given or ["0"])
        if problem := next((reason for reason in wrong if reason), None):
            problems.add(record.line, problem)
            continue
        lines_of[key] = record.line
        for values, text in zip(columns_by_head.values(), texts, strict=True):
            value = value_of(text)
            if value is not None:
                values[key] = value
    return columns_by_head


def _is_header(cells: list[str], known: set[str], *, may_be_wide: bool) -> bool:
    """Whether a first line names the columns: its first cell is no id, the others no numbers."""
    fits = len(cells) >= 2 if may_be_wide else len(cells) == 2
    return fits and cells[0] not in known and all(value_of(cell) is None for cell in cells[1:])


def _heads(line: int, cells: list[str], problems: Problems) -> list[str]:
    """The names of several measures, each once."""
    for place, head in enumerate(cells):
        if not head:
            problems.add(line, _("column %(n)s has no name; write one") % {"n": place + 2})
        elif head in cells[:place]:
            problems.add(
                line,
                _("two columns are called %(name)s; give them different names")
                % {"name": shown(head)},
            )
    return cells


def _problem(key: str, text: str, known: set[str], before: int | None) -> Said:
    if problem := key_problem(key):
        return problem % {"field": "id"}
    if key not in known:
        return _("the study has no item %(key)s; correct the id or remove the line") % {
            "key": shown(key)
        }
    if before is not None:
        return _("%(key)s is already in line %(before)s; remove one of the two lines") % {
            "key": shown(key),
            "before": before,
        }
    if not text:
        return _("%(key)s has no value; write a number or remove the line") % {"key": shown(key)}
    return "" if value_of(text) is not None else _no_number(text)


def _no_number(value: Any) -> Said:
    return _("%(value)s is not a number; write a number such as 0.83, or remove the value") % {
        "value": shown(str(value))
    }
