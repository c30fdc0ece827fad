"""The tables of a selection study's result: ratings by class, and by set of pairs."""

from collections.abc import Mapping
from typing import Any

from annotation.core.exports.columns import Column
from annotation.kinds.exports.table_of_result import ResultTable, result_table


def tables_of(statistics: Mapping[str, Any]) -> list[ResultTable]:
    return [_classes(statistics), _sets(statistics)]


def _moments() -> list[Column]:
    return [
        Column("n", "ratings", lambda row: row["n"]),
        Column("mean", "of these ratings", lambda row: row["mean"], is_number=True),
        Column(
            "variance", "n - 1 in the denominator", lambda row: row["variance"], is_number=True
        ),
        Column("reason", "why cells are empty", lambda row: row["reason"] or ""),
    ]


def _classes(statistics: Mapping[str, Any]) -> ResultTable:
    return result_table(
        "ratings_by_class",
        "Ratings of the pairs that were chosen for each class, by the person who chose them.",
        [
            Column("class", "for which the pair was chosen", lambda row: row["name"]),
            Column(
                "expected",
                "rating that the class leads to expect",
                lambda row: statistics["expected"][row["name"]],
                is_number=True,
            ),
            *_moments(),
        ],
        statistics["classes"],
        printed=("class", "expected", "n", "mean", "variance"),
        caption="Ratings by intended class (variance: n - 1 in the denominator).",
    )


def _sets(statistics: Mapping[str, Any]) -> ResultTable:
    has_rounds = any(_round(row) for row in statistics["sets"])
    return result_table(
        "rating_sets",
        "Ratings of all pairs, and of those that filters and later rounds select.",
        [
            Column(
                "set",
                "`raw`: all pairs; `N2`, `N1`: those rated at most 2, or 1, from what their class"
                " leads to expect; `significant`: those whose ratings context changes in a later"
                f" round (t-test, p < {statistics['level']:g})",
                lambda row: row["name"].partition(":")[0],
            ),
            Column("round", "short name of that round", _round),
            Column(
                "test",
                "its t-test: `paired` or `pooled`",
                lambda row: statistics["tests"].get(_round(row), ""),
            ),
            *_moments(),
        ],
        statistics["sets"],
        printed=("set", *(["round", "test"] if has_rounds else []), "n", "mean", "variance"),
        caption="Ratings of all pairs and of selected ones (variance: n - 1 in the denominator).",
    )


def _round(row: Mapping[str, Any]) -> str:
    """The short name of the later round that selects a set of pairs; empty: no round does."""
    slug: str = row["name"].partition(":")[2]
    return slug
