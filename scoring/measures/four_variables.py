"""Two dependent correlations that share no variable: r12 against r34, of the same items.

Such as people's scores without context (1) with one measure (2), and people's scores in context
(3) with another measure (4). Symbols as in `correlation_tests`; r13, r14, r23 and r24 are
the other correlations of the four variables.
"""

import math
from dataclasses import asdict, dataclass
from typing import Literal, SupportsIndex, TypeAlias, get_args

import numpy as np

from scoring.measures.correlation_tests import (
    INFINITE_Z,
    ROUNDING,
    CorrelationTest,
    check_correlation,
    normal_test,
    number_of_items,
    undefined_test,
)
from shell.messages import message as _

NonOverlappingTest: TypeAlias = Literal["steiger", "dunn-clark"]

# The least eigenvalue of a matrix that is just semidefinite is a rounding error down to here.
EIGENVALUE_ROUNDING = 1e-9


@dataclass(frozen=True)
class FourCorrelations:
    """All six correlations of four variables, each in [-1, 1]; r12 and r34 are to be compared.

    Raises ValueError if no four variables have these correlations.
    """

    r12: float
    r34: float
    r13: float
    r14: float
    r23: float
    r24: float

    def __post_init__(self) -> None:
        given = asdict(self)
        for name, r in given.items():
            check_correlation(name, r)
        r12, r34, r13, r14, r23, r24 = given.values()
        matrix = np.array(
            [[1, r12, r13, r14], [r12, 1, r23, r24], [r13, r23, 1, r34], [r14, r24, r34, 1]]
        )
        least = float(np.linalg.eigvalsh(matrix)[0])
        if least < -EIGENVALUE_ROUNDING:
            listed = ", ".join(f"{name} = {r:g}" for name, r in given.items())
            raise ValueError(
                f"no four variables have the correlations {listed}: their matrix is not positive "
                f"semidefinite (least eigenvalue {least:.3g})"
            )

    @property
    def is_infinite(self) -> bool:
        """Whether Fisher's z of one of those compared is infinite."""
        return max(abs(self.r12), abs(self.r34)) == 1

    def dependence(self, r12: float | None = None, r34: float | None = None) -> float:
        """Asymptotic correlation of r12 with r34, taken at their values or at others.

        Neither may be 1 or -1 [DunnClark1969].
        """
        r12 = self.r12 if r12 is None else r12
        r34 = self.r34 if r34 is None else r34
        r13, r14, r23, r24 = self.r13, self.r14, self.r23, self.r24
        # n times their asymptotic covariance, which goes back to Pearson and Filon.
        covariance = (
            r12 * r34 * (r13**2 + r14**2 + r23**2 + r24**2) / 2
            + r13 * r24
            + r14 * r23
            - (r12 * r13 * r14 + r12 * r23 * r24 + r13 * r23 * r34 + r14 * r24 * r34)
        )
        return covariance / ((1 - r12**2) * (1 - r34**2))


def compare_non_overlapping(
    four: FourCorrelations, n: SupportsIndex, *, test: NonOverlappingTest = "steiger"
) -> CorrelationTest:
    """Test whether two correlations of the same items that share no variable differ.

    Parameters
    ----------
    four : FourCorrelations
        r12 is compared with r34.
    n : int
        Items that all six were computed from; at least 4.
    test : {"steiger", "dunn-clark"}
        See `correlation_tests.TESTS`, where "non-overlapping-" stands before them.

    Returns
    -------
    CorrelationTest
        Nan, with the reason, if r12 or r34 is 1 or -1, or if the difference has no spread.

    Raises
    ------
    ValueError
        If n is below 4 or the test is unknown.

    References
    ----------
    [Steiger1980], [DunnClark1969] in docs/references.md
    """
    if test not in get_args(NonOverlappingTest):
        known = ", ".join(get_args(NonOverlappingTest))
        raise ValueError(f"test must be one of {known}, not {test!r}")
    n = number_of_items("n", n)
    name = f"non-overlapping-{test}"
    if four.is_infinite:
        return undefined_test(name, INFINITE_Z)
    mean = (four.r12 + four.r34) / 2 if test == "steiger" else None
    variance = 2 - 2 * four.dependence(mean, mean)
    if variance <= ROUNDING:
        reason = _("the four variables are too dependent: the difference has no variance")
        return undefined_test(name, reason)
    difference = math.atanh(four.r12) - math.atanh(four.r34)
    return normal_test(name, difference * math.sqrt((n - 3) / variance))
