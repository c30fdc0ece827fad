import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from sklearn.feature_extraction.text import TfidfVectorizer

from scoring.baselines import Pair
from scoring.baselines.tfidf import tfidf
from scoring.baselines.word_cuts import words
from tests.scoring.baselines.texts import lists_of_pairs


def test_tfidf_by_hand() -> None:
    # Three different texts: "rot" is in two of them, the other words in one.
    pairs = [Pair("Rot rot Haus", "rot, Öl"), Pair("rot, Öl", "ganz anders")]
    in_two, in_one = math.log(4 / 3) + 1, math.log(4 / 2) + 1
    first = math.hypot(2 * in_two, in_one)
    second = math.hypot(in_two, in_one)

    values = tfidf(pairs)

    assert values == pytest.approx([2 * in_two * in_two / (first * second), 0.0])


def test_a_text_counts_once_however_many_pairs_have_it() -> None:
    pairs = [Pair("rot Haus", "rot Öl"), Pair("rot", "grün")]

    again = tfidf([*pairs, pairs[0], pairs[0]])

    assert again[:2].tolist() == tfidf(pairs).tolist()
    assert again[2] == again[0]
    # A further text changes the weights.
    assert tfidf([*pairs, Pair("rot gelb", "gelb")])[0] != again[0]


def test_texts_without_words() -> None:
    pairs = [Pair("", ""), Pair("!", "—"), Pair("", "Haus"), Pair("Haus", "Haus")]

    assert tfidf(pairs).tolist() == [1, 1, 0, 1]
    assert tfidf(pairs[:2]).tolist() == [1, 1]
    assert tfidf([]).shape == (0,)


@pytest.mark.slow
@given(lists_of_pairs())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_tfidf_is_scikit_learns(pairs: list[Pair]) -> None:
    texts = list(dict.fromkeys(text for pair in pairs for text in (pair.first, pair.second)))
    assume(any(words(text) for text in texts))
    vectorizer = TfidfVectorizer(tokenizer=words, token_pattern=None, lowercase=False).fit(texts)
    first, second = (
        vectorizer.transform([getattr(pair, side) for pair in pairs]).toarray()
        for side in ("first", "second")
    )

    theirs = (first * second).sum(axis=1)
    both_empty = ~first.any(axis=1) & ~second.any(axis=1)

    np.testing.assert_allclose(tfidf(pairs), np.where(both_empty, 1, theirs), atol=1e-12)
