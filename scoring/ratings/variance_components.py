"""Variance components of items, people and the residual, from sums over the ratings.

A rating is the sum of a mean, an effect of its item, one of its person, and a residual, which is
the interaction of both and error. The effects are random. Three sums of squares tell their
variances, each in expectation: those of ratings of one item, which differ by people and residual;
those of ratings by one person, which differ by items and residual; and those of all ratings. For
tables with gaps this is Henderson's Method 1 [Henderson1953], which Brennan calls analogous ANOVA
[Brennan2001]; for complete ones it is the analysis of variance.

Ratings may fall into groups that share neither items nor people: nine groups of three annotators,
say, with items of their own. Then all ratings are compared with those of their group only, since
nothing tells whether the items or the people of two groups differ.

Symbols: m ratings, at most one of each item by each person; y a rating less the mean of its group;
n the ratings of an item, or of a person; N those of a group; r parts that are left out in turn.
"""

from dataclasses import dataclass

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.groups import group_moments, group_sums, ratio
from scoring.ratings.ratings import Ratings
from shell.messages import Message
from shell.messages import message as _

# Components this much smaller than the largest differ from 0 by rounding alone.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class CrossedRatings:
    """Ratings of items by people, one of each item by each person at most.

    Parameters
    ----------
    item, person, group : int array, shape (m,)
        Numbered from 0 without gaps. A group shares no item and no person with another.
    value : float array, shape (m,)
        Ratings less the mean of their group.
    """

    item: IntArray
    person: IntArray
    group: IntArray
    value: FloatArray

    @property
    def n_items(self) -> int:
        """Items with a rating."""
        return int(self.item.max(initial=-1)) + 1

    @property
    def n_people(self) -> int:
        """People who rated."""
        return int(self.person.max(initial=-1)) + 1

    @property
    def n_groups(self) -> int:
        """Groups that share neither items nor people."""
        return int(self.group.max(initial=-1)) + 1

    @property
    def is_complete(self) -> bool:
        """Whether everybody rated every item."""
        return len(self.value) == self.n_items * self.n_people

    def components(self) -> FloatArray:
        """Variances of items, people and residual, shape (3,); see `components_without`."""
        # Part 0 has no ratings, so nothing is left out with it.
        return without_rounding(self.components_without(np.ones_like(self.item), n_parts=2)[:, 0])

    def components_without(self, part: IntArray, *, n_parts: int) -> FloatArray:
        """Variances of items, people and residual, each part left out in turn.

        Parameters
        ----------
        part : int array, shape (m,)
            Part of each rating, 0..n_parts-1.
        n_parts : int
            Number of parts, r.

        Returns
        -------
        float array, shape (3, n_parts)
            In squared units of the scale, as estimated: also below 0. nan where they cannot be
            told apart.
        """
        n = len(part) - np.bincount(part, minlength=n_parts)
        squares = self.value**2
        squares = squares.sum() - group_sums(squares, part, n_groups=n_parts)
        items, people, groups = (
            self._margin_without(level, part, n_parts)
            for level in (self.item, self.person, self.group)
        )
        # Expected: people + residual, and items + residual.
        within_items = ratio(squares - items.squares, n - items.n_levels)
        within_people = ratio(squares - people.squares, n - people.n_levels)
        # Expected: (n - items.size) items + (n - people.size) people + (n - n_levels) residual.
        within_groups = squares - groups.squares
        surplus = (n - items.size) * within_people + (n - people.size) * within_items
        # Twice the pairs of ratings that share neither item nor person, over n: 0 but for rounding
        # if there is none.
        n_free = np.round(n + groups.n_levels - items.size - people.size, 9)
        residual = ratio(surplus - within_groups, n_free)
        return np.array([within_people - residual, within_items - residual, residual])

    def _margin_without(self, level: IntArray, part: IntArray, n_parts: int) -> "_Margin":
        """Sums over the levels of items, people or groups, each part left out in turn."""
        cells = _Cells.from_levels(level, self.value, part, n_parts)
        of_groups = _Cells.from_levels(self.group, self.value, part, n_parts)
        group_of_level = np.zeros(len(cells.n), dtype=np.int64)
        group_of_level[level] = self.group
        squared_sizes = group_sums(cells.n**2, group_of_level, n_groups=len(of_groups.n))
        place = group_of_level[cells.level] * n_parts + cells.part
        lost = group_sums(
            cells.n[cells.level] ** 2 - cells.n_left**2,
            np.searchsorted(of_groups.key, place),
            n_groups=len(of_groups.key),
        )
        sizes_left = squared_sizes[of_groups.level] - lost
        return _Margin(
            len(cells.n) - cells.per_part((cells.n_left == 0).astype(np.float64)),
            cells.sums_of_quotients(cells.sums**2, cells.sums_left**2),
            of_groups.sums_of_quotients(squared_sizes, sizes_left),
        )


