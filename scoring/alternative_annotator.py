"""The alternative annotator test: may a model answer in place of people? [Calderon2025]

Each person is left out in turn. On each of their units, both the person and the model are
compared with the other people: who is closer to them? The model wins against a person if it is at
least as close significantly more often than the person is, less a bonus: epsilon, what it is worth
that a model costs less. A model that wins against at least half of the people may stand in for
them.

Where people hardly agree, a model that answers at random, or always the same, is as close to them
as they are to one another. So it must also be closer to people than its own answers are if they
are shuffled, and than the best answer that is the same for all units.

Symbols: m answers of people; n units; g people.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.best_worst.judgments import BestWorst
from scoring.closeness import SAME, Alignment, of_best_worst, of_labels, of_ratings, p_below
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
# A model that answers only what it is sure of is no alternative for people, who answer everything.
MIN_COVERAGE = 0.9


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
        One-sided p-value of the tests that the model is no closer to people than its shuffled
        answers, and than one answer for all units: the greater of the two; nan without a test.
    coverage : float
        Share of the people's answers to units with several for which the model says something.
    reason : Message or None
        Why the test says nothing.
    """

    epsilon: float
    advantage: FloatArray
    p: FloatArray
    is_won: BoolArray
    n_answers: IntArray
    p_of_chance: float
    coverage: float
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
        """Whether the model is closer to people than its shuffled answers, and one answer, are."""
        return self.p_of_chance < MAX_P_OF_CHANCE

    @property
    def is_covering(self) -> bool:
        """Whether the model answers nearly everything that people answer."""
        return self.coverage >= MIN_COVERAGE

    @property
    def may_stand_in(self) -> bool:
        """Whether the model passes: it wins against at least half, and meets our conditions."""
        is_sound = self.is_above_chance and self.is_covering
        return is_sound and self.winning_rate >= MIN_WINNING_RATE

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return _(
            "Alternative annotator test [Calderon2025]: each person is left out in turn, and both"
            " the person and the model are compared with the other people. The model wins against"
            " a person if it is at least as close to the others significantly more often than the"
            " person is, less a bonus ε for its lower cost (one-sided t-tests over the items,"
            " false discovery rate .05 [BY2001]). It passes if it wins against at least half of"
            " the people, answers at least 90 %% of the items, and is closer to people than its"
            " own answers in a random order and than one answer for all items (p < .001 each)."
            " People with fewer than %(n)s answers are not tested. The tests against people take"
            " items as independent. They say nothing about items of other kinds, or about other"
            " people.",
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
            "coverage": json_number(self.coverage),
            "may_stand_in": self.may_stand_in,
            "advantage": json_numbers(self.advantage),
            "p": json_numbers(self.p),
            "is_won": self.is_won.tolist(),
            "n_answers": self.n_answers.tolist(),
            "reason": self.reason,
        }


Answers: TypeAlias = Ratings | Labels | BestWorst


def alternative_annotator_test(
    answers: Answers,
    model: npt.ArrayLike,
    *,
    epsilon: float = 0.1,
    pool: IntArray | None = None,
) -> AlternativeAnnotatorTest:
    """Test whether a model may answer in place of people.

    Parameters
    ----------
    answers : Ratings, Labels or BestWorst
        m answers of people. Of several ratings or labels of a person of one unit, the first
        counts. Best-worst answers must say who gave them; a person answers a tuple once.
    model : float array, shape (n,)
        What the model says of each unit: a rating on the scale of the people; the number of a
        category; or, of best-worst answers, a score of each item, of which the highest in a tuple
        is its best and the lowest its worst; it says nothing of a tuple in which several are.
        nan (labels: also -1) where it says nothing.
    epsilon : float
        The model's bonus, in [0, 1]: see `EPSILONS`.
    pool : int array, shape (n,), optional
        Pool of each unit, of ratings and labels: units of a pool may resemble one another. Counts
        in the tests of chance, from 6 pools on.

    Raises
    ------
    ValueError
        If the model does not fit the units, epsilon is not in [0, 1], answers name several
        categories, or it is not known who gave best-worst answers.

    References
    ----------
    [BY2001], [Calderon2025] in docs/references.md
    """
    (test,) = alternative_annotator_tests(answers, model, epsilons=[epsilon], pool=pool)
    return test


def alternative_annotator_tests(
    answers: Answers,
    model: npt.ArrayLike,
    *,
    epsilons: Sequence[float] = EPSILONS,
    pool: IntArray | None = None,
) -> list[AlternativeAnnotatorTest]:
    """`alternative_annotator_test` with several bonuses, which takes hardly longer than with one.

    Raises ValueError as that does.
    """
    values = np.asarray(model, dtype=np.float64)
    n = answers.n_items if isinstance(answers, BestWorst) else answers.n_units
    if values.shape != (n,):
        raise ValueError(f"the model has shape {values.shape}, but there are {n} units")
    for epsilon in epsilons:
        if not 0 <= epsilon <= 1:
            raise ValueError(f"epsilon must be between 0 and 1, not {epsilon:g}")
    alignment = _alignment(answers, values, pool)
    return [_test(alignment, epsilon) for epsilon in epsilons]


def _alignment(answers: Answers, model: FloatArray, pool: IntArray | None) -> Alignment:
    if isinstance(answers, BestWorst):
        return of_best_worst(answers, model)
    if isinstance(answers, Labels):
        return of_labels(answers.first_answers(), model, pool)
    return of_ratings(answers.first_answers(), model, pool)


def _test(alignment: Alignment, epsilon: float) -> AlternativeAnnotatorTest:
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
            p_below(d - epsilon, v, count) if tested else np.nan
            for d, v, count, tested in zip(difference, variance, n, is_tested, strict=True)
        ]
    )
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
        alignment.p_of_chance,
        len(alignment.person) / alignment.n_answers if alignment.n_answers else np.nan,
        reason,
    )


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
