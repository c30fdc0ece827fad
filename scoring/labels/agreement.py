"""Do people choose the same categories: Krippendorff's alpha with three distances.

The *distance* of two answers, sets of categories A and B, is part of the name of an alpha:

- ``nominal``: 0 if they are the same, else 1.
- ``jaccard``: 1 - size of (A and B) / size of (A or B) [Jaccard1912].
- ``masi``: 1 - J M, J being Jaccard's share and M 1 for equal sets, 2/3 if one holds the other,
  1/3 if they overlap otherwise, 0 if they share nothing [Passonneau2006].

Alpha is 1 - observed / expected distance [Krippendorff2011]; distances are not squared. Of answers
of one category each all three are the same.

Symbols: v distinct answers; r weightings, which say how often each unit counts.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import numpy as np

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.disagreement import ValueCounts, pairs_within
from scoring.groups import group_sums, ratio
from scoring.json_values import JsonObject, json_number
from scoring.labels.labels import Labels
from scoring.unit_alpha import CELLS_AT_ONCE, UnitAlpha
from scoring.unit_interval import OfWeights, check_pool, unit_interval
from shell.messages import Message
from shell.messages import message as _

Distance: TypeAlias = Literal["nominal", "jaccard", "masi"]

DISTANCES: dict[Distance, Message] = {
    "nominal": _("0 if they are equal, 1 otherwise"),
    "jaccard": _("the share of their categories that they do not have in common [Jaccard1912]"),
    "masi": _("MASI, which also distinguishes subsets from mere overlaps [Passonneau2006]"),
}
NO_ANSWERS = _("there are no answers")
NO_PAIRS = _("no item has two answers")
ALL_EQUAL = _("all answers are equal, so the disagreement expected by chance is 0")


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelAlpha(UnitAlpha):
    """Krippendorff's alpha of a batch of answers.

    Parameters
    ----------
    distance : str
        What the distance of two answers is, a key of `DISTANCES`.
    observed, expected : float
        Mean distance within units, each counting by its answers, and among all; nan without.
    n_answers : int
        Answers about the units with at least two.
    """

    distance: Distance
    observed: float = float("nan")
    expected: float = float("nan")
    n_answers: int

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return _(
            "Krippendorff's alpha of labels [Krippendorff2011]. Distance between two answers:"
            " %(distance)s.",
            distance=DISTANCES[self.distance],
        )

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition; the value is named alpha."""
        return {
            "definition": self.definition,
            "distance": self.distance,
            **self.figures(),
            "observed": json_number(self.observed),
            "expected": json_number(self.expected),
            "n_answers": self.n_answers,
        }


def label_alpha(
    labels: Labels,
    *,
    distance: Distance,
    with_interval: bool = False,
    pool: IntArray | None = None,
) -> LabelAlpha:
    """Krippendorff's alpha of answers, units being what they are about.

    Parameters
    ----------
    labels : Labels
        m answers. Two of one person about one unit count like those of two people.
    distance : {"nominal", "jaccard", "masi"}
        What the distance of two answers is; see the module's head.
    with_interval : bool
        Whether to compute the interval over people, and pools or units.
    pool : int array, shape (n_units,), optional
        Pool of each unit: units of one pool may go together.

    Returns
    -------
    LabelAlpha
        Its value is nan, with the reason, if no unit has two answers or if all are equal.

    Raises
    ------
    ValueError
        If the distance is unknown, or `pool` does not fit the units.

    References
    ----------
    [Krippendorff2011], [Jaccard1912], [Passonneau2006]; those of
    `scoring.unit_interval.unit_interval` in docs/references.md
    """
    if distance not in get_args(Distance):
        raise ValueError(
            f"distance must be one of {', '.join(get_args(Distance))}, not {distance!r}"
        )
    check_pool(pool, n_units=labels.n_units)

    per_unit = labels.answers_per_unit()
    is_paired = per_unit[labels.unit] >= 2
    sets, code = labels.distinct

    def distances_of(rows: IntArray, unit: IntArray) -> _Distances:
        counts = ValueCounts.of(unit, code[rows].astype(np.float64))
        return _distances_of(counts, sets[counts.values.astype(np.int64)], distance)

    n_units, n_answers = int((per_unit >= 2).sum()), int(is_paired.sum())
    observed = expected = math.nan
    reason = None
    if n_units == 0:
        reason = NO_PAIRS if labels.n_answers else NO_ANSWERS
    else:
        rows = np.flatnonzero(is_paired)
        of_all = distances_of(rows, labels.unit[rows])(np.ones((1, n_units)))
        observed, expected = (float(mean[0]) for mean in of_all)
        reason = ALL_EQUAL if (code[rows] == code[rows[0]]).all() else None
    result = LabelAlpha(
        distance=distance,
        value=math.nan if reason else 1 - observed / expected,
        observed=observed,
        expected=expected,
        reason=reason,
        n_units=n_units,
        n_answers=n_answers,
        n_dropped=labels.n_units - n_units,
    )
    if not with_interval:
        return result

    def prepare(rows: IntArray, unit: IntArray) -> OfWeights:
        distances = distances_of(rows, unit)
        return lambda weights: 1 - ratio(*distances(weights))

    interval = unit_interval(
        labels.unit, labels.annotator, result.value, prepare, pool=pool, reason=reason
    )
    return replace(result, interval=interval)


