"""Rankings fitted to best-worst answers, pool by pool: what two models make of the choices.

Each item i gets a utility u_i, estimated by maximum likelihood within its pool and centred there
(the utilities of a pool sum to 0). Items of different pools were never compared, so the utilities
of two pools are *not* on one scale, however alike they look.

- ``pairs``: every answer is taken apart into its 2k - 3 implied pairs, best over all others and
  all others over worst, as if they were comparisons of their own with
  P(i over j) = 1 / (1 + exp(u_j - u_i)) [BradleyTerry1952]. They are not independent, so the
  standard errors are too small.
- ``maxdiff``: P(best i, worst j) = exp(u_i - u_j) / sum over all ordered pairs of the tuple
  [Marley2005], one observation per answer.

Both have a maximum exactly where the directed graph, with an edge from the winner to the loser of
each implied pair, is strongly connected [Ford1957]: otherwise some items never lose to the
others, and their utilities grow without end. With little noise this is the normal case. Such a
pool is fitted with a *ridge*, and its result says so.

Symbols: n items in a pool; t tuples of k items; u utilities.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.best_worst import newton
from scoring.best_worst.choice_fits import PoolChoices, fit_maxdiff, fit_pairs, implied_pairs
from scoring.best_worst.judgments import BestWorst
from scoring.best_worst.newton import (
    is_dense,
)
from scoring.best_worst.pools import pool_of_tuples, pools_by_comparison, strong_components
from scoring.json_values import JsonObject, json_number, json_numbers
from shell.messages import Message, joined
from shell.messages import message as _

Model: TypeAlias = Literal["pairs", "maxdiff"]

MODELS: dict[Model, Message] = {
    "pairs": _(
        "Utilities of a Bradley-Terry model of the 2k - 3 implied pairs of each answer "
        "[BradleyTerry1952]. They are estimated by maximum likelihood and centred within each "
        "pool. Standard errors come from the inverse information matrix; they are too small, "
        "because the pairs of one answer are treated as independent. Utilities of different "
        "pools are not on the same scale. If the maximum-likelihood estimate does not exist, a "
        "ridge penalty is used and a note says so."
    ),
    "maxdiff": _(
        "Utilities of the max-diff logit model, P(best i, worst j) proportional to exp(u_i - u_j)"
        " [Marley2005]. They are estimated by maximum likelihood and centred within each pool."
        " Standard errors come from the inverse information matrix. They are too small if the"
        " answers of one person resemble one another. Utilities of different pools are not on the"
        " same scale. If the maximum-likelihood estimate does not exist, a ridge penalty is used"
        " and a note says so."
    ),
}

# Strength of the ridge: a normal prior of variance 1 / RIDGE, so of a standard deviation of 3.2
# in logits. Weak beside a handful of answers, yet it keeps the utilities finite.
RIDGE = 0.1


@dataclass(frozen=True)
class PoolFit:
    """How one pool was fitted.

    Parameters
    ----------
    pool : int
        Number of the pool.
    n_items, n_judgments : int
        Items that its answers showed, and the answers.
    log_likelihood : float
        At the estimate, without the penalty.
    ridge : float
        Strength of the penalty, ridge / 2 times the sum of squared utilities; 0 for plain maximum
        likelihood.
    n_strong_components : int
        Strongly connected parts of its directed comparison graph. With one, the plain estimate
        exists; with more, the ridge was used.
    has_standard_errors : bool
        False for a pool of more than `MAX_DENSE_ITEMS` items.
    """

    pool: int
    n_items: int
    n_judgments: int
    log_likelihood: float
    ridge: float
    n_strong_components: int
    has_standard_errors: bool = True

    @property
    def is_penalised(self) -> bool:
        """Whether a ridge was used."""
        return self.ridge > 0

    @property
    def note(self) -> Message | None:
        """Why a ridge was used, and why there are no standard errors; None if neither is so."""
        penalised, without_errors = None, None
        if self.is_penalised:
            penalised = _(
                "Penalised: the directed comparison graph of the pool is not strongly connected"
                " (%(parts)s parts), so the plain maximum-likelihood estimate does not exist"
                " [Ford1957]. Ridge of strength %(ridge)s: the log-likelihood minus %(ridge)s/2"
                " times the sum of squared utilities, as with a normal prior of variance"
                " %(variance)s.",
                parts=self.n_strong_components,
                ridge=float(self.ridge),
                variance=1 / self.ridge,
            )
        if not self.has_standard_errors:
            without_errors = _(
                "Standard errors are not computed for pools of more than %(most)s items: they"
                " need the inverse of a matrix of %(n)s x %(n)s.",
                most=newton.MAX_DENSE_ITEMS,
                n=self.n_items,
            )
        return joined(penalised, without_errors)

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types."""
        return {
            "pool": self.pool,
            "n_items": self.n_items,
            "n_judgments": self.n_judgments,
            "log_likelihood": json_number(self.log_likelihood),
            "ridge": self.ridge,
            "is_penalised": self.is_penalised,
            "n_strong_components": self.n_strong_components,
            "has_standard_errors": self.has_standard_errors,
            "note": self.note,
        }


