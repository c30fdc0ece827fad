"""The obvious way to compute the same: what a script of a few lines would do."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from scoring.baselines import Pair


@cache
def sentence_encoder(folder: Path) -> Any:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(folder))


def plain_cosines(folder: Path, pairs: list[Pair]) -> np.ndarray:
    model = sentence_encoder(folder)
    first = model.encode([pair.first for pair in pairs])
    second = model.encode([pair.second for pair in pairs])
    return model.similarity_pairwise(first, second).cpu().numpy()
