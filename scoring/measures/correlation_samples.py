"""t tests of samples of correlations, one for each rater.

Each rater's scores are correlated with the mean of the other raters'. Such a sample describes the
typical person, and STSS-131 compares it with one measure's correlation, or with the sample of
another group of raters [STSS131].

Sign: a positive statistic says that the (first) sample is higher; so does a small `p_upper`.
"""

from typing import get_args

import numpy as np
import numpy.typing as npt

from scoring.arrays import FloatArray
from scoring.measures.correlation_tests import check_correlation
from scoring.measures.sample_tests import (
    Moments,
    SampleScale,
    SampleTest,
    compare_two,
    compare_with_value,
)
from shell.messages import Message
from shell.messages import message as _

_TOO_FEW = _("a sample has fewer than two correlations")
_ALL_EQUAL = _("all correlations of a sample are equal, so there is no variance")


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
    return compare_with_value(
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
    return compare_with_value(
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

    return compare_two(
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
    return compare_two(
        first,
        second,
        equal_variances=equal_variances,
        scale="raw",
        shown=(first.mean, second.mean),
        reason=_why_no_t_test_of_moments(first, second),
    )


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
