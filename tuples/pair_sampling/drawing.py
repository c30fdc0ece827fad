"""Draw pairs so that equally wide bins of similarity are filled as evenly as can be."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tuples.arrays import IntArray


@dataclass(frozen=True)
class Bin:
    """Pairs with a similarity from `low` to below `high`; the last one has its end, too."""

    low: float
    high: float
    # How many candidates there were, and how many of them were drawn.
    n_candidates: int
    n_drawn: int
    # Candidates that were skipped because one of their texts is used up.
    n_used_up: int


@dataclass(frozen=True, eq=False)
class Sample:
    """Numbers of candidates in the order of drawing, and how flat their histogram is."""

    drawn: IntArray
    bins: list[Bin]
    n_wanted: int

    @property
    def sentences(self) -> list[str]:
        """What could not be filled, and why."""
        share = self.n_wanted / len(self.bins)
        sentences = []
        for bin_ in self.bins:
            if bin_.n_drawn >= int(share):
                continue
            why = (
                f"{bin_.n_used_up} more cannot be drawn because a text is used up"
                if bin_.n_used_up
                else "no more pairs in this bin"
            )
            sentences.append(
                f"{bin_.low:.2f} to {bin_.high:.2f}: {bin_.n_drawn} of {share:.1f} pairs, from"
                f" {bin_.n_candidates} available pairs; {why}"
            )
        if len(self.drawn) < self.n_wanted:
            sentences.append(
                f"{len(self.drawn)} of {self.n_wanted} pairs: give more texts, or allow more pairs"
                " per text"
            )
        return sentences


def draw(
    pairs: IntArray,
    similarity: NDArray[np.float64],
    *,
    n_pairs: int,
    n_bins: int = 10,
    max_uses: int = 3,
    seed: int,
) -> Sample:
    """Draw pairs bin by bin, the scarcest first, until there are enough or none is left.

    What a bin lacks comes from the others. They are listed one of each bin in turn. No text is in
    more than `max_uses` pairs, on its side. The same seed draws the same pairs.

    Parameters
    ----------
    pairs : int array, shape (p, 2)
    similarity : float array, shape (p,)
        In [0, 1].

    Raises
    ------
    ValueError
        If a similarity is outside, or a number is below 1.
    """
    for name, number in (("n_pairs", n_pairs), ("n_bins", n_bins), ("max_uses", max_uses)):
        if number < 1:
            raise ValueError(f"{name} is {number}; choose 1 or more")
    if not ((similarity >= 0) & (similarity <= 1)).all():
        raise ValueError("a similarity is not between 0 and 1")
    rng = np.random.Generator(np.random.PCG64(seed))
    of_pairs = np.minimum((similarity * n_bins).astype(np.int64), n_bins - 1)
    order = rng.permutation(len(pairs))
    waiting = [order[of_pairs[order] == number].tolist()[::-1] for number in range(n_bins)]
    n_candidates = [len(places) for places in waiting]
    used_up = [0] * n_bins
    left: Counter[int] = Counter()
    right: Counter[int] = Counter()
    drawn: list[list[int]] = [[] for _bin in range(n_bins)]

    def take(number: int) -> bool:
        """Draw one more of a bin; whether there was one."""
        while waiting[number]:
            place = waiting[number].pop()
            left_text, right_text = pairs[place].tolist()
            if left[left_text] < max_uses and right[right_text] < max_uses:
                left[left_text] += 1
                right[right_text] += 1
                drawn[number].append(place)
                return True
            used_up[number] += 1
        return False

    # The scarcest has its share first, so that others do not use up its texts.
    turns = sorted(range(n_bins), key=lambda number: (n_candidates[number], number))
    n_left = n_pairs
    for n_before, number in enumerate(turns):
        share = n_left // (n_bins - n_before)
        while len(drawn[number]) < share and take(number):
            n_left -= 1
    while n_left and any(waiting):
        for number in turns:
            if n_left and take(number):
                n_left -= 1
    counts = [len(places) for places in drawn]
    edges = np.linspace(0, 1, n_bins + 1).tolist()
    bins = [
        Bin(edges[n], edges[n + 1], n_candidates[n], counts[n], used_up[n]) for n in range(n_bins)
    ]
    # One of each bin in turn, so that every beginning of the list is also flat.
    in_turn = [drawn[n][row] for row in range(max(counts)) for n in turns if row < counts[n]]
    return Sample(np.array(in_turn, dtype=np.int64), bins, n_pairs)
