"""A leaderboard with the few columns that fit on any page."""

from annotation.baselines.queries.leaderboards import rows_shown
from annotation.baselines.queries.report_order import sorted_rows
from annotation.baselines.queries.report_provenance import about_items, about_people
from annotation.core.exports.figures import interval_cell
from annotation.core.exports.figures import number as figure
from annotation.core.exports.paper_tables import PaperTable
from annotation.models import BaselineReport
from scoring.jackknife import LEVEL


def leaderboard_in_short(report: BaselineReport, number: int) -> PaperTable:
    """Measures by coefficients on one part of the items; the noise ceiling stands last.

    The first coefficient is the headline, which alone has its interval beside it.
    """
    part, figures = rows_shown(report)[number], report.figures
    subset, coefficients = figures["subsets"][number], figures["coefficients"]
    is_within = part.headline == "within_pearson"
    shown = [*(["within_pearson"] if is_within else []), *coefficients]
    rows = [
        [
            row.name,
            f"{row.n:,}",
            figure(row.figures[shown[0]]["value"]),
            interval_cell(row.figures[shown[0]]),
            *(figure(row.figures[name]["value"]) for name in shown[1:]),
        ]
        for row in sorted_rows(part)
    ]
    names = [*(["Pearson within pools"] if is_within else []), *map(str.capitalize, coefficients)]
    names.insert(1, f"{100 * figures['level']:g} % interval")
    # The ceiling is one of Pearson's correlation, within pools if that is the headline. Its
    # interval has a level of its own.
    ends = interval_cell(subset["ceiling"]) if figures["level"] == LEVEL else ""
    ceiling = [figure(subset["ceiling"]["value"]), ends, *["–"] * (len(names) - 2)]
    others = "pools" if part.is_over_pools else "items"
    about = f"Intervals of measures are for other {others} that the same people answer"
    about += "; that of the noise ceiling is for these items and scores." if ends else "."
    return PaperTable(
        f"Correlation of measures with people's scores, {subset['name']}."
        f" {about_people(report)} {about_items(report, number)} {about}",
        f"tab:leaderboard-{report.pk}-{number}",
        ["measure", "n", *names],
        [*rows, ["noise ceiling", "–", *ceiling]],
    )