@dataclass(frozen=True, eq=False)
class Ranking:
    """Utilities of all items, fitted pool by pool.

    Parameters
    ----------
    model : str
        A key of `MODELS`.
    utilities : float array, shape (n_items,)
        In logits, centred within each pool; nan for an item that no answer showed.
    standard_errors : float array, shape (n_items,)
        Of the centred utilities, from the inverse of the (penalised) information; nan in pools
        of more than `MAX_DENSE_ITEMS` items.
    pool : int array, shape (n_items,)
        Pool of each item. Utilities of different pools are not on one scale.
    fits : tuple of PoolFit
        One per pool with answers, pools in ascending order.
    """

    model: Model
    utilities: FloatArray
    standard_errors: FloatArray
    pool: IntArray
    fits: tuple[PoolFit, ...]

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return MODELS[self.model]

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        return {
            "definition": self.definition,
            "model": self.model,
            "utilities": json_numbers(self.utilities),
            "standard_errors": json_numbers(self.standard_errors),
            "pool": self.pool.tolist(),
            "pools": [fit.as_dict() for fit in self.fits],
        }


def rank(
    answers: BestWorst, *, model: Model, pool: IntArray | None = None, ridge: float = RIDGE
) -> Ranking:
    """Fit the utilities of the items, pool by pool.

    Memory is 8 n^2 bytes times a few and time n^3 for the largest pool: a second for 1,000 items.
    Pools of more than `MAX_DENSE_ITEMS` items are fitted with sparse matrices, to the same optimum
    and without standard errors, in memory and time that grow with their answers.

    Parameters
    ----------
    answers : BestWorst
        m judgments of t tuples.
    model : {"pairs", "maxdiff"}
        See the module's head.
    pool : int array, shape (n_items,), optional
        Pool of each item; by default items that chains of answered tuples connect share one.
    ridge : float
        Strength of the penalty where the plain estimate does not exist, above 0.

    Returns
    -------
    Ranking
        Its utilities are nan for items that no answer showed, its standard errors also for those
        of the largest pools.

    Raises
    ------
    ValueError
        If the model is unknown, the ridge not above 0, or a tuple shows items of two pools.
    NotConvergedError
        If an iteration does not come to rest.

    References
    ----------
    [BradleyTerry1952], [Ford1957], [HestenesStiefel1952], [Marley2005] in docs/references.md
    """
    if model not in get_args(Model):
        raise ValueError(f"model must be one of {', '.join(get_args(Model))}, not {model!r}")
    if not 0 < ridge < np.inf:
        raise ValueError(f"ridge must be a number above 0, not {ridge}")
    pool = pools_by_comparison(answers) if pool is None else np.asarray(pool)
    of_tuple = pool_of_tuples(answers, pool)

    winner, loser = (side.ravel() for side in implied_pairs(answers))
    component = strong_components(winner, loser, n_items=answers.n_items)
    utilities, errors = np.full((2, answers.n_items), np.nan)
    fits = []
    of_judgment = of_tuple[answers.tuple_number]
    by_pool = np.argsort(of_judgment, kind="stable")
    numbers, starts = np.unique(of_judgment[by_pool], return_index=True)
    # Without answers np.split still makes one part, an empty one.
    parts = np.split(by_pool, starts[1:]) if len(numbers) else []
    for number, rows in zip(numbers, parts, strict=True):
        choices = PoolChoices.of_judgments(answers, rows)
        n_components = len(np.unique(component[choices.items]))
        fit = fit_pairs if model == "pairs" else fit_maxdiff
        strength = 0.0 if n_components == 1 else ridge
        u, cov, log_likelihood = fit(choices, strength, dense=is_dense(choices.n))
        utilities[choices.items] = u
        errors[choices.items] = np.sqrt(cov)
        fits.append(
            PoolFit(
                int(number),
                len(u),
                len(rows),
                log_likelihood,
                strength,
                n_components,
                has_standard_errors=is_dense(len(u)),
            )
        )
    return Ranking(model, utilities, errors, pool, tuple(fits))
