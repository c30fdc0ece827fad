"""People's scores and measures that the tests of a report have in common."""

import numpy as np

from scoring.baselines import report as reports

COEFFICIENTS = ("pearson", "spearman", "kendall")


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def lopsided(n: int = 60, *, seed: int = 3) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """People's scores, and measures that follow them more and less closely, with ties."""
    draw = np.random.default_rng(seed)
    human = draw.exponential(size=n).round(1)
    return human, {
        "close": human + 0.5 * draw.normal(size=n),
        "far": human + 2 * draw.normal(size=n),
        "tied": (human + draw.normal(size=n)).round(),
    }


def bounds_of(report: reports.BaselineReport) -> dict[tuple[str, ...], float]:
    return {
        (subset.name, row.measure, coefficient, method): interval.low
        for subset in report.subsets
        for row in subset.rows
        for coefficient, found in row.correlations.items()
        for method, interval in found.intervals.items()
    }
