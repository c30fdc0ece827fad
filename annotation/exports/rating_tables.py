"""The tables of a rating result: what its page shows of each phase and across them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotation.exports.columns import Column
from annotation.exports.table_of_result import ResultTable, result_table
from annotation.queries.exporting import Cell

Of = Mapping[str, Any]

# Of both phases of the effect of context, and of the first round of several.
_SIDES = ("first", "free", "dependent")
_VARIABLES = ("first_x_free", "first_x_dependent", "free_x_dependent")
# What LaTeX says instead of the names in the files.
_WORDS = {
    "first": "round 1",
    "free": "without context",
    "dependent": "in context",
    "first_x_free": "round 1 × without context",
    "first_x_dependent": "round 1 × in context",
    "free_x_dependent": "without × in context",
    "significant_pooled": "significant, pooled t-test",
    "significant_paired": "significant, paired t-test",
    "inter_with_itself": "inter, the rating itself in the mean",
    "inter_without_itself": "inter, mean of the others",
    "intra": "intra, in the same booklet",
    "intra_earlier_round": "intra, against the earlier round",
    "pooled": "pooled t-test",
    "paired": "paired t-test",
    "random_mean": "random",
    "random_low": "2.5 %",
    "random_high": "97.5 %",
    "random_p": "p",
    "share_below": "share below",
    "below": "p < .05",
    "left": "after BH",
    "share_left": "share after BH",
}
_OF_SETS = (
    "N1, N2: pairs whose rating in round 1 is at most 1, or at most 2, from what their class leads"
    " to expect."
)
_SETS = (
    "`all`: every item of the main blocks; `N1`, `N2`: those whose rating in the first round is at"
    " most 1, or 2, from what their class leads to expect; `significant_pooled`,"
    " `significant_paired`: those whose ratings context changes (t-test, p < .05)"
)


def tables_of(statistics: Of) -> list[ResultTable]:
    """Those that the result has rows for."""
    found = [
        _statistics(statistics),
        _agreement(statistics),
        _effects(statistics),
        _waiting(statistics),
        _calibration(statistics),
        _classes(statistics),
        _filters(statistics),
        _correlations(statistics),
        _sets(statistics),
    ]
    return [table for table in found if table.rows]


def _number(name: str, meaning: str) -> Column:
    return Column(name, meaning, is_number=True)


def _statistics(statistics: Of) -> ResultTable:
    """What the page says of each phase: agreement, error bounds, the calibration block."""
    rows: list[Sequence[Cell]] = []
    words: dict[str, str] = {}
    for phase in statistics["phases"]:
        for name, said, value, of, n in _of_phase(phase):
            words[name] = said
            interval = [of.get("low"), of.get("high")]
            rows.append([phase["number"], name, value, *interval, n, of["reason"] or ""])
    return result_table(
        "phase_statistics",
        "The statistics of each phase.",
        [
            Column("phase", "number of the phase"),
            Column(
                "statistic",
                "; ".join(f"`{name}`: {said}" for name, said in words.items()),
            ),
            _number("value", "its value"),
            _number("low", "lower end of its 95 % interval, where it has one"),
            _number("high", "upper end of it"),
            Column("n", "items; people of `typical_human`, ratings of `calibration`"),
            Column("reason", "why cells are empty"),
        ],
        rows,
        printed=("phase", "statistic", "value", "low", "high", "n"),
        caption="Statistics of each phase, with 95 % intervals.",
        words=words,
    )


def _of_phase(phase: Of) -> Iterator[tuple[str, str, float | None, Of, int | None]]:
    """Name, name in words, value, what holds interval and reason, and of how many."""
    summary = phase["summary"]
    for level in ("interval", "ordinal", "nominal", "ratio"):
        alpha = summary["alpha"][level]
        said = f"Krippendorff's alpha, {level}"
        yield f"alpha_{level}", said, alpha["alpha"], alpha, alpha["n_units"]
    for kind in ("1,1", "1,k", "2,1", "2,k", "3,1", "3,k"):
        icc = summary["icc"][kind]
        name = f"icc_{kind.replace(',', '_')}"
        yield name, f"ICC({kind})", icc["icc"], icc, icc["n_units"]
    for kind, said in (
        ("paper", "error bound of the Czech study, a mean square"),
        ("unbiased", "error bound, unbiased, a mean square"),
    ):
        bound = summary["error_bound"][kind]
        yield f"error_bound_{kind}", said, bound["value"], bound, bound["n_units"]
        yield (
            f"error_bound_{kind}_root",
            f"root of the {said.removesuffix(', a mean square')}",
            bound["root"],
            bound,
            bound["n_units"],
        )
    raters = summary["raters"]
    for kind in ("pearson", "spearman"):
        said = f"typical human, {kind.capitalize()}"
        yield f"typical_human_{kind}", said, raters[kind]["mean"], raters, raters["n_raters"]
    block = phase["calibration"]
    for name, said in (
        ("rmse", "calibration block, root of the mean squared deviation"),
        ("mean_deviation", "calibration block, mean deviation"),
        ("mean_absolute_deviation", "calibration block, mean size of the deviation"),
    ):
        yield f"calibration_{name}", said, block[name], block, block["n"]
    majority = phase["aggregates"]
    n_rated = majority["n_rated"]
    share = majority["n_with_majority"] / n_rated if n_rated else None
    yield "share_with_majority", "share of items with a majority", share, majority, n_rated
    earlier = phase["earlier_rating"]
    for kind in ("pearson", "spearman"):
        said = f"correlation with the ratings of the study before, {kind.capitalize()}"
        yield f"earlier_rating_{kind}", said, earlier[kind], earlier, earlier["n"]


def _effects(statistics: Of) -> ResultTable:
    """How many items context changes, by each test."""
    context = statistics["context"]
    rows: list[Sequence[Cell]] = [
        [
            test,
            of["n_tested"],
            of["level"],
            of["n_below"],
            of["share_below"],
            of["n_left"],
            of["share_left"],
            of["gains"]["n"],
            of["gains"]["mean"],
            of["gains"]["sd"],
            of["reason"] or "",
        ]
        for test, of in sorted(context.get("tests", {}).items(), reverse=True)
        if not context["reason"]
    ]
    return result_table(
        "context_effect",
        "On how many items context has an effect, by a t-test of each item.",
        [
            Column("test", "`pooled`: as of different people; `paired`: of those who rated both"),
            Column("tested", "items that could be tested"),
            _number("level", "what a p-value has to be below"),
            Column("below", "items with a p-value below it"),
            _number("share_below", "of the items tested"),
            Column("left", "of them after the correction of Benjamini and Hochberg"),
            _number("share_left", "of the items tested"),
            Column("items", "items with a gain"),
            _number("gain", "mean over these items: in context less without"),
            _number("gain_sd", "its standard deviation over items, n - 1 in the denominator"),
            Column("reason", "why cells are empty"),
        ],
        rows,
        printed=(
            "test",
            "tested",
            "below",
            "share_below",
            "left",
            "share_left",
            "gain",
            "gain_sd",
        ),
        caption="Items on which context has an effect: t-test of each item, p-values below .05,"
        " those left after the correction of Benjamini and Hochberg (BH), and the mean gain from"
        " context.",
        words=_WORDS,
    )


def _waiting(statistics: Of) -> ResultTable:
    columns = ("n", "median", "quartile_1", "quartile_3", "min", "max", "delay_hours")
    rows: list[Sequence[Cell]] = [
        [f"{of['from']} to {of['to']}", *(of.get(name) for name in columns), of["reason"] or ""]
        for of in statistics["waiting"]
    ]
    return result_table(
        "waiting_times",
        "How long people waited between two phases, in hours.",
        [
            Column("phases", "numbers of the two"),
            Column("n", "scored runs"),
            _number("median", "hours"),
            _number("quartile_1", "hours"),
            _number("quartile_3", "hours"),
            _number("min", "hours"),
            _number("max", "hours"),
            _number("delay_hours", "what the design asks for"),
            Column("reason", "why cells are empty"),
        ],
        rows,
        printed=("phases", *columns),
        caption="Waiting time between the phases, in hours.",
        words={"delay_hours": "planned", "quartile_1": "quartile 1", "quartile_3": "quartile 3"},
    )


def _calibration(statistics: Of) -> ResultTable:
    """The items of the calibration block, in each phase."""
    rows: list[Sequence[Cell]] = [
        [phase["number"], *(one[name] for name in ("item", "expected", "n", "mean", "sd"))]
        for phase in statistics["phases"]
        for one in phase["calibration"]["items"]
    ]
    return result_table(
        "calibration_items",
        "Ratings of each item of the calibration block.",
        [
            Column("phase", "number of the phase"),
            Column("item", "id of the item"),
            _number("expected", "its known answer"),
            Column("n", "ratings"),
            _number("mean", "of the ratings"),
            _number("sd", "standard deviation, n - 1 in the denominator"),
        ],
        rows,
        printed=("phase", "item", "expected", "n", "mean", "sd"),
        caption="Items of the calibration block (sd: n - 1 in the denominator).",
    )


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
        words=_WORDS,
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
        notes=[_OF_SETS],
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
        printed=(
            *("set", "variables", "n", "pearson", "spearman", "partial"),
            *("random_mean", "random_low", "random_high", "random_p"),
        ),
        caption="Correlations of the ratings of round 1, without context and in context over"
        " selections of the items, beside the Pearson correlations of random selections of as many"
        " items: mean, 2.5 and 97.5 percentile, p-value of the selection being a random one.",
        notes=[_OF_SETS, "partial: Pearson's correlation given the rating of round 1."],
        words=_WORDS,
        p_values=["random_p"],
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
        caption="Ratings of round 1 and scores without context and in context over selections of"
        " the items (variance: n - 1 in the denominator).",
        notes=[_OF_SETS],
        words=_WORDS,
    )
