"""What each file of a rating study's export holds: the headers."""

from annotation.exports.columns import Column, check_columns
from annotation.queries.exporting import STATUSES

_CONDITION = "`context_free` (the two texts alone) or `context_dependent`"
# A booklet of two phases counts phase by phase.
_UNFINISHED = "its annotator has not completed the phase (yet); not scored"
_OF_CONTEXTS = (
    "of the contexts, two different ones both named; where they say nothing, what the file said of"
    " the item"
)
_ADJUDICATED = "what an expert decided, with the reason in `adjudications.tsv`"
_EARLIER = (
    "what the round before said of the item: the mean of its ratings there, or the rating of"
    " whoever selected the pair, or as imported"
)
_FIRST = "what the first of several rounds said; `earlier_rating` where there was only one"
_FINAL = "`adjudicated` where an expert decided, else the mean"
_MAJORITY = (
    "the value that they name most often, be it fewer than half of them; empty where several tie,"
    " and if none"
)
_SENTENCE = (
    "the rated sentence between `<sent>` and `</sent>`, with the sentences around it; a text"
    " without context stands alone between the marks"
)


_QUESTION = Column(
    "question", "as imported: what stood above the two texts; empty if the file did not say"
)


def items(phases: list[int], *, has_effects: bool, has_question: bool) -> list[Column]:
    return [
        Column("id", "the item's id, as imported"),
        Column("pool", "the pool of the item: `all`, or the group that the file named"),
        Column("group", "what its contexts belong to (an incident), or the named group"),
        Column("domain", _OF_CONTEXTS),
        Column("source", _OF_CONTEXTS),
        *([_QUESTION] if has_question else []),
        Column("target", "the first text"),
        Column("candidate", "the second text"),
        *(
            column
            for side, which in (("target", "first"), ("candidate", "second"))
            for column in (
                Column(f"{side}_context", f"id of the {which} text's context; empty without one"),
                Column(f"{side}_context_json", "its turns, in order: `[{speaker, text}]`"),
                Column(f"{side}_position", "place of the text among them, from 1"),
            )
        ),
        Column("intended_class", "as imported; empty if the file did not say"),
        Column("expected", "the known rating of an item of the calibration block or a check"),
        *check_columns(),
        Column("earlier_rating", _EARLIER),
        Column("first_rating", _FIRST),
        Column("block", "`main` if a main block asks for it: only then it is data"),
        Column("metadata", "what else the imported file said of the item, as JSON"),
        *(
            column
            for n in phases
            for column in (
                Column(f"n_{n}", f"scored ratings in phase {n}, each person's first one"),
                Column(f"mean_{n}", f"the score: their mean in phase {n}; empty if none"),
                Column(
                    f"sd_{n}",
                    "their standard deviation, n - 1 in the denominator; empty below two",
                ),
                Column(
                    f"median_{n}", "their median; of an even number the mean of the middle two"
                ),
                Column(f"majority_{n}", _MAJORITY),
                Column(f"adjudicated_{n}", f"{_ADJUDICATED}; empty where nobody decided"),
                Column(f"final_{n}", _FINAL),
            )
        ),
        *(
            [
                Column("gain", "score in context less score without context"),
                Column("p_pooled", "two-sided p-value of the pooled t-test of the gain"),
                _adjusted("pooled"),
                Column(
                    "gain_paired",
                    "mean difference, in context less without, of those who rated both; empty if"
                    " nobody did. It is `gain` where the same people rated both phases",
                ),
                Column("n_both", "number of those who rated both"),
                Column(
                    "p_paired",
                    "two-sided p-value of the paired t-test of `gain_paired`, the mean difference"
                    " of those who rated both",
                ),
                _adjusted("paired"),
            ]
            if has_effects
            else []
        ),
    ]


def _adjusted(test: str) -> Column:
    return Column(
        f"p_{test}_adjusted", "the same after Benjamini and Hochberg, over the items tested"
    )


def of_status() -> dict[str, str]:
    return {**STATUSES, "unfinished": _UNFINISHED}


def judgments() -> list[Column]:
    statuses = "; ".join(f"`{status}`: {meaning}" for status, meaning in of_status().items())
    return [
        Column("annotator", "pseudonym, drawn at random; the same person in every row"),
        Column("source", "`real`, `imported` (from a file of finished answers) or `simulated`"),
        Column("status", statuses),
        Column("phase", "number of the phase"),
        Column("condition", _CONDITION),
        Column(
            "block",
            "`main`; `calibration` and `repeat` are in no score, whatever the status",
        ),
        Column("booklet", "number of the booklet"),
        Column("screen", "number of the screen in the phase, from 1"),
        Column("position", "place of the question on the screen, from 1"),
        Column("item", "id of the item"),
        Column("rating", "the rating, a value of the scale"),
        Column(
            "order",
            "place among the person's scored answers of the phase, calibration included, from 0:"
            " how many annotations had been made before; empty if not scored",
        ),
        Column("shown_at", "when the screen was shown: ISO 8601, UTC, milliseconds"),
        Column("answered_at", "when the answer was stored, by the server's clock"),
        Column(
            "active_ms",
            "milliseconds in which the page was in use, as the browser counted them; empty if it"
            " did not",
        ),
        Column("comment", "what the annotator wrote beside the answer"),
        Column("superseded_at", "when a later answer took this one's place; empty if none did"),
    ]


