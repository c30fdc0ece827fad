"""Measures of what two texts share: their words, whatever the order, or their characters.

All are symmetric, lie in [0, 1], and take texts as they stand, the words None, nan and false too.
"""

import re
import string
from collections import Counter

from scoring.baselines.word_cuts import words

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")


def squad_words(text: str) -> list[str]:
    """Cut a text as SQuAD's evaluation does.

    Lower case; without ASCII punctuation, which joins what stood on either side of it; without the
    words a, an, the, in other languages, too; split at white space.

    References
    ----------
    [SQuAD] in docs/references.md
    """
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()


def squad_f1(first: str, second: str) -> float:
    """F1 of the words of two texts, each as often as it occurs, as SQuAD's evaluation counts it.

    Parameters
    ----------
    first, second : str

    Returns
    -------
    float
        2 m / (n1 + n2) of m words that both have and n1, n2 words. 1 if neither has a word, 0 if
        only one has none.

    References
    ----------
    [SQuAD] in docs/references.md
    """
    ours, theirs = squad_words(first), squad_words(second)
    if not (ours and theirs):
        return float(ours == theirs)
    n_shared = sum((Counter(ours) & Counter(theirs)).values())
    return 2 * n_shared / (len(ours) + len(theirs))


def exact_match(first: str, second: str) -> float:
    """1 if two texts are the same words in the same order after SQuAD's cut, else 0.

    References
    ----------
    [SQuAD] in docs/references.md
    """
    return float(squad_words(first) == squad_words(second))


def jaccard(first: str, second: str) -> float:
    """Share of the different words of two texts that are in both.

    Parameters
    ----------
    first, second : str
        Cut by `scoring.baselines.word_cuts`.

    Returns
    -------
    float
        1 if neither has a word, 0 if only one has none.

    References
    ----------
    [Jaccard1912] in docs/references.md
    """
    ours, theirs = set(words(first)), set(words(second))
    either = len(ours | theirs)
    return len(ours & theirs) / either if either else 1.0


def edit_similarity(first: str, second: str) -> float:
    """1 less the Levenshtein distance as a share of the longer text's characters.

    Parameters
    ----------
    first, second : str
        Compared character by character (Unicode code points), case and punctuation included.

    Returns
    -------
    float
        1 if both are empty, 0 if only one is.

    References
    ----------
    [Levenshtein1966] in docs/references.md
    """
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 - importing scoring loads numpy only

    return float(Levenshtein.normalized_similarity(first, second))
