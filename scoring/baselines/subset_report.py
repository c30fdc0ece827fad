"""One subset of the items: how closely each measure follows people's scores, and who is closer.

Symbols: n items, k measures.
"""

import math
from dataclasses import dataclass, replace
from itertools import combinations
from typing import get_args

import numpy as np
import numpy.typing as npt

from scoring.arrays import FloatArray, IntArray
from scoring.baselines.overlaps import Overlaps
from scoring.baselines.resampled import MAX_ITEMS_OF_KENDALL, Resamples
from scoring.baselines.subset_figures import Headline, MeasureDifference, SubsetReport
from scoring.bootstrap import METHODS, MIN_POOLS, BootstrapMethod, Interval
from scoring.correlation import pearson
from scoring.distributions import NO_TAILS, student_tails
from scoring.measures.comparison import Correlation, shared_pools, without_resamples
from scoring.measures.correlation_tests import (
    CorrelationTest,
    DependentTest,
    DifferenceTest,
    compare_dependent,
)
from scoring.measures.differences import (
    CorrelationDifference,
    difference_over_units,
    no_difference,
    without_correlation,
)
from scoring.measures.holm import holm
from scoring.measures.leaderboard import LeaderboardRow
from scoring.measures.noise_ceiling import NoiseCeiling
from scoring.measures.pool_spread import too_few_pools
from scoring.measures.weighted_correlation import Coefficient
from scoring.measures.within_pools import (
    PoolCoefficient,
    PoolCorrelation,
    PoolDifference,
    compare_within_pools,
    correlate_within_pools,
)
from shell.messages import Message, ngettext
from shell.messages import message as _

# Items that the tests of two correlations take: they divide by n - 3.
MIN_ITEMS_OF_TEST = 4

