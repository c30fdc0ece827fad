"""The tables of a rating study's export: their columns, with the value of each."""

from collections.abc import Callable, Sequence
from typing import Any

from annotation.core.exports.columns import ACTIVE_MS, Column
from annotation.kinds.exports import answer_columns
from annotation.kinds.exports.answer_columns import ADJUDICATED, CONDITION
from annotation.kinds.rating.queries.exporting import known
from annotation.kinds.rating.queries.texts import GainTest, PhaseFigures
from annotation.kinds.scoring_options import ScoringOptions

_FINAL = "the final value: that of the expert if one decided, otherwise the mean"
_ADJUSTED = (
    "`{name}`, corrected for the number of tested items by the method of Benjamini and Hochberg"
)
_MAJORITY = (
    "the most frequent rating, even if fewer than half of the people gave it; empty if several"
    " ratings tie"
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
        "the known rating of a calibration item or an attention check",
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
            "rating of the item in the previous round: the mean of its ratings in that study, the"
            " rating of the person who selected the pair, or an imported value",
            lambda row: row.earlier,
        ),
        Column(
            "first_rating",
            "rating of the item in the first round, if there were several; otherwise the same as"
            " `earlier_rating`",
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
            f"number of ratings in phase {number} that count; repeated ratings are left out",
            lambda row: figures(row).n,
        ),
        Column(
            f"mean_{number}",
            f"the score in phase {number}: the mean of these ratings",
            lambda row: figures(row).mean,
        ),
        Column(
            f"sd_{number}",
            "standard deviation of these ratings (n - 1 in the denominator); empty if there are"
            " fewer than two",
            lambda row: figures(row).sd,
        ),
        Column(
            f"median_{number}",
            "median of these ratings",
            lambda row: figures(row).median,
        ),
        Column(f"majority_{number}", _MAJORITY, lambda row: figures(row).majority),
        Column(f"adjudicated_{number}", ADJUDICATED, lambda row: figures(row).adjudicated),
        Column(f"final_{number}", _FINAL, lambda row: figures(row).final),
    ]


def _effects() -> list[Column]:
    return [
        Column(
            "gain", "score in context minus score without context", lambda row: row.pooled.gain
        ),
        Column(
            "p_pooled",
            "two-sided p-value of the pooled t-test of `gain`, which treats the ratings of both"
            " phases as given by different people",
            lambda row: row.pooled.p,
        ),
        _adjusted("pooled", lambda row: row.pooled),
        Column(
            "gain_paired",
            "mean difference between the two ratings (in context minus without) of the people who"
            " rated the item in both phases",
            lambda row: row.paired.gain,
        ),
        Column(
            "n_both",
            "number of people who rated the item in both phases",
            lambda row: row.paired.n_free,
        ),
        Column(
            "p_paired",
            "two-sided p-value of the paired t-test of `gain_paired`",
            lambda row: row.paired.p,
        ),
        _adjusted("paired", lambda row: row.paired),
    ]


def _equivalence(options: ScoringOptions) -> list[Column]:
    """What two one-sided tests say of the size of the effect."""
    return [
        Column(
            "effect_size",
            "how large the effect of context is: `equivalent` (between"
            f" -{options.margin:g} and {options.margin:g} points, by both one-sided tests),"
            " `different` (significantly different from 0) or"
            " `undecided` (neither). Empty if it was not tested",
            lambda row: row.effect_size and row.effect_size.outcome,
        ),
        Column(
            "p_equivalent",
            f"p-value for `equivalent`: the larger one of two one-sided {options.test} t-tests",
            lambda row: row.effect_size and known(row.effect_size.p),
        ),
        Column(
            "p_equivalent_adjusted",
            _ADJUSTED.format(name="p_equivalent"),
            lambda row: row.effect_size and known(row.effect_size.p_adjusted),
        ),
    ]


def _adjusted(name: str, test: Callable[[Any], GainTest]) -> Column:
    return Column(
        f"p_{name}_adjusted",
        _ADJUSTED.format(name=f"p_{name}"),
        lambda row: test(row).p_adjusted,
    )


def judgments() -> list[Column]:
    return answer_columns.judgments(
        Column("rating", "the rating, a value of the scale", lambda row: row.answer)
    )


