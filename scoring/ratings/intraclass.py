"""Intraclass correlation: what share of the ratings' variance is between the units.

Six coefficients of Shrout and Fleiss [ShroutFleiss1979], from their mean squares:

- (1,1), (1,k): stacks. Who rated is not told apart, so a unit's ratings are its only order.
- (2,1), (2,k): every annotator rated every unit; annotators are a sample of those there could be,
  so that their levels count as disagreement. McGraw and Wong's ICC(A,.) [McGrawWong1996].
- (3,1), (3,k): the same, annotators being the only ones of interest, whose levels do not count.
  ICC(C,.).

The second place says of what: one rating, or the mean of k.

Symbols: n units; k ratings of each; MSB, MSW mean squares between and within units; MSJ that
between annotators (judges); MSE what remains.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from scoring.arrays import FloatArray
from scoring.groups import ROUNDING
from scoring.jackknife import JackknifeInterval
from scoring.json_values import JsonObject, json_number
from scoring.ratings.ratings import Ratings, stack_moments
from shell.messages import Message
from shell.messages import message as _

Kind: TypeAlias = Literal["1,1", "1,k", "2,1", "2,k", "3,1", "3,k"]

KINDS: dict[Kind, Message] = {
    "1,1": _("a single rating of an item by any annotator"),
    "1,k": _("the mean of k ratings of an item by any annotators"),
    "2,1": _("a single rating, annotators as a random sample (absolute agreement)"),
    "2,k": _("the mean of k ratings, annotators as a random sample (absolute agreement)"),
    "3,1": _("a single rating, annotators fixed (consistency)"),
    "3,k": _("the mean of k ratings, annotators fixed (consistency)"),
}


@dataclass(frozen=True, eq=False)
class IntraclassCorrelation:
    """One of the six coefficients.

    Parameters
    ----------
    kind : str
        Which one, a key of `KINDS`.
    value : float
        The coefficient, at most 1; below 0 where units differ less than their ratings; nan where
        undefined.
    k : float
        Ratings per unit. Where stacks differ in size, (m - sum n_u^2 / m) / (n - 1) of n stacks
        of n_u, m in all, which lies a little below their mean size [Donner1986].
    n_units : int
        Units counted: those with at least two ratings.
    n_left_out : int
        Units with fewer.
    f, df1, df2, p : float
        F test of no difference between units; one-sided. f is inf where ratings of a unit never
        differ.
    low, high : float
        95 % confidence interval by the F distribution, for normal ratings of people who are alike;
        an approximation where stacks differ in size.
    reason : Message or None
        Why there is no coefficient.
    is_incomplete : bool
        Whether there is none because an annotator has not rated every unit exactly once.
    interval : JackknifeInterval or None
        Interval over people, and items or pools; None if it was not asked for.
    """

    kind: Kind
    value: float
    k: float
    n_units: int
    n_left_out: int
    f: float = float("nan")
    df1: float = float("nan")
    df2: float = float("nan")
    p: float = float("nan")
    low: float = float("nan")
    high: float = float("nan")
    reason: Message | None = None
    is_incomplete: bool = False
    interval: JackknifeInterval | None = None

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return _(
            "ICC(%(kind)s) [ShroutFleiss1979]: reliability of %(what)s.",
            kind=self.kind,
            what=KINDS[self.kind],
        )

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition; the value is named icc."""
        return {
            "definition": self.definition,
            "kind": self.kind,
            "icc": json_number(self.value),
            "reason": self.reason,
            "low": json_number(self.low),
            "high": json_number(self.high),
            "interval": None if self.interval is None else self.interval.as_dict(),
            "f": json_number(self.f),
            "df1": json_number(self.df1),
            "df2": json_number(self.df2),
            "p": json_number(self.p),
            "k": json_number(self.k),
            "n_units": self.n_units,
            "n_left_out": self.n_left_out,
        }


