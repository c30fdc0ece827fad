"""A column of a table, and what the READMEs of all exports have in common."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import Any

from annotation.basics import tables
from annotation.basics.cells import Cell
from annotation.basics.scale import plain
from annotation.core.queries.counted_answers import Population
from annotation.core.queries.run_status import STATUSES
from annotation.models import Check


@dataclass(frozen=True)
class Column:
    """One column of a table: its name, what it means, and its value in a record.

    A table without values gets rows of cells in the order of its columns.
    """

    name: str
    meaning: str
    value: Callable[[Any], Cell] | None = None
    # Its cells are numbers, though they are written as texts: as decimals, digit by digit.
    is_number: bool = False
    # Its name was written by others, and says nothing of what it holds.
    is_named_by_others: bool = False

    @property
    def is_moment(self) -> bool:
        return self.name.endswith("_at") and not self.is_named_by_others

    @property
    def is_comment(self) -> bool:
        """Whether it holds what annotators wrote beside their answers."""
        return self.name == "comment" and not self.is_named_by_others


def cells(columns: Sequence[Column], records: Iterable[Any]) -> Iterator[list[Cell]]:
    """The rows of a table whose columns all have values."""
    values = [column.value for column in columns if column.value is not None]
    assert len(values) == len(columns), "some columns have no value"
    for record in records:
        yield [value(record) for value in values]


def rows_of(columns: Sequence[Column], records: Iterable[Any]) -> Iterable[Sequence[Cell]]:
    """The rows of a table; the records of one whose columns have no values are its rows."""
    return cells(columns, records) if columns and columns[0].value else records


def lines(
    columns: Sequence[Column], records: Iterable[Any], *, spreadsheet: bool = False
) -> Iterator[str]:
    """A table as a file: the names of its columns, then a line for each record."""
    names = [column.name for column in columns]
    return tables.lines(chain([names], rows_of(columns, records)), spreadsheet=spreadsheet)


def columns_by_name(meanings: Mapping[str, str]) -> list[Column]:
    """Columns of records that call what they hold by the columns' names; these in their order."""
    return [Column(name, meaning, itemgetter(name)) for name, meaning in meanings.items()]


def check_columns(check_of: Callable[[Any], Check | None] | None = None) -> list[Column]:
    """What makes an item a check, as the columns of an imported file say it."""
    style, explanation, tolerance = _values_of_checks(check_of) if check_of else (None,) * 3
    return [
        Column(
            "check",
            "kind of attention check: `tutorial` (the annotator sees an explanation after"
            " answering), `loud` (the annotator is asked again after a wrong answer) or `silent`"
            " (the annotator is told nothing). Empty for items that are no check",
            style,
        ),
        Column(
            "explanation",
            "the explanation that annotators see after answering a `tutorial` check",
            explanation,
        ),
        Column(
            "tolerance",
            "how far a rating may be from the known answer and still be right; empty means 0",
            tolerance,
            is_number=True,
        ),
    ]


POPULATIONS_IN_WORDS: dict[Population, str] = {
    "people": "All answers were given by people. Simulated answers are not included.",
    "simulated": "**The answers are simulated: no human being gave them.** They show how the"
    " study works. They say nothing about the texts.",
}

PSEUDONYM = "the annotator's pseudonym, as in `judgments.tsv`"
SOURCE = (
    "where the answers come from: `real` (people answered in Likeness), `imported` (from a file of"
    " existing answers) or `simulated`"
)
STATUS = (
    "whether the answer counts: `counted`, or the reason why it does not. The README explains the"
    " values under *Which answers count*"
)
SHOWN_AT = "when the annotator opened the screen (ISO 8601, UTC, milliseconds)"
ANSWERED_AT = "when the server stored the answer (ISO 8601, UTC, milliseconds)"
SUPERSEDED_AT = (
    "when the annotator replaced this answer by a later one (ISO 8601, UTC, milliseconds); empty"
    " if never"
)
ACTIVE_MS = (
    "active time in milliseconds: how long the annotator used the page for this answer, as"
    " measured by the browser; empty if it was not measured"
)
# The rows of `judgments.tsv`.
ABOUT_JUDGMENTS = (
    "All answers, except those to attention checks, in the order in which they were stored. This"
    " includes answers that do not count."
)
# The words that READMEs use, as `docs/glossary.md` explains them.
WORDS = {
    "item": "what receives a score or a label: a text, or a pair of texts. The two texts of a"
    " pair are called *target* and *candidate*",
    "pool": "items that are compared with each other, such as the candidates of one dialogue",
    "tuple": "a small group of items that are shown together",
    "context": "the dialogue or document that a text belongs to; its parts are called *turns*",
    "incident": "an event with a summary and several reports",
    "annotator": "a person who answers questions. Annotators appear under random pseudonyms",
    "booklet": "a set of questions that a person answers, screen by screen. Several people can"
    " answer the same booklet",
    "phase": "one pass through a booklet",
    "main block": "the questions that collect the data. The other blocks of a booklet are the"
    " calibration (items with known answers, which everybody rates first) and the repeats (items"
    " that a person answers a second time)",
}

