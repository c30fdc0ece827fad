"""t tests of samples of correlations, one for each rater.

Each rater's scores are correlated with the mean of the other raters'. Such a sample describes the
typical person, and STSS-131 compares it with one measure's correlation, or with the sample of
another group of raters [STSS131].

Sign: a positive statistic says that the (first) sample is higher; so does a small `p_upper`.
"""

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from scoring.arrays import FloatArray
from scoring.distributions import NO_TAILS, student_quantile, student_tails
from scoring.json_values import JsonObject, json_number
from scoring.measures.correlation_tests import check_correlation
from shell.messages import Message
from shell.messages import message as _

SampleScale: TypeAlias = Literal["raw", "fisher"]
Test: TypeAlias = Literal["one-sample", "pooled", "welch"]
# Nominal coverage of the interval of a difference.
LEVEL = 0.95

# By the test and the scale.
_DEFINITIONS: dict[tuple[Test, SampleScale], Message] = {
    ("one-sample", "raw"): _(
        "t test of the mean of a sample of correlations against a given one [Student1908]; the"
        " correlations taken as they are [STSS131]."
    ),
    ("one-sample", "fisher"): _(
        "t test of the mean of a sample of correlations against a given one [Student1908]; the"
        " correlations taken as Fisher's z [STSS131]."
    ),
    ("pooled", "raw"): _(
        "t test of the means of two samples of correlations, with one variance [Student1908]; the"
        " correlations taken as they are [STSS131]."
    ),
    ("pooled", "fisher"): _(
        "t test of the means of two samples of correlations, with one variance [Student1908]; the"
        " correlations taken as Fisher's z [STSS131]."
    ),
    ("welch", "raw"): _(
        "t test of the means of two samples of correlations, variances apart [Student1908]; the"
        " correlations taken as they are [STSS131]."
    ),
    ("welch", "fisher"): _(
        "t test of the means of two samples of correlations, variances apart [Student1908]; the"
        " correlations taken as Fisher's z [STSS131]."
    ),
}
_TOO_FEW = _("a sample has fewer than two correlations")
_ALL_EQUAL = _("the correlations of a sample are all equal, so their mean has no spread")


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


def one_sample_t_test(
    correlations: npt.ArrayLike, value: float, *, scale: SampleScale = "raw"
) -> SampleTest:
    """Test whether raters' correlations differ on average from one given correlation.

    STSS-131 asks so whether a measure agrees with people as well as a typical person does:
    `correlations` are each rater's with the mean of the others, `value` is the measure's.

    Parameters
    ----------
    correlations : float array, shape (n,)
        In [-1, 1]; nan for a rater without one, which is left out.
    value : float
        In [-1, 1].
    scale : {"raw", "fisher"}
        Compare the correlations as they are, as the paper does, or their Fisher's z.

    Returns
    -------
    SampleTest
        Nan, with the reason, for fewer than two correlations or equal ones.

    Raises
    ------
    ValueError
        If a correlation is outside [-1, 1], or is 1 or -1 on the Fisher scale.

    Notes
    -----
    The test takes the correlations as independent. They share most of what each is compared
    with, so it finds a difference somewhat too easily.

    References
    ----------
    [STSS131], [Student1908] in docs/references.md
    """
    check_correlation("value", value)
    sample, n_left_out = _sample(correlations, "correlations", scale)
    given = float(_on_scale(np.array([value]), "value", scale)[0])
    return _against_value(
        Moments.of(sample),
        given,
        scale=scale,
        shown=(_back(sample, scale), value),
        n_left_out=n_left_out,
        reason=_why_no_t_test(sample),
    )


def one_sample_t_test_of_moments(sample: Moments, value: float) -> SampleTest:
    """The same, of the mean and standard deviation of raters' correlations as they are.

    Parameters
    ----------
    sample : Moments
        As a result or a paper states them.
    value : float
        In [-1, 1].

    Raises
    ------
    ValueError
        If the value or the mean is outside [-1, 1].
    """
    check_correlation("value", value)
    check_correlation("mean", sample.mean)
    return _against_value(
        sample,
        value,
        scale="raw",
        shown=(sample.mean, value),
        reason=_why_no_t_test_of_moments(sample),
    )