def intraclass_correlation(ratings: Ratings, *, kind: Kind) -> IntraclassCorrelation:
    """Compute one of the six intraclass correlations.

    Parameters
    ----------
    ratings : Ratings
        m ratings. Units with a single rating are left out: they say nothing of how ratings of one
        unit differ, and many of them would make k that of no stack. Units and annotators without
        ratings do not count.
    kind : {"1,1", "1,k", "2,1", "2,k", "3,1", "3,k"}
        Which coefficient; see `KINDS`.

    Returns
    -------
    IntraclassCorrelation
        Its value is nan, with the reason, if there are fewer than two units with two ratings, if
        all ratings are equal, or, for (2,.) and (3,.), if an annotator has not rated every unit
        exactly once; also if the variance that it would be a share of is estimated as 0 or less.

    Raises
    ------
    ValueError
        If the kind is unknown.

    References
    ----------
    [ShroutFleiss1979], [McGrawWong1996], [Donner1986] in docs/references.md
    """
    if kind not in get_args(Kind):
        raise ValueError(f"kind must be one of {', '.join(get_args(Kind))}, not {kind!r}")

    per_unit = ratings.answers_per_unit()
    n_left_out = int((per_unit < 2).sum())
    n = ratings.n_units - n_left_out
    stacked = ratings.of_rows(per_unit[ratings.unit] >= 2)
    reason, is_incomplete = _why_undefined(stacked, n), False
    if reason is None and kind[0] != "1":
        reason = _why_incomplete(stacked)
        is_incomplete = reason is not None
    if reason is not None:
        size = _mean_size(stacked)
        return IntraclassCorrelation(
            kind, np.nan, size, n, n_left_out, reason=reason, is_incomplete=is_incomplete
        )
    if kind[0] == "1":
        return _one_way(stacked, kind, n_left_out)
    return two_way(complete_table(stacked), kind, n_left_out)


def _why_undefined(stacked: Ratings, n: int) -> Message | None:
    if n == 0:
        return _("no item has two ratings")
    if n == 1:
        return _("only one item has two ratings, so items cannot be compared")
    if (stacked.value == stacked.value[0]).all():
        return _("all ratings are equal, so there is no variance")
    return None


def _why_incomplete(stacked: Ratings) -> Message | None:
    """Say which annotator has not rated which unit exactly once."""
    units, row = np.unique(stacked.unit, return_inverse=True)
    people, column = np.unique(stacked.annotator, return_inverse=True)
    cells = row * len(people) + column
    _cells, n_in_cell = np.unique(cells, return_counts=True)
    if (n_in_cell > 1).any():
        j = int(stacked.repeats()[1][0])
        return _(
            "ICC(2,.) and ICC(3,.) need exactly one rating of every item by every annotator, "
            "but annotator %(annotator)s rated item %(unit)s more than once",
            annotator=str(stacked.annotator[j]),
            unit=str(stacked.unit[j]),
        )
    if len(cells) < len(units) * len(people):
        # Found by counting, so that a sparse table of many units and people is never made.
        person = int((np.bincount(column) < len(units)).argmax())
        rated = np.zeros(len(units), dtype=np.bool_)
        rated[row[column == person]] = True
        return _(
            "ICC(2,.) and ICC(3,.) need exactly one rating of every item by every annotator, "
            "but annotator %(annotator)s did not rate item %(unit)s",
            annotator=str(people[person]),
            unit=str(units[int((~rated).argmax())]),
        )
    return None


def _mean_size(stacked: Ratings) -> float:
    """Ratings per unit as they count in the mean squares; nan below two units."""
    sizes = stacked.answers_per_unit()
    sizes = sizes[sizes > 0]
    if len(sizes) < 2:
        return float("nan")
    total = int(sizes.sum())
    return float((total - (sizes**2).sum() / total) / (len(sizes) - 1))


def _one_way(stacked: Ratings, kind: Kind, n_left_out: int) -> IntraclassCorrelation:
    stacks = stack_moments(stacked)
    sizes, means = stacks.n[stacks.n > 0], stacks.mean[stacks.n > 0]
    n, k = len(sizes), _mean_size(stacked)
    df1, df2 = n - 1, len(stacked.value) - n
    of_units = _without_rounding(means - stacked.value.mean(), stacked.value)
    between = float((sizes * of_units**2).sum()) / df1
    within = float(stacks.sum_of_squares.sum()) / df2
    variance = between + (k - 1) * within if kind == "1,1" else between
    value = _share_of(between - within, variance)
    # Exact for stacks of one size.
    limits = _limits(between, within, df1, df2)
    return _coefficient(
        kind, value, k, n, n_left_out, f=_divide(between, within), df=(df1, df2), limits=limits
    )


def two_way(table: FloatArray, kind: Kind, n_left_out: int = 0) -> IntraclassCorrelation:
    """ICC(2,.) or ICC(3,.) of a complete table of units and people, shape (n, k)."""
    n, k = table.shape
    df1, df2 = n - 1, (n - 1) * (k - 1)
    grand_mean = table.mean()
    of_units = _without_rounding(table.mean(axis=1) - grand_mean, table)
    of_judges = _without_rounding(table.mean(axis=0) - grand_mean, table)
    residuals = _without_rounding(table - grand_mean - of_units[:, None] - of_judges, table)
    between = k * float((of_units**2).sum()) / df1
    judges = n * float((of_judges**2).sum()) / (k - 1)
    error = float((residuals**2).sum()) / df2

    f = _divide(between, error)
    limits = _limits(between, error, df1, df2)
    if kind[0] == "3":
        value = _share_of(between - error, between + (k - 1) * error if kind == "3,1" else between)
        return _coefficient(kind, value, k, n, n_left_out, f=f, df=(df1, df2), limits=limits)

    of_levels = (judges - error) / n
    single = _share_of(between - error, between + (k - 1) * error + k * of_levels)
    value = single if kind == "2,1" else _share_of(between - error, between + of_levels)
    low, high = _limits_of_agreement(single, between, judges, error, n=n, k=k)
    if kind == "2,k":
        low, high = _stepped_up(low, k), _stepped_up(high, k)
    return _coefficient(
        kind, value, k, n, n_left_out, f=f, df=(df1, df2), limits=(low, high), is_done=True
    )


