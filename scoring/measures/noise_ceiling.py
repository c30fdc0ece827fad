"""How high a measure could correlate with people's scores if it were perfect.

Perfect is what very many other people think on average: a measure that was trained on the answers
of the same people can do better. The scores hold noise that no measure can follow. If their
reliability is the share of their variance that another equally large group of people would
reproduce, a measure equal to what they have in common correlates with them by its square root
[Spearman1904]. It belongs beside every leaderboard. It bounds Pearson's correlation in
expectation: in a sample a measure may exceed it.
"""

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from scoring.arrays import FloatArray, refuse_infinite
from scoring.json_values import JsonObject, json_number
from scoring.rounding import rounded
from scoring.shared_noise import MIN_PEOPLE
from shell.messages import Message, ngettext
from shell.messages import message as _

CeilingSource: TypeAlias = Literal[
    "split-half", "split-half-within-pools", "icc-1-k", "icc-3-k", "deviations"
]
SOURCES: dict[CeilingSource, Message] = {
    "split-half": _(
        "Let r be Pearson's correlation between the scores from two equal halves of the answers,"
        " averaged over splits. The Spearman-Brown reliability is 2r / (1 + r); the ceiling is its"
        " square root [Spearman1910] [Brown1910]. With few people it is rather too high, because"
        " one person's taste counts as reliable."
    ),
    "split-half-within-pools": _(
        "The answers are split into two equal halves, and the scores from the two halves are"
        " correlated (Pearson) within each pool. Let r be the mean of these correlations over"
        " pools. The Spearman-Brown reliability is 2r / (1 + r) [Spearman1910] [Brown1910]. It is"
        " multiplied by the share of this agreement that is also found between different people"
        " [Hoeffding1948], so that the taste of one person does not count. The ceiling is the"
        " square root of the product, less a correction if pools differ in their reliability by"
        " more than chance. In each half, an item's score is the mean over its tuples, so each"
        " tuple has the same weight. The ceiling applies to correlations within pools."
    ),
    "icc-1-k": _(
        "Square root of ICC(1,k), the reliability of the mean of k ratings if each item has raters"
        " of its own [ShroutFleiss1979]. If items have different numbers of ratings, k is their"
        " harmonic mean."
    ),
    "icc-3-k": _(
        "Square root of ICC(3,k), the reliability of the mean of k ratings if everybody rated"
        " every item: how severe a rater is changes no correlation [ShroutFleiss1979]."
    ),
    "deviations": _(
        "Square root of the reliability of the items' means, 1 less their error variance (the mean"
        " of s^2 / n) divided by their variance [LordNovick1968]; of each item s is the standard"
        " deviation of its n ratings; variances have the number of values less 1 in the"
        " denominator. With the same n for all items the reliability is ICC(1,k)."
    ),
}
# A variance takes two items; with two of them the reliability is little else than chance.
MIN_ITEMS = 3


NO_INTERVAL = _("it cannot be computed from this kind of data")
BY_FEW = _(
    "fewer than %(least)s people answered, or a few gave most of the answers, so it would say too"
    " little about other people",
    least=MIN_PEOPLE,
)


@dataclass(frozen=True, eq=False)
class NoiseCeiling:
    """The correlation that a perfect measure would have with these scores.

    Parameters
    ----------
    value : float
        In [0, 1]; nan where undefined.
    reliability : float
        Of the scores, in [0, 1]; nan where undefined.
    source : str
        What the reliability was taken from, a key of `SOURCES`.
    reason : Message or None
        Why there is no value.
    low, high : float
        Ends of its 95 % interval, in [0, 1]; nan where there is none.
    why_no_interval : Message
        Why there is a value, but no interval.
    """

    value: float
    reliability: float
    source: CeilingSource
    reason: Message | None = None
    low: float = math.nan
    high: float = math.nan
    why_no_interval: Message = NO_INTERVAL

    @property
    def interval_reason(self) -> Message | None:
        """Why there is no interval; None if there is one, or no value."""
        is_missing = math.isnan(self.low) and not math.isnan(self.value)
        return self.why_no_interval if is_missing else None

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return SOURCES[self.source]

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        return {
            "value": json_number(self.value),
            "low": json_number(self.low),
            "high": json_number(self.high),
            "interval_reason": self.interval_reason,
            "reliability": json_number(self.reliability),
            "source": self.source,
            "reason": self.reason,
            "definition": self.definition,
        }


