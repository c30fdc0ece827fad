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
    agreement = _agreements(answers, person)
    n_compared = (~np.isnan(agreement)).sum(axis=1)
    n_pairs = _by_person(person, n_compared, len(people))
    agreeing = _by_person(person, np.nansum(agreement, axis=1), len(people))
    shares = np.full(len(people), np.nan)
    np.divide(agreeing, n_pairs, out=shares, where=n_pairs > 0)
    n_implied = agreement.shape[1] * n_judgments
    return Compliance(
        people, shares, n_judgments, n_pairs.astype(np.int64), n_implied - n_pairs.astype(np.int64)
    )


def credit_by_answer(answers: BestWorst, is_counted: BoolArray | None = None) -> FloatArray:
    """Share of each answer's implied pairs that agree with the scores from everybody else, (m,).

    nan if no pair can be compared. The batch says who gave each answer.

    Parameters
    ----------
    is_counted : bool array, shape (m,), optional
        The answers that the scores are from; else all.
    """
    assert answers.annotator is not None  # callers refuse answers without one
    _people, person = np.unique(answers.annotator, return_inverse=True)
    agreement = _agreements(answers, person, is_counted)
    return share(np.nansum(agreement, axis=1), (~np.isnan(agreement)).sum(axis=1))


def credit_by_own_answers(answers: BestWorst) -> FloatArray:
    """Share of each answer's implied pairs that agree with the person's other answers, (m,).

    nan if the person saw none of the items again. Random clicking gives about .5.
    """
    assert answers.annotator is not None  # callers refuse answers without one
    _people, person = np.unique(answers.annotator, return_inverse=True)
    points = answers.slot_points()
    _cells, cell = np.unique(
        person[:, None] * answers.n_items + answers.shown(), return_inverse=True
    )
    cell = cell.reshape(points.shape)
    of_all = np.zeros(cell.max(initial=-1) + 1, dtype=np.int64)
    np.add.at(of_all, cell, points)
    agreement = _agreement(
        answers, share(of_all[cell] - points, np.bincount(cell.ravel())[cell] - 1)
    )
    return share(np.nansum(agreement, axis=1), (~np.isnan(agreement)).sum(axis=1))


def _agreements(
    answers: BestWorst, person: IntArray, is_counted: BoolArray | None = None
) -> FloatArray:
    """Whether each implied pair agrees: 1, 0, or .5 for equal scores; nan elsewhere, (m, p)."""
    return _agreement(answers, _scores_from_others(answers, person, is_counted))


def _scores_from_others(
    answers: BestWorst, person: IntArray, is_counted: BoolArray | None
) -> FloatArray:
    """Score of each item shown, without the answers of the one who was shown it, shape (m, k)."""
    counted = np.ones(answers.n_judgments, dtype=np.bool_) if is_counted is None else is_counted
    points = answers.slot_points()
    shown, n_items = answers.shown(), answers.n_items
    # The cells (person, item) that are filled; one person rarely meets more than a few of them.
    cells, cell = np.unique(person[:, None] * n_items + shown, return_inverse=True)
    cell = cell.reshape(shown.shape)
    own_appearances = np.bincount(cell[counted].ravel(), minlength=len(cells))
    own_points = np.zeros(len(cells), dtype=np.int64)
    np.add.at(own_points, cell[counted], points[counted])
    of_all = np.zeros(n_items, dtype=np.int64)
    np.add.at(of_all, shown[counted], points[counted])
    appearances = np.bincount(shown[counted].ravel(), minlength=n_items)

    item = cells % n_items
    others = share(of_all[item] - own_points, appearances[item] - own_appearances)
    scores: FloatArray = others[cell]
    return scores


def _agreement(answers: BestWorst, scores: FloatArray) -> FloatArray:
    """1 where the higher item of a pair scores more, 0 less, .5 the same, nan unscored, (m, p).

    Scores of the items shown, shape (m, k).
    """
    higher, lower = answers.pairs_in_order()
    winner = np.take_along_axis(scores, higher, axis=1)
    loser = np.take_along_axis(scores, lower, axis=1)
    # Equal shares are equal floats: division rounds both sides of 1/3 = 2/6 alike.
    return (1 + np.sign(winner - loser)) / 2


def _by_person(person: IntArray, values: IntArray | FloatArray, n_people: int) -> FloatArray:
    return np.asarray(np.bincount(person, values, minlength=n_people), dtype=np.float64)
