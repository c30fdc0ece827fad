"""One table of a result as a paper prints it and as programs read it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.basics.cells import Cell
from annotation.basics.numbers import p_value
from annotation.core.exports.columns import Column, rows_of
from annotation.core.exports.figures import number
from annotation.core.exports.paper_tables import PaperTable


@dataclass(frozen=True)
class ResultTable:
    """Records with every digit; `printed` is the same as a paper prints it."""

    # The name of its file, without an ending.
    name: str
    about: str
    columns: list[Column]
    records: Sequence[Any]
    printed: PaperTable

    @property
    def latex(self) -> str:
        return self.printed.tex

    @property
    def rows(self) -> list[Sequence[Cell]]:
        """The cells of each record, in the order of the columns."""
        return list(rows_of(self.columns, self.records))


def result_table(
    name: str,
    about: str,
    columns: list[Column],
    records: Sequence[Any],
    *,
    printed: Sequence[str],
    caption: str,
    notes: Sequence[str] = (),
    words: Mapping[str, str] | None = None,
    p_values: Sequence[str] = (),
) -> ResultTable:
    """A table whose LaTeX has the columns in `printed`, and numbers with three decimals.

    `words` are what it says instead of names that programs read, of columns and in cells;
    `p_values` are the columns that have such.
    """
    words = words or {}
    names = [column.name for column in columns]
    places = [names.index(column) for column in printed]
    return ResultTable(
        name,
        about,
        columns,
        records,
        PaperTable(
            caption,
            f"tab:{name.replace('_', '-')}",
            [words.get(column, column.replace("_", " ")) for column in printed],
            [
                [
                    _printed(row[place], words, is_p_value=column in p_values)
                    for column, place in zip(printed, places, strict=True)
                ]
                for row in rows_of(columns, records)
            ],
            notes=notes,
        ),
    )


def _printed(cell: Cell, words: Mapping[str, str], *, is_p_value: bool) -> str:
    if isinstance(cell, int):
        return f"{cell:,}"
    if isinstance(cell, str):
        return words.get(cell, cell)
    return p_value(cell) if is_p_value and cell is not None else number(cell)


def number_column(name: str, meaning: str, value: Callable[[Any], Cell]) -> Column:
    """A column of numbers, also where every cell is empty."""
    return Column(name, meaning, value, is_number=True)


def reason_column(figures: Callable[[Any], Mapping[str, Any]]) -> Column:
    """Why cells are empty, as the figures of a record say it."""
    return Column("reason", "why cells are empty", lambda row: figures(row)["reason"] or "")
