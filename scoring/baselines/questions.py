"""What is to be compared in a stored report: measures, people, a correlation from elsewhere."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from scoring.measures.correlation_tests import DifferenceTest
from scoring.measures.leaderboard import EVERYTHING


@dataclass(frozen=True)
class StatedCorrelation:
    """A correlation from elsewhere.

    Parameters
    ----------
    name : str
        What it is of, such as a measure and its paper.
    r : float
        In [-1, 1].
    n : int or None
        Items that it is of, or with a deviation raters; None: it is taken as exact.
    sd : float or None
        Standard deviation of raters' correlations whose mean it is.
    """

    name: str
    r: float
    n: int | None = None
    sd: float | None = None


@dataclass(frozen=True)
class Question:
    """What is to be compared in a part of the items.

    Parameters
    ----------
    subset : str
        Name of the part.
    first : str or None
        A measure; None is the typical human.
    second : str, StatedCorrelation or None
        A measure, a correlation from elsewhere, or None: the typical human.
    test : {"jackknife", "meng", "steiger", "dunn-clark", "williams"}
        Of two measures.
    """

    first: str | None
    second: str | StatedCorrelation | None
    subset: str = EVERYTHING
    test: DifferenceTest = "jackknife"

    def as_dict(self) -> dict[str, Any]:
        """In plain JSON types."""
        return asdict(self)

    @classmethod
    def of_dict(cls, given: Mapping[str, Any]) -> Self:
        """What `as_dict` wrote."""
        second = given["second"]
        if isinstance(second, Mapping):
            second = StatedCorrelation(**second)
        return cls(**{**given, "second": second})
