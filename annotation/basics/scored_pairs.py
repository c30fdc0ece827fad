"""Pairs of texts with scores, and when two pairs are the same to a model that learns from one."""

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.arrays import BoolArray, FloatArray


def pair_key(first: str, second: str) -> str:
    """The same for pairs that a model could not tell apart as new.

    Those are the same the other way round, and with other capitals or white space.
    """
    texts = sorted(" ".join(text.casefold().split()) for text in (first, second))
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()


def is_new(texts: Sequence[tuple[str, str]], tested: Collection[str]) -> BoolArray:
    """Of each pair whether its key is not among those of the pairs that test."""
    return np.array([pair_key(*text) not in tested for text in texts], dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class ScoredPairs:
    """Pairs with scores from 0 to 1, none missing."""

    texts: Sequence[tuple[str, str]]
    scores: FloatArray

    def __len__(self) -> int:
        return len(self.texts)

    def part(self, is_kept: BoolArray) -> "ScoredPairs":
        texts = [text for text, is_part in zip(self.texts, is_kept, strict=True) if is_part]
        return ScoredPairs(texts, self.scores[is_kept])

    def without(self, tests: Collection["ScoredPairs"]) -> "ScoredPairs":
        """The pairs that no test has: a model must not have seen what it is tested on."""
        return self.part(is_new(self.texts, {key for test in tests for key in test.keys}))

    @property
    def keys(self) -> list[str]:
        return [pair_key(*text) for text in self.texts]

    def rows(self) -> list[dict[str, Any]]:
        """As `python -m scoring.neural train` reads them."""
        return [
            {"first": first, "second": second, "score": float(score)}
            for (first, second), score in zip(self.texts, self.scores, strict=True)
        ]
