"""How long it takes until so much more is done, if it goes on as it went so far.

What is done in each hour is taken for a count whose logarithm has a trend and a daily rhythm
[McCullaghNelder1989]. Trend and rhythm are known only as well as the counts tell: the end is drawn
from their posterior. So a campaign that may be wearing off has a late end, or none. People do
several things in one sitting, and rates waver: variances are multiplied by how much more the
counts vary than Poisson counts do, over hours or over longer blocks.
"""

from dataclasses import dataclass

import numpy as np

from scoring.arrays import FloatArray

# Fewer sittings than this foretell nothing.
MIN_SITTINGS = 5
_TAIL = 0.025
_DAY = 24
# Standard deviations of the normal priors of the coefficients: of the trend, by which the log rate
# changes over all hours so far; of cosine and sine of the day, and of half a day.
_PRIOR = np.array([np.inf, 1.0, 1.0, 1.0, 0.5, 0.5])
# By how much the log of a day's level may differ from that of others, which one day cannot tell.
_SD_OF_DAYS = 0.5
# Numbers of blocks over which the counts' variance is looked at, beside single hours.
_BLOCKS = (12, 24)
_MIN_DF = 4.0
_N_DRAWS = 1000
_MAX_STEPS = 50
# A step of Newton's method changes no coefficient by more.
_MAX_STEP = 2.0
# Log rates beyond these are of draws that decide nothing.
_MAX_LOG_RATE = 50.0
# What would come later never comes.
_MAX_DAYS = 3650


@dataclass(frozen=True)
class Pace:
    """Hours until all is done: an interval of at least 95 %, or why there is none.

    Parameters
    ----------
    low, high : float
        Hours from now; nan if there is a reason, infinite if it may never end.
    rate : float
        Events an hour over the last day.
    reason : {"", "few", "stalled"}
        Too few sittings yet, or nothing done in the last day.
    """

    low: float
    high: float
    rate: float
    reason: str = ""


def hours_to_go(hours_ago: FloatArray, *, n_left: int, began_hours_ago: float) -> Pace:
    """Tell when `n_left` more events will have come.

    A rate that has grown does not grow further: it is taken to stay between what it was at the
    beginning and what it is now. One that has fallen goes on falling.

    Parameters
    ----------
    hours_ago : float array, shape (n,)
        How long ago each event was, at least 0.
    n_left : int
        Events that are still to come, at least 1.
    began_hours_ago : float
        Since when they could come.

    Raises
    ------
    ValueError
        If nothing is left to come.

    References
    ----------
    [McCullaghNelder1989] in docs/references.md
    """
    if n_left < 1:
        raise ValueError(f"n_left must be at least 1, not {n_left}")
    nothing = float("nan")
    hours = max(began_hours_ago, 1.0)
    n_lately = int((hours_ago <= _DAY).sum())
    rate = n_lately / min(hours, _DAY)
    if not n_lately and len(hours_ago):
        return Pace(nothing, nothing, rate, "stalled")
    if len(hours_ago) < MIN_SITTINGS:
        return Pace(nothing, nothing, rate, "few")
    fit = _fit(_Hours.of(hours_ago, hours))
    # A dispersion of 15 is that of fifteen in each sitting.
    if len(hours_ago) < MIN_SITTINGS * fit.dispersion:
        return Pace(nothing, nothing, rate, "few")
    # The draws integrate over the posterior: the same events always have the same range.
    ends = _ends(fit, n_left, hours, np.random.default_rng(1))
    low, high = np.quantile(ends, [_TAIL, 1 - _TAIL], method="nearest")
    return Pace(float(low), float(high), rate)


@dataclass(frozen=True, eq=False)
class _Hours:
    """What was done in each hour, the last one ends now; the first may be shorter.

    Parameters
    ----------
    counts, lengths : float array, shape (n,)
    columns : float array, shape (n, 6)
        A constant, the time as a share of T, cosine and sine of the day and of half a day.
    """

    counts: FloatArray
    lengths: FloatArray
    columns: FloatArray

    @classmethod
    def of(cls, hours_ago: FloatArray, hours: float) -> "_Hours":
        ends = np.append(np.arange(np.ceil(hours)), hours)
        counts, _edges = np.histogram(np.clip(hours_ago, 0.0, hours), ends)
        middles = -(ends[:-1] + ends[1:]) / 2
        columns = np.column_stack([np.ones(len(middles)), middles / hours, _rhythm(middles)])
        return cls(counts.astype(np.float64), np.diff(ends), columns)


@dataclass(frozen=True, eq=False)
class _Fit:
    """The posterior of the log rate: normal, its covariance known up to a scale.

    Parameters
    ----------
    estimate : float array, shape (6,)
    root : float array, shape (6, 6)
        A root of the covariance.
    dispersion : float
        At least 1.
    df : float
        Degrees of freedom that the dispersion is from.
    """

    estimate: FloatArray
    root: FloatArray
    dispersion: float
    df: float


def _rhythm(hours: FloatArray) -> FloatArray:
    angle = 2 * np.pi * hours / _DAY
    return np.column_stack([np.cos(angle), np.sin(angle), np.cos(2 * angle), np.sin(2 * angle)])


