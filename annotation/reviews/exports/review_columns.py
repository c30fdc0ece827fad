"""The columns of the files of an expert check and of a review of discrepancies."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from annotation.basics.cells import Cell, as_json
from annotation.core.exports.columns import Column
from annotation.core.queries.item_texts import Side

# Turns of a context before and after the compared one.
_AROUND = 1000


def _texts() -> list[Column]:
    return [
        Column(
            "item",
            "id of the item, both here and in the scored study",
            lambda row: row.item.key,
        ),
        Column(
            "group",
            "the dialogue or group of the item in the scored study; empty if it has none",
            lambda row: row.item.group,
        ),
        Column(
            "target",
            "the first text between `<sent>` and `</sent>`, with its whole context",
            lambda row: _marked(row.texts.target),
        ),
        Column(
            "candidate",
            "the second text between `<sent>` and `</sent>`, with its whole context",
            lambda row: _marked(row.texts.candidate),
        ),
    ]


def _marked(side: Side) -> str:
    return side.marked(_AROUND)


def _from() -> list[Column]:
    return [
        Column(
            "phase",
            "number of the phase that the score comes from; empty for best-worst scores",
            lambda row: row.item.reviewed.phase,
        ),
        Column(
            "scored_at",
            "when the score was computed",
            lambda row: row.item.reviewed.computed_at,
        ),
    ]


def expert_check(people: Sequence[str]) -> list[Column]:
    """Of `CheckedItem`; `people`: pseudonyms of the experts, who have a column each."""
    return [
        *_texts(),
        Column(
            "score",
            "the score that the experts check, from 0 to 1, as it was when the expert check was"
            " created. A best-worst score s is (s + 1) / 2; a mean rating is its position on the"
            " scale",
            lambda row: row.item.reviewed.score,
        ),
        Column("distance", "distance of the score from the middle, .5", lambda row: row.distance),
        Column(
            "score_side",
            "whether the score is above or below the middle; empty if it is exactly .5",
            lambda row: row.score_side,
        ),
        Column(
            "experts_side",
            "what the majority of experts says; empty if there is no majority",
            lambda row: row.experts_side,
        ),
        Column(
            "status",
            "outcome of the check: `contradicted` (the majority of experts is on the other side),"
            " `confirmed`, `torn` (as many experts say above as below), `at the middle` (the score"
            " is exactly .5) or `unlabelled` (no expert chose a side)",
            lambda row: row.status,
        ),
        Column(
            "above",
            "number of experts who say above the middle (the first category)",
            lambda row: row.n_above,
        ),
        Column(
            "below",
            "number of experts who say below the middle (the second category)",
            lambda row: row.n_below,
        ),
        *_from(),
        *(
            Column(f"label_{name}", f"answer of the expert {name}", _label_by(number))
            for number, name in enumerate(people)
        ),
    ]


def _label_by(number: int) -> Callable[[Any], Cell]:
    return lambda row: row.expert_labels[number]


def expert_check_shares() -> list[Column]:
    """Of `CheckShare`; without items there is neither a share nor its interval."""
    return [
        Column(
            "scores",
            "which scores: `all`, or only those `above` or `below` the middle. The row `any`"
            " counts scores that at least one expert contradicts, including items without a"
            " majority",
            lambda row: row.scores,
        ),
        Column(
            "items",
            "number of items that experts answered and whose score is not exactly .5",
            lambda row: row.contradicted.n,
        ),
        Column(
            "contradicted",
            "number of these items whose score the experts contradict",
            lambda row: row.contradicted.count,
        ),
        Column(
            "share",
            "`contradicted` divided by `items`",
            lambda row: row.contradicted.share if row.contradicted.n else None,
            is_number=True,
        ),
        Column(
            "low",
            "lower end of the 95 % interval of the share (Wilson)",
            lambda row: row.contradicted.low if row.contradicted.n else None,
            is_number=True,
        ),
        Column(
            "high",
            "upper end of this interval",
            lambda row: row.contradicted.high if row.contradicted.n else None,
            is_number=True,
        ),
    ]


def discrepancies() -> list[Column]:
    """Of `DiscrepancyRecord`."""
    return [
        *_texts(),
        Column(
            "score",
            "people's score of the item, from 0 to 1, as it was when the review was created",
            lambda row: row.item.reviewed.score,
        ),
        Column(
            "label",
            "the same as a label: a published label, or the most frequent rating; empty for mean"
            " ratings and best-worst scores",
            lambda row: row.item.reviewed.label,
        ),
        Column("measure", "name of the automatic measure", lambda row: row.item.reviewed.measure),
        Column("value", "value of the measure for the item", lambda row: row.item.reviewed.value),
        Column(
            "difference",
            "people's value minus that of the measure, after both were brought to the same scale;"
            " empty if items were selected by thresholds",
            lambda row: row.item.reviewed.difference,
        ),
        Column(
            "compared_by",
            "how both were brought to the same scale: `ranks` (from 0 to 1) or standardized"
            " values; empty if items were selected by thresholds",
            lambda row: row.item.reviewed.by,
        ),
        Column(
            "rule",
            "the thresholds by which items were selected. They apply to `label`, or to the mean"
            " rating on its original scale",
            lambda row: row.item.reviewed.rule,
        ),
        Column(
            "higher",
            "whose value is higher: people or measure; empty if neither",
            lambda row: row.item.reviewed.higher,
        ),
        Column("n_people", "number of people who labelled the item", lambda row: row.n_people),
        Column(
            "categories",
            "categories that more than half of these people chose, separated by vertical bars",
            lambda row: "|".join(row.categories),
        ),
        Column(
            "votes",
            "number of people who chose each category, as JSON",
            lambda row: as_json(row.votes),
        ),
        *_from(),
        Column(
            "column",
            "column with the published labels; empty for other scores",
            lambda row: row.item.reviewed.column,
        ),
    ]


def discrepancy_categories() -> list[Column]:
    """Of `CategoryCounts`."""
    return [
        Column(
            "category",
            "category that people chose. The last two rows, in parentheses, count the items"
            " without a category and all labelled items",
            lambda row: row.category,
        ),
        Column(
            "people_higher",
            "number of items of the category to which people gave the higher value",
            lambda row: row.people_higher,
        ),
        Column(
            "people_higher_share",
            "share of the labelled items to which people gave the higher value",
            lambda row: _known(row.people_higher_share),
        ),
        Column(
            "measure_higher",
            "number of items of the category to which the measure gave the higher value",
            lambda row: row.measure_higher,
        ),
        Column(
            "measure_higher_share",
            "share of the labelled items to which the measure gave the higher value",
            lambda row: _known(row.measure_higher_share),
        ),
        Column("all", "number of all items of the category", lambda row: row.n_all),
    ]


def _known(share: float) -> float | None:
    return None if np.isnan(share) else share
