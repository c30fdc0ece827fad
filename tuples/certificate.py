"""Certify a design: what is true of its tuples, in figures and in plain English.

Symbols: n items in the pool, k items a tuple, t tuples.
"""

import math
from dataclasses import asdict, dataclass

import numpy as np

from tuples.arrays import IntArray
from tuples.balance import (
    appearances,
    pair_counts,
    position_counts,
    sum_of_squares_bound,
    sum_of_squares_bound_for,
)
from tuples.connection import components


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """What is true of the tuples of one pool.

    Attributes
    ----------
    n_items, size, n_tuples : int
        n, k and t.
    n_distinct_tuples : int
        Tuples that differ as sets; t where none is made twice.
    appearances_min, appearances_max : int
        Least and greatest number of tuples that show an item.
    pair_count_min, pair_count_max : int
        Least and greatest number of tuples that show a pair, over all n (n - 1) / 2 pairs.
    n_pairs_repeated : int
        Pairs that meet more often than any need: in more tuples than the mean of all pair
        counts, rounded up. Where there are pairs enough, these are the pairs met twice or more.
    pair_sum_of_squares, pair_sum_of_squares_bound : int
        Sum of the squared counts of all pairs, and `sum_of_squares_bound`.
    pair_sum_of_squares_bound_here : int
        The higher bound that holds for these appearances, `sum_of_squares_bound_for`.
    pair_count_sd, pair_count_sd_bound : float
        Standard deviation of all pair counts (divisor one less than their number), and the one
        that follows from the bound; nan for a pool of two, which has one pair.
    n_components : int
        Parts of the comparison graph; items of different parts cannot be compared.
    position_deviation : float
        Greatest difference between an item's count in one place and its appearances / k.
    position_chi_square : float
        Sum over items and places of the squared difference from appearances / k over the same.
    position_chi_square_expected : float
        Its mean if the order in each tuple is random, (k - 1) x items shown. More than that
        means that items keep to certain places.
    """

    n_items: int
    size: int
    n_tuples: int
    n_distinct_tuples: int
    appearances_min: int
    appearances_max: int
    pair_count_min: int
    pair_count_max: int
    n_pairs_repeated: int
    pair_sum_of_squares: int
    pair_sum_of_squares_bound: int
    pair_sum_of_squares_bound_here: int
    pair_count_sd: float
    pair_count_sd_bound: float
    n_components: int
    position_deviation: float
    position_chi_square: float
    position_chi_square_expected: float

    @property
    def are_all_distinct(self) -> bool:
        return self.n_distinct_tuples == self.n_tuples

    @property
    def is_connected(self) -> bool:
        return self.n_components == 1

    @property
    def distance_from_bound(self) -> int:
        """Sum of squared pair counts above the lower bound; 0 is as even as can be."""
        return self.pair_sum_of_squares - self.pair_sum_of_squares_bound

    def as_dict(self) -> dict[str, int | float | bool | None]:
        """Return all figures as JSON knows them; what is undefined is None."""
        figures: dict[str, int | float | bool | None] = {
            name: None if isinstance(value, float) and math.isnan(value) else value
            for name, value in asdict(self).items()
        }
        figures["are_all_distinct"] = self.are_all_distinct
        figures["is_connected"] = self.is_connected
        figures["distance_from_bound"] = self.distance_from_bound
        return figures

    def sentences(self) -> list[str]:
        """Say it in plain English, one statement each."""
        positions = about_positions(
            deviation=self.position_deviation,
            chi_square=self.position_chi_square,
            expected=self.position_chi_square_expected,
        )
        return [*self.sentences_without_positions(), positions]

    def sentences_without_positions(
        self, *, says_bound: bool = True, says_connection: bool = True
    ) -> list[str]:
        """Say what pools with the same figures have in common, one statement each.

        Parameters
        ----------
        says_bound, says_connection : bool
            Whether to say how even the pairs are, and whether all items can be compared.
        """
        return [
            self._about_appearances(),
            self._about_distinctness(),
            self._about_pairs(),
            *(self._about_the_bound() if says_bound else []),
            *([self._about_connection()] if says_connection else []),
        ]

    def _about_appearances(self) -> str:
        plural, verb = ("", "is") if self.n_tuples == 1 else ("s", "are")
        drawn = (
            f"{self.n_tuples:,} tuple{plural} of {self.size} items {verb} drawn from "
            f"{self.n_items:,} items."
        )
        low, high = self.appearances_min, self.appearances_max
        if low == high:
            plural = "" if low == 1 else "s"
            return f"{drawn} Every item appears in {low:,} tuple{plural}."
        return f"{drawn} Every item appears in {low:,} to {high:,} tuples."

    def _about_distinctness(self) -> str:
        if self.are_all_distinct:
            return "No tuple occurs twice."
        repeated = self.n_tuples - self.n_distinct_tuples
        return f"{repeated:,} of the tuples {'repeats' if repeated == 1 else 'repeat'} another."

    def _about_pairs(self) -> str:
        if self.pair_count_min == self.pair_count_max:
            plural = "" if self.pair_count_max == 1 else "s"
            return (
                "Every pair of items appears together in exactly "
                f"{self.pair_count_max:,} tuple{plural}."
            )
        if self.pair_count_max == 1:
            return "No pair of items appears together in more than one tuple."
        return (
            f"A pair of items appears together in {self.pair_count_min:,} to "
            f"{self.pair_count_max:,} tuples; {self.n_pairs_repeated:,} pairs appear more often "
            "than an even spread requires."
        )

    def _about_the_bound(self) -> list[str]:
        if self.distance_from_bound == 0:
            return [
                "No design could be more even: the sum of squared pair counts is "
                f"{self.pair_sum_of_squares_bound:,}, the lowest possible."
            ]
        distance = (
            f"The sum of squared pair counts is {self.pair_sum_of_squares:,}, "
            f"{self.distance_from_bound:,} above its lower bound, "
            f"{self.pair_sum_of_squares_bound:,}."
        )
        if self.pair_sum_of_squares_bound_here == self.pair_sum_of_squares_bound:
            return [
                distance,
                (
                    "The bound assumes that all pairs occur evenly. For some numbers of "
                    "items, no design reaches it or none is known."
                ),
            ]
        reason = "No design with these appearances reaches that bound."
        lowest = f"{self.pair_sum_of_squares_bound_here:,}"
        if self.pair_sum_of_squares == self.pair_sum_of_squares_bound_here:
            limit = f"The lowest possible value is {lowest}, and this design has it."
        else:
            limit = f"Their own lower bound is {lowest}, which may also be out of reach."
        return [distance, f"{reason} {limit}"]

    def _about_connection(self) -> str:
        if self.is_connected:
            return "The tuples connect all items, so all of them can be compared."
        parts = f"The tuples form {self.n_components:,} parts that cannot be compared"
        needed = -(-(self.n_items - 1) // (self.size - 1))
        if self.n_tuples < needed:
            return f"{parts}. At least {needed:,} tuples are needed to connect all items."
        return f"{parts}, although {needed:,} tuples could connect all items."


def about_positions(*, deviation: float, chi_square: float, expected: float) -> str:
    """Say in plain English whether positions are balanced, then by which figures."""
    ratio = chi_square / expected
    varies = f"position in the stored tuples varies {ratio:.2f} times as much"
    balance = (
        f"Positions are balanced: how often an item takes each {varies} as in a random order."
        if ratio <= 1
        else "Positions are less balanced than in a random order: how often an item takes each "
        f"{varies}."
    )
    return f"{balance} No count is more than {deviation:.4g} away from an even share."


def certify(tuples: IntArray, *, n_items: int) -> Certificate:
    """Measure a design.

    Parameters
    ----------
    tuples : int array, shape (t, k)
        Items of each tuple, numbered 0..n_items-1, in their stored order.
    n_items : int
        Size of the pool, including items that are never shown.

    Raises
    ------
    ValueError
        If a tuple shows an item twice, or one that is not in the pool.
    """
    n_tuples, size = tuples.shape
    shown = appearances(tuples, n_items=n_items)
    _, met = pair_counts(tuples, n_items=n_items)
    n_pairs = math.comb(n_items, 2)
    total = n_tuples * math.comb(size, 2)
    squares = int((met * met).sum())
    bound = sum_of_squares_bound(n_items, size, n_tuples)

    even = shown[:, None] / size
    off = position_counts(tuples, n_items=n_items) - even
    ever = shown > 0
    return Certificate(
        n_items=n_items,
        size=size,
        n_tuples=n_tuples,
        n_distinct_tuples=len(np.unique(np.sort(tuples, axis=1), axis=0)),
        appearances_min=int(shown.min()),
        appearances_max=int(shown.max()),
        pair_count_min=int(met.min()) if len(met) == n_pairs else 0,
        pair_count_max=int(met.max()),
        n_pairs_repeated=int((met > -(-total // n_pairs)).sum()),
        pair_sum_of_squares=squares,
        pair_sum_of_squares_bound=bound,
        pair_sum_of_squares_bound_here=max(bound, sum_of_squares_bound_for(shown, size=size)),
        pair_count_sd=_sd(squares, total, n_pairs),
        pair_count_sd_bound=_sd(bound, total, n_pairs),
        n_components=int(components(tuples, n_items=n_items).max()) + 1,
        position_deviation=float(np.abs(off).max()),
        position_chi_square=float((off[ever] ** 2 / even[ever]).sum()),
        position_chi_square_expected=float((size - 1) * ever.sum()),
    )


def _sd(sum_of_squares: int, total: int, number: int) -> float:
    """Standard deviation from sums, divisor number - 1; whole numbers as long as possible."""
    if number == 1:
        return math.nan
    return math.sqrt((number * sum_of_squares - total**2) / (number * (number - 1)))
