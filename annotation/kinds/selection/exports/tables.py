"""The tables of a selection study's result: ratings by class, and by set of pairs."""

from collections.abc import Mapping
from typing import Any

from annotation.core.exports.columns import Column
from annotation.kinds.exports.table_of_result import ResultTable, result_table


def tables_of(statistics: Mapping[str, Any]) -> list[ResultTable]:
    return [_classes(statistics), _sets(statistics)]


def _moments() -> list[Column]:
    return [
        Column("n", "number of ratings", lambda row: row["n"]),
        Column("mean", "mean of these ratings", lambda row: row["mean"], is_number=True),
        Column(
            "variance",
            "variance of these ratings (n - 1 in the denominator)",
            lambda row: row["variance"],
            is_number=True,
        ),
        Column("reason", "why cells of the row are empty", lambda row: row["reason"] or ""),
    ]


def _classes(statistics: Mapping[str, Any]) -> ResultTable:
    return result_table(
        "ratings_by_class",
        "Ratings by class. Each pair was rated by the person who chose it.",
        [
            Column("class", "class that the pairs were chosen for", lambda row: row["name"]),
            Column(
                "expected",
                "rating that the class suggests: the upper end, the middle or the lower end of the"
                " scale",
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
        "Ratings of all pairs, and of the pairs that filters and later rounds select.",
        [
            Column(
                "set",
                "which pairs: `raw` (all pairs), `N2` or `N1` (pairs whose rating is at most 2 or"
                " 1 points from the value that their class suggests), or `significant` (pairs"
                f" with p < {statistics['level']:g} (not corrected) in a t-test of the effect of"
                " context in a later round)",
                lambda row: row["name"].partition(":")[0],
            ),
            Column("round", "short name of this later round; only for `significant`", _round),
            Column(
                "test",
                "the t-test of this round: `paired` or `pooled`",
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
