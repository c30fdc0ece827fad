"""The model of Dawid and Skene: each person mistakes some categories for others.

Symbols: m answers; u units and p people with answers; c categories; n_cells pairs of a person and
a category that this person chose at least once.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.groups import ratio
from scoring.labels.annotator_models.answers import FirstAnswers, first_answers, why_no_model
from scoring.labels.annotator_models.model import LabelModel, fitted_model, unfitted_model
from scoring.labels.annotator_models.rounds import (
    MAX_ROUNDS,
    at_rest,
    not_at_rest,
    probabilities,
)
from scoring.labels.labels import Labels

if TYPE_CHECKING:
    from scipy.sparse import csr_array

NAME = "dawid-skene"
# Smallest expected number of answers, and smallest share of a category: keeps logarithms finite.
# It is the one of crowd-kit, so that both come to the same figures.
SMALLEST = 1e-10
# Somebody who gave fewer answers than this, in expectation, about units of a category did not
# label that category.
MIN_EXPECTED_ANSWERS = 1e-6


def dawid_skene(labels: Labels) -> LabelModel:
    """Estimate the label of each unit and the confusions of each person [DawidSkene1979].

    Maximum likelihood by the EM algorithm, without smoothing, from the shares of the answers.
    Shares of categories and confusion matrices are estimated together; categories that nobody
    chose have probability 0. A person's ability is the sum of their confusion matrix's diagonal,
    weighted by the shares of the categories among the units that this person labelled.

    Parameters
    ----------
    labels : Labels
        m answers of one category each. Only each person's first answer about a unit counts.

    References
    ----------
    [DawidSkene1979] in docs/references.md
    """
    if reason := why_no_model(labels):
        return unfitted_model(NAME, labels, reason)
    answers = first_answers(labels)
    cells = _Cells(answers)
    posterior, n_rounds = at_rest(cells.improve, answers.shares()[:, cells.used])
    if n_rounds > MAX_ROUNDS:
        return unfitted_model(NAME, labels, not_at_rest(MAX_ROUNDS), n_rounds=MAX_ROUNDS)
    posterior = cells.of_all_categories(posterior)
    return fitted_model(
        NAME,
        labels,
        answers,
        posterior,
        _ability(answers, posterior),
        confusion=_confusion(answers, posterior),
        n_rounds=n_rounds,
    )


@dataclass(frozen=True, eq=False)
class _Cells:
    """Pairs of a person and a category that this person chose, ascending, and their units.

    Memory grows with the answers and with people times used categories, not with people times
    units.
    """

    answers: FirstAnswers

    @cached_property
    def used(self) -> IntArray:
        """Categories that somebody chose, shape (k,)."""
        return np.unique(self.answers.category)

    @cached_property
    def first_of_person(self) -> IntArray:
        """First cell of each person, shape (p,)."""
        return np.flatnonzero(np.diff(self.person, prepend=-1))

    @cached_property
    def person(self) -> IntArray:
        """Person of each cell, shape (n_cells,)."""
        return self._cell_of_answer[0] // self.answers.n_categories

    @cached_property
    def _cell_of_answer(self) -> tuple[IntArray, IntArray]:
        return np.unique(self.answers.place_of_person, return_inverse=True)

    @cached_property
    def table(self) -> "csr_array[np.float64]":
        """1 where a unit has an answer of the cell, shape (u, n_cells)."""
        from scipy.sparse import csr_array  # noqa: PLC0415 - importing scoring loads numpy only

        cells, cell = self._cell_of_answer
        shape = len(self.answers.units), len(cells)
        return csr_array((np.ones(len(cell)), (self.answers.unit, cell)), shape)

    @cached_property
    def transposed(self) -> "csr_array[np.float64]":
        """The table of cells by units, which is multiplied in each round."""
        return self.table.T.tocsr()

    def improve(self, posterior: FloatArray) -> FloatArray:
        """One round of EM: parameters from the posterior, shape (u, k), and a new posterior."""
        share = np.maximum(posterior.mean(axis=0), SMALLEST)
        expected = np.maximum(np.asarray(self.transposed @ posterior), SMALLEST)
        of_person = np.add.reduceat(expected, self.first_of_person, axis=0)
        log_confusion = np.log(expected / of_person[self.person])
        return probabilities(self.table @ log_confusion + np.log(share))

    def of_all_categories(self, posterior: FloatArray) -> FloatArray:
        """The posterior with a column for each category, shape (u, c)."""
        spread = np.zeros((len(posterior), self.answers.n_categories))
        spread[:, self.used] = posterior
        return spread


def _ability(answers: FirstAnswers, posterior: FloatArray) -> FloatArray:
    """Expected share of each person's answers that are right, shape (p,)."""
    is_right = answers.of_answer(posterior)
    return ratio(answers.per_person(is_right), answers.per_person(np.ones(len(is_right))))


def _confusion(answers: FirstAnswers, posterior: FloatArray) -> FloatArray:
    """Confusion matrix of each person, shape (p, c, c); see `LabelModel`."""
    shape = len(answers.people), answers.n_categories, answers.n_categories
    expected = np.zeros(shape)
    for k, probability in enumerate(posterior.T):
        chosen = (answers.annotator, answers.category)
        np.add.at(expected[:, k], chosen, probability[answers.unit])
    n = expected.sum(axis=2, keepdims=True)
    n[n < MIN_EXPECTED_ANSWERS] = 0
    return ratio(expected, np.broadcast_to(n, shape))
