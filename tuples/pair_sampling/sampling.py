"""From two columns of texts to pairs: duplicates, candidates, similarity, drawing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tuples.pair_sampling.candidates import candidate_pairs
from tuples.pair_sampling.drawing import Sample, draw
from tuples.pair_sampling.duplicates import THRESHOLD, Duplicate, find_duplicates, normalised
from tuples.pair_sampling.similarity import features, jaccard


@dataclass(frozen=True)
class Drawn:
    """A pair by the numbers of its texts in the columns, and how alike they look."""

    target: int
    candidate: int
    similarity: float


@dataclass(frozen=True, eq=False)
class SampledPairs:
    """The pairs in the order of drawing, and what was found on the way."""

    pairs: list[Drawn]
    sample: Sample
    duplicate_targets: list[Duplicate]
    duplicate_candidates: list[Duplicate]
    n_targets: int
    n_candidates: int
    n_looked_at: int
    n_possible: int
    # Pairs of the same text twice, which are never drawn.
    n_identical: int


def _quietly(_share: float) -> None:
    """Nobody asks how far it is."""


def sample_pairs(
    targets: Sequence[str],
    candidates: Sequence[str],
    *,
    n_pairs: int,
    measure: str = "words",
    n_bins: int = 10,
    max_uses: int = 3,
    threshold: float = THRESHOLD,
    seed: int,
    progress: Callable[[float], None] = _quietly,
) -> SampledPairs:
    """Draw pairs of two columns evenly over similarity; what is there twice is left out.

    Raises
    ------
    ValueError
        As `draw`, `features` and `find_duplicates` do.
    """
    found, kept = [], []
    for number, texts in enumerate((targets, candidates)):
        twice = find_duplicates(texts, threshold=threshold, seed=seed)
        gone = {one.left_out for one in twice}
        found.append(twice)
        kept.append([place for place in range(len(texts)) if place not in gone])
        progress(0.25 * (number + 1))
    sides = [targets[place] for place in kept[0]], [candidates[place] for place in kept[1]]
    left, right = ([features(text, measure) for text in side] for side in sides)
    looked_at = candidate_pairs(left, right, seed=seed)
    same = [normalised(text) for text in sides[0]], [normalised(text) for text in sides[1]]
    differ = [same[0][one] != same[1][other] for one, other in looked_at.pairs.tolist()]
    pairs = looked_at.pairs[np.array(differ, dtype=bool)]
    progress(0.6)
    similarity = jaccard(left, right, pairs)
    progress(0.9)
    sample = draw(pairs, similarity, n_pairs=n_pairs, n_bins=n_bins, max_uses=max_uses, seed=seed)
    drawn = [
        Drawn(kept[0][one], kept[1][other], float(similarity[place]))
        for place in sample.drawn.tolist()
        for one, other in [pairs[place].tolist()]
    ]
    return SampledPairs(
        drawn,
        sample,
        found[0],
        found[1],
        len(sides[0]),
        len(sides[1]),
        len(looked_at.pairs),
        looked_at.n_possible,
        len(looked_at.pairs) - len(pairs),
    )
