"""The tables of a ranking result that its page shows and a paper prints."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.core.exports.columns import Column
from annotation.kinds.exports.table_of_result import ResultTable, number_column, result_table


def tables_of(statistics: Mapping[str, Any]) -> list[ResultTable]:
    return [
        result_table(
            "ranking_agreement",
            "How far people agree about the order of items, and how reliable the scores are.",
            [
                Column("statistic", "its name", lambda row: row[0]),
                number_column("value", "empty if undefined", lambda row: row[1]),
                number_column("low", "lower end of the 95 % interval", lambda row: row[2]),
                number_column("high", "its upper end", lambda row: row[3]),
            ],
            _rows(statistics["overall"]),
            printed=("statistic", "value", "low", "high"),
            caption="Agreement about the order of items, and reliability of their scores",
        )
    ]


def _rows(overall: Mapping[str, Any]) -> Sequence[tuple[Any, ...]]:
    concordance, halves = overall["concordance"], overall["split_half"]
    none: Mapping[str, Any] = {"low": None, "high": None}
    w, between = concordance["interval"] or none, concordance["spearman_interval"] or none
    of_halves = halves.get("interval") or none
    return [
        ("Kendall's W", concordance["w"], w["low"], w["high"]),
        ("Kendall's W at random", concordance["expected"], None, None),
        (
            "mean Spearman of two people",
            concordance["mean_spearman"],
            between["low"],
            between["high"],
        ),
        ("split-half, Spearman", halves["spearman"]["mean"], of_halves["low"], of_halves["high"]),
        ("split-half, Spearman-Brown", halves["spearman_brown"]["value"], None, None),
    ]
