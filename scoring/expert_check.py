"""Scores beside the judgment of experts, who say above or below the middle without seeing them.

GiCCS had two of its authors judge for each candidate, in its dialogue, whether its similarity to
the last turn is above or below .5, and lists the items whose score says otherwise [GiCCS, table
4]. Here any number of experts may judge any of the items.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from scoring.arrays import FloatArray, IntArray
from scoring.correlation import pearson, why_undefined
from scoring.json_values import JsonObject, json_number
from scoring.labels.annotators import cohen_kappa
from scoring.proportions import Proportion, proportion
from scoring.ratings.ratings import Ratings
from scoring.ratings.reliability import RatingAlpha, rating_alpha
from shell.messages import Message
from shell.messages import message as _

ABOVE, BELOW, NEITHER = 1, -1, 0
MIDDLE = 0.5
# Scores are means of a few numbers: so near to the middle is in the middle.
TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class BesideScores:
    """Labels of one expert, or of the majority, beside the scores.

    Parameters
    ----------
    agreement : Proportion
        How many of the items that are labelled above or below, and whose score is not the middle,
        are on the same side of it. One less its share contradicts.
    point_biserial : float
        Pearson's correlation of the scores with the labels (above 1, below 0), over all labelled
        items; nan where undefined.
    reason : Message or None
        Why there is no correlation.
    """

    agreement: Proportion
    point_biserial: float
    reason: Message | None

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types."""
        return {
            "agreement": self.agreement.as_dict(),
            "point_biserial": json_number(self.point_biserial),
            "reason": self.reason,
        }


@dataclass(frozen=True, eq=False)
class ExpertCheck:
    """What experts say of scores, and of each other.

    Parameters
    ----------
    side : int array, shape (n_items,)
        ABOVE, BELOW, or NEITHER where the score is exactly the middle.
    majority : int array, shape (n_items,)
        What more of an item's experts say; NEITHER where as many say either, or none.
    contradicted : int array
        Items whose score is on the other side than the majority says, farthest from the middle
        first.
    torn, at_middle, unlabelled : int array
        Items whose experts say either equally often; items labelled by a majority whose score is
        exactly the middle; items that nobody labelled above or below.
    overall, above, below : Proportion
        Contradicted items among those with a majority and a score off the middle: all, those
        with a score above it, those with one below.
    by_any : Proportion
        Items that at least one expert contradicts, among those labelled and off the middle.
    majority_beside : BesideScores
        The majority's labels beside the scores.
    experts_beside : sequence of BesideScores
        Those of each expert.
    alpha : RatingAlpha
        Krippendorff's alpha, nominal, among the experts' labels.
    kappa : float
        Cohen's kappa of two experts, over the items that both labelled; nan where undefined.
    kappa_reason : Message or None
        Why there is no kappa.
    same : Proportion
        Pairs of experts of one item who say the same. Without an interval if an item has three
        experts or more: pairs of the same item have experts in common.
    same_reason : Message or None
        Why there is no such interval.
    """

    side: IntArray
    majority: IntArray
    contradicted: IntArray
    torn: IntArray
    at_middle: IntArray
    unlabelled: IntArray
    overall: Proportion
    above: Proportion
    below: Proportion
    by_any: Proportion
    majority_beside: BesideScores
    experts_beside: Sequence[BesideScores]
    alpha: RatingAlpha
    kappa: float
    kappa_reason: Message | None
    same: Proportion
    same_reason: Message | None

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return _(
            "A score is contradicted if it is below the middle but more experts say above than "
            "below, or the other way round [GiCCS]. Items with evenly split experts or a score "
            "exactly in the middle are left out of this share and counted separately. The share "
            "contradicted by at least one expert includes items with evenly split experts. "
            "Shares of items have Wilson's score interval (95 %), for other items and the same "
            "experts [Wilson1927]. Agreement is Cohen's kappa for two experts [Cohen1960] and "
            "Krippendorff's alpha (nominal) for any number [Krippendorff2011]."
        )

    def as_dict(self) -> JsonObject:
        """The figures, without those of single items, in plain JSON types."""
        return {
            "definition": self.definition,
            "n_items": len(self.side),
            "n_torn": len(self.torn),
            "n_at_middle": len(self.at_middle),
            "n_unlabelled": len(self.unlabelled),
            "overall": self.overall.as_dict(),
            "above": self.above.as_dict(),
            "below": self.below.as_dict(),
            "by_any": self.by_any.as_dict(),
            "majority": self.majority_beside.as_dict(),
            "experts": [beside.as_dict() for beside in self.experts_beside],
            "same": self.same.as_dict(),
            "same_reason": self.same_reason,
            "kappa": json_number(self.kappa),
            "kappa_reason": self.kappa_reason,
            "alpha": self.alpha.as_dict(),
        }


