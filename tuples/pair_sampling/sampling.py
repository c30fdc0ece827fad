"""From two columns of texts to pairs: duplicates, candidates, similarity, drawing."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tuples.arrays import IntArray
from tuples.pair_sampling.candidates import LIMIT, Candidates, candidate_pairs
from tuples.pair_sampling.drawing import Sample, draw
from tuples.pair_sampling.duplicates import THRESHOLD, Duplicate, find_duplicates, normalised
from tuples.pair_sampling.embedding import WITH_VECTORS, cosines, spread_pairs, unit
from tuples.pair_sampling.similarity import MEASURES, features, jaccard


@dataclass(frozen=True)
class DrawnPair:
    """A pair by the numbers of its texts in the columns, and how alike they look."""

    target: int
    candidate: int
    similarity: float
    # The values, by measure, of which the similarity is the mean; empty for a single measure.
    parts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class SampledPairs:
    """The pairs in the order of drawing, and what was found on the way."""

    pairs: list[DrawnPair]
    sample: Sample
    duplicate_targets: list[Duplicate]
    duplicate_candidates: list[Duplicate]
    n_targets: int
    n_candidates: int
    n_looked_at: int
    n_possible: int
    # Pairs of the same text twice, which are never drawn.
    n_identical: int
    # How many pairs were compared, by bin: the candidates are some of them.
    n_compared: list[int]


def _quietly(_share: float) -> None:
    """Nobody asks how far it is."""


@dataclass(frozen=True, eq=False)
class _Measured:
    """Candidates, none of the same text twice, with the similarity of each."""

    pairs: IntArray
    similarity: NDArray[np.float64]
    parts: Mapping[str, NDArray[np.float64]]
    looked_at: Candidates
    n_identical: int


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
    vectors: tuple[NDArray[np.floating], NDArray[np.floating]] | None = None,
    progress: Callable[[float], None] = _quietly,
) -> SampledPairs:
    """Draw pairs of two columns evenly over similarity; what is there twice is left out.

    Parameters
    ----------
    measure : str
        One of `MEASURES`; "embedding", the cosine of two vectors, of which those below 0 count as
        0; or "mean", the mean of that and of shared words.
    vectors : two float arrays, shape (n_targets, d) and (n_candidates, d), or None
        Of the texts in their order, for the last two.

    Raises
    ------
    ValueError
        As `draw`, `features`, `find_duplicates` and `unit` do, and where vectors are missing, or
        are not one for each text.
    """
    if measure not in (*MEASURES, *WITH_VECTORS):
        there = ", ".join((*MEASURES, *WITH_VECTORS))
        raise ValueError(f"{measure!r} is not a measure; choose one of {there}")
    if measure in WITH_VECTORS:
        shapes = [] if vectors is None else [matrix.shape[:1] for matrix in vectors]
        if shapes != [(len(targets),), (len(candidates),)]:
            raise ValueError(f"{measure} needs a vector for each text of both columns")
    duplicates, places = [], []
    for number, texts in enumerate((targets, candidates)):
        twice = find_duplicates(texts, threshold=threshold, seed=seed)
        gone = {duplicate.left_out for duplicate in twice}
        duplicates.append(twice)
        places.append([place for place in range(len(texts)) if place not in gone])
        progress(0.2 * (number + 1))
    sides = [targets[place] for place in places[0]], [candidates[place] for place in places[1]]
    units = None
    if measure in WITH_VECTORS and vectors is not None:
        units = unit(vectors[0][places[0]]), unit(vectors[1][places[1]])
    measured = _measured(sides, units, measure, n_bins=n_bins, seed=seed, progress=progress)
    progress(0.9)
    pairs, similarity = measured.pairs, measured.similarity
    sample = draw(pairs, similarity, n_pairs=n_pairs, n_bins=n_bins, max_uses=max_uses, seed=seed)
    drawn = [
        DrawnPair(
            places[0][left],
            places[1][right],
            float(similarity[place]),
            {name: float(values[place]) for name, values in measured.parts.items()},
        )
        for place in sample.drawn.tolist()
        for left, right in [pairs[place].tolist()]
    ]
    looked_at = measured.looked_at
    by_bin = looked_at.n_compared
    return SampledPairs(
        drawn,
        sample,
        duplicates[0],
        duplicates[1],
        len(sides[0]),
        len(sides[1]),
        len(looked_at.pairs) if by_bin is None else int(by_bin.sum()) + looked_at.n_identical,
        looked_at.n_possible,
        measured.n_identical,
        [bin_.n_candidates for bin_ in sample.bins] if by_bin is None else by_bin.tolist(),
    )


def _measured(
    sides: tuple[list[str], list[str]],
    units: tuple[NDArray[np.float32], NDArray[np.float32]] | None,
    measure: str,
    *,
    n_bins: int,
    seed: int,
    progress: Callable[[float], None],
) -> _Measured:
    codes: dict[str, int] = {}
    names = (
        np.array([codes.setdefault(normalised(text), len(codes)) for text in sides[0]]),
        np.array([codes.setdefault(normalised(text), len(codes)) for text in sides[1]]),
    )
    # If there are more pairs, each measure chooses half.
    is_few = len(sides[0]) * len(sides[1]) <= LIMIT
    limit = LIMIT if measure != "mean" or is_few else LIMIT // 2
    shared = None
    chosen: list[Candidates] = []
    if measure != "embedding":
        counted = "words" if measure == "mean" else measure
        left, right = ([features(text, counted) for text in side] for side in sides)
        shared = left, right
        chosen.append(candidate_pairs(left, right, seed=seed, limit=limit))
    if units is not None:
        chosen.append(
            spread_pairs(
                *units,
                names,
                n_bins=n_bins,
                seed=seed,
                limit=limit,
                progress=lambda share: progress(0.4 + 0.3 * share),
            )
        )
    looked_at = chosen[0] if len(chosen) == 1 else _union(chosen)
    differ = names[0][looked_at.pairs[:, 0]] != names[1][looked_at.pairs[:, 1]]
    pairs = looked_at.pairs[differ]
    progress(0.7)
    parts: dict[str, NDArray[np.float64]] = {}
    if shared is not None:
        parts["words"] = jaccard(*shared, pairs)
    if units is not None:
        parts["embedding"] = cosines(*units, pairs)
    similarity = np.mean(list(parts.values()), axis=0)
    n_identical = looked_at.n_identical + int((~differ).sum())
    return _Measured(pairs, similarity, parts if len(parts) > 1 else {}, looked_at, n_identical)


def _union(chosen: list[Candidates]) -> Candidates:
    """Pairs that one measure or the other has chosen; by bins of both they were not counted."""
    pairs = np.unique(np.concatenate([candidates.pairs for candidates in chosen]), axis=0)
    return Candidates(pairs, chosen[0].n_possible)
