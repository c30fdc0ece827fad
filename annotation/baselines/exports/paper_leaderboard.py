"""A leaderboard with the few columns that fit on any page."""

from annotation.baselines.queries.report_order import in_order
from annotation.baselines.queries.report_provenance import about_items, about_people
from annotation.core.exports.figures import number as figure
from annotation.core.exports.paper_tables import PaperTable
from annotation.models import BaselineReport


def leaderboard_in_short(report: BaselineReport, number: int) -> PaperTable:
    """Measures by coefficients on one part of the items; the noise ceiling stands last."""
    ordered = in_order(report, number=number)
    subset, coefficients = ordered["subsets"][number], ordered["coefficients"]
    rows = [
        [
            row["measure"],
            f"{row['n']:,}",
            *(figure(row["correlations"][name]["value"]) for name in coefficients),
        ]
        for row in subset["rows"]
    ]
    # The ceiling is one of Pearson's correlation.
    ceiling = [
        figure(subset["ceiling"]["value"]) if name == "pearson" else "–" for name in coefficients
    ]
    return PaperTable(
        f"Correlation of measures with people's scores, {subset['name']}."
        f" {about_people(report)} {about_items(report, number)}",
        f"tab:leaderboard-{report.pk}-{number}",
        ["measure", "n", *(name.capitalize() for name in coefficients)],
        [*rows, ["noise ceiling", "–", *ceiling]],
    )
