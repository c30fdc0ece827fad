"""Tests that compare correlations: which of two measures is closer to people's scores?

Four tests of two *dependent* correlations that share a variable, for one set of items scored by
people (variable 1) and by two measures (variables 2 and 3); Fisher's test of two independent
ones, from different items, and of one against a stated value. Two dependent correlations without
a variable in common are in `scoring.measures.four_variables`.

Symbols: r12 and r13 the correlations compared; r23 that of the two variables which are *not*
shared, the measures with each other; n items; z the Fisher transform, artanh r.

Sign: a positive statistic speaks for r12 > r13 (or r1 > r2). `p_upper` is the chance of a
statistic at least as high where both are equal, so a small one says r12 > r13; `p_lower` is that
of one at least as low, so a small one says r12 < r13.
"""

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, SupportsIndex, TypeAlias, get_args

import numpy as np

from scoring.distributions import NO_TAILS, normal_tails, student_tails
from scoring.jackknife import MAX_LEFT_OUT
from scoring.json_values import JsonObject, json_number
from shell.messages import Message
from shell.messages import message as _

DependentTest: TypeAlias = Literal["meng", "steiger", "dunn-clark", "williams"]
# What two measures of a leaderboard are compared by; the first is the default.
DifferenceTest: TypeAlias = Literal["jackknife", "meng", "steiger", "dunn-clark", "williams"]

TESTS: dict[str, Message] = {
    "jackknife": _(
        "t-test of the difference between two correlations with people's scores. Its standard"
        " error comes from leaving out each pool in turn, or each item if items share no pools"
        " (jackknife [Miller1974]). If there are more than %(most)s, they are left out in %(most)s"
        " groups. The degrees of freedom are the number of pools, items or groups minus one.",
        most=MAX_LEFT_OUT,
    ),
    "meng": _(
        "Z test of two correlations that share a variable, such as people's scores, on Fisher's z"
        " [Meng1992]. What STSS-131 prints as Steiger's z is this test."
    ),
    "steiger": _(
        "Z test of two correlations that share a variable, such as people's scores, on Fisher's z."
        " Their covariance is taken at the mean of both [Steiger1980]."
    ),
    "dunn-clark": _(
        "Z test of two correlations that share a variable, such as people's scores, on Fisher's z."
        " Their covariance is taken at each one's own value [DunnClark1969]."
    ),
    "williams": _(
        "t-test of two correlations that share a variable, such as people's scores, with n - 3"
        " degrees of freedom [Williams1959], in the form that [Steiger1980] recommends."
    ),
    "fisher": _("Z test of two correlations from different items, on Fisher's z [Fisher1921]."),
    "one-sample": _(
        "Z test of a correlation against one that is taken as exact, on Fisher's z [Fisher1921]."
    ),
    "non-overlapping-steiger": _(
        "Z test of two correlations of the same items that share no variable, on Fisher's z. Their"
        " covariance is taken at the mean of both [Steiger1980]."
    ),
    "non-overlapping-dunn-clark": _(
        "Z test of two correlations of the same items that share no variable, on Fisher's z. Their"
        " covariance is taken at each one's own value [DunnClark1969]."
    ),
}

# A determinant down to here is a rounding error of a matrix that is just semidefinite.
ROUNDING = 1e-12
INFINITE_Z = _("Fisher's z of a correlation of 1 or -1 is infinite")
NO_SPREAD = _("the three correlations are too dependent: their difference has no variance")


@dataclass(frozen=True, eq=False)
class CorrelationTest:
    """A test of the difference of two correlations.

    Parameters
    ----------
    test : str
        A key of `TESTS`.
    statistic : float
        Standard normal, or of Student's t where `df` is given, if the correlations are equal;
        positive if the first is higher; nan where undefined.
    p_two_sided, p_lower, p_upper : float
        In [0, 1]; nan where undefined. A small `p_upper` says that the first is higher.
    df : int or None
        Degrees of freedom of a t test.
    reason : Message or None
        Why there is no statistic.
    """

    test: str
    statistic: float
    p_two_sided: float
    p_lower: float
    p_upper: float
    df: int | None = None
    reason: Message | None = None

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return TESTS[self.test]

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        return {
            "test": self.test,
            "statistic": json_number(self.statistic),
            "p_two_sided": json_number(self.p_two_sided),
            "p_lower": json_number(self.p_lower),
            "p_upper": json_number(self.p_upper),
            "df": self.df,
            "reason": self.reason,
            "definition": self.definition,
        }


