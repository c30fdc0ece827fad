"""How people are simulated who judge tuples, and how noisy real ones are.

People are taken to share one latent score of each item, drawn from a uniform distribution on
[0, 1]. An annotator sees each item at its latent score plus *noise* times a standard Gumbel
deviate, and picks the highest as best and the lowest as worst. Noise 0 is complete agreement,
infinite noise is clicking at random.

Symbols: t tuples of k items; m judgments.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.best_worst.judgments import BestWorst
from scoring.json_values import JsonObject, json_number
from shell.messages import Message
from shell.messages import message as _

# Noise is looked for between these: below and above, answers are as good as certain or random.
LOWEST, HIGHEST = 0.01, 10.0
_NOISES = np.geomspace(LOWEST, HIGHEST, 40)
# Answers simulated for each noise, at least: the error of their agreement is about .002.
_N_SIMULATED = 2**15
_N_RESAMPLES = 1000


def simulated_picks(
    tuples: IntArray,
    latent: FloatArray,
    *,
    noise: float,
    n_answers: int,
    rng: np.random.Generator,
) -> tuple[IntArray, IntArray]:
    """Best and worst of each tuple in each of so many answers, both of shape (n_answers, t)."""
    deviates = rng.gumbel(size=(n_answers, *tuples.shape))
    seen = deviates if np.isinf(noise) else latent[tuples] + noise * deviates
    rows = np.arange(len(tuples))
    return tuples[rows, seen.argmax(axis=2)], tuples[rows, seen.argmin(axis=2)]


@dataclass(frozen=True, eq=False)
class NoiseEstimate:
    """How noisy the answers of a pilot or an earlier study are.

    Parameters
    ----------
    value : float
        The noise at which simulated people agree as often; nan if it cannot be told.
    low, high : float
        The noises at the ends of the 95 % bootstrap interval of the agreement, over tuples.
    agreement : float
        Share of the pairs of answers to the same tuple that name the same item, best and worst
        picks together, in [0, 1].
    n_tuples : int
        Tuples with at least two answers.
    reason : Message or None
        Why there is no value.
    """

    value: float
    low: float
    high: float
    agreement: float
    n_tuples: int
    reason: Message | None = None

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return _(
            "The noise at which simulated people, with latent scores uniform on [0, 1], agree "
            "on the same tuples as often as these people did. Agreement is the share of pairs "
            "of answers to one tuple that pick the same item. low and high: percentile "
            "bootstrap over tuples (95 %)."
        )

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        return {
            "definition": self.definition,
            "noise": json_number(self.value),
            "low": json_number(self.low),
            "high": json_number(self.high),
            "agreement": json_number(self.agreement),
            "n_tuples": self.n_tuples,
            "reason": self.reason,
        }


def estimate_noise(answers: BestWorst, *, rng: np.random.Generator) -> NoiseEstimate:
    """Find the noise at which simulated people agree as often as these did.

    Parameters
    ----------
    answers : BestWorst
        m judgments of t tuples; those of tuples with a single answer say nothing.
    rng : numpy Generator
        Source of the simulated answers and of the resamples.

    Returns
    -------
    NoiseEstimate
        Its value is nan, with the reason, where no tuple has two answers, or where people agree
        as often as noise below 0.01 makes them, or no more often than by chance.
    """
    agreeing, pairs = _pairs(answers)
    is_paired = pairs > 0
    n_tuples = int(is_paired.sum())
    if not n_tuples:
        why = _("no tuple has two answers, so differences between people are unknown")
        return NoiseEstimate(np.nan, np.nan, np.nan, np.nan, 0, why)
    agreement = float(agreeing.sum() / pairs.sum())
    agreeing, pairs = agreeing[is_paired], pairs[is_paired]
    expected = expected_agreement(
        answers.tuples[is_paired], _NOISES, weight=pairs / pairs.sum(), rng=rng
    )
    resampled = np.empty(_N_RESAMPLES)
    for place in range(_N_RESAMPLES):
        # One at a time: all resamples of a large study together would take gigabytes.
        drawn = rng.integers(n_tuples, size=n_tuples)
        resampled[place] = agreeing[drawn].sum() / pairs[drawn].sum()
    # The more they agree, the less noise.
    high, low = (_noise_at(float(p), expected) for p in np.percentile(resampled, [2.5, 97.5]))
    reason = None
    if agreement > expected[0]:
        reason = _("people agree as if there were no noise: below %(least)s", least=LOWEST)
    elif agreement < expected[-1]:
        reason = _("people agree no more often than by chance")
    value = np.nan if reason else _noise_at(agreement, expected)
    return NoiseEstimate(value, low, high, agreement, n_tuples, reason)


def _pairs(answers: BestWorst) -> tuple[IntArray, IntArray]:
    """Pairs of answers that pick the same, best and worst added up, and all pairs; (t,) each."""
    t, n = answers.n_tuples, answers.answers_per_tuple()
    agreeing = np.zeros(t, dtype=np.int64)
    for pick in (answers.best, answers.worst):
        cells, counts = np.unique(
            answers.tuple_number * answers.n_items + pick, return_counts=True
        )
        same = counts * (counts - 1)
        agreeing += np.bincount(cells // answers.n_items, same, minlength=t).astype(np.int64)
    return agreeing, 2 * n * (n - 1)


def expected_agreement(
    tuples: IntArray,
    noises: Sequence[float] | FloatArray,
    *,
    weight: FloatArray | None = None,
    rng: np.random.Generator,
) -> FloatArray:
    """How often two simulated people pick the same item of a tuple, best and worst together.

    Parameters
    ----------
    tuples : int array, shape (t, k), t >= 1, k >= 2
        Items of each tuple.
    noises : float array, shape (p,)
        Each at least 0, ascending; infinite: clicking at random.
    weight : float array, shape (t,), optional
        Of each tuple, adding up to 1; else all count alike.
    rng : numpy Generator
        Source of the latent scores and the answers.

    Returns
    -------
    float array, shape (p,)
        Shares in [0, 1], never rising; their error is about .002.
    """
    # Only the items that these tuples show, numbered anew.
    items, numbered = np.unique(tuples, return_inverse=True)
    numbered = numbered.reshape(tuples.shape)
    n_rounds = -(-_N_SIMULATED // len(tuples))
    if weight is None:
        weight = np.full(len(tuples), 1 / len(tuples))
    latent = rng.random((n_rounds, len(items)))[:, numbered]
    # The same deviates for every noise, so that the curve is as smooth as it is true.
    deviates = rng.gumbel(size=(2, *latent.shape))
    expected = np.empty(len(noises))
    for place, noise in enumerate(noises):
        first, second = deviates if np.isinf(noise) else latent + noise * deviates
        same_best = first.argmax(axis=2) == second.argmax(axis=2)
        same_worst = first.argmin(axis=2) == second.argmin(axis=2)
        expected[place] = ((same_best.astype(np.float64) + same_worst) / 2).mean(axis=0) @ weight
    return np.minimum.accumulate(expected)


def _noise_at(agreement: float, expected: FloatArray) -> float:
    """The noise that makes people agree so often, within what is looked for."""
    return float(np.exp(np.interp(-agreement, -expected, np.log(_NOISES))))
