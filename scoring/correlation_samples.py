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
from scoring.correlation_tests import check_correlation
from scoring.distributions import NO_TAILS, student_tails
from scoring.json_values import JsonObject, json_number

SampleScale: TypeAlias = Literal["raw", "fisher"]


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
    reason : str or None
        Why there is no statistic.
    """

    test: Literal["one-sample", "pooled", "welch"]
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
    reason: str | None = None

    @property
    def definition(self) -> str:
        """What was computed, in words."""
        which = {
            "one-sample": "t test of the mean of a sample of correlations against a given one",
            "pooled": "t test of the means of two samples of correlations, with one variance",
            "welch": "t test of the means of two samples of correlations, variances apart",
        }[self.test]
        scale = "as they are" if self.scale == "raw" else "as Fisher's z"
        return f"{which} [Student1908]; the correlations taken {scale} [STSS131]."

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
    given = _on_scale(np.array([value]), "value", scale)[0]

    reason = _why_no_t_test(sample)
    statistic, df, tails = np.nan, np.nan, NO_TAILS
    if reason is None:
        df = len(sample) - 1.0
        statistic = (sample.mean() - given) / math.sqrt(sample.var(ddof=1) / len(sample))
        tails = student_tails(statistic, df)
    mean = _back(sample, scale)
    return SampleTest(
        "one-sample", scale, statistic, df, *tails, mean, value, len(sample), 0, n_left_out, reason
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

    reason = _why_no_t_test(a, b)
    statistic, df, tails = np.nan, np.nan, NO_TAILS
    if reason is None:
        statistic, df = _two_samples(a, b, equal_variances=equal_variances)
        tails = student_tails(statistic, df)
    means = _back(a, scale), _back(b, scale)
    return SampleTest(
        "pooled" if equal_variances else "welch",
        scale,
        statistic,
        df,
        *tails,
        *means,
        len(a),
        len(b),
        n_left_out_a + n_left_out_b,
        reason,
    )


def _two_samples(a: FloatArray, b: FloatArray, *, equal_variances: bool) -> tuple[float, float]:
    """Student's t and its degrees of freedom.

    scipy.stats.ttest_ind gives the same, but warns of a loss of precision where one group is
    constant, although the other's spread is all that it takes.
    """
    n = np.array([len(a), len(b)])
    variances = np.array([a.var(ddof=1), b.var(ddof=1)])
    if equal_variances:
        df = float(n.sum() - 2)
        of_means = float(((n - 1) * variances).sum() / df * (1 / n).sum())
    else:
        shares = variances / n
        of_means = float(shares.sum())
        df = of_means**2 / float((shares**2 / (n - 1)).sum())
    return float(a.mean() - b.mean()) / math.sqrt(of_means), df


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


def _why_no_t_test(*samples: FloatArray) -> str | None:
    if min(map(len, samples)) < 2:
        return "a sample has fewer than two correlations"
    # By comparison, not by a variance of 0: the mean of three 0.1 is not 0.1 in binary.
    if all(sample.min() == sample.max() for sample in samples):
        return "the correlations of a sample are all equal, so their mean has no spread"
    return None
