import json
import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.texts.corpora import CORPUS_FIGURES, MeasuredText, corpus_statistics, measure_text
from scoring.texts.texts import lemmatise

turns = st.lists(st.text(alphabet="abcdeAB .,-1", max_size=40), max_size=4)
corpora = st.lists(turns, max_size=6)


def stretches(words: list[str]) -> float:
    """Factors of one direction, written from McCarthy & Jarvis (2010), by slices."""
    start, factors = 0, 0.0
    for end in range(1, len(words) + 1):
        stretch = words[start:end]
        if len(set(stretch)) / len(stretch) <= 0.72:
            factors += 1
            start = end
    rest = words[start:]
    return factors + ((1 - len(set(rest)) / len(rest)) / 0.28 if rest else 0)


def independent_mtld(words: list[str]) -> float:
    if len(set(words)) == len(words):
        return float(len(words))
    return sum(len(words) / stretches(one) for one in (words, words[::-1])) / 2


def plain_words(text: str) -> list[str]:
    """Words of a text of letters, blanks and the marks of `turns`."""
    kept = "".join(" " if mark in ".," else mark for mark in text if mark not in "-1")
    return kept.lower().split()


@given(corpora)
@settings(max_examples=150, deadline=None, derandomize=True)
def test_figures_of_several_texts_equal_an_independent_computation(texts: list[list[str]]) -> None:
    result = corpus_statistics([measure_text(text) for text in texts])

    of_each = [[word for turn in text for word in plain_words(turn)] for text in texts]
    everything = [word for text in of_each for word in text]
    assert result.n_texts == len(texts)
    assert result.n_turns == sum(map(len, texts))
    assert result.n_tokens == sum(len(turn.split()) for text in texts for turn in text)
    assert (result.n_words, result.n_types) == (len(everything), len(set(everything)))
    spoken = [text for text in of_each if text]
    if not spoken:
        assert math.isnan(result.rttr)
        assert math.isnan(result.mean_mtld)
        return
    assert result.rttr == pytest.approx(len(set(everything)) / len(everything) ** 0.5)
    assert result.mtld == pytest.approx(independent_mtld(everything))
    assert result.mean_rttr == pytest.approx(
        sum(len(set(text)) / len(text) ** 0.5 for text in spoken) / len(spoken)
    )
    assert result.mean_mtld == pytest.approx(sum(map(independent_mtld, spoken)) / len(spoken))


@given(corpora, corpora)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_counts_of_parts_add_up(first: list[list[str]], second: list[list[str]]) -> None:
    measured = [[measure_text(text) for text in part] for part in (first, second)]

    parts = [corpus_statistics(part) for part in measured]
    whole = corpus_statistics([*measured[0], *measured[1]])

    for name in ("n_texts", "n_turns", "n_tokens", "n_words"):
        assert getattr(whole, name) == sum(getattr(part, name) for part in parts)
    assert max(part.n_types for part in parts) <= whole.n_types
    assert whole.n_types <= sum(part.n_types for part in parts)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "texts", "n_lemmas"),
    [
        ("de", [["Die Häuser gingen.", "Das Haus geht."], ["Ein Haus ging!"]], 4),
        ("en", [["The houses were old."], ["A house is old.", "Houses are old."]], 5),
        ("de", [["Das Haus 12 - 3."], ["12. B2"]], 3),
        ("cs", [["Domy jsou staré."], ["Dům je starý."]], 3),
    ],
)
def test_lemmas_are_counted_over_all_texts(
    language: str, texts: list[list[str]], n_lemmas: int
) -> None:
    result = corpus_statistics([measure_text(text, language=language) for text in texts])

    of_all = [lemmatise(text, language=language).lemmas for text in texts]
    letters = {lemma for lemmas in of_all for lemma in lemmas if re.search(r"[^\W\d_]", lemma)}
    assert result.n_lemmas == len(letters)
    assert result.n_lemmas == n_lemmas


@pytest.mark.slow
def test_without_a_language_there_are_no_lemmas() -> None:
    texts = [measure_text(["Ein Haus."], language="de"), measure_text(["Ein Haus."])]

    assert corpus_statistics(texts).n_lemmas is None
    assert corpus_statistics([]).n_lemmas is None


def test_figures_are_plain_json_in_the_order_of_their_definitions() -> None:
    texts: list[MeasuredText] = [measure_text(["Ja."]), measure_text([])]

    for of in (texts, []):
        figures = corpus_statistics(of).as_dict()

        assert list(figures) == list(CORPUS_FIGURES)
        assert json.loads(json.dumps(figures, allow_nan=False)) == figures
    assert corpus_statistics([]).as_dict()["mtld"] is None


def test_one_string_is_refused_and_so_is_an_unknown_language() -> None:
    with pytest.raises(ValueError, match="turns must be a list of texts"):
        measure_text("Ja, ja!")
    with pytest.raises(ValueError, match="simplemma knows no language 'xx'"):
        measure_text(["Ja."], language="xx")
