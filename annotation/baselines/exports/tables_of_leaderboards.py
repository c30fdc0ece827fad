"""Tables of a leaderboard: comparisons, typical human, labels, and the order within pools."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.baselines.exports.further_table import FurtherTable, numbered
from annotation.baselines.queries import comparison_tables
from annotation.baselines.queries.measure_figures import RANKINGS, WITH_POOLS, label_text
from annotation.baselines.queries.report_provenance import about_items, about_people, stated
from annotation.core.exports.columns import columns_by_name
from annotation.models import BaselineReport
from scoring.baselines.latex_writing import booktabs
from scoring.rounding import rounded_text


def comparisons(report: BaselineReport) -> FurtherTable:
    """The comparisons of correlations that somebody kept."""
    rows = comparison_tables.comparison_rows(report)
    return FurtherTable(
        comparison_tables.COMPARISONS,
        "Comparisons of Pearson's correlations with people's scores, first less second."
        f" {about_people(report)} {about_items(report)}",
        columns_by_name(comparison_tables.COLUMNS_OF_COMPARISONS),
        rows,
        comparison_tables.comparisons_latex(report) if rows else "",
    )


def typical_human(report: BaselineReport) -> FurtherTable:
    """How well annotators agree with the mean of the others: mean, best, worst."""
    rows = comparison_tables.typical_human_rows(report)
    return FurtherTable(
        comparison_tables.TYPICAL_HUMAN,
        "Typical human: Pearson's correlation of each annotator's ratings with the mean of the"
        f" others' ratings of the same items. {about_people(report)}",
        columns_by_name(comparison_tables.COLUMNS_OF_TYPICAL_HUMAN),
        rows,
        comparison_tables.typical_human_latex(report) if rows else "",
    )


LENGTHS = ("first", "second", "both")


def labelled_pairs(report: BaselineReport) -> FurtherTable:
    """Pairs, shares of the labels, lengths and overlap of each part of the items."""
    records: list[dict[str, Any]] = []
    printed: list[list[object]] = []
    names: list[str] = []
    for subset in report.figures["subsets"]:
        if (pairs := subset.get("labelled_pairs")) is None:
            continue
        names = [label_text(label["label"]) for label in pairs["labels"]]
        shares = [label["share"] for label in pairs["labels"]]
        overlap = [pairs["n_overlapping"], pairs["n_without_overlap"]]
        lengths = [pairs[unit] or [None] * len(LENGTHS) for unit in ("characters", "words")]
        counts = [pairs["n"], pairs["n_labelled"]]
        records.append(
            {
                "subset": subset["name"],
                "pairs": pairs["n"],
                "labelled": pairs["n_labelled"],
                **{f"n_{label_text(label['label'])}": label["n"] for label in pairs["labels"]},
                **{
                    f"share_{label_text(label['label'])}": label["share"]
                    for label in pairs["labels"]
                },
                "overlapping": pairs["n_overlapping"],
                "without_overlap": pairs["n_without_overlap"],
                "share_overlapping": pairs["share_overlapping"],
                **_by_side("characters", lengths[0]),
                **_by_side("words", lengths[1]),
            }
        )
        percents = [
            None if share is None else f"{rounded_text(share, 1, times=100)} %" for share in shares
        ]
        means = [
            None if of_unit[2] is None else rounded_text(of_unit[2], 1) for of_unit in lengths
        ]
        printed.append([subset["name"], *counts, *percents, *overlap, *means])
    columns = {
        "subset": "part of the items, or `all`",
        "pairs": "pairs of it",
        "labelled": "those with a label",
        **{f"n_{name}": f"pairs with the label {name}" for name in names},
        **{f"share_{name}": f"of the labelled pairs: label {name}" for name in names},
        "overlapping": "pairs whose SQuAD F1 is above 0: they share a word that is no article",
        "without_overlap": "pairs whose F1 is 0",
        "share_overlapping": "of all pairs",
    }
    columns |= {
        f"mean_{unit}_{side}": f"mean length in {unit}{meaning}, of {of_side}"
        for unit, meaning in (("characters", ""), ("words", ", split at white space"))
        for side, of_side in zip(
            LENGTHS, ("the first texts", "the second texts", "both texts"), strict=True
        )
    }
    return FurtherTable(
        "labelled_pairs",
        "Pairs, shares of the labels, overlap and lengths of the texts, by part of the items."
        f" {about_people(report)} {about_items(report)}",
        columns_by_name(columns),
        records,
        booktabs(
            "Labels, overlap of the texts (SQuAD's F1) and their mean length, over both texts of"
            f" each pair. {about_people(report)} {about_items(report)}",
            "tab:labelled-pairs",
            [
                *("part", "pairs", "labelled"),
                *(f"label {name}" for name in names),
                *("F1 > 0", "F1 = 0", "characters", "words"),
            ],
            printed,
            stated=stated(report),
        ),
    )


def _by_side(unit: str, lengths: Sequence[float | None]) -> dict[str, float | None]:
    """The mean lengths of the first texts, the second, and both, by the names of their columns."""
    return {f"mean_{unit}_{side}": length for side, length in zip(LENGTHS, lengths, strict=True)}


# The figures of `scoring.baselines.labelled_pairs.values_by_label`, and what they are.
OF_LABEL = {
    "n": "pairs of the label that the measure has a value of",
    "mean": "of these values",
    "sd": "standard deviation, n - 1",
    "low": "the lowest",
    "first_quartile": "by linear interpolation",
    "median": "by linear interpolation",
    "third_quartile": "by linear interpolation",
    "high": "the highest",
}


def measures_by_label(report: BaselineReport) -> FurtherTable:
    """What each measure says of the pairs of each label, as a box plot draws it."""
    of_all = report.figures["subsets"][0].get("by_label", [])
    return FurtherTable(
        "measures_by_label",
        "The values of each measure over the pairs of each label."
        f" {about_people(report)} {about_items(report)}",
        columns_by_name({"measure": "its name", "label": "of people", **OF_LABEL}),
        [{**row, "label": label_text(row["label"])} for row in of_all],
        booktabs(
            "Values of each measure by label of people: mean, standard deviation in parentheses,"
            f" and quartiles. {about_people(report)} {about_items(report)}",
            "tab:measures-by-label",
            ["measure", "label", "n", "mean", "quartile 1", "median", "quartile 3"],
            [
                [row["measure"], label_text(row["label"]), row["n"], (row["mean"], row["sd"])]
                + [row[name] for name in ("first_quartile", "median", "third_quartile")]
                for row in of_all
            ],
            n_texts=2,
            stated=stated(report),
        ),
    )


def within_pools(report: BaselineReport) -> FurtherTable:
    """How well each measure ranks the items of one pool, for each part of the items."""
    records: list[dict[str, Any]] = []
    printed = []
    for number, subset in enumerate(report.figures["subsets"]):
        of_part = subset.get("within_pools", [])
        for row in of_part:
            records.append(
                {
                    "subset": subset["name"],
                    "measure": row["measure"],
                    **_rankings(row),
                    "pools_left_out": row["n_left_out"],
                    "reason": row["reason"],
                }
            )
        if of_part:
            printed.append(_within_pools_latex(report, number, of_part))
    columns = {"subset": "part of the items, or `all`", "measure": "its name"}
    for name, meaning in zip(
        RANKINGS,
        (
            "share of the pools of which the measure puts first what people scored highest",
            "normalised discounted cumulated gain of the measure's order, mean over pools",
            "Spearman's correlation within each pool, mean over pools",
        ),
        strict=True,
    ):
        columns |= {
            name: meaning,
            f"{name}_standard_error": "over pools",
            f"{name}_pools": "pools that have one",
        }
    columns |= {
        "pools_left_out": "pools in which fewer than two items have both values, or that people"
        " scored all alike",
        "reason": "why cells are empty",
    }
    return FurtherTable(
        "within_pools",
        "How well each measure ranks the items of one pool, such as the candidates of a dialogue:"
        f" means over pools. {about_people(report)} {about_items(report)}",
        columns_by_name(columns),
        records,
        "\n".join(printed),
    )


def _rankings(row: Mapping[str, Any]) -> dict[str, Any]:
    """The figures of a measure's rankings by the names of their columns."""
    cells = {}
    for name in RANKINGS:
        figure = row[name]
        cells[name] = figure["value"]
        cells[f"{name}_standard_error"] = figure["standard_error"]
        cells[f"{name}_pools"] = figure["n"]
    return cells


def _within_pools_latex(
    report: BaselineReport, number: int, of_part: Sequence[Mapping[str, Any]]
) -> str:
    subset = report.figures["subsets"][number]["name"]
    return booktabs(
        f"Ranking of the items of each pool beside people's scores, {subset}: means over pools,"
        " standard errors in parentheses."
        f" {about_people(report)} {about_items(report, number)}",
        numbered("tab:within-pools", number),
        ["measure", "pools", "precision at 1", "NDCG", "pools", "Spearman"],
        [
            [
                row["measure"],
                *(
                    cell
                    for name in RANKINGS
                    for cell in (
                        *((row[name]["n"],) if name in WITH_POOLS else ()),
                        (row[name]["value"], row[name]["standard_error"]),
                    )
                ),
            ]
            for row in of_part
        ],
        stated=stated(report, number=number),
    )
