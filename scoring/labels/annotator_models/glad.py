"""GLAD: people differ in ability, and units in difficulty.

Somebody of ability alpha labels a unit of easiness beta rightly with probability
1 / (1 + exp(-alpha beta)); all wrong categories are equally probable. Of several categories as in
crowd-kit.

Symbols: m answers; u units and p people with answers; c categories.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from scoring.arrays import FloatArray
from scoring.labels.annotator_models.answers import FirstAnswers, first_answers, why_no_model
from scoring.labels.annotator_models.model import LabelModel, fitted_model, unfitted_model
from scoring.labels.annotator_models.rounds import log_sums, not_at_rest, probabilities
from scoring.labels.labels import Labels

NAME = "glad"
# Mean of the normal priors of alpha and of log beta; their variance is 1.
PRIOR_MEAN = 1.0
MAX_ROUNDS = 5_000
# Largest derivative of the log posterior, by a scaled parameter, at which the search stops, and at
# which its last point still counts as an optimum: rounding can end it a little earlier.
STOP_AT, ACCEPT_AT = 3e-5, 1e-3
# Roughly how much each answer adds to the curvature of the log posterior in a person's alpha.
CURVATURE_PER_ANSWER = 0.2

Loss: TypeAlias = tuple[float, FloatArray]


def glad(labels: Labels) -> LabelModel:
    """Estimate the label of each unit, its difficulty and each person's ability [Whitehill2009].

    Alpha and log beta have normal priors with mean and variance 1, and all categories are equally
    probable beforehand, also those that nobody chose. The posterior of alpha and beta, summed over
    the labels, is maximised by L-BFGS: it has the optima of the EM algorithm of the paper, and
    takes fewer steps. Small tables can have several optima. In 230 simulated ones, this search
    reached a better one than EM 11 times, and a worse one 4 times.

    Alpha and beta are reported in the scale in which the geometric mean of beta is 1: difficulty
    is 1 / beta, and ability 1 / (1 + exp(-alpha)), the probability that the person is right about
    a unit of average difficulty.

    Parameters
    ----------
    labels : Labels
        m answers of one category each. Only each person's first answer about a unit counts.

    References
    ----------
    [Whitehill2009] in docs/references.md
    """
    if reason := why_no_model(labels):
        return unfitted_model(NAME, labels, reason)
    answers = first_answers(labels)
    surface = _Surface(answers)
    parameters, n_rounds = _optimum(surface)
    if parameters is None:
        return unfitted_model(NAME, labels, not_at_rest(n_rounds), n_rounds=n_rounds)
    alpha, log_beta = surface.parts(parameters)
    # Only products of alpha and beta matter to the answers, so one of the two scales is free.
    mean = log_beta.mean()
    return fitted_model(
        NAME,
        labels,
        answers,
        surface.posterior(parameters),
        _chance(alpha * np.exp(mean)),
        difficulty=np.exp(mean - log_beta),
        n_rounds=n_rounds,
    )


@dataclass(frozen=True, eq=False)
class _Surface:
    """Minus the log posterior as a function of alpha and log beta, one after the other."""

    answers: FirstAnswers

    def start(self) -> FloatArray:
        """The means of the priors, shape (p + u,)."""
        return np.full(len(self.answers.people) + len(self.answers.units), PRIOR_MEAN)

    def parts(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Alpha, shape (p,), and log beta, shape (u,)."""
        return x[: len(self.answers.people)], x[len(self.answers.people) :]

    def posterior(self, x: FloatArray) -> FloatArray:
        """Probability of each category, shape (u, c)."""
        return probabilities(self._log_weight(self._logits(x)))

    def loss(self, x: FloatArray) -> Loss:
        """Minus the log posterior, but for a constant, and its derivatives."""
        answers = self.answers
        logits = self._logits(x)
        log_weight = self._log_weight(logits)
        likelihood = log_sums(log_weight).sum() - np.logaddexp(0, logits).sum()
        penalty = ((x - PRIOR_MEAN) ** 2).sum() / 2
        # The derivative of the log likelihood by the logit of each answer.
        slope = answers.of_answer(probabilities(log_weight)) - _chance(logits)
        by_alpha = answers.per_person(slope * self.easiness(x))
        by_log_beta = answers.per_unit(slope * logits)
        by_parameter = np.concatenate([by_alpha, by_log_beta])
        return float(penalty - likelihood), x - PRIOR_MEAN - by_parameter

    def scale(self) -> FloatArray:
        """Scale of each parameter, shape (p + u,): in it, curvatures are of one magnitude.

        A person gives many more answers than a unit has. Without it, the search takes ten times as
        many rounds.
        """
        n = self.answers.per_person(np.ones(len(self.answers.unit)))
        return np.concatenate(
            [1 / np.sqrt(1 + CURVATURE_PER_ANSWER * n), np.ones(len(self.answers.units))]
        )

    def easiness(self, x: FloatArray) -> FloatArray:
        """Beta of the unit of each answer, shape (m,)."""
        return np.asarray(np.exp(self.parts(x)[1])[self.answers.unit])

    def _logits(self, x: FloatArray) -> FloatArray:
        """Log odds that each answer is right, shape (m,)."""
        return np.asarray(self.parts(x)[0][self.answers.annotator] * self.easiness(x))

    def _log_weight(self, logits: FloatArray) -> FloatArray:
        """Log probability of each category but for a term of the unit, shape (u, c)."""
        return self.answers.per_unit_and_category(logits + np.log(self.answers.n_categories - 1))


def _optimum(surface: _Surface) -> tuple[FloatArray | None, int]:
    """The most probable parameters, None if the search did not reach them; and its rounds."""
    from scipy.optimize import minimize  # noqa: PLC0415 - importing scoring loads numpy only

    scale = surface.scale()

    def scaled_loss(scaled: FloatArray) -> Loss:
        value, derivatives = surface.loss(scaled * scale)
        return value, derivatives * scale

    search = minimize(
        scaled_loss,
        surface.start() / scale,
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": MAX_ROUNDS, "maxfun": 2 * MAX_ROUNDS, "ftol": 0.0, "gtol": STOP_AT},
    )
    is_optimum = np.abs(search.jac).max() <= ACCEPT_AT
    return (search.x * scale if is_optimum else None), int(search.nit)


def _chance(logits: FloatArray) -> FloatArray:
    """Probability of log odds."""
    from scipy.special import expit  # noqa: PLC0415 - importing scoring loads numpy only

    return np.asarray(expit(logits))
