"""The tables of a rating result across phases: what context changes, and what is selected."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from annotation.core.exports.columns import Column
from annotation.kinds.exports.table_of_result import (
    ResultTable,
    number_column,
    reason_column,
    result_table,
)

Statistics = Mapping[str, Any]

# The names of both phases of the effect of context, and of the first of several rounds.
_SIDES = ("first", "free", "dependent")
_VARIABLES = ("first_x_free", "first_x_dependent", "free_x_dependent")
# The names in LaTeX, which replace those in the files.
_WORDS = {
    "first": "round 1",
    "free": "without context",
    "dependent": "in context",
    "first_x_free": "round 1 × without context",
    "first_x_dependent": "round 1 × in context",
    "free_x_dependent": "without × in context",
    "significant_pooled": "significant, pooled t-test",
    "significant_paired": "significant, paired t-test",
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


class Named(NamedTuple):
    """Figures with the name of what they are of."""

    name: str
    figures: Statistics


def _name(row: Named) -> str:
    return row.name


def _figure(name: str) -> Callable[[Named], Any]:
    return lambda row: row.figures[name]


def effects(statistics: Statistics) -> ResultTable:
    """How many items context changes, by each test."""
    context = statistics["context"]
    records = [
        Named(test, {**figures, "is_main": test == context["main_test"]})
        for test, figures in sorted(context.get("tests", {}).items(), reverse=True)
        if not context["reason"]
    ]
    has_margin = not context["reason"] and context["margin"] is not None
    return result_table(
        "context_effect",
        "On how many items context has an effect, by a t-test of each item.",
        [
            Column(
                "test",
                "`pooled`: as of different people; `paired`: of those who rated both",
                _name,
            ),
            Column("tested", "items that could be tested", _figure("n_tested")),
            number_column("level", "what a p-value has to be below", _figure("level")),
            Column("below", "items with a p-value below it", _figure("n_below")),
            number_column("share_below", "of the items tested", _figure("share_below")),
            Column(
                "left", "of them after the correction of Benjamini and Hochberg", _figure("n_left")
            ),
            number_column("share_left", "of the items tested", _figure("share_left")),
            Column("items", "items with a gain", lambda row: row.figures["gains"]["n"]),
            number_column(
                "gain",
                "mean over these items: in context less without",
                lambda row: row.figures["gains"]["mean"],
            ),
            number_column(
                "gain_sd",
                "its standard deviation over items, n - 1 in the denominator",
                lambda row: row.figures["gains"]["sd"],
            ),
            Column(
                "main",
                "`yes`: the test by which plots and other tables select items; the default is"
                " `paired` if most items were rated by the same people in both phases",
                lambda row: "yes" if row.figures["is_main"] else "no",
            ),
            *(_equivalence() if has_margin else []),
            reason_column(lambda row: row.figures),
        ],
        records,
        printed=(
            *("test", "tested", "below", "share_below", "left", "share_left", "gain", "gain_sd"),
            *(("equivalent", "different", "undecided") if has_margin else ()),
        ),
        caption="Items on which context has an effect: t-test of each item, p-values below .05,"
        " those left after the correction of Benjamini and Hochberg (BH), and the mean gain from"
        " context.",
        notes=[_equivalence_note(context["margin"])] if has_margin else [],
        words=_WORDS,
    )


def _equivalence() -> list[Column]:
    """What the two one-sided tests of each item say of the size of its effect."""
    return [
        number_column("margin", "smallest effect that matters, in points", _of_margin("margin")),
        Column(
            "equivalent",
            "items whose effect is smaller, by two one-sided tests after Benjamini and Hochberg",
            _of_margin("n_equivalent"),
        ),
        Column(
            "different",
            "the others whose effect is not 0, by the two-sided test after Benjamini and Hochberg",
            _of_margin("n_different"),
        ),
        Column("undecided", "the rest of the items tested", _of_margin("n_undecided")),
    ]


def _of_margin(name: str) -> Callable[[Named], Any]:
    return lambda row: row.figures["equivalence"][name]


def _equivalence_note(margin: float) -> str:
    return (
        f"equivalent: the effect is smaller than {margin:g} points, by two one-sided tests after"
        " BH; different: it is not 0, after BH, and not equivalent; undecided: the rest."
    )


def waiting(statistics: Statistics) -> ResultTable:
    """How long people waited between two phases."""
    names = ("n", "median", "quartile_1", "quartile_3", "min", "max", "delay_hours")
    return result_table(
        "waiting_times",
        "How long people waited between two phases, in hours.",
        [
            Column("phases", "numbers of the two", lambda row: f"{row['from']} to {row['to']}"),
            Column("n", "people whose answers count", lambda row: row.get("n")),
            number_column("median", "hours", lambda row: row.get("median")),
            number_column("quartile_1", "hours", lambda row: row.get("quartile_1")),
            number_column("quartile_3", "hours", lambda row: row.get("quartile_3")),
            number_column("min", "hours", lambda row: row.get("min")),
            number_column("max", "hours", lambda row: row.get("max")),
            number_column(
                "delay_hours", "what the design asks for", lambda row: row.get("delay_hours")
            ),
            reason_column(lambda row: row),
        ],
        statistics["waiting"],
        printed=("phases", *names),
        caption="Waiting time between the phases, in hours.",
        words={"delay_hours": "planned", "quartile_1": "quartile 1", "quartile_3": "quartile 3"},
    )


class Filtered(NamedTuple):
    """The items of an intended class that a diagonal filter keeps."""

    limit: float
    intended_class: str
    n_kept: int
    n: int


def filters(statistics: Statistics) -> ResultTable:
    """How many items each diagonal filter keeps."""
    records = [
        Filtered(limit["limit"], name, counts["n_kept"], counts["n"])
        for limit in statistics["diagonal"]["limits"]
        for name, counts in limit["classes"].items()
    ]
    return result_table(
        "diagonal_filters",
        "How many items each diagonal filter keeps: those whose rating in the first round is at"
        " most 1 (N1) or 2 (N2) from what their class leads to expect.",
        [
            Column("filter", "`N1` or `N2`", lambda row: f"N{row.limit:g}"),
            Column("class", "intended class", lambda row: row.intended_class),
            Column("kept", "items that it keeps", lambda row: row.n_kept),
            Column(
                "n",
                "items that have a rating of the first round and the class",
                lambda row: row.n,
            ),
        ],
        records,
        printed=("filter", "class", "kept", "n"),
        caption="Items that each diagonal filter keeps.",
        notes=[_OF_SETS],
    )


class OfSet(NamedTuple):
    """Figures of a set of items: of two of its variables, or of the scores of one side."""

    set: str
    name: str
    figures: Statistics


def _set_figure(name: str) -> Callable[[OfSet], Any]:
    return lambda row: row.figures[name]


def _random(name: str) -> Callable[[OfSet], Any]:
    """A figure of random selections of as many items, if any were drawn."""
    return lambda row: (row.figures["control"] or {}).get(name)


def correlations(statistics: Statistics) -> ResultTable:
    """Of round 1, free and dependent ratings: each two of them, over each set of items."""
    records = [
        OfSet(selected["name"], variables, figures)
        for selected in statistics["selected"]
        for variables in _VARIABLES
        if (figures := _of_variables(selected, variables)) is not None
    ]
    return result_table(
        "set_correlations",
        "How round 1 and both phases correlate over all items and over selections of them, beside"
        " random selections of as many items.",
        [
            Column("set", _SETS, lambda row: row.set),
            Column(
                "variables",
                "`first`: what the first round said; `free`, `dependent`: the score without"
                " context and in it",
                lambda row: row.name,
            ),
            Column("n", "items that have both", _set_figure("n")),
            number_column("pearson", "Pearson's correlation", _set_figure("pearson")),
            number_column("spearman", "Spearman's correlation", _set_figure("spearman")),
            number_column(
                "partial",
                "Pearson's partial correlation, controlling for the first round",
                lambda row: row.figures.get("partial", {}).get("value"),
            ),
            number_column(
                "random_mean",
                "mean of Pearson's correlation over random subsets of n items",
                _random("mean"),
            ),
            number_column("random_low", "their 2.5 percentile", _random("low")),
            number_column("random_high", "their 97.5 percentile", _random("high")),
            number_column(
                "random_p", "two-sided p-value of the selection being a random one", _random("p")
            ),
            Column("random_subsets", "how many were drawn", _random("n_subsets")),
            reason_column(lambda row: row.figures),
        ],
        records,
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


def _of_variables(selected: Statistics, variables: str) -> Statistics | None:
    # Older results have no correlations with round 1.
    correlations: Statistics | None = (
        selected if variables == "free_x_dependent" else selected.get(variables)
    )
    return correlations


def sets(statistics: Statistics) -> ResultTable:
    """Number, mean and variance of what was said in each round, over each set of items."""
    records = [
        OfSet(selected["name"], side, selected["moments"][side])
        for selected in statistics["selected"]
        for side in (_SIDES if "moments" in selected else ())
    ]
    return result_table(
        "score_sets",
        "Number, mean and variance of the first round's ratings and of both phases' scores, over"
        " all items and over selections of them.",
        [
            Column("set", _SETS, lambda row: row.set),
            Column(
                "scores",
                "`first`: ratings of the first round; `free`, `dependent`: scores without context"
                " and in it",
                lambda row: row.name,
            ),
            Column("n", "items that have one", _set_figure("n")),
            number_column("mean", "over the items", _set_figure("mean")),
            number_column("variance", "n - 1 in the denominator", _set_figure("variance")),
            reason_column(lambda row: row.figures),
        ],
        records,
        printed=("set", "scores", "n", "mean", "variance"),
        caption="Ratings of round 1 and scores without context and in context over selections of"
        " the items (variance: n - 1 in the denominator).",
        notes=[_OF_SETS],
        words=_WORDS,
    )