def expert_check(scores: npt.ArrayLike, labels: npt.ArrayLike) -> ExpertCheck:
    """Compare scores in [0, 1] with what experts say of their side of the middle.

    Parameters
    ----------
    scores : float array, shape (n_items,)
        Rescaled scores.
    labels : int array, shape (n_items, n_experts)
        ABOVE, BELOW, or NEITHER where the expert gave no such label.

    Raises
    ------
    ValueError
        If a score is outside [0, 1] or missing, a label is none of the three, or the shapes do
        not fit.
    """
    score = np.asarray(scores, dtype=np.float64)
    label = np.asarray(labels, dtype=np.int64)
    _check(score, label)
    side = side_of(score)
    votes = label.sum(axis=1)
    majority = np.sign(votes).astype(np.int64)
    is_labelled = (label != NEITHER).any(axis=1)
    is_off = side != NEITHER
    is_wrong = (majority != NEITHER) & is_off & (majority != side)
    is_counted = (majority != NEITHER) & is_off
    wrong = np.flatnonzero(is_wrong)
    by_any = ((label != NEITHER) & (label != side[:, np.newaxis])).any(axis=1)
    kappa, reason = _kappa(label)
    same, same_reason = _same(label)
    return ExpertCheck(
        side=side,
        majority=majority,
        # Ties by the items' own order.
        contradicted=wrong[np.argsort(-np.abs(score[wrong] - MIDDLE), kind="stable")],
        torn=np.flatnonzero(is_labelled & (majority == NEITHER)),
        at_middle=np.flatnonzero((majority != NEITHER) & ~is_off),
        unlabelled=np.flatnonzero(~is_labelled),
        overall=proportion(len(wrong), int(is_counted.sum())),
        above=_among(is_wrong, is_counted & (side == ABOVE)),
        below=_among(is_wrong, is_counted & (side == BELOW)),
        by_any=_among(by_any, is_labelled & is_off),
        majority_beside=_beside(score, side, majority),
        experts_beside=[_beside(score, side, of_one) for of_one in label.T],
        alpha=_alpha(label),
        kappa=kappa,
        kappa_reason=reason,
        same=same,
        same_reason=same_reason,
    )


def side_of(scores: FloatArray) -> IntArray:
    """ABOVE, BELOW, or NEITHER of each score in [0, 1]."""
    distance = scores - MIDDLE
    return np.where(np.abs(distance) <= TOLERANCE, NEITHER, np.sign(distance)).astype(np.int64)


FEW_PAIRS = _("there are fewer than three pairs of values")
DEPENDENT_PAIRS = _("pairs of experts of the same item are not independent")


def _check(score: FloatArray, label: IntArray) -> None:
    if score.ndim != 1 or label.ndim != 2 or len(label) != len(score):
        raise ValueError(
            f"labels have the shape {label.shape}: one row for each of {score.shape} scores needed"
        )
    outside = ~((score >= 0) & (score <= 1))
    if outside.any():
        first = int(outside.argmax())
        raise ValueError(f"score {first} is {score[first]}: scores are from 0 to 1")
    unknown = ~np.isin(label, (ABOVE, BELOW, NEITHER))
    if unknown.any():
        row, expert = map(int, np.argwhere(unknown)[0])
        raise ValueError(f"label {label[row, expert]} of item {row} is none of -1, 0, 1")


def _among(
    is_hit: "np.typing.NDArray[np.bool_]", is_trial: "np.typing.NDArray[np.bool_]"
) -> Proportion:
    return proportion(int((is_hit & is_trial).sum()), int(is_trial.sum()))


def _beside(score: FloatArray, side: IntArray, label: IntArray) -> BesideScores:
    is_said = label != NEITHER
    is_above, values = (label[is_said] == ABOVE).astype(np.float64), score[is_said]
    # Through two points a line leads always.
    reason = why_undefined(is_above, values) or (FEW_PAIRS if len(is_above) < 3 else None)
    return BesideScores(
        agreement=_among(label == side, is_said & (side != NEITHER)),
        point_biserial=float("nan") if reason else float(pearson(is_above, values)),
        reason=reason,
    )


def _alpha(label: IntArray) -> RatingAlpha:
    item, expert = np.nonzero(label)
    return rating_alpha(
        Ratings(
            expert, item, label[item, expert].astype(np.float64), label.shape[1], label.shape[0]
        ),
        level="nominal",
    )


def _same(label: IntArray) -> tuple[Proportion, Message | None]:
    n_above, n_below = (label == ABOVE).sum(axis=1), (label == BELOW).sum(axis=1)
    n = n_above + n_below
    n_same = n_above * (n_above - 1) // 2 + n_below * (n_below - 1) // 2
    same = proportion(int(n_same.sum()), int((n * (n - 1) // 2).sum()))
    if not (n > 2).any():
        return same, None
    # Wilson's interval takes all pairs as independent, so it would be far too narrow.
    return replace(same, low=math.nan, high=math.nan), DEPENDENT_PAIRS


def _kappa(label: IntArray) -> tuple[float, Message | None]:
    nan = float("nan")
    # Who never took a side is none of those whose agreement is asked for.
    took_sides = (label != NEITHER).any(axis=0)
    if took_sides.sum() >= 2:
        label = label[:, took_sides]
    if label.shape[1] != 2:
        return nan, _("Cohen's kappa needs two experts, but there are %(n)s", n=label.shape[1])
    both = label[(label != NEITHER).all(axis=1)]
    if not len(both):
        return nan, _("no item was labelled by both experts")
    # Cohen's [Cohen1960]: (observed - expected) / (1 - expected) agreement.
    kappa = cohen_kappa(*(both.T == ABOVE).astype(np.int64), n_categories=2)
    if np.isnan(kappa):
        return nan, _(
            "both experts gave every item the same label, so the agreement expected by chance"
            " is already complete"
        )
    return kappa, None
