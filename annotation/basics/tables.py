"""Exact tables: RFC 4180 quoting, `\\n`, UTF-8, numbers as they are."""

import csv
from collections.abc import Iterable, Iterator, Sequence

from annotation.basics.cells import Cell

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class _Echo:
    """A file for a csv writer, whose `writerow` then returns the record."""

    def write(self, record: str) -> str:
        return record


def lines(
    rows: Iterable[Sequence[Cell]], *, delimiter: str = "\t", spreadsheet: bool = False
) -> Iterator[str]:
    """One record a row, each with its line end.

    `spreadsheet`: texts that a spreadsheet would compute get one apostrophe in front.
    """
    # The csv module quotes what its own line end holds: a lone carriage return, too, which
    # readers take for a line end. Of a float it writes all digits, so that reading gives the same.
    writer = csv.writer(_Echo(), delimiter=delimiter, lineterminator="\r\n")
    for row in rows:
        cells = [_shielded(cell) for cell in row] if spreadsheet else row
        yield f"{writer.writerow(cells)[:-2]}\n"


def _shielded(cell: Cell) -> Cell:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
