"""Which pairs are looked at: all of them or, if these are too many, some of two kinds."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tuples.arrays import IntArray

LIMIT = 400_000
# A feature that more texts share says little about any two of them.
_RARE = 20


@dataclass(frozen=True, eq=False)
class Candidates:
    """Pairs of a left and a right text, shape (p, 2), in ascending order; none twice."""

    pairs: IntArray
    # How many pairs there are altogether.
    n_possible: int
    # How many pairs of each bin were compared, if more were compared than are kept.
    n_compared: IntArray | None = None
    # Pairs of the same text twice that were left out.
    n_identical: int = 0

    @property
    def is_all(self) -> bool:
        return len(self.pairs) == self.n_possible


def candidate_pairs(
    left: Sequence[frozenset[str]],
    right: Sequence[frozenset[str]],
    *,
    seed: int,
    limit: int = LIMIT,
) -> Candidates:
    """Choose the pairs whose similarity is computed.

    Up to `limit` pairs all are taken. Of more, at most half of the limit are those that share
    rare features (which at most 20 right texts have), for each left text the ones that share
    most; the others are drawn at random. Chance alone would hardly ever meet two similar texts.

    Parameters
    ----------
    left, right : sequence of frozenset of str
        Features of the texts.
    """
    n_possible = len(left) * len(right)
    if n_possible <= limit:
        numbers = np.arange(n_possible, dtype=np.int64)
    else:
        rng = np.random.Generator(np.random.PCG64(seed))
        near = _sharing(left, right, most=max(limit // 2 // len(left), 1))
        if len(near) > limit // 2:
            # There are more texts than that, each with a pair.
            near = rng.choice(near, size=limit // 2, replace=False)
        # Some are drawn twice or are near already: those are not drawn once more.
        far = rng.integers(0, n_possible, size=limit - len(near), dtype=np.int64)
        numbers = np.unique(np.concatenate([near, far]))
    pairs = np.stack([numbers // max(len(right), 1), numbers % max(len(right), 1)], axis=1)
    return Candidates(pairs, n_possible)


def _sharing(
    left: Sequence[frozenset[str]], right: Sequence[frozenset[str]], *, most: int
) -> IntArray:
    """Numbers of pairs that share rare features, at most so many of each left text."""
    having: defaultdict[str, list[int]] = defaultdict(list)
    for number, features in enumerate(right):
        for feature in features:
            having[feature].append(number)
    numbers: list[int] = []
    for number, features in enumerate(left):
        shared: Counter[int] = Counter()
        # Sorted: the order in a set differs from run to run.
        for feature in sorted(features):
            others = having.get(feature, ())
            if len(others) <= _RARE:
                shared.update(others)
        ranked = sorted(shared, key=lambda other: (-shared[other], other))
        numbers += [number * len(right) + other for other in ranked[:most]]
    return np.array(numbers, dtype=np.int64)
