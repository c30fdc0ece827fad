"""All statistics of orders in one: agreement and reliability of a whole study."""

from dataclasses import dataclass, replace

import numpy as np

from scoring.arrays import IntArray
from scoring.best_worst.half_interval import half_interval
from scoring.best_worst.pools import pools_by_comparison
from scoring.best_worst.reliability import SplitHalf, split_half
from scoring.best_worst.summary import COUNTS
from scoring.json_values import JsonObject
from scoring.rankings.concordance import Concordance, concordance
from scoring.rankings.orders import Orders
from shell.messages import message as _

_SPLIT_HALF = _(
    "The answers to each tuple are split at random into halves. If their number is odd, the "
    "remaining answer goes to a random half [KM2017]. The figure is the correlation of the mean "
    "ranks of the two halves."
)


@dataclass(frozen=True, eq=False)
class OrderSummary:
    """Statistics of one batch of orders.

    Parameters
    ----------
    n_judgments : int
    n_tuples, n_unanswered : int
        Tuples with at least one order, and those without.
    n_items : int
        Items that at least one order holds.
    n_pools : int or None
        Pools of these items; None if the pools were not given.
    n_annotators : int or None
        None if the batch does not say who answered.
    concordance : Concordance
    split_half : SplitHalf
        By the rule ``random``.
    """

    n_judgments: int
    n_tuples: int
    n_unanswered: int
    n_items: int
    n_pools: int | None
    n_annotators: int | None
    concordance: Concordance
    split_half: SplitHalf

    def as_dict(self) -> JsonObject:
        """The summary in plain JSON types; what is undefined is None, and ``reason`` says why."""
        return {
            "definitions": dict(COUNTS),
            "n_judgments": self.n_judgments,
            "n_tuples": self.n_tuples,
            "n_unanswered": self.n_unanswered,
            "n_items": self.n_items,
            "n_pools": self.n_pools,
            "n_annotators": self.n_annotators,
            "concordance": self.concordance.as_dict(),
            "split_half": {**self.split_half.as_dict(), "definition": _SPLIT_HALF},
        }


def summarise_orders(
    answers: Orders,
    *,
    pool: IntArray | None = None,
    n_splits: int = 100,
    rng: np.random.Generator,
) -> OrderSummary:
    """Compute all statistics of a batch of orders.

    Parameters
    ----------
    answers : Orders
        m judgments of t tuples; m may be 0.
    pool : int array, shape (n_items,), optional
        Pool of each item.
    n_splits : int
        Repeats of the split-half, at least 1.
    rng : numpy Generator
        Source of the splits.
    """
    of_halves, of_interval = rng.spawn(2)
    per_tuple = answers.answers_per_tuple()
    items = np.unique(answers.order)
    return OrderSummary(
        n_judgments=answers.n_judgments,
        n_tuples=int((per_tuple > 0).sum()),
        n_unanswered=int((per_tuple == 0).sum()),
        n_items=len(items),
        n_pools=None if pool is None else len(np.unique(pool[items])),
        n_annotators=None if answers.annotator is None else len(np.unique(answers.annotator)),
        concordance=concordance(answers, pool=pool, with_intervals=True),
        split_half=replace(
            split_half(answers, rule="random", n_splits=n_splits, rng=of_halves),
            interval=half_interval(
                answers,
                pool=pools_by_comparison(answers) if pool is None else pool,
                rng=of_interval,
            ),
        ),
    )
