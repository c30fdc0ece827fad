"""MACE: each person knows the label, or answers blindly with categories of their own preference.

Symbols: m answers; u units and p people with answers; c categories. An answer is *blind* if the
person did not look at the unit: it says nothing about the label then.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scoring.arrays import FloatArray
from scoring.labels.annotator_models.answers import FirstAnswers, first_answers, why_no_model
from scoring.labels.annotator_models.model import LabelModel, fitted_model, unfitted_model
from scoring.labels.annotator_models.rounds import (
    MAX_ROUNDS,
    at_rest,
    log_sums,
    not_at_rest,
    probabilities,
)
from scoring.labels.labels import Labels

NAME = "mace"
# Beta prior of a person's competence and Dirichlet prior of the blind answers, in answers added to
# each side or category: those of crowd-kit, so that figures can be compared.
COMPETENCE_PRIOR = 0.5
STRATEGY_PRIOR = 10.0
# One start takes all people alike, so numbering them otherwise changes nothing; the others are
# random.
N_RANDOM_STARTS = 9
SEED = 0
# Starts are compared when no probability changes by more than this in a round: in 159 of 160
# simulated small tables, the best one then was the best in the end.
START_TOLERANCE = 1e-3
# A start has to be better by so much, in units of log likelihood, to replace an earlier one.
MIN_GAIN = 0.01


def mace(labels: Labels) -> LabelModel:
    """Estimate the label of each unit and the competence of each person [Hovy2013].

    Variational Bayes, as in the paper. All categories are equally probable beforehand, also those
    that nobody chose. Of ten starts, nine of them drawn with a fixed seed, the one with the
    highest lower bound of the evidence counts. A person's ability is the posterior mean of their
    competence: the probability that they do not answer blindly.

    Parameters
    ----------
    labels : Labels
        m answers of one category each. Only each person's first answer about a unit counts.

    References
    ----------
    [Hovy2013] in docs/references.md
    """
    if reason := why_no_model(labels):
        return unfitted_model(NAME, labels, reason)
    answers = first_answers(labels)
    rounds = _Rounds(answers)
    blind, n_rounds = _best_fit(rounds)
    if n_rounds > MAX_ROUNDS:
        return unfitted_model(NAME, labels, not_at_rest(MAX_ROUNDS), n_rounds=MAX_ROUNDS)
    people = rounds.people(blind)
    return fitted_model(
        NAME,
        labels,
        answers,
        rounds.posterior(people.odds),
        people.competence[:, 0] / people.competence.sum(axis=1),
        n_rounds=n_rounds,
    )


@dataclass(frozen=True, eq=False)
class _People:
    """What is believed of people: posterior counts, and what follows for an answer.

    Parameters
    ----------
    competence : float array, shape (p, 2)
        Answers of somebody who knows the label, and blind ones, with the prior's.
    strategy : float array, shape (p, c)
        Blind answers in each category, with the prior's.
    """

    competence: FloatArray
    strategy: FloatArray

    @cached_property
    def odds(self) -> FloatArray:
        """Odds that an answer is not blind if it is right, shape (p, c)."""
        log_competence = _expected_logs(self.competence)
        return np.asarray(np.exp(log_competence[:, :1] - self.log_guess))

    @cached_property
    def log_guess(self) -> FloatArray:
        """Log probability of a blind answer in each category, shape (p, c)."""
        blind = _expected_logs(self.competence)[:, 1:]
        return np.asarray(blind + _expected_logs(self.strategy))

    @property
    def divergence(self) -> float:
        """How far the beliefs are from the priors."""
        of_competence = _divergence(self.competence, COMPETENCE_PRIOR)
        return of_competence + _divergence(self.strategy, STRATEGY_PRIOR)


@dataclass(frozen=True, eq=False)
class _Rounds:
    """Rounds of variational Bayes for some answers.

    `blind`, shape (p, c), is the mean probability that a person's answers of a category are blind.
    """

    answers: FirstAnswers

    @cached_property
    def n(self) -> FloatArray:
        """Answers of each person in each category, shape (p, c)."""
        return self.answers.per_person_and_category(np.ones(len(self.answers.unit)))

    def improve(self, blind: FloatArray) -> FloatArray:
        """One round: the probabilities of blind answers that follow from those before."""
        odds = self.people(blind).odds
        is_right = self.answers.of_answer(self.posterior(odds))
        n_right = self.answers.per_person_and_category(is_right)
        # Nobody's answer counts where there is none.
        return 1 - n_right / np.maximum(self.n, 1) * odds / (1 + odds)

    def people(self, blind: FloatArray) -> _People:
        """The beliefs of people that follow."""
        n_blind = blind * self.n
        known = np.column_stack([(self.n - n_blind).sum(axis=1), n_blind.sum(axis=1)])
        return _People(known + COMPETENCE_PRIOR, n_blind + STRATEGY_PRIOR)

    def posterior(self, odds: FloatArray) -> FloatArray:
        """Probability of each unit's categories, shape (u, c)."""
        return probabilities(self._log_weight(odds))

    def bound(self, blind: FloatArray) -> float:
        """Lower bound of the logarithm of the evidence."""
        people = self.people(blind)
        guessed = (people.log_guess * self.n).sum()
        evidence = (log_sums(self._log_weight(people.odds)) - np.log(self.n.shape[1])).sum()
        return float(guessed + evidence - people.divergence)

    def _log_weight(self, odds: FloatArray) -> FloatArray:
        gain = np.log1p(odds).ravel()[self.answers.place_of_person]
        return self.answers.per_unit_and_category(gain)


def _best_fit(rounds: _Rounds) -> tuple[FloatArray, int]:
    """The fit of the start with the highest bound, and the number of rounds since then."""
    best, best_bound = np.empty(0), -np.inf
    for start in _starts(rounds.answers):
        state, _n_rounds = at_rest(rounds.improve, start, tolerance=START_TOLERANCE)
        bound = rounds.bound(state)
        if bound > best_bound + MIN_GAIN:
            best, best_bound = state, bound
    return at_rest(rounds.improve, best)


def _starts(answers: FirstAnswers) -> list[FloatArray]:
    """Probabilities of blind answers, shape (p, c), from which to start."""
    rng = np.random.default_rng(SEED)
    p, c = len(answers.people), answers.n_categories
    of_people = rng.uniform(0.1, 0.9, size=(N_RANDOM_STARTS, p))
    return [np.repeat(start[:, None], c, axis=1) for start in (np.full(p, 0.5), *of_people)]


def _expected_logs(counts: FloatArray) -> FloatArray:
    """Expected logarithms of the shares of a Dirichlet distribution for each row of counts."""
    from scipy.special import digamma  # noqa: PLC0415 - importing scoring loads numpy only

    return np.asarray(digamma(counts) - digamma(counts.sum(axis=1, keepdims=True)))


def _divergence(counts: FloatArray, prior: float) -> float:
    """Kullback-Leibler divergence of Dirichlet distributions from a symmetric one, summed."""
    from scipy.special import gammaln  # noqa: PLC0415 - importing scoring loads numpy only

    rows, k = counts.shape
    scale = gammaln(counts.sum(axis=1)).sum() - gammaln(counts).sum()
    prior_scale = rows * (gammaln(k * prior) - k * gammaln(prior))
    shift = ((counts - prior) * _expected_logs(counts)).sum()
    return float(scale - prior_scale + shift)
