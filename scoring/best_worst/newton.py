"""Newton's method for convex losses of utilities that matter only through their differences.

The Hessian is an ordinary array or a sparse one. The equations of a sparse one are solved by
conjugate gradients, which ask for products with it only: a factorisation would fill it. The
optimum is the same, but there is no inverse to take variances from.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias, Union

import numpy as np

from scoring.arrays import FloatArray, IntArray
from shell.messages import Message
from shell.messages import message as _

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MAX_ITERATIONS = 200
# Largest Newton step, in logits, that counts as none.
TOLERANCE = 1e-9

# Residual of the equations of a sparse Hessian, relative to the gradient. The steps that follow
# make up for it, and none below `TOLERANCE` is lost by it.
RESIDUAL = 1e-4

# A pool of more items is fitted with sparse matrices: an array of its pairs of items takes 8 n^2
# bytes, 32 MB here, several times over, and its inverse, for the standard errors, n^3 steps.
MAX_DENSE_ITEMS = 2_000

Hessian: TypeAlias = Union[FloatArray, "csr_array[np.float64]"]
# A loss at u (n,), such as minus a log-likelihood, its gradient (n,) and its Hessian (n, n).
Derivatives: TypeAlias = tuple[float, FloatArray, Hessian]
Loss: TypeAlias = Callable[[FloatArray], Derivatives]


class NotConvergedError(ArithmeticError):
    """The iteration did not come to rest, so there is no estimate."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


def minimise(loss: Loss, start: FloatArray, ridge: float) -> tuple[FloatArray, FloatArray, float]:
    """Minimise a convex loss that does not change when all utilities move together.

    Returns
    -------
    u, variances : float array, shape (n,)
        The centred minimum, and the diagonal of the inverse Hessian of the centred utilities;
        nan if the Hessian is sparse.
    log_likelihood : float
        Minus the loss there, without the penalty.

    Raises
    ------
    NotConvergedError
        If the step does not fall below `TOLERANCE`, or conjugate gradients find none.
    """
    n = len(start)

    def penalised(u: FloatArray) -> Derivatives:
        value, gradient, hessian = loss(u)
        return (
            value + ridge / 2 * float(u @ u),
            gradient + ridge * u,
            _with_diagonal(hessian, ridge),
        )

    u = start
    value, gradient, hessian = penalised(u)
    for _iteration in range(MAX_ITERATIONS):
        # The direction in which all move together has no curvature; lending it some leaves the
        # others alone, for the gradient has no part in it.
        lent = float(hessian.trace()) / n**2
        step = _newton_step(hessian, lent, gradient)
        step -= step.mean()
        if np.abs(step).max() < TOLERANCE:
            u = u + step
            return u - u.mean(), _variances(hessian, lent), -loss(u)[0]
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
        _(
            "the fit of %(n)s items did not converge in %(most)s iterations: the last step was"
            " %(step)s logits",
            n=n,
            most=MAX_ITERATIONS,
            step=float(f"{np.abs(step).max():.2g}"),
        )
    )


def _with_diagonal(hessian: Hessian, ridge: float) -> Hessian:
    if isinstance(hessian, np.ndarray):
        return np.asarray(hessian + ridge * np.eye(len(hessian)))
    from scipy.sparse import eye_array  # noqa: PLC0415 - importing scoring loads numpy only

    return hessian + ridge * eye_array(hessian.shape[0], format="csr")


def _newton_step(hessian: Hessian, lent: float, gradient: FloatArray) -> FloatArray:
    """Solve (hessian + lent) step = -gradient, `lent` being added to every cell."""
    if isinstance(hessian, np.ndarray):
        return np.asarray(np.linalg.solve(hessian + lent, -gradient))
    from scipy.sparse.linalg import LinearOperator, cg  # noqa: PLC0415 - importing scoring loads numpy only

    def product(x: FloatArray) -> FloatArray:
        return np.asarray(hessian @ x + lent * x.sum())

    # Items differ in how much is known of them: each is counted in its own unit.
    diagonal = hessian.diagonal() + lent
    step, failure = cg(
        LinearOperator(hessian.shape, product, dtype=np.float64),
        -gradient,
        rtol=RESIDUAL,
        M=LinearOperator(hessian.shape, lambda x: x / diagonal, dtype=np.float64),
    )
    if failure:
        raise NotConvergedError(
            _(
                "the fit of %(n)s items: conjugate gradients did not converge in %(most)s"
                " iterations",
                n=len(gradient),
                most=int(failure),
            )
        )
    return np.asarray(step)


def _variances(hessian: Hessian, lent: float) -> FloatArray:
    if not isinstance(hessian, np.ndarray):
        return np.full(hessian.shape[0], np.nan)
    inverse = np.linalg.inv(hessian + lent)
    centred = inverse - inverse.mean(axis=0) - inverse.mean(axis=1, keepdims=True)
    return np.asarray(np.diag(centred) + inverse.mean())


def is_dense(n: int) -> bool:
    """Whether a pool of n items is fitted with ordinary arrays."""
    return n <= MAX_DENSE_ITEMS


def sums_by_cell(
    values: FloatArray, rows: IntArray, columns: IntArray, n: int, *, dense: bool
) -> Hessian:
    """Add up the values of each cell of a matrix (n, n), an ordinary or a sparse one."""
    if dense:
        cells = np.bincount(rows * n + columns, values, minlength=n * n).reshape(n, n)
        return np.asarray(cells, dtype=np.float64)
    from scipy.sparse import csr_array  # noqa: PLC0415 - importing scoring loads numpy only

    return csr_array((values, (rows, columns)), (n, n))
