"""The alternative annotator test: may a model answer in place of people? [Calderon2025]

Each person is left out in turn. On each of their units, both the person and the model are
compared with the other people: who is closer to them? The model wins against a person if it is at
least as close significantly more often than the person is, less a bonus: epsilon, what it is worth
that a model costs less. A model that wins against at least half of the people may stand in for
them.

Where people hardly agree, a model that answers at random is as close to them as they are to one
another. So it must also be closer to people than its own answers are if they are shuffled.

Symbols: m answers of people; n units; g people.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.best_worst.judgments import BestWorst
from scoring.distributions import student_tails
from scoring.groups import ratio
from scoring.json_values import JsonObject, json_number, json_numbers
from scoring.labels.labels import Labels
from scoring.ratings.ratings import Ratings
from shell.messages import Message
from shell.messages import message as _

# People with fewer comparable answers are not tested, and of fewer people nothing is said: both
# are what the authors recommend.
MIN_ANSWERS, MIN_PEOPLE = 30, 3
# The bonus of a model: for crowds, for trained people such as students, and for experts.
EPSILONS: Sequence[float] = (0.1, 0.15, 0.2)
# Of the people against whom the model is said to win, about 5 % or fewer are expected to be wrong.
FALSE_DISCOVERY_RATE = 0.05
MIN_WINNING_RATE = 0.5
# A model at random is closer to people than its shuffled answers in one study of a thousand.
MAX_P_OF_CHANCE = 0.001
# Two distances no farther apart than this are equal but for rounding.
SAME = 1e-9


@dataclass(frozen=True, eq=False)
class AlternativeAnnotatorTest:
    """How often a model is at least as close to people as they are to one another.

    Parameters
    ----------
    epsilon : float
        The model's bonus, in [0, 1].
    advantage : float array, shape (g,)
        Share of each person's answers for which the model is at least as close to the others; nan
        for people who are not tested.
    p : float array, shape (g,)
        One-sided p-value of the test against each person, not adjusted; nan without one.
    is_won : bool array, shape (g,)
        Against whom the model wins, after adjustment over people [BY2001].
    n_answers : int array, shape (g,)
        Answers of each person that could be compared.
    p_of_chance : float
        One-sided p-value of the test that the model is no closer to people than its shuffled
        answers; nan without a test.
    reason : Message or None
        Why the test says nothing.
    """

    epsilon: float
    advantage: FloatArray
    p: FloatArray
    is_won: BoolArray
    n_answers: IntArray
    p_of_chance: float
    reason: Message | None = None

    @property
    def n_tested(self) -> int:
        """People who are tested."""
        return int((~np.isnan(self.p)).sum())

    @property
    def winning_rate(self) -> float:
        """Share of the tested people against whom the model wins; nan without any."""
        if self.reason or not self.n_tested:
            return float("nan")
        return float(self.is_won.sum() / self.n_tested)

    @property
    def mean_advantage(self) -> float:
        """Mean over the tested people of `advantage`; nan without any."""
        known = self.advantage[~np.isnan(self.advantage)]
        return float(known.mean()) if len(known) and not self.reason else float("nan")

    @property
    def is_above_chance(self) -> bool:
        """Whether the model is closer to people than its shuffled answers are."""
        return self.p_of_chance < MAX_P_OF_CHANCE

    @property
    def may_stand_in(self) -> bool:
        """Whether the model passes: it is above chance, and wins against at least half."""
        return self.is_above_chance and self.winning_rate >= MIN_WINNING_RATE

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return _(
            "Alternative annotator test [Calderon2025]: each person is left out in turn, and both"
            " the person and the model are compared with the other people. The model wins against"
            " a person if it is at least as close to the others significantly more often than the"
            " person is, less a bonus ε for its lower cost (one-sided t-tests over the items,"
            " false discovery rate .05 [BY2001]). It passes if it wins against at least half of"
            " the people, and if it is closer to people than its own answers in a random order"
            " (p < .001). People with fewer than %(n)s answers are not tested. The test says"
            " nothing about items of other kinds, or about other people.",
            n=MIN_ANSWERS,
        )

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        return {
            "definition": self.definition,
            "epsilon": self.epsilon,
            "winning_rate": json_number(self.winning_rate),
            "mean_advantage": json_number(self.mean_advantage),
            "n_tested": self.n_tested,
            "n_won": int(self.is_won.sum()),
            "p_of_chance": json_number(self.p_of_chance),
            "is_above_chance": self.is_above_chance,
            "may_stand_in": self.may_stand_in,
            "advantage": json_numbers(self.advantage),
            "p": json_numbers(self.p),
            "is_won": self.is_won.tolist(),
            "n_answers": self.n_answers.tolist(),
            "reason": self.reason,
        }


@dataclass(frozen=True, eq=False)
class _Alignment:
    """How close each answer, and the model's, is to the other people's answers to its unit.

    `person` and `of_person`, `of_model` have a value for each answer that can be compared; `gain`
    has one for each unit: how much closer the model is than its shuffled answers.
    """

    person: IntArray
    of_person: FloatArray
    of_model: FloatArray
    gain: FloatArray
    n_people: int


Answers: TypeAlias = Ratings | Labels | BestWorst


def alternative_annotator_test(
    answers: Answers, model: npt.ArrayLike, *, epsilon: float = 0.1
) -> AlternativeAnnotatorTest:
    """Test whether a model may answer in place of people.

    Parameters
    ----------
    answers : Ratings, Labels or BestWorst
        m answers of people. Of several ratings or labels of a person of one unit, the first
        counts. Best-worst answers must say who gave them.
    model : float array, shape (n,)
        What the model says of each unit: a rating on the scale of the people; the number of a
        category; or, of best-worst answers, a score of each item, of which the highest in a tuple
        is its best and the lowest its worst. nan (labels: also -1) where it says nothing.
    epsilon : float
        The model's bonus, in [0, 1]: see `EPSILONS`.

    Raises
    ------
    ValueError
        If the model does not fit the units, epsilon is not in [0, 1], answers name several
        categories, or it is not known who gave best-worst answers.

    References
    ----------
    [BY2001], [Calderon2025] in docs/references.md
    """
    values = np.asarray(model, dtype=np.float64)
    n = answers.n_items if isinstance(answers, BestWorst) else answers.n_units
    if values.shape != (n,):
        raise ValueError(f"the model has shape {values.shape}, but there are {n} units")
    if not 0 <= epsilon <= 1:
        raise ValueError(f"epsilon must be between 0 and 1, not {epsilon:g}")
    if isinstance(answers, BestWorst):
        return _test(_of_best_worst(answers, values), epsilon)
    if isinstance(answers, Labels):
        return _test(_of_labels(answers.first_answers(), values), epsilon)
    return _test(_of_ratings(answers.first_answers(), values), epsilon)


def _test(alignment: _Alignment, epsilon: float) -> AlternativeAnnotatorTest:
    better = alignment.of_model > alignment.of_person + SAME
    worse = alignment.of_person > alignment.of_model + SAME
    n = np.bincount(alignment.person, minlength=alignment.n_people)

    def mean(values: npt.ArrayLike) -> FloatArray:
        return ratio(np.bincount(alignment.person, values, minlength=alignment.n_people), n)

    is_tested = n >= MIN_ANSWERS
    # How often the person is at least as close, less how often the model is.
    difference = mean(worse) - mean(better)
    variance = (mean(worse | better) - difference**2) * n / np.maximum(n - 1, 1)
    p = np.array(
        [
            _p_below(d - epsilon, v, count) if tested else np.nan
            for d, v, count, tested in zip(difference, variance, n, is_tested, strict=True)
        ]
    )
    gain, units = alignment.gain, len(alignment.gain)
    is_won = _won(p)
    reason = None
    if is_tested.sum() < MIN_PEOPLE:
        reason = _(
            "it needs at least %(least)s people with %(answers)s answers each to items that others"
            " answered, too (here: %(n)s)",
            least=MIN_PEOPLE,
            answers=MIN_ANSWERS,
            n=int(is_tested.sum()),
        )
    return AlternativeAnnotatorTest(
        epsilon,
        np.where(is_tested, 1 - mean(worse), np.nan),
        p,
        is_won & (reason is None),
        n,
        _p_below(-gain.mean(), gain.var(ddof=1), units) if units > 1 else np.nan,
        reason,
    )


def _p_below(mean: float, variance: float, n: int) -> float:
    """One-sided p-value of a mean that should be below 0, by Student's t."""
    # Of equal values, rounding leaves a variance of some 1e-17.
    if variance <= SAME**2:
        return float(mean >= 0)
    return student_tails(mean / np.sqrt(variance / n), n - 1).lower


