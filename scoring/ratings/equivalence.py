"""Is a difference smaller than what matters? Two one-sided tests of each unit.

That a test finds no difference does not say that there is none. The researcher names the smallest
difference that matters, the margin. Two one-sided t-tests ask whether the difference is above
minus the margin and whether it is below the margin; the greater p-value is that of equivalence
[Schuirmann1987] [Lakens2017].
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from scoring.arrays import FloatArray
from scoring.groups import ratio
from scoring.json_values import JsonObject, json_numbers
from shell.messages import Message
from shell.messages import message as _

Outcome: TypeAlias = Literal["equivalent", "different", "undecided"]


@dataclass(frozen=True, eq=False)
class Equivalence:
    """What is known of the size of each of u differences.

    Parameters
    ----------
    margin : float
        The smallest difference that matters, in units of the scale.
    level : float
        Significance level.
    p, p_adjusted : float array, shape (u,)
        The greater p-value of the two one-sided tests, and the same after Benjamini and Hochberg
        over the units tested; nan where a unit cannot be tested.
    outcomes : tuple of (str or None), length u
        "equivalent": the difference is smaller than the margin, be it 0 or not. "different": it is
        not 0, and may be as large as the margin. "undecided": neither is significant. None where
        there is no test.
    """

    margin: float
    level: float
    p: FloatArray
    p_adjusted: FloatArray
    outcomes: tuple[Outcome | None, ...]

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return _(
            "Equivalent: the effect lies between −%(margin)s and %(margin)s points (two one-sided "
            "tests [Schuirmann1987] [Lakens2017], corrected p at most %(level)s). Different: the "
            "effect differs significantly from 0, and may exceed %(margin)s points. Undecided: "
            "neither. All p-values are adjusted by Benjamini and Hochberg [BH1995].",
            margin=f"{self.margin:g}",
            level=self.level,
        )

    def n(self, outcome: Outcome) -> int:
        """Number of units with an outcome."""
        return self.outcomes.count(outcome)

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        return {
            "definition": self.definition,
            "margin": self.margin,
            "n_equivalent": self.n("equivalent"),
            "n_different": self.n("different"),
            "n_undecided": self.n("undecided"),
            "p": json_numbers(self.p),
            "p_adjusted": json_numbers(self.p_adjusted),
            "outcomes": list(self.outcomes),
        }


def equivalence_p(
    difference: FloatArray, error: FloatArray, df: FloatArray, margin: float
) -> FloatArray:
    """The greater p-value of the two one-sided tests of each unit.

    Parameters
    ----------
    difference, error, df : float array, shape (u,)
        The difference, its standard error and degrees of freedom.
    margin : float
        Above 0, in units of the difference.

    Returns
    -------
    float array, shape (u,)
        nan where the error is 0 or one of the three is nan.

    References
    ----------
    [Schuirmann1987], [Lakens2017] in docs/references.md
    """
    from scipy.special import stdtr  # noqa: PLC0415 - importing scoring loads numpy only

    # The test at the end to which the difference is nearer has the greater p-value.
    p: FloatArray = stdtr(df, -ratio(margin - np.abs(difference), error))
    return p


def judged(
    p: FloatArray, p_adjusted: FloatArray, p_of_zero: FloatArray, *, margin: float, level: float
) -> Equivalence:
    """Name each unit by its adjusted p-values: of equivalence, and of no difference at all."""
    outcomes: list[Outcome | None] = []
    for equivalent, different in zip(p_adjusted <= level, p_of_zero <= level, strict=True):
        outcomes.append("equivalent" if equivalent else "different" if different else "undecided")
    is_tested = ~np.isnan(p)
    return Equivalence(
        margin,
        level,
        p,
        p_adjusted,
        tuple(o if tested else None for o, tested in zip(outcomes, is_tested, strict=True)),
    )