def command(*, has_times: bool, has_pools: bool) -> list[Column]:
    return [
        Column("annotator", "pseudonym"),
        Column("unit", "id of the item"),
        Column("value", "the rating"),
        Column("order", "as in `judgments.tsv`"),
        *([Column("thinking_ms", "`active_ms` of `judgments.tsv`")] if has_times else []),
        Column("calibration", "0: ratings of the calibration block are in `calibration.tsv`"),
        *(
            [Column("pool", "as in `items.tsv`: whole pools are drawn for alpha's intervals")]
            if has_pools
            else []
        ),
    ]


def test(*, has_question: bool, has_majority: bool) -> list[Column]:
    """`has_majority`: of scales of a few worded points, whose ratings are labels, too."""
    return [
        Column("id", "id of the item, as in `items.tsv`"),
        *([_QUESTION] if has_question else []),
        Column("text_1", "the first text"),
        Column("text_2", "the second text"),
        Column("context_1", _SENTENCE),
        Column("context_2", "the same of the second text"),
        Column("mean", "the score: mean of the ratings under this condition; empty if none"),
        Column("sd", "their standard deviation, n - 1 in the denominator; empty below two"),
        Column("n", "their number"),
        Column("ratings", "all of them, a JSON list; the people are in no particular order"),
        *([Column("majority", _MAJORITY)] if has_majority else []),
        Column("adjudicated", f"{_ADJUDICATED}; empty where nobody decided"),
        Column("final", _FINAL),
        Column("earlier_rating", _EARLIER),
        Column("first_rating", _FIRST),
        Column("intended_class", "as imported"),
        Column("domain", _OF_CONTEXTS),
        Column("source", _OF_CONTEXTS),
        Column("group", "what the contexts belong to"),
    ]


def annotators() -> list[Column]:
    return [
        Column("annotator", "pseudonym, as in `judgments.tsv`"),
        Column("source", "`real`, `imported` or `simulated`"),
        Column("phase", "number of the phase: one row for each person and phase"),
        Column("condition", _CONDITION),
        Column("ratings", "scored ratings of the main block"),
        Column("mean", "of these ratings"),
        Column("sd", "their standard deviation, n - 1 in the denominator"),
        Column("lowest", "the least of them"),
        Column("highest", "the greatest of them"),
        Column("range_used", "highest less lowest, relative to the extent of the scale"),
        Column("share_at_ends", "share of them at one of the ends of the scale"),
        Column(
            "drift",
            "slope of rating less mean of the other annotators over the place in the order:"
            " change of level for one more annotation",
        ),
        Column("pearson", "correlation of the ratings with the means of the other annotators"),
        Column("spearman", "the same by Spearman"),
        Column("compared", "items of these correlations: rated by somebody else, too"),
        Column("calibration_ratings", "ratings of the calibration block that have a reference"),
        Column(
            "bias",
            "mean of rating less expected rating over the calibration block; where no item of it"
            " has an expected rating, less the mean of the other annotators; empty without such a"
            " block",
        ),
        Column(
            "stretch",
            "standard deviation (n - 1 in the denominator) of the ratings in the calibration block"
            " relative to that of their references, divided by its geometric mean over annotators:"
            " above 1, the scale is used more widely than by most",
        ),
        Column(
            "shift",
            "mean of rating less mean of the other annotators outside the calibration block, less"
            " the same inside it",
        ),
    ]


def calibration() -> list[Column]:
    return [
        *_who(),
        Column("item", "id of the item"),
        Column("expected", "its known rating; empty if there is none"),
        Column("rating", "the rating"),
        Column("deviation", "rating less expected rating"),
        *_when(),
    ]


def repeats() -> list[Column]:
    return [
        *_who(),
        Column("item", "id of the item"),
        Column("rating", "what the person said this time"),
        Column("rating_before", "what the same person had said before; empty if unknown"),
        Column(
            "before_in",
            "`booklet` (the main block of the same phase), `earlier_round`, or empty",
        ),
        Column("annotations_between", "in the same phase, between the two"),
        Column("hours_between", "from the one being stored to the other"),
        *_when(),
    ]


def _who() -> list[Column]:
    return [
        Column("annotator", "pseudonym, as in `judgments.tsv`"),
        Column("phase", "number of the phase"),
        Column("condition", _CONDITION),
    ]


def _when() -> list[Column]:
    return [
        Column("order", "as in `judgments.tsv`"),
        Column("active_ms", "as in `judgments.tsv`"),
        Column("answered_at", "as in `judgments.tsv`"),
    ]


def phases() -> list[Column]:
    return [
        Column("annotator", "pseudonym, as in `judgments.tsv`"),
        Column("source", "`real`, `imported` or `simulated`"),
        Column("booklet", "number of the booklet"),
        Column("phase", "number of the phase"),
        Column("condition", _CONDITION),
        Column("opens_at", "from when on it could be begun: ISO 8601, UTC, milliseconds"),
        Column("closes_at", "from when on it could no longer be begun; empty if never"),
        Column(
            "began_at",
            "when the first screen was shown that was then answered; of imported answers the first"
            " answer",
        ),
        Column("completed_at", "when it was sent; empty if it was not"),
        Column(
            "gap_hours",
            "actual gap: hours from `completed_at` of the person's phase before to `began_at`",
        ),
        Column("planned_delay_hours", "what the design asks for"),
        Column(
            "opened_early",
            "`yes` if a researcher opened it before its time; else `no`, also where it was opened"
            " once more after it had closed",
        ),
        Column(
            "reason",
            "why it was opened by hand, in the researcher's words; of simulated people, whose"
            " pauses are left out, a sentence that says so, while `opened_early` is `no`",
        ),
        Column(
            "status",
            "; ".join(
                f"`{status}`: {meaning}"
                for status, meaning in of_status().items()
                if status != "superseded"
            ),
        ),
    ]
