"""Nominal alpha without each group of its values in turn, as jackknife intervals need it.

Exact and without a loop: of a unit that loses values only its own disagreement changes, and where
it keeps fewer than two, all of its values leave the margins.

Symbols: n values; u units; g groups. A cell is what is equal within a unit: one category of it.
"""

from dataclasses import dataclass

import numpy as np

from scoring.arrays import FloatArray, IntArray


class UnitCells:
    """Values of units, from which groups can be taken.

    Parameters
    ----------
    units, values : int array, shape (n,)
        Unit and category of each value; every unit has at least two.
    """

    def __init__(self, units: IntArray, values: IntArray) -> None:
        _, unit, self.sizes = np.unique(units, return_inverse=True, return_counts=True)
        categories, category = np.unique(values, return_inverse=True)
        cells, self.first, self.cell, self.counts = np.unique(
            unit * len(categories) + category,
            return_index=True,
            return_inverse=True,
            return_counts=True,
        )
        self.unit = cells // len(categories)
        starts = np.searchsorted(self.unit, np.arange(len(self.sizes)))
        self.squares = np.add.reduceat(self.counts**2, starts)
        # Summed numbers of the cells of a unit's values, of which one may be left.
        self.cell_sums = np.add.reduceat(np.arange(len(cells)) * self.counts, starts)
        self.disagreement = (self.sizes**2 - self.squares) / (self.sizes - 1)

    def without(self, group: IntArray, *, n_groups: int) -> "LeftOut":
        """Take out the values of each group in turn.

        Parameters
        ----------
        group : int array, shape (n,)
            Group of each value, 0..n_groups-1.
        n_groups : int
            g.
        """
        # What each group takes out of each cell: only what is there is listed.
        lost, n_lost = np.unique(group * len(self.counts) + self.cell, return_counts=True)
        groups, cells = np.divmod(lost, len(self.counts))
        units, counts = self.unit[cells], self.counts[cells]
        # One after the other, those of one group from one unit.
        is_first = (np.diff(groups, prepend=-1) > 0) | (np.diff(units, prepend=-1) != 0)
        starts = np.flatnonzero(is_first)
        of_group, of_unit = groups[starts], units[starts]
        left = self.sizes[of_unit] - np.add.reduceat(n_lost, starts)
        squares = self.squares[of_unit] - np.add.reduceat(n_lost * (2 * counts - n_lost), starts)
        is_pairable = left >= 2
        disagreement = np.zeros(len(starts))
        np.divide(left**2 - squares, left - 1, out=disagreement, where=is_pairable)
        changes = disagreement - self.disagreement[of_unit]
        # A value that is left alone in its unit leaves the margins, too.
        is_single = left == 1
        alone = (self.cell_sums[of_unit] - np.add.reduceat(n_lost * cells, starts))[is_single]
        gone = np.concatenate([groups, of_group[is_single]])
        n_gone = np.concatenate([n_lost, np.ones(len(alone), dtype=np.int64)])
        return LeftOut(
            self.disagreement.sum() + np.bincount(of_group, changes, minlength=n_groups),
            len(self.cell) - np.bincount(gone, n_gone, minlength=n_groups).astype(np.int64),
            gone,
            np.concatenate([cells, alone]),
            n_gone,
        )

    def margins(self, values: IntArray) -> "Margins":
        """Count the values in another coding, which tells apart what is in two cells of a unit.

        Parameters
        ----------
        values : int array, shape (n,)
            Another category of each value.
        """
        _, category = np.unique(values, return_inverse=True)
        return Margins(np.bincount(category), category[self.first])


@dataclass(frozen=True, eq=False)
class Margins:
    """How often each category occurs, shape (c,), and the category of each cell."""

    counts: IntArray
    of_cell: IntArray


@dataclass(frozen=True, eq=False)
class LeftOut:
    """What is left of the values without each group.

    Parameters
    ----------
    disagreement : float array, shape (g,)
        Summed over the values that can be paired.
    n : int array, shape (g,)
        How many can.
    gone, cell, n_gone : int array, shape (x,)
        The other values: by group and cell, how many.
    """

    disagreement: FloatArray
    n: IntArray
    gone: IntArray
    cell: IntArray
    n_gone: IntArray

    def alpha(self, by_chance: Margins | float) -> FloatArray:
        """Krippendorff's alpha (nominal) without each group.

        Parameters
        ----------
        by_chance : Margins or float
            What leads to the disagreement expected by chance, or this disagreement.

        Returns
        -------
        float array, shape (g,)
            nan where the values that are left are all equal, or where none can be paired.

        References
        ----------
        [Krippendorff2011] in docs/references.md
        """
        observed = np.full(self.n.shape, np.nan)
        np.divide(self.disagreement, self.n, out=observed, where=self.n > 0)
        expected = np.zeros(self.n.shape)
        if isinstance(by_chance, Margins):
            squares = self._squared_margins(by_chance)
            np.divide(self.n**2 - squares, self.n * (self.n - 1), out=expected, where=self.n > 1)
        else:
            expected[:] = by_chance
        ratio = np.full(self.n.shape, np.nan)
        np.divide(observed, expected, out=ratio, where=expected > 0)
        return 1 - ratio

    def _squared_margins(self, margins: Margins) -> IntArray:
        """Squared counts of the categories, summed, without each group."""
        from scipy.sparse import csr_array  # noqa: PLC0415 - importing scoring loads numpy only

        shape = len(self.n), len(margins.counts)
        gone = csr_array((self.n_gone, (self.gone, margins.of_cell[self.cell])), shape)
        crossed = gone @ (2 * margins.counts)
        squares: IntArray = (margins.counts**2).sum() - crossed + (gone**2).sum(axis=1)
        return squares