def compare_dependent(
    r12: float, r13: float, r23: float, n: SupportsIndex, *, test: DependentTest = "meng"
) -> CorrelationTest:
    """Test whether two correlations that share a variable differ.

    Parameters
    ----------
    r12, r13 : float
        The correlations to compare, in [-1, 1]: people's scores with either measure.
    r23 : float
        Correlation of the two variables that are not shared: the measures with each other.
    n : int
        Items that all three were computed from; at least 4.
    test : {"meng", "steiger", "dunn-clark", "williams"}
        See `TESTS`.

    Returns
    -------
    CorrelationTest
        Nan, with the reason, where Fisher's z is infinite (r12 or r13 of 1 or -1) or where the
        three are so dependent that the difference has no spread (r23 = 1).

    Raises
    ------
    ValueError
        If a correlation is outside [-1, 1], the three cannot be those of any three variables
        (their matrix is not positive semidefinite), n is below 4, or the test is unknown.

    References
    ----------
    [Meng1992], [Steiger1980], [DunnClark1969], [Williams1959] in docs/references.md
    """
    if test not in get_args(DependentTest):
        raise ValueError(f"test must be one of {', '.join(get_args(DependentTest))}, not {test!r}")
    for name, r in (("r12", r12), ("r13", r13), ("r23", r23)):
        check_correlation(name, r)
    n = number_of_items("n", n)
    determinant = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    if determinant < -ROUNDING:
        raise ValueError(
            f"no three variables have the correlations r12 = {r12:g}, r13 = {r13:g} and "
            f"r23 = {r23:g}: their matrix is not positive semidefinite (determinant "
            f"{determinant:.3g}); r23 is the correlation of the two variables that r12 and r13 "
            "do not share"
        )

    if r23 == 1:
        return undefined_test(
            test, _("r23 is 1: both measures are the same, so there is nothing to compare")
        )
    if test == "williams":
        return _williams(r12, r13, r23, n, max(determinant, 0.0))
    if max(abs(r12), abs(r13)) == 1:
        return undefined_test(test, INFINITE_Z)
    # In units of 1 / (n - 3)
    variance = _VARIANCES[test](r12, r13, r23)
    if variance <= ROUNDING:
        return undefined_test(test, NO_SPREAD)
    z = (math.atanh(r12) - math.atanh(r13)) * math.sqrt((n - 3) / variance)
    return normal_test(test, z)


def _meng(r12: float, r13: float, r23: float) -> float:
    """Variance of z12 - z13, times n - 3 [Meng1992]."""
    mean_square = (r12**2 + r13**2) / 2
    f = min(1.0, (1 - r23) / (2 * (1 - mean_square)))
    h = (1 - f * mean_square) / (1 - mean_square)
    return 2 * (1 - r23) * h


def _steiger(r12: float, r13: float, r23: float) -> float:
    """Variance of z12 - z13, times n - 3, with both correlations at their mean [Steiger1980]."""
    mean = (r12 + r13) / 2
    return _dunn_clark(mean, mean, r23)


def _dunn_clark(r12: float, r13: float, r23: float) -> float:
    """Variance of z12 - z13, times n - 3, each correlation at its value [DunnClark1969]."""
    return 2 - 2 * correlation_of_overlapping(r12, r13, r23)


def correlation_of_overlapping(r12: float, r13: float, r23: float) -> float:
    """Asymptotic correlation of r12 with r13, which share variable 1 [DunnClark1969].

    Neither of them may be 1 or -1.
    """
    # n times their asymptotic covariance, which goes back to Pearson and Filon.
    covariance = r23 * (1 - r12**2 - r13**2) - r12 * r13 * (1 - r12**2 - r13**2 - r23**2) / 2
    return covariance / ((1 - r12**2) * (1 - r13**2))


