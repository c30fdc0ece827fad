"""Further columns of an imported file that hold numbers, such as the values of a measure."""

import math
from typing import Any

from annotation.basics.reviewed import RESERVED
from annotation.items.imports.numbers import is_empty
from annotation.models import Study

# Squares of larger numbers are none that a float has.
MAX_VALUE = 1e100
# Columns that an imported file can have and that are no measure.
_TEXTS = {"question", RESERVED}
_CHUNK = 2000


def columns(study: Study) -> list[str]:
    """Names of the items' metadata that hold numbers and nothing else, in alphabetical order."""
    return sorted(_numbers(study))


def likely_scores(study: Study) -> str:
    """The column that looks most like people's scores: it has the most different values.

    Empty if there is no column of numbers. Whole numbers that are all different number the items.
    """
    numbers_by_column = _numbers(study)

    def likeliness(name: str) -> tuple[bool, int]:
        values = numbers_by_column[name]
        is_numbering = len(set(values)) == len(values) and all(v == int(v) for v in values)
        return not is_numbering, len(set(values))

    # Ties are broken alphabetically.
    return max(sorted(numbers_by_column), key=likeliness, default="")


def _numbers(study: Study) -> dict[str, list[float]]:
    """The columns of the items' metadata that hold only numbers: names and values."""
    numbers_by_column: dict[str, list[float] | None] = {}
    for metadata in study.items.values_list("metadata", flat=True).iterator(chunk_size=_CHUNK):
        for name, value in metadata.items():
            if name in _TEXTS or is_empty(value):
                continue
            number, values = value_of(value), numbers_by_column.setdefault(name, [])
            if number is None:
                numbers_by_column[name] = None
            elif values is not None:
                values.append(number)
    return {name: values for name, values in numbers_by_column.items() if values is not None}


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
