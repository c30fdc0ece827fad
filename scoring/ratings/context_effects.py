"""Does context change how alike two texts are? A test for each pair, and what is left of many.

Every pair was rated free of context and in its context. The pair's two stacks are compared by a
two-sided t-test; of a thousand such tests one in twenty falls below .05 by chance, so the share
that is left after the correction of Benjamini and Hochberg [BH1995] stands beside the share below.

- ``paired``: the differences of the annotators who rated both. Where the same people rated both,
  this one is right: people differ in level, which the other two count as error, so that they find
  too little.
- ``pooled``: two independent stacks with one variance, as in the paper [CzechSTS] [Student1908].
- ``welch``: two independent stacks, each with a variance of its own [Welch1947].
- ``auto``: the paired test, if the same people gave most ratings of most pairs in both conditions,
  else the pooled one.

That no effect is found does not say that there is none. With a margin, two further one-sided tests
tell the pairs on which context has no effect that matters: `scoring.ratings.equivalence`.

Units of the two batches are the same pairs. A *gain* is what context adds: the mean in context
less the mean without.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from scoring.arrays import FloatArray, IntArray
from scoring.groups import ROUNDING, group_moments, ratio
from scoring.json_values import JsonObject, json_numbers
from scoring.ratings.equivalence import Equivalence, equivalence_p, judged
from scoring.ratings.gains import Gains
from scoring.ratings.rater_agreement import same_person_and_unit
from scoring.ratings.ratings import Ratings, stack_moments
from shell.messages import Message
from shell.messages import message as _

TTest: TypeAlias = Literal["pooled", "welch", "paired"]
ChosenTest: TypeAlias = Literal["auto", "pooled", "welch", "paired"]

# p-values no farther apart than this, relative to the greater, are the same but for rounding.
SAME_P = 1e-9

TESTS: dict[TTest, Message] = {
    "pooled": _("t-test of independent ratings with equal variances, as in [CzechSTS]"),
    "welch": _("t-test of independent ratings with separate variances [Welch1947]"),
    "paired": _("t-test of the differences of people who rated the item in both phases"),
}

_TOO_FEW: dict[TTest, Message] = {
    "pooled": _("one condition has no ratings, or both together have fewer than three"),
    "welch": _("a condition has fewer than two ratings"),
    "paired": _("fewer than two people rated the item in both conditions"),
}
_NO_SPREAD: dict[TTest, Message] = {
    "pooled": _("all ratings of each condition are equal, so the error variance is 0"),
    "welch": _("all ratings of each condition are equal, so the error variance is 0"),
    "paired": _("all differences are equal, so the error variance is 0"),
}


@dataclass(frozen=True, eq=False)
class ContextEffects:
    """Effect of context on each of u pairs.

    Parameters
    ----------
    test : str
        The t-test used, a key of `TESTS`.
    level : float
        Significance level.
    gain : float array, shape (u,)
        Mean in context less mean without, in units of the scale; nan where either is missing. For
        the paired test the mean difference of those who rated both, which is what it tests.
    n_free, n_dependent : int array, shape (u,)
        Ratings compared: for the paired test, the people who gave both.
    t, df, p : float array, shape (u,)
        Test statistic, above 0 where context adds; its degrees of freedom; two-sided p-value. nan
        where the pair cannot be tested.
    p_adjusted : float array, shape (u,)
        p-values after Benjamini and Hochberg, over the pairs tested.
    reasons : tuple of (Message or None), length u
        Why a pair could not be tested.
    equivalence : Equivalence or None
        Which effects are smaller than the margin; None without one.
    """

    test: TTest
    level: float
    gain: FloatArray
    n_free: IntArray
    n_dependent: IntArray
    t: FloatArray
    df: FloatArray
    p: FloatArray
    p_adjusted: FloatArray
    reasons: tuple[Message | None, ...]
    equivalence: Equivalence | None = None

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        if self.test == "paired":
            return _(
                "For each item, a two-sided %(test)s. Gain: mean difference (in context minus "
                "without) over the people who rated the item in both phases. p-values adjusted "
                "by Benjamini and Hochberg [BH1995].",
                test=TESTS[self.test],
            )
        return _(
            "For each item, a two-sided %(test)s. Gain: mean in context minus mean without. "
            "p-values adjusted by Benjamini and Hochberg [BH1995].",
            test=TESTS[self.test],
        )

    @property
    def n_tested(self) -> int:
        """Pairs that could be tested."""
        return int((~np.isnan(self.p)).sum())

    @property
    def n_below(self) -> int:
        """Pairs whose p-value is below the level."""
        return int((self.p < self.level).sum())

    @property
    def n_left(self) -> int:
        """Pairs that are left after Benjamini and Hochberg: adjusted p at most the level."""
        return int((self.p_adjusted <= self.level).sum())

    def p_value_curve(self) -> tuple[FloatArray, FloatArray]:
        """Cumulative curve of the p-values.

        Returns
        -------
        p : float array, shape (d,)
            The distinct p-values in ascending order. Those that differ by rounding are one: the
            same test of ratings at another place of the scale ends in other last bits.
        share : float array, shape (d,)
            Share of the pairs tested whose p-value is at most that. Without any effect it lies
            near the diagonal.
        """
        p = np.sort(self.p[~np.isnan(self.p)])
        is_last = np.append(np.diff(p) > SAME_P * p[1:], True)[: len(p)]
        return p[is_last], (np.flatnonzero(is_last) + 1) / max(self.n_tested, 1)

    def gains(self) -> Gains:
        """Distribution of the gains."""
        return Gains(self.gain[~np.isnan(self.gain)])

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        n = self.n_tested
        values, share = self.p_value_curve()
        reason = None if n else (next(filter(None, self.reasons), None) or _("there are no pairs"))
        return {
            "definition": self.definition,
            "test": self.test,
            "level": self.level,
            "n_pairs": len(self.p),
            "n_tested": n,
            "n_below": self.n_below,
            "share_below": self.n_below / n if n else None,
            "n_left": self.n_left,
            "share_left": self.n_left / n if n else None,
            "reason": reason,
            "equivalence": self.equivalence.as_dict() if self.equivalence else None,
            "gains": self.gains().as_dict(),
            "p_value_curve": {"p": json_numbers(values), "share": json_numbers(share)},
            "gain": json_numbers(self.gain),
            "t": json_numbers(self.t),
            "df": json_numbers(self.df),
            "p": json_numbers(self.p),
            "p_adjusted": json_numbers(self.p_adjusted),
            "n_free": [int(n) for n in self.n_free],
            "n_dependent": [int(n) for n in self.n_dependent],
            "reasons": list(self.reasons),
        }


def effects_of_context(
    free: Ratings,
    dependent: Ratings,
    *,
    test: ChosenTest = "auto",
    level: float = 0.05,
    margin: float | None = None,
) -> ContextEffects:
    """Test the effect of context on each pair.

    Parameters
    ----------
    free, dependent : Ratings
        Ratings of the same u units without context and in context, by people numbered alike; for
        the paired test each person rated a unit once in each.
    test : {"auto", "pooled", "welch", "paired"}
        Which t-test; see the module's head. The result's `test` says which one "auto" took.
    level : float
        Significance level, between 0 and 1; that of the tests of equivalence, too.
    margin : float, optional
        The smallest effect that matters, above 0, in points of the scale. With it the result has
        `equivalence`: on which pairs the effect is smaller.

    Returns
    -------
    ContextEffects
        A pair has no test, with the reason, if it has too few ratings or if neither condition's
        ratings differ at all: no error is left to compare the gain with, be it 0 or not.

    Raises
    ------
    ValueError
        If the test is unknown, the level is no probability, the margin is not a finite number
        above 0, or the batches do not fit together.

    References
    ----------
    [CzechSTS], [Student1908], [Welch1947], [BH1995], [Schuirmann1987] in docs/references.md
    """
    if test not in get_args(ChosenTest):
        raise ValueError(f"test must be one of {', '.join(get_args(ChosenTest))}, not {test!r}")
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, not {level}")
    if margin is not None and not 0 < margin < np.inf:
        raise ValueError(f"margin must be a finite number above 0, not {margin}")
    if free.n_units != dependent.n_units:
        raise ValueError(
            f"the batches have {free.n_units} and {dependent.n_units} units: both have to number "
            "the same pairs"
        )
    if test == "auto":
        test = usual_test(free, dependent)
    if test == "paired":
        gain, error, df, n_free, n_dependent = _paired(free, dependent)
    else:
        gain, error, df, n_free, n_dependent = _independent(free, dependent, test)

    has_ratings = df > 0
    t = np.where(has_ratings, ratio(gain, error), np.nan)
    p = _two_sided(t, df)
    p_adjusted = benjamini_hochberg(p)
    reasons = tuple(
        None if is_tested else (_NO_SPREAD if has_enough else _TOO_FEW)[test]
        for is_tested, has_enough in zip(~np.isnan(t), has_ratings, strict=True)
    )
    df = np.where(np.isnan(t), np.nan, df)
    equivalence = None
    if margin is not None:
        p_margin = equivalence_p(gain, error, df, margin)
        equivalence = judged(
            p_margin, benjamini_hochberg(p_margin), p_adjusted, margin=margin, level=level
        )
    return ContextEffects(
        test, level, gain, n_free, n_dependent, t, df, p, p_adjusted, reasons, equivalence
    )


def usual_test(free: Ratings, dependent: Ratings) -> Literal["paired", "pooled"]:
    """Which test the batches ask for: "paired" where the same people rated most units in both.

    The same people rated a unit if most of its ratings are by people who rated it in both
    batches. Units without ratings in one batch do not count. Batches that number people
    differently are of different people; where somebody rated a unit twice, no pairs can be made.
    """
    is_rated_again = any(len(batch.repeats()[1]) for batch in (free, dependent))
    if free.n_annotators != dependent.n_annotators or is_rated_again:
        return "pooled"
    rows, _rows = same_person_and_unit(free, dependent)
    n_both, n_free, n_dependent = (
        np.bincount(unit, minlength=free.n_units)
        for unit in (free.unit[rows], free.unit, dependent.unit)
    )
    is_in_both = (n_free > 0) & (n_dependent > 0)
    is_by_same = 4 * n_both > n_free + n_dependent
    return "paired" if 2 * is_by_same.sum() > is_in_both.sum() else "pooled"


def _independent(
    free: Ratings, dependent: Ratings, test: TTest
) -> tuple[FloatArray, FloatArray, FloatArray, IntArray, IntArray]:
    """Gain, its standard error, degrees of freedom and both n of each pair."""
    a, b = stack_moments(free), stack_moments(dependent)
    gain = b.mean - a.mean
    if test == "pooled":
        is_rated = (a.n > 0) & (b.n > 0)
        df = np.where(is_rated, a.n + b.n - 2, 0).astype(np.float64)
        variance = ratio(a.sum_of_squares + b.sum_of_squares, df)
        per_rating = ratio(np.ones(len(a.n)), a.n) + ratio(np.ones(len(b.n)), b.n)
        return gain, np.sqrt(variance * per_rating), df, a.n, b.n

    of_a, of_b = ratio(a.variance, a.n), ratio(b.variance, b.n)
    variance = of_a + of_b
    # Satterthwaite's degrees of freedom; where nothing varies there are none, but the stacks are
    # large enough.
    of_squares = ratio(of_a**2, a.n - 1) + ratio(of_b**2, b.n - 1)
    df = np.where(variance == 0, 1.0, ratio(variance**2, of_squares))
    return gain, np.sqrt(variance), np.nan_to_num(df), a.n, b.n


def _paired(
    free: Ratings, dependent: Ratings
) -> tuple[FloatArray, FloatArray, FloatArray, IntArray, IntArray]:
    """The same for the people who rated a pair in both conditions."""
    rows, rows_dependent = same_person_and_unit(free, dependent)
    before, after = free.value[rows], dependent.value[rows_dependent]
    unit = free.unit[rows]
    of_pair = group_moments(after - before, unit, n_groups=free.n_units)
    # Differences that are the same but for the rounding of two ratings: .4 - .3 and .2 - .1.
    largest = np.zeros(free.n_units)
    np.maximum.at(largest, unit, np.maximum(np.abs(before), np.abs(after)))
    varies = of_pair.high - of_pair.low > ROUNDING * largest
    error = np.sqrt(ratio(np.where(varies, of_pair.variance, 0.0), of_pair.n))
    df = np.maximum(of_pair.n - 1, 0).astype(np.float64)
    return of_pair.mean, error, df, of_pair.n, of_pair.n


def _two_sided(t: FloatArray, df: FloatArray) -> FloatArray:
    from scipy.special import stdtr  # noqa: PLC0415 - loaded only where it is needed

    p: FloatArray = np.full(len(t), np.nan)
    is_tested = ~np.isnan(t)
    p[is_tested] = 2 * stdtr(df[is_tested], -np.abs(t[is_tested]))
    return p


def benjamini_hochberg(p: npt.ArrayLike) -> FloatArray:
    """Adjust p-values for the false discovery rate.

    Parameters
    ----------
    p : float array, shape (u,)
        p-values; nan for what was not tested, which does not count among the tests.

    Returns
    -------
    float array, shape (u,)
        Adjusted p-values: those of at most q are the discoveries at false discovery rate q. nan
        stays nan.

    References
    ----------
    [BH1995] in docs/references.md
    """
    from scipy.stats import false_discovery_control  # noqa: PLC0415 - loaded where it is needed

    p = np.asarray(p, dtype=np.float64)
    adjusted = np.full(p.shape, np.nan)
    is_tested = ~np.isnan(p)
    if is_tested.any():
        adjusted[is_tested] = false_discovery_control(p[is_tested], method="bh")
    return adjusted
