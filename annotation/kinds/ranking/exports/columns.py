"""The tables of a ranking study: their columns, with the value of each, and the README."""

from collections.abc import Sequence

from annotation.core.exports.columns import (
    OF_PLATFORMS,
    Column,
    opening,
    section,
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
        Column("orders", "counted orders with this item", lambda row: row.counts.appearances),
        Column("first", "how many of them have it first", lambda row: row.counts.best),
        Column("last", "how many of them have it last", lambda row: row.counts.worst),
        Column(
            "mean_place",
            "its mean rank, from 1; empty if never shown. Relative to the items it was shown"
            " with: places of different pools are not on one scale",
            lambda row: row.mean_place,
            is_number=True,
        ),
        Column(
            "score",
            "the mean rank from -1, always last, to 1, always first",
            lambda row: row.counts.score,
        ),
        Column("rescaled", "(score + 1) / 2, from 0 to 1", lambda row: row.counts.rescaled),
        *(shared[name] for name in _OF_INTERVALS),
        Column(
            "utility",
            "u of the Plackett-Luce model, in which each place goes to item i with a probability"
            " proportional to exp(u_i) among the items left, by maximum likelihood in the item's"
            " pool, in logits, centred there; with a ridge in the pools that `ranking` names in"
            " `study.json`. Not comparable across pools",
            lambda row: row.result.utility,
        ),
        shared["utility_se"],
    ]


def judgments() -> list[Column]:
    order = Column(
        "order",
        "ids of the items from the first place to the last, a JSON list",
        lambda row: row.order,
    )
    columns = [column for column in best_worst.judgments() if column.name != "worst"]
    return [order if column.name == "best" else column for column in columns]


def annotators() -> list[Column]:
    meanings = {
        "compliance": "share of the pairs of items in somebody's orders whose order is that of"
        " everybody else's scores, equal scores counting a half; random orders give about .5"
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
            "A ranking study, exported from Likeness.",
            population=population,
            note=note,
            spreadsheet=spreadsheet,
        ),
        section(
            "items.tsv",
            "Every item with its scores, in the order of the import. " + best_worst.IF_CURRENT,
            items(),
        ),
        section(
            "annotators.tsv",
            "Every annotator of a counted answer. " + best_worst.IF_CURRENT,
            annotators(),
        ),
        section("tuples.tsv", "Every tuple that was to be ordered.", best_worst.tuples(size)),
        section(
            "judgments.tsv",
            "Every answer, in the order of storing. Answers of somebody who withdrew are gone;"
            f" `study.json` says how many there were. {OF_PLATFORMS}",
            judgments(),
        ),
        *more,
        "## study.json\n\n"
        "One object: `exported_at`; `population`; `note`; `study` (title, language, the question,"
        " instructions); `design` (seed, parameters, certificate, code version); `shown_order`"
        " (how to compute the order of the options again); `counts`; `statistics` (the latest that"
        " were computed; null if none were) and `result` (what they were computed from, and as"
        " `is_current` whether that is the counted answers in these files); `versions`.\n",
        "`statistics` has `overall` (`concordance`: Kendall's W, what it is at random, and the"
        " mean Spearman correlation of two people, each with its interval; `split_half`),"
        " `score_intervals`, `ranking` (how the utilities were fitted), `compliance`, `positions`"
        " and `flags`. Every statistic says in `definition` what it is; where one is null,"
        " `reason` says why.\n",
        "## SHA256SUMS\n\n"
        "Check sums of the other files: `sha256sum -c SHA256SUMS`. Two exports of the same data"
        " are the same, byte by byte, except for `exported_at` and so for the sum of"
        " `study.json`.\n",
    ]
    return "\n".join(parts)
