"""Texts that are there twice: exactly, but for case, form and spaces, or nearly."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shell.normal_forms import normal_form
from tuples.pair_sampling.candidates import candidate_pairs
from tuples.pair_sampling.similarity import features, jaccard

THRESHOLD = 0.85


@dataclass(frozen=True)
class Duplicate:
    """A text that is left out because of an earlier one; both are numbers in the list of texts."""

    first: int
    left_out: int
    # 1 if they are the same after `normalised`.
    similarity: float

    @property
    def is_exact(self) -> bool:
        return self.similarity == 1.0


def normalised(text: str) -> str:
    """The same for texts that differ in case, in Unicode form or in spaces only."""
    return " ".join(normal_form("NFKC", text).casefold().split())


def find_duplicates(
    texts: Sequence[str], *, threshold: float = THRESHOLD, seed: int = 0
) -> list[Duplicate]:
    """Find what stands in a list twice; of each such set the first stays.

    Nearly the same are texts whose character trigrams have a Jaccard similarity of at least the
    threshold. In a long list they are sought as `candidate_pairs` says.

    Raises
    ------
    ValueError
        If the threshold is not above 0 and at most 1.
    """
    if not 0 < threshold <= 1:
        raise ValueError(f"the threshold must be above 0 and at most 1, but is {threshold:g}")
    first: dict[str, int] = {}
    duplicates = []
    for number, text in enumerate(texts):
        first_place = first.setdefault(normalised(text), number)
        if first_place != number:
            duplicates.append(Duplicate(first_place, number, 1.0))
    unique = np.array(list(first.values()), dtype=np.int64)
    of_texts = [features(texts[number], "characters") for number in unique]
    pairs = candidate_pairs(of_texts, of_texts, seed=seed).pairs
    pairs = pairs[pairs[:, 0] < pairs[:, 1]]
    similarity = jaccard(of_texts, of_texts, pairs)
    gone: set[int] = set()
    for place in np.flatnonzero(similarity >= threshold).tolist():
        first_place, left_out = unique[pairs[place]].tolist()
        if first_place not in gone and left_out not in gone:
            gone.add(left_out)
            # Other signs than letters may be all that differs.
            duplicates.append(
                Duplicate(first_place, left_out, min(float(similarity[place]), 0.9999))
            )
    return sorted(duplicates, key=lambda duplicate: duplicate.left_out)
