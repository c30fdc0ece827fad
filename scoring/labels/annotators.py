"""How each annotator labels: against what most of the others say, and against themselves."""

from dataclasses import dataclass
from math import fsum

import numpy as np

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.groups import group_sums, ratio
from scoring.json_values import JsonObject, json_number, json_numbers
from scoring.labels.agreement import ALL_EQUAL, NO_ANSWERS
from scoring.labels.labels import Labels
from shell.messages import Message
from shell.messages import message as _

NOBODY_ELSE = _("no item has a label from the other annotators")
NO_REPEATS = _("nobody labelled an item twice")


@dataclass(frozen=True, eq=False)
class LabelersAgainstOthers:
    """How far each annotator agrees with the label that all the others give.

    Parameters
    ----------
    share : float array, shape (n_annotators,)
        Mean agreement over the annotator's answers, in [0, 1]; nan without a comparison.
    n : int array, shape (n_annotators,)
        Answers that were compared.
    n_left_out : int array, shape (n_annotators,)
        Answers about units to which the others give no label: nobody else, or a tie.
    is_several : bool
        Whether an answer may name several categories.
    reason : Message or None
        Why nobody can be compared.
    """

    share: FloatArray
    n: IntArray
    n_left_out: IntArray
    is_several: bool
    reason: Message | None = None

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        if self.is_several:
            return _(
                "Overlap of each annotator's answers with the categories that more than half of "
                "the others chose [Jaccard1912], averaged over items. Items without a label from "
                "the others are left out."
            )
        return _(
            "Share of each annotator's answers that equal the most frequent answer of the "
            "others. Items with a tie among the others are left out."
        )

    def as_dict(self) -> JsonObject:
        """Mean, median and extremes over annotators, and lists over them."""
        known = self.share[~np.isnan(self.share)]
        return {
            "definition": self.definition,
            "n_annotators": len(known),
            "mean": json_number(fsum(known) / len(known)) if len(known) else None,
            "median": json_number(float(np.median(known))) if len(known) else None,
            "lowest": json_number(known.min()) if len(known) else None,
            "highest": json_number(known.max()) if len(known) else None,
            "reason": self.reason,
            "share": json_numbers(self.share),
            "n": [int(n) for n in self.n],
            "n_left_out": [int(n) for n in self.n_left_out],
        }


def labelers_against_others(labels: Labels) -> LabelersAgainstOthers:
    """Compare every answer with the label that everybody else's answers give the unit.

    Parameters
    ----------
    labels : Labels
        m answers, without repeats: each counts as somebody else's.

    Returns
    -------
    LabelersAgainstOthers
        The annotator's own answer never counts in what it is compared with.
    """
    credit = credit_by_answer(labels)
    is_compared = ~np.isnan(credit)
    agreement = np.nan_to_num(credit)

    people = labels.n_annotators
    n = np.bincount(labels.annotator[is_compared], minlength=people)
    share = ratio(group_sums(agreement, labels.annotator, n_groups=people), n)
    left_out = np.bincount(labels.annotator[~is_compared], minlength=people)
    reason = None
    if not is_compared.any():
        reason = NOBODY_ELSE if labels.n_answers else NO_ANSWERS
    return LabelersAgainstOthers(share, n, left_out, labels.is_several, reason)


def credit_by_answer(labels: Labels) -> FloatArray:
    """How far each answer is the label that all the others give the unit, shape (m,).

    nan if they give none: nobody else, or a tie.
    """
    n_units, c = labels.n_units, labels.n_categories
    row, category = np.nonzero(labels.chosen)
    cells = labels.unit[row] * c + category
    counts = np.bincount(cells, minlength=n_units * c).reshape(n_units, c)
    others = counts[labels.unit] - labels.chosen
    n_others = labels.answers_per_unit()[labels.unit] - 1
    if labels.is_several:
        is_majority = 2 * others > n_others[:, None]
    else:
        most = others.max(axis=1, keepdims=True)
        is_majority = (others == most) & (n_others > 0)[:, None]
        # Of a tie nobody knows what most of them say.
        is_majority[is_majority.sum(axis=1) > 1] = False
    is_compared = is_majority.any(axis=1)
    credit = np.full(labels.n_answers, np.nan)
    credit[is_compared] = _in_common(labels.chosen[is_compared], is_majority[is_compared])
    return credit


def _in_common(some: BoolArray, others: BoolArray) -> FloatArray:
    """Jaccard's share of each set and its partner, shape (p,); of single categories 0 or 1."""
    return np.asarray((some & others).sum(axis=1) / (some | others).sum(axis=1))


@dataclass(frozen=True, eq=False)
class IntraLabels:
    """What people labelled again, beside what they said before.

    Parameters
    ----------
    share : float
        Share of the pairs of answers that are the same, in [0, 1]; nan without a pair.
    kappa : float
        Cohen's kappa of the first answers and the repeats; nan where undefined.
    jaccard : float
        Mean share of categories in common; the same as `share` where one is chosen.
    n : int
        Pairs.
    n_annotators : int
        People who labelled something again.
    reason, kappa_reason : Message or None
        Why there is no share, and no kappa.
    """

    share: float
    kappa: float
    jaccard: float
    n: int
    n_annotators: int
    reason: Message | None = None
    kappa_reason: Message | None = None

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        return {
            "definition": _(
                "A person's repeated labels compared with the same person's first labels: share "
                "of equal pairs, and Cohen's kappa [Cohen1960]."
            ),
            "share": json_number(self.share),
            "kappa": json_number(self.kappa),
            "kappa_reason": self.kappa_reason,
            "jaccard": json_number(self.jaccard),
            "n": self.n,
            "n_annotators": self.n_annotators,
            "reason": self.reason,
        }


def intra_labels(labels: Labels) -> IntraLabels:
    """Compare what people labelled again with their answer before.

    Parameters
    ----------
    labels : Labels
        m answers; all of one person about one unit after the first are repeats.

    References
    ----------
    [Cohen1960] in docs/references.md
    """
    earlier, later = labels.repeats()
    n = len(later)
    if n == 0:
        return IntraLabels(np.nan, np.nan, np.nan, 0, 0, NO_REPEATS, NO_REPEATS)
    sets, code = labels.distinct
    first, again = code[earlier], code[later]
    share = float((first == again).mean())
    kappa = cohen_kappa(first, again, n_categories=len(sets))
    alike = float(_in_common(labels.chosen[earlier], labels.chosen[later]).mean())
    return IntraLabels(
        share,
        kappa,
        alike,
        n,
        len(np.unique(labels.annotator[later])),
        kappa_reason=ALL_EQUAL if np.isnan(kappa) else None,
    )


def cohen_kappa(first: IntArray, second: IntArray, *, n_categories: int) -> float:
    """Cohen's kappa of two answers to each of n units [Cohen1960].

    Parameters
    ----------
    first, second : int array, shape (n,)
        Category of each answer, 0..n_categories-1.
    n_categories : int
        Number of categories.

    Returns
    -------
    float
        At most 1; nan without units, or if all answers are in one category.
    """
    n = len(first)
    if n == 0:
        return float("nan")
    margins = [np.bincount(categories, minlength=n_categories) for categories in (first, second)]
    # In whole numbers, so that equal answers are found to be exactly equal.
    by_chance = int((margins[0] * margins[1]).sum())
    if by_chance == n * n:
        return float("nan")
    disagreeing = int((first != second).sum())
    return 1 - disagreeing * n / (n * n - by_chance)
