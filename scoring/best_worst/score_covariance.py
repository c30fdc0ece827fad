"""How the scores of items would vary from study to study.

The picks of every tuple have probabilities, which are fitted to all answers together: by the
max-diff model, whose points are best minus worst picks, or for orders by the Bradley-Terry model
of their pairs, which are those of a Plackett-Luce model. From these follows how the points of one
answer vary [Marley2005] [Plackett1975], and so how a score does, with one answer per tuple, too,
and where all answers were the same. A ridge keeps the fitted probabilities from 0 and 1.

People differ, and the answers of one person resemble one another. So variances are multiplied by
the ratio of the squared sums of each person's residuals to the sum of their squares, over all
items together, as in a design effect of clusters [LiangZeger1986]; never by less than 1. People
may disagree about some of the items only: if the squared sums of a single item alone give a
greater variance, it has that one.

Symbols: m judgments of t tuples of k items; n items; g people.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.best_worst.choice_fits import PoolChoices, fit_maxdiff, fit_pairs
from scoring.best_worst.counting import count
from scoring.best_worst.judgments import BestWorst
from scoring.best_worst.newton import NotConvergedError
from scoring.distributions import normal_quantile, student_quantile
from shell.messages import Message

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# A normal prior of standard deviation 1.4 in logits: in simulations (`benchmarks.coverage`)
# the intervals hold in 92 to 99 of 100 items; with .1 in as few as 85 with one answer per tuple.
MIN_RIDGE = 0.5
# The ridge of items that differ little, times the variance of their utilities. Of answers at
# random a ridge of .5 leaves utilities of chance, and 1.5 % of the pairs in a certain order.
SHRINKAGE = 0.3
LEVEL = 0.95
# Fewer people were not simulated: their intervals are those of so many.
MIN_PEOPLE = 8
# More items are fitted with a sparse matrix, which is faster from here on.
MAX_DENSE_ITEMS = 200
# An item of which one person gave nearly all answers says nothing about how people differ.
MAX_SHARE_OF_ONE = 0.99


@dataclass(frozen=True, eq=False)
class ScoreCovariance:
    """Variances of the scores and their covariances.

    Parameters
    ----------
    variance : float array, shape (n_items,)
        nan for an item that no answer showed, and of all items if the fit failed.
    covariance : sparse array, shape (n_items, n_items)
        Its diagonal is `variance`; 0 for two items that no tuple shows together.
    inflation : float
        What all variances were multiplied by at least because people differ; at least 1.
    n_people : int or None
        None if the batch does not say who answered.
    reason : Message or None
        Why the choices could not be fitted; None if they were.
    """

    variance: FloatArray
    covariance: "csr_array[np.float64]"
    inflation: float
    n_people: int | None
    reason: Message | None = None

    @property
    def quantile(self) -> float:
        """Standard errors from a score to either end of its 95 % interval.

        Student's with one degree of freedom less than people, since so many tell how people
        differ; the normal one if they are not known.
        """
        share = (1 + LEVEL) / 2
        if self.n_people is None:
            return normal_quantile(share)
        return student_quantile(share, max(self.n_people, MIN_PEOPLE) - 1)


def score_covariance(answers: BestWorst) -> ScoreCovariance:
    """Variances and covariances of the scores of items, from the fitted choices.

    Memory and time grow with the answers and the tuples, not with the pairs of items.

    Parameters
    ----------
    answers : BestWorst
        m judgments of t tuples; also `Orders`.

    References
    ----------
    [BradleyTerry1952], [LiangZeger1986], [Marley2005], [Plackett1975] in docs/references.md
    """
    from scipy.sparse import (  # noqa: PLC0415 - importing scoring loads numpy only
        csr_array,
        diags_array,
    )

    n, k = answers.n_items, answers.tuple_size
    people, person = None, None
    if answers.annotator is not None:
        people, person = np.unique(answers.annotator, return_inverse=True)
    n_people = None if people is None else len(people)
    try:
        utilities = _utilities(answers)
    except NotConvergedError as error:
        return ScoreCovariance(np.full(n, np.nan), csr_array((n, n)), 1.0, n_people, error.message)
    mean, covariance = answers.point_moments(utilities[answers.tuples])
    n_shown = count(answers).appearances
    weight = np.zeros(n)
    np.divide(1, n_shown * answers.most_points, out=weight, where=n_shown > 0)
    weights = weight[answers.tuples]
    of_tuples = (answers.answers_per_tuple()[:, None] * weights)[:, :, None] * weights[:, None, :]
    rows = np.repeat(answers.tuples, k, axis=1).ravel()
    columns = np.tile(answers.tuples, k).ravel()
    values = (of_tuples * covariance).ravel()
    between = csr_array((values, (rows, columns)), (n, n))
    inflation = 1.0
    if person is not None:
        inflation, of_people = _people_variance(answers, mean, person, weight)
        factor, fitted = np.full(n, inflation), between.diagonal()
        np.divide(of_people, fitted, out=factor, where=of_people > inflation * fitted)
        root = diags_array(np.sqrt(factor))
        between = (root @ between @ root).tocsr()
    variance = np.where(n_shown > 0, between.diagonal(), np.nan)
    return ScoreCovariance(variance, between, inflation, n_people)


def _utilities(answers: BestWorst) -> FloatArray:
    """Fitted utilities of all items, shape (n_items,), centred within each pool; 0 if unseen."""
    utilities = np.zeros(answers.n_items)
    if answers.n_judgments == 0:
        return utilities
    # With a ridge, pools that share no tuple do not influence one another: one fit serves all.
    choices = PoolChoices.of_judgments(answers, np.arange(answers.n_judgments))
    fit = fit_pairs if answers.orders_all_items else fit_maxdiff
    dense = choices.n <= MAX_DENSE_ITEMS
    utilities[choices.items] = fit(choices, _ridge(answers), dense=dense)[0]
    return utilities


def _ridge(answers: BestWorst) -> float:
    """Strength of the ridge: the less the items differ beyond chance, the stronger.

    By chance alone the points of an item have the variance of as many random answers. What their
    squares have beyond it tells the variance of utilities that are small.
    """
    step = 0.01
    first_is_higher = step * np.eye(1, answers.tuple_size)
    mean, covariance = answers.point_moments(first_is_higher)
    points_per_logit, variance = mean[0, 0] / step, covariance[0, 0, 0]
    picked, points = answers.picks()
    net = np.bincount(picked.ravel(), points.ravel(), minlength=answers.n_items)
    n_shown = count(answers).appearances
    net, n_shown = net[n_shown > 0], n_shown[n_shown > 0]
    excess = variance * float((net**2 / (n_shown * variance)).mean() - 1)
    of_utilities = excess / (float(n_shown.mean()) * points_per_logit**2)
    return max(MIN_RIDGE, SHRINKAGE / max(float(of_utilities), 1e-3))


def _people_variance(
    answers: BestWorst, mean: FloatArray, person: IntArray, weight: FloatArray
) -> tuple[float, FloatArray]:
    """How much the answers of one person resemble one another.

    Parameters
    ----------
    mean : float array, shape (t, k)
        Expected points.
    person : int array, shape (m,)
        Number of the person, 0 upwards.
    weight : float array, shape (n_items,)
        What a point counts in the score.

    Returns
    -------
    float
        Of all items together, a factor of variances: about 1 if all answers are independent, never
        less, and 1 if nothing can be said.
    float array, shape (n_items,)
        Variance of each item's score from what single people answered about it; 0 if nothing can
        be said.
    """
    from scipy.sparse import csr_array  # noqa: PLC0415 - importing scoring loads numpy only

    shown = answers.shown()
    residual = answers.slot_points() - mean[answers.tuple_number]
    sums = np.bincount(shown.ravel(), residual.ravel(), minlength=answers.n_items)
    # A score is the mean of its points, so what all answers have in common is not a difference.
    residual = (residual - (sums * weight * answers.most_points)[shown]) * weight[shown]
    where = (shown.ravel(), np.repeat(person, answers.tuple_size))
    shape = (answers.n_items, int(person.max(initial=-1)) + 1)
    by_person = csr_array((residual.ravel(), where), shape)
    n_by_person = csr_array((np.ones(shown.size), where), shape)
    n_shown: FloatArray = np.asarray(n_by_person.sum(axis=1))
    squares = np.bincount(shown.ravel(), residual.ravel() ** 2, minlength=answers.n_items)
    # The residuals of an item sum to 0, which makes both sums too small by these shares.
    of_people = np.ones(answers.n_items)
    np.divide((n_by_person**2).sum(axis=1), n_shown**2, out=of_people, where=n_shown > 0)
    usable = of_people < MAX_SHARE_OF_ONE
    between, within = np.zeros(answers.n_items), np.zeros(answers.n_items)
    between[usable] = (by_person**2).sum(axis=1)[usable] / (1 - of_people[usable])
    within[usable] = squares[usable] / (1 - 1 / n_shown[usable])
    together = float(between.sum() / within.sum()) if within.any() else 1.0
    return max(together, 1.0), between
