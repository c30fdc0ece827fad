"""Jackknife intervals over both of what a study samples: people, and what they answer about.

Each person is left out in turn, and so is each unit (a pool of items, or an item or tuple): how
much a statistic varies between these says how much it would vary with other people and units
[Miller1974]. An interval is about its mean over many studies of this size. Both variances contain
what the single answers contribute, so this part, which blocks of answers tell, is subtracted once
[CameronGelbachMiller2011].

Symbols: g units; p people; a x b blocks, which are groups of people times groups of units.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.distributions import student_quantile
from scoring.json_values import JsonObject, json_number
from scoring.rounding import rounded
from shell.messages import Message, ngettext
from shell.messages import message as _

LeftOut: TypeAlias = Literal["pools", "items", "tuples"]

# `python -m benchmarks.coverage` shows what the intervals hold from these numbers on. Among fewer
# people there is too often no sign at all of, say, the careless 15 % that other people would have.
MIN_PEOPLE = 30
# As many people with equal numbers of answers would vary as much as these: where few people gave
# most of the answers, 30 of them tell no more of others than those few.
MIN_EFFECTIVE_PEOPLE = 25
MIN_POOLS = 6
# Where there are fewer pools.
MIN_ITEMS = 20
# People, and units, are grouped into at most so many groups whose products are the blocks.
MAX_BLOCK_GROUPS = 10
# More units of a correlation are left out in so many groups, which takes no time that grows with n
# squared.
MAX_LEFT_OUT = 200
LEVEL = 0.95
# Values no farther apart than this differ by rounding alone.
SAME = 1e-9

OVER: Mapping[LeftOut, tuple[Message, Message]] = {
    "pools": (_("pools"), _("people and pools")),
    "items": (_("items"), _("people and items")),
    "tuples": (_("tuples"), _("people and tuples")),
}


@dataclass(frozen=True)
class Variance:
    """A jackknife variance and what is known of its own precision.

    Parameters
    ----------
    value : float
        At least 0; nan where the statistic is undefined without somebody or something.
    df : float
        Degrees of freedom, at least 1.
    """

    value: float
    df: float


@dataclass(frozen=True, eq=False)
class JackknifeInterval:
    """Interval (95 %) of a statistic over people and units, or over units only.

    Parameters
    ----------
    low, high : float
        Its ends; nan without an interval.
    left_out : {"pools", "items", "tuples"}
        The units that were left out in turn.
    n_units : int
        How many there are.
    n_people : int or None
        People whose answers count; None if the answers do not name them.
    n_effective : float or None
        How many people with equal numbers of answers they amount to [Kish1965].
    is_over_people : bool
        Whether people were left out in turn, too.
    standard_error, df : float
        Root of the variance, and Satterthwaite's degrees of freedom; nan without an interval.
    reason : Message or None
        Why there is no interval.
    """

    low: float
    high: float
    left_out: LeftOut
    n_units: int
    n_people: int | None
    n_effective: float | None
    is_over_people: bool
    standard_error: float = math.nan
    df: float = math.nan
    reason: Message | None = None

    @property
    def over(self) -> Message:
        """What the interval is over, in words: "people and pools", say."""
        return OVER[self.left_out][int(self.is_over_people)]

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return _(
            "Jackknife interval (95 %%) over %(over)s: each of them, or of up to 100 groups of"
            " them, is left out in turn [Miller1974] [CameronGelbachMiller2011].",
            over=self.over,
        )

    @property
    def note(self) -> Message | None:
        """Why people are not left out; None if they are."""
        if self.is_over_people:
            return None
        return _(
            "The interval accounts for the choice of %(units)s only, because %(reason)s. It"
            " does not cover that other people might answer differently.",
            units=OVER[self.left_out][0],
            reason=why_not_over_people(self.n_people, self.n_effective),
        )

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        return {
            "definition": self.definition,
            "low": json_number(self.low),
            "high": json_number(self.high),
            "over": self.over,
            "left_out": self.left_out,
            "n_units": self.n_units,
            "n_people": self.n_people,
            "n_effective": None if self.n_effective is None else json_number(self.n_effective),
            "is_over_people": self.is_over_people,
            "standard_error": json_number(self.standard_error),
            "df": json_number(self.df),
            "reason": self.reason,
            "note": self.note,
        }


@dataclass(frozen=True, eq=False)
class Sampled:
    """What a study samples: who is left out in turn, and what.

    Parameters
    ----------
    left_out : {"pools", "items", "tuples"}
        The units.
    n_units : int
    n_people : int or None
        None if the answers do not name people.
    n_effective : float or None
        How many people with equal numbers of answers they amount to.
    reason : Message or None
        Why there is no interval.
    """

    left_out: LeftOut
    n_units: int
    n_people: int | None
    n_effective: float | None = None
    reason: Message | None = None

    @property
    def is_over_people(self) -> bool:
        """Whether people are left out in turn."""
        return (
            self.n_people is not None
            and self.n_effective is not None
            and self.n_people >= MIN_PEOPLE
            and self.n_effective >= MIN_EFFECTIVE_PEOPLE
        )

    def interval(
        self,
        value: float,
        of_units: Variance,
        of_people: Variance | None = None,
        of_blocks: Variance | None = None,
        *,
        lowest: float = -math.inf,
    ) -> JackknifeInterval:
        """Interval of a statistic of at most 1, on the scale of -log(1 - value).

        Parameters
        ----------
        value : float
            The statistic of all answers.
        of_units, of_people, of_blocks : Variance
            From `one_way_variance` and `block_variance`; without people both others are None.
        lowest : float
            The least possible value.
        """
        total = of_units
        if of_people is not None and of_blocks is not None:
            total = two_way_variance(of_units, of_people, of_blocks)
        if math.isnan(value) or math.isnan(total.value):
            return self.nothing(
                _("without some of the %(over)s the value is undefined", over=self._over())
            )
        if 1 - value < SAME:
            return self.nothing(_("the value is 1, the highest possible"))
        # Not exactly 0: sums are rounded.
        if math.sqrt(max(total.value, 0)) < SAME:
            return self.nothing(
                _("the value is the same, whichever %(over)s are left out", over=self._over())
            )
        error = math.sqrt(total.value)
        reach = student_quantile((1 + LEVEL) / 2, total.df) * error / (1 - value)
        # Beyond this the exponential overflows, and the interval says nothing anyway.
        reach = min(reach, 100.0)
        low, high = (1 - (1 - value) * math.exp(move) for move in (reach, -reach))
        return JackknifeInterval(
            max(low, lowest),
            high,
            self.left_out,
            self.n_units,
            self.n_people,
            self.n_effective,
            self.is_over_people,
            error,
            total.df,
        )

    def nothing(self, reason: Message) -> JackknifeInterval:
        """No interval, and why."""
        return JackknifeInterval(
            math.nan,
            math.nan,
            self.left_out,
            self.n_units,
            self.n_people,
            self.n_effective,
            self.is_over_people,
            reason=reason,
        )

    def _over(self) -> Message:
        return OVER[self.left_out][int(self.is_over_people)]


def sampled(
    *, unit: LeftOut, n_units: int, n_items: int, n_pools: int, annotator: IntArray | None
) -> Sampled:
    """Say what is left out in turn: pools where there are enough of them, else units.

    Parameters
    ----------
    unit : {"items", "tuples"}
        What a unit is called.
    n_units, n_items, n_pools : int
        Units that have answers; the items in them; the pools of these.
    annotator : int array, shape (m,), optional
        Person of each answer.
    """
    n_people = n_effective = None
    if annotator is not None:
        n_answers = np.unique(annotator, return_counts=True)[1].astype(float)
        n_people = len(n_answers)
        # (sum of n)^2 / sum of n^2 [Kish1965].
        n_effective = float(n_answers.sum() ** 2 / (n_answers**2).sum()) if n_people else 0.0
    if n_pools >= MIN_POOLS:
        return Sampled("pools", n_pools, n_people, n_effective)
    reason = None
    if n_items < MIN_ITEMS:
        reason = _(
            "it needs at least %(pools)s pools or %(least)s items (here: %(n_pools)s and %(n)s)",
            pools=MIN_POOLS,
            least=MIN_ITEMS,
            n_pools=n_pools,
            n=n_items,
        )
    return Sampled(unit, n_units, n_people, n_effective, reason)


def why_not_over_people(n_people: int | None, n_effective: float | None) -> Message:
    """Say why an interval is over units only, as the end of a sentence.

    Parameters
    ----------
    n_people : int or None
        People whose answers the figure uses; None if the answers do not name them.
    n_effective : float or None
        How many people with equal numbers of answers they amount to.
    """
    if n_people is None:
        return _("it is not recorded who gave the answers")
    if n_people >= MIN_PEOPLE:
        return _(
            "the %(n)s people gave unequal numbers of answers, which are only worth those of "
            "%(effective)s people with equal numbers",
            n=n_people,
            effective=rounded(n_effective or 0.0, 1),
        )
    return ngettext(
        "the answers used come from %(n)s person, fewer than %(least)s",
        "the answers used come from %(n)s people, fewer than %(least)s",
        "n",
        n=n_people,
        least=MIN_PEOPLE,
    )


def one_way_variance(without: FloatArray) -> Variance:
    """Jackknife variance from the statistic without each of g units, shape (g,), in turn.

    If a few units move the statistic far more than the others do, the variance is less certain: so
    the higher the kurtosis, the fewer its degrees of freedom [Shoemaker2003].
    """
    g = len(without)
    squares = (without - np.mean(without)) ** 2
    variance = float(squares.mean())
    if g < 3 or not variance > 0:
        return Variance((g - 1) * variance, max(g - 1, 1))
    kurtosis = float((squares**2).mean()) / variance**2
    df = 2 * g / (kurtosis - (g - 3) / (g - 1))
    return Variance((g - 1) * variance, min(df, g - 1))


def block_variance(without: FloatArray) -> Variance:
    """What the single answers contribute, from the statistic without each block, shape (a, b).

    The rows' and the columns' means, which are what people and units contribute, are taken off.
    """
    a, b = without.shape
    df = max((a - 1) * (b - 1), 1)
    rows, columns = without.mean(axis=1, keepdims=True), without.mean(axis=0)
    rest = without - rows - columns + without.mean()
    return Variance(a * b / df * float((rest**2).sum()), df)


def two_way_variance(of_units: Variance, of_people: Variance, of_blocks: Variance) -> Variance:
    """Variance over units and people, less what both of them contain.

    It is not below either of the two. Its degrees of freedom are Satterthwaite's, over what only
    units, only people, and both explain [Satterthwaite1946].
    """
    units, people = of_units.value, of_people.value
    total = max(units + people - of_blocks.value, units, people)
    both = units + people - total
    spread = (
        (total - people) ** 2 / of_units.df
        + (total - units) ** 2 / of_people.df
        + both**2 / of_blocks.df
    )
    return Variance(total, max(total**2 / spread, 1) if spread > 0 else 1)


def numbered(labels: IntArray, *, max_groups: int | None = None) -> IntArray:
    """Number the labels 0 upwards; where there are more, they share `max_groups` numbers.

    Which of them share a number is drawn, always alike, so that their order does not matter.
    """
    distinct, number = np.unique(labels, return_inverse=True)
    if max_groups is None or len(distinct) <= max_groups:
        return number.astype(np.int64)
    shuffled = np.random.default_rng(len(distinct)).permutation(len(distinct))
    return shuffled[number] % max_groups
