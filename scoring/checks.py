"""How right answers are whose right answer is known: credit from 0 to 1, partly right included."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.arrays import FloatArray
from scoring.json_values import JsonObject, json_number

# Differences of decimal numbers are seldom exact in floating point: .8 - .7 is more than .1.
_ROUNDING = 1e-9

CREDIT = (
    "Credit goes from 0 (wrong) to 1 (correct). In a best-worst study, the correct best and the"
    " correct worst item earn a half each. In a rating study, a rating within the tolerance earns"
    " 1; farther away the credit falls in a straight line, to 0 at the end of the scale that is"
    " farthest from the known answer. In a label study, it is the number of categories that both"
    " answers share, divided by the number that at least one of them has."
)


@dataclass(frozen=True)
class CheckScore:
    """How somebody did on questions with a known answer.

    Parameters
    ----------
    n : int
        Checks answered.
    n_right : int
        Those of them with full credit.
    mean : float
        Mean credit, in [0, 1]; nan if nothing was answered.
    """

    n: int
    n_right: int
    mean: float

    @property
    def definition(self) -> str:
        """What was computed, in words."""
        return (
            "Mean credit of the answers to checks, in each phase: of each check the answer that"
            f" got the first feedback, or else the last. {CREDIT}"
        )

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        return {
            "definition": self.definition,
            "n": self.n,
            "n_right": self.n_right,
            "mean": json_number(self.mean),
        }


def best_worst_credit(
    best: npt.ArrayLike,
    worst: npt.ArrayLike,
    *,
    known_best: npt.ArrayLike,
    known_worst: npt.ArrayLike,
) -> FloatArray:
    """Give a half for the right best item and a half for the right worst one.

    Parameters
    ----------
    best, worst : array-like of int, shape (m,)
        Item picked in each answer; any numbers.
    known_best, known_worst : array-like of int, shape (m,)
        The right ones, in the same numbers.

    Returns
    -------
    float array, shape (m,)
        0, .5 or 1.
    """
    is_best = np.equal(best, known_best).astype(np.float64)
    is_worst = np.equal(worst, known_worst).astype(np.float64)
    credit: FloatArray = (is_best + is_worst) / 2
    return credit


def rating_credit(
    rating: npt.ArrayLike,
    *,
    known: npt.ArrayLike,
    tolerance: npt.ArrayLike,
    low: float,
    high: float,
) -> FloatArray:
    """Give 1 for a rating within the tolerance, and less the farther off it is beyond that.

    The credit falls in a straight line from 1, at a distance of `tolerance` from the known answer,
    to 0 at the end of the scale that is farthest from it.

    Parameters
    ----------
    rating : array-like of float, shape (m,)
        The ratings, from `low` to `high`.
    known : array-like of float, shape (m,)
        The known answer to each, from `low` to `high`.
    tolerance : array-like of float, shape (m,)
        How far from it a rating is still right; not negative.
    low, high : float
        The ends of the scale.

    Returns
    -------
    float array, shape (m,)
        From 0 to 1; 1 for every rating where the tolerance reaches both ends of the scale.

    Raises
    ------
    ValueError
        If the scale has no length, a number is off it, or a tolerance is negative.
    """
    if not low < high:
        raise ValueError(f"the scale must not be empty, but goes from {low} to {high}")
    rating, known, tolerance = (
        np.asarray(values, dtype=np.float64) for values in (rating, known, tolerance)
    )
    for name, values in (("rating", rating), ("known answer", known)):
        if (off := (values < low) | (values > high) | np.isnan(values)).any():
            j = int(off.argmax())
            raise ValueError(f"{name} {j} is {values[j]}, which is not from {low} to {high}")
    if (negative := tolerance < 0).any():
        j = int(negative.argmax())
        raise ValueError(f"tolerance {j} is {tolerance[j]}, but must not be negative")
    distance = np.abs(rating - known)
    farthest = np.maximum(high - known, known - low)
    is_right = distance <= tolerance + _ROUNDING
    # Where the tolerance reaches both ends, everything is right, and nothing falls.
    length = np.where(farthest > tolerance, farthest - tolerance, 1.0)
    return np.where(is_right, 1.0, np.clip(1 - (distance - tolerance) / length, 0.0, 1.0))


def label_credit(
    chosen: Sequence[Collection[str]], *, known: Sequence[Collection[str]]
) -> FloatArray:
    """Give the share of the categories chosen or known that are both (Jaccard's index).

    Parameters
    ----------
    chosen : sequence of m collections of str
        The categories chosen in each answer.
    known : sequence of m collections of str
        The right ones.

    Returns
    -------
    float array, shape (m,)
        From 0 to 1; 1 where there is neither a chosen nor a right one.
    """
    pairs = [(set(own), set(reference)) for own, reference in zip(chosen, known, strict=True)]
    return np.array(
        [
            len(own & reference) / len(own | reference) if own | reference else 1.0
            for own, reference in pairs
        ],
        dtype=np.float64,
    )


def check_score(credit: npt.ArrayLike) -> CheckScore:
    """Sum up the credit of one person's checks.

    Parameters
    ----------
    credit : array-like of float, shape (m,)
        Credit of one answer to each, in [0, 1].
    """
    credit = np.asarray(credit, dtype=np.float64)
    n = len(credit)
    return CheckScore(n, int((credit >= 1).sum()), float(credit.mean()) if n else float("nan"))
