"""Compliance: does an annotator's ordering agree with the scores from everybody else?

Symbols: m judgments of tuples of k items; a annotators. An answer implies 2k - 3 pairs, best over
all others and all others over worst.
"""

from dataclasses import dataclass

import numpy as np

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.best_worst.counting import share
from scoring.best_worst.judgments import BestWorst
from scoring.json_values import JsonObject, json_numbers
from shell.messages import Message
from shell.messages import message as _

DEFINITION = _(
    "How often the annotator orders two items in the same way as the scores computed from "
    "everybody else's answers. A best-worst answer puts the best item above all others and all "
    "others above the worst; a ranking orders every pair. Equal scores count as one half. Pairs "
    "with an item that nobody else saw are left out. Random clicking gives about .5."
)


@dataclass(frozen=True, eq=False)
class Compliance:
    """Agreement of each annotator with everybody else.

    Parameters
    ----------
    annotator : int array, shape (a,)
        Numbers of the annotators, ascending.
    share : float array, shape (a,)
        Share of their implied pairs that agree, in [0, 1]; nan if no pair can be compared.
    n_judgments : int array, shape (a,)
        Answers they gave.
    n_pairs, n_left_out : int array, shape (a,)
        Implied pairs compared, and those left out because nobody else was shown one of the items.
    """

    annotator: IntArray
    share: FloatArray
    n_judgments: IntArray
    n_pairs: IntArray
    n_left_out: IntArray

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return DEFINITION

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        return {
            "definition": self.definition,
            "annotator": self.annotator.tolist(),
            "share": json_numbers(self.share),
            "n_judgments": self.n_judgments.tolist(),
            "n_pairs": self.n_pairs.tolist(),
            "n_left_out": self.n_left_out.tolist(),
        }


def compliance(answers: BestWorst) -> Compliance:
    """Compare each annotator's answers with the scores from everybody else.

    Parameters
    ----------
    answers : BestWorst
        m judgments of t tuples, with their annotators.

    Raises
    ------
    ValueError
        If the batch does not say who gave each answer.
    """
    if answers.annotator is None:
        raise ValueError("compliance is of people, so it needs to know who gave each answer")
    people, person, n_judgments = np.unique(
        answers.annotator, return_inverse=True, return_counts=True
    )
    agreement = ImpliedPairs(answers).with_others()
    n_compared = (~np.isnan(agreement)).sum(axis=1)
    n_pairs = _by_person(person, n_compared, len(people))
    agreeing = _by_person(person, np.nansum(agreement, axis=1), len(people))
    shares = np.full(len(people), np.nan)
    np.divide(agreeing, n_pairs, out=shares, where=n_pairs > 0)
    n_implied = agreement.shape[1] * n_judgments
    return Compliance(
        people, shares, n_judgments, n_pairs.astype(np.int64), n_implied - n_pairs.astype(np.int64)
    )


class ImpliedPairs:
    """The pairs of items that each answer puts in order, beside scores that order them, too.

    Agreements, shape (m, p), are 1 where the scores put a pair in the same order, 0 where in the
    other, .5 where they are equal, and nan where one of the items has no score.

    Parameters
    ----------
    answers : BestWorst
        m judgments of t tuples, with their annotators.
    """

    def __init__(self, answers: BestWorst) -> None:
        assert answers.annotator is not None  # callers refuse answers without one
        _people, person = np.unique(answers.annotator, return_inverse=True)
        self._n_items, self._shown = answers.n_items, answers.shown()
        self._points = answers.slot_points()
        self._higher, self._lower = answers.pairs_in_order()
        # The cells (person, item) that are filled: one person rarely meets more than a few items.
        self._cells, cell = np.unique(
            person[:, None] * answers.n_items + self._shown, return_inverse=True
        )
        self._cell = cell.reshape(self._shown.shape)

    def with_others(self, is_counted: BoolArray | None = None) -> FloatArray:
        """Agreement with the scores from everybody else's answers, or those that are counted."""
        rows = slice(None) if is_counted is None else is_counted
        cell, shown, points = self._cell[rows], self._shown[rows], self._points[rows]
        n_cells, n_items = len(self._cells), self._n_items
        of_all, own = _sums(shown, points, n_items), _sums(cell, points, n_cells)
        appearances = np.bincount(shown.ravel(), minlength=n_items)
        own_appearances = np.bincount(cell.ravel(), minlength=n_cells)
        item = self._cells % n_items
        others = share(of_all[item] - own, appearances[item] - own_appearances)
        return self._agreement(others[self._cell])

    def with_own(self) -> FloatArray:
        """Agreement with the scores from the person's other answers."""
        cell = self._cell
        of_person = _sums(cell, self._points, len(self._cells))
        n_shown = np.bincount(cell.ravel(), minlength=len(self._cells))
        return self._agreement(share(of_person[cell] - self._points, n_shown[cell] - 1))

    def _agreement(self, scores: FloatArray) -> FloatArray:
        """By the scores of the items shown, shape (m, k)."""
        winner = np.take_along_axis(scores, self._higher, axis=1)
        loser = np.take_along_axis(scores, self._lower, axis=1)
        # Equal shares are equal floats: division rounds both sides of 1/3 = 2/6 alike.
        return (1 + np.sign(winner - loser)) / 2


def credit_by_answer(agreement: FloatArray) -> FloatArray:
    """Share of each answer's implied pairs that agree, (m,); nan if no pair can be compared.

    Random clicking gives about .5.
    """
    return share(np.nansum(agreement, axis=1), (~np.isnan(agreement)).sum(axis=1))


def _sums(cell: IntArray, points: IntArray, n_cells: int) -> IntArray:
    """Sum of the points of each cell; exact below 2**53."""
    sums = np.bincount(cell.ravel(), points.ravel(), minlength=n_cells)
    return sums.astype(np.int64)


def _by_person(person: IntArray, values: IntArray | FloatArray, n_people: int) -> FloatArray:
    return np.asarray(np.bincount(person, values, minlength=n_people), dtype=np.float64)
