"""Nominal alpha without each group of its values in turn, as jackknife intervals need it.

Symbols: n values; u units; g groups.
"""

import numpy as np

from scoring.arrays import FloatArray, IntArray


class LeftOutAlpha:
    """Krippendorff's alpha (nominal) of all values but those of one group, for each group.

    Exact and without a loop: of a unit that loses values only its own disagreement changes, and
    where it keeps fewer than two, all of its values leave the margins.

    Parameters
    ----------
    units, values : int array, shape (n,)
        Unit and category of each value; every unit has at least two.
    expected : float, optional
        Disagreement by chance, where it does not follow from the values.

    References
    ----------
    [Krippendorff2011] in docs/references.md
    """

    def __init__(self, units: IntArray, values: IntArray, expected: float | None = None) -> None:
        self.expected = expected
        _, self.unit, self.sizes = np.unique(units, return_inverse=True, return_counts=True)
        categories, self.category = np.unique(values, return_inverse=True)
        self.n_categories, self.n = len(categories), len(self.unit)
        self.cell = self.unit * self.n_categories + self.category
        self.cells, self.counts = np.unique(self.cell, return_counts=True)
        # Summed squares of a unit's counts, and its summed categories, of which one may be left.
        self.squares = _sums(self.cells // self.n_categories, self.counts**2, len(self.sizes))
        self.category_sums = _sums(self.unit, self.category, len(self.sizes))
        self.disagreement = (self.sizes**2 - self.squares) / (self.sizes - 1)
        self.margins = np.bincount(self.category)

    def without(self, group: IntArray, *, n_groups: int) -> FloatArray:
        """Alpha without the values of each group.

        Parameters
        ----------
        group : int array, shape (n,)
            Group of each value, 0..n_groups-1.
        n_groups : int
            g.

        Returns
        -------
        float array, shape (g,)
            nan where the values that are left are all equal, or where none can be paired.
        """
        u, c = len(self.sizes), self.n_categories
        # What each group takes out of each category of each unit: only what is there is listed.
        lost, n_lost = np.unique(group * (u * c) + self.cell, return_counts=True)
        counts = self.counts[np.searchsorted(self.cells, lost % (u * c))]
        in_unit = lost // c
        is_first = np.diff(in_unit, prepend=-1) > 0
        place, in_unit = np.cumsum(is_first) - 1, in_unit[is_first]
        groups, units, k = in_unit // u, in_unit % u, len(in_unit)
        left = self.sizes[units] - _sums(place, n_lost, k)
        squares = self.squares[units] - _sums(place, n_lost * (2 * counts - n_lost), k)
        is_pairable = left >= 2
        disagreement = np.zeros(k)
        np.divide(left**2 - squares, left - 1, out=disagreement, where=is_pairable)
        changes = disagreement - self.disagreement[units]
        n_gone = self.sizes[units] - np.where(is_pairable, left, 0)
        n = self.n - _sums(groups, n_gone, n_groups)

        is_single = left == 1
        last = (self.category_sums[units] - _sums(place, lost % c * n_lost, k))[is_single]
        in_margin, place = np.unique(
            np.concatenate([lost // c // u * c + lost % c, groups[is_single] * c + last]),
            return_inverse=True,
        )
        taken = np.concatenate([n_lost, np.ones(len(last), dtype=np.int64)])
        taken = _sums(place, taken, len(in_margin))
        of_margins = taken * (taken - 2 * self.margins[in_margin % c])
        return self._alphas(
            self.disagreement.sum() + np.bincount(groups, changes, minlength=n_groups),
            n,
            (self.margins**2).sum() + _sums(in_margin // c, of_margins, n_groups),
        )

    def _alphas(self, disagreement: FloatArray, n: IntArray, squares: IntArray) -> FloatArray:
        observed = np.full(n.shape, np.nan)
        np.divide(disagreement, n, out=observed, where=n > 0)
        expected = np.zeros(n.shape)
        if self.expected is None:
            np.divide(n**2 - squares, n * (n - 1), out=expected, where=n > 1)
        else:
            expected[:] = self.expected
        ratio = np.full(n.shape, np.nan)
        np.divide(observed, expected, out=ratio, where=expected > 0)
        return 1 - ratio


def _sums(group: IntArray, values: IntArray, n_groups: int) -> IntArray:
    """Sum of the whole numbers of each group; exact below 2**53."""
    return np.bincount(group, values, minlength=n_groups).astype(np.int64)
