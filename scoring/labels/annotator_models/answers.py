"""What the models of annotators are fitted to: each person's first answer about each unit."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.groups import group_sums
from scoring.labels.agreement import NO_ANSWERS
from scoring.labels.labels import Labels
from shell.messages import Message
from shell.messages import message as _

SEVERAL_CATEGORIES = _(
    "The models are for answers of one category each, but an answer can name several here."
)
TOO_FEW_CATEGORIES = _("There are fewer than two categories.")


@dataclass(frozen=True, eq=False)
class FirstAnswers:
    """The first answers, in which only people and units with answers have a number.

    Parameters
    ----------
    people, units : int array, shapes (p,) and (u,)
        Numbers in the batch of the people and of the units that have answers, ascending.
    annotator, unit, category : int array, shape (m,)
        Place in `people` and in `units`, and the category, 0..c-1, of each answer. Rows are sorted
        by unit, then by person, so the order of the batch cannot change what is computed.
    n_categories : int
        Number of categories, c, including those that nobody chose.
    """

    people: IntArray
    units: IntArray
    annotator: IntArray
    unit: IntArray
    category: IntArray
    n_categories: int

    @cached_property
    def place_of_unit(self) -> IntArray:
        """Place of each answer in a flat array of units by categories, shape (m,)."""
        return np.asarray(self.unit * self.n_categories + self.category)

    @cached_property
    def place_of_person(self) -> IntArray:
        """Place of each answer in a flat array of people by categories, shape (m,)."""
        return np.asarray(self.annotator * self.n_categories + self.category)

    def per_unit(self, values: FloatArray) -> FloatArray:
        """Sum a value of each answer, shape (m,), over the answers of each unit, shape (u,)."""
        return group_sums(values, self.unit, n_groups=len(self.units))

    def per_person(self, values: FloatArray) -> FloatArray:
        """Sum a value of each answer, shape (m,), over those of each person, shape (p,)."""
        return group_sums(values, self.annotator, n_groups=len(self.people))

    def per_unit_and_category(self, values: FloatArray) -> FloatArray:
        """Sum a value of each answer over the answers of a unit in a category, shape (u, c)."""
        return self._table(values, self.place_of_unit, len(self.units))

    def per_person_and_category(self, values: FloatArray) -> FloatArray:
        """Sum a value of each answer over the answers of a person in a category, shape (p, c)."""
        return self._table(values, self.place_of_person, len(self.people))

    def of_answer(self, posterior: FloatArray) -> FloatArray:
        """Probability, of those of each unit, (u, c), that each answer is right, shape (m,)."""
        return np.asarray(posterior.ravel()[self.place_of_unit])

    def shares(self) -> FloatArray:
        """Share of a unit's answers that name each category, shape (u, c)."""
        counts = self.per_unit_and_category(np.ones(len(self.unit)))
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))

    def _table(self, values: FloatArray, place: IntArray, n_rows: int) -> FloatArray:
        shape = n_rows, self.n_categories
        return group_sums(values, place, n_groups=shape[0] * shape[1]).reshape(shape)


def first_answers(labels: Labels) -> FirstAnswers:
    """Take each person's first answer about each unit."""
    first = labels.first_answers()
    by_unit = np.lexsort((first.annotator, first.unit))
    people, annotator = np.unique(first.annotator[by_unit], return_inverse=True)
    units, unit = np.unique(first.unit[by_unit], return_inverse=True)
    category = first.distinct[1][by_unit]
    return FirstAnswers(people, units, annotator, unit, category, labels.n_categories)


def why_no_model(labels: Labels) -> Message | None:
    """Why no model can be fitted to these answers; None if one can."""
    if labels.is_several:
        return SEVERAL_CATEGORIES
    if labels.n_categories < 2:
        return TOO_FEW_CATEGORIES
    return None if labels.n_answers else NO_ANSWERS
