"""Exact tables: RFC 4180 quoting, `\\n`, UTF-8, numbers as they are."""

from collections.abc import Iterable, Iterator, Sequence

from annotation.basics.cells import Cell

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def lines(
    rows: Iterable[Sequence[Cell]], *, delimiter: str = "\t", spreadsheet: bool = False
) -> Iterator[str]:
    """One record a row, each with its line end.

    `spreadsheet`: texts that a spreadsheet would compute get one apostrophe in front.
    """
    for row in rows:
        yield delimiter.join(_cell(value, delimiter, spreadsheet) for value in row) + "\n"


def _cell(value: Cell, delimiter: str, spreadsheet: bool) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        # All digits that a float has, so that reading gives the same number.
        return repr(value)
    if spreadsheet and value.startswith(_FORMULA):
        value = f"'{value}"
    # The csv module leaves a lone carriage return unquoted, which readers take for a line end.
    # Written out: of millions of cells a loop over the four takes half of the time.
    if delimiter in value or '"' in value or "\n" in value or "\r" in value:
        return '"' + value.replace('"', '""') + '"'
    return value
