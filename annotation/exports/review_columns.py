"""The columns of the files of an expert check and of a review of discrepancies."""

from collections.abc import Sequence

from annotation.exports.columns import Column

_TEXTS = [
    Column("item", "the item's id, here and in the study that it is from"),
    Column("group", "the dialogue or group that it was in there; empty if in none"),
    Column("target", "in its context, between the marks `<sent>` and `</sent>`"),
    Column("candidate", "the same of the other text"),
]
_FROM = [
    Column("phase", "number of the phase that the score is of; empty of best-worst scores"),
    Column("scored_at", "when the result was computed that the score is from"),
]


def expert_check(people: Sequence[str]) -> list[Column]:
    """`people`: pseudonyms of the experts, who have a column each."""
    return [
        *_TEXTS,
        Column(
            "score",
            "from 0 to 1, with all digits, as it was when the items were taken: a best-worst score"
            " s as (s + 1) / 2, a mean rating by the ends of its scale",
        ),
        Column("distance", "of the score from the middle, .5"),
        Column("score_side", "above or below the middle; empty if exactly there"),
        Column("experts_side", "what more of the experts say; empty if they are torn"),
        Column(
            "status",
            "contradicted (these first, the farthest first), confirmed, torn (as many say either),"
            " at the middle, or unlabelled",
        ),
        Column("above", "experts who say above the middle, the first category"),
        Column("below", "experts who say below, the second category"),
        *_FROM,
        *(Column(f"label_{name}", f"what {name} said") for name in people),
    ]


def expert_check_shares() -> list[Column]:
    return [
        Column(
            "scores",
            "`all`; `above` or `below`: those with a score above or below the middle; `any`:"
            " contradicted by at least one expert, torn ones among them",
        ),
        Column("items", "items that count: labelled, with a score off the middle"),
        Column("contradicted", "those whose score the experts contradict"),
        Column("share", "of the items", is_number=True),
        Column("low", "lower end of Wilson's score interval (95 %)", is_number=True),
        Column("high", "upper end", is_number=True),
    ]


def discrepancies() -> list[Column]:
    return [
        *_TEXTS,
        Column("score", "of the people, from 0 to 1, as it was when the items were taken"),
        Column(
            "label",
            "the same as people gave it: a published label, or the most frequent rating; empty of"
            " means and best-worst scores",
        ),
        Column("measure", "the name of the measure"),
        Column("value", "what the measure says of the item"),
        Column(
            "difference",
            "people less measure, once both were made comparable among all items that had both;"
            " empty by thresholds",
        ),
        Column(
            "compared_by",
            "ranks (from 0 to 1, ties sharing theirs) or standardized values; empty by thresholds",
        ),
        Column(
            "rule",
            "the thresholds beyond which an item was taken; people's values are those of `label`,"
            " and of means on the scale of the ratings",
        ),
        Column("higher", "people or measure; empty if neither"),
        Column("n_people", "how many people labelled the item"),
        Column("categories", "those that more than half of them chose, parted by |"),
        Column("votes", "how many chose each category, as JSON"),
        *_FROM,
        Column("column", "that the published labels stand in; empty of other scores"),
    ]
