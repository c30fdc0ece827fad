"""The iteration that models of annotators share: repeat a round until it changes nothing."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from scoring.arrays import FloatArray
from shell.messages import Message
from shell.messages import message as _

MAX_ROUNDS = 5_000
# Largest change of a probability in one round that counts as none.
TOLERANCE = 1e-7

Round: TypeAlias = Callable[[FloatArray], FloatArray]


def at_rest(improve: Round, posterior: FloatArray) -> tuple[FloatArray, int]:
    """Improve the posterior until no probability changes by more than `TOLERANCE`.

    Parameters
    ----------
    improve : callable
        One round: takes and returns probabilities of the categories, shape (u, c).
    posterior : float array, shape (u, c)
        Where the iteration starts.

    Returns
    -------
    posterior : float array, shape (u, c)
    n_rounds : int
        `MAX_ROUNDS` + 1 if the iteration did not come to rest.
    """
    for n_rounds in range(1, MAX_ROUNDS + 1):
        before, posterior = posterior, improve(posterior)
        if np.abs(posterior - before).max() <= TOLERANCE:
            return posterior, n_rounds
    return posterior, MAX_ROUNDS + 1


def not_at_rest(n_rounds: int) -> Message | None:
    """Why there is no estimate after so many rounds; None if the iteration came to rest."""
    if n_rounds <= MAX_ROUNDS:
        return None
    return _("The fit did not converge in %(n)s rounds.", n=MAX_ROUNDS)


def probabilities(log_weight: FloatArray) -> FloatArray:
    """Scale the weights of each row, given as logarithms, shape (u, c), to a sum of 1."""
    weight = np.exp(log_weight - log_weight.max(axis=1, keepdims=True))
    return np.asarray(weight / weight.sum(axis=1, keepdims=True))
