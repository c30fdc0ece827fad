"""How close answers are to those of other people: what the alternative annotator test compares.

Symbols: m answers of people; n units; c things that can be chosen; t tuples of k items.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.best_worst.judgments import BestWorst
from scoring.distributions import normal_tails, student_tails
from scoring.groups import ratio
from scoring.labels.labels import Labels
from scoring.ratings.ratings import Ratings

# Fewer pools are taken for their items.
MIN_POOLS = 6
# Scores in a random order that tell how the picks of a model vary by chance.
N_SHUFFLES = 200
# Two distances no farther apart than this are equal but for rounding.
SAME = 1e-9


@dataclass(frozen=True, eq=False)
class Alignment:
    """How close each answer, and the model's, is to the other people's answers to its unit.

    `person` and `of_person`, `of_model` have a value for each answer that can be compared.
    """

    person: IntArray
    of_person: FloatArray
    of_model: FloatArray
    n_people: int
    # Answers that could be compared if the model said something of every unit.
    n_answers: int
    # That the model is no closer to people than its shuffled answers, or one answer for all.
    p_of_chance: float


def p_below(mean: float, variance: float, n: int) -> float:
    """One-sided p-value of a mean that should be below 0, by Student's t."""
    # Of equal values, rounding leaves a variance of some 1e-17, and a mean of some 1e-16.
    if variance <= SAME**2:
        return float(mean >= -SAME)
    return student_tails(mean / np.sqrt(variance / n), n - 1).lower


def of_ratings(ratings: Ratings, model: FloatArray, pool: IntArray | None) -> Alignment:
    """Close: a small distance from the mean of the others.

    The root mean squared distance from their ratings has the same order: its square has the
    variance of the others beside this one.
    """
    n = ratings.answers_per_unit()
    is_comparable = (n >= 2)[ratings.unit]
    rows = is_comparable & np.isfinite(model)[ratings.unit]
    unit, value = ratings.unit[rows], ratings.value[rows]
    total = np.bincount(unit, value, minlength=len(n))
    others = (total[unit] - value) / (n[unit] - 1)
    units = np.unique(unit)
    mean, answer = total[units] / n[units], model[units]
    # Of answers in a random order, the squared distance is greater by twice the covariance.
    of_shuffled = (answer - _mean(answer)) * (mean - _mean(mean))
    of_constant = (_mean(mean) - mean) ** 2 - (answer - mean) ** 2
    return Alignment(
        ratings.annotator[rows],
        -np.abs(value - others),
        -np.abs(model[unit] - others),
        ratings.n_annotators,
        int(is_comparable.sum()),
        _p_of_chance((of_shuffled, of_constant), None if pool is None else pool[units]),
    )


def of_labels(labels: Labels, model: FloatArray, pool: IntArray | None) -> Alignment:
    """Close: the same category as many of the others."""
    if labels.is_several:
        raise ValueError("answers name several categories, so no category is the model's")
    is_known = np.isfinite(model) & (model >= 0)
    category = np.where(is_known, model, 0).astype(np.int64)
    if (category >= labels.n_categories).any():
        raise ValueError(f"the model names a category beyond the {labels.n_categories} there are")
    own = labels.chosen.argmax(axis=1)
    is_comparable = (labels.answers_per_unit() >= 2)[labels.unit]
    rows = is_comparable & is_known[labels.unit]
    choices = _Choices(labels.unit[rows], own[rows], category, labels.n_categories)
    units = np.unique(choices.unit)
    shares, named = choices.shares[units], category[units]
    # The category that the model names, less how often it is chosen anyway; and less the most
    # frequent one.
    usual = shares.mean(axis=0) if len(units) else np.zeros(labels.n_categories)
    of_model = choices.of_units[units]
    of_constant = of_model - shares[:, usual.argmax()]
    return Alignment(
        labels.annotator[rows],
        choices.of_person,
        choices.of_model,
        labels.n_annotators,
        int(is_comparable.sum()),
        _p_of_chance(
            (of_model - usual[named], of_constant), None if pool is None else pool[units]
        ),
    )


def _mean(values: FloatArray) -> float:
    return float(values.mean()) if len(values) else np.nan


def _p_of_chance(gains: Sequence[FloatArray], pool: IntArray | None) -> float:
    """The greatest one-sided p-value of gains over units, (n,), whose means should be above 0."""
    return max(_p_of_gain(gain, pool) for gain in gains)


def _p_of_gain(gain: FloatArray, pool: IntArray | None) -> float:
    sums: FloatArray = gain
    if pool is not None and len(np.unique(pool)) >= MIN_POOLS:
        sums = np.bincount(np.unique(pool, return_inverse=True)[1], gain).astype(np.float64)
    if len(sums) < 2:
        return np.nan
    return p_below(-float(sums.mean()), float(sums.var(ddof=1)), len(sums))


