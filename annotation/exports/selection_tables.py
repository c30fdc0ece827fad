"""The tables of a selection study's result: ratings by class, and by set of pairs."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.exports.columns import Column
from annotation.exports.table_of_result import ResultTable, result_table
from annotation.queries.exporting import Cell

_MOMENTS = ("n", "mean", "variance", "reason")


def tables_of(statistics: Mapping[str, Any]) -> list[ResultTable]:
    return [_classes(statistics), _sets(statistics)]


def _moments() -> list[Column]:
    return [
        Column("n", "ratings"),
        Column("mean", "of these ratings", is_number=True),
        Column("variance", "n - 1 in the denominator", is_number=True),
        Column("reason", "why cells are empty"),
    ]


def _values(of: Mapping[str, Any]) -> list[Cell]:
    return [of[name] if name != "reason" else of[name] or "" for name in _MOMENTS]


def _classes(statistics: Mapping[str, Any]) -> ResultTable:
    rows: list[Sequence[Cell]] = [
        [one["name"], statistics["expected"][one["name"]], *_values(one)]
        for one in statistics["classes"]
    ]
    return result_table(
        "ratings_by_class",
        "Ratings of the pairs that were chosen for each class, by the person who chose them.",
        [
            Column("class", "for which the pair was chosen"),
            Column("expected", "rating that the class leads to expect", is_number=True),
            *_moments(),
        ],
        rows,
        printed=("class", "expected", "n", "mean", "variance"),
        caption="Ratings by intended class (variance: n - 1 in the denominator).",
    )


def _sets(statistics: Mapping[str, Any]) -> ResultTable:
    rows: list[Sequence[Cell]] = []
    for one in statistics["sets"]:
        kind, _separator, slug = one["name"].partition(":")
        rows.append([kind, slug, *_values(one)])
    has_rounds = any(row[1] for row in rows)
    return result_table(
        "rating_sets",
        "Ratings of all pairs, and of those that filters and later rounds select.",
        [
            Column(
                "set",
                "`raw`: all pairs; `N2`, `N1`: those rated at most 2, or 1, from what their class"
                " leads to expect; `significant`: those whose ratings context changes in a later"
                f" round (pooled t-test, p < {statistics['level']:g})",
            ),
            Column("round", "short name of that round"),
            *_moments(),
        ],
        rows,
        printed=("set", *(["round"] if has_rounds else []), "n", "mean", "variance"),
        caption="Ratings of all pairs and of selected ones (variance: n - 1 in the denominator).",
    )
