"""Reading a table of two texts a line, which nobody has judged."""

from itertools import chain
from typing import IO

from annotation.basics.sentences import Problem, ngettext
from annotation.basics.sentences import sentence as _
from annotation.items.imports.lines import delimiter_of, look_ahead, read_lines, read_records
from annotation.items.imports.problems import Problems, item_text_problem

LIMIT_BYTES = 20 * 1024**2
# A first line that names the columns, in whichever of the usual ways.
HEADERS = {
    ("first", "second"),
    ("target", "candidate"),
    ("text1", "text2"),
    ("sentence1", "sentence2"),
}


def read(file: IO[bytes]) -> list[tuple[str, str]]:
    """The pairs, in their order.

    Raises ImportProblemsError with the first problems, each with its line and what to do.
    """
    problems = Problems()
    lines = read_lines(file, problems, limit_bytes=LIMIT_BYTES)
    first = next((line for line in lines if line[1].strip()), (1, ""))
    ahead = look_ahead(lines)
    delimiter = delimiter_of(first[1], [text for _number, text in ahead])
    records = read_records(chain([first], ahead, lines), problems, delimiter=delimiter)
    pairs = []
    for place, record in enumerate(records):
        cells = [cell.strip() for cell in record.cells]
        named = tuple(cell.casefold() for cell in cells)
        if not any(cells) or (place == 0 and named in HEADERS):
            continue
        if len(cells) != 2:
            problems.add(
                record.line,
                ngettext(
                    "%(n)s column, but two are needed: the two texts, with a tab between",
                    "%(n)s columns, but two are needed: the two texts, with a tab between",
                    len(cells),
                )
                % {"n": len(cells)},
            )
            continue
        if not all(cells):
            problems.add(
                record.line, Problem("missing", _("one of the two texts is empty"), _("give both"))
            )
            continue
        for cell in cells:
            if problem := item_text_problem(cell):
                problems.add(record.line, problem % {"field": _("the text")})
                break
        else:
            pairs.append((cells[0], cells[1]))
    if not pairs and not len(problems):
        problems.add(
            None,
            Problem(
                "missing",
                _("there are no pairs"),
                _("write lines of two texts with a tab between"),
            ),
        )
    problems.raise_if_any()
    return pairs
