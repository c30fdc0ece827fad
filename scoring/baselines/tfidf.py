"""Cosine of two texts' TF-IDF vectors: words that few texts have count more."""

from collections.abc import Callable, Sequence

import numpy as np

from scoring.arrays import FloatArray
from scoring.baselines.pairs import Pair
from scoring.baselines.word_cuts import words


def tfidf(pairs: Sequence[Pair], *, progress: Callable[[float], None] | None = None) -> FloatArray:
    """Cosine of the TF-IDF vectors of each pair's texts.

    Parameters
    ----------
    pairs : sequence of Pair, length n
        The values depend on all of them: the weights are made from their texts, each different
        text once, be it in many pairs. Cut by `scoring.baselines.word_cuts`.
    progress : callable, optional
        Told the share that is done.

    Returns
    -------
    float array, shape (n,)
        In [0, 1], of vectors with f (ln((1 + t) / (1 + d)) + 1) for a word that occurs f times in
        the text, and in d of the t texts. 1 if neither text has a word, 0 if only one has none.

    References
    ----------
    [SparckJones1972] in docs/references.md; smoothed as in the package scikit-learn.
    """
    from scipy import sparse  # noqa: PLC0415 - importing scoring loads numpy only

    places: dict[str, int] = {}
    first = np.array([places.setdefault(pair.first, len(places)) for pair in pairs], dtype=np.intp)
    second = np.array(
        [places.setdefault(pair.second, len(places)) for pair in pairs], dtype=np.intp
    )
    report = progress or (lambda share: None)
    report(0.05)

    vocabulary: dict[str, int] = {}
    columns: list[int] = []
    ends = [0]
    for text in places:
        columns.extend(vocabulary.setdefault(word, len(vocabulary)) for word in words(text))
        ends.append(len(columns))
    report(0.6)

    n_texts = len(places)
    counts = sparse.csr_array(
        (np.ones(len(columns)), np.array(columns, dtype=np.int64), np.array(ends, dtype=np.int64)),
        shape=(n_texts, max(len(vocabulary), 1)),
    )
    counts.sum_duplicates()
    n_having = np.bincount(counts.indices, minlength=counts.shape[1])
    weights = np.log((1 + n_texts) / (1 + n_having)) + 1
    vectors = counts.multiply(weights[np.newaxis, :]).tocsr()
    lengths = np.sqrt(vectors.multiply(vectors).sum(axis=1))
    products = vectors[first].multiply(vectors[second]).sum(axis=1)
    report(0.9)

    norms = lengths[first] * lengths[second]
    # Two texts without words are alike as far as words go; one with and one without are not.
    alike = ((lengths[first] == 0) & (lengths[second] == 0)).astype(np.float64)
    np.divide(products, norms, out=alike, where=norms > 0)
    report(1.0)
    # Rounding may lift a cosine above 1 in its last digit.
    values: FloatArray = np.minimum(alike, 1.0)
    return values
