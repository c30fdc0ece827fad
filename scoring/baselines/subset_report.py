"""One subset of the items: how closely each measure follows people's scores, and who is closer.

Symbols: n items, k measures.
"""

import math
from dataclasses import dataclass
from itertools import combinations
from typing import get_args

import numpy as np
import numpy.typing as npt

from scoring.arrays import FloatArray
from scoring.baselines.overlaps import Overlaps
from scoring.baselines.resampled import MAX_ITEMS_OF_KENDALL, Resamples, difference
from scoring.bootstrap import METHODS, BootstrapMethod, Interval, Unit
from scoring.correlation import pearson
from scoring.distributions import NO_TAILS
from scoring.json_values import JsonObject, json_number
from scoring.measures.comparison import Correlation, fisher_interval
from scoring.measures.correlation_tests import CorrelationTest, DependentTest, compare_dependent
from scoring.measures.differences import (
    CorrelationDifference,
    settled_at_0,
    share_beyond_0,
    without_correlation,
)
from scoring.measures.leaderboard import LeaderboardRow
from scoring.measures.noise_ceiling import NoiseCeiling
from scoring.measures.weighted_correlation import Coefficient
from shell.messages import Message, ngettext
from shell.messages import message as _

# Items that the tests of two correlations take: they divide by n - 3.
MIN_ITEMS_OF_TEST = 4

