"""What ratings owe to the person who gave them: level, use of the scale, drift; and without it.

People are compared with a *reference* for the units that they rated: what is known of these units
beforehand, or what everybody said of them. That is fair where all rated the same units, as in a
calibration block; elsewhere a person's reference depends on who happened to rate along.

Symbols: v ratings of one annotator; c their references.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.groups import GroupMoments, group_moments, group_slopes, group_sums, ratio
from scoring.json_values import JsonObject, json_numbers
from scoring.ratings.ratings import Ratings, UnitScores, stack_moments, unit_scores

# References and ratings whose spread is this small a share of the batch's are constant.
NEGLIGIBLE = 1e-9

DEFINITIONS: dict[str, str] = {
    "bias": (
        "Mean of rating less reference over the calibration ratings; the reference is the mean of "
        "the other annotators, or what was expected of the unit."
    ),
    "offset": (
        "The same with the annotator's own ratings counted in the mean: what the corrected "
        "ratings are shifted by. Of a block that all rated, offsets add up to 0."
    ),
    "stretch": (
        "Spread of the annotator's calibration ratings relative to that of their references, "
        "divided by its geometric mean over annotators: above 1, the scale is used more widely "
        "than by most."
    ),
    "n_calibration": "Calibration ratings that have a reference.",
    "mean": "Mean of all ratings of the annotator.",
    "sd": "Standard deviation of all ratings of the annotator, n - 1 in the denominator.",
    "lowest": "Least rating that the annotator gave.",
    "highest": "Greatest rating that the annotator gave.",
    "range_used": "Highest less lowest rating, relative to the extent of the scale.",
    "share_at_ends": "Share of the annotator's ratings at one of the ends of the scale.",
    "n": "All ratings of the annotator.",
    "drift": (
        "Slope of rating less mean of the other annotators over the place in the annotator's "
        "order, by least squares over all ratings: change of level for one more annotation."
    ),
    "shift": (
        "Mean of rating less mean of the other annotators outside the calibration block, less the "
        "same inside it."
    ),
}


@dataclass(frozen=True, eq=False)
class AnnotatorEffects:
    """Level, use of the scale and drift of each annotator; arrays of shape (n_annotators,).

    What a figure needs and does not have makes it nan; `DEFINITIONS` says what each is.

    Parameters
    ----------
    bias, offset : float array
        Level against the reference, in units of the scale.
    stretch : float array
        Width of the use of the scale against the reference, relative to other annotators.
    n_calibration : int array
        Calibration ratings that have a reference.
    mean, sd, lowest, highest : float array
        Of all ratings, in units of the scale.
    range_used, share_at_ends : float array
        Shares, in [0, 1]; nan if the scale's ends are not known.
    n : int array
        All ratings.
    drift : float array
        Change of level per annotation, in units of the scale; nan without the order.
    shift : float array
        Change of level from the calibration block to the rest; nan without such a block.
    """

    bias: FloatArray
    offset: FloatArray
    stretch: FloatArray
    n_calibration: IntArray
    mean: FloatArray
    sd: FloatArray
    lowest: FloatArray
    highest: FloatArray
    range_used: FloatArray
    share_at_ends: FloatArray
    n: IntArray
    drift: FloatArray
    shift: FloatArray

    def as_dict(self) -> JsonObject:
        """Lists over annotators in plain JSON types, with the definitions; None for nan."""
        return {
            "definitions": dict(DEFINITIONS),
            **{
                name: (
                    [int(n) for n in getattr(self, name)]
                    if name in ("n", "n_calibration")
                    else json_numbers(getattr(self, name))
                )
                for name in DEFINITIONS
            },
        }


@dataclass(frozen=True, eq=False)
class CorrectedScores:
    """Scores of the units as they are, and corrected for what people owe to themselves.

    Parameters
    ----------
    raw : UnitScores
        From the ratings as they are.
    without_bias : UnitScores
        From ratings less their annotator's offset.
    without_bias_and_stretch : UnitScores
        From ratings whose distance from their annotator's calibration mean is divided by the
        annotator's stretch as well: linear equating [KolenBrennan2014].
    uncorrected : int array
        Annotators without an offset, whose ratings stay as they are.
    unstretched : int array
        Annotators with an offset and without a stretch, who are corrected for the former only.
    """

    raw: UnitScores
    without_bias: UnitScores
    without_bias_and_stretch: UnitScores
    uncorrected: IntArray
    unstretched: IntArray

    def as_dict(self) -> JsonObject:
        """All three scores of each unit in plain JSON types, with the definition."""
        return {
            "definition": (
                "Mean of the ratings of each unit: as they are; less each annotator's offset; and "
                "with distances from the annotator's calibration mean divided by the annotator's "
                "stretch as well. Corrected ratings may lie beyond the ends of the scale."
            ),
            "raw": self.raw.as_dict(),
            "without_bias": self.without_bias.as_dict(),
            "without_bias_and_stretch": self.without_bias_and_stretch.as_dict(),
            "uncorrected": [int(annotator) for annotator in self.uncorrected],
            "unstretched": [int(annotator) for annotator in self.unstretched],
        }


def annotator_effects(
    ratings: Ratings,
    *,
    in_calibration: BoolArray | None = None,
    expected: npt.ArrayLike | None = None,
) -> AnnotatorEffects:
    """Describe how each annotator rates, against a reference.

    Parameters
    ----------
    ratings : Ratings
        m ratings of n_units units.
    in_calibration : bool array, shape (m,), optional
        Which ratings belong to the calibration block; without it, all do.
    expected : float array, shape (n_units,), optional
        What is known of the units beforehand, nan if nothing is: the reference in place of what
        annotators said.

    Raises
    ------
    ValueError
        If the arrays do not fit the ratings or the units.
    """
    is_block = _block(ratings, in_calibration)
    n_people = ratings.n_annotators
    block, of_others, of_all = _references(ratings, is_block, expected)
    person = block.annotator
    calibration = group_moments(block.value, person, n_groups=n_people)
    own = group_moments(ratings.value, ratings.annotator, n_groups=n_people)
    range_used, share_at_ends = _use_of_scale(ratings, own)
    return AnnotatorEffects(
        bias=group_moments(block.value - of_others, person, n_groups=n_people).mean,
        offset=calibration.mean - group_moments(of_all, person, n_groups=n_people).mean,
        stretch=_stretch(ratings, block, of_all),
        n_calibration=calibration.n,
        mean=own.mean,
        sd=own.sd,
        lowest=own.low,
        highest=own.high,
        range_used=range_used,
        share_at_ends=share_at_ends,
        n=own.n,
        drift=_drift(ratings),
        shift=_shift(ratings, None if in_calibration is None else is_block),
    )


def corrected_scores(
    ratings: Ratings,
    *,
    in_calibration: BoolArray | None = None,
    expected: npt.ArrayLike | None = None,
) -> CorrectedScores:
    """Scores of the units, corrected for the annotators' level and use of the scale.

    A rating v of an annotator whose calibration ratings have mean v0 and references of mean c0
    becomes v - (v0 - c0), and c0 + (v - v0) / stretch.

    Parameters are those of `annotator_effects`; all m ratings are corrected, whether or not they
    belong to the calibration block.

    References
    ----------
    [KolenBrennan2014] in docs/references.md
    """
    is_block = _block(ratings, in_calibration)
    block, _, of_all = _references(ratings, is_block, expected)
    own = group_moments(block.value, block.annotator, n_groups=ratings.n_annotators)
    reference = group_moments(of_all, block.annotator, n_groups=ratings.n_annotators).mean
    offset, stretch = own.mean - reference, _stretch(ratings, block, of_all)

    rater = ratings.annotator
    shifted = ratings.value - np.nan_to_num(offset)[rater]
    equated = reference[rater] + (ratings.value - own.mean[rater]) / stretch[rater]
    equated = np.where(np.isnan(equated), shifted, equated)
    is_rater = np.bincount(rater, minlength=ratings.n_annotators) > 0
    has_offset = ~np.isnan(offset)
    return CorrectedScores(
        unit_scores(ratings),
        _scores_of(ratings, shifted),
        _scores_of(ratings, equated),
        uncorrected=np.flatnonzero(is_rater & ~has_offset),
        unstretched=np.flatnonzero(is_rater & has_offset & np.isnan(stretch)),
    )


def _block(ratings: Ratings, in_calibration: BoolArray | None) -> BoolArray:
    if in_calibration is None:
        return np.ones(ratings.n_ratings, dtype=np.bool_)
    is_block = np.asarray(in_calibration)
    if is_block.shape != ratings.value.shape or is_block.dtype != np.bool_:
        raise ValueError(
            f"in_calibration must hold a truth value for each of {ratings.n_ratings} ratings"
        )
    return is_block


def _references(
    ratings: Ratings, is_block: BoolArray, expected: npt.ArrayLike | None
) -> tuple[Ratings, FloatArray, FloatArray]:
    """Calibration ratings with a reference, and their references without and with themselves."""
    block = ratings.of_rows(is_block)
    if expected is None:
        of_others, of_all = block.mean_of_others(), stack_moments(block).mean[block.unit]
    else:
        known = np.asarray(expected, dtype=np.float64)
        if known.shape != (ratings.n_units,):
            raise ValueError(
                f"expected has shape {known.shape}, but there are {ratings.n_units} units"
            )
        of_others = of_all = known[block.unit]
    has_reference = ~np.isnan(of_others)
    return block.of_rows(has_reference), of_others[has_reference], of_all[has_reference]


def _stretch(ratings: Ratings, block: Ratings, references: FloatArray) -> FloatArray:
    """Spread of each annotator's ratings against that of their references, relative to others."""
    n_people = ratings.n_annotators
    own = group_moments(block.value, block.annotator, n_groups=n_people).sd
    of_reference = group_moments(references, block.annotator, n_groups=n_people).sd
    extent = NEGLIGIBLE * np.ptp(block.value) if block.n_ratings else 0.0
    # Equal ratings cannot be spread, and equal references say nothing of how to.
    is_spread = (own > extent) & (of_reference > extent)
    spread = ratio(np.where(is_spread, own, np.nan), np.where(is_spread, of_reference, 0.0))
    if not is_spread.any():
        return spread
    relative: FloatArray = spread / np.exp(np.log(spread[is_spread]).mean())
    return relative


