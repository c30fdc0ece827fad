"""How people are simulated who judge tuples, and how often they agree.

People are taken to share one latent score of each item. An annotator sees each item at its latent
score plus *noise* times a standard Gumbel deviate, and picks the highest as best and the lowest as
worst. Noise 0 is complete agreement, infinite noise is clicking at random.

Symbols: t tuples of k items; p noises.
"""

from collections.abc import Sequence

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.forecasts.latents import UNIFORM, Latents

# Answers simulated for each noise, at least: the error of their agreement is about .002.
_N_SIMULATED = 2**15


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


def expected_agreement(
    tuples: IntArray,
    noises: Sequence[float] | FloatArray,
    *,
    weight: FloatArray | None = None,
    latents: Latents = UNIFORM,
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
    latents : Latents
        Shape of the latent scores.
    rng : numpy Generator
        Source of the latent scores and the answers.

    Returns
    -------
    float array, shape (p,)
        Shares in [0, 1], never rising; their error is about .002.
    """
    if weight is None:
        weight = np.full(len(tuples), 1 / len(tuples))
    return expected_figures(tuples, noises, weight=weight, latents=latents, rng=rng)[0]


def expected_figures(
    tuples: IntArray,
    noises: Sequence[float] | FloatArray,
    *,
    weight: FloatArray,
    latents: Latents,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """`expected_agreement`, and the mean square of the items' scores without error, (p,) each.

    An item's score is its mean over tuples of how often it is the best less how often the worst.
    The scores of two people have independent errors, so their product has none.
    """
    # Only the items that these tuples show, numbered anew.
    items, numbered = np.unique(tuples, return_inverse=True)
    cells = numbered.reshape(tuples.shape)
    n_rounds, n_items = -(-_N_SIMULATED // len(tuples)), len(items)
    latent = latents.draw((n_rounds, n_items), rng)[:, cells]
    # The same deviates for every noise, so that the curve is as smooth as it is true.
    deviates = rng.gumbel(size=(2, *latent.shape))
    rows, n_shown = np.arange(len(tuples)), np.bincount(cells.ravel())
    offset = n_items * np.arange(2 * n_rounds).reshape(2, n_rounds, 1)
    expected = np.empty((2, len(noises)))
    for place, noise in enumerate(noises):
        seen = deviates if np.isinf(noise) else latent + noise * deviates
        best, worst = seen.argmax(axis=3), seen.argmin(axis=3)
        same = (best[0] == best[1]).mean(axis=0) + (worst[0] == worst[1]).mean(axis=0)
        picked, rejected = (
            np.bincount((cells[rows, slot] + offset).ravel(), minlength=offset.size * n_items)
            for slot in (best, worst)
        )
        first, second = (picked - rejected).reshape(2, n_rounds, n_items) / n_shown
        expected[:, place] = same @ weight / 2, (first * second).mean()
    agreement, signal = np.minimum.accumulate(expected, axis=1)
    return agreement, signal
