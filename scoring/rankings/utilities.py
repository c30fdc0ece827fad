"""Utilities of a Plackett-Luce model of orders, pool by pool.

A person who orders k items picks the best of all, then the best of those that are left, and so
on; each pick is of item i with probability exp(u_i) / sum of exp(u_j) over the items left
[Luce1959] [Plackett1975]. The utilities of a pool sum to 0; those of different pools are *not* on
one scale.

The estimate exists exactly where the directed graph, with an edge from each item of an order to
the next one, is strongly connected in the pool [Hunter2004]. Elsewhere the pool is fitted with a
*ridge*, and its result says so, as in scoring.best_worst.ranking.

Symbols: n items in a pool; m orders of k items; u utilities.
"""

from dataclasses import dataclass

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.best_worst.newton import Derivatives, is_dense, minimise, sums_by_cell
from scoring.best_worst.pools import pool_of_tuples, pools_by_comparison, strong_components
from scoring.best_worst.ranking import RIDGE, PoolFit
from scoring.json_values import JsonObject, json_numbers
from scoring.rankings.orders import Orders
from shell.messages import Message
from shell.messages import message as _


@dataclass(frozen=True, eq=False)
class Utilities:
    """Utilities of all items, fitted pool by pool.

    Parameters
    ----------
    utilities : float array, shape (n_items,)
        In logits, centred within each pool; nan for an item that no order holds.
    standard_errors : float array, shape (n_items,)
        Of the centred utilities, from the inverse of the (penalised) information; nan in pools of
        more than `MAX_DENSE_ITEMS` items.
    pool : int array, shape (n_items,)
        Pool of each item.
    fits : tuple of PoolFit
        One per pool with answers, pools in ascending order.
    """

    utilities: FloatArray
    standard_errors: FloatArray
    pool: IntArray
    fits: tuple[PoolFit, ...]

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return _(
            "Utilities of a Plackett-Luce model: item i takes the first place with a "
            "probability proportional to exp(u_i); the remaining items compete for each further "
            "place in the same way [Luce1959] [Plackett1975]. They are estimated by maximum "
            "likelihood and centred within each pool. Standard errors come from the inverse "
            "information matrix. They are too small if the answers of one person resemble one "
            "another. Utilities of different pools are not on the same scale. If the "
            "maximum-likelihood estimate does not exist, a ridge penalty is used and a note "
            "says so."
        )

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        return {
            "definition": self.definition,
            "utilities": json_numbers(self.utilities),
            "standard_errors": json_numbers(self.standard_errors),
            "pool": self.pool.tolist(),
            "pools": [fit.as_dict() for fit in self.fits],
        }


def plackett_luce(
    answers: Orders, *, pool: IntArray | None = None, ridge: float = RIDGE
) -> Utilities:
    """Fit the utilities of the items, pool by pool.

    Parameters
    ----------
    answers : Orders
        m judgments of t tuples.
    pool : int array, shape (n_items,), optional
        Pool of each item; by default items that chains of answered tuples connect share one.
    ridge : float
        Strength of the penalty where the plain estimate does not exist, above 0.

    Raises
    ------
    ValueError
        If the ridge is not above 0, or a tuple shows items of two pools.
    NotConvergedError
        If an iteration does not come to rest.

    References
    ----------
    [Luce1959], [Plackett1975], [Hunter2004] in docs/references.md
    """
    if not 0 < ridge < np.inf:
        raise ValueError(f"ridge must be a number above 0, not {ridge}")
    pool = pools_by_comparison(answers) if pool is None else np.asarray(pool)
    of_judgment = pool_of_tuples(answers, pool)[answers.tuple_number]
    component = strong_components(
        answers.order[:, :-1].ravel(), answers.order[:, 1:].ravel(), n_items=answers.n_items
    )
    utilities, errors = np.full((2, answers.n_items), np.nan)
    fits = []
    for number in np.unique(of_judgment):
        order = answers.order[of_judgment == number]
        items, places = np.unique(order, return_inverse=True)
        n_components = len(np.unique(component[items]))
        strength = 0.0 if n_components == 1 else ridge
        u, variances, log_likelihood = _fit(places.reshape(order.shape), len(items), strength)
        utilities[items] = u
        errors[items] = np.sqrt(variances)
        fits.append(
            PoolFit(
                int(number),
                len(u),
                len(order),
                log_likelihood,
                strength,
                n_components,
                has_standard_errors=is_dense(len(u)),
            )
        )
    return Utilities(utilities, errors, pool, tuple(fits))


def _fit(order: IntArray, n: int, ridge: float) -> tuple[FloatArray, FloatArray, float]:
    """Fit one pool, whose items are numbered 0..n-1; `order` is (m, k)."""
    order, often = np.unique(order, axis=0, return_counts=True)
    k = order.shape[1]
    weight = often.astype(np.float64)
    rows, columns = np.repeat(order, k, axis=1).ravel(), np.tile(order, k).ravel()
    # Stages in which an item is still left: all before its own place, and that one.
    is_left = np.tri(k, k - 1, dtype=np.float64)
    n_picked = np.bincount(order[:, :-1].ravel(), np.repeat(weight, k - 1), minlength=n)

    def loss(u: FloatArray) -> Derivatives:
        of_order = u[order]
        highest = of_order.max(axis=1, keepdims=True)
        odds = np.exp(of_order - highest)
        # Odds of what is left at each stage, the last place being nobody's choice.
        left = np.cumsum(odds[:, ::-1], axis=1)[:, ::-1][:, :-1]
        value = float(weight @ (np.log(left) + highest - of_order[:, :-1]).sum(axis=1))
        # Probability of each item at each stage, (m, k, k - 1).
        p = odds[:, :, None] / left[:, None, :] * is_left
        expected = p.sum(axis=2)
        drawn = np.bincount(order.ravel(), (weight[:, None] * expected).ravel(), minlength=n)
        gradient = np.asarray(drawn - n_picked, dtype=np.float64)
        curvature = -np.einsum("mis,mjs->mij", p, p)
        diagonal = np.arange(k)
        curvature[:, diagonal, diagonal] += expected
        weighted = (weight[:, None, None] * curvature).ravel()
        return value, gradient, sums_by_cell(weighted, rows, columns, n, dense=is_dense(n))

    return minimise(loss, np.zeros(n), ridge)