TOO_SLOW = _(
    "Kendall's tau-b has no interval for more than %(most)s items, because resampling "
    "would take too long",
    most=MAX_ITEMS_OF_KENDALL,
)


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
    level, n_resamples, test, rng, are_relative
        As in `scoring.baselines.report.baseline_report`.
    """

    name: str
    measures: list[str]
    human: FloatArray
    columns: FloatArray
    pools: npt.NDArray[np.generic] | None
    level: float
    n_resamples: int
    test: DifferenceTest
    rng: np.random.Generator | None
    are_relative: bool

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
                coefficient: self._correlation(overlaps, resamples, pools, measure, coefficient)
                for coefficient in get_args(Coefficient)
            }
            rows.append(LeaderboardRow(name, self.name, n, n_items - n, correlations))
        differences = []
        for first, second in combinations(range(len(self.measures)), 2):
            n = overlaps.n_of(first, second)
            between = self._between(overlaps, first, second)
            by_coefficient = {
                coefficient: self._difference(overlaps, pools, first, second, coefficient)
                for coefficient in get_args(Coefficient)
            }
            differences.append(
                MeasureDifference(
                    self.measures[first],
                    self.measures[second],
                    n,
                    n_items - n,
                    _jackknife_test(by_coefficient["pearson"])
                    if self.test == "jackknife"
                    else self._test(overlaps, first, second, between, self.test),
                    by_coefficient,
                    between,
                    self._difference_within(human, columns[[first, second]], pools),
                )
            )
        is_within = self.are_relative and _are_several(pools)
        headline: Headline = "within_pools" if is_within else "all_items"
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
            [self._within(human, column, pools) for column in columns],
            _corrected(differences, headline),
            headline,
            has_errors_over_pools=shared_pools(pools) is not None,
        )

    def _within(
        self, human: FloatArray, column: FloatArray, pools: npt.NDArray[np.generic] | None
    ) -> dict[PoolCoefficient, PoolCorrelation]:
        if pools is None or not _are_several(pools):
            return {}
        return {
            name: correlate_within_pools(human, column, pools, coefficient=name, level=self.level)
            for name in get_args(PoolCoefficient)
        }

    def _difference_within(
        self, human: FloatArray, pair: FloatArray, pools: npt.NDArray[np.generic] | None
    ) -> dict[PoolCoefficient, PoolDifference]:
        if pools is None or not _are_several(pools):
            return {}
        return {
            name: compare_within_pools(
                human, pair[0], pair[1], pools, coefficient=name, level=self.level
            )
            for name in get_args(PoolCoefficient)
        }

    def _resamples(
        self, overlaps: Overlaps, pools: npt.NDArray[np.generic] | None
    ) -> Resamples | None:
        if self.rng is None or self.n_resamples == 0 or not overlaps.together:
            return None
        return overlaps.resample(
            pools,
            coefficients=self._resampled_coefficients(overlaps),
            n_resamples=self.n_resamples,
            rng=self.rng,
        )

    def _resampled_coefficients(self, overlaps: Overlaps) -> list[Coefficient]:
        is_slow = len(overlaps.human) > MAX_ITEMS_OF_KENDALL
        return [c for c in get_args(Coefficient) if c != "kendall" or not is_slow]

    def _correlation(
        self,
        overlaps: Overlaps,
        resamples: Resamples | None,
        pools: npt.NDArray[np.generic] | None,
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
        has_value = overlaps.mask(measure, measure)
        pool = None if pools is None else shared_pools(pools[has_value])
        correlation = without_resamples(
            overlaps.human[has_value],
            overlaps.columns[measure, has_value],
            pool,
            coefficient=coefficient,
            level=self.level,
            n_missing=n_missing,
            value_and_p=overlaps.value_and_p(measure, measure, measure, coefficient),
        )
        if resamples is None:
            return correlation
        group = overlaps.number_of(measure, measure)
        resampled = resamples.bootstraps[group, measure, "pearson"].resampled
        if pool is not None and resampled == "items":
            return replace(correlation, intervals=correlation.intervals | self._too_few(pool))
        n_undefined, drawn = 0, self._too_slow()
        if bootstrap := resamples.bootstraps.get((group, measure, coefficient)):
            n_undefined = bootstrap.n_undefined
            drawn = {
                method: bootstrap.interval(method, level=self.level)
                for method in get_args(BootstrapMethod)
            }
        return replace(
            correlation,
            intervals=correlation.intervals | drawn,
            n_resamples=self.n_resamples,
            resampled=resampled,
            n_undefined=n_undefined,
        )

    def _difference(
        self,
        overlaps: Overlaps,
        pools: npt.NDArray[np.generic] | None,
        first: int,
        second: int,
        coefficient: Coefficient,
    ) -> CorrelationDifference:
        n = overlaps.n_of(first, second)
        n_missing = len(self.human) - n
        if reason := self._why_undefined(overlaps, first, second):
            return no_difference(coefficient, reason, self.level, n, n_missing)
        coefficients = self._resampled_coefficients(overlaps)
        left_out = overlaps.leave_out(pools, first, second, coefficients=coefficients)
        value_a, value_b = (
            overlaps.value_and_p(first, second, measure, coefficient)[0]
            for measure in (first, second)
        )
        if coefficient not in coefficients:
            nothing = no_difference(coefficient, TOO_SLOW, self.level, n, n_missing)
            return replace(
                nothing, first=value_a, second=value_b, difference=value_a - value_b, reason=None
            )
        return difference_over_units(
            (value_a, value_b),
            (left_out.without[first, coefficient], left_out.without[second, coefficient]),
            coefficient=coefficient,
            level=self.level,
            left_out=left_out.left_out,
            n=n,
            n_missing=n_missing,
        )

    def _between(self, overlaps: Overlaps, first: int, second: int) -> float:
        if self._why_undefined(overlaps, first, second):
            return math.nan
        has_both = overlaps.mask(first, second)
        return float(
            pearson(overlaps.columns[first, has_both], overlaps.columns[second, has_both])
        )

    def _test(
        self, overlaps: Overlaps, first: int, second: int, between: float, test: DependentTest
    ) -> CorrelationTest:
        n = overlaps.n_of(first, second)
        reason = self._why_undefined(overlaps, first, second)
        if not reason and n < MIN_ITEMS_OF_TEST:
            reason = too_few_to_test(n)
        if reason:
            return CorrelationTest(test, math.nan, *NO_TAILS, reason=reason)
        r12, r13 = (
            overlaps.value_and_p(first, second, measure, "pearson")[0]
            for measure in (first, second)
        )
        return compare_dependent(r12, r13, between, n, test=test)

    def _why_undefined(self, overlaps: Overlaps, first: int, second: int) -> Message | None:
        for measure in (first, second):
            if reason := overlaps.why_undefined(first, second, measure):
                return without_correlation(self.measures[measure], reason)
        return None

    def _too_few(self, pool: IntArray) -> dict[str, Interval]:
        reason = too_few_pools(int(pool.max()) + 1, least=MIN_POOLS)
        return {
            method: Interval(math.nan, math.nan, method, self.level, reason) for method in METHODS
        }

    def _too_slow(self) -> dict[str, Interval]:
        return {
            method: Interval(math.nan, math.nan, method, self.level, TOO_SLOW)
            for method in METHODS
        }


def _jackknife_test(difference: CorrelationDifference) -> CorrelationTest:
    reason = difference.reason or difference.interval.reason
    t, df = difference.statistic, difference.df
    tails = NO_TAILS if df is None else student_tails(t, df)
    return CorrelationTest(
        "jackknife", t, difference.p_value, tails.lower, tails.upper, df, reason
    )


def _corrected(
    differences: list[MeasureDifference], headline: Headline
) -> list[MeasureDifference]:
    """The differences with the p of the headline, and that corrected for all of them."""
    p_values = [
        pair.within["pearson"].p_value if headline == "within_pools" else pair.test.p_two_sided
        for pair in differences
    ]
    return [
        replace(pair, p_value=p, p_corrected=corrected)
        for pair, p, corrected in zip(differences, p_values, holm(p_values).tolist(), strict=True)
    ]


def _are_several(pools: npt.NDArray[np.generic] | None) -> bool:
    """Whether there are several pools, and one of them with several items."""
    if pools is None:
        return False
    sizes = np.unique(pools, return_counts=True)[1]
    return len(sizes) > 1 and int(sizes.max()) > 1


def too_few_to_test(n: int) -> Message:
    """Why correlations of so few items are not compared."""
    return ngettext(
        "there is only %(n)s item, but the test needs %(least)s",
        "there are only %(n)s items, but the test needs %(least)s",
        "n",
        n=n,
        least=MIN_ITEMS_OF_TEST,
    )
