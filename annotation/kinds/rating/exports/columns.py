"""The tables of a rating study's export: their columns, with the value of each."""

from collections.abc import Callable, Sequence
from typing import Any

from annotation.core.exports.columns import Column
from annotation.kinds.exports import answer_columns
from annotation.kinds.exports.answer_columns import ADJUDICATED, CONDITION
from annotation.kinds.rating.queries.exporting import known
from annotation.kinds.rating.queries.texts import GainTest, PhaseFigures
from annotation.kinds.scoring_options import ScoringOptions

_FINAL = "`adjudicated` where an expert decided, else the mean"
_MAJORITY = (
    "the value that they name most often, be it fewer than half of them; empty where several tie,"
    " and if none"
)


def items(
    phases: Sequence[int],
    *,
    has_effects: bool,
    has_question: bool,
    options: ScoringOptions,
) -> list[Column]:
    """`phases` are their numbers; records are of `RatedItem`."""
    expected = Column(
        "expected",
        "the known rating of an item of the calibration block or a check",
        lambda row: row.expected,
    )
    return [
        *answer_columns.listed_items(expected, has_question=has_question, earlier=_earlier()),
        *(
            column
            for place, number in enumerate(phases)
            for column in _figures(number, _nth_phase(place))
        ),
        *(_effects() if has_effects else []),
        *(_equivalence(options) if has_effects and options.margin is not None else []),
    ]


def _earlier() -> list[Column]:
    return [
        Column(
            "earlier_rating",
            "what the round before said of the item: the mean of its ratings there, or the rating"
            " of whoever selected the pair, or as imported",
            lambda row: row.earlier,
        ),
        Column(
            "first_rating",
            "what the first of several rounds said; `earlier_rating` where there was only one",
            lambda row: row.first,
        ),
    ]


def _nth_phase(place: int) -> Callable[[Any], PhaseFigures]:
    def figures(row: Any) -> PhaseFigures:
        of_phase: PhaseFigures = row.phases[place]
        return of_phase

    return figures


def _figures(number: int, figures: Callable[[Any], PhaseFigures]) -> list[Column]:
    return [
        Column(
            f"n_{number}",
            f"scored ratings in phase {number}, each person's first one",
            lambda row: figures(row).n,
        ),
        Column(
            f"mean_{number}",
            f"the score: their mean in phase {number}; empty if none",
            lambda row: figures(row).mean,
        ),
        Column(
            f"sd_{number}",
            "their standard deviation, n - 1 in the denominator; empty below two",
            lambda row: figures(row).sd,
        ),
        Column(
            f"median_{number}",
            "their median; of an even number the mean of the middle two",
            lambda row: figures(row).median,
        ),
        Column(f"majority_{number}", _MAJORITY, lambda row: figures(row).majority),
        Column(f"adjudicated_{number}", ADJUDICATED, lambda row: figures(row).adjudicated),
        Column(f"final_{number}", _FINAL, lambda row: figures(row).final),
    ]


def _effects() -> list[Column]:
    return [
        Column("gain", "score in context less score without context", lambda row: row.pooled.gain),
        Column(
            "p_pooled",
            "two-sided p-value of the pooled t-test of the gain",
            lambda row: row.pooled.p,
        ),
        _adjusted("pooled", lambda row: row.pooled),
        Column(
            "gain_paired",
            "mean difference, in context less without, of those who rated both; empty if nobody"
            " did. It is `gain` where the same people rated both phases",
            lambda row: row.paired.gain,
        ),
        Column("n_both", "number of those who rated both", lambda row: row.paired.n_free),
        Column(
            "p_paired",
            "two-sided p-value of the paired t-test of `gain_paired`, the mean difference of those"
            " who rated both",
            lambda row: row.paired.p,
        ),
        _adjusted("paired", lambda row: row.paired),
    ]


def _equivalence(options: ScoringOptions) -> list[Column]:
    """What two one-sided tests say of the size of the effect."""
    return [
        Column(
            "effect_size",
            f"`equivalent`: the effect of context is smaller than {options.margin:g} points;"
            " `different`: it is not 0, and may be as large; `undecided`: neither is significant;"
            " empty if not tested",
            lambda row: row.effect_size and row.effect_size.outcome,
        ),
        Column(
            "p_equivalent",
            f"the greater p-value of two one-sided {options.test} t-tests of that margin",
            lambda row: row.effect_size and known(row.effect_size.p),
        ),
        Column(
            "p_equivalent_adjusted",
            "the same after Benjamini and Hochberg, over the items tested",
            lambda row: row.effect_size and known(row.effect_size.p_adjusted),
        ),
    ]


def _adjusted(name: str, test: Callable[[Any], GainTest]) -> Column:
    return Column(
        f"p_{name}_adjusted",
        "the same after Benjamini and Hochberg, over the items tested",
        lambda row: test(row).p_adjusted,
    )


def judgments() -> list[Column]:
    return answer_columns.judgments(
        Column("rating", "the rating, a value of the scale", lambda row: row.answer)
    )


