"""The order of a leaderboard's rows: one for the page and for every file of it."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.baselines.queries.leaderboards import Part, Row, rows_shown
from annotation.baselines.queries.measure_plots import FIGURES
from annotation.models import BaselineReport

# Unless somebody asks for another column: the measure that is best by the headline stands first.
USUAL = "-headline"


def sorted_rows(part: Part, sort: str = USUAL) -> list[Row]:
    """Rows by a column; by its name with a minus in front, the largest first."""
    name = sort.removeprefix("-")
    name = part.headline if name == "headline" else name
    rows = part.rows
    known = [row for row in rows if _value(row, name) is not None]
    unknown = [row for row in rows if _value(row, name) is None]
    known.sort(key=lambda row: _value(row, name), reverse=sort.startswith("-"))
    # Nothing is not less than anything: it comes last either way.
    return known + unknown


def in_order(
    report: BaselineReport,
    sort: str = USUAL,
    *,
    parts: Sequence[Part] | None = None,
    number: int = 0,
) -> dict[str, Any]:
    """A report's figures with the rows of each part as the page shows that part.

    Measures, where they stand once for several parts, are in the order of the part of that number.
    """
    figures: Mapping[str, Any] = report.figures
    parts = rows_shown(report) if parts is None else parts
    orders = [[row.name for row in sorted_rows(part, sort)] for part in parts]
    subsets = []
    for order, subset in zip(orders, figures["subsets"], strict=True):
        rows = {row["measure"]: row for row in subset["rows"]}
        subsets.append({**subset, "rows": [rows[name] for name in order]})
    return {**figures, "measures": orders[number], "subsets": subsets}


def _value(row: Row, name: str) -> Any:
    """The value by which a column is sorted; None if the row has none."""
    if name in FIGURES:
        return row.figures[name]["value"] if name in row.figures else None
    return {"name": row.name.casefold(), "n": row.n, "seconds": row.seconds}[name]
