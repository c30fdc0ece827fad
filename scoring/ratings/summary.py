"""All statistics of one batch of ratings."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
import numpy.typing as npt

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.disagreement import Level
from scoring.groups import bin_counts, group_moments
from scoring.json_values import JsonObject, json_number, json_numbers
from scoring.ratings.annotation_curves import (
    AgreementCurve,
    calibration_curve,
    error_by_thinking_time,
)
from scoring.ratings.annotator_habits import (
    AnnotatorEffects,
    CorrectedScores,
    annotator_effects,
    corrected_scores,
)
from scoring.ratings.error_bounds import Bound, ErrorBound, error_bound
from scoring.ratings.icc_interval import icc_interval
from scoring.ratings.intraclass import IntraclassCorrelation, Kind, intraclass_correlation
from scoring.ratings.rater_agreement import (
    InterAnnotator,
    PairedAgreement,
    RatersAgainstOthers,
    inter_annotator,
    intra_annotator,
    raters_against_others,
)
from scoring.ratings.ratings import Ratings, UnitScores, number_names, unit_scores
from scoring.ratings.reliability import RatingAlpha, rating_alpha
from shell.messages import Message
from shell.messages import message as _

COUNTS: dict[str, str] = {
    "n_ratings": "Ratings, repeats among them.",
    "n_repeats": (
        "Ratings of a unit by somebody who had rated it before. They count in the intra-annotator "
        "agreement only: every other figure is of each person's first rating of each unit."
    ),
    "n_units": "Units with at least one rating.",
    "n_unrated": "Units without any.",
    "n_annotators": "Annotators with at least one rating.",
}
# Bins of the histogram of scores, from the least to the greatest or over the whole scale.
N_BINS = 20


@dataclass(frozen=True, eq=False)
class ScoreDistribution:
    """Distribution of the scores of the rated units.

    Parameters
    ----------
    mean, sd : float
        Over units, n - 1 in the denominator of the latter; nan where undefined.
    edges : float array, shape (b + 1,)
        Ends of the bins; a score at an end belongs to the bin above, the greatest to the last.
    counts : int array, shape (b,)
        Units in each bin.
    """

    mean: float
    sd: float
    edges: FloatArray
    counts: IntArray

    def as_dict(self) -> JsonObject:
        """Mean, sd and histogram in plain JSON types."""
        return {
            "mean": json_number(self.mean),
            "sd": json_number(self.sd),
            "edges": json_numbers(self.edges),
            "counts": [int(n) for n in self.counts],
        }


@dataclass(frozen=True, eq=False)
class ClassOfScores:
    """Scores of the pairs that were intended to be of one class.

    Parameters
    ----------
    n, n_unrated : int
        Pairs with a score, and without.
    mean, sd : float
        Of the scores, in units of the scale; n - 1 in the denominator of the latter. nan where
        undefined.
    counts : int array, shape (b,)
        Pairs in each bin of `ScoresByClass.edges`.
    """

    n: int
    n_unrated: int
    mean: float
    sd: float
    counts: IntArray

    @property
    def reason(self) -> Message | None:
        """Why there is no mean, or no standard deviation."""
        if self.n == 0:
            return _("the class has no rated items")
        return _("a single value has no variance") if self.n == 1 else None

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types."""
        return {
            "n": self.n,
            "n_unrated": self.n_unrated,
            "mean": json_number(self.mean),
            "sd": json_number(self.sd),
            "reason": self.reason,
            "counts": [int(n) for n in self.counts],
        }


@dataclass(frozen=True, eq=False)
class ScoresByClass:
    """Scores of pairs by the class that they were intended to be of.

    Parameters
    ----------
    classes : dict
        By name of the class.
    edges : float array, shape (b + 1,)
        Ends of the bins, the same for all classes, so that their histograms can be laid on one
        another; a score at an end belongs to the bin above, the greatest to the last. Empty if no
        pair has a score.
    n_without_class : int
        Pairs that no class was intended of, which are left out.
    """

    classes: dict[str, ClassOfScores]
    edges: FloatArray
    n_without_class: int

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return _(
            "Number, mean, standard deviation (n - 1 in the denominator) and histogram of the"
            " items' scores (mean ratings), by intended class [CzechSTS]."
        )

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        return {
            "definition": self.definition,
            "edges": json_numbers(self.edges),
            "classes": {name: scores.as_dict() for name, scores in self.classes.items()},
            "n_without_class": self.n_without_class,
        }