def command(*, has_times: bool, has_pools: bool) -> list[Column]:
    times = Column("thinking_ms", ACTIVE_MS, lambda row: row.active_ms)
    return answer_columns.command(
        Column("value", "the rating", lambda row: row.answer),
        *([times] if has_times else []),
        Column(
            "calibration",
            "always 0, because the ratings of the calibration block are in `calibration.tsv`",
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
            "the score: the mean of the ratings under this condition (without context in"
            " `…_free.tsv`, in context in `…_dependent.tsv`)",
            lambda row: row.figures.mean,
        ),
        Column(
            "sd",
            "standard deviation of these ratings (n - 1 in the denominator); empty if there are"
            " fewer than two",
            lambda row: row.figures.sd,
        ),
        Column("n", "number of these ratings", lambda row: row.figures.n),
        Column(
            "ratings",
            "these ratings as a JSON list; the order of people has no meaning",
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
            "number of the phase",
            lambda row: row.phase_number,
        ),
        Column("condition", CONDITION, lambda row: row.condition),
        Column(
            "ratings",
            "number of the annotator's ratings in the main block that count",
            lambda row: row.n,
        ),
        Column("mean", "mean of these ratings", lambda row: row.mean),
        Column(
            "sd",
            "standard deviation of these ratings (n - 1 in the denominator)",
            lambda row: row.sd,
        ),
        Column("lowest", "lowest of these ratings", lambda row: row.lowest),
        Column("highest", "highest of these ratings", lambda row: row.highest),
        Column(
            "range_used",
            "how much of the scale the annotator uses: (highest - lowest) divided by the length of"
            " the scale",
            lambda row: row.range_used,
        ),
        Column(
            "share_at_ends",
            "share of these ratings that are at one of the two ends of the scale",
            lambda row: row.share_at_ends,
        ),
        Column(
            "drift",
            "how much the ratings rise or fall over time, compared with the other annotators: the"
            " average change of the difference to their mean from one rating to the next",
            lambda row: row.drift,
        ),
        Column(
            "pearson",
            "Pearson's correlation of the ratings with the means of the other annotators",
            lambda row: row.pearson,
        ),
        Column(
            "spearman",
            "Spearman's correlation of the ratings with the means of the other annotators",
            lambda row: row.spearman,
        ),
        Column(
            "compared",
            "number of items in these correlations, which others rated as well",
            lambda row: row.n_compared,
        ),
        Column(
            "calibration_ratings",
            "number of ratings in the calibration block that can be compared with a reference: the"
            " known rating of the item or, if no item has one, the mean of the other annotators",
            lambda row: row.n_calibration,
        ),
        Column(
            "bias",
            "mean of rating minus reference in the calibration block. Above 0, the annotator rates"
            " higher than the reference",
            lambda row: row.bias,
        ),
        Column(
            "stretch",
            "how widely the annotator uses the scale in the calibration block: the standard"
            " deviation of the ratings divided by that of the references, relative to the"
            " geometric mean of all annotators. Above 1, the annotator uses the scale more widely"
            " than most",
            lambda row: row.stretch,
        ),
        Column(
            "shift",
            "how the annotator's level changes after the calibration block: the mean difference to"
            " the other annotators outside the block, minus that inside the block",
            lambda row: row.shift,
        ),
    ]


def calibration() -> list[Column]:
    """Records are of `CalibrationRecord`."""
    return answer_columns.counted(
        lambda row: row.rating,
        Column(
            "expected",
            "the known rating of the item; empty if it has none",
            lambda row: row.expected,
        ),
        Column("rating", "the rating", lambda row: row.rating.answer),
        Column("deviation", "`rating` minus `expected`", lambda row: row.deviation),
    )


def repeats() -> list[Column]:
    """Records are of `RepeatRecord`."""
    return answer_columns.counted(
        lambda row: row.repeat,
        Column("rating", "the rating given the second time", lambda row: row.repeat.answer),
        Column(
            "rating_before",
            "the rating that the same person gave before; empty if unknown",
            lambda row: row.before,
        ),
        Column(
            "before_in",
            "where the person gave the rating before: `booklet` (in the main block of the same"
            " phase) or `earlier_round`; empty if unknown",
            lambda row: row.before_in,
        ),
        Column(
            "annotations_between",
            "number of ratings that the person gave between the two; empty if the first one is"
            " from an earlier round",
            lambda row: row.n_between,
        ),
        Column(
            "hours_between",
            "hours between the two ratings",
            lambda row: row.hours_between,
        ),
    )
