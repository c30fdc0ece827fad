"""A stored leaderboard as files: rows as the page shows them, and what they were computed from."""

import csv
import io
from collections.abc import Iterator
from typing import Any

from annotation.baselines.queries.report_order import USUAL, in_order
from annotation.baselines.queries.report_provenance import about_items, about_people, stated
from annotation.models import BaselineReport
from scoring.baselines import tables
from scoring.baselines.latex import IntervalMethod, latex_by_subset, latex_of_subset
from scoring.baselines.latex_differences import latex_of_differences as differences_table

# The LaTeX label of the table of all items.
LABEL = "tab:leaderboard"


def in_one_line(where: str) -> str:
    """A condition on the items, on one line."""
    return " ".join(where.split())


def tsv(report: BaselineReport, *, number: int = 0, sort: str = USUAL) -> str:
    """The leaderboard with all digits: a line for each part of the items and measure.

    Whose scores of which items it is of, then as `scoring.baselines.tables` has it, then what is
    known of each measure.
    """
    file = io.StringIO()
    writer = csv.writer(file, delimiter="\t", lineterminator="\n")
    header = names(report)
    writer.writerow(header)
    table = rows(report, number=number, sort=sort)
    writer.writerows([row[name] for name in header] for row in table)
    return file.getvalue()


_OF_MEASURE = ("revision", "device", "seconds")


def names(report: BaselineReport) -> list[str]:
    """The columns of a leaderboard as a file, in their order."""
    return ["people", "where", *tables.correlation_names(report.figures), *_OF_MEASURE]


def rows(
    report: BaselineReport, *, number: int = 0, sort: str = USUAL
) -> Iterator[dict[str, Any]]:
    """The rows of the file: each cell by the name of its column."""
    of_measure = {
        measure["name"]: {name: measure[name] for name in _OF_MEASURE}
        for measure in report.parameters["measures"]
    }
    whose = {
        "people": report.parameters["people"],
        "where": in_one_line(report.parameters["options"].get("where", "")),
    }
    for row in tables.correlation_rows(in_order(report, sort, number=number)):
        yield {**whose, **row, **of_measure[row["measure"]]}


def latex_of_part(
    report: BaselineReport, *, number: int = 0, sort: str = USUAL, label: str = LABEL
) -> str:
    """Measures x coefficients of one part of the items."""
    subset = report.figures["subsets"][number]
    is_drawn = subset["resampled"] and not subset["has_errors_over_pools"]
    method: IntervalMethod = "bca" if is_drawn else "fisher"
    return latex_of_subset(
        in_order(report, sort, number=number),
        subset=subset["name"],
        interval=method,
        about=_about(report, number),
        label=label,
        stated=stated(report, number=number),
    )


def latex_of_parts(
    report: BaselineReport, *, coefficient: str | None = None, number: int = 0, sort: str = USUAL
) -> str:
    """Measures x parts of the items, in the order of one part."""
    return latex_by_subset(
        in_order(report, sort, number=number),
        coefficient=coefficient,
        about=_about(report, 0),
        label=f"{LABEL}-by-subset",
        stated=stated(report),
    )


def latex_of_differences(report: BaselineReport) -> str:
    """Every two measures on all items; of fewer than two measures there is none."""
    if not report.figures["subsets"][0]["differences"]:
        return ""
    return differences_table(
        in_order(report),
        about=_about(report, 0),
        label="tab:differences",
        stated=stated(report),
    )


def latex(report: BaselineReport) -> str:
    """Tables for a paper: measures x coefficients, then measures x parts if there are any."""
    tables = [latex_of_part(report)]
    if len(report.figures["subsets"]) > 1:
        tables.append(latex_of_parts(report))
    return "\n".join(tables)


def _about(report: BaselineReport, number: int) -> str:
    return f"{about_people(report)} {about_items(report, number)}"
