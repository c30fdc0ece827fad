"""The tables of a best-worst study: their columns, with the value of each."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from annotation.basics.cells import Cell, as_json, iso
from annotation.basics.scale import plain
from annotation.core.exports.columns import (
    Column,
    check_columns,
)
from annotation.core.queries import comments
from annotation.core.queries.run_status import STATUSES


def items() -> list[Column]:
    return [
        Column("id", "the item's id, as imported", lambda row: row.item.key),
        Column(
            "pool",
            "items of one pool were compared with one another: the dialogue's id",
            lambda row: row.item.pool.key,
        ),
        Column(
            "domain",
            "of the dialogue; without one, what the file said of the item",
            lambda row: row.label("domain"),
        ),
        Column(
            "source",
            "of the dialogue; without one, what the file said of the item",
            lambda row: row.label("source"),
        ),
        Column(
            "dialogue_json",
            "its turns, in order: `[{speaker, text}]`",
            lambda row: row.turns_as_json,
        ),
        Column(
            "dialogue_text", "the same as lines `speaker: text`", lambda row: row.turns_as_lines
        ),
        Column(
            "target",
            "the text that candidates were compared with: the last turn",
            lambda row: row.item.target,
        ),
        Column("candidate", "the text that was judged", lambda row: row.item.candidate),
        Column(
            "intended_class",
            "as imported; empty if the file did not say",
            lambda row: row.item.intended_class,
        ),
        Column(
            "metadata",
            "what else the imported file said of the item, as JSON",
            lambda row: as_json(row.metadata) if row.metadata else "",
        ),
        Column(
            "dialogue_metadata",
            "what else the imported file said of the dialogue, as JSON",
            lambda row: row.dialogue_metadata,
        ),
        Column(
            "group",
            "the pool as an imported file names it; empty where there is only one",
            lambda row: row.group,
        ),
        Column(
            "expected",
            "the known answer, as imported",
            lambda row: None if row.item.expected is None else plain(row.item.expected),
            is_number=True,
        ),
        *check_columns(lambda row: row.check),
        Column(
            "appearances",
            "counted answers to tuples with this item",
            lambda row: row.counts.appearances,
        ),
        Column(
            "best",
            "how many of them chose it as best, by the first question",
            lambda row: row.counts.best,
        ),
        Column(
            "worst",
            "how many of them chose it as worst, by the second question",
            lambda row: row.counts.worst,
        ),
        Column(
            "score",
            "(best - worst) / appearances, from -1 to 1; empty if never shown. Relative to the"
            " items it was shown with: scores of different pools are not on one scale",
            lambda row: row.counts.score,
        ),
        Column(
            "rescaled",
            "(score + 1) / 2, from 0 to 1; empty if never shown",
            lambda row: row.counts.rescaled,
        ),
        Column(
            "score_low",
            "lower end of the score's 95 % interval; `score_intervals` in `study.json` says how it"
            " is computed",
            lambda row: row.result.low,
        ),
        Column("score_high", "its upper end", lambda row: row.result.high),
        Column("score_se", "standard error of the score", lambda row: row.result.standard_error),
        Column(
            "rank_low",
            "best rank in the pool that the pairs in a certain order leave to the item, from 1: 1"
            " and the items that are certainly above it",
            lambda row: row.result.rank_low,
        ),
        Column(
            "rank_high",
            "worst rank that they leave: the items of the pool without those certainly below it",
            lambda row: row.result.rank_high,
        ),
        Column(
            "first_group",
            "first group of the pool that holds the item, from 1 for the highest scores. A group"
            " is a longest run of items by score of which no two are in a certain order",
            lambda row: row.result.first_group,
        ),
        Column("last_group", "last group that holds it", lambda row: row.result.last_group),
        Column(
            "utility",
            "u of the max-diff logit, P(best i, worst j) proportional to exp(u_i - u_j), by"
            " maximum likelihood in the item's pool, in logits, centred there; with a ridge in the"
            " pools that `ranking` names in `study.json`. Not comparable across pools",
            lambda row: row.result.utility,
        ),
        Column(
            "utility_se",
            "standard error of the utility, from the inverse information; empty in pools of more"
            " than 2,000 items",
            lambda row: row.result.utility_error,
        ),
    ]


def tuples(size: int) -> list[Column]:
    return [
        Column("tuple", "the tuple's number", lambda row: row.number),
        Column("pool", "the pool its items are from", lambda row: row.pool),
        Column("booklet", "number of the booklet that asks it", lambda row: row.booklet),
        Column("screen", "number of the screen in the booklet, from 1", lambda row: row.screen),
        Column("position", "place on the screen, from 1", lambda row: row.position),
        *(
            Column(f"item{n}", f"id of item {n} in stored order", _nth_item(n))
            for n in range(1, size + 1)
        ),
    ]


def _nth_item(n: int) -> Callable[[Any], Cell]:
    return lambda row: row.items[n - 1]


def annotators() -> list[Column]:
    return [
        Column("annotator", "pseudonym, as in `judgments.tsv`", lambda row: row.pseudonym),
        Column("source", "`real`, `imported` or `simulated`", lambda row: row.source),
        Column("counted_judgments", "answers that are scored", lambda row: row.n_judgments),
        Column(
            "compliance",
            "share of the pairs of items implied by the answers (best over all others, all others"
            " over worst) whose order is that of everybody else's scores, equal scores counting a"
            " half; random clicking gives about .5",
            lambda row: row.result.compliance,
        ),
        Column(
            "pairs",
            "pairs that were compared: of a few, `compliance` says little",
            lambda row: row.result.n_pairs,
        ),
        Column(
            "pairs_left_out",
            "those of which nobody else was shown one of the items",
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
            f"chi-square of the displayed positions of the {pick} picks against an even spread,"
            " tuple size - 1 degrees of freedom; empty if the order shown is unknown",
            lambda row: figures(row)[0],
        ),
        Column(
            f"{pick}_position_p",
            "its p-value; among many annotators a few are small by chance, and with fewer than"
            " five picks expected in each position it is a rough approximation",
            lambda row: figures(row)[1],
        ),
    ]


def _best_position(row: Any) -> tuple[float | None, float | None]:
    return row.result.best_chi_square, row.result.best_p


def _worst_position(row: Any) -> tuple[float | None, float | None]:
    return row.result.worst_chi_square, row.result.worst_p


def judgments() -> list[Column]:
    statuses = "; ".join(f"`{status}`: {meaning}" for status, meaning in STATUSES.items())
    return [
        Column(
            "annotator",
            "pseudonym, drawn at random; the same person in every row",
            attrgetter("pseudonym"),
        ),
        Column(
            "source",
            "`real`, `imported` (from a file of existing answers) or `simulated`",
            attrgetter("source"),
        ),
        Column("booklet", "number of the booklet", attrgetter("booklet")),
        Column("screen", "number of the screen in the booklet, from 1", attrgetter("screen")),
        Column("position", "place of the question on the screen, from 1", attrgetter("position")),
        Column("tuple", "the tuple's number", attrgetter("tuple_number")),
        Column("status", statuses, attrgetter("status")),
        Column(
            "stored_order",
            "ids of the tuple's items in stored order, a JSON list",
            attrgetter("stored_order"),
        ),
        Column(
            "shown_order",
            "the same ids in the order in which the options were shown, a JSON list; empty if"
            " unknown (imported answers)",
            attrgetter("shown_order"),
        ),
        Column("best", "id of the item chosen as best, by the first question", attrgetter("best")),
        Column(
            "worst",
            "id of the item chosen as worst, by the second question",
            attrgetter("worst"),
        ),
        Column(
            "shown_at",
            "when the screen was shown: ISO 8601, UTC, milliseconds",
            lambda row: iso(row.shown_at),
        ),
        Column(
            "answered_at",
            "when the answer was stored, by the server's clock",
            lambda row: iso(row.answered_at),
        ),
        Column(
            "active_ms",
            "milliseconds in which the page was in use, as the browser counted them; empty if"
            " it did not",
            attrgetter("active_ms"),
        ),
        Column("comment", comments.IN_A_TABLE, attrgetter("comment")),
        Column(
            "superseded_at",
            "when a later answer took this one's place; empty if none did",
            lambda row: iso(row.superseded_at),
        ),
    ]


def nrc(size: int) -> list[Column]:
    return [
        *(
            Column(f"Item{n}", f"id of item {n} in stored order", _nth_item(n))
            for n in range(1, size + 1)
        ),
        Column("BestItem", "id of the item chosen as best", attrgetter("best")),
        Column("WorstItem", "id of the item chosen as worst", attrgetter("worst")),
        Column("Annotator", "pseudonym", attrgetter("pseudonym")),
        Column("TupleID", "the tuple's number", attrgetter("tuple_number")),
    ]


IF_CURRENT = (
    "What scoring alone computes is empty unless the latest scoring was of exactly the answers"
    " counted here (`is_current` in `study.json`): score again to fill it."
)
