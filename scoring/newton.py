"""Newton's method for convex losses of utilities that matter only through their differences."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from scoring.arrays import FloatArray

MAX_ITERATIONS = 200
# Largest Newton step, in logits, that counts as none.
TOLERANCE = 1e-9

# A loss at u (n,), such as minus a log-likelihood, its gradient (n,) and its Hessian (n, n).
Derivatives: TypeAlias = tuple[float, FloatArray, FloatArray]
Loss: TypeAlias = Callable[[FloatArray], Derivatives]


class NotConvergedError(ArithmeticError):
    """The iteration did not come to rest, so there is no estimate."""


def minimise(loss: Loss, start: FloatArray, ridge: float) -> tuple[FloatArray, FloatArray, float]:
    """Minimise a convex loss that does not change when all utilities move together.

    Returns
    -------
    u, variances : float array, shape (n,)
        The centred minimum, and the diagonal of the inverse Hessian of the centred utilities.
    log_likelihood : float
        Minus the loss there, without the penalty.

    Raises
    ------
    NotConvergedError
        If the step does not fall below `TOLERANCE`.
    """
    n = len(start)

    def penalised(u: FloatArray) -> Derivatives:
        value, gradient, hessian = loss(u)
        return (
            value + ridge / 2 * float(u @ u),
            gradient + ridge * u,
            hessian + ridge * np.eye(n),
        )

    u = start
    value, gradient, hessian = penalised(u)
    for _ in range(MAX_ITERATIONS):
        # The direction in which all move together has no curvature; lending it some leaves the
        # others alone, for the gradient has no part in it.
        lent = np.trace(hessian) / n**2
        step = np.linalg.solve(hessian + lent, -gradient)
        step -= step.mean()
        if np.abs(step).max() < TOLERANCE:
            u = u + step
            inverse = np.linalg.inv(hessian + lent)
            centred = inverse - inverse.mean(axis=0) - inverse.mean(axis=1, keepdims=True)
            return u - u.mean(), np.diag(centred) + inverse.mean(), -loss(u)[0]
        length = 1.0
        expected = float(gradient @ step)
        while length > TOLERANCE:
            following = penalised(u + length * step)
            # Rounding alone may keep the value from falling at the last steps.
            if following[0] <= value + 1e-4 * length * expected + 1e-12 * abs(value):
                break
            length /= 2
        u = u + length * step
        value, gradient, hessian = following
    raise NotConvergedError(
        f"the fit of {n} items did not converge in {MAX_ITERATIONS} iterations: the last step "
        f"was {np.abs(step).max():.2g} logits"
    )