def two_sample_t_test(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    equal_variances: bool = True,
    scale: SampleScale = "raw",
) -> SampleTest:
    """Test whether the correlations of two groups of raters differ on average.

    STSS-131 asks so whether two groups, such as those who rated by two procedures, agree equally
    well.

    Parameters
    ----------
    first, second : float array, shapes (n,) and (n_other,)
        In [-1, 1]; nan for a rater without one, which is left out.
    equal_variances : bool
        Pool the variances (Student) or keep them apart (Welch).
    scale : {"raw", "fisher"}
        Compare the correlations as they are, as the paper does, or their Fisher's z.

    Returns
    -------
    SampleTest
        Nan, with the reason, for a group of fewer than two, or if both groups are constant.

    Raises
    ------
    ValueError
        If a correlation is outside [-1, 1], or is 1 or -1 on the Fisher scale.

    References
    ----------
    [STSS131], [Student1908], [Welch1947] in docs/references.md
    """
    a, n_left_out_a = _sample(first, "first", scale)
    b, n_left_out_b = _sample(second, "second", scale)

    return _of_two(
        Moments.of(a),
        Moments.of(b),
        equal_variances=equal_variances,
        scale=scale,
        shown=(_back(a, scale), _back(b, scale)),
        n_left_out=n_left_out_a + n_left_out_b,
        reason=_why_no_t_test(a, b),
    )


def two_sample_t_test_of_moments(
    first: Moments, second: Moments, *, equal_variances: bool = True
) -> SampleTest:
    """The same, of the means and standard deviations of two groups' correlations as they are.

    Parameters
    ----------
    first, second : Moments
        As a result or a paper states them.
    equal_variances : bool
        Pool the variances (Student) or keep them apart (Welch).

    Raises
    ------
    ValueError
        If a mean is outside [-1, 1].
    """
    check_correlation("mean of the first", first.mean)
    check_correlation("mean of the second", second.mean)
    return _of_two(
        first,
        second,
        equal_variances=equal_variances,
        scale="raw",
        shown=(first.mean, second.mean),
        reason=_why_no_t_test_of_moments(first, second),
    )


def _against_value(
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


def _of_two(
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


def _sample(values: npt.ArrayLike, name: str, scale: SampleScale) -> tuple[FloatArray, int]:
    """Return the correlations on the scale of the test, and how many were nan."""
    if scale not in get_args(SampleScale):
        raise ValueError(f"scale must be one of {', '.join(get_args(SampleScale))}, not {scale!r}")
    r = np.asarray(values, dtype=np.float64)
    if r.ndim != 1:
        raise ValueError(f"{name} must be a list of correlations, but has the shape {r.shape}")
    if (outside := np.abs(r) > 1).any():
        i = int(outside.argmax())
        raise ValueError(f"{name}[{i}] is {r[i]:g}, but a correlation lies between -1 and 1")
    return _on_scale(r[~np.isnan(r)], name, scale), int(np.isnan(r).sum())


def _on_scale(r: FloatArray, name: str, scale: SampleScale) -> FloatArray:
    if scale == "raw":
        return r
    if (np.abs(r) == 1).any():
        raise ValueError(
            f"{name} holds a correlation of 1 or -1, whose Fisher's z is infinite: use the raw "
            "scale, or leave it out"
        )
    z: FloatArray = np.arctanh(r)
    return z


def _back(sample: FloatArray, scale: SampleScale) -> float:
    if not sample.size:
        return np.nan
    return float(sample.mean() if scale == "raw" else np.tanh(sample.mean()))


def _why_no_t_test(*samples: FloatArray) -> Message | None:
    if min(map(len, samples)) < 2:
        return _TOO_FEW
    # By comparison, not by a variance of 0: the mean of three 0.1 is not 0.1 in binary.
    if all(sample.min() == sample.max() for sample in samples):
        return _ALL_EQUAL
    return None


def _why_no_t_test_of_moments(*samples: Moments) -> Message | None:
    if min(sample.n for sample in samples) < 2:
        return _TOO_FEW
    if all(sample.sd == 0 for sample in samples):
        return _ALL_EQUAL
    return None