def scores_by_class(
    scores: npt.ArrayLike,
    classes: Sequence[str],
    *,
    low: float | None = None,
    high: float | None = None,
) -> ScoresByClass:
    """Number, mean, standard deviation and histogram of the scores of each intended class.

    Parameters
    ----------
    scores : float array, shape (n,)
        Mean rating of each pair, as of `unit_scores`; nan if nobody rated it.
    classes : sequence of str, length n
        Intended class of each pair, such as similar, middle, dissimilar; empty if none was
        intended. Classes are listed in the order in which they first occur.
    low, high : float, optional
        Ends of the scale, which the histogram covers; by default the least and the greatest score.

    Raises
    ------
    ValueError
        If there is not one class for each score, or if a score is not on the scale.

    References
    ----------
    [CzechSTS] in docs/references.md
    """
    given = np.asarray(scores, dtype=np.float64)
    if given.shape != (len(classes),):
        raise ValueError(f"scores have shape {given.shape}, but there are {len(classes)} classes")
    # A mean of ratings at an end of the scale may leave it by its last bits.
    mean: FloatArray = np.clip(given, low, high)
    is_off = np.isinf(given) | ~np.isclose(given, mean, rtol=0, atol=1e-9, equal_nan=True)
    if is_off.any():
        j = int(is_off.argmax())
        raise ValueError(f"pair {j} has the score {given[j]:g}, which is not on the scale")

    names, number = number_names(classes)
    has_class = np.array([name != "" for name in classes], dtype=np.bool_)
    is_rated = ~np.isnan(mean)
    moments = group_moments(mean[is_rated], number[is_rated], n_groups=len(names))
    edges = _edges(mean[is_rated & has_class], low, high)
    by_class = {}
    for c, name in enumerate(names):
        if name == "":
            continue
        of_class = number == c
        by_class[name] = ClassOfScores(
            int(moments.n[c]),
            int((of_class & ~is_rated).sum()),
            float(moments.mean[c]),
            float(moments.sd[c]),
            bin_counts(mean[of_class & is_rated], edges),
        )
    return ScoresByClass(by_class, edges, int((~has_class).sum()))


@dataclass(frozen=True, eq=False)
class RatingSummary:
    """Statistics of one batch of ratings.

    Parameters
    ----------
    n_ratings, n_repeats, n_units, n_unrated, n_annotators : int
        See `COUNTS`.
    scores : UnitScores
        Mean, standard deviation and number of ratings of each unit.
    distribution : ScoreDistribution
        Distribution of these means.
    inter_annotator : InterAnnotator
    intra_annotator : PairedAgreement
        Of the repeats.
    raters : RatersAgainstOthers
        The typical human.
    alpha : dict
        By level.
    icc : dict
        By kind.
    error_bound : dict
        By kind.
    annotators : AnnotatorEffects
    corrected : CorrectedScores
    calibration_curve, error_by_thinking_time : AgreementCurve or None
        None if the ratings have no order, or no thinking times.
    """

    n_ratings: int
    n_repeats: int
    n_units: int
    n_unrated: int
    n_annotators: int
    scores: UnitScores
    distribution: ScoreDistribution
    inter_annotator: InterAnnotator
    intra_annotator: PairedAgreement
    raters: RatersAgainstOthers
    alpha: dict[Level, RatingAlpha]
    icc: dict[Kind, IntraclassCorrelation]
    error_bound: dict[Bound, ErrorBound]
    annotators: AnnotatorEffects
    corrected: CorrectedScores
    calibration_curve: AgreementCurve | None
    error_by_thinking_time: AgreementCurve | None

    def as_dict(self) -> JsonObject:
        """The summary in plain JSON types; a page or a file can show it as it is.

        Lists over units and over annotators are in the order of their numbers. What is undefined
        is None, and ``reason`` beside it says why.
        """
        curve, by_time = self.calibration_curve, self.error_by_thinking_time
        return {
            "definitions": dict(COUNTS),
            "n_ratings": self.n_ratings,
            "n_repeats": self.n_repeats,
            "n_units": self.n_units,
            "n_unrated": self.n_unrated,
            "n_annotators": self.n_annotators,
            "distribution": self.distribution.as_dict(),
            "inter_annotator": self.inter_annotator.as_dict(),
            "intra_annotator": self.intra_annotator.as_dict(),
            "raters": self.raters.as_dict(),
            "alpha": {level: value.as_dict() for level, value in self.alpha.items()},
            "icc": {kind: value.as_dict() for kind, value in self.icc.items()},
            "error_bound": {kind: value.as_dict() for kind, value in self.error_bound.items()},
            "annotators": self.annotators.as_dict(),
            "calibration_curve": None if curve is None else curve.as_dict(),
            "error_by_thinking_time": None if by_time is None else by_time.as_dict(),
            "scores": self.scores.as_dict(),
            "corrected": self.corrected.as_dict(),
        }


