"""Moments in the tables of a release as days: a millisecond under a pseudonym may name somebody.

How long things took stands in columns of its own and stays as it is.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from annotation.basics.cells import Cell, as_json
from annotation.core.exports.columns import Column

_DAY = len("2026-11-24")
_EXACT, _COARSE = "ISO 8601, UTC, milliseconds", "only the day, in UTC"


def said_of_days(text: str) -> str:
    """What a column means, or a text that explains columns, where moments are days."""
    return text.replace(_EXACT, _COARSE)


def columns_of_days(columns: Sequence[Column]) -> list[Column]:
    return [replace(column, meaning=said_of_days(column.meaning)) for column in columns]


def rows_of_days(
    columns: Sequence[Column], rows: Iterable[Sequence[Cell]]
) -> Iterable[Sequence[Cell]]:
    places = [n for n, column in enumerate(columns) if column.is_moment]
    return _coarsened(places, rows) if places else rows


def _coarsened(places: list[int], rows: Iterable[Sequence[Cell]]) -> Iterator[Sequence[Cell]]:
    for row in rows:
        coarse = list(row)
        for n in places:
            coarse[n] = _day(coarse[n])
        yield coarse


def _day(cell: Cell) -> Cell:
    if not isinstance(cell, str):
        return cell
    if cell.startswith("["):
        return as_json([moment[:_DAY] for moment in json.loads(cell)])
    return cell[:_DAY]