def _won(p: FloatArray) -> BoolArray:
    from scipy.stats import (  # noqa: PLC0415 - importing scoring loads numpy only
        false_discovery_control,
    )

    is_won = np.zeros(len(p), dtype=np.bool_)
    tested = ~np.isnan(p)
    if tested.any():
        adjusted = false_discovery_control(p[tested], method="by")
        is_won[tested] = adjusted <= FALSE_DISCOVERY_RATE
    return is_won


def _of_ratings(ratings: Ratings, model: FloatArray) -> _Alignment:
    """Close: a small distance from the mean of the others.

    The root mean squared distance from their ratings has the same order: its square has the
    variance of the others beside this one.
    """
    n = ratings.answers_per_unit()
    rows = (n[ratings.unit] >= 2) & np.isfinite(model[ratings.unit])
    unit, value = ratings.unit[rows], ratings.value[rows]
    total = np.bincount(unit, value, minlength=len(n))
    others = (total[unit] - value) / (n[unit] - 1)
    units = np.unique(unit)
    centre, answer = total[units] / n[units], model[units]
    # Of shuffled answers, the mean of their squared distances.
    shuffled = answer.var() + (answer.mean() - centre) ** 2 if len(answer) else answer
    return _Alignment(
        ratings.annotator[rows],
        -np.abs(value - others),
        -np.abs(model[unit] - others),
        shuffled - (answer - centre) ** 2,
        ratings.n_annotators,
    )


