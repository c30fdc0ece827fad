"""Ratings from a table with the columns annotator, unit and value; their alpha, and the rest."""

import argparse
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.command.tables import Table, number_in, read_table, write_json
from scoring.disagreement import Level
from scoring.ratings.ratings import Ratings, number_names
from scoring.ratings.reliability import rating_alpha
from scoring.ratings.summary import summarise_ratings
from shell import InputError, OneLineParser

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[OneLineParser]


@dataclass(frozen=True, eq=False)
class NamedRatings:
    """A batch of ratings, and what its numbers stand for.

    Parameters
    ----------
    batch : Ratings
        One rating for each row.
    annotators, units : list of str
        Names, in the order in which the rows show them.
    lines : list of int
        Line of the file in which each rating stands.
    """

    batch: Ratings
    annotators: list[str]
    units: list[str]
    lines: list[int]


def add_commands(commands: "Commands") -> None:
    """Add the commands of this family."""
    parser = commands.add_parser(
        "ratings",
        help="All statistics of ratings on a scale",
        description=(
            "All statistics of ratings on a scale.\n"
            "Writes JSON: scores of the units, agreement between and within annotators, alpha,\n"
            "intraclass correlations, error bounds, and how each annotator uses the scale. Lists\n"
            "have the order of annotators_named and units_named.\n\n"
            "FILE is a table, CSV or TSV, with the columns annotator, unit and value. Optional\n"
            "columns are order (place in the annotator's order, from 0), thinking_ms,\n"
            "calibration (1 for ratings of the calibration block, 0 for others) and pool (of the\n"
            "unit; for the intervals, six or more pools are left out as a whole). If someone\n"
            "rates a unit twice, the later rating is a repeat."
        ),
        epilog="example:\n  python -m scoring ratings ratings.csv --low 0 --high 6",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("file", metavar="FILE", help="table of ratings, or - for standard input")
    for end in ("low", "high"):
        parser.add_argument(f"--{end}", type=_end, help=f"{end} end of the scale")
    parser.set_defaults(run=_ratings)


def _end(text: str) -> float:
    if math.isnan(value := number_in(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number")
    return value


def _ratings(options: argparse.Namespace) -> None:
    table = read_table(options.file)
    named = read_ratings(table, "as the statistics of ratings need")
    low, high = options.low, options.high
    if low is not None and high is not None and low >= high:
        raise InputError(f"argument --low: {low:g} is not below the scale's high end, {high:g}")
    _refuse_beyond(named, low, high)
    thinking = _column(table, "thinking_ms")
    if thinking is not None:
        _refuse_first(thinking < 0, table, "thinking_ms", "is below 0")
    try:
        batch = replace(
            named.batch,
            low=low,
            high=high,
            order=places_of(table),
            thinking_ms=thinking,
        )
    except ValueError as error:
        raise InputError(str(error)) from error
    block = _column(table, "calibration")
    if block is not None:
        _refuse_first(~np.isin(block, (0, 1)), table, "calibration", "is neither 0 nor 1")
    summary = summarise_ratings(
        batch,
        in_calibration=None if block is None else block == 1,
        pool=pools_of(table, named.batch.unit, n_units=named.batch.n_units),
    )
    write_json(
        {
            "annotators_named": list(named.annotators),
            "units_named": list(named.units),
            **summary.as_dict(),
        }
    )


def print_alpha_of_ratings(options: argparse.Namespace) -> None:
    """Print alpha at `options.level` of the ratings in `options.file`, with its interval."""
    level: Level = options.level
    table = read_table(options.file)
    named = read_ratings(table, f"as level {level} needs", is_named=level == "nominal")
    _refuse_repeats(named)
    if level == "ratio":
        is_below = named.batch.value < 0
        _refuse_first(is_below, table, "value", "is below 0, which level ratio cannot have")
    pool = pools_of(table, named.batch.unit, n_units=named.batch.n_units)
    alpha = rating_alpha(named.batch, level=level, with_interval=True, pool=pool)
    assert alpha.interval is not None  # it was asked for
    figures, interval = alpha.as_dict(), alpha.interval.as_dict()
    write_json(
        {
            "alpha": figures.pop("alpha"),
            "low": interval.pop("low"),
            "high": interval.pop("high"),
            "n_units": figures.pop("n_units"),
            "n_values": figures.pop("n_values"),
            **figures,
            "interval": interval,
        }
    )


def read_ratings(table: Table, need: str, *, is_named: bool = False) -> NamedRatings:
    """Read ratings; where `is_named`, values are names, and their numbers stand for them."""
    for name in ("annotator", "unit", "value"):
        table.refuse_empty(name)
    annotators, annotator = number_names(table.cells("annotator"))
    units, unit = number_names(table.cells("unit"))
    cells = table.cells("value")
    if is_named:
        values = number_names(cells)[1].astype(np.float64)
    else:
        values = _numbers(cells, table.lines, "value", need)
    batch = Ratings(annotator, unit, values, len(annotators), len(units))
    return NamedRatings(batch, annotators, units, table.lines)


def _column(table: Table, name: str) -> FloatArray | None:
    """Numbers of a column that need not be there."""
    if name not in table.columns:
        return None
    return _numbers(table.cells(name), table.lines, name, "as this column needs")


def _numbers(cells: list[str], lines: list[int], name: str, need: str) -> FloatArray:
    values = np.empty(len(cells))
    for place, (cell, line) in enumerate(zip(cells, lines, strict=True)):
        values[place] = number_in(cell)
        if math.isnan(values[place]):
            raise InputError(f"line {line}: {name} {cell!r} is not a number, {need}")
    return values


def pools_of(table: Table, unit: IntArray, *, n_units: int) -> IntArray | None:
    """The pool of each unit; None if the table does not say. `unit` is that of each row."""
    if "pool" not in table.columns:
        return None
    table.refuse_empty("pool")
    _, pool = number_names(table.cells("pool"))
    of_unit = np.zeros(n_units, dtype=np.int64)
    # Backwards, so that the first line of each unit is the one that stays.
    of_unit[unit[::-1]] = pool[::-1]
    is_other = pool != of_unit[unit]
    _refuse_first(is_other, table, "pool", "is not the pool of the unit's first line")
    return of_unit


def places_of(table: Table) -> IntArray | None:
    """The place of each row in its annotator's order; None if the table does not say."""
    order = _column(table, "order")
    if order is None:
        return None
    is_wrong = (order < 0) | (order != np.floor(order))
    _refuse_first(is_wrong, table, "order", "is not a whole number of 0 or more")
    return order.astype(np.int64)


def _refuse_first(
    is_wrong: "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]",
    table: Table,
    name: str,
    why: str,
) -> None:
    if is_wrong.any():
        row = int(is_wrong.argmax())
        raise InputError(f"line {table.lines[row]}: {name} {table.cells(name)[row]!r} {why}")


def _refuse_beyond(named: NamedRatings, low: float | None, high: float | None) -> None:
    values = named.batch.value
    for end, is_beyond in (
        (low, values < (-math.inf if low is None else low)),
        (high, values > (math.inf if high is None else high)),
    ):
        if is_beyond.any():
            row = int(is_beyond.argmax())
            raise InputError(
                f"line {named.lines[row]}: value {values[row]:g} lies beyond the scale's end "
                f"{end:g}"
            )


def _refuse_repeats(named: NamedRatings) -> None:
    first_line: dict[tuple[int, int], int] = {}
    rows = zip(named.batch.annotator.tolist(), named.batch.unit.tolist(), named.lines, strict=True)
    for annotator, unit, line in rows:
        if (earlier := first_line.setdefault((annotator, unit), line)) != line:
            raise InputError(
                f"line {line}: {named.annotators[annotator]!r} has already given "
                f"{named.units[unit]!r} a value on line {earlier}"
            )
