"""Which measures are correlated on which items, each set of items once."""

import numpy as np

from scoring.arrays import BoolArray, FloatArray
from scoring.baselines.resampled import Together
from scoring.comparison import coefficient_and_p
from scoring.correlation import why_undefined
from scoring.weighted_correlation import Coefficient


class Overlaps:
    """Sets of items, and the measures that are correlated on them.

    A measure alone is correlated on the items that have it, and two measures on those that have
    both. As a rule nothing is missing, and all of these are the same items.
    """

    def __init__(self, human: FloatArray, columns: FloatArray) -> None:
        """Take people's scores, shape (n,), none missing, and the measures, shape (k, n)."""
        self.human = human
        self.columns = columns
        self._is_there = ~np.isnan(columns)
        self._numbers: dict[bytes, int] = {}
        self._number_of: dict[tuple[int, int], int] = {}
        self._reasons: dict[tuple[int, int], str | None] = {}
        self._values: dict[tuple[int, int, Coefficient], tuple[float, float]] = {}
        masks: list[BoolArray] = []
        members: list[dict[int, None]] = []
        k = len(columns)
        for first, second in ((i, j) for i in range(k) for j in range(i, k)):
            mask = self.mask(first, second)
            number = self._numbers.setdefault(np.packbits(mask).tobytes(), len(masks))
            self._number_of[first, second] = number
            if number == len(masks):
                masks.append(mask)
                members.append({})
            for one in (first, second):
                key = number, one
                if key not in self._reasons:
                    self._reasons[key] = why_undefined(human[mask], columns[one, mask])
                if self._reasons[key] is None:
                    members[number][one] = None
        self._n = [int(mask.sum()) for mask in masks]
        # Numbers must stay those of the list, so sets of items without a measure stay in it.
        self.together = [
            Together(mask, list(own)) for mask, own in zip(masks, members, strict=True)
        ]
        if not any(one.measures for one in self.together):
            self.together = []

    def mask(self, first: int, second: int) -> BoolArray:
        """The items that have both."""
        return np.asarray(self._is_there[first] & self._is_there[second])

    def number_of(self, first: int, second: int) -> int:
        """Number of the `Together` of these two."""
        return self._number_of[first, second]

    def n_of(self, first: int, second: int) -> int:
        """How many items have both."""
        return self._n[self._number_of[first, second]]

    def why_undefined(self, first: int, second: int, one: int) -> str | None:
        """Why one of two measures has no correlation on the items that have both."""
        return self._reasons[self._number_of[first, second], one]

    def value_and_p(
        self, first: int, second: int, one: int, coefficient: Coefficient
    ) -> tuple[float, float]:
        """Correlation of one of two measures on the items that have both, and its p."""
        key = self._number_of[first, second], one, coefficient
        if key not in self._values:
            mask = self.mask(first, second)
            self._values[key] = coefficient_and_p(
                self.human[mask], self.columns[one, mask], coefficient
            )
        return self._values[key]
