"""Utilities that fit the choices of one pool best, by the model of pairs and by MaxDiff."""

from dataclasses import dataclass

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.best_worst.choice_moments import maxdiff_moments
from scoring.best_worst.judgments import BestWorst
from scoring.best_worst.newton import Derivatives, minimise, sums_by_cell


def implied_pairs(answers: BestWorst) -> tuple[IntArray, IntArray]:
    """Winner and loser of the pairs that each answer puts in order.

    Returns
    -------
    winner, loser : int array, shape (m, 2k - 3)
        Best over each of the others, then each of the remaining k - 2 over worst.
    """
    shown = answers.shown()
    higher, lower = answers.pairs_in_order()
    return np.take_along_axis(shown, higher, axis=1), np.take_along_axis(shown, lower, axis=1)


@dataclass(frozen=True, eq=False)
class PoolChoices:
    """The answers of one pool, its items numbered 0..n-1.

    Symbols: `items` (n,) their numbers in the study; `tuples` (t, k) the answered ones;
    `n_answers` (t,); `net` (n,) best less worst picks; `winner`, `loser` (p,) of its implied
    pairs.
    """

    items: IntArray
    tuples: IntArray
    n_answers: IntArray
    net: IntArray
    winner: IntArray
    loser: IntArray

    @property
    def n(self) -> int:
        return len(self.items)

    @classmethod
    def of_judgments(cls, answers: BestWorst, rows: IntArray) -> "PoolChoices":
        part = answers.of_judgments(rows)
        answered, n_answers = np.unique(part.tuple_number, return_counts=True)
        items, tuples = np.unique(part.tuples[answered], return_inverse=True)
        n = len(items)
        place = np.zeros(answers.n_items, dtype=np.int64)
        place[items] = np.arange(n)
        best, worst = place[part.best], place[part.worst]
        winner, loser = (place[side.ravel()] for side in implied_pairs(part))
        return cls(
            items,
            tuples,
            n_answers,
            np.bincount(best, minlength=n) - np.bincount(worst, minlength=n),
            winner,
            loser,
        )


def fit_pairs(
    choices: PoolChoices, ridge: float, *, dense: bool
) -> tuple[FloatArray, FloatArray, float]:
    if not dense:
        return _fit_pairs_sparsely(choices, ridge)
    n = choices.n
    n_won = np.bincount(choices.winner * n + choices.loser, minlength=n * n)
    wins = n_won.reshape(n, n).astype(np.float64)
    n_compared = wins + wins.T

    def loss(u: FloatArray) -> Derivatives:
        difference = u[:, None] - u
        # log(1 + exp(-d)) without overflow; where nothing was won the factor is 0.
        value = float((wins * np.logaddexp(0.0, -difference)).sum())
        p = 0.5 * (1 + np.tanh(difference / 2))
        gradient = (n_compared * p).sum(axis=1) - wins.sum(axis=1)
        weight = n_compared * p * p.T
        return value, gradient, np.diag(weight.sum(axis=1)) - weight

    return minimise(loss, np.zeros(n), ridge)


def _fit_pairs_sparsely(
    choices: PoolChoices, ridge: float
) -> tuple[FloatArray, FloatArray, float]:
    """The same, pair by pair instead of item by item."""
    n = choices.n
    pairs, n_won = np.unique(choices.winner * n + choices.loser, return_counts=True)
    winner, loser = pairs // n, pairs % n
    rows, columns = np.concatenate([winner, loser]), np.concatenate([loser, winner])

    def loss(u: FloatArray) -> Derivatives:
        difference = u[winner] - u[loser]
        value = float(n_won @ np.logaddexp(0.0, -difference))
        p = 0.5 * (1 + np.tanh(difference / 2))
        missed = n_won * (1 - p)
        gradient = np.bincount(loser, missed, n) - np.bincount(winner, missed, n)
        weight = np.tile(missed * p, 2)
        diagonal = np.arange(n)
        hessian = sums_by_cell(
            np.concatenate([-weight, np.bincount(rows, weight, n)]),
            np.concatenate([rows, diagonal]),
            np.concatenate([columns, diagonal]),
            n,
            dense=False,
        )
        return value, np.asarray(gradient, dtype=np.float64), hessian

    return minimise(loss, np.zeros(n), ridge)


def fit_maxdiff(
    choices: PoolChoices, ridge: float, *, dense: bool
) -> tuple[FloatArray, FloatArray, float]:
    tuples, n_answers, net = choices.tuples, choices.n_answers.astype(np.float64), choices.net
    n, k = choices.n, tuples.shape[1]
    rows, columns = np.repeat(tuples, k, axis=1).ravel(), np.tile(tuples, k).ravel()

    def loss(u: FloatArray) -> Derivatives:
        log_total, mean, covariance = maxdiff_moments(u[tuples])
        value = float(n_answers @ log_total - net @ u)
        chosen = np.bincount(tuples.ravel(), (n_answers[:, None] * mean).ravel(), minlength=n)
        gradient = np.asarray(chosen - net, dtype=np.float64)
        weighted = (n_answers[:, None, None] * covariance).ravel()
        return value, gradient, sums_by_cell(weighted, rows, columns, n, dense=dense)

    return minimise(loss, np.zeros(n), ridge)