_SAID_ONCE = {
    *("definition", "coefficient", "method", "level"),
    *("n", "n_missing", "n_resamples", "resampled"),
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
        By coefficient, with the paired bootstrap; each says what was resampled for it.
    between : float
        Pearson's correlation of the measures with each other on these items; nan where undefined.
    """

    first: str
    second: str
    n: int
    n_missing: int
    test: CorrelationTest
    differences: dict[Coefficient, CorrelationDifference]
    between: float

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types."""
        return {
            "first": self.first,
            "second": self.second,
            "n": self.n,
            "n_missing": self.n_missing,
            "resampled": self.differences["pearson"].resampled,
            "between": json_number(self.between),
            "test": _brief(self.test.as_dict()),
            "differences": {
                name: _brief(difference.as_dict()) for name, difference in self.differences.items()
            },
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
    differences : list of MeasureDifference
        Of every two measures, in their order.
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
    differences: list[MeasureDifference]

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
            "ceiling": {**ceiling, "reason": self.ceiling_reason},
            "rows": [
                {
                    **row.as_dict(),
                    "resampled": row.correlations["pearson"].resampled,
                    "correlations": {
                        name: _brief(correlation.as_dict())
                        for name, correlation in row.correlations.items()
                    },
                }
                for row in self.rows
            ],
            "differences": [difference.as_dict() for difference in self.differences],
        }


@dataclass(frozen=True, eq=False)
class Subset:
    """What the report of one subset is computed from.

    Parameters
    ----------
    name : str
    measures : list of k str
    human : float array, shape (n,)
        Of the subset's items; nan where missing.
    columns : float array, shape (k, n)
        Values of the measures; nan where missing.
    pools : array, shape (n,), or None
    level, n_resamples, test, rng
        As in `scoring.baselines.report.baseline_report`.
    """

    name: str
    measures: list[str]
    human: FloatArray
    columns: FloatArray
    pools: npt.NDArray[np.generic] | None
    level: float
    n_resamples: int
    test: DependentTest
    rng: np.random.Generator | None

    def report(self, ceiling: NoiseCeiling | None, ceiling_reason: Message | None) -> SubsetReport:
        """Correlate every measure, and compare every two, on the items that have them."""
        is_scored = ~np.isnan(self.human)
        human, columns = self.human[is_scored], self.columns[:, is_scored]
        n_items = len(self.human)
        pools = None if self.pools is None else self.pools[is_scored]
        overlaps = Overlaps(human, columns)
        resamples = self._resamples(overlaps, pools)
        rows = []
        for measure, name in enumerate(self.measures):
            n = overlaps.n_of(measure, measure)
            correlations = {
                coefficient: self._correlation(overlaps, resamples, measure, coefficient)
                for coefficient in get_args(Coefficient)
            }
            rows.append(LeaderboardRow(name, self.name, n, n_items - n, correlations))
        differences = []
        for first, second in combinations(range(len(self.measures)), 2):
            n = overlaps.n_of(first, second)
            between = self._between(overlaps, first, second)
            differences.append(
                MeasureDifference(
                    self.measures[first],
                    self.measures[second],
                    n,
                    n_items - n,
                    self._test(overlaps, first, second, between),
                    {
                        coefficient: self._difference(
                            overlaps, resamples, first, second, coefficient
                        )
                        for coefficient in get_args(Coefficient)
                    },
                    between,
                )
            )
        return SubsetReport(
            self.name,
            n_items,
            n_items - len(human),
            resamples.resampled if resamples else None,
            resamples.n_units if resamples else 0,
            self.n_resamples if resamples else 0,
            ceiling,
            ceiling_reason,
            rows,
            differences,
        )

    def _resamples(
        self, overlaps: Overlaps, pools: npt.NDArray[np.generic] | None
    ) -> Resamples | None:
        if self.rng is None or self.n_resamples == 0 or not overlaps.together:
            return None
        is_slow = len(overlaps.human) > MAX_ITEMS_OF_KENDALL
        return overlaps.resample(
            pools,
            coefficients=[c for c in get_args(Coefficient) if c != "kendall" or not is_slow],
            n_resamples=self.n_resamples,
            rng=self.rng,
        )

    def _correlation(
        self,
        overlaps: Overlaps,
        resamples: Resamples | None,
        measure: int,
        coefficient: Coefficient,
    ) -> Correlation:
        n = overlaps.n_of(measure, measure)
        n_missing = len(self.human) - n
        reason = overlaps.why_undefined(measure, measure, measure)
        if reason:
            none = {
                method: Interval(math.nan, math.nan, method, self.level, reason)
                for method in ("fisher", *(METHODS if self.n_resamples else ()))
            }
            return Correlation(coefficient, math.nan, n, math.nan, none, n_missing, reason=reason)
        value, p_value = overlaps.value_and_p(measure, measure, measure, coefficient)
        intervals = {
            "fisher": fisher_interval(value, n, coefficient=coefficient, level=self.level)
        }
        n_undefined, resampled = 0, None
        if resamples is not None:
            key = overlaps.number_of(measure, measure), measure, coefficient
            resampled = resamples.bootstraps[key[0], measure, "pearson"].resampled
            if key in resamples.bootstraps:
                drawn = resamples.bootstraps[key]
                n_undefined = drawn.n_undefined
                for method in get_args(BootstrapMethod):
                    intervals[method] = drawn.interval(method, level=self.level)
            else:
                intervals |= self._too_slow()
        return Correlation(
            coefficient,
            value,
            n,
            p_value,
            intervals,
            n_missing,
            self.n_resamples if resamples else 0,
            resampled,
            n_undefined,
        )

    def _difference(
        self,
        overlaps: Overlaps,
        resamples: Resamples | None,
        first: int,
        second: int,
        coefficient: Coefficient,
    ) -> CorrelationDifference:
        n = overlaps.n_of(first, second)
        n_missing = len(self.human) - n
        if reason := self._why_undefined(overlaps, first, second):
            none = {
                method: Interval(math.nan, math.nan, method, self.level, reason)
                for method in (METHODS if self.n_resamples else ())
            }
            return CorrelationDifference(
                coefficient,
                *(math.nan, math.nan, math.nan, math.nan),
                none,
                n,
                n_missing,
                0,
                reason=reason,
                p_reason=reason,
            )
        value_a, value_b = (
            overlaps.value_and_p(first, second, measure, coefficient)[0]
            for measure in (first, second)
        )
        intervals: dict[str, Interval] = {}
        p_value, p_reason, n_undefined, resampled = math.nan, None, 0, None
        if resamples is not None:
            group = overlaps.number_of(first, second)
            resampled = resamples.bootstraps[group, first, "pearson"].resampled
            if (group, first, coefficient) in resamples.bootstraps:
                drawn = difference(
                    resamples.bootstraps[group, first, coefficient],
                    resamples.bootstraps[group, second, coefficient],
                )
                p_value, p_reason = share_beyond_0(drawn), drawn.why_undefined()
                n_undefined = drawn.n_undefined
                for method in get_args(BootstrapMethod):
                    intervals[method] = drawn.interval(method, level=self.level)
            else:
                intervals = self._too_slow()
                p_reason = intervals["bca"].reason
        return CorrelationDifference(
            coefficient,
            value_a,
            value_b,
            float(settled_at_0(np.asarray(value_a - value_b))),
            p_value,
            intervals,
            n,
            n_missing,
            self.n_resamples if resamples else 0,
            resampled,
            n_undefined,
            p_reason=p_reason,
        )

    def _between(self, overlaps: Overlaps, first: int, second: int) -> float:
        if self._why_undefined(overlaps, first, second):
            return math.nan
        has_both = overlaps.mask(first, second)
        return float(
            pearson(overlaps.columns[first, has_both], overlaps.columns[second, has_both])
        )

    def _test(
        self, overlaps: Overlaps, first: int, second: int, between: float
    ) -> CorrelationTest:
        n = overlaps.n_of(first, second)
        reason = self._why_undefined(overlaps, first, second)
        if not reason and n < MIN_ITEMS_OF_TEST:
            reason = too_few_to_test(n)
        if reason:
            return CorrelationTest(self.test, math.nan, *NO_TAILS, reason=reason)
        r12, r13 = (
            overlaps.value_and_p(first, second, measure, "pearson")[0]
            for measure in (first, second)
        )
        return compare_dependent(r12, r13, between, n, test=self.test)

    def _why_undefined(self, overlaps: Overlaps, first: int, second: int) -> Message | None:
        for measure in (first, second):
            if reason := overlaps.why_undefined(first, second, measure):
                return without_correlation(self.measures[measure], reason)
        return None

    def _too_slow(self) -> dict[str, Interval]:
        reason = _(
            "Kendall's tau-b has no interval for more than %(most)s items, because resampling "
            "would take too long",
            most=MAX_ITEMS_OF_KENDALL,
        )
        return {
            method: Interval(math.nan, math.nan, method, self.level, reason) for method in METHODS
        }


def too_few_to_test(n: int) -> Message:
    """Why correlations of so few items are not compared."""
    return ngettext(
        "there is only %(n)s item, but the test needs %(least)s",
        "there are only %(n)s items, but the test needs %(least)s",
        "n",
        n=n,
        least=MIN_ITEMS_OF_TEST,
    )


def _brief(figures: JsonObject) -> JsonObject:
    """The same without what the report, the subset or the row says once for all."""
    brief: JsonObject = {}
    for name, value in figures.items():
        if name not in _SAID_ONCE:
            brief[name] = _brief(value) if isinstance(value, dict) else value
    return brief
