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
            "the item's id, here and in the study that it is from",
            lambda row: row.item.key,
        ),
        Column(
            "group",
            "the dialogue or group that it was in there; empty if in none",
            lambda row: row.item.group,
        ),
        Column(
            "target",
            "in its context, between the marks `<sent>` and `</sent>`",
            lambda row: _marked(row.texts.target),
        ),
        Column(
            "candidate", "the same of the other text", lambda row: _marked(row.texts.candidate)
        ),
    ]


def _marked(side: Side) -> str:
    return side.marked(_AROUND)


def _from() -> list[Column]:
    return [
        Column(
            "phase",
            "number of the phase that the score is of; empty of best-worst scores",
            lambda row: row.item.reviewed.phase,
        ),
        Column(
            "scored_at",
            "when the result was computed that the score is from",
            lambda row: row.item.reviewed.computed_at,
        ),
    ]


def expert_check(people: Sequence[str]) -> list[Column]:
    """Of `CheckedItem`; `people`: pseudonyms of the experts, who have a column each."""
    return [
        *_texts(),
        Column(
            "score",
            "from 0 to 1, with all digits, as it was when the items were taken: a best-worst score"
            " s as (s + 1) / 2, a mean rating by the ends of its scale",
            lambda row: row.item.reviewed.score,
        ),
        Column("distance", "of the score from the middle, .5", lambda row: row.distance),
        Column(
            "score_side",
            "above or below the middle; empty if exactly there",
            lambda row: row.score_side,
        ),
        Column(
            "experts_side",
            "what more of the experts say; empty if they are torn",
            lambda row: row.experts_side,
        ),
        Column(
            "status",
            "contradicted (these first, the farthest first), confirmed, torn (as many say either),"
            " at the middle, or unlabelled",
            lambda row: row.status,
        ),
        Column(
            "above",
            "experts who say above the middle, the first category",
            lambda row: row.n_above,
        ),
        Column(
            "below",
            "experts who say below, the second category",
            lambda row: row.n_below,
        ),
        *_from(),
        *(
            Column(f"label_{name}", f"what {name} said", _label_by(number))
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
            "`all`; `above` or `below`: those with a score above or below the middle; `any`:"
            " contradicted by at least one expert, torn ones among them",
            lambda row: row.scores,
        ),
        Column(
            "items",
            "items that count: labelled, with a score off the middle",
            lambda row: row.contradicted.n,
        ),
        Column(
            "contradicted",
            "those whose score the experts contradict",
            lambda row: row.contradicted.count,
        ),
        Column(
            "share",
            "of the items",
            lambda row: row.contradicted.share if row.contradicted.n else None,
            is_number=True,
        ),
        Column(
            "low",
            "lower end of Wilson's score interval (95 %)",
            lambda row: row.contradicted.low if row.contradicted.n else None,
            is_number=True,
        ),
        Column(
            "high",
            "upper end",
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
            "of the people, from 0 to 1, as it was when the items were taken",
            lambda row: row.item.reviewed.score,
        ),
        Column(
            "label",
            "the same as people gave it: a published label, or the most frequent rating; empty of"
            " means and best-worst scores",
            lambda row: row.item.reviewed.label,
        ),
        Column("measure", "the name of the measure", lambda row: row.item.reviewed.measure),
        Column("value", "what the measure says of the item", lambda row: row.item.reviewed.value),
        Column(
            "difference",
            "people less measure, once both were made comparable among all items that had both;"
            " empty by thresholds",
            lambda row: row.item.reviewed.difference,
        ),
        Column(
            "compared_by",
            "ranks (from 0 to 1, ties sharing theirs) or standardized values; empty by thresholds",
            lambda row: row.item.reviewed.by,
        ),
        Column(
            "rule",
            "the thresholds beyond which an item was taken; people's values are those of `label`,"
            " and of means on the scale of the ratings",
            lambda row: row.item.reviewed.rule,
        ),
        Column(
            "higher", "people or measure; empty if neither", lambda row: row.item.reviewed.higher
        ),
        Column("n_people", "how many people labelled the item", lambda row: row.n_people),
        Column(
            "categories",
            "those that more than half of them chose, parted by |",
            lambda row: "|".join(row.categories),
        ),
        Column(
            "votes",
            "how many chose each category, as JSON",
            lambda row: as_json(row.votes),
        ),
        *_from(),
        Column(
            "column",
            "that the published labels stand in; empty of other scores",
            lambda row: row.item.reviewed.column,
        ),
    ]


def discrepancy_categories() -> list[Column]:
    """Of `CategoryCounts`."""
    return [
        Column(
            "category", "as people chose it; two rows in parentheses", lambda row: row.category
        ),
        Column(
            "people_higher",
            "items of it that people put higher",
            lambda row: row.people_higher,
        ),
        Column(
            "people_higher_share",
            "of the labelled items that people put higher",
            lambda row: _known(row.people_higher_share),
        ),
        Column(
            "measure_higher",
            "items of it that the measure puts higher",
            lambda row: row.measure_higher,
        ),
        Column(
            "measure_higher_share",
            "of the labelled items that the measure puts higher",
            lambda row: _known(row.measure_higher_share),
        ),
        Column("all", "items of it, in whatever direction", lambda row: row.n_all),
    ]


def _known(share: float) -> float | None:
    return None if np.isnan(share) else share