_VARIANCES: dict[str, Callable[[float, float, float], float]] = {
    "meng": _meng,
    "steiger": _steiger,
    "dunn-clark": _dunn_clark,
}


def _williams(r12: float, r13: float, r23: float, n: int, determinant: float) -> CorrelationTest:
    mean = (r12 + r13) / 2
    spread = 2 * (n - 1) / (n - 3) * determinant + mean**2 * (1 - r23) ** 3
    if spread <= ROUNDING:
        return undefined_test("williams", NO_SPREAD)
    t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23) / spread)
    return _of_student("williams", t, n - 3)


def compare_independent(
    r1: float, n1: SupportsIndex, r2: float, n2: SupportsIndex
) -> CorrelationTest:
    """Test whether two correlations from different items differ, by Fisher's z.

    Parameters
    ----------
    r1, r2 : float
        The correlations, in [-1, 1].
    n1, n2 : int
        Items of each; at least 4.

    Returns
    -------
    CorrelationTest
        Nan, with the reason, if one correlation is 1 or -1.

    Raises
    ------
    ValueError
        If a correlation is outside [-1, 1] or a number of items is below 4.

    References
    ----------
    [Fisher1921] in docs/references.md
    """
    check_correlation("r1", r1)
    check_correlation("r2", r2)
    n1, n2 = number_of_items("n1", n1), number_of_items("n2", n2)
    if max(abs(r1), abs(r2)) == 1:
        return undefined_test("fisher", INFINITE_Z)
    spread = math.sqrt(1 / (n1 - 3) + 1 / (n2 - 3))
    return normal_test("fisher", (math.atanh(r1) - math.atanh(r2)) / spread)


def compare_with_value(r: float, n: SupportsIndex, value: float) -> CorrelationTest:
    """Test whether a correlation differs from a stated value, by Fisher's z.

    Parameters
    ----------
    r : float
        The correlation, in [-1, 1].
    n : int
        Its items; at least 4.
    value : float
        What it is compared with, in [-1, 1], such as a published correlation. It is taken as
        exact: where its own items are known, `compare_independent` allows for their chance, too.

    Returns
    -------
    CorrelationTest
        Nan, with the reason, if one of them is 1 or -1.

    Raises
    ------
    ValueError
        If one of them is outside [-1, 1] or the number of items is below 4.

    References
    ----------
    [Fisher1921] in docs/references.md
    """
    check_correlation("r", r)
    check_correlation("value", value)
    n = number_of_items("n", n)
    if max(abs(r), abs(value)) == 1:
        return undefined_test("one-sample", INFINITE_Z)
    return normal_test("one-sample", (math.atanh(r) - math.atanh(value)) * math.sqrt(n - 3))


def check_correlation(name: str, r: float) -> None:
    """Raise ValueError, with the name, for what is no correlation."""
    # Written so that nan is refused, too.
    if not -1 <= r <= 1:
        raise ValueError(f"{name} is {r:g}, but a correlation lies between -1 and 1")


def number_of_items(name: str, n: SupportsIndex) -> int:
    """Return n as an integer; raise ValueError, with the name, below 4."""
    try:
        number = operator.index(n)
    except TypeError as error:
        raise ValueError(f"{name} must be a whole number of items, not {n!r}") from error
    if number < 4:
        raise ValueError(
            _(
                "%(name)s is %(n)s, but the test needs at least 4 items: it divides by %(name)s"
                " - 3",
                name=name,
                n=number,
            )
        )
    return number


def undefined_test(test: str, reason: Message) -> CorrelationTest:
    """A test without a statistic, and why."""
    return CorrelationTest(test, np.nan, *NO_TAILS, reason=reason)


def normal_test(test: str, z: float) -> CorrelationTest:
    """A test whose statistic is standard normal."""
    return CorrelationTest(test, z, *normal_tails(z))


def _of_student(test: str, t: float, df: int) -> CorrelationTest:
    return CorrelationTest(test, t, *student_tails(t, df), df=df)
