"""Tables beside a leaderboard, as TSV and LaTeX: labels, pools, multiple choice, layers, models.

In English and with every digit, for the files that leave; pages show the same rows in words.
"""

from collections.abc import Collection, Mapping
from typing import Any

from annotation.baselines.exports.further_table import FurtherTable
from annotation.baselines.exports.tables_of_leaderboards import (
    comparisons,
    labelled_pairs,
    measures_by_label,
    typical_human,
    within_pools,
)
from annotation.baselines.exports.tables_of_models import choices, layers, prompts, trainings
from annotation.baselines.queries.measure_figures import with_current_figures
from annotation.kinds.rating.queries import baseline_pairs
from annotation.models import BaselineReport, Study

# The tables, as their files are called.
NAMES = (
    "comparisons",
    "typical_human",
    "labelled_pairs",
    "measures_by_label",
    "within_pools",
    "choices",
    "prompts",
    "layers",
    "trainings",
)


def of_study(
    study: Study, report: BaselineReport | None, withheld: Collection[str] = ()
) -> list[FurtherTable]:
    """The tables about the current items that have rows, but what is of `withheld` columns."""
    measures = []
    if study.baselines.exists():
        of_today = study.baselines.defer("values").filter(digest=baseline_pairs.digest(study))
        measures = [
            measure
            for measure in with_current_figures(of_today.order_by("pk"))
            if _column_of(measure.figures.get("people")) not in withheld
        ]
    tables = [
        *(
            [
                labelled_pairs(report),
                measures_by_label(report),
                comparisons(report),
                typical_human(report),
                within_pools(report),
            ]
            if report
            else []
        ),
        choices(measures, report),
        prompts(measures),
        layers(measures),
        trainings(study, withheld),
    ]
    return [table for table in tables if table.records]


def _column_of(people: Mapping[str, Any] | None) -> str:
    """The column of the items that people's scores are from; empty if they are a result's."""
    source = (people or {}).get("source") or {}
    return str(source.get("name", "")) if source.get("from") == "column" else ""


def named(study: Study, name: str, report: BaselineReport | None) -> FurtherTable | None:
    """The table of one of `NAMES`; None if it has no rows."""
    if name == "trainings":
        table = trainings(study)
        return table if table.records else None
    return next((table for table in of_study(study, report) if table.name == name), None)
