"""Counting scores of best-worst scaling: how often picked as best less how often as worst."""

from dataclasses import dataclass

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.best_worst.judgments import BestWorst, check_judgments


@dataclass(frozen=True, eq=False)
class Counts:
    """How often each item was shown and picked. Counts of two batches add up with ``+``.

    A study too large for memory is counted in chunks of judgments: only these three arrays
    are kept, whatever the number of judgments.

    Parameters
    ----------
    appearances, best, worst : int array, shape (n_items,)
        Judgments that showed the item, picked it as best, picked it as worst.
    """

    appearances: IntArray
    best: IntArray
    worst: IntArray

    @classmethod
    def none(cls, n_items: int) -> "Counts":
        """Counts before the first judgment: all zero."""
        return cls(*(np.zeros(n_items, dtype=np.int64) for _ in range(3)))

    def __add__(self, other: "Counts") -> "Counts":
        # Broadcasting would silently spread the counts of a single item over all items.
        if len(self.appearances) != len(other.appearances):
            raise ValueError(
                f"counts of {len(self.appearances)} and of {len(other.appearances)} items "
                "do not add up"
            )
        return Counts(
            self.appearances + other.appearances,
            self.best + other.best,
            self.worst + other.worst,
        )

    def scores(self) -> FloatArray:
        """Share of best picks minus share of worst picks [Orme2009].

        Returns
        -------
        float array, shape (n_items,)
            Scores in [-1, 1]; nan for an item never shown.
        """
        return share(self.best - self.worst, self.appearances)

    def rescaled(self) -> FloatArray:
        """The scores moved to [0, 1]: (score + 1) / 2; nan for an item never shown."""
        return (self.scores() + 1) / 2

    def distribution(self, *, n_bins: int = 5) -> IntArray:
        """Count the items in equal intervals of their rescaled scores.

        An interval has its lower end and not its upper one; the last one has both. Whole numbers
        decide, so that a score at an end is never on its wrong side.

        Parameters
        ----------
        n_bins : int
            Intervals of [0, 1]: five are steps of .2.

        Returns
        -------
        int array, shape (n_bins,)
            Items of each interval; those never shown are in none.
        """
        is_shown = self.appearances > 0
        halves = (self.appearances + self.best - self.worst)[is_shown]
        place = n_bins * halves // (2 * self.appearances[is_shown])
        return np.bincount(np.minimum(place, n_bins - 1), minlength=n_bins)


def count(answers: BestWorst) -> Counts:
    """Count how often each item was shown, picked as best and picked as worst."""
    n_items = answers.n_items
    return Counts(
        appearances=np.bincount(answers.shown().ravel(), minlength=n_items),
        best=np.bincount(answers.best, minlength=n_items),
        worst=np.bincount(answers.worst, minlength=n_items),
    )


def counting_scores(
    shown: IntArray, best: IntArray, worst: IntArray, *, n_items: int
) -> FloatArray:
    """Score each item by its share of best picks minus its share of worst picks.

    Parameters
    ----------
    shown : int array, shape (m, k)
        Items displayed in each judgment, numbered 0..n_items-1.
    best, worst : int array, shape (m,)
        Item picked in each judgment, one of those displayed.
    n_items : int
        Number of items, including those that were never shown.

    Returns
    -------
    float array, shape (n_items,)
        Scores in [-1, 1]; nan for an item never shown.

    Raises
    ------
    ValueError
        If a judgment picks one item as both best and worst, an item it did not show, or shows an
        item twice or one that does not exist.

    References
    ----------
    [Orme2009] in docs/references.md
    """
    shown, best, worst = check_judgments(shown, best, worst, n_items=n_items)
    net = np.bincount(best, minlength=n_items) - np.bincount(worst, minlength=n_items)
    return share(net, np.bincount(shown.ravel(), minlength=n_items))


def share(net: IntArray | FloatArray, appearances: IntArray | FloatArray) -> FloatArray:
    """Divide `net` by `appearances`, arrays of one shape; nan if there was no appearance."""
    # Never shown is not the same as average: 0/0 stays nan instead of becoming 0.
    scores = np.full(net.shape, np.nan)
    np.divide(net, appearances, out=scores, where=appearances > 0)
    return scores