def moved(reliability: float, by: float) -> float:
    """The ceiling if -log(1 - reliability) were greater by so much, at least 0."""
    return math.sqrt(max(1 - (1 - reliability) * math.exp(-by), 0.0))


def noise_ceiling_of_deviations(
    means: npt.ArrayLike, deviations: npt.ArrayLike, n: npt.ArrayLike | None
) -> NoiseCeiling:
    """Take the noise ceiling of mean ratings from their published standard deviations.

    Parameters
    ----------
    means : float array, shape (m,)
        Mean rating of each item; nan where missing.
    deviations : float array, shape (m,)
        Standard deviation of each item's ratings, n - 1 in the denominator; nan where missing.
        Items without a mean or a deviation are left out.
    n : int or int array of shape (m,), or None
        Ratings of each item; None if nobody says how many they were.

    Returns
    -------
    NoiseCeiling
        Nan, with the reason, where the number of ratings is not known, there are fewer than three
        items, their means are all equal, or the ratings differ so much within the items that
        nothing is left of the reliability.

    Raises
    ------
    ValueError
        If the shapes differ, a value is infinite, a deviation is negative, or an item has fewer
        than two ratings.

    References
    ----------
    [LordNovick1968], [Spearman1904] in docs/references.md
    """
    x, s = (np.asarray(column, dtype=np.float64) for column in (means, deviations))
    if x.ndim != 1 or x.shape != s.shape:
        raise ValueError(
            f"means have the shape {x.shape} and deviations {s.shape}: each item has one of both"
        )
    for name, column in (("means", x), ("deviations", s)):
        refuse_infinite(name, column)
    if (negative := s < 0).any():
        i = int(negative.argmax())
        raise ValueError(
            _(
                "deviations[%(place)s] is %(value)s, but a standard deviation is not negative",
                place=str(i),
                value=float(s[i]),
            )
        )
    if n is None:
        return _no_ceiling(_("how many ratings each item has is not known"))

    is_there = ~np.isnan(x + s)
    n_ratings = _ratings_of_items(n, x, is_there)
    if is_there.sum() < MIN_ITEMS:
        return _no_ceiling(
            ngettext(
                "there is only %(n)s item with a mean and a standard deviation, and it needs"
                " %(least)s",
                "there are only %(n)s items with a mean and a standard deviation, and it needs"
                " %(least)s",
                "n",
                n=int(is_there.sum()),
                least=MIN_ITEMS,
            )
        )
    x, s = x[is_there], s[is_there]
    # By comparison, not by a variance of 0: the mean of three 0.1 is not 0.1 in binary.
    if x.min() >= x.max():
        return _no_ceiling(_("the means of all items are equal"))
    reliability = 1 - float((s**2 / n_ratings).mean()) / float(x.var(ddof=1))
    if reliability < 0:
        return _no_ceiling(
            _(
                "the reliability is negative (%(reliability)s): ratings differ more on one item"
                " than the items do",
                reliability=rounded(reliability, 3),
            )
        )
    return NoiseCeiling(math.sqrt(reliability), reliability, "deviations")


def _ratings_of_items(
    n: npt.ArrayLike, means: FloatArray, is_there: npt.NDArray[np.bool_]
) -> FloatArray:
    numbers = np.asarray(n, dtype=np.float64)
    if numbers.shape not in ((), means.shape):
        raise ValueError(
            f"n has the shape {numbers.shape}, but there are {len(means)} items: give one number "
            "for all, or one for each"
        )
    of_items = np.broadcast_to(numbers, means.shape)[is_there]
    # Written so that nan is refused, too.
    if (wrong := ~((of_items >= 2) & (of_items % 1 == 0))).any():
        raise ValueError(
            _(
                "an item has %(n)s ratings, but a standard deviation takes a whole number of at"
                " least 2",
                n=float(of_items[int(wrong.argmax())]),
            )
        )
    return of_items


def _no_ceiling(reason: Message) -> NoiseCeiling:
    return NoiseCeiling(math.nan, math.nan, "deviations", reason)