def summarise_ratings(
    ratings: Ratings,
    *,
    in_calibration: BoolArray | None = None,
    pool: IntArray | None = None,
    with_intervals: bool = True,
) -> RatingSummary:
    """Compute all statistics of a batch of ratings.

    Parameters
    ----------
    ratings : Ratings
        m ratings; m may be 0. Repeats count in the intra-annotator agreement only.
    in_calibration : bool array, shape (m,), optional
        Which ratings belong to the calibration block: what annotators are compared by.
    pool : int array, shape (n_units,), optional
        Pool of each unit: units of one pool may go together.
    with_intervals : bool
        Whether to compute the intervals of alpha and the ICCs.
    """
    first_rows = ratings.rows_of_first_answers()
    first = ratings.of_rows(first_rows)
    is_block = None if in_calibration is None else np.asarray(in_calibration)[first_rows]
    scores = unit_scores(first)
    n_units = int((scores.n > 0).sum())
    return RatingSummary(
        n_ratings=ratings.n_ratings,
        n_repeats=ratings.n_ratings - first.n_ratings,
        n_units=n_units,
        n_unrated=ratings.n_units - n_units,
        n_annotators=len(np.unique(ratings.annotator)),
        scores=scores,
        distribution=_distribution(scores.mean[scores.n > 0], ratings.low, ratings.high),
        inter_annotator=inter_annotator(first),
        intra_annotator=intra_annotator(ratings),
        raters=raters_against_others(first),
        alpha={
            level: rating_alpha(first, level=level, with_interval=with_intervals, pool=pool)
            for level in get_args(Level)
        },
        icc={
            kind: _icc(first, kind, pool=pool, with_interval=with_intervals)
            for kind in get_args(Kind)
        },
        error_bound={kind: error_bound(first, kind=kind) for kind in get_args(Bound)},
        annotators=annotator_effects(first, in_calibration=is_block),
        corrected=corrected_scores(first, in_calibration=is_block),
        calibration_curve=None if first.order is None else calibration_curve(first),
        error_by_thinking_time=(
            None if first.thinking_ms is None else error_by_thinking_time(first)
        ),
    )


def _icc(
    ratings: Ratings, kind: Kind, *, pool: IntArray | None, with_interval: bool
) -> IntraclassCorrelation:
    icc = intraclass_correlation(ratings, kind=kind)
    if not with_interval:
        return icc
    return replace(icc, interval=icc_interval(ratings, icc, pool=pool))


def _distribution(means: FloatArray, low: float | None, high: float | None) -> ScoreDistribution:
    edges = _edges(means, low, high)
    mean = float(means.mean()) if len(means) else float("nan")
    sd = float(means.std(ddof=1)) if len(means) > 1 else float("nan")
    return ScoreDistribution(mean, sd, edges, bin_counts(means, edges))


def _edges(means: FloatArray, low: float | None, high: float | None) -> FloatArray:
    """Ends of the bins of a histogram; none without means."""
    if len(means) == 0:
        return np.empty(0)
    ends = (
        float(means.min()) if low is None else low,
        float(means.max()) if high is None else high,
    )
    return np.asarray(np.histogram_bin_edges(means, bins=N_BINS, range=ends), dtype=np.float64)
