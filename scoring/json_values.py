"""Arrays and floats as plain JSON types: nan has no place in JSON and becomes None."""

import math
from typing import TypeAlias

import numpy as np

from scoring.arrays import FloatArray

JsonValue: TypeAlias = str | int | float | bool | list["JsonValue"] | dict[str, "JsonValue"] | None
JsonObject: TypeAlias = dict[str, JsonValue]


def json_number(value: float) -> float | None:
    """The value as a Python float; None if it is nan or infinite."""
    return float(value) if math.isfinite(value) else None


def json_numbers(values: FloatArray) -> JsonValue:
    """The array as nested lists of Python floats, None in place of nan or infinity."""
    # An array of objects, because a loop over the scores of a large study takes seconds.
    listed = values.astype(object)
    listed[~np.isfinite(values)] = None
    plain: JsonValue = listed.tolist()
    return plain
