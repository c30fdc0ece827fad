"""How high a measure could correlate with people's scores if it were perfect.

The scores hold noise that no measure can follow. If their reliability is the share of their
variance that another equally large group of people would reproduce, a measure equal to what they
have in common correlates with them by its square root [Spearman1904]. It belongs beside every
leaderboard. It bounds Pearson's correlation in expectation: in a sample a measure may exceed it.
"""

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

from scoring.json_values import JsonObject, json_number
from scoring.reliability import SplitHalf

CeilingSource: TypeAlias = Literal["split-half", "icc"]

SOURCES: dict[CeilingSource, str] = {
    "split-half": (
        "Square root of the reliability by Spearman-Brown, 2r / (1 + r), of the mean Pearson "
        "correlation r of equal halves of the answers [Spearman1910] [Brown1910]."
    ),
    "icc": "Square root of ICC(1,k), the reliability of the mean of k ratings [ShroutFleiss1979].",
}


@dataclass(frozen=True, eq=False)
class NoiseCeiling:
    """The correlation that a perfect measure would have with these scores.

    Parameters
    ----------
    value : float
        In [0, 1]; nan where undefined.
    reliability : float
        Of the scores, in [0, 1]; nan where undefined.
    source : {"split-half", "icc"}
        What the reliability was taken from.
    reason : str or None
        Why there is no value.
    """

    value: float
    reliability: float
    source: CeilingSource
    reason: str | None = None

    @property
    def definition(self) -> str:
        """What was computed, in words."""
        return SOURCES[self.source]

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        return {
            "value": json_number(self.value),
            "reliability": json_number(self.reliability),
            "source": self.source,
            "reason": self.reason,
            "definition": self.definition,
        }


def noise_ceiling_of_halves(halves: SplitHalf) -> NoiseCeiling:
    """Take the noise ceiling of best-worst scores from their split-half reliability.

    Parameters
    ----------
    halves : SplitHalf
        By a rule that makes equal halves. The rule "fixed" does not, and gives a reason.

    References
    ----------
    [Spearman1904], [Spearman1910], [Brown1910] in docs/references.md
    """
    stepped_up = halves.spearman_brown
    if stepped_up.reason:
        return NoiseCeiling(math.nan, math.nan, "split-half", stepped_up.reason)
    return NoiseCeiling(math.sqrt(stepped_up.value), stepped_up.value, "split-half")


def noise_ceiling_of_icc(icc: float) -> NoiseCeiling:
    """Take the noise ceiling of mean ratings from their ICC(1,k).

    Parameters
    ----------
    icc : float
        ICC(1,k), at most 1; nan if it is undefined.

    Raises
    ------
    ValueError
        If it is above 1.

    References
    ----------
    [Spearman1904], [ShroutFleiss1979] in docs/references.md
    """
    if icc > 1:
        raise ValueError(f"an ICC is at most 1, but this one is {icc:g}")
    if math.isnan(icc):
        return NoiseCeiling(math.nan, math.nan, "icc", "there is no ICC")
    if icc < 0:
        reason = (
            f"ICC(1,k) is negative ({icc:.3f}): raters differ more on one item than the items do"
        )
        return NoiseCeiling(math.nan, math.nan, "icc", reason)
    return NoiseCeiling(math.sqrt(icc), icc, "icc")
