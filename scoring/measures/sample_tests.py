"""A t-test of correlations: its figures, and how they follow from the moments of the samples."""

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from scoring.arrays import FloatArray
from scoring.distributions import NO_TAILS, student_quantile, student_tails
from scoring.json_values import JsonObject, json_number
from shell.messages import Message
from shell.messages import message as _

SampleScale: TypeAlias = Literal["raw", "fisher"]
Test: TypeAlias = Literal["one-sample", "pooled", "welch"]
# Nominal coverage of the interval of a difference.
LEVEL = 0.95
# By the test and the scale.
_DEFINITIONS: dict[tuple[Test, SampleScale], Message] = {
    ("one-sample", "raw"): _(
        "t-test of the mean of a sample of correlations against a given one [Student1908]; the"
        " correlations taken as they are [STSS131]."
    ),
    ("one-sample", "fisher"): _(
        "t-test of the mean of a sample of correlations against a given one [Student1908]; the"
        " correlations taken as Fisher's z [STSS131]."
    ),
    ("pooled", "raw"): _(
        "t-test of the means of two samples of correlations, with one variance [Student1908]; the"
        " correlations taken as they are [STSS131]."
    ),
    ("pooled", "fisher"): _(
        "t-test of the means of two samples of correlations, with one variance [Student1908]; the"
        " correlations taken as Fisher's z [STSS131]."
    ),
    ("welch", "raw"): _(
        "t-test of the means of two samples of correlations, variances apart [Student1908]; the"
        " correlations taken as they are [STSS131]."
    ),
    ("welch", "fisher"): _(
        "t-test of the means of two samples of correlations, variances apart [Student1908]; the"
        " correlations taken as Fisher's z [STSS131]."
    ),
}


@dataclass(frozen=True)
class Moments:
    """Mean, standard deviation (n - 1 in the denominator) and size of a sample of correlations.

    Raises ValueError if the deviation is below 0 or no number.
    """

    mean: float
    sd: float
    n: int

    def __post_init__(self) -> None:
        if self.n > 1 and not self.sd >= 0:
            raise ValueError(f"sd is {self.sd:g}, but a standard deviation is not below 0")

    @classmethod
    def of(cls, sample: FloatArray) -> "Moments":
        n = len(sample)
        return cls(
            float(sample.mean()) if n else math.nan,
            float(sample.std(ddof=1)) if n > 1 else math.nan,
            n,
        )


@dataclass(frozen=True, eq=False)
class SampleTest:
    """A t-test of one or two samples of correlations, such as those of raters.

    Parameters
    ----------
    test : {"one-sample", "pooled", "welch"}
        Against a given correlation; of two samples with one variance, or with two.
    scale : {"raw", "fisher"}
        Whether the correlations were taken as they are, or as Fisher's z.
    statistic, df : float
        Student's t and its degrees of freedom; nan where undefined.
    p_two_sided, p_lower, p_upper : float
        In [0, 1]; nan where undefined. A small `p_upper` says that the (first) sample is higher.
    mean, other : float
        Mean correlation of the sample, and what it is compared with: the given one, or the mean
        of the second sample. On the Fisher scale the means are transformed back.
    n, n_other : int
        Sizes of the samples; `n_other` is 0 against a given correlation.
    n_left_out : int
        Correlations that were nan.
    reason : Message or None
        Why there is no statistic.
    low, high : float
        Ends of the 95 % interval of the difference, by Student's t; nan where undefined, and on
        the Fisher scale.
    """

    test: Test
    scale: SampleScale
    statistic: float
    df: float
    p_two_sided: float
    p_lower: float
    p_upper: float
    mean: float
    other: float
    n: int
    n_other: int
    n_left_out: int
    reason: Message | None = None
    low: float = math.nan
    high: float = math.nan

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return _DEFINITIONS[self.test, self.scale]

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        return {
            "test": self.test,
            "scale": self.scale,
            "statistic": json_number(self.statistic),
            "df": json_number(self.df),
            "p_two_sided": json_number(self.p_two_sided),
            "p_lower": json_number(self.p_lower),
            "p_upper": json_number(self.p_upper),
            "mean": json_number(self.mean),
            "other": json_number(self.other),
            "n": self.n,
            "n_other": self.n_other,
            "n_left_out": self.n_left_out,
            "low": json_number(self.low),
            "high": json_number(self.high),
            "reason": self.reason,
            "definition": self.definition,
        }


def compare_with_value(
    sample: Moments,
    value: float,
    *,
    scale: SampleScale,
    shown: tuple[float, float],
    reason: Message | None,
    n_left_out: int = 0,
) -> SampleTest:
    """`shown`: the mean and the value as correlations."""
    statistic, df, tails, ends = np.nan, np.nan, NO_TAILS, (math.nan, math.nan)
    if reason is None:
        df = sample.n - 1.0
        error = sample.sd / math.sqrt(sample.n)
        statistic = (sample.mean - value) / error
        tails = student_tails(statistic, df)
        ends = _ends(sample.mean - value, error, df, scale)
    return SampleTest(
        "one-sample",
        scale,
        statistic,
        df,
        *tails,
        *shown,
        sample.n,
        0,
        n_left_out,
        reason,
        *ends,
    )


def compare_two(
    first: Moments,
    second: Moments,
    *,
    equal_variances: bool,
    scale: SampleScale,
    shown: tuple[float, float],
    reason: Message | None,
    n_left_out: int = 0,
) -> SampleTest:
    """`shown`: both means as correlations."""
    statistic, df, tails, ends = np.nan, np.nan, NO_TAILS, (math.nan, math.nan)
    if reason is None:
        error, df = _error_of_two(first, second, equal_variances=equal_variances)
        statistic = (first.mean - second.mean) / error
        tails = student_tails(statistic, df)
        ends = _ends(first.mean - second.mean, error, df, scale)
    return SampleTest(
        "pooled" if equal_variances else "welch",
        scale,
        statistic,
        df,
        *tails,
        *shown,
        first.n,
        second.n,
        n_left_out,
        reason,
        *ends,
    )


def _error_of_two(
    first: Moments, second: Moments, *, equal_variances: bool
) -> tuple[float, float]:
    """Standard error of the difference of both means, and its degrees of freedom.

    scipy.stats.ttest_ind gives the same, but warns of a loss of precision where one group is
    constant, although the other's spread is all that it takes.
    """
    n = np.array([first.n, second.n])
    variances = np.array([first.sd**2, second.sd**2])
    if equal_variances:
        df = float(n.sum() - 2)
        of_means = float(((n - 1) * variances).sum() / df * (1 / n).sum())
    else:
        shares = variances / n
        of_means = float(shares.sum())
        df = of_means**2 / float((shares**2 / (n - 1)).sum())
    return math.sqrt(of_means), df


def _ends(difference: float, error: float, df: float, scale: SampleScale) -> tuple[float, float]:
    if scale == "fisher":
        # A difference of Fisher's z is no difference of correlations.
        return math.nan, math.nan
    reach = student_quantile((1 + LEVEL) / 2, df) * error
    return difference - reach, difference + reach