def of_best_worst(answers: BestWorst, model: FloatArray) -> Alignment:
    """Close: the same best and worst items as many of the others; each counts a half."""
    if answers.annotator is None:
        raise ValueError("it is not known who gave the answers")
    number, k = answers.tuple_number, answers.tuple_size
    has_two = answers.answers_per_tuple() >= 2
    best_slot, worst_slot, is_clear = _picks(answers.tuples, model)
    rows: BoolArray = (has_two & is_clear)[number]
    best = _Choices(number[rows], answers.slots("best")[rows], best_slot, k)
    worst = _Choices(number[rows], answers.slots("worst")[rows], worst_slot, k)
    people, person = np.unique(answers.annotator[rows], return_inverse=True)
    return Alignment(
        person,
        (best.of_person + worst.of_person) / 2,
        (best.of_model + worst.of_model) / 2,
        len(people),
        int(has_two[number].sum()),
        _p_of_picks(answers, model, best.shares, worst.shares),
    )


def _picks(tuples: IntArray, scores: FloatArray) -> tuple[IntArray, IntArray, BoolArray]:
    """Slots of the highest and the lowest score of each tuple, and whether both are single."""
    of_tuples: FloatArray = scores[tuples]
    ordered = np.sort(of_tuples, axis=1)
    is_clear = np.isfinite(of_tuples).all(axis=1)
    is_clear &= (ordered[:, 0] < ordered[:, 1]) & (ordered[:, -2] < ordered[:, -1])
    of_tuples = np.where(is_clear[:, None], of_tuples, 0)
    return of_tuples.argmax(axis=1), of_tuples.argmin(axis=1), is_clear


def _p_of_picks(
    answers: BestWorst, model: FloatArray, best: FloatArray, worst: FloatArray
) -> float:
    """One-sided p-value of as many right picks, if the model's scores say nothing of the items.

    Tuples share items, so how this varies is told by scores in a random order.

    Parameters
    ----------
    best, worst : float array, shape (t, k)
        Share of the people who pick each slot; nan for tuples that are not compared.
    """
    compared = np.isfinite(best[:, 0])
    tuples, best, worst = answers.tuples[compared], best[compared], worst[compared]

    def hits(scores: FloatArray) -> float:
        highest, lowest, is_clear = _picks(tuples, scores)
        row = np.flatnonzero(is_clear)
        if not len(row):
            return np.nan
        return float((best[row, highest[row]] + worst[row, lowest[row]]).mean())

    known = np.unique(tuples)
    if len(known) < 3:
        return np.nan
    rng = np.random.default_rng(len(known))
    shuffled = model.copy()
    draws = []
    for _shuffle in range(N_SHUFFLES):
        shuffled[known] = rng.permutation(model[known])
        draws.append(hits(shuffled))
    spread = float(np.std(draws))
    if not spread > SAME:
        return 1.0
    return normal_tails((hits(model) - float(np.mean(draws))) / spread).upper


@dataclass(frozen=True, eq=False)
class _Choices:
    """Choices of one of c things for each unit: of people, (m,), and of the model, (n,).

    Every unit with answers has at least two.
    """

    unit: IntArray
    own: IntArray
    model: IntArray
    c: int

    @cached_property
    def counts(self) -> IntArray:
        """How often people choose each thing, shape (n, c)."""
        cells = self.unit * self.c + self.own
        n = len(self.model)
        return np.bincount(cells, minlength=n * self.c).reshape(n, self.c)

    @property
    def shares(self) -> FloatArray:
        """The same as shares, nan for units without answers."""
        return ratio(self.counts, self.counts.sum(axis=1, keepdims=True))

    @property
    def of_units(self) -> FloatArray:
        """Share of the people who choose the same as the model, shape (n,)."""
        return np.take_along_axis(self.shares, self.model[:, None], axis=1)[:, 0]

    @property
    def of_person(self) -> FloatArray:
        """Share of the others who choose the same as each person, shape (m,)."""
        same: IntArray = self.counts[self.unit, self.own] - 1
        return same / self._n_others

    @property
    def of_model(self) -> FloatArray:
        """Share of the same others who choose the same as the model, shape (m,)."""
        model = self.model[self.unit]
        same: IntArray = self.counts[self.unit, model] - (model == self.own)
        return same / self._n_others

    @property
    def _n_others(self) -> IntArray:
        n_others: IntArray = self.counts.sum(axis=1)[self.unit] - 1
        return n_others
