"""The iteration that models of annotators share: repeat a round until it changes nothing."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from scoring.arrays import FloatArray
from shell.messages import Message
from shell.messages import message as _

# Nearly all fits rest after a few hundred rounds; confusions of people with few answers take more.
MAX_ROUNDS = 20_000
# Largest change of a probability in one round that counts as none.
TOLERANCE = 1e-7

Round: TypeAlias = Callable[[FloatArray], FloatArray]


def at_rest(
    improve: Round, state: FloatArray, *, tolerance: float = TOLERANCE
) -> tuple[FloatArray, int]:
    """Improve an array of probabilities until none of them changes by more than the tolerance.

    Parameters
    ----------
    improve : callable
        One round: takes and returns the probabilities.
    state : float array
        Where the iteration starts.
    tolerance : float

    Returns
    -------
    state : float array
    n_rounds : int
        `MAX_ROUNDS` + 1 if the iteration did not come to rest.
    """
    for n_rounds in range(1, MAX_ROUNDS + 1):
        before, state = state, improve(state)
        if np.abs(state - before).max() <= tolerance:
            return state, n_rounds
    return state, MAX_ROUNDS + 1


def not_at_rest(n_rounds: int) -> Message:
    """Why there are no estimates after so many rounds."""
    return _("The fit did not converge in %(n)s rounds.", n=n_rounds)


def probabilities(log_weight: FloatArray) -> FloatArray:
    """Scale the weights of each row, given as logarithms, shape (u, c), to a sum of 1."""
    weight = np.exp(log_weight - log_weight.max(axis=1, keepdims=True))
    return np.asarray(weight / weight.sum(axis=1, keepdims=True))


def log_sums(log_weight: FloatArray) -> FloatArray:
    """Logarithm of the sum of the weights of each row, given as logarithms, shape (u,)."""
    most = log_weight.max(axis=1, keepdims=True)
    return np.asarray(np.log(np.exp(log_weight - most).sum(axis=1)) + most[:, 0])