_READING = """\
## How to read the tables

The columns of a `.tsv` file are separated by tabs, those of a `.csv` file by commas. The first
line contains the names of the columns. An empty cell means that there is no value. Numbers are
not rounded. Texts are exactly as they were imported. Read every text column as text, because an
item may be the word `None`, `nan` or `false`. In Python:

    pandas.read_csv("{first}", sep="\\t", dtype=str, keep_default_na=False)

The encoding is UTF-8, and lines end with `\\n`. A field that contains the separator, a quotation
mark or a line break is enclosed in quotation marks. Quotation marks in such a field are doubled
(RFC 4180).
"""

_SPREADSHEET = """\
**This is the copy for spreadsheets.** Texts that begin with =, +, -, @, a tab or a carriage return
have an apostrophe in front, so that a spreadsheet does not take them for formulas. For all other
purposes, use the exact export.
"""

_COUNTING = """\
## Which answers count

Scores and statistics use only the answers that count. The column `status` of `judgments.tsv` says
which these are:

{statuses}

A booklet has one place for each person who should answer it. For each place{phase}, the answers of
one person count: normally the person who completed it first. If this person withdraws, or if the
submission is returned or rejected on a platform, the answers of the next person who completed the
same place count instead. On a platform that reports submissions, such as Prolific, answers count
only after the platform has confirmed the submission. If a researcher excludes a person, nobody's
answers count for that place unless it was given to somebody else.

The answers of people who withdrew are deleted. `study.json` says how many there were.
"""

COMMANDS = """\
## How to run the commands

The commands in this README that begin with `python -m scoring` compute statistics from the files.
`scoring` is the Python package that Likeness computes its statistics with. It is part of the
source code of Likeness, which is free software. Get the source code, open a terminal in its folder
and run `pip install .` with Python 3.11 or newer. Then run the commands in the folder of this
README. `versions` in `study.json` names the version of Likeness that wrote these files.
"""

STATISTICS = {"statistics": "the latest statistics; null if none were computed."}
SUMS = """\
## SHA256SUMS

The checksums of the other files. To check that no file was damaged, run `sha256sum -c SHA256SUMS`.
Two exports of the same data with the same options are identical, except for `exported_at` in
`study.json` and the checksum of `study.json`.
"""


def opening(
    title: str,
    about: str,
    *,
    first: str,
    start: str,
    words: Sequence[str],
    population: Population | None = None,
    note: str = "",
    spreadsheet: bool,
) -> list[str]:
    """What every README begins with: what the study is, where to start, how to read the tables.

    `start` says what is in which file, `first` is the table to open first, and `words` are those
    of `WORDS` that the README uses.
    """
    return [
        f"# {' '.join(title.split())}\n",
        f"{about}\n",
        *([f"{POPULATIONS_IN_WORDS[population]}\n"] if population is not None else []),
        *([f"{note}\n"] if note else []),
        *([_SPREADSHEET] if spreadsheet else []),
        f"## Where to start\n\n{start}\n",
        "This README uses these words:\n",
        "".join(f"- **{word}**: {WORDS[word]}.\n" for word in words),
        _READING.format(first=first),
    ]


def which_answers_count(*, has_phases: bool = False, more: str = "") -> str:
    """The section that explains `status`; `more` are the kind's own sentences."""
    statuses = "\n".join(f"- `{status}`: {meaning}." for status, meaning in STATUSES.items())
    phase = " and phase" if has_phases else ""
    text = _COUNTING.format(statuses=statuses, phase=phase)
    return f"{text}\n{more}" if more else text


def _values_of_checks(
    check_of: Callable[[Any], Check | None],
) -> tuple[Callable[[Any], Cell], ...]:
    return tuple(
        lambda record, place=place: check_cells(check_of(record))[place] for place in range(3)
    )


def about_study_json(entries: Mapping[str, str]) -> str:
    """The section on the file with everything that is no table; `entries`: those of the kind."""
    of_kind = {f"`{name}`": meaning for name, meaning in entries.items()}
    meanings = {
        "`exported_at`, `population` and `note`": "when this was exported, and whose answers it"
        " contains.",
        **of_kind,
        "`result`": "when and how these statistics were computed. `is_current` says whether they"
        " belong to exactly the answers in these files.",
        "`versions`": "the versions of the software.",
    }
    listed = (f"- {names}: {meaning}\n" for names, meaning in meanings.items())
    return "## study.json\n\nOne JSON object with everything that is not a table:\n\n" + "".join(
        listed
    )


def column_line(column: Column) -> str:
    """The line of a README that explains a column."""
    # A name that others wrote may have any character: a line stays a line, and a cell a cell.
    name = " ".join(column.name.split()).replace("`", "'").replace("|", "\\|")
    return f"| `{name}` | {column.meaning} |"


def section(name: str, sentence: str, columns: list[Column]) -> str:
    rows = "\n".join(map(column_line, columns))
    return f"## {name}\n\n{sentence}\n\n| column | meaning |\n|---|---|\n{rows}\n"


def check_cells(check: Check | None) -> tuple[Cell, ...]:
    """What makes an item a check, as the columns of an imported file say it."""
    if check is None:
        return "", "", None
    tolerance = plain(check.tolerance) if check.tolerance else None
    return check.style, check.explanation, tolerance
