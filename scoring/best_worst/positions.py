"""Position bias: does the place on the screen decide what is picked?

Where options are shuffled, every position is as good as any other, so the positions of the picks
should be uniform, overall and for each annotator. What is counted here is the place where an item
was *displayed*; the slot of a stored tuple says nothing about it.

Symbols: m judgments; k positions, numbered 0..k-1; a annotators.
"""

from dataclasses import dataclass

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.best_worst.judgments import Picked
from scoring.json_values import JsonObject, json_numbers
from shell.messages import Message
from shell.messages import message as _

# Below this expected count the chi-square distribution is a rough approximation [Cochran1954].
SMALLEST_EXPECTED = 5

DEFINITION = _(
    "Were some positions on the screen picked more often than others? Pearson's chi-square test"
    " against a uniform distribution, k - 1 degrees of freedom, for each annotator and for all"
    " answers together. In rankings, the first and the last item count as picks. With many"
    " annotators, a few small p-values are expected by chance."
)


@dataclass(frozen=True, eq=False)
class PositionTest:
    """Chi-square test of uniform positions, in one row for each group of picks.

    Parameters
    ----------
    counts : int array, shape (g, k)
        Picks in each position.
    statistic : float array, shape (g,)
        Chi-square; nan for a group without picks.
    df : int
        Degrees of freedom, k - 1.
    p : float array, shape (g,)
        Chance of a statistic at least as large under uniform positions; nan without picks.
    """

    counts: IntArray
    statistic: FloatArray
    df: int
    p: FloatArray

    @property
    def expected(self) -> FloatArray:
        """Picks expected in each position, shape (g,)."""
        expected: FloatArray = self.counts.sum(axis=1) / self.counts.shape[1]
        return expected

    @property
    def notes(self) -> list[Message | None]:
        """What has to be known of each group, length g: too few picks; None where enough."""
        return [_note(expected) for expected in self.expected.tolist()]

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, one entry per group in each list."""
        return {
            "counts": self.counts.tolist(),
            "expected": json_numbers(self.expected),
            "statistic": json_numbers(self.statistic),
            "df": self.df,
            "p": json_numbers(self.p),
            "notes": list(self.notes),
        }


@dataclass(frozen=True, eq=False)
class PositionBias:
    """Tests of the positions of the best and of the worst picks.

    Parameters
    ----------
    overall : dict
        Test of all answers together, one group, by question.
    by_annotator : dict
        Test of each annotator, by question; empty if the annotators were not given.
    annotator : int array, shape (a,)
        Numbers of the annotators, ascending: the groups of `by_annotator`.
    """

    overall: dict[Picked, PositionTest]
    by_annotator: dict[Picked, PositionTest]
    annotator: IntArray

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return DEFINITION

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        return {
            "definition": self.definition,
            "overall": {on: test.as_dict() for on, test in self.overall.items()},
            "by_annotator": {on: test.as_dict() for on, test in self.by_annotator.items()},
            "annotator": self.annotator.tolist(),
        }


def position_bias(
    best: IntArray, worst: IntArray, *, n_positions: int, annotator: IntArray | None = None
) -> PositionBias:
    """Test whether the picks are spread evenly over the positions on the screen.

    Parameters
    ----------
    best, worst : int array, shape (m,)
        Position at which the item picked was displayed, 0..k-1.
    n_positions : int
        Number of options displayed, k, at least 2.
    annotator : int array, shape (m,), optional
        Number of the person who gave each answer.

    Raises
    ------
    ValueError
        If a position is out of range, one answer picks one position twice, or the lengths differ.

    References
    ----------
    [Cochran1954] in docs/references.md
    """
    best, worst = np.asarray(best), np.asarray(worst)
    if n_positions < 2:
        raise ValueError(f"n_positions must be at least 2, not {n_positions}")
    if best.ndim != 1 or best.shape != worst.shape:
        raise ValueError(f"best has shape {best.shape}, worst {worst.shape}: one each per answer")
    for name, position in (("best", best), ("worst", worst)):
        if ((position < 0) | (position >= n_positions)).any():
            j = int(((position < 0) | (position >= n_positions)).argmax())
            raise ValueError(
                f"judgment {j}: {name} is at position {position[j]}, but positions are numbered "
                f"0..{n_positions - 1}"
            )
    if (same := best == worst).any():
        j = int(same.argmax())
        raise ValueError(f"judgment {j} picks position {best[j]} as both best and worst")

    picks: dict[Picked, IntArray] = {"best": best, "worst": worst}
    everybody = np.zeros(len(best), dtype=np.int64)
    overall = {on: _test(everybody, at, 1, n_positions) for on, at in picks.items()}
    if annotator is None:
        return PositionBias(overall, {}, np.arange(0))
    if np.shape(annotator) != best.shape:
        raise ValueError(f"annotator has shape {np.shape(annotator)} for {len(best)} judgments")
    people, person = np.unique(annotator, return_inverse=True)
    of_each = {on: _test(person, at, len(people), n_positions) for on, at in picks.items()}
    return PositionBias(overall, of_each, people)


def _note(expected: float) -> Message | None:
    if expected == 0:
        return _("there are no picks")
    if expected >= SMALLEST_EXPECTED:
        return None
    return _(
        "too few picks: %(expected)s expected in each position, and below %(least)s the p-value is"
        " a rough approximation [Cochran1954]",
        expected=expected,
        least=SMALLEST_EXPECTED,
    )


def _test(group: IntArray, position: IntArray, n_groups: int, k: int) -> PositionTest:
    from scipy.special import chdtrc  # noqa: PLC0415 - importing scoring loads numpy only

    cells = group * k + position.astype(np.int64)
    counts = np.bincount(cells, minlength=n_groups * k).reshape(n_groups, k)
    n = counts.sum(axis=1)
    squares = ((counts - n[:, None] / k) ** 2).sum(axis=1)
    statistic = np.full(n_groups, np.nan)
    np.divide(squares * k, n, out=statistic, where=n > 0)
    return PositionTest(counts, statistic, k - 1, chdtrc(k - 1, statistic))
