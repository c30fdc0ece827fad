"""What the report of one subset holds: rows of measures, their differences, the ceiling."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from scoring.bootstrap import Unit
from scoring.json_values import JsonObject, JsonValue, json_number
from scoring.measures.correlation_tests import CorrelationTest
from scoring.measures.differences import CorrelationDifference
from scoring.measures.holm import tied_with_best
from scoring.measures.leaderboard import LeaderboardRow
from scoring.measures.noise_ceiling import NoiseCeiling
from scoring.measures.weighted_correlation import Coefficient
from scoring.measures.within_pools import PoolCoefficient, PoolCorrelation, PoolDifference
from shell.messages import Message

# Which correlation orders the measures, and which one the ceiling and the comparisons are of.
Headline: TypeAlias = Literal["all_items", "within_pools"]

_SAID_ONCE = {
    *("definition", "coefficient", "method", "level"),
    *("n", "n_missing", "n_resamples", "resampled", "left_out"),
}


@dataclass(frozen=True, eq=False)
class MeasureDifference:
    """How much closer one measure follows people's scores than another in one subset.

    Parameters
    ----------
    first, second : str
        The measures.
    n, n_missing : int
        Items of the subset with people's score and both values, and the others.
    test : CorrelationTest
        Of Pearson's coefficients; a positive statistic speaks for the first.
    differences : dict of CorrelationDifference
        By coefficient; each says what was left out in turn for its interval.
    between : float
        Pearson's correlation of the measures with each other on these items; nan where undefined.
    within : dict of PoolDifference
        By coefficient; empty without pools.
    p_value : float
        Of the headline's difference, by the test of the report; within pools by the paired t-test
        over pools. nan where undefined.
    p_corrected : float
        The same, corrected for all comparisons of the subset by Holm.
    """

    first: str
    second: str
    n: int
    n_missing: int
    test: CorrelationTest
    differences: dict[Coefficient, CorrelationDifference]
    between: float
    within: Mapping[PoolCoefficient, PoolDifference]
    p_value: float = math.nan
    p_corrected: float = math.nan

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types."""
        return {
            "first": self.first,
            "second": self.second,
            "n": self.n,
            "n_missing": self.n_missing,
            "left_out": self.differences["pearson"].left_out,
            "between": json_number(self.between),
            "test": _brief(self.test.as_dict()),
            "differences": {
                name: _brief(difference.as_dict()) for name, difference in self.differences.items()
            },
            "within": {name: difference.as_dict() for name, difference in self.within.items()},
            "p_value": json_number(self.p_value),
            "p_corrected": json_number(self.p_corrected),
        }


@dataclass(frozen=True, eq=False)
class SubsetReport:
    """One subset's correlations, their differences and its noise ceiling.

    Parameters
    ----------
    name : str
    n_items, n_unscored : int
        Items of the subset, and those of them without a score from people.
    resampled : {"pools", "items"} or None
        What was resampled for figures on all of the subset's items, pools if these are of enough
        of them; None if nothing was. A measure that misses items may be of too few pools.
    n_units : int
        How many of these there are.
    n_resamples : int
        Resamples drawn; fewer than asked for where the items are very many.
    ceiling : NoiseCeiling or None
    ceiling_reason : Message or None
        Why there is no value of it.
    rows : list of LeaderboardRow
        In the order of the measures.
    within : list of dict of PoolCorrelation
        Of each row, by coefficient; empty dicts without pools.
    differences : list of MeasureDifference
        Of every two measures, in their order.
    headline : {"all_items", "within_pools"}
        "within_pools" where people's scores compare the items of a pool, and there are several.
    has_errors_over_pools : bool
        Whether items share pools: then the intervals of correlations that hold best are by
        Fisher's z with the standard error over pools.
    """

    name: str
    n_items: int
    n_unscored: int
    resampled: Unit | None
    n_units: int
    n_resamples: int
    ceiling: NoiseCeiling | None
    ceiling_reason: Message | None
    rows: list[LeaderboardRow]
    within: Sequence[Mapping[PoolCoefficient, PoolCorrelation]]
    differences: list[MeasureDifference]
    headline: Headline
    has_errors_over_pools: bool = False

    @property
    def tied_with_best(self) -> Sequence[str]:
        """The measures not shown to be worse than the best one, it among them."""
        values = {
            row.measure: within["pearson"].value
            if self.headline == "within_pools"
            else row.correlations["pearson"].value
            for row, within in zip(self.rows, self.within, strict=True)
        }
        pairs = {(pair.first, pair.second): pair for pair in self.differences}
        return tied_with_best(
            values,
            {names: pair.p_corrected for names, pair in pairs.items()},
            {
                names: pair.within["pearson"].difference
                if self.headline == "within_pools"
                else pair.differences["pearson"].difference
                for names, pair in pairs.items()
            },
        )

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types."""
        ceiling = {"value": None} if self.ceiling is None else self.ceiling.as_dict()
        return {
            "name": self.name,
            "n_items": self.n_items,
            "n_unscored": self.n_unscored,
            "resampled": self.resampled,
            "n_units": self.n_units,
            "n_resamples": self.n_resamples,
            "has_errors_over_pools": self.has_errors_over_pools,
            "headline": self.headline,
            "tied_with_best": list[JsonValue](self.tied_with_best),
            "ceiling": {**ceiling, "reason": self.ceiling_reason},
            "rows": [
                {
                    **row.as_dict(),
                    "resampled": row.correlations["pearson"].resampled,
                    "correlations": {
                        name: _brief(correlation.as_dict())
                        for name, correlation in row.correlations.items()
                    },
                    "within": {name: value.as_dict() for name, value in within.items()},
                }
                for row, within in zip(self.rows, self.within, strict=True)
            ],
            "differences": list[JsonValue](
                [difference.as_dict() for difference in self.differences]
            ),
        }


def _brief(figures: JsonObject) -> JsonObject:
    """The same without what the report, the subset or the row says once for all."""
    brief: JsonObject = {}
    for name, value in figures.items():
        if name not in _SAID_ONCE:
            brief[name] = _brief(value) if isinstance(value, dict) else value
    return brief
