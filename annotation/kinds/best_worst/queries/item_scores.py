"""What the API tells of each item: its row of a stored result."""

from typing import Any

from annotation.kinds.queries.item_scores import NO_SCORES, Rows, Scores
from annotation.models import ItemScore, Result

# What a result says of an item.
FIGURES = (
    "score",
    "rescaled",
    "low",
    "high",
    "standard_error",
    "utility",
    "utility_error",
    "appearances",
    "best",
    "worst",
)


def scores_of(result: Result | None) -> Scores:
    """By number of the item; none without a result."""
    if result is None:
        return NO_SCORES
    rows = result.item_scores.order_by("item__number").select_related("item")

    def between(start: int, stop: int) -> Rows:
        return [_of_row(row) for row in rows[start:stop]]

    return Scores(rows.count(), between)


def _of_row(row: ItemScore) -> dict[str, Any]:
    return {
        "id": row.item.key,
        "number": row.item.number,
        **{name: getattr(row, name) for name in FIGURES},
    }
