"""One table of a result as a paper prints it and as programs read it."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.exports.columns import Column
from annotation.exports.documents import latex
from annotation.exports.documents.figures import number
from annotation.queries.exporting import Cell


@dataclass(frozen=True)
class ResultTable:
    """Rows with every digit; `latex` is the same as a paper prints it."""

    # What its file is called by, without an ending.
    name: str
    about: str
    columns: list[Column]
    rows: list[Sequence[Cell]]
    latex: str


def result_table(
    name: str,
    about: str,
    columns: list[Column],
    rows: list[Sequence[Cell]],
    *,
    printed: Sequence[str],
    caption: str,
    notes: Sequence[str] = (),
) -> ResultTable:
    """A table whose LaTeX has the columns in `printed`, and numbers with three decimals."""
    names = [column.name for column in columns]
    places = [names.index(column) for column in printed]
    return ResultTable(
        name,
        about,
        columns,
        rows,
        latex.table(
            caption,
            f"tab:{name.replace('_', '-')}",
            [column.replace("_", " ") for column in printed],
            [[_printed(row[place]) for place in places] for row in rows],
            notes=notes,
        ),
    )


def _printed(cell: Cell) -> str:
    if isinstance(cell, int):
        return f"{cell:,}"
    return cell if isinstance(cell, str) else number(cell)