def _fit(hours: _Hours) -> _Fit:
    """Maximise the posterior; the dispersion that it takes is that of the fit before."""
    dispersion, df = 1.0, np.inf
    for _round in range(3):
        estimate, covariance, means = _estimate(hours, dispersion)
        # The part of the six parameters that the data decide, and not the prior.
        n_free = 6 - float((np.diag(covariance) / _PRIOR**2).sum())
        dispersion, df = _dispersion(hours, means, n_free)
    estimate, covariance, means = _estimate(hours, dispersion)
    root = np.asarray(np.linalg.cholesky(covariance), dtype=np.float64)
    return _Fit(estimate, root, dispersion, df)


def _estimate(hours: _Hours, dispersion: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Newton's method: the estimate, its covariance, and the mean of each hour."""
    x, precision = hours.columns, 1 / _PRIOR**2
    estimate = np.zeros(6)
    estimate[0] = np.log(hours.counts.sum() / hours.lengths.sum())
    for _step in range(_MAX_STEPS):
        means = hours.lengths * np.exp(x @ estimate)
        information = (x * means[:, None]).T @ x / dispersion + np.diag(precision)
        slope = x.T @ (hours.counts - means) / dispersion - precision * estimate
        step = np.linalg.solve(information, slope)
        estimate = estimate + step * min(1.0, _MAX_STEP / max(np.abs(step).max(), 1e-12))
        if np.abs(step).max() < 1e-6:
            break
    return estimate, np.asarray(np.linalg.inv(information), dtype=np.float64), means


def _dispersion(hours: _Hours, means: FloatArray, n_free: float) -> tuple[float, float]:
    """How much more the counts vary than Poisson counts: the most of hours and longer blocks."""
    n = len(means)
    largest, df = 1.0, np.inf
    for n_blocks in (*(k for k in _BLOCKS if k < n), n):
        block = np.arange(n) * n_blocks // n
        counts, expected = np.bincount(block, hours.counts), np.bincount(block, means)
        n_left = max(n_blocks - n_free, _MIN_DF)
        # Not Pearson's sum: an event in an hour of the night would decide alone.
        value = float(((counts - expected) ** 2).sum() / expected.sum()) * n_blocks / n_left
        if value > largest:
            largest, df = value, min(n_left, float(hours.counts.sum()))
    return largest, df


def _ends(fit: _Fit, n_left: int, hours: float, rng: np.random.Generator) -> FloatArray:
    """Draw hours until the end, shape (B,); infinite if the rate falls too fast."""
    scale = np.ones(_N_DRAWS)
    if np.isfinite(fit.df):
        scale = fit.df / rng.chisquare(fit.df, _N_DRAWS)
    normal = rng.standard_normal((_N_DRAWS, len(fit.estimate)))
    draws = fit.estimate + np.sqrt(scale)[:, None] * (normal @ fit.root.T)
    dispersion = fit.dispersion * scale
    needed = dispersion * rng.gamma(n_left / dispersion)
    growth = np.maximum(draws[:, 1], 0)
    level = draws[:, 0] - rng.random(_N_DRAWS) * growth
    level += _SD_OF_DAYS / np.sqrt(max(hours / _DAY, 1.0)) * rng.standard_normal(_N_DRAWS)
    slope = np.minimum(draws[:, 1], 0) / hours
    ahead = np.arange(0.5, _DAY)
    log_rates = level[:, None] + draws[:, 2:] @ _rhythm(ahead).T + slope[:, None] * ahead
    rates = np.exp(np.clip(log_rates, -_MAX_LOG_RATE, _MAX_LOG_RATE))
    ratio = np.exp(np.maximum(_DAY * slope, -_MAX_LOG_RATE))
    return _hours_until(needed, np.cumsum(rates, axis=1), ratio)


def _hours_until(needed: FloatArray, first_day: FloatArray, ratio: FloatArray) -> FloatArray:
    """Hours until so much has come.

    Parameters
    ----------
    needed : float array, shape (B,)
    first_day : float array, shape (B, 24)
        What comes until the end of each of the next 24 hours.
    ratio : float array, shape (B,)
        What comes on each day, divided by what comes on the day before; at most 1.
    """
    of_day = first_day[:, -1]
    is_steady = ratio > 1 - 1e-9
    falling = np.where(is_steady, 0.5, ratio)
    # What the days after the last one would still bring, as a share of all days' without an end.
    left = np.maximum(1 - needed * (1 - falling) / of_day, 0)
    with np.errstate(divide="ignore"):
        days = np.floor(np.where(is_steady, needed / of_day, np.log(left) / np.log(falling)))
    ends = days <= _MAX_DAYS
    days = np.where(ends, days, 0)
    share = falling**days
    done = of_day * np.where(is_steady, days, (1 - share) / (1 - falling))
    rest = (needed - done) / np.where(is_steady, 1, share)
    hour = np.minimum((first_day <= rest[:, None]).sum(axis=1), _DAY - 1)
    until = np.column_stack([np.zeros(len(rest)), first_day])
    rows = np.arange(len(rest))
    in_hour = np.maximum(until[rows, hour + 1] - until[rows, hour], np.finfo(np.float64).tiny)
    part = np.clip(rest - until[rows, hour], 0, in_hour) / in_hour
    return np.where(ends, _DAY * days + hour + part, np.inf)
