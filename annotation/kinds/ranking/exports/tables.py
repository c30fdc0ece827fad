"""The tables of a ranking result that its page shows and a paper prints."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.core.exports.columns import Column
from annotation.kinds.exports.table_of_result import (
    NOT_COMPUTED,
    ResultTable,
    interval_columns,
    interval_notes,
    number_column,
    result_table,
)


def tables_of(statistics: Mapping[str, Any]) -> list[ResultTable]:
    rows = _rows(statistics["overall"])
    return [
        result_table(
            "ranking_agreement",
            "How well people agree about the order of items, and how reliable the scores are.",
            [
                Column("statistic", "name of the statistic", lambda row: row[0]),
                number_column(
                    "value", "value of the statistic; empty if undefined", lambda row: row[1]
                ),
                *interval_columns(lambda row: row[2]),
            ],
            rows,
            printed=("statistic", "value", "low", "high", "interval_over"),
            caption="Agreement about the order of items, and reliability of their scores",
            notes=interval_notes(
                (name, interval) for name, value, interval in rows if value is not None
            ),
            words={"interval_over": "over"},
        )
    ]


def _rows(overall: Mapping[str, Any]) -> Sequence[tuple[str, float | None, Mapping[str, Any]]]:
    concordance, halves = overall["concordance"], overall["split_half"]
    return [
        ("Kendall's W", concordance["w"], concordance["interval"] or {}),
        ("Kendall's W at random", concordance["expected"], NOT_COMPUTED),
        (
            "mean Spearman of two people",
            concordance["mean_spearman"],
            concordance["spearman_interval"] or {},
        ),
        ("split-half, Spearman", halves["spearman"]["mean"], halves.get("interval") or {}),
        ("split-half, Spearman-Brown", halves["spearman_brown"]["value"], NOT_COMPUTED),
    ]
