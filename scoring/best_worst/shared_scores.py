"""What the answers of different people agree in, as a share of what all answers agree in.

An item's score is a sum over the answers that show it. So its square is a sum over pairs of
answers: of each answer with itself, which holds its noise; of one person's answers to two tuples,
which hold that person's taste; and of two people's, which hold only what the two have in common.
Pairs that are missing are made up for by those of the same item that are there [Hoeffding1948].

Symbols: m answers to t tuples of k items; n items; p people.
"""

import math
from dataclasses import dataclass

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.best_worst.judgments import BestWorst
from scoring.shared_noise import error_of_shared_noise, in_groups, products_of_people

# Less than this share of something is rounding.
_LEAST = 1e-9


@dataclass(frozen=True, eq=False)
class ScoreParts:
    """What each answer adds to the score of each item that it shows.

    Each tuple counts alike in an item's score, however many answers it has.

    Parameters
    ----------
    answers : BestWorst
    place : int array, shape (m * k,)
        Place in a tuple that each part is of, 0 .. t * k - 1.
    item : int array, shape (m * k,)
        Item at this place.
    weight : float array, shape (m * k,)
        What one point counts in the item's score.
    points : float array, shape (m * k,)
        Points times the weight.
    """

    answers: BestWorst
    place: IntArray
    item: IntArray
    weight: FloatArray
    points: FloatArray

    @classmethod
    def of(cls, answers: BestWorst) -> "ScoreParts":
        """Take the scores of these answers apart."""
        k, n_answers = answers.tuple_size, answers.answers_per_tuple()
        place = (answers.tuple_number[:, None] * k + np.arange(k)).ravel()
        item = answers.tuples.ravel()[place]
        shown = answers.tuples[n_answers > 0]
        n_tuples = np.bincount(shown.ravel(), minlength=answers.n_items)
        weight = 1 / (n_answers[answers.tuple_number].repeat(k) * n_tuples[item])
        return cls(answers, place, item, weight, answers.slot_points().ravel() * weight)

    @property
    def scores(self) -> FloatArray:
        """Score of each item, shape (n,)."""
        return self._of_items(self.item, self.points)

    @property
    def person(self) -> IntArray | None:
        """Who added each part, shape (m * k,)."""
        annotator = self.answers.annotator
        return None if annotator is None else annotator.repeat(self.answers.tuple_size)

    def share_of_different_people(self) -> float:
        """Agreement of different people's answers over that of all different answers, in [0, 1].

        1 if the answers do not say who gave them, or agree in nothing; nan if no item was answered
        by two people.
        """
        of_different_people, overall, n_items = self.agreements()
        if not n_items:
            return math.nan
        if overall <= 0:
            return 1.0
        return min(max(of_different_people / overall, 0.0), 1.0)

    def agreements(self) -> tuple[float, float, int]:
        """Agreement of different people's answers, and of all different answers, about some items.

        Each is what the sum of the squared scores would be without the noise of the answers. The
        third number is that of the items. The others have answers to several tuples, all by one
        person.
        """
        item_of_place = self.answers.tuples.ravel()
        within_tuples = self._of_items(item_of_place, self._of_tuples() * self._made_up())
        across, of_all_pairs = self._across_tuples()
        n_shown = len(self.answers.shown_items())
        if self.person is None:
            overall = float((within_tuples + across).sum())
            return overall, overall, n_shown
        own, of_own_pairs = self._of_same_person()
        of_others = of_all_pairs - of_own_pairs
        is_alone = (of_others < _LEAST * of_all_pairs) & (of_all_pairs > 0)
        made_up = np.where(of_others > 0, of_all_pairs / np.where(of_others > 0, of_others, 1), 1)
        by_others = within_tuples + (across - own) * made_up
        overall = float((within_tuples + across)[~is_alone].sum())
        return float(by_others[~is_alone].sum()), overall, n_shown - int(is_alone.sum())

    def error(self) -> float:
        """Standard error of the agreement of different people.

        Raises
        ------
        ValueError
            If the answers do not say who gave them.
        """
        if self.answers.annotator is None or self.person is None:
            raise ValueError("the error is one between people: say who gave which answer")
        person = in_groups(self.answers.annotator).repeat(self.answers.tuple_size)
        made_up = self._made_up()
        means = self._of_places() / np.maximum(self._n_in_place(), 1)
        residual = (self.points - means[self.place]) * np.sqrt(made_up[self.place])
        within_tuples, overall = (
            products_of_people(person, place, residual, n_places=int(place.max()) + 1)
            for place in (self.place, self.item)
        )
        of_all, of_own = self._across_tuples()[1].sum(), self._of_same_person()[1].sum()
        of_pairs = of_all / (of_all - of_own) if of_all - of_own > _LEAST * of_all else 1.0
        of_tuples = float(made_up[self.place].mean())
        across = of_pairs * (overall - within_tuples)
        return error_of_shared_noise(of_tuples * within_tuples + across)

    def _n_in_place(self) -> IntArray:
        return self.answers.answers_per_tuple().repeat(self.answers.tuple_size)

    def _made_up(self) -> FloatArray:
        """What pairs of answers count, to stand for an answer with itself, too, shape (t k,)."""
        n = self._n_in_place()
        made_up: FloatArray = np.where(n > 1, n / np.maximum(n - 1, 1), 0.0)
        return made_up

    def _of_places(self, power: int = 1) -> FloatArray:
        n_places = self.answers.tuples.size
        return np.bincount(self.place, self.points**power, n_places).astype(np.float64)

    def _of_items(self, item: IntArray, values: FloatArray | None = None) -> FloatArray:
        sums = np.bincount(item, values, minlength=self.answers.n_items)
        return sums.astype(np.float64)

    def _of_tuples(self) -> FloatArray:
        """Products of different answers to one tuple, shape (t k,)."""
        of_places: FloatArray = self._of_places() ** 2 - self._of_places(2)
        return of_places

    def _across_tuples(self) -> tuple[FloatArray, FloatArray]:
        """Products of answers to different tuples, and of their weights, shape (n,) each."""
        item_of_place = self.answers.tuples.ravel()
        products = self.scores**2 - self._of_items(item_of_place, self._of_places() ** 2)
        weights = np.bincount(self.place, self.weight, len(item_of_place)).astype(np.float64) ** 2
        of_items = self._of_items(self.item, self.weight) ** 2
        return products, of_items - self._of_items(item_of_place, weights)

    def _of_same_person(self) -> tuple[FloatArray, FloatArray]:
        """Products of one person's answers to different tuples, and of their weights, (n,)."""
        in_items, weights = self._squares_by_person(self.item)
        in_places, weights_in_places = self._squares_by_person(self.place)
        return in_items - in_places, weights - weights_in_places

    def _squares_by_person(self, group: IntArray) -> tuple[FloatArray, FloatArray]:
        """Squares of what a person adds to a group of parts of one item, summed by item, (n,).

        And of their weights.
        """
        assert self.person is not None  # whoever asks has people
        cells = self.person * (int(group.max()) + 1) + group
        _cells, first, cell = np.unique(cells, return_index=True, return_inverse=True)
        item = self.item[first]
        points, weight = (
            np.bincount(cell, values).astype(np.float64) for values in (self.points, self.weight)
        )
        return self._of_items(item, points**2), self._of_items(item, weight**2)
