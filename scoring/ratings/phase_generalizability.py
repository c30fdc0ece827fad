"""Generalizability study of several phases in which the same people rated the same items.

Symbols: n_h phases, n_i items and n_p people, one rating of each item by each person in each
phase; S a set of these three; MS(S) mean square of the effect of S; k raters in h phases.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.groups import ROUNDING
from scoring.json_values import JsonObject, json_number
from scoring.ratings.generalizability import MAX_ROWS, Kind, check_kind
from scoring.ratings.ratings import Ratings
from scoring.ratings.variance_components import shares_of, without_rounding
from shell.messages import Message
from shell.messages import message as _

Axes: TypeAlias = tuple[int, ...]

# Axes of the table of ratings.
_PHASES, _ITEMS, _PEOPLE = range(3)
# What each component is of, in the order in which tables of analyses of variance name them.
COMPONENTS: dict[str, Axes] = {
    "items": (_ITEMS,),
    "people": (_PEOPLE,),
    "phases": (_PHASES,),
    "items_people": (_ITEMS, _PEOPLE),
    "items_phases": (_PHASES, _ITEMS),
    "people_phases": (_PHASES, _PEOPLE),
    "residual": (_PHASES, _ITEMS, _PEOPLE),
}

_DEFINITION = _(
    "Variance components of a model in which items, people and phases are random, by the analysis"
    " of variance [Cronbach1972] [Brennan2001]. The residual is the interaction of all three, and"
    " error. Only a person's first rating of an item in a phase counts. An estimate can be below"
    " 0. It is shown as computed and counts as 0 in shares and coefficients. The coefficients are"
    " for means over raters and phases, to be generalized to other people and phases. There are no"
    " intervals."
)


@dataclass(frozen=True, eq=False)
class PhaseGeneralizability:
    """Variance components of ratings in several phases.

    Parameters
    ----------
    components : dict
        Variance of each of `COMPONENTS` in squared units of the scale, as estimated: also below 0.
        nan where undefined.
    n_phases, n_items, n_people : int
        Phases; items and people with a rating in any of them.
    reason : Message or None
        Why there are no components.
    """

    components: dict[str, float]
    n_phases: int
    n_items: int
    n_people: int
    reason: Message | None = None

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return _DEFINITION

    def coefficient(self, n_raters: float, n_phases: float, kind: Kind) -> float:
        """Reliability of the mean of ratings by so many people in so many phases.

        Parameters
        ----------
        n_raters, n_phases : float
            k and h, both above 0; everybody rates every item in every phase.
        kind : {"relative", "absolute"}
            G counts the components of items with people or phases as error, Phi all but items.

        Returns
        -------
        float
            In [0, 1]; nan if there are no components, or if those that matter are 0.

        Raises
        ------
        ValueError
            If the kind is unknown or a number not above 0.
        """
        check_kind(kind)
        if not (n_raters > 0 and n_phases > 0):
            raise ValueError(
                f"n_raters and n_phases must be above 0, not {n_raters:g} and {n_phases:g}"
            )
        divisors = {_PEOPLE: n_raters, _PHASES: n_phases, _ITEMS: 1}
        signal = max(self.components["items"], 0.0)
        noise = sum(
            max(self.components[name], 0.0) / math.prod(divisors[axis] for axis in axes)
            for name, axes in COMPONENTS.items()
            if name != "items" and (kind == "absolute" or _ITEMS in axes)
        )
        return signal / (signal + noise) if signal + noise > 0 else math.nan

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition; None in place of nan."""
        values = np.array(list(self.components.values()))
        return {
            "definition": self.definition,
            "reason": self.reason,
            "n_phases": self.n_phases,
            "n_items": self.n_items,
            "n_people": self.n_people,
            "components": {
                name: {"value": json_number(value), "share": json_number(share)}
                for name, value, share in zip(COMPONENTS, values, shares_of(values), strict=True)
            },
            "decision_study": [] if self.reason else list(self._rows()),
        }

    def _rows(self) -> list[JsonObject]:
        """Coefficients of 1 to `MAX_ROWS` raters, in one phase and in as many as there were."""
        return [
            {
                "n_phases": n_phases,
                "n_raters": n_raters,
                "relative": json_number(self.coefficient(n_raters, n_phases, "relative")),
                "absolute": json_number(self.coefficient(n_raters, n_phases, "absolute")),
            }
            for n_phases in (1, self.n_phases)
            for n_raters in range(1, MAX_ROWS + 1)
        ]


