"""Generalizability study of ratings: how much of their variance is of items, people and error.

And a decision study: how reliable the mean ratings would be with other numbers of raters. Two
coefficients say so [Cronbach1972] [Brennan2001]. The relative one (G, or E rho^2) is about
differences between items that the same people rate, so that people's levels cancel out. The
absolute one (Phi) is about the scores themselves, or about items that other people rate.

Symbols: var(i), var(p) variances of items and people; var(e) that of the residual; k raters.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.jackknife import JackknifeInterval
from scoring.json_values import JsonObject, JsonValue, json_number
from scoring.ratings.generalizability_interval import coefficient_interval
from scoring.ratings.ratings import Ratings
from scoring.ratings.variance_components import (
    CrossedRatings,
    crossed_ratings,
    shares_of,
    why_without_components,
)
from scoring.unit_interval import check_pool
from shell.messages import Message, joined
from shell.messages import message as _

Kind: TypeAlias = Literal["relative", "absolute"]

KINDS: Mapping[Kind, Message] = {
    "relative": _("of the differences between items that the same people rate (G)"),
    "absolute": _("of the scores, and of items that other people rate (Phi)"),
}
# Rows of the decision study.
MAX_ROWS = 20
# More raters than this are no plan.
MAX_RATERS = 1000
# Coefficients for which `as_dict` says how many raters are enough.
TARGETS = (0.7, 0.8, 0.9)

_COMPONENTS = _(
    "Variance components of a model in which items and people are random [Cronbach1972]."
    " The residual is the interaction of items and people, and error."
)
_COMPLETE = _("They are estimated by the analysis of variance [Brennan2001].")
_INCOMPLETE = _(
    "Not everybody rated every item, so they are estimated by Henderson's Method 1"
    " [Henderson1953], the analogous analysis of variance [Brennan2001]."
)
_COEFFICIENTS = _(
    "Only a person's first rating of an item counts. An estimate can be below 0. It is shown as"
    " computed and counts as 0 in shares and coefficients. G is the reliability of differences"
    " between the mean ratings of items that the same people rate. Phi is that of the means"
    " themselves: it counts people's levels as error, too. Use Phi if each item has raters of its"
    " own."
)


@dataclass(frozen=True)
class DecisionRow:
    """Reliability of mean ratings by so many people.

    Parameters
    ----------
    n_raters : int
        Raters of each item.
    relative, absolute : float
        G and Phi, in [0, 1]; nan where undefined.
    relative_limits, absolute_limits : (float, float)
        Ends of their 95 % intervals; nan without one.
    """

    n_raters: int
    relative: float
    absolute: float
    relative_limits: tuple[float, float]
    absolute_limits: tuple[float, float]

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types."""
        return {
            "n_raters": self.n_raters,
            "relative": json_number(self.relative),
            "relative_low": json_number(self.relative_limits[0]),
            "relative_high": json_number(self.relative_limits[1]),
            "absolute": json_number(self.absolute),
            "absolute_low": json_number(self.absolute_limits[0]),
            "absolute_high": json_number(self.absolute_limits[1]),
        }


