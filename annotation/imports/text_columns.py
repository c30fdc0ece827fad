"""Reading two columns of texts that are not pairs yet, and need not be equally long."""

from itertools import chain
from pathlib import Path
from typing import IO

from annotation.imports.lines import opened, read_lines, read_records
from annotation.imports.problems import Problems, text_problem
from annotation.imports.text_pairs import HEADERS
from annotation.sentences import ngettext
from annotation.sentences import sentence as _

Columns = tuple[list[str], list[str]]


def read(source: str | Path | IO[bytes], *, limit_bytes: int) -> Columns:
    """The texts of both columns.

    Raises ImportProblemsError with the first problems, each with its line and what to do.
    """
    problems = Problems()
    columns: Columns = ([], [])
    with opened(source) as file:
        lines = read_lines(file, problems, limit_bytes=limit_bytes)
        first = next((line for line in lines if line[1].strip()), (1, ""))
        records = read_records(
            chain([first], lines),
            problems,
            delimiter="\t" if "\t" in first[1] else ",",
            limit_bytes=limit_bytes,
        )
        for place, record in enumerate(records):
            cells = [cell.strip() for cell in record.cells]
            named = tuple(cell.casefold() for cell in cells)
            if not any(cells) or (place == 0 and named in HEADERS):
                continue
            if len(cells) != 2:
                problems.add(
                    record.line,
                    ngettext(
                        "%(n)s column, but two are needed, of which one may be empty",
                        "%(n)s columns, but two are needed, of which one may be empty",
                        len(cells),
                    )
                    % {"n": len(cells)},
                )
                continue
            for cell, column in zip(cells, columns, strict=True):
                if problem := text_problem(cell):
                    problems.add(record.line, problem % {"field": _("the text")})
                elif cell:
                    column.append(cell)
    if not len(problems) and not columns[0]:
        problems.add(None, _("the first column has no text"))
    if not len(problems) and not columns[1]:
        problems.add(None, _("the second column has no text"))
    problems.raise_if_any()
    return columns
