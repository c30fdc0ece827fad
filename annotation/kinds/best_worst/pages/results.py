"""Step 7 of a best-worst study: what a job stored; nothing is computed on a page view."""

from typing import Any

from annotation.basics import references
from annotation.kinds.best_worst.queries import crossings
from annotation.kinds.best_worst.queries.figures import (
    figures,
    further_figures,
    headlines,
    pools_in_words,
)
from annotation.kinds.best_worst.queries.groups import group_tables
from annotation.kinds.best_worst.queries.plots import overall_plots
from annotation.models import Result


def shown(result: Result) -> dict[str, Any]:
    """The page's part of one result."""
    overall = result.statistics["overall"]
    overall_figures = [*figures(overall), *further_figures(result.statistics)]
    cards = headlines(result.statistics, overall_figures)
    groups = group_tables(result)
    return {
        "overall": overall,
        "figures": overall_figures,
        "headlines": cards,
        "pools": pools_in_words(result.statistics),
        "groups": groups,
        "crossing": crossings.shown(result.statistics),
        "has_distribution": bool(result.statistics.get("distribution")),
        "plots": overall_plots(result),
        "n_items": result.item_scores.count(),
        "n_never_shown": result.item_scores.filter(score=None).count(),
        "references": references.named_in(
            [text for figure in [*overall_figures, *cards] for text in figure.texts]
            + [remark.text for group in groups for remark in group.remarks]
        ),
    }
