"""How alike two texts are by vectors that a model gave them, and which pairs of many are kept.

The vectors come in as arrays: nothing here knows a model.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tuples.arrays import IntArray
from tuples.pair_sampling.candidates import LIMIT, Candidates

Vectors = NDArray[np.float32]

# By vectors alone; and the mean of shared words and vectors.
WITH_VECTORS = ("embedding", "mean")
# If there are more pairs (20,000 by 20,000 texts), not all are compared.
MAX_COMPARED_PAIRS = 400_000_000
# Pairs whose similarity is in memory at once.
_BLOCK = 2_000_000
_CHUNK = 8192


def unit(vectors: NDArray[np.floating]) -> Vectors:
    """Each row divided by its length.

    Parameters
    ----------
    vectors : float array, shape (n, d)

    Raises
    ------
    ValueError
        If a row is zero, or not finite.
    """
    unit_vectors = np.array(vectors, dtype=np.float32)
    lengths = np.linalg.norm(unit_vectors, axis=1)
    is_wrong = ~(np.isfinite(lengths) & (lengths > 0))
    if is_wrong.any():
        raise ValueError(f"vector {int(is_wrong.argmax())} is zero or not finite")
    unit_vectors /= lengths[:, None]
    return unit_vectors


def cosines(left: Vectors, right: Vectors, pairs: IntArray) -> NDArray[np.float64]:
    """Cosine of the two vectors of each pair; what is below 0 counts as 0.

    Parameters
    ----------
    left, right : float array, shape (n, d) and (m, d)
        Of length 1, as `unit` makes them.
    pairs : int array, shape (p, 2)
        Numbers of a left and a right text.

    Returns
    -------
    float array, shape (p,)
        In [0, 1].
    """
    cosine = np.zeros(len(pairs))
    for start in range(0, len(pairs), _CHUNK):
        some = pairs[start : start + _CHUNK]
        cosine[start : start + _CHUNK] = np.einsum("ij,ij->i", left[some[:, 0]], right[some[:, 1]])
    # Rounding may lead a little beyond 1.
    return np.clip(cosine, 0.0, 1.0)


def _quietly(_share: float) -> None:
    """Nobody asks how far it is."""


def spread_pairs(
    left: Vectors,
    right: Vectors,
    names: tuple[IntArray, IntArray],
    *,
    n_bins: int,
    seed: int,
    limit: int = LIMIT,
    most: int = MAX_COMPARED_PAIRS,
    progress: Callable[[float], None] = _quietly,
) -> Candidates:
    """Compare the pairs block by block, and keep as many of each bin, drawn at random.

    Up to `limit` pairs all are kept. Of more, each bin keeps a random `limit / n_bins` of its
    pairs, so that the rare ones are all there; the memory is that of a block and of what is kept.
    Of more than `most` pairs each left text is compared with as many right ones, drawn at random
    for each block.

    Parameters
    ----------
    left, right : float array, shape (n, d) and (m, d)
        Of length 1, as `unit` makes them.
    names : int array of shape (n,), and one of shape (m,)
        What has the same number on both sides is the same text; such pairs are not kept.
    """
    n_possible = len(left) * len(right)
    if n_possible <= limit:
        numbers = np.arange(n_possible, dtype=np.int64)
        return Candidates(_pairs(numbers, len(right)), n_possible)
    rng = np.random.Generator(np.random.PCG64(seed))
    n_met = min(len(right), max(most // len(left), 1))
    n_rows = max(_BLOCK // n_met, 1)
    reservoir = _PairReservoir(n_bins, max(limit // n_bins, 1))
    n_identical = 0
    for start in range(0, len(left), n_rows):
        rows = slice(start, start + n_rows)
        is_all = n_met == len(right)
        met = np.arange(n_met) if is_all else np.sort(rng.permutation(len(right))[:n_met])
        alike = (left[rows] @ (right if is_all else right[met]).T).ravel()
        differ = (names[0][rows, None] != names[1][None, met]).ravel()
        n_identical += int((~differ).sum())
        places, bins, ranks = reservoir.chosen(alike, differ, rng)
        numbers = (start + places // n_met) * len(right) + met[places % n_met]
        reservoir.add(numbers, bins, ranks)
        progress(min((start + n_rows) / len(left), 1.0))
    return Candidates(
        _pairs(np.sort(np.concatenate(reservoir.numbers)), len(right)),
        n_possible,
        n_compared=reservoir.n_compared,
        n_identical=n_identical,
    )


def _pairs(numbers: IntArray, n_right: int) -> IntArray:
    return np.stack([numbers // max(n_right, 1), numbers % max(n_right, 1)], axis=1)


class _PairReservoir:
    """The pairs of each bin with the lowest random numbers: all are equally likely to stay."""

    def __init__(self, n_bins: int, most: int) -> None:
        self.most = most
        self.numbers = [np.zeros(0, dtype=np.int64) for _bin in range(n_bins)]
        self.n_compared = np.zeros(n_bins, dtype=np.int64)
        self._ranks = [np.zeros(0, dtype=np.float32) for _bin in range(n_bins)]
        # A pair with a higher number can no longer be among them.
        self._highest = np.ones(n_bins, dtype=np.float32)

    def chosen(
        self, alike: Vectors, differ: NDArray[np.bool_], rng: np.random.Generator
    ) -> tuple[IntArray, IntArray, Vectors]:
        """Places in a block of those that may be kept, with their bins and random numbers."""
        n_bins = len(self.numbers)
        bins = np.clip((alike * n_bins).astype(np.int64), 0, n_bins - 1)
        self.n_compared += np.bincount(bins[differ], minlength=n_bins)
        ranks = rng.random(len(alike), dtype=np.float32)
        places = np.flatnonzero((ranks < self._highest[bins]) & differ)
        return places, bins[places], ranks[places]

    def add(self, numbers: IntArray, bins: IntArray, ranks: Vectors) -> None:
        for number in np.unique(bins).tolist():
            of_it = bins == number
            of_numbers = np.concatenate([self.numbers[number], numbers[of_it]])
            of_rank = np.concatenate([self._ranks[number], ranks[of_it]])
            if len(of_numbers) > self.most:
                lowest = np.argpartition(of_rank, self.most - 1)[: self.most]
                of_numbers, of_rank = of_numbers[lowest], of_rank[lowest]
                self._highest[number] = of_rank.max()
            self.numbers[number], self._ranks[number] = of_numbers, of_rank