def _use_of_scale(ratings: Ratings, own: GroupMoments) -> tuple[FloatArray, FloatArray]:
    """Range used and share of ratings at the ends, each (n_annotators,)."""
    if ratings.low is None or ratings.high is None:
        unknown = np.full(ratings.n_annotators, np.nan)
        return unknown, unknown
    is_end = (ratings.value == ratings.low) | (ratings.value == ratings.high)
    at_ends = group_sums(is_end.astype(np.float64), ratings.annotator, n_groups=len(own.n))
    return (own.high - own.low) / (ratings.high - ratings.low), ratio(at_ends, own.n)


def _drift(ratings: Ratings) -> FloatArray:
    if ratings.order is None:
        return np.full(ratings.n_annotators, np.nan)
    deviation = ratings.value - ratings.mean_of_others()
    is_compared = ~np.isnan(deviation)
    return group_slopes(
        ratings.order[is_compared].astype(np.float64),
        deviation[is_compared],
        ratings.annotator[is_compared],
        n_groups=ratings.n_annotators,
    )


def _shift(ratings: Ratings, is_block: BoolArray | None) -> FloatArray:
    if is_block is None:
        return np.full(ratings.n_annotators, np.nan)
    deviation = ratings.value - ratings.mean_of_others()
    is_compared = ~np.isnan(deviation)
    means = [
        group_moments(deviation[rows], ratings.annotator[rows], n_groups=ratings.n_annotators).mean
        for rows in (is_compared & ~is_block, is_compared & is_block)
    ]
    return means[0] - means[1]


def _scores_of(ratings: Ratings, values: FloatArray) -> UnitScores:
    """Scores of other values of the same ratings, which need not lie on the scale."""
    stacks = group_moments(values, ratings.unit, n_groups=ratings.n_units)
    return UnitScores(stacks.n, stacks.mean, stacks.sd)
