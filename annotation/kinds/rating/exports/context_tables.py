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
from annotation.kinds.rating.queries.context_figures import are_chosen_by_difference

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
    "significant_pooled": "p < .05, pooled t-test",
    "significant_paired": "p < .05, paired t-test",
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
_OF_FILTERS = (
    "N1, N2: pairs whose rating in round 1 is at most 1 (or 2) points from the value that their"
    " intended class suggests."
)
_OF_SETS = (
    f"{_OF_FILTERS} p < .05: pairs with such a p-value in a t-test of the effect of context, not"
    " corrected."
)
_SETS = (
    "which items: `all` (all items of the main block), `N1` or `N2` (items whose rating in the"
    " first round is at most 1 or 2 points from the value that their intended class suggests), or"
    " `significant_pooled` or `significant_paired` (items with p < .05 in this t-test of the"
    " effect of context, not corrected)"
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
        "The effect of context on the ratings, by a t-test of each item. One row for each test.",
        [
            Column(
                "test",
                "`pooled` treats the ratings of both phases as given by different people; `paired`"
                " uses the people who rated the item in both phases",
                _name,
            ),
            Column("tested", "number of items that could be tested", _figure("n_tested")),
            number_column("level", "significance level", _figure("level")),
            Column(
                "below",
                "number of items with a p-value below this level, not corrected",
                _figure("n_below"),
            ),
            number_column("share_below", "`below` divided by `tested`", _figure("share_below")),
            Column(
                "left",
                "number of these items that remain after the correction of Benjamini and Hochberg",
                _figure("n_left"),
            ),
            number_column("share_left", "`left` divided by `tested`", _figure("share_left")),
            Column(
                "items",
                "number of items with a score in both phases",
                lambda row: row.figures["gains"]["n"],
            ),
            number_column(
                "gain",
                "mean gain of these items: score in context minus score without context",
                lambda row: row.figures["gains"]["mean"],
            ),
            number_column(
                "gain_sd",
                "standard deviation of the gain (n - 1 in the denominator)",
                lambda row: row.figures["gains"]["sd"],
            ),
            Column(
                "main",
                "`yes` for the test that selects items for figures and other tables, otherwise"
                " `no`",
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
        caption="Effect of context: t-test of each item, p-values below .05 (not corrected), those"
        " left after the correction of Benjamini and Hochberg (BH), and the mean gain from"
        " context.",
        notes=[_equivalence_note(context["margin"])] if has_margin else [],
        words=_WORDS,
    )


def _equivalence() -> list[Column]:
    """What the two one-sided tests of each item say of the size of its effect."""
    return [
        number_column(
            "margin", "smallest effect that matters, in points of the scale", _of_margin("margin")
        ),
        Column(
            "equivalent",
            "number of items whose effect lies between minus the margin and the margin (two"
            " one-sided tests, corrected by the method of Benjamini and Hochberg)",
            _of_margin("n_equivalent"),
        ),
        Column(
            "different",
            "number of other items whose effect is significantly different from 0 (two-sided test,"
            " corrected by the method of Benjamini and Hochberg)",
            _of_margin("n_different"),
        ),
        Column("undecided", "number of the remaining tested items", _of_margin("n_undecided")),
    ]


def _of_margin(name: str) -> Callable[[Named], Any]:
    return lambda row: row.figures["equivalence"][name]


def _equivalence_note(margin: float) -> str:
    return (
        f"equivalent: the effect lies between -{margin:g} and {margin:g} points (two one-sided"
        " tests, BH); different: it is significantly different from 0 (BH), and not equivalent;"
        " undecided: the remaining items."
    )


def waiting(statistics: Statistics) -> ResultTable:
    """How long people waited between two phases."""
    names = ("n", "median", "quartile_1", "quartile_3", "min", "max", "delay_hours")
    return result_table(
        "waiting_times",
        "How long people waited between two phases, in hours. One row for each pause.",
        [
            Column(
                "phases", "numbers of the two phases", lambda row: f"{row['from']} to {row['to']}"
            ),
            Column("n", "number of people whose answers count", lambda row: row.get("n")),
            number_column("median", "median pause in hours", lambda row: row.get("median")),
            number_column(
                "quartile_1",
                "first quartile of the pauses in hours",
                lambda row: row.get("quartile_1"),
            ),
            number_column(
                "quartile_3",
                "third quartile of the pauses in hours",
                lambda row: row.get("quartile_3"),
            ),
            number_column("min", "shortest pause in hours", lambda row: row.get("min")),
            number_column("max", "longest pause in hours", lambda row: row.get("max")),
            number_column(
                "delay_hours", "planned pause in hours", lambda row: row.get("delay_hours")
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
        "The filters N1 and N2 keep items whose rating in the first round is at most 1 or 2 points"
        " from the value that their intended class suggests. One row for each filter and class:"
        " how many items the filter keeps.",
        [
            Column("filter", "`N1` or `N2`", lambda row: f"N{row.limit:g}"),
            Column(
                "class",
                "class that the items were chosen for",
                lambda row: row.intended_class,
            ),
            Column("kept", "number of items that the filter keeps", lambda row: row.n_kept),
            Column(
                "n",
                "number of items of the class that have a rating from the first round",
                lambda row: row.n,
            ),
        ],
        records,
        printed=("filter", "class", "kept", "n"),
        caption="Items that each diagonal filter keeps.",
        notes=[_OF_FILTERS],
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


def _random_p(row: OfSet) -> float | None:
    if are_chosen_by_difference(row.set):
        return None
    p: float | None = _random("p")(row)
    return p


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
        "Correlations between the first round and the two phases, over all items and over"
        " selections of them. For comparison, the table also has the correlations in random"
        " selections of the same size.",
        [
            Column("set", _SETS, lambda row: row.set),
            Column(
                "variables",
                "the two variables that are correlated: `first` (rating in the first round),"
                " `free` (score without context) or `dependent` (score in context)",
                lambda row: row.name,
            ),
            Column("n", "number of items that have both values", _set_figure("n")),
            number_column("pearson", "Pearson's correlation", _set_figure("pearson")),
            number_column("spearman", "Spearman's correlation", _set_figure("spearman")),
            number_column(
                "partial",
                "Pearson's partial correlation, controlling for the first round",
                lambda row: row.figures.get("partial", {}).get("value"),
            ),
            number_column(
                "random_mean",
                "mean of Pearson's correlation in random selections of n items",
                _random("mean"),
            ),
            number_column("random_low", "2.5th percentile of these correlations", _random("low")),
            number_column(
                "random_high", "97.5th percentile of these correlations", _random("high")
            ),
            number_column(
                "random_p",
                "two-sided p-value: how often random selections differ as much as this one; empty"
                " for `significant_…`, because these items were chosen by the difference between"
                " their phases and correlate less even without any effect of context",
                _random_p,
            ),
            Column("random_subsets", "number of random selections", _random("n_subsets")),
            reason_column(lambda row: row.figures),
        ],
        records,
        printed=(
            *("set", "variables", "n", "pearson", "spearman", "partial"),
            *("random_mean", "random_low", "random_high", "random_p"),
        ),
        caption="Correlations of the ratings of round 1, without context and in context over"
        " selections of the items, beside the Pearson correlations of random selections of as many"
        " items: mean, 2.5th and 97.5th percentile, and two-sided p-value.",
        notes=[
            _OF_SETS,
            "partial: Pearson's correlation given the rating of round 1.",
            "p: not for pairs with p < .05 in a t-test. They were chosen by the difference between"
            " their phases and correlate less even without any effect of context.",
        ],
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
        "Number, mean and variance of the ratings of the first round and of the scores of both"
        " phases, over all items and over selections of them.",
        [
            Column("set", _SETS, lambda row: row.set),
            Column(
                "scores",
                "`first` (ratings of the first round), `free` (scores without context) or"
                " `dependent` (scores in context)",
                lambda row: row.name,
            ),
            Column("n", "number of items that have a value", _set_figure("n")),
            number_column("mean", "mean over these items", _set_figure("mean")),
            number_column(
                "variance",
                "variance over these items (n - 1 in the denominator)",
                _set_figure("variance"),
            ),
            reason_column(lambda row: row.figures),
        ],
        records,
        printed=("set", "scores", "n", "mean", "variance"),
        caption="Ratings of round 1 and scores without context and in context over selections of"
        " the items (variance: n - 1 in the denominator).",
        notes=[_OF_SETS],
        words=_WORDS,
    )
