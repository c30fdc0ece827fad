"""Swap search: even out how often two items meet, without touching anything else.

A move exchanges an item of one tuple for an item of another. It leaves every item's appearances
as they are; it is refused where it would show an item twice in a tuple or a tuple twice in the
design, and where it would raise the sum of squared pair counts. Moves that leave the sum as it
is are made: on a plateau they are the way out, and an uphill move was never worth its price.

Symbols: n items, k items a tuple, t tuples, c(x, y) the number of tuples that show x with y.
"""

from collections.abc import Iterator

import numpy as np

from tuples.arrays import IntArray

# Proposals are drawn in bulk, since a single draw costs as much as weighing the move.
MIN_BATCH_SIZE = 512


class SwapSearch:
    """A set of tuples under improvement.

    Parameters
    ----------
    tuples : int array, shape (t, k)
        Distinct tuples (as sets) of distinct items, numbered 0..n_items-1.
    n_items : int
        Size of the pool.

    Attributes
    ----------
    sum_of_squares : int
        Sum of c(x, y) squared over all pairs; it never rises.
    """

    def __init__(self, tuples: IntArray, *, n_items: int) -> None:
        self._members: list[list[int]] = tuples.tolist()
        self._used = {tuple(sorted(members)) for members in self._members}
        self._met: list[dict[int, int]] = [{} for _ in range(n_items)]
        for members in self._members:
            for x in members:
                met = self._met[x]
                for z in members:
                    if z != x:
                        met[z] = met.get(z, 0) + 1
        # Each pair is stored from both of its ends.
        self.sum_of_squares = sum(c * c for met in self._met for c in met.values()) // 2

    def tuples(self) -> IntArray:
        """Return the tuples as they are now, shape (t, k)."""
        return np.array(self._members, dtype=np.int64)

    def run(
        self,
        *,
        goal: int,
        n_moves: int,
        patience: int,
        only_repeated: bool,
        rng: np.random.Generator,
    ) -> None:
        """Propose moves until the sum of squares is down to the goal or the proposals are spent.

        Parameters
        ----------
        goal : int
            Sum of squares to stop at.
        n_moves : int
            Proposals allowed, up to a batch.
        patience : int
            Proposals in a row, up to a batch, that may bring no gain before it gives up.
        only_repeated : bool
            Take one side of each move from the tuples that hold a pair met twice or more. Right
            where no pair need meet twice: of 200,000 tuples some hundred are to be repaired.
        rng : numpy Generator
            Source of the proposals.
        """
        focus = list(range(len(self._members)))
        since_gain = 0
        while self.sum_of_squares > goal and n_moves > 0 and since_gain < patience:
            if only_repeated:
                # A pair can only become repeated through a tuple that a move changed, and those
                # were added to the list: no repeated pair is without a tuple here.
                focus = [a for a in dict.fromkeys(focus) if self._holds_a_repeated_pair(a)]
            # No smaller than the focus, which takes about as long to look through.
            batch = max(MIN_BATCH_SIZE, len(focus))
            before = self.sum_of_squares
            for a, b, i, j in self._proposals(focus, batch, rng):
                if self._swap(a, b, i, j):
                    if only_repeated:
                        focus.append(b)
                    if self.sum_of_squares <= goal:
                        break
            n_moves -= batch
            since_gain = since_gain + batch if self.sum_of_squares == before else 0

    def _proposals(
        self, focus: list[int], batch: int, rng: np.random.Generator
    ) -> Iterator[tuple[int, int, int, int]]:
        """Draw a batch of moves: two tuples and a place in each, one tuple from the focus."""
        n_tuples, size = len(self._members), len(self._members[0])
        first = [focus[f] for f in rng.integers(len(focus), size=batch).tolist()]
        second = rng.integers(n_tuples, size=batch).tolist()
        places = rng.integers(size, size=(2, batch)).tolist()
        return zip(first, second, *places, strict=True)

    def _holds_a_repeated_pair(self, a: int) -> bool:
        members = self._members[a]
        return any(self._met[x].get(z, 0) > 1 for i, x in enumerate(members) for z in members[:i])

    def _swap(self, a: int, b: int, i: int, j: int) -> bool:
        """Exchange place i of tuple a with place j of tuple b if that is allowed; say whether."""
        first, second = self._members[a], self._members[b]
        x, y = first[i], second[j]
        if x in second or y in first:
            return False
        met_x, met_y = self._met[x], self._met[y]
        # Raising a count c to c + 1 adds 2c + 1 to the sum, lowering it to c - 1 takes 2c - 1.
        # Items in both tuples meet x and y as often as before.
        stay = [z for z in first if z != x and z not in second]
        come = [z for z in second if z != y and z not in first]
        half_change = sum([met_y.get(z, 0) - met_x[z] + 1 for z in stay])
        half_change += sum([met_x.get(z, 0) - met_y[z] + 1 for z in come])
        if half_change > 0 or not self._replace(first, second, i, j):
            return False

        for z in stay:
            self._move_meeting(z, x, y)
        for z in come:
            self._move_meeting(z, y, x)
        self.sum_of_squares += 2 * half_change
        return True

    def _replace(self, first: list[int], second: list[int], i: int, j: int) -> bool:
        """Exchange two members unless that makes a tuple that the design has already."""
        x, y = first[i], second[j]
        new_first = tuple(sorted([*first[:i], *first[i + 1 :], y]))
        new_second = tuple(sorted([*second[:j], *second[j + 1 :], x]))
        if new_first == new_second or new_first in self._used or new_second in self._used:
            return False
        self._used -= {tuple(sorted(first)), tuple(sorted(second))}
        self._used |= {new_first, new_second}
        first[i], second[j] = y, x
        return True

    def _move_meeting(self, z: int, x: int, y: int) -> None:
        """Item z meets y where it met x."""
        for item, other, step in ((x, z, -1), (z, x, -1), (y, z, 1), (z, y, 1)):
            met = self._met[item]
            count = met.get(other, 0) + step
            if count:
                met[other] = count
            else:
                del met[other]
