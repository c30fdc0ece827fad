"""The tables of a rating result across its phases: agreement, correlations of sets."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.exports.columns import Column
from annotation.exports.table_of_result import ResultTable, result_table
from annotation.queries.exporting import Cell

Of = Mapping[str, Any]

# Of both phases of the effect of context, and of the first round of several.
_SIDES = ("first", "free", "dependent")
_VARIABLES = {
    "first_x_free": "round 1 x free",
    "first_x_dependent": "round 1 x dependent",
    "free_x_dependent": "free x dependent",
}
_SETS = (
    "`all`: every item of the main blocks; `N1`, `N2`: those whose rating in the first round is at"
    " most 1, or 2, from what their class leads to expect; `significant_pooled`,"
    " `significant_paired`: those whose ratings context changes (t-test, p < .05)"
)


def tables_of(statistics: Of) -> list[ResultTable]:
    """Those that the result has rows for."""
    found = [
        _agreement(statistics),
        _classes(statistics),
        _filters(statistics),
        _correlations(statistics),
        _sets(statistics),
    ]
    return [table for table in found if table.rows]


def _number(name: str, meaning: str) -> Column:
    return Column(name, meaning, is_number=True)


def _agreement(statistics: Of) -> ResultTable:
    """Inter- and intra-annotator agreement of each phase."""
    coefficients = ("pearson", "spearman", "rmse", "mse")
    rows: list[Sequence[Cell]] = []
    for phase in statistics["phases"]:
        summary = phase["summary"]
        for name, of in (
            ("inter_with_itself", summary["inter_annotator"]["with_itself"]),
            ("inter_without_itself", summary["inter_annotator"]["without_itself"]),
            ("intra", summary["intra_annotator"]),
            ("intra_earlier_round", phase["repeats"]["earlier_round"]),
        ):
            figures = [of[one] for one in coefficients]
            rows.append([phase["number"], name, of["n"], *figures, of["reason"] or ""])
    return result_table(
        "agreement",
        "Agreement between people, and of people with themselves.",
        [
            Column("phase", "number of the phase"),
            Column(
                "agreement",
                "`inter_with_itself`: every rating against the mean of its stack, the rating"
                " itself in it; `inter_without_itself`: against the mean of the others; `intra`:"
                " a repeat against the rating before in the same booklet; `intra_earlier_round`:"
                " against the same person's rating in the earlier round",
            ),
            Column("n", "pairs of values"),
            _number("pearson", "Pearson's correlation"),
            _number("spearman", "Spearman's correlation"),
            _number("rmse", "root of the mean squared difference"),
            _number("mse", "mean squared difference"),
            Column("reason", "why cells are empty"),
        ],
        rows,
        printed=("phase", "agreement", "n", *coefficients),
        caption="Inter- and intra-annotator agreement.",
    )


def _classes(statistics: Of) -> ResultTable:
    """Scores by intended class, in each phase."""
    rows: list[Sequence[Cell]] = [
        [
            phase["number"],
            name,
            of["n"],
            of["mean"],
            of["sd"],
            None if of["sd"] is None else of["sd"] ** 2,
            of["reason"] or "",
        ]
        for phase in statistics["phases"]
        for name, of in sorted(
            phase["by_class"]["classes"].items(), key=lambda one: -(one[1]["mean"] or 0)
        )
    ]
    return result_table(
        "scores_by_class",
        "Scores of the items of each intended class.",
        [
            Column("phase", "number of the phase"),
            Column("class", "intended class"),
            Column("n", "items with a score"),
            _number("mean", "of the scores"),
            _number("sd", "standard deviation, n - 1 in the denominator"),
            _number("variance", "its square"),
            Column("reason", "why cells are empty"),
        ],
        rows,
        printed=("phase", "class", "n", "mean", "sd", "variance"),
        caption="Scores by intended class (sd and variance: n - 1 in the denominator).",
    )


def _filters(statistics: Of) -> ResultTable:
    rows: list[Sequence[Cell]] = [
        [f"N{of['limit']:g}", name, one["n_kept"], one["n"]]
        for of in statistics["diagonal"]["limits"]
        for name, one in of["classes"].items()
    ]
    return result_table(
        "diagonal_filters",
        "How many items each diagonal filter keeps: those whose rating in the first round is at"
        " most 1 (N1) or 2 (N2) from what their class leads to expect.",
        [
            Column("filter", "`N1` or `N2`"),
            Column("class", "intended class"),
            Column("kept", "items that it keeps"),
            Column("n", "items that have a rating of the first round and the class"),
        ],
        rows,
        printed=("filter", "class", "kept", "n"),
        caption="Items that each diagonal filter keeps.",
    )


def _correlations(statistics: Of) -> ResultTable:
    """Of round 1, free and dependent ratings: each two of them, over each set of items."""
    rows: list[Sequence[Cell]] = []
    for row in statistics["selected"]:
        for variables in _VARIABLES:
            # Older results have no correlations with round 1.
            of = row if variables == "free_x_dependent" else row.get(variables)
            if of is None:
                continue
            partial = of.get("partial", {}).get("value")
            control = of["control"] or {}
            random = [control.get(name) for name in ("mean", "low", "high", "p", "n_subsets")]
            figures = [of["n"], of["pearson"], of["spearman"], partial, *random]
            rows.append([row["name"], variables, *figures, of["reason"] or ""])
    return result_table(
        "set_correlations",
        "How round 1 and both phases correlate over all items and over selections of them, beside"
        " random selections of as many items.",
        [
            Column("set", _SETS),
            Column(
                "variables",
                "`first`: what the first round said; `free`, `dependent`: the score without"
                " context and in it",
            ),
            Column("n", "items that have both"),
            _number("pearson", "Pearson's correlation"),
            _number("spearman", "Spearman's correlation"),
            _number("partial", "Pearson's partial correlation, controlling for the first round"),
            _number("random_mean", "mean of Pearson's correlation over random subsets of n items"),
            _number("random_low", "their 2.5 percentile"),
            _number("random_high", "their 97.5 percentile"),
            _number("random_p", "two-sided p-value of the selection being a random one"),
            Column("random_subsets", "how many were drawn"),
            Column("reason", "why cells are empty"),
        ],
        rows,
        printed=("set", "variables", "n", "pearson", "spearman", "partial", "random_mean"),
        caption="Correlations of the ratings of round 1 (first), without context (free) and in"
        " context (dependent) over selections of the items, beside random selections of as many"
        " items.",
    )


def _sets(statistics: Of) -> ResultTable:
    rows: list[Sequence[Cell]] = []
    for row in statistics["selected"]:
        for side in _SIDES if "moments" in row else ():
            of = row["moments"][side]
            figures = [of["n"], of["mean"], of["variance"]]
            rows.append([row["name"], side, *figures, of["reason"] or ""])
    return result_table(
        "score_sets",
        "Number, mean and variance of the first round's ratings and of both phases' scores, over"
        " all items and over selections of them.",
        [
            Column("set", _SETS),
            Column(
                "scores",
                "`first`: ratings of the first round; `free`, `dependent`: scores without context"
                " and in it",
            ),
            Column("n", "items that have one"),
            _number("mean", "over the items"),
            _number("variance", "n - 1 in the denominator"),
            Column("reason", "why cells are empty"),
        ],
        rows,
        printed=("set", "scores", "n", "mean", "variance"),
        caption="Ratings of round 1 (first) and scores without context (free) and in context"
        " (dependent) over selections of the items (variance: n - 1 in the denominator).",
    )
