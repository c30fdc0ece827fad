"""The tables of a ranking study: their columns, with the value of each, and the README."""

from collections.abc import Sequence

from annotation.core.exports.columns import (
    ABOUT_JUDGMENTS,
    STATISTICS,
    SUMS,
    Column,
    about_study_json,
    opening,
    section,
    which_answers_count,
)
from annotation.core.queries.counted_answers import Population
from annotation.kinds.best_worst.exports import columns as best_worst

# Columns that only picks of a best and a worst item can have.
_NOT_OF_ORDERS = frozenset({"appearances", "best", "worst", "score", "utility", "rescaled"})
_OF_INTERVALS = (
    *("score_low", "score_high", "score_se"),
    *("rank_low", "rank_high", "first_group", "last_group"),
)


def items() -> list[Column]:
    """Those of best-worst studies, with what places and a Plackett-Luce model say."""
    shared = {column.name: column for column in best_worst.items()}
    others = _NOT_OF_ORDERS.union(_OF_INTERVALS, {"utility_se"})
    texts = [column for name, column in shared.items() if name not in others]
    return [
        *texts,
        Column(
            "orders",
            "how many counted answers order this item",
            lambda row: row.counts.appearances,
        ),
        Column(
            "first", "how many of these answers put the item first", lambda row: row.counts.best
        ),
        Column(
            "last", "how many of these answers put the item last", lambda row: row.counts.worst
        ),
        Column(
            "mean_place",
            "the mean rank of the item in these answers; 1 is the first place. Items are compared"
            " within their pool only, so do not compare the ranks of different pools",
            lambda row: row.mean_place,
            is_number=True,
        ),
        Column(
            "score",
            "the score of the item: its mean rank on a scale from -1 (always last) to 1 (always"
            " first)",
            lambda row: row.counts.score,
        ),
        Column(
            "rescaled",
            "the same score from 0 to 1: (score + 1) / 2",
            lambda row: row.counts.rescaled,
        ),
        *(shared[name] for name in _OF_INTERVALS),
        Column(
            "utility",
            "position of the item on the scale of a Plackett-Luce model, in logits with mean 0 in"
            " each pool. `ranking` in `study.json` describes the model. Do not compare the"
            " utilities of different pools",
            lambda row: row.result.utility,
        ),
        shared["utility_se"],
    ]


def judgments() -> list[Column]:
    order = Column(
        "order",
        "ids of the items from the first place to the last, as a JSON list",
        lambda row: row.order,
    )
    columns = [column for column in best_worst.judgments() if column.name != "worst"]
    return [order if column.name == "best" else column for column in columns]


def annotators() -> list[Column]:
    meanings = {
        "compliance": "how well the annotator agrees with the others, from 0 to 1: the share of"
        " pairs of items that the scores of all other annotators put in the same order. Equal"
        " scores count one half; random orders give about .5"
    }
    return [
        Column(column.name, meanings.get(column.name, column.meaning), column.value)
        for column in best_worst.annotators()
    ]


def readme(
    *,
    title: str,
    population: Population,
    size: int,
    spreadsheet: bool,
    note: str,
    more: Sequence[str] = (),
) -> str:
    """`README.md` of an export: every file, every column; `more` are sections of other files."""
    parts = [
        *opening(
            title,
            "This is a ranking study, exported from Likeness, a web application that collects"
            " human judgments of texts. People saw a few items at a time and put them"
            " in order. `study` in `study.json` has the question that they answered.",
            first="items.tsv",
            start="Open `items.tsv` first: it has one row for each item, with its texts and its"
            " score. The other files have the details:\n\n"
            "- `judgments.tsv`: every single answer.\n"
            "- `tuples.tsv`: which items were shown together.\n"
            "- `annotators.tsv`: how many answers each person gave, and how well each person"
            " agrees with the others.\n"
            "- `study.json`: the question, the design and the statistics, such as reliability.\n\n"
            "The other sections of this README describe each file and each column.",
            words=("item", "pool", "tuple", "annotator", "booklet"),
            population=population,
            note=note,
            spreadsheet=spreadsheet,
        ),
        which_answers_count(),
        section(
            "items.tsv",
            "One row for each item, in the order of the import. "
            + best_worst.IF_CURRENT.format(first="score_low", last="utility_se"),
            items(),
        ),
        section("judgments.tsv", ABOUT_JUDGMENTS, judgments()),
        section("tuples.tsv", "One row for each tuple of the design.", best_worst.tuples(size)),
        section(
            "annotators.tsv",
            "One row for each annotator with answers that count. "
            + best_worst.IF_CURRENT.format(first="compliance", last="worst_position_p"),
            annotators(),
        ),
        *more,
        about_study_json(
            {
                "study": "title, language, the question, and the instructions.",
                "design": "the parameters and the seed from which the tuples were drawn, and the"
                " certificate, which shows how balanced the design is.",
                "shown_order": "how to compute the order of the items on the screen.",
                "counts": "numbers of items, tuples, people and answers.",
                **STATISTICS,
            }
        ),
        "`statistics` has these parts. Every statistic has a `definition`, and if a value is null,"
        " `reason` says why. Names in square brackets, such as [KM2017], are references to the"
        " literature; the documentation of Likeness lists them.\n\n"
        "- `overall`: `concordance` has Kendall's W (with the value expected of random orders) and"
        " the mean Spearman correlation between two people, each with an interval. `split_half` is"
        " the split-half reliability.\n"
        "- `score_intervals`: about the intervals and ranks in `items.tsv`.\n"
        "- `ranking`: how the Plackett-Luce model behind the utilities was fitted.\n"
        "- `compliance`: the median and the lowest value of `compliance` in `annotators.tsv`.\n"
        "- `positions`: a chi-square test of whether people put items from all positions on the"
        " screen first, and last, equally often.\n"
        "- `flags`: the tests that compare each person with the others, and the number of people"
        " who were tested. The results for single people are not exported.\n",
        SUMS,
    ]
    return "\n".join(parts)
