"""The noise ceiling of mean ratings: how closely a perfect measure would follow them.

Which reliability is the right one depends on who rated what. If everybody rated every item, a
rater who is always severe moves all items alike and no correlation notices it: ICC(3,k). If each
item had raters of its own, their levels are part of the noise: ICC(1,k).
"""

import math

import numpy as np

from scoring.distributions import student_quantile
from scoring.groups import group_moments
from scoring.jackknife import LEVEL, MIN_ITEMS
from scoring.jackknife import MIN_PEOPLE as MIN_PEOPLE_OF_STACKS
from scoring.measures.noise_ceiling import BY_FEW, CeilingSource, NoiseCeiling, moved
from scoring.ratings.intraclass import IntraclassCorrelation, intraclass_correlation
from scoring.ratings.ratings import Ratings, stack_moments
from scoring.rounding import rounded
from scoring.shared_noise import (
    are_few,
    error_of_shared_noise,
    in_groups,
    products_of_people,
)
from shell.messages import Message
from shell.messages import message as _

# An error below this is rounding.
_LEAST = 1e-9
# Where fewer people share the items, how severe each of them is moves all their items alike, and
# the ceiling is too low: a perfect measure lay within intervals in 62 to 94 of 100 studies.
SHARED_BY_FEW = _(
    "the items share fewer than %(least)s people, so it would be too narrow",
    least=MIN_PEOPLE_OF_STACKS,
)
ALL_AGREE = _("all ratings of an item agree")


def noise_ceiling_of_ratings(ratings: Ratings) -> NoiseCeiling:
    """Take the noise ceiling of mean ratings from their intraclass correlation.

    The interval is one of the correlation that a perfect measure has with these very means.
    Perfect is a measure that is equal to what very many people would rate on average. On the scale
    of -log(1 - reliability), the error is that of what people's ratings share by chance (see
    `scoring.shared_noise`).

    Parameters
    ----------
    ratings : Ratings
        m ratings of n items, at most one of each person and item. Items with a single rating are
        left out.

    Returns
    -------
    NoiseCeiling
        By ICC(3,k) if everybody rated every item, otherwise by ICC(1,k), where k is the harmonic
        mean of the numbers of ratings. Nan, with the reason, where that is undefined or negative.
        Without an interval, with the reason, below 20 items; if a few people gave most of the
        ratings; if everybody rated every item, below 20 people; otherwise below 30.

    References
    ----------
    [Spearman1904], [ShroutFleiss1979], [Hoeffding1948] in docs/references.md
    """
    icc = intraclass_correlation(ratings, kind="3,k")
    if icc.is_incomplete:
        icc = intraclass_correlation(ratings, kind="1,k")
    source: CeilingSource = "icc-3-k" if icc.kind == "3,k" else "icc-1-k"
    if icc.reason is not None:
        return NoiseCeiling(math.nan, math.nan, source, icc.reason)
    if icc.value < 0:
        reason = _(
            "ICC(%(kind)s) is negative (%(icc)s): raters differ more on one item than the items"
            " do",
            kind=icc.kind,
            icc=rounded(icc.value, 3),
        )
        return NoiseCeiling(math.nan, math.nan, source, reason)
    stacked = ratings.of_rows(ratings.answers_per_unit()[ratings.unit] >= 2)
    reliability = _reliability(stacked, icc)
    value = math.sqrt(reliability)
    if why := _why_no_interval(stacked, icc):
        return NoiseCeiling(value, reliability, source, why_no_interval=why)
    error = _error(stacked, icc)
    # Ratings that are nearly all equal.
    if not error > _LEAST:
        return NoiseCeiling(value, reliability, source, why_no_interval=ALL_AGREE)
    reach = student_quantile((1 + LEVEL) / 2, icc.n_units - 1) * error / (1 - reliability)
    low, high = moved(reliability, -reach), moved(reliability, reach)
    return NoiseCeiling(value, reliability, source, None, low, high)


def _reliability(stacked: Ratings, icc: IntraclassCorrelation) -> float:
    """Of the items' means, each of which counts once, however many ratings it has."""
    if icc.kind == "3,k":
        return icc.value
    stacks = stack_moments(stacked)
    n, means = stacks.n[stacks.n > 0], stacks.mean[stacks.n > 0]
    within = float(stacks.sum_of_squares.sum()) / float((n - 1).sum())
    return max(1 - within * float((1 / n).mean()) / float(means.var(ddof=1)), 0.0)


def _why_no_interval(stacked: Ratings, icc: IntraclassCorrelation) -> Message | None:
    if are_few(stacked.annotator):
        return BY_FEW
    if icc.kind == "1,k" and len(np.unique(stacked.annotator)) < MIN_PEOPLE_OF_STACKS:
        return SHARED_BY_FEW
    if icc.n_units < MIN_ITEMS:
        return _("there are fewer than %(least)s items with two ratings", least=MIN_ITEMS)
    return ALL_AGREE if icc.value >= 1 else None


def _error(stacked: Ratings, icc: IntraclassCorrelation) -> float:
    """Standard error of the reliability."""
    stacks = stack_moments(stacked)
    value = stacked.value
    if icc.kind == "3,k":
        # How severe a person is moves all items alike.
        levels = group_moments(value, stacked.annotator, n_groups=stacked.n_annotators).mean
        value = value - (levels[stacked.annotator] - value.mean())
    # From the mean of the others, and in a mean over all pairs of people.
    residual = (value - stacks.mean[stacked.unit]) / (stacks.n[stacked.unit] - 1)
    products = products_of_people(
        in_groups(stacked.annotator), stacked.unit, residual, n_places=stacked.n_units
    )
    means = stacks.mean[stacks.n > 0]
    variation = float(((means - means.mean()) ** 2).sum())
    return error_of_shared_noise(products) / variation
