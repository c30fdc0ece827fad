"""Agreement on labels where the distance of two answers plays no part: Fleiss' kappa, equal pairs.

Answers are the same, or not: of several categories, if all of them are.
"""

from dataclasses import dataclass

import numpy as np

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.disagreement import ValueCounts
from scoring.groups import group_sums
from scoring.json_values import JsonObject, json_number
from scoring.labels.agreement import ALL_EQUAL, NO_ANSWERS, NO_PAIRS
from scoring.labels.labels import Labels
from shell.messages import Message
from shell.messages import message as _


@dataclass(frozen=True, eq=False)
class FleissKappa:
    """Fleiss' kappa, of all categories and of each.

    Parameters
    ----------
    value : float
        1 - observed / expected disagreement, at most 1; nan where undefined.
    of_category : float array, shape (c,)
        Kappa of naming the category or not; nan for one that nobody or everybody names.
    n_units, n_each : int
        Units with answers, and the answers about each.
    reason : Message or None
        Why there is no value.
    """

    value: float
    of_category: FloatArray
    n_units: int
    n_each: int
    reason: Message | None = None

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return _(
            "Fleiss' kappa [Fleiss1971]: agreement beyond chance, given the shares of the "
            "categories. Every item must have the same number of answers. If several "
            "categories are allowed, two answers are equal only if all their categories are."
        )

    def as_dict(self) -> JsonObject:
        """The figure in plain JSON types, with the definition; that of categories left out."""
        return {
            "definition": self.definition,
            "kappa": json_number(self.value),
            "n_units": self.n_units,
            "n_each": self.n_each,
            "reason": self.reason,
        }


def fleiss_kappa(labels: Labels) -> FleissKappa:
    """Fleiss' kappa of answers where every unit that has some has equally many.

    Parameters
    ----------
    labels : Labels
        m answers. Who gave them does not matter.

    Returns
    -------
    FleissKappa
        Its value is nan, with the reason, unless all units that have answers have equally many,
        at least two, and unless two answers differ.

    References
    ----------
    [Fleiss1971] in docs/references.md
    """
    per_unit = labels.answers_per_unit()
    answered = per_unit[per_unit > 0]
    n_units, c = len(answered), labels.n_categories
    nothing = np.full(c, np.nan)
    if n_units == 0:
        return FleissKappa(np.nan, nothing, 0, 0, NO_ANSWERS)
    n_each = int(answered[0])
    if (answered != n_each).any():
        reason = _(
            "the items have %(least)s to %(most)s answers, but all must have equally many",
            least=int(answered.min()),
            most=int(answered.max()),
        )
        return FleissKappa(np.nan, nothing, n_units, 0, reason)
    if n_each < 2:
        return FleissKappa(np.nan, nothing, n_units, n_each, NO_PAIRS)
    code = labels.distinct[1]
    value = _kappa(labels.unit, code)
    of_category = np.array([_kappa(labels.unit, labels.chosen[:, k]) for k in range(c)])
    return FleissKappa(value, of_category, n_units, n_each, ALL_EQUAL if np.isnan(value) else None)


def _kappa(unit: IntArray, value: IntArray | BoolArray) -> float:
    """Of units with equally many values; nan if all values are equal."""
    counts = ValueCounts.of(unit, value.astype(np.float64))
    if counts.n_distinct < 2:
        return float("nan")
    m = len(unit)
    n_each = m // counts.n_units
    disagreeing = float((counts.count * (n_each - counts.count)).sum()) / (m * (n_each - 1))
    shares = counts.margins() / m
    return 1 - disagreeing / float((shares * (1 - shares)).sum())


@dataclass(frozen=True, eq=False)
class PairwiseAgreement:
    """Share of the pairs of answers about one unit that are the same.

    Parameters
    ----------
    share : float
        Mean over units, each counting once, in [0, 1]; nan where undefined. With equally many
        answers about each this is the observed agreement of Fleiss' kappa [Fleiss1971]; that of
        alpha, 1 less its `observed`, lets each unit count by its answers.
    unanimous : float
        Share of the units whose answers are all the same.
    n_units : int
        Units with at least two answers.
    reason : Message or None
        Why there is no share.
    """

    share: float
    unanimous: float
    n_units: int
    reason: Message | None = None

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        return {
            "definition": _(
                "Share of pairs of answers to an item that are equal, averaged over items with at"
                " least two answers. Not corrected for chance."
            ),
            "share": json_number(self.share),
            "unanimous": json_number(self.unanimous),
            "n_units": self.n_units,
            "reason": self.reason,
        }


def pairwise_agreement(labels: Labels) -> PairwiseAgreement:
    """Share of the pairs of answers about a unit that are the same, not corrected for chance."""
    per_unit = labels.answers_per_unit()
    is_paired = per_unit[labels.unit] >= 2
    if not is_paired.any():
        reason = NO_PAIRS if labels.n_answers else NO_ANSWERS
        return PairwiseAgreement(np.nan, np.nan, 0, reason)
    code = labels.distinct[1]
    counts = ValueCounts.of(labels.unit[is_paired], code[is_paired].astype(np.float64))
    n = counts.of_unit()
    same = group_sums(
        (counts.count * (counts.count - 1)).astype(np.float64),
        counts.unit,
        n_groups=counts.n_units,
    )
    shares = same / (n * (n - 1))
    return PairwiseAgreement(float(shares.mean()), float((shares == 1).mean()), counts.n_units)
