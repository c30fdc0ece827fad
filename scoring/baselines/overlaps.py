"""Which measures are correlated on which items, each set of items once."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from scoring.arrays import BoolArray, FloatArray
from scoring.baselines.left_out import LeftOut, leave_out_each
from scoring.baselines.resampled import Resamples, Together, resample
from scoring.bootstrap import MIN_POOLS
from scoring.correlation import why_undefined
from scoring.measures.comparison import coefficient_and_p
from scoring.measures.weighted_correlation import Coefficient
from shell.messages import Message
from shell.messages import message as _

# Two items always correlate by 1 or -1: a report that puts measures in order shows no such figure.
MIN_ITEMS = 3
# Values no farther apart than this, relative to the largest of them, are equal: .1 + .2 and .3.
ROUNDING = 1e-12


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
        self._reasons: dict[tuple[int, int], Message | None] = {}
        self._values: dict[tuple[int, int, Coefficient], tuple[float, float]] = {}
        self._left_out: dict[int, LeftOut] = {}
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
            for measure in (first, second):
                key = number, measure
                if key not in self._reasons:
                    self._reasons[key] = why_uncorrelated(human[mask], columns[measure, mask])
                if self._reasons[key] is None:
                    members[number][measure] = None
        self._n = [int(mask.sum()) for mask in masks]
        # Numbers must stay those of the list, so sets of items without a measure stay in it.
        self.together = [
            Together(mask, list(own)) for mask, own in zip(masks, members, strict=True)
        ]
        if not any(overlap.measures for overlap in self.together):
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

    def resample(
        self,
        pools: npt.NDArray[np.generic] | None,
        *,
        coefficients: Sequence[Coefficient],
        n_resamples: int,
        rng: np.random.Generator,
    ) -> Resamples:
        """Draw pools of all items, or items where those of a `Together` are of too few pools.

        Parameters
        ----------
        pools : array, shape (n,), or None
            Label of each item's pool.
        coefficients, n_resamples, rng
            As in `scoring.baselines.resampled.resample`.
        """
        is_drawn_whole = [has_enough_pools(pools, overlap.is_there) for overlap in self.together]
        # All items say what is drawn of the subset, even if no measure has them all.
        of_subset = has_enough_pools(pools, np.ones(self.human.shape, dtype=np.bool_))
        parts = [
            resample(
                self.human,
                self.columns,
                [
                    overlap if is_whole == whole else Together(overlap.is_there, [])
                    for overlap, is_whole in zip(self.together, is_drawn_whole, strict=True)
                ],
                coefficients=coefficients,
                n_resamples=n_resamples,
                pools=pools if whole else None,
                rng=rng,
            )
            for whole in ([True, False] if of_subset else [False])
        ]
        by_key = {key: bootstrap for part in parts for key, bootstrap in part.bootstraps.items()}
        return Resamples(parts[0].resampled, parts[0].n_units, by_key)

    def leave_out(
        self,
        pools: npt.NDArray[np.generic] | None,
        first: int,
        second: int,
        *,
        coefficients: Sequence[Coefficient],
    ) -> LeftOut:
        """Correlate what is on the items of two measures without each pool or item in turn.

        Parameters
        ----------
        pools : array, shape (n,), or None
            Label of each item's pool.
        first, second : int
            Numbers of the measures; both have a correlation.
        coefficients
            As in `scoring.baselines.left_out.leave_out_each`.
        """
        number = self._number_of[first, second]
        if number not in self._left_out:
            self._left_out[number] = leave_out_each(
                self.human,
                self.columns,
                self.together[number],
                coefficients=coefficients,
                pools=pools,
            )
        return self._left_out[number]

    def why_undefined(self, first: int, second: int, measure: int) -> Message | None:
        """Why one of two measures has no correlation on the items that have both."""
        return self._reasons[self._number_of[first, second], measure]

    def value_and_p(
        self, first: int, second: int, measure: int, coefficient: Coefficient
    ) -> tuple[float, float]:
        """Correlation of one of two measures on the items that have both, and its p."""
        key = self._number_of[first, second], measure, coefficient
        if key not in self._values:
            mask = self.mask(first, second)
            self._values[key] = coefficient_and_p(
                self.human[mask], self.columns[measure, mask], coefficient
            )
        return self._values[key]


def has_enough_pools(pools: npt.NDArray[np.generic] | None, is_there: BoolArray) -> bool:
    """Whether these items are of so many pools that whole pools are drawn."""
    return pools is not None and len(np.unique(pools[is_there])) >= MIN_POOLS


def why_uncorrelated(x: FloatArray, y: FloatArray) -> Message | None:
    """Say why a report gives no correlation of two columns, shape (n,); None if it gives one.

    Nan is missing. A report is stricter than `correlation.why_undefined`: it takes three
    items, and values that differ by rounding alone are equal.
    """
    is_paired = ~(np.isnan(x) | np.isnan(y))
    if is_paired.sum() < MIN_ITEMS:
        return _("there are fewer than three pairs of values")
    if reason := why_undefined(x, y):
        return reason
    if any(_differ_by_rounding(values[is_paired]) for values in (x, y)):
        return _("all values of one of the two variables are equal apart from rounding")
    return None


def _differ_by_rounding(values: FloatArray) -> bool:
    low, high = float(values.min()), float(values.max())
    return high - low <= ROUNDING * max(abs(low), abs(high))
