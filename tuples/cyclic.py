"""Cyclic designs: a few base tuples, each shifted through all n items.

Number the items 0..n-1 on a circle. If the differences between the members of f base tuples
cover all n - 1 distances as evenly as possible, the f x n shifted tuples show every item f x k
times and all pairs as evenly as possible (a difference family [Bose1939]). Where pairs are dense
a solution has so few numbers to find that a search gets there in a blink, while the tuples
themselves would have to be rearranged by luck.

Symbols: n items, k items a tuple, f base tuples.
"""

import numpy as np

from tuples.arrays import IntArray

# Proposals without a gain after which the search starts from new base tuples.
PATIENCE = 400


def cyclic_tuples(
    n_items: int, *, size: int, n_bases: int, n_moves: int, rng: np.random.Generator
) -> IntArray | None:
    """Search base tuples with even differences and shift the best through the pool.

    Parameters
    ----------
    n_items, size, n_bases : int
        n, k and f, with k < n.
    n_moves : int
        Proposals allowed, over all starts.
    rng : numpy Generator
        Source of the starts and the proposals.

    Returns
    -------
    int array, shape (f * n, k), or None
        Distinct tuples, each item in f * k of them; None if no start gave distinct tuples.

    References
    ----------
    [Bose1939] in docs/references.md
    """
    quotient, rest = divmod(n_bases * size * (size - 1), n_items - 1)
    goal = rest * (quotient + 1) ** 2 + (n_items - 1 - rest) * quotient**2
    best: tuple[int, IntArray] | None = None
    while n_moves > 0 and (best is None or best[0] > goal):
        bases = _BaseTuples(n_items, size=size, n_bases=n_bases, rng=rng)
        n_moves -= bases.improve(goal=goal, rng=rng)
        if best is None or bases.sum_of_squares < best[0]:
            shifted = bases.shifted()
            # Two bases may be shifts of one another, and one may be its own shift.
            if len(np.unique(np.sort(shifted, axis=1), axis=0)) == len(shifted):
                best = (bases.sum_of_squares, shifted)
    return None if best is None else best[1]


class _BaseTuples:
    """Base tuples and how often each distance, 1..n-1, lies between two of their members."""

    def __init__(self, n_items: int, *, size: int, n_bases: int, rng: np.random.Generator) -> None:
        self._n_items = n_items
        self._bases: list[list[int]] = [
            rng.choice(n_items, size=size, replace=False).tolist() for _ in range(n_bases)
        ]
        self._counts = [0] * n_items
        self.sum_of_squares = 0
        for base in self._bases:
            for i, x in enumerate(base):
                self._count(x, base[:i], 1)

    def improve(self, *, goal: int, rng: np.random.Generator) -> int:
        """Change one member at a time while that gains; return the number of proposals."""
        n_bases, size = len(self._bases), len(self._bases[0])
        tried = last_gain = 0
        while tried - last_gain < PATIENCE:
            which = rng.integers(n_bases, size=PATIENCE).tolist()
            places = rng.integers(size, size=PATIENCE).tolist()
            values = rng.integers(self._n_items, size=PATIENCE).tolist()
            for b, i, new in zip(which, places, values, strict=True):
                if self.sum_of_squares <= goal:
                    return tried
                tried += 1
                base = self._bases[b]
                if new in base:
                    continue
                before, old = self.sum_of_squares, base[i]
                others = base[:i] + base[i + 1 :]
                self._count(old, others, -1)
                self._count(new, others, 1)
                if self.sum_of_squares > before:
                    self._count(new, others, -1)
                    self._count(old, others, 1)
                    continue
                base[i] = new
                if self.sum_of_squares < before:
                    last_gain = tried
        return tried

    def shifted(self) -> IntArray:
        """Shift every base tuple through the circle, shape (f * n, k)."""
        bases = np.array(self._bases, dtype=np.int64)
        shifts = np.arange(self._n_items, dtype=np.int64)
        return ((bases[:, None, :] + shifts[None, :, None]) % self._n_items).reshape(
            -1, bases.shape[1]
        )

    def _count(self, x: int, others: list[int], step: int) -> None:
        """Add (step 1) or take away (step -1) the distances between x and others."""
        counts, n = self._counts, self._n_items
        for z in others:
            for distance in ((x - z) % n, (z - x) % n):
                # (c + step)^2 - c^2, for a step of 1 or -1
                self.sum_of_squares += 2 * step * counts[distance] + 1
                counts[distance] += step