def _of_labels(labels: Labels, model: FloatArray) -> _Alignment:
    """Close: the same category as many of the others."""
    if labels.is_several:
        raise ValueError("answers name several categories, so no category is the model's")
    is_known = np.isfinite(model) & (model >= 0)
    category = np.where(is_known, model, 0).astype(np.int64)
    if (category >= labels.n_categories).any():
        raise ValueError(f"the model names a category beyond the {labels.n_categories} there are")
    own = labels.chosen.argmax(axis=1)
    rows = (labels.answers_per_unit() >= 2)[labels.unit] & is_known[labels.unit]
    choices = _Choices(labels.unit[rows], own[rows], category, labels.n_categories)
    # Shuffled answers of the model are its categories in the same shares.
    units = np.unique(choices.unit)
    of_shuffled = np.bincount(category[units], minlength=labels.n_categories) / max(len(units), 1)
    return _Alignment(
        labels.annotator[rows],
        choices.of_person,
        choices.of_model,
        (choices.of_units - choices.shares @ of_shuffled)[units],
        labels.n_annotators,
    )


def _of_best_worst(answers: BestWorst, model: FloatArray) -> _Alignment:
    """Close: the same best and worst items as many of the others; each counts a half."""
    if answers.annotator is None:
        raise ValueError("it is not known who gave the answers")
    scores: FloatArray = model[answers.tuples]
    is_comparable = (answers.answers_per_tuple() >= 2) & np.isfinite(scores).all(axis=1)
    scores[~is_comparable] = 0
    number, k = answers.tuple_number, answers.tuple_size
    rows: BoolArray = is_comparable[number]
    best = _Choices(number[rows], answers.slots("best")[rows], scores.argmax(axis=1), k)
    worst = _Choices(number[rows], answers.slots("worst")[rows], scores.argmin(axis=1), k)
    people, person = np.unique(answers.annotator[rows], return_inverse=True)
    # Slots are in no order, so the picks of shuffled scores are any of the k.
    gain = (best.of_units + worst.of_units) / 2 - 1 / k
    return _Alignment(
        person,
        (best.of_person + worst.of_person) / 2,
        (best.of_model + worst.of_model) / 2,
        gain[np.unique(number[rows])],
        len(people),
    )


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