def _coefficient(
    kind: Kind,
    value: float,
    k: float,
    n: int,
    n_left_out: int,
    *,
    f: float,
    df: tuple[int, int],
    limits: tuple[float, float],
    is_done: bool = False,
) -> IntraclassCorrelation:
    """Put a coefficient together; `limits` are those of F unless `is_done`."""
    from scipy.special import fdtrc  # noqa: PLC0415 - loaded only where it is needed

    if np.isnan(value):
        reason = _("the total variance is estimated as 0")
        return IntraclassCorrelation(kind, value, k, n, n_left_out, reason=reason)
    if is_done:
        low, high = limits
    elif kind.endswith("1"):
        low, high = _single(limits[0], k), _single(limits[1], k)
    else:
        low, high = 1 - _divide(1.0, limits[0]), 1 - _divide(1.0, limits[1])
    p = 0.0 if np.isinf(f) else float(fdtrc(*df, f))
    return IntraclassCorrelation(
        kind, value, k, n, n_left_out, f, float(df[0]), float(df[1]), p, low, high
    )


def _limits(between: float, error: float, df1: int, df2: int) -> tuple[float, float]:
    """95 % limits of the ratio of the expected mean squares."""
    from scipy.special import fdtri  # noqa: PLC0415 - loaded only where it is needed

    f = _divide(between, error)
    return f / float(fdtri(df1, df2, 0.975)), f * float(fdtri(df2, df1, 0.975))


def _limits_of_agreement(
    single: float, between: float, judges: float, error: float, *, n: int, k: int
) -> tuple[float, float]:
    """95 % limits of ICC(2,1), with Satterthwaite's degrees of freedom [McGrawWong1996]."""
    from scipy.special import fdtri  # noqa: PLC0415 - loaded only where it is needed

    # The printed formula is multiplied through by MSE^2, which may be 0.
    a = k * single * judges
    b = (n * (1 + (k - 1) * single) - k * single) * error
    denominator = (n - 1) * a**2 + b**2
    if not denominator > 0:
        return single, single
    v = (n - 1) * (k - 1) * (a + b) ** 2 / denominator
    upper, lower = float(fdtri(n - 1, v, 0.975)), float(fdtri(v, n - 1, 0.975))
    noise = k * judges + (k * n - k - n) * error
    return (
        _divide(n * (between - upper * error), upper * noise + n * between),
        _divide(n * (lower * between - error), noise + n * lower * between),
    )


def complete_table(complete: Ratings) -> FloatArray:
    """Ratings of a complete table, shape (n, k)."""
    in_order = np.lexsort((complete.annotator, complete.unit))
    n_units = len(np.unique(complete.unit))
    table: FloatArray = complete.value[in_order].reshape(n_units, -1)
    return table


def _without_rounding(deviations: FloatArray, values: FloatArray) -> FloatArray:
    """The deviations of these values from a mean, those that are only rounding as 0."""
    return np.where(np.abs(deviations) <= ROUNDING * np.abs(values).max(), 0.0, deviations)


def _share_of(part: float, variance: float) -> float:
    """The part's share of a variance; nan if its estimate is not above 0."""
    # An estimate is a difference of mean squares: it may be 0, or below, of ratings that differ
    # within units but not between them; a share of that can come out above 1. A variance that the
    # part is billions of times as large as is such a 0, but for rounding.
    return part / variance if variance > ROUNDING * abs(part) else float("nan")


def _stepped_up(single: float, k: int) -> float:
    """Reliability of the mean of k ratings from that of one [Spearman1910] [Brown1910]."""
    denominator = 1 + (k - 1) * single
    return k * single / denominator if denominator > 0 else -np.inf


def _single(f: float, k: float) -> float:
    """The intraclass correlation of one rating that goes with a ratio of mean squares."""
    return 1.0 if np.isinf(f) else _divide(f - 1, f + k - 1)


def _divide(numerator: float, denominator: float) -> float:
    """The quotient; inf over 0, nan for 0 over 0."""
    if denominator == 0:
        return float("nan") if numerator == 0 else float(np.copysign(np.inf, numerator))
    return numerator / denominator
