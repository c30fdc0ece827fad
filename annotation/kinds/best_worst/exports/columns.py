"""The tables of a best-worst study: their columns, with the value of each."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from annotation.basics.cells import Cell, as_json, iso
from annotation.basics.scale import plain
from annotation.core.exports.columns import (
    ACTIVE_MS,
    ANSWERED_AT,
    PSEUDONYM,
    SHOWN_AT,
    SOURCE,
    STATUS,
    SUPERSEDED_AT,
    Column,
    check_columns,
)
from annotation.core.queries import comments


def items() -> list[Column]:
    return [
        Column("id", "id of the item, as imported", lambda row: row.item.key),
        Column(
            "pool",
            "the pool that the item belongs to: the id of the dialogue, or `all` if the items are"
            " not divided into pools",
            lambda row: row.item.pool.key,
        ),
        Column(
            "domain",
            "domain of the dialogue; without a dialogue, that of the item in the imported file",
            lambda row: row.label("domain"),
        ),
        Column(
            "source",
            "source of the dialogue; without a dialogue, that of the item in the imported file",
            lambda row: row.label("source"),
        ),
        Column(
            "dialogue_json",
            "the turns of the dialogue in order, as JSON: `[{speaker, text}]`",
            lambda row: row.turns_as_json,
        ),
        Column(
            "dialogue_text",
            "the turns of the dialogue, one `speaker: text` per line",
            lambda row: row.turns_as_lines,
        ),
        Column(
            "target",
            "the text that the candidates were compared with, such as the last turn of the"
            " dialogue; empty if there was none",
            lambda row: row.item.target,
        ),
        Column("candidate", "the text that was judged", lambda row: row.item.candidate),
        Column(
            "intended_class",
            "the class that the item was chosen for before anybody answered, as imported; empty if"
            " unknown",
            lambda row: row.item.intended_class,
        ),
        Column(
            "metadata",
            "the other columns of the imported file, as JSON",
            lambda row: as_json(row.metadata) if row.metadata else "",
        ),
        Column(
            "dialogue_metadata",
            "what the imported file additionally contained about the dialogue, as JSON",
            lambda row: row.dialogue_metadata,
        ),
        Column(
            "group",
            "the same as `pool`; empty if the items are not divided into pools",
            lambda row: row.group,
        ),
        Column(
            "expected",
            "the known answer of an attention check, as imported",
            lambda row: None if row.item.expected is None else plain(row.item.expected),
            is_number=True,
        ),
        *check_columns(lambda row: row.check),
        Column(
            "appearances",
            "how many counted answers there are to tuples with this item",
            lambda row: row.counts.appearances,
        ),
        Column(
            "best",
            "how many of these answers chose the item as the best",
            lambda row: row.counts.best,
        ),
        Column(
            "worst",
            "how many of these answers chose the item as the worst",
            lambda row: row.counts.worst,
        ),
        Column(
            "score",
            "the score of the item, from -1 to 1: (best - worst) / appearances. Items are compared"
            " within their pool only, so do not compare the scores of different pools",
            lambda row: row.counts.score,
        ),
        Column(
            "rescaled",
            "the same score from 0 to 1: (score + 1) / 2",
            lambda row: row.counts.rescaled,
        ),
        Column(
            "score_low",
            "lower end of the 95 % interval for the score that many other people would give this"
            " item on average, among the same items; `score_intervals` in `study.json` says how it"
            " was computed",
            lambda row: row.result.low,
        ),
        Column("score_high", "upper end of this interval", lambda row: row.result.high),
        Column("score_se", "standard error of the score", lambda row: row.result.standard_error),
        Column(
            "rank_low",
            "best rank of the item in its pool that the significant differences leave: 1 plus the"
            " number of items whose score is significantly higher",
            lambda row: row.result.rank_low,
        ),
        Column(
            "rank_high",
            "worst rank of the item in its pool that the significant differences leave: the number"
            " of items in the pool minus the number of items whose score is significantly lower",
            lambda row: row.result.rank_high,
        ),
        Column(
            "first_group",
            "first group that the item belongs to. A group consists of items of a pool that are"
            " next to each other in the order of scores and do not differ significantly. Group 1"
            " has the highest scores, and an item can belong to several groups",
            lambda row: row.result.first_group,
        ),
        Column(
            "last_group", "last group that the item belongs to", lambda row: row.result.last_group
        ),
        Column(
            "utility",
            "position of the item on the scale of a choice model (max-diff logit), in logits with"
            " mean 0 in each pool. `ranking` in `study.json` describes the model. Do not compare"
            " the utilities of different pools",
            lambda row: row.result.utility,
        ),
        Column(
            "utility_se",
            "standard error of the utility; empty in pools with more than 2,000 items",
            lambda row: row.result.utility_error,
        ),
    ]


def tuples(size: int) -> list[Column]:
    return [
        Column("tuple", "number of the tuple", lambda row: row.number),
        Column("pool", "the pool that the items of the tuple belong to", lambda row: row.pool),
        Column(
            "booklet", "number of the booklet that contains the tuple", lambda row: row.booklet
        ),
        Column("screen", "number of the screen in the booklet, from 1", lambda row: row.screen),
        Column("position", "number of the tuple on the screen, from 1", lambda row: row.position),
        *(
            Column(f"item{n}", f"id of item {n} of the tuple", _nth_item(n))
            for n in range(1, size + 1)
        ),
    ]


def _nth_item(n: int) -> Callable[[Any], Cell]:
    return lambda row: row.items[n - 1]


def annotators() -> list[Column]:
    return [
        Column("annotator", PSEUDONYM, lambda row: row.pseudonym),
        Column("source", SOURCE, lambda row: row.source),
        Column(
            "counted_judgments",
            "number of the annotator's answers that count",
            lambda row: row.n_judgments,
        ),
        Column(
            "compliance",
            "how well the annotator agrees with the others, from 0 to 1. Each answer orders pairs"
            " of items: the best is above all others, and the worst is below all others. The"
            " value is the share of pairs that the scores of all other annotators put in the same"
            " order. Equal scores count one half; random clicking gives about .5",
            lambda row: row.result.compliance,
        ),
        Column(
            "pairs",
            "number of these pairs; if it is small, `compliance` is imprecise",
            lambda row: row.result.n_pairs,
        ),
        Column(
            "pairs_left_out",
            "number of pairs that could not be compared, because nobody else saw one of the items",
            lambda row: row.result.n_left_out,
        ),
        *_position_columns("best", _best_position),
        *_position_columns("worst", _worst_position),
    ]


def _position_columns(
    pick: str, figures: Callable[[Any], tuple[float | None, float | None]]
) -> list[Column]:
    return [
        Column(
            f"{pick}_position_chi2",
            f"chi-square test of whether the annotator picked the {pick} item equally often from"
            " each position on the screen; its degrees of freedom are the size of the tuples minus"
            " 1. Empty if the order on the screen is unknown",
            lambda row: figures(row)[0],
        ),
        Column(
            f"{pick}_position_p",
            "p-value of this test. With many annotators, some small values occur by chance. With"
            " fewer than five expected picks per position, the value is only approximate",
            lambda row: figures(row)[1],
        ),
    ]


def _best_position(row: Any) -> tuple[float | None, float | None]:
    return row.result.best_chi_square, row.result.best_p


def _worst_position(row: Any) -> tuple[float | None, float | None]:
    return row.result.worst_chi_square, row.result.worst_p


def judgments() -> list[Column]:
    return [
        Column(
            "annotator",
            "the annotator's random pseudonym, the same in every file",
            attrgetter("pseudonym"),
        ),
        Column("source", SOURCE, attrgetter("source")),
        Column("booklet", "number of the booklet", attrgetter("booklet")),
        Column("screen", "number of the screen in the booklet, from 1", attrgetter("screen")),
        Column("position", "number of the question on the screen, from 1", attrgetter("position")),
        Column("tuple", "number of the tuple, as in `tuples.tsv`", attrgetter("tuple_number")),
        Column("status", STATUS, attrgetter("status")),
        Column(
            "stored_order",
            "ids of the items of the tuple in the order of `tuples.tsv`, as a JSON list",
            attrgetter("stored_order"),
        ),
        Column(
            "shown_order",
            "the same ids in the order in which the annotator saw the items, as a JSON list; empty"
            " if unknown, as for imported answers",
            attrgetter("shown_order"),
        ),
        Column("best", "id of the item chosen as the best", attrgetter("best")),
        Column("worst", "id of the item chosen as the worst", attrgetter("worst")),
        Column(
            "shown_at",
            SHOWN_AT,
            lambda row: iso(row.shown_at),
        ),
        Column(
            "answered_at",
            ANSWERED_AT,
            lambda row: iso(row.answered_at),
        ),
        Column(
            "active_ms",
            ACTIVE_MS,
            attrgetter("active_ms"),
        ),
        Column("comment", comments.IN_A_TABLE, attrgetter("comment")),
        Column(
            "superseded_at",
            SUPERSEDED_AT,
            lambda row: iso(row.superseded_at),
        ),
    ]


def nrc(size: int) -> list[Column]:
    return [
        *(
            Column(f"Item{n}", f"id of item {n} of the tuple", _nth_item(n))
            for n in range(1, size + 1)
        ),
        Column("BestItem", "id of the item chosen as the best", attrgetter("best")),
        Column("WorstItem", "id of the item chosen as the worst", attrgetter("worst")),
        Column("Annotator", PSEUDONYM, attrgetter("pseudonym")),
        Column("TupleID", "number of the tuple, as in `tuples.tsv`", attrgetter("tuple_number")),
    ]


IF_CURRENT = (
    "The columns from `{first}` to `{last}` were computed by a separate step in Likeness, called"
    " *scoring*. They are empty if this step was not run after the answers last changed."
)
