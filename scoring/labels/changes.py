"""Labels that change, and labels that are confused with each other: square tables of categories.

Symbols: c categories; n_ij units, or pairs of answers, with i first and j second.
"""

from dataclasses import dataclass

import numpy as np

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.json_values import JsonObject, json_number
from scoring.labels.labels import Labels
from shell.messages import Message
from shell.messages import message as _

NOTHING_CHANGED = _("nothing changed, so there is nothing to test")


@dataclass(frozen=True, eq=False)
class SymmetryTest:
    """Whether changes go either way equally often.

    Parameters
    ----------
    statistic : float
        Chi-square; nan where undefined.
    df : int
        Degrees of freedom.
    p : float
        Its p-value; nan where undefined.
    reason : Message or None
        Why there is no test.
    """

    statistic: float
    df: int
    p: float
    reason: Message | None = None

    def as_dict(self, definition: Message) -> JsonObject:
        """All figures in plain JSON types."""
        return {
            "definition": definition,
            "statistic": json_number(self.statistic),
            "df": self.df,
            "p": json_number(self.p),
            "reason": self.reason,
        }


BOWKER = _(
    "Bowker's test of symmetry [Bowker1948]: whether as many answers change from one category to "
    "another as change back. For two categories, it is McNemar's test without correction "
    "[McNemar1947]. Pairs of categories without changes do not count in the degrees of freedom. "
    "With few changes, p is a rough approximation. The test takes items as independent. If some "
    "people became stricter or more lenient between the phases, p is too small: it says nothing "
    "about other people."
)
STUART = _(
    "Stuart-Maxwell test of marginal homogeneity [Stuart1955] [Maxwell1970]: whether the shares "
    "of the categories are the same before and after. With few changes, p is a rough "
    "approximation. The test takes items as independent. If some people became stricter or more "
    "lenient between the phases, p is too small: it says nothing about other people."
)


def bowker_test(table: IntArray) -> SymmetryTest:
    """Test whether a table of changes is symmetric.

    Parameters
    ----------
    table : int array, shape (c, c)
        n_ij: units in category i before and j after. They should be independent of each other.

    Returns
    -------
    SymmetryTest
        Without a figure, but with the reason, if nothing changed.

    References
    ----------
    [Bowker1948], [McNemar1947] in docs/references.md
    """
    above, below = _either_way(table)
    n = above + below
    changed = n > 0
    if not changed.any():
        return SymmetryTest(np.nan, 0, np.nan, NOTHING_CHANGED)
    statistic = float(((above - below)[changed] ** 2 / n[changed]).sum())
    df = int(changed.sum())
    return SymmetryTest(statistic, df, _p_of_chi_square(statistic, df))


def stuart_maxwell_test(table: IntArray) -> SymmetryTest:
    """Test whether the shares of the categories are the same before and after.

    Parameters
    ----------
    table : int array, shape (c, c)
        As in `bowker_test`.

    Returns
    -------
    SymmetryTest
        Without a figure, but with the reason, if nothing changed or the changes fall into groups
        of categories, between which the test is not defined.

    References
    ----------
    [Stuart1955], [Maxwell1970] in docs/references.md
    """
    _check_square(table)
    moved = table - np.diag(np.diag(table))
    # A category that nothing left or entered has no part in the test.
    is_changed = np.flatnonzero(moved.sum(axis=0) + moved.sum(axis=1))
    if len(is_changed) == 0:
        return SymmetryTest(np.nan, 0, np.nan, NOTHING_CHANGED)
    moved = moved[np.ix_(is_changed, is_changed)]
    difference = (moved.sum(axis=1) - moved.sum(axis=0)).astype(np.float64)
    both = (moved + moved.T).astype(np.float64)
    covariance = np.diag(both.sum(axis=1)) - both
    # One category follows from the others.
    covariance, difference = covariance[1:, 1:], difference[1:]
    df = len(difference)
    if np.linalg.matrix_rank(covariance) < df:
        reason = _("the categories fall into groups without any changes between them")
        return SymmetryTest(np.nan, df, np.nan, reason)
    statistic = float(difference @ np.linalg.solve(covariance, difference))
    return SymmetryTest(statistic, df, _p_of_chi_square(statistic, df))


def transitions(before: BoolArray, after: BoolArray) -> IntArray:
    """Count units by their category before and after.

    Parameters
    ----------
    before, after : bool array, shape (n, c)
        At most one category of each unit; units without one on either side are left out.

    Returns
    -------
    int array, shape (c, c)
        n_ij: units in category i before and j after.

    Raises
    ------
    ValueError
        If a unit has several categories.
    """
    if before.shape != after.shape:
        raise ValueError(f"{before.shape} and {after.shape} are not the same units")
    if (before.sum(axis=1) > 1).any() or (after.sum(axis=1) > 1).any():
        raise ValueError("a unit has several categories: what it changed to is not one of them")
    return before.astype(np.int64).T @ after.astype(np.int64)


def confusions(labels: Labels) -> IntArray:
    """Count the pairs of answers about one unit, by the two people's categories.

    Parameters
    ----------
    labels : Labels
        m answers that name one category each.

    Returns
    -------
    int array, shape (c, c)
        Pairs of people of whom one chose i and the other j, each pair once: symmetric, what both
        chose is on the diagonal.

    Raises
    ------
    ValueError
        If answers may name several categories.
    """
    if labels.is_several:
        raise ValueError("answers of several categories confuse no two of them")
    c = labels.n_categories
    cells = labels.unit * c + labels.distinct[1]
    counts = np.bincount(cells, minlength=labels.n_units * c).reshape(labels.n_units, c)
    pairs: IntArray = counts.T @ counts
    # Of n answers in one category each counted pairs with all n, itself among them.
    agreeing = (counts * (counts - 1)).sum(axis=0) // 2
    np.fill_diagonal(pairs, agreeing)
    return pairs


def together(labels: Labels) -> IntArray:
    """Count how often two categories are named in one answer.

    Returns
    -------
    int array, shape (c, c)
        Answers that name both i and j: symmetric; on the diagonal those that name i.
    """
    chosen = labels.chosen.astype(np.int64)
    return np.asarray(chosen.T @ chosen)


def _either_way(table: IntArray) -> tuple[FloatArray, FloatArray]:
    """Counts above the diagonal, and those opposite to them."""
    _check_square(table)
    above = np.triu_indices(len(table), 1)
    numbers = np.asarray(table, dtype=np.float64)
    return numbers[above], numbers.T[above]


def _check_square(table: IntArray) -> None:
    if np.ndim(table) != 2 or np.shape(table)[0] != np.shape(table)[1]:
        raise ValueError(f"a table of changes is square, not of shape {np.shape(table)}")


def _p_of_chi_square(statistic: float, df: int) -> float:
    from scipy.stats import chi2  # noqa: PLC0415 - importing scoring loads numpy only

    return float(chi2.sf(statistic, df))