@dataclass(frozen=True, eq=False)
class Generalizability:
    """Variance components of ratings, and the reliability of means of them.

    Parameters
    ----------
    items, people, residual : float
        Variances in squared units of the scale, as estimated: also below 0. nan where undefined.
    n_ratings, n_items, n_people : int
        Ratings that count: each person's first ones of each item; items and people that have one.
    n_groups : int
        Groups that share neither items nor people: ratings are compared within these only.
    n_raters : float
        Harmonic mean of the numbers of ratings of an item; nan without ratings.
    is_complete : bool
        Whether everybody rated every item.
    intervals : mapping
        Of each kind of coefficient, its interval with `n_raters` raters.
    reason : Message or None
        Why there are no components.
    """

    items: float
    people: float
    residual: float
    n_ratings: int
    n_items: int
    n_people: int
    n_groups: int
    n_raters: float
    is_complete: bool
    intervals: Mapping[Kind, JackknifeInterval]
    reason: Message | None = None

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        estimates = _COMPLETE if self.is_complete else _INCOMPLETE
        text = joined(_COMPONENTS, estimates, _COEFFICIENTS)
        assert text is not None  # it has three parts
        return text

    @property
    def note(self) -> Message | None:
        """What a reader of the figures has to know about these data."""
        if self.n_groups < 2 or self.reason is not None:
            return None
        return _(
            "The ratings fall into %(n)s groups that share neither items nor people. The"
            " components are those within groups: what differs between the groups may be due to"
            " their items or their people.",
            n=self.n_groups,
        )

    def coefficient(self, n_raters: float, kind: Kind) -> float:
        """Reliability of the mean of so many ratings of each item.

        Parameters
        ----------
        n_raters : float
            Raters of each item, k, above 0.
        kind : {"relative", "absolute"}
            var(i) / (var(i) + var(e) / k), or var(i) / (var(i) + (var(p) + var(e)) / k).

        Returns
        -------
        float
            In [0, 1]; negative variances count as 0. nan if there are no components, or if the
            variances that matter are 0.

        Raises
        ------
        ValueError
            If the kind is unknown or the number of raters not above 0.
        """
        _check(n_raters, kind)
        signal, noise = max(self.items, 0.0), self._noise(kind) / n_raters
        return signal / (signal + noise) if signal + noise > 0 else math.nan

    def limits(self, n_raters: float, kind: Kind) -> tuple[float, float]:
        """Ends of the 95 % interval of a coefficient; nan without one.

        That of the study's own number of raters, stepped up or down [Spearman1910] [Brown1910].
        Raises ValueError like `coefficient`.
        """
        _check(n_raters, kind)
        interval, factor = self.intervals[kind], n_raters / self.n_raters
        low, high = (
            factor * end / (1 + (factor - 1) * end) for end in (interval.low, interval.high)
        )
        return low, high

    def raters_for(self, coefficient: float, kind: Kind = "relative") -> int | None:
        """Fewest raters of each item with whom a coefficient is at least as high.

        Parameters
        ----------
        coefficient : float
            Between 0 and 1, both excluded.
        kind : {"relative", "absolute"}

        Returns
        -------
        int or None
            None if no number up to `MAX_RATERS` is enough, or there are no components.

        Raises
        ------
        ValueError
            If the kind is unknown or the coefficient not between 0 and 1.
        """
        if not 0 < coefficient < 1:
            raise ValueError(f"coefficient must be between 0 and 1, not {coefficient:g}")
        single = self.coefficient(1, kind)
        if not single > 0:
            return None
        n = coefficient * (1 - single) / (single * (1 - coefficient))
        # A whole number that is rounded up in its last bits is still that number.
        least = max(math.ceil(n * (1 - 1e-12)), 1)
        return least if least <= MAX_RATERS else None

    def decision_study(self) -> tuple[DecisionRow, ...]:
        """Coefficients with 1 to `MAX_ROWS` raters of each item."""
        return tuple(
            DecisionRow(
                n,
                self.coefficient(n, "relative"),
                self.coefficient(n, "absolute"),
                self.limits(n, "relative"),
                self.limits(n, "absolute"),
            )
            for n in range(1, MAX_ROWS + 1)
        )

    def shares(self) -> tuple[float, float, float]:
        """Shares of items, people and residual in their sum; negative ones count as 0.

        All are nan if none is above 0.
        """
        components = np.array([self.items, self.people, self.residual])
        items, people, residual = shares_of(components).tolist()
        return items, people, residual

    def _noise(self, kind: Kind) -> float:
        """Error variance of a single rating."""
        people = max(self.people, 0.0) if kind == "absolute" else 0.0
        return people + max(self.residual, 0.0)

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition; None in place of nan."""
        return {
            "definition": self.definition,
            "reason": self.reason,
            "note": self.note,
            "n_ratings": self.n_ratings,
            "n_items": self.n_items,
            "n_people": self.n_people,
            "n_groups": self.n_groups,
            "n_raters": json_number(self.n_raters),
            "is_complete": self.is_complete,
            "components": self._components(),
            "coefficients": {kind: self._coefficient(kind) for kind in KINDS},
            "decision_study": [] if self.reason else [r.as_dict() for r in self.decision_study()],
            "raters_for": [] if self.reason else [self._raters(target) for target in TARGETS],
        }

    def _components(self) -> JsonObject:
        names = ("items", "people", "residual")
        return {
            name: {"value": json_number(getattr(self, name)), "share": json_number(share)}
            for name, share in zip(names, self.shares(), strict=True)
        }

    def _coefficient(self, kind: Kind) -> JsonObject:
        value = math.nan if self.reason else self.coefficient(self.n_raters, kind)
        return {
            "what": KINDS[kind],
            "value": json_number(value),
            "interval": self.intervals[kind].as_dict(),
        }

    def _raters(self, target: float) -> JsonValue:
        raters: JsonObject = {kind: self.raters_for(target, kind) for kind in KINDS}
        return {"coefficient": target, **raters}


def check_kind(kind: Kind) -> None:
    """Raise ValueError if there is no such coefficient."""
    if kind not in get_args(Kind):
        raise ValueError(f"kind must be one of {', '.join(get_args(Kind))}, not {kind!r}")


def _check(n_raters: float, kind: Kind) -> None:
    check_kind(kind)
    if not n_raters > 0:
        raise ValueError(f"n_raters must be above 0, not {n_raters:g}")


def generalizability(ratings: Ratings, *, pool: IntArray | None = None) -> Generalizability:
    """Variance components of items, people and the residual, and a decision study.

    Parameters
    ----------
    ratings : Ratings
        m ratings of one phase. Each person's first rating of an item counts, also where it is the
        only one of the item.
    pool : int array, shape (n_units,), optional
        Pool of each unit, for the intervals; see `scoring.unit_interval.unit_interval`.

    Returns
    -------
    Generalizability
        Its figures are nan, with the reason, if there is one item or one person only, if no item
        has two ratings or no person two items, if too few of the same people rated the same items
        to tell error from both, or if all ratings are equal.

    Raises
    ------
    ValueError
        If `pool` does not fit the units.

    Notes
    -----
    Time grows with m log m: 150,000 ratings take half a second, with the intervals.

    References
    ----------
    [Cronbach1972], [Brennan2001], [Henderson1953], [ShroutFleiss1979] in docs/references.md
    """
    check_pool(pool, n_units=ratings.n_units)
    crossed = crossed_ratings(ratings)
    reason = why_without_components(crossed)
    components = np.full(3, np.nan) if reason else crossed.components()
    study = _study(crossed, components, reason)
    labels = None if pool is None else np.asarray(pool)[np.unique(ratings.unit)]
    intervals = {
        kind: coefficient_interval(
            crossed,
            value=math.nan if reason else study.coefficient(study.n_raters, kind),
            n_raters=study.n_raters,
            with_people=kind == "absolute",
            pool=labels,
            reason=reason,
        )
        for kind in KINDS
    }
    return replace(study, intervals=intervals)


def _study(
    crossed: CrossedRatings, components: FloatArray, reason: Message | None
) -> Generalizability:
    """The figures without intervals."""
    items, people, residual = components.tolist()
    per_item = np.bincount(crossed.item)
    return Generalizability(
        items,
        people,
        residual,
        len(crossed.value),
        crossed.n_items,
        crossed.n_people,
        crossed.n_groups,
        float(len(per_item) / (1 / per_item).sum()) if len(per_item) else math.nan,
        crossed.is_complete,
        {},
        reason,
    )
