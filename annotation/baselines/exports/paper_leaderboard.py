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
    is_within = subset["headline"] == "within_pools"
    rows = [
        [
            row["measure"],
            f"{row['n']:,}",
            *([figure(row["within"]["pearson"]["value"])] if is_within else []),
            *(figure(row["correlations"][name]["value"]) for name in coefficients),
        ]
        for row in subset["rows"]
    ]
    # The ceiling is one of Pearson's correlation, within pools if that is the headline.
    names = [*(["Pearson within pools"] if is_within else []), *map(str.capitalize, coefficients)]
    ceiling = [figure(subset["ceiling"]["value"]), *["–"] * (len(names) - 1)]
    return PaperTable(
        f"Correlation of measures with people's scores, {subset['name']}."
        f" {about_people(report)} {about_items(report, number)}",
        f"tab:leaderboard-{report.pk}-{number}",
        ["measure", "n", *names],
        [*rows, ["noise ceiling", "–", *ceiling]],
    )
