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
        "Comparisons of two correlations (Pearson) with the scores of people. One row for each"
        " comparison."
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
        "How well a typical annotator agrees with the others: Pearson's correlation of each"
        " annotator's ratings with the mean ratings of the other annotators on the same items."
        f" {about_people(report)}",
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
        "subset": "the part of the items; `all` for all of them",
        "pairs": "number of pairs of texts",
        "labelled": "number of pairs that have a label",
        **{f"n_{name}": f"number of pairs with the label {name}" for name in names},
        **{f"share_{name}": f"share of labelled pairs with the label {name}" for name in names},
        "overlapping": "number of pairs whose two texts share a word other than an article (SQuAD"
        " F1 above 0)",
        "without_overlap": "number of pairs whose two texts share no such word",
        "share_overlapping": "`overlapping` divided by `pairs`",
    }
    columns |= {
        f"mean_{unit}_{side}": f"mean length of {of_side} in {unit}{meaning}"
        for unit, meaning in (("characters", ""), ("words", " (separated by white space)"))
        for side, of_side in zip(
            LENGTHS, ("the first texts", "the second texts", "both texts"), strict=True
        )
    }
    return FurtherTable(
        "labelled_pairs",
        "Labels, word overlap and lengths of the pairs of texts. One row for each part of the"
        " items."
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
    "n": "number of pairs with this label and a value of the measure",
    "mean": "mean of these values",
    "sd": "standard deviation of these values (n - 1 in the denominator)",
    "low": "lowest value",
    "first_quartile": "first quartile (linear interpolation)",
    "median": "median (linear interpolation)",
    "third_quartile": "third quartile (linear interpolation)",
    "high": "highest value",
}


def measures_by_label(report: BaselineReport) -> FurtherTable:
    """What each measure says of the pairs of each label, as a box plot draws it."""
    of_all = report.figures["subsets"][0].get("by_label", [])
    return FurtherTable(
        "measures_by_label",
        "How the values of each measure are distributed for each label. One row for each measure"
        " and label."
        f" {about_people(report)} {about_items(report)}",
        columns_by_name(
            {
                "measure": "name of the measure",
                "label": "the label that people gave",
                **OF_LABEL,
            }
        ),
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
    columns = {
        "subset": "the part of the items; `all` for all of them",
        "measure": "name of the measure",
    }
    for name, meaning in zip(
        RANKINGS,
        (
            "share of pools in which the measure ranks first the item that people scored highest",
            "normalised discounted cumulative gain (NDCG) of the measure's order, averaged over"
            " pools",
            "Spearman's correlation within each pool, averaged over pools",
        ),
        strict=True,
    ):
        columns |= {
            name: meaning,
            f"{name}_standard_error": f"standard error of `{name}` over pools",
            f"{name}_pools": f"number of pools in `{name}`",
        }
    columns |= {
        "pools_left_out": "number of pools that were left out, because fewer than two items have"
        " both values, or because all scores of people are equal",
        "reason": "why cells of the row are empty",
    }
    return FurtherTable(
        "within_pools",
        "How well each measure ranks the items of one pool, such as the candidates of a dialogue,"
        f" averaged over pools. {about_people(report)} {about_items(report)}",
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
