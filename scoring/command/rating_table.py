"""Alpha of a table of ratings with the columns annotator, unit and value."""

import argparse
import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.command.tables import Table, read_table, write_json
from scoring.json_values import json_number
from shell import InputError

Level: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]


@dataclass(frozen=True, eq=False)
class ValueTable:
    """How often each unit was given each value.

    Parameters
    ----------
    counts : int array, shape (n_units, v)
        Values of each unit; units with fewer than two are not among them.
    domain : float array, shape (v,)
        The distinct values, ascending; numbers of the names where the level is nominal.
    n_dropped : int
        Units with one value.
    """

    counts: IntArray
    domain: FloatArray
    n_dropped: int


def print_alpha_of_ratings(options: argparse.Namespace, *, rng: np.random.Generator) -> None:
    """Print alpha at `options.level` of the ratings in `options.file`, with its interval."""
    values = _value_table(read_table(options.file), level=options.level)
    n_units = len(values.counts)
    reason = None
    if n_units == 0:
        reason = "no unit has two values"
    elif (values.counts.sum(axis=0) > 0).sum() < 2:
        reason = "all values are equal, so there is no disagreement by chance to compare with"
    value, low, high = float("nan"), float("nan"), float("nan")
    if reason is None:
        value = _alpha(values.counts, values.domain, options.level)
        drawn = rng.integers(n_units, size=(options.resamples, n_units))
        resamples = np.array(
            [_alpha(values.counts[rows], values.domain, options.level) for rows in drawn]
        )
        if n_units > 1:
            low, high = np.nanpercentile(resamples, [2.5, 97.5])
    write_json(
        {
            "alpha": json_number(value),
            "low": json_number(low),
            "high": json_number(high),
            "n_units": n_units,
            "n_values": int(values.counts.sum()),
            "n_dropped": values.n_dropped,
            "level": options.level,
            "reason": reason,
            "interval": {
                "seed": options.seed,
                "resampled": "units",
                "n_resamples": options.resamples,
                "reason": "there is only one unit" if n_units == 1 and reason is None else reason,
            },
        }
    )


def _alpha(counts: IntArray, domain: FloatArray, level: Level) -> float:
    import krippendorff  # noqa: PLC0415 - importing scoring loads numpy only

    if (counts.sum(axis=0) > 0).sum() < 2:
        return float("nan")
    return float(
        krippendorff.alpha(
            value_counts=counts, value_domain=domain.tolist(), level_of_measurement=level
        )
    )


def _value_table(table: Table, *, level: Level) -> ValueTable:
    for name in ("annotator", "unit", "value"):
        table.refuse_empty(name)
    names = list(zip(table.cells("annotator"), table.cells("unit"), strict=True))
    first_line: dict[tuple[str, str], int] = {}
    for line, (annotator, rated) in zip(table.lines, names, strict=True):
        if (earlier := first_line.setdefault((annotator, rated), line)) != line:
            raise InputError(
                f"line {line}: {annotator!r} has already given {rated!r} a value on line {earlier}"
            )
    cells = table.cells("value")
    domain, value = _domain(cells, table.lines, level=level)
    units: dict[str, int] = {}
    unit = [units.setdefault(name, len(units)) for _, name in names]
    cell = np.array(unit) * len(domain) + value
    counts = np.bincount(cell, minlength=len(units) * len(domain)).reshape(len(units), -1)
    is_paired = counts.sum(axis=1) >= 2
    return ValueTable(counts[is_paired], domain, int((~is_paired).sum()))


def _domain(cells: list[str], lines: list[int], *, level: Level) -> tuple[FloatArray, IntArray]:
    """The distinct values, and the number among them of each cell."""
    if level == "nominal":
        names, number = np.unique(np.array(cells, dtype=object), return_inverse=True)
        return np.arange(len(names), dtype=np.float64), number
    values = [_number(cell, line, level=level) for cell, line in zip(cells, lines, strict=True)]
    domain, number = np.unique(np.array(values), return_inverse=True)
    return domain, number


def _number(cell: str, line: int, *, level: Level) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"line {line}: value {cell!r} is not a number, as level {level} needs")
    if level == "ratio" and value < 0:
        raise InputError(f"line {line}: value {cell!r} is below 0, which level ratio cannot have")
    return value