def generalizability_of_phases(phases: Sequence[Ratings]) -> PhaseGeneralizability:
    """Variance components of items, people and phases, and of their interactions.

    Parameters
    ----------
    phases : sequence of Ratings
        Ratings of two phases or more, which number people and units alike.

    Returns
    -------
    PhaseGeneralizability
        Its figures are nan, with the reason, unless the same two or more people rated the same
        two or more items in every phase, and not all ratings are equal.

    Raises
    ------
    ValueError
        If there are fewer than two phases, or they number other people or units.

    References
    ----------
    [Cronbach1972], [Brennan2001] in docs/references.md
    """
    if len(phases) < 2:
        raise ValueError(f"a study of phases needs at least two, not {len(phases)}")
    if len({(ratings.n_annotators, ratings.n_units) for ratings in phases}) > 1:
        raise ValueError("the phases do not number the same people and units")
    phases = [ratings.first_answers() for ratings in phases]
    units, people = (
        np.unique(np.concatenate([getattr(ratings, name) for ratings in phases]))
        for name in ("unit", "annotator")
    )
    reason = _why_undefined(phases, units, people)
    variances = np.full(len(COMPONENTS), np.nan) if reason else _variances(_table(phases))
    components = dict(zip(COMPONENTS, variances.tolist(), strict=True))
    return PhaseGeneralizability(components, len(phases), len(units), len(people), reason)


def _why_undefined(phases: Sequence[Ratings], units: IntArray, people: IntArray) -> Message | None:
    if len(units) == 0:
        return _("there are no ratings")
    if len(units) == 1:
        return _("only one item was rated, so items cannot be compared")
    if len(people) == 1:
        return _("only one person rated, so people cannot be compared")
    for number, ratings in enumerate(phases, start=1):
        if ratings.n_ratings < len(units) * len(people):
            return _gap(ratings, number, units, people)
    values = np.concatenate([ratings.value for ratings in phases])
    if (values == values[0]).all():
        return _("all ratings are equal, so there is no variance")
    return None


def _gap(ratings: Ratings, number: int, units: IntArray, people: IntArray) -> Message:
    """Name a person who did not rate an item in a phase, and the item."""
    per_person = np.bincount(ratings.annotator, minlength=ratings.n_annotators)[people]
    person = people[int((per_person < len(units)).argmax())]
    missing = np.setdiff1d(units, ratings.unit[ratings.annotator == person])
    return _(
        "it needs a rating of every item by the same annotators in every phase, but annotator"
        " %(annotator)s did not rate item %(unit)s in phase %(phase)s",
        annotator=str(person),
        unit=str(missing[0]),
        phase=str(number),
    )


def _table(phases: Sequence[Ratings]) -> FloatArray:
    """Ratings of complete phases, shape (n_h, n_i, n_p)."""
    n_units = len(np.unique(phases[0].unit))
    return np.stack(
        [
            ratings.value[np.lexsort((ratings.annotator, ratings.unit))].reshape(n_units, -1)
            for ratings in phases
        ]
    )


def _variances(table: FloatArray) -> FloatArray:
    """Variance components of a complete table, shape (7,), in the order of `COMPONENTS`.

    The component of S is the sum of MS(T) over all T that contain S, with alternating signs,
    divided by the number of ratings of one combination of S [Brennan2001].
    """
    squares = {axes: _mean_square(table, axes) for axes in COMPONENTS.values()}
    variances = []
    for axes in COMPONENTS.values():
        rest = [axis for axis in range(3) if axis not in axes]
        total = 0.0
        for n_more in range(len(rest) + 1):
            for more in combinations(rest, n_more):
                total += (-1) ** n_more * squares[tuple(sorted(axes + more))]
        variances.append(total / math.prod(table.shape[axis] for axis in rest))
    return without_rounding(np.array(variances))


def _mean_square(table: FloatArray, axes: Axes) -> float:
    """Mean square of the effect of these axes."""
    effect = table
    for axis in range(3):
        mean = effect.mean(axis=axis, keepdims=True)
        effect = effect - mean if axis in axes else mean
    # What is left of the ratings by rounding alone is no effect.
    effect = np.where(np.abs(effect) <= ROUNDING * np.abs(table).max(), 0.0, effect)
    n_ratings = table.size / effect.size
    df: int = math.prod(table.shape[axis] - 1 for axis in axes)
    return n_ratings * float((effect**2).sum()) / df