def command(*, has_times: bool, has_pools: bool) -> list[Column]:
    times = Column("thinking_ms", "`active_ms` of `judgments.tsv`", lambda row: row.active_ms)
    return answer_columns.command(
        Column("value", "the rating", lambda row: row.answer),
        *([times] if has_times else []),
        Column(
            "calibration",
            "0: ratings of the calibration block are in `calibration.tsv`",
            lambda row: 0,
        ),
        has_pools=has_pools,
    )


def test(*, has_question: bool, has_majority: bool) -> list[Column]:
    """Records are of `TestSetRecord`.

    `has_majority`: of scales of a few worded points, whose ratings are labels, too.
    """
    majority = Column("majority", _MAJORITY, lambda row: row.figures.majority)
    return [
        answer_columns.shown_id(),
        *([answer_columns.question(lambda row: row.shown.question)] if has_question else []),
        *answer_columns.shown_texts(),
        Column(
            "mean",
            "the score: mean of the ratings under this condition; empty if none",
            lambda row: row.figures.mean,
        ),
        Column(
            "sd",
            "their standard deviation, n - 1 in the denominator; empty below two",
            lambda row: row.figures.sd,
        ),
        Column("n", "their number", lambda row: row.figures.n),
        Column(
            "ratings",
            "all of them, a JSON list; the people are in no particular order",
            lambda row: row.ratings,
        ),
        *([majority] if has_majority else []),
        Column("adjudicated", ADJUDICATED, lambda row: row.figures.adjudicated),
        Column("final", _FINAL, lambda row: row.figures.final),
        *_earlier(),
        *answer_columns.shown_origin(),
    ]


def annotators() -> list[Column]:
    """Records are of `RaterRecord`."""
    return [
        *answer_columns.annotator_names(),
        Column(
            "phase",
            "number of the phase: one row for each person and phase",
            lambda row: row.phase_number,
        ),
        Column("condition", CONDITION, lambda row: row.condition),
        Column("ratings", "scored ratings of the main block", lambda row: row.n),
        Column("mean", "of these ratings", lambda row: row.mean),
        Column("sd", "their standard deviation, n - 1 in the denominator", lambda row: row.sd),
        Column("lowest", "the least of them", lambda row: row.lowest),
        Column("highest", "the greatest of them", lambda row: row.highest),
        Column(
            "range_used",
            "highest less lowest, relative to the extent of the scale",
            lambda row: row.range_used,
        ),
        Column(
            "share_at_ends",
            "share of them at one of the ends of the scale",
            lambda row: row.share_at_ends,
        ),
        Column(
            "drift",
            "slope of rating less mean of the other annotators over the place in the order:"
            " change of level for one more annotation",
            lambda row: row.drift,
        ),
        Column(
            "pearson",
            "correlation of the ratings with the means of the other annotators",
            lambda row: row.pearson,
        ),
        Column("spearman", "the same by Spearman", lambda row: row.spearman),
        Column(
            "compared",
            "items of these correlations: rated by somebody else, too",
            lambda row: row.n_compared,
        ),
        Column(
            "calibration_ratings",
            "ratings of the calibration block that have a reference",
            lambda row: row.n_calibration,
        ),
        Column(
            "bias",
            "mean of rating less expected rating over the calibration block; where no item of it"
            " has an expected rating, less the mean of the other annotators; empty without such a"
            " block",
            lambda row: row.bias,
        ),
        Column(
            "stretch",
            "standard deviation (n - 1 in the denominator) of the ratings in the calibration block"
            " relative to that of their references, divided by its geometric mean over annotators:"
            " above 1, the scale is used more widely than by most",
            lambda row: row.stretch,
        ),
        Column(
            "shift",
            "mean of rating less mean of the other annotators outside the calibration block, less"
            " the same inside it",
            lambda row: row.shift,
        ),
    ]


def calibration() -> list[Column]:
    """Records are of `CalibrationRecord`."""
    return answer_columns.counted(
        lambda row: row.rating,
        Column("expected", "its known rating; empty if there is none", lambda row: row.expected),
        Column("rating", "the rating", lambda row: row.rating.answer),
        Column("deviation", "rating less expected rating", lambda row: row.deviation),
    )


def repeats() -> list[Column]:
    """Records are of `RepeatRecord`."""
    return answer_columns.counted(
        lambda row: row.repeat,
        Column("rating", "what the person said this time", lambda row: row.repeat.answer),
        Column(
            "rating_before",
            "what the same person had said before; empty if unknown",
            lambda row: row.before,
        ),
        Column(
            "before_in",
            "`booklet` (the main block of the same phase), `earlier_round`, or empty",
            lambda row: row.before_in,
        ),
        Column(
            "annotations_between",
            "in the same phase, between the two",
            lambda row: row.n_between,
        ),
        Column(
            "hours_between",
            "from the one being stored to the other",
            lambda row: row.hours_between,
        ),
    )
