"""How alike two texts look: the share of their words, or of their character trigrams, in both."""

import re
from collections.abc import Sequence

import numpy as np

from shell.normal_forms import normal_form
from tuples.arrays import IntArray

MEASURES = ("words", "characters")
_N = 3
_WORD = re.compile(r"\w+")


def features(text: str, measure: str) -> frozenset[str]:
    """What is counted of a text: its different words, or its different trigrams of characters.

    Letters are compared without case, in the same Unicode form; trigrams go over white space,
    which counts as one blank, also before and after the text.

    Raises
    ------
    ValueError
        If the measure is none of `MEASURES`.
    """
    if measure not in MEASURES:
        raise ValueError(f"{measure!r} is not a measure; choose one of {', '.join(MEASURES)}")
    plain = normal_form("NFKC", text).casefold()
    if measure == "words":
        return frozenset(_WORD.findall(plain))
    padded = f" {' '.join(plain.split())} "
    return frozenset(padded[place : place + _N] for place in range(len(padded) - _N + 1))


def jaccard(
    left: Sequence[frozenset[str]], right: Sequence[frozenset[str]], pairs: IntArray
) -> "np.typing.NDArray[np.float64]":
    """Shared features over all features of each pair, in [0, 1].

    Parameters
    ----------
    pairs : int array, shape (p, 2)
        Numbers of a left and a right text.

    Returns
    -------
    float array, shape (p,)
        0 if neither text has a feature.
    """
    similarity = np.zeros(len(pairs))
    for place, (first, second) in enumerate(pairs.tolist()):
        shared = len(left[first] & right[second])
        if shared:
            similarity[place] = shared / (len(left[first]) + len(right[second]) - shared)
    return similarity
