"""Does context change how alike two texts are? A test for each pair, and what is left of many.

Every pair was rated free of context and in its context. The pair's two stacks are compared by a
two-sided t-test; of a thousand such tests one in twenty falls below .05 by chance, so the share
that is left after the correction of Benjamini and Hochberg [BH1995] stands beside the share below.

- ``pooled``: two independent stacks with one variance, as in the paper [CzechSTS] [Student1908].
- ``welch``: two independent stacks, each with a variance of its own [Welch1947].
- ``paired``: the differences of the annotators who rated both. Where the same people rated both,
  as in the paper, this one is right: people differ in level, which the other two count as error,
  so that they find too little.

Units of the two batches are the same pairs. A *gain* is what context adds: the mean in context
less the mean without.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from scoring.arrays import FloatArray, IntArray
from scoring.groups import ROUNDING, group_moments, ratio
from scoring.json_values import JsonObject, json_number, json_numbers
from scoring.ratings.rater_agreement import same_person_and_unit
from scoring.ratings.ratings import Ratings, stack_moments
from shell.messages import Message
from shell.messages import message as _

TTest: TypeAlias = Literal["pooled", "welch", "paired"]

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
    "paired": _("fewer than two people rated the pair in both conditions"),
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

    def gains(self) -> "Gains":
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


@dataclass(frozen=True, eq=False)
class Gains:
    """Distribution of what context adds.

    Parameters
    ----------
    values : float array, shape (g,)
        The gain of each pair that has one.
    """

    values: FloatArray

    @property
    def mean(self) -> float:
        """Mean over pairs; nan without any."""
        return float(self.values.mean()) if len(self.values) else float("nan")

    @property
    def sd(self) -> float:
        """Standard deviation over pairs, n - 1 in the denominator; nan below two."""
        return float(self.values.std(ddof=1)) if len(self.values) > 1 else float("nan")

    def histogram(self, width: float = 0.25) -> tuple[FloatArray, IntArray]:
        """Number of gains in bins of equal width, one of which is centred at 0.

        Returns
        -------
        edges : float array, shape (b + 1,)
            Ends of the bins; a gain at an end belongs to the bin above it.
        counts : int array, shape (b,)

        Raises
        ------
        ValueError
            If the width is not above 0.
        """
        if not width > 0:
            raise ValueError(f"the width of a bin must be above 0, not {width}")
        if len(self.values) == 0:
            return np.empty(0), np.arange(0)
        # A tenth of a scale's step has no exact binary form, so an end is met within rounding.
        bins = np.floor(self.values / width + 0.5 + ROUNDING).astype(np.int64)
        counts = np.bincount(bins - bins.min())
        return (np.arange(len(counts) + 1) + bins.min() - 0.5) * width, counts

    def quantile_curve(self, n_points: int = 101) -> tuple[FloatArray, FloatArray]:
        """Quantiles of the gains at evenly spaced probabilities from 0 to 1.

        Returns
        -------
        probabilities, quantiles : float array, shape (n_points,)
            Quantiles interpolate linearly between neighbours; nan without gains.
        """
        probabilities = np.linspace(0.0, 1.0, n_points)
        if len(self.values) == 0:
            return probabilities, np.full(n_points, np.nan)
        return probabilities, np.quantile(self.values, probabilities)

    def as_dict(self) -> JsonObject:
        """Mean, sd, histogram and quantile curve in plain JSON types."""
        edges, counts = self.histogram()
        probabilities, quantiles = self.quantile_curve()
        return {
            "n": len(self.values),
            "mean": json_number(self.mean),
            "sd": json_number(self.sd),
            "histogram": {"edges": json_numbers(edges), "counts": [int(n) for n in counts]},
            "quantile_curve": {
                "probabilities": json_numbers(probabilities),
                "quantiles": json_numbers(quantiles),
            },
        }


def effects_of_context(
    free: Ratings, dependent: Ratings, *, test: TTest = "pooled", level: float = 0.05
) -> ContextEffects:
    """Test the effect of context on each pair.

    Parameters
    ----------
    free, dependent : Ratings
        Ratings of the same u units without context and in context; for the paired test, by people
        numbered alike, each once in each.
    test : {"pooled", "welch", "paired"}
        Which t-test; see the module's head.
    level : float
        Significance level, between 0 and 1.

    Returns
    -------
    ContextEffects
        A pair has no test, with the reason, if it has too few ratings or if neither condition's
        ratings differ at all: no error is left to compare the gain with, be it 0 or not.

    Raises
    ------
    ValueError
        If the test is unknown, the level is no probability, or the batches do not fit together.

    References
    ----------
    [CzechSTS], [Student1908], [Welch1947], [BH1995] in docs/references.md
    """
    if test not in get_args(TTest):
        raise ValueError(f"test must be one of {', '.join(get_args(TTest))}, not {test!r}")
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, not {level}")
    if free.n_units != dependent.n_units:
        raise ValueError(
            f"the batches have {free.n_units} and {dependent.n_units} units: both have to number "
            "the same pairs"
        )
    if test == "paired":
        gain, error, df, n_free, n_dependent = _paired(free, dependent)
    else:
        gain, error, df, n_free, n_dependent = _independent(free, dependent, test)

    has_ratings = df > 0
    t = np.where(has_ratings, ratio(gain, error), np.nan)
    p = _two_sided(t, df)
    reasons = tuple(
        None if is_tested else (_NO_SPREAD if has_enough else _TOO_FEW)[test]
        for is_tested, has_enough in zip(~np.isnan(t), has_ratings, strict=True)
    )
    df = np.where(np.isnan(t), np.nan, df)
    return ContextEffects(
        test, level, gain, n_free, n_dependent, t, df, p, benjamini_hochberg(p), reasons
    )


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