def set_distances(some: BoolArray, others: BoolArray, distance: Distance) -> FloatArray:
    """Distance of each of some answers to each of others.

    Parameters
    ----------
    some, others : bool array, shape (p, c) and (q, c)
        Sets of categories, none empty.
    distance : {"nominal", "jaccard", "masi"}
        See the module's head.

    Returns
    -------
    float array, shape (p, q)
        In [0, 1]; exactly 0 for equal sets.
    """
    common = some.astype(np.float64) @ others.T.astype(np.float64)
    return _distances(common, some.sum(axis=1)[:, None], others.sum(axis=1)[None, :], distance)


def _distances(
    common: FloatArray, size: IntArray, other: IntArray, distance: Distance
) -> FloatArray:
    """Distances from how many categories two sets have in common, and in all."""
    is_same = (common == size) & (common == other)
    if distance == "nominal":
        return np.asarray(~is_same, dtype=np.float64)
    jaccard: FloatArray = common / (size + other - common)
    if distance == "jaccard":
        return 1 - jaccard
    monotonic = np.where(
        is_same,
        1.0,
        np.where((common == size) | (common == other), 2 / 3, np.where(common > 0, 1 / 3, 0.0)),
    )
    return np.asarray(1 - jaccard * monotonic)


_Distances: TypeAlias = Callable[[FloatArray], tuple[FloatArray, FloatArray]]


def _distances_of(counts: ValueCounts, sets: BoolArray, distance: Distance) -> _Distances:
    """Prepare a function of weights (r, n_units) that gives observed and expected, (r,) each."""
    n_values = counts.of_unit().astype(np.float64)
    within = _within(counts, sets, distance)
    table = counts.sparse()

    def distances(weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        margins = (table.T @ weights.T).T
        n = weights @ n_values
        expected = np.zeros(len(weights))
        # Distances of some answers to all others at a time: the whole table is v x v.
        at_once = max(1, CELLS_AT_ONCE // counts.n_distinct)
        for start in range(0, counts.n_distinct, at_once):
            part = slice(start, start + at_once)
            to_others = set_distances(sets[part], sets, distance)
            expected += (margins[:, part] * (margins @ to_others.T)).sum(axis=1)
        return ratio(weights @ within, n), ratio(expected, n * (n - 1))

    return distances


def _within(counts: ValueCounts, sets: BoolArray, distance: Distance) -> FloatArray:
    """Sum over the answers of each unit of their mean distance to its others, shape (n_units,)."""
    n = counts.of_unit()
    if distance == "nominal":
        of_cell = n[counts.unit]
        to_others = counts.count * (of_cell - counts.count) / (of_cell - 1)
        return group_sums(to_others, counts.unit, n_groups=counts.n_units)
    # Within a unit only different answers are apart.
    first, second = pairs_within(counts)
    some, others = sets[counts.code[first]], sets[counts.code[second]]
    apart = _distances(
        (some & others).sum(axis=1).astype(np.float64),
        some.sum(axis=1),
        others.sum(axis=1),
        distance,
    )
    of_pairs = 2 * counts.count[first] * counts.count[second] * apart
    return group_sums(of_pairs, counts.unit[first], n_groups=counts.n_units) / (n - 1)
