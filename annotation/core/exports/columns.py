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
            "`tutorial`, `loud` or `silent` where the item is a check, which is in no score; else"
            " empty",
            style,
        ),
        Column("explanation", "what a tutorial says of its answer", explanation),
        Column(
            "tolerance",
            "how far from the known answer a rating is still right; empty: 0",
            tolerance,
            is_number=True,
        ),
    ]


POPULATIONS_IN_WORDS: dict[Population, str] = {
    "people": "The answers are those of people (given here, or imported). Simulated answers, if"
    " there are any, are not among them.",
    "simulated": "**The answers are simulated: no human being gave them.** They show how the"
    " study works, and nothing about the texts.",
}

OF_PLATFORMS = (
    "What somebody sent who came by a platform is scored once the platform has confirmed the"
    " submission, and no longer once it was returned or rejected: then of that place and phase"
    " those of whoever completed it next are."
)

_FORMAT = """\
The tables are UTF-8 with `\\n` line ends. Fields with a tab (in `.csv`: a comma), a quotation
mark or a line break inside stand in quotation marks, and each quotation mark inside is written
twice (RFC 4180). Numbers have all their digits. Texts are exactly those that were imported: read
every text column as text, because an item may be the word `None`, `nan` or `false`. In Python:

    pandas.read_csv("items.tsv", sep="\\t", dtype=str, keep_default_na=False)
"""

_SPREADSHEET = """\
**This is the copy for spreadsheets:** texts that begin with = + - @, a tab or a return have one
apostrophe in front, because a spreadsheet would compute them. For anything else use the exact
export.
"""


def opening(
    title: str,
    about: str,
    *,
    population: Population | None = None,
    note: str = "",
    spreadsheet: bool,
) -> list[str]:
    """What every README begins with: what the study is, who counts, and how to read the tables."""
    return [
        f"# {' '.join(title.split())}\n",
        f"{about}\n",
        *([f"{POPULATIONS_IN_WORDS[population]}\n"] if population is not None else []),
        *([f"{note}\n"] if note else []),
        _FORMAT,
        *([_SPREADSHEET] if spreadsheet else []),
    ]


def _values_of_checks(
    check_of: Callable[[Any], Check | None],
) -> tuple[Callable[[Any], Cell], ...]:
    return tuple(
        lambda record, place=place: check_cells(check_of(record))[place] for place in range(3)
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