@dataclass(frozen=True, eq=False)
class _Margin:
    """Sums over levels without each part.

    Parameters
    ----------
    n_levels : float array, shape (r,)
        Levels with a rating.
    squares : float array, shape (r,)
        Sum over the levels of (sum of y)^2 / n.
    size : float array, shape (r,)
        Sum over the groups of (sum of n^2 over the levels in it) / N.
    """

    n_levels: FloatArray
    squares: FloatArray
    size: FloatArray


@dataclass(frozen=True, eq=False)
class _Cells:
    """The pairs of a level and a part that have ratings, so that time grows with the ratings.

    Parameters
    ----------
    key, level, part : int array, shape (c,)
        Number of each cell, ascending, its level and its part.
    n, sums : float array, shape (l,)
        Ratings of each level, and the sum of y.
    n_left, sums_left : float array, shape (c,)
        The same of a cell's level without what is in the cell.
    n_parts : int
    """

    key: IntArray
    level: IntArray
    part: IntArray
    n: FloatArray
    sums: FloatArray
    n_left: FloatArray
    sums_left: FloatArray
    n_parts: int

    @classmethod
    def from_levels(
        cls, level: IntArray, value: FloatArray, part: IntArray, n_parts: int
    ) -> "_Cells":
        """The cells of ratings of these levels, values and parts, each of shape (m,)."""
        key, cell = np.unique(level * n_parts + part, return_inverse=True)
        of_cell, in_part = np.divmod(key, n_parts)
        n_levels = int(level.max()) + 1
        n, sums = (
            group_sums(each, level, n_groups=n_levels) for each in (np.ones_like(value), value)
        )
        n_left = n[of_cell] - np.bincount(cell)
        sums_left = sums[of_cell] - group_sums(value, cell, n_groups=len(key))
        return cls(key, of_cell, in_part, n, sums, n_left, sums_left, n_parts)

    def per_part(self, values: FloatArray) -> FloatArray:
        """Sum of the cells' values for each part, shape (r,)."""
        return group_sums(values, self.part, n_groups=self.n_parts)

    def sums_of_quotients(self, values: FloatArray, values_left: FloatArray) -> FloatArray:
        """Sum over the levels of value / n without each part, shape (r,).

        Parameters
        ----------
        values : float array, shape (l,)
        values_left : float array, shape (c,)
            What is left of the value of each cell's level without the cell.
        """
        quotients = values / self.n
        left = np.nan_to_num(ratio(values_left, self.n_left))
        return np.asarray(quotients.sum() - self.per_part(quotients[self.level] - left))


def without_rounding(components: FloatArray) -> FloatArray:
    """The components, 0 where they differ from it by rounding alone."""
    is_rounding = np.abs(components) <= _ROUNDING * np.abs(components).max()
    return np.where(is_rounding, 0.0, components)


def shares_of(components: FloatArray) -> FloatArray:
    """Share of each component in their sum; negative ones count as 0. nan if none is above 0."""
    parts = np.maximum(components, 0.0)
    return ratio(parts, np.full(len(parts), parts.sum()))


def crossed_ratings(ratings: Ratings) -> CrossedRatings:
    """Each person's first rating of each item; items and people without any are left out."""
    first = ratings.first_answers()
    _items, item = np.unique(first.unit, return_inverse=True)
    _people, person = np.unique(first.annotator, return_inverse=True)
    group = _groups(item, person)
    n_groups = int(group.max(initial=-1)) + 1
    moments = group_moments(first.value, group, n_groups=n_groups)
    # Equal values are exactly 0, although their mean is rounded.
    deviations = np.where(
        moments.sum_of_squares[group] > 0, first.value - moments.mean[group], 0.0
    )
    return CrossedRatings(item, person, group, deviations)


def _groups(item: IntArray, person: IntArray) -> IntArray:
    """Number of the group of each rating: chains of ratings connect items and people to it."""
    from scipy.sparse import coo_array  # noqa: PLC0415 - loaded only where it is needed
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415 - see above

    if len(item) == 0:
        return item
    n_items = int(item.max()) + 1
    n_nodes = n_items + int(person.max()) + 1
    edges = coo_array((np.ones(len(item)), (item, n_items + person)), shape=(n_nodes, n_nodes))
    _n_groups, group = connected_components(edges, directed=False)
    return np.asarray(group[item], dtype=np.int64)


def why_without_components(crossed: CrossedRatings) -> Message | None:
    """Why items, people and residual cannot be told apart; None if they can."""
    n = len(crossed.value)
    if n == 0:
        return _("there are no ratings")
    if crossed.n_items == 1:
        return _("only one item was rated, so items cannot be compared")
    if crossed.n_people == 1:
        return _("only one person rated, so people cannot be compared")
    if n == crossed.n_items:
        return _("no item was rated by two people")
    if n == crossed.n_people:
        return _("no person rated two items, so people cannot be told apart from error")
    # Without a rating beyond those that connect a group, people and items explain all of them.
    if n + crossed.n_groups == crossed.n_items + crossed.n_people:
        return _(
            "too few of the same people rated the same items, so people and items cannot be told"
            " apart from error"
        )
    if crossed.value.any():
        return None
    if crossed.n_groups == 1:
        return _("all ratings are equal, so there is no variance")
    return _("the ratings of each group of people are equal, so there is no variance")
