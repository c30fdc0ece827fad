"""Further columns of an imported file that hold numbers, such as the values of a measure."""

import math
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from annotation.basics.reviewed import RESERVED
from annotation.core.queries.kept_while_items_stay import kept_while_items_stay
from annotation.items.imports.numbers import is_empty
from annotation.models import Study

# Squares of larger numbers are none that a float has.
MAX_VALUE = 1e100
# Columns that an imported file can have and that are no measure.
_TEXTS = {"question", RESERVED}
_CHUNK = 2000


@dataclass(frozen=True)
class NumberColumn:
    name: str
    n_different: int
    # Whole numbers that are all different number the items.
    is_numbering: bool
    # Some of them have a decimal comma, which other programs do not read.
    has_commas: bool


def columns(study: Study) -> list[str]:
    """Names of the items' metadata that hold numbers and nothing else, in alphabetical order."""
    return [column.name for column in _columns(study)]


def plain_columns(study: Study) -> list[str]:
    """Those whose numbers any program reads as they were written."""
    return [column.name for column in _columns(study) if not column.has_commas]


def likely_scores(study: Study) -> str:
    """The column that looks most like people's scores: it has the most different values.

    Empty if there is no column of numbers. Ties are broken alphabetically.
    """

    def likeliness(column: NumberColumn) -> tuple[bool, int]:
        return not column.is_numbering, column.n_different

    likeliest = max(_columns(study), key=likeliness, default=None)
    return likeliest.name if likeliest else ""


def _columns(study: Study) -> list[NumberColumn]:
    return kept_while_items_stay("numbers", study, lambda: _read(study))


def _read(study: Study) -> list[NumberColumn]:
    # Arrays: as objects the numbers of a large table would fill hundreds of megabytes.
    values_by_column: dict[str, array[float] | None] = {}
    commas: set[str] = set()
    for metadata in study.items.values_list("metadata", flat=True).iterator(chunk_size=_CHUNK):
        for name, value in metadata.items():
            if name in _TEXTS or is_empty(value):
                continue
            number, values = value_of(value), values_by_column.setdefault(name, array("d"))
            if number is None:
                values_by_column[name] = None
            elif values is not None:
                values.append(number)
                if isinstance(value, str) and "," in value:
                    commas.add(name)
    return [
        NumberColumn(
            name,
            n_different,
            is_numbering=n_different == len(values) and _are_whole(values),
            has_commas=name in commas,
        )
        for name, values in sorted(values_by_column.items())
        if values is not None
        for n_different in [len(set(values))]
    ]


def _are_whole(values: Iterable[float]) -> bool:
    return all(value.is_integer() for value in values)


def value_of(value: Any) -> float | None:
    """The number that a cell or a JSON value is; None for everything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text = _as_written(value.strip()) if isinstance(value, str) else value
    # Refuse texts that only Python reads as numbers, such as 1_000 or nan.
    if isinstance(text, str) and not set(text) <= set("0123456789+-.eE"):
        return None
    try:
        number = float(text)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and abs(number) <= MAX_VALUE else None


def _as_written(text: str) -> str:
    # 0,83 where the comma is the decimal mark; no thousands.
    return text.replace(",", ".") if text.count(",") == 1 and "." not in text else text
