import json
import math
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import lexicalrichness
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.texts.corpora import corpus_statistics, measure_text
from scoring.texts.texts import lemmatise, mtld, rttr, tokens, words

texts = st.text(alphabet="abAB ä.-–'\n1", max_size=60)
word_lists = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=80)


def package(text_or_words: str | list[str]) -> lexicalrichness.LexicalRichness:
    if isinstance(text_or_words, str):
        return lexicalrichness.LexicalRichness(text_or_words)
    return lexicalrichness.LexicalRichness(text_or_words, preprocessor=None, tokenizer=None)


def test_tokens_are_split_at_white_space_only() -> None:
    assert tokens(" Na, dann\tbis 8-Uhr!\n") == ["Na,", "dann", "bis", "8-Uhr!"]


def test_words_are_lower_case_without_digits_and_punctuation() -> None:
    assert words("Na, dann\tbis 8-Uhr! So-so.") == ["na", "dann", "bis", "uhr", "soso"]


@given(texts)
@settings(max_examples=80, deadline=None, derandomize=True)
def test_words_are_those_of_the_package(text: str) -> None:
    assert words(text) == package(text).wordlist


def test_mtld_by_hand() -> None:
    # Forwards: a b a is 2/3 <= .72, one factor; c d e c: 3/4, so (1/4) / .28 of one.
    # Backwards: c e d c a b a: 3/4 at c, 4/5, 5/6, 5/7 = .714: one factor of all seven.
    forwards = 7 / (1 + 0.25 / 0.28)

    assert mtld(list("abacdec")) == pytest.approx((forwards + 7) / 2)


def test_a_ratio_at_the_threshold_closes_a_stretch() -> None:
    # Forwards: a a is 1/2, one factor, and b is none. Backwards: b a a is 2/3, (1/3) / (1/2).
    assert mtld(list("aab"), threshold=0.5) == pytest.approx((3 + 3 / (2 / 3)) / 2)


@given(word_lists, st.sampled_from([0.5, 0.66, 0.72, 0.75]))
@settings(max_examples=80, deadline=None, derandomize=True)
def test_diversity_is_the_packages(text: list[str], threshold: float) -> None:
    assert rttr(text) == pytest.approx(package(text).rttr)
    assert mtld(text, threshold=threshold) == pytest.approx(package(text).mtld(threshold))


@given(word_lists)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_neither_direction_nor_spelling_matters(text: list[str]) -> None:
    renamed = [f"x{ord(word)}" for word in text]

    assert mtld(text[::-1]) == pytest.approx(mtld(text))
    assert mtld(renamed) == mtld(text)
    # A stretch that is closed has two words at least, and an open one counts as less than one.
    assert mtld(text) >= min(len(text), 2)


@pytest.mark.parametrize("n", [1, 2, 40])
def test_a_text_that_repeats_nothing_is_as_diverse_as_it_is_long(n: int) -> None:
    text = [f"w{i}" for i in range(n)]

    assert mtld(text) == n
    assert rttr(text) == pytest.approx(math.sqrt(n))


def test_the_figures_of_the_dialogue_that_giccs_prints(shared_data: Path) -> None:
    # 50 words, 38 types. Its type-token ratio does not come down to .72 in either direction, so
    # both have (1 - .76) / .28 = 6/7 of a factor: as here, where repetition is spread.
    expected = json.loads((shared_data / "statistics_examples.json").read_text())[
        "lexical_giccs_figure2"
    ]
    text = ["und" if i % 4 == 1 else f"{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(50)]

    turns = [" ".join(text[:20]), " ".join(text[20:31]), " ".join(text[31:])]
    result = corpus_statistics([measure_text(turns)])

    assert (result.n_words, result.n_types) == (expected["words"], expected["terms"])
    assert result.rttr == pytest.approx(expected["rttr"], rel=1e-12)
    assert result.mtld == pytest.approx(expected["mtld_0.72"], rel=1e-12)
    assert (result.n_turns, result.mean_turn_length) == (3, pytest.approx(50 / 3))


def test_turns_are_counted_in_tokens_and_read_on() -> None:
    turns = ["Ja, ja - ja!", "", "Nein."]

    by_words = corpus_statistics([measure_text(turns)])

    assert (by_words.n_tokens, by_words.mean_turn_length) == (5, pytest.approx(5 / 3))
    assert (by_words.n_words, by_words.n_types) == (4, 2)
    assert by_words.mtld == pytest.approx(mtld(["ja", "ja", "ja", "nein"]))
    figures = by_words.as_dict()
    assert json.loads(json.dumps(figures, allow_nan=False)) == figures


@pytest.mark.parametrize("turns", [[], [""], ["...", "- 12"]])
def test_a_text_without_words_has_no_diversity(turns: list[str]) -> None:
    result = corpus_statistics([measure_text(turns)])

    assert math.isnan(result.rttr)
    assert math.isnan(result.mtld)
    assert result.as_dict()["mtld"] is None
    assert math.isnan(result.mean_turn_length) == (not turns)


def test_bad_requests_are_refused() -> None:
    with pytest.raises(ValueError, match="the threshold must lie between 0 and 1, but is 1"):
        mtld(["ja"], threshold=1)
    with pytest.raises(ValueError, match="turns must be a list of texts"):
        lemmatise("Ja", language="de")


@pytest.mark.slow
def test_simplemma_finds_lemmas_and_is_named() -> None:
    result = lemmatise(["Die „Häuser“ gingen,", "-", "das Haus ging."], language="de")

    assert result.lemmas == ("der", "Haus", "gehen", "der", "Haus", "gehen")
    assert result.n_types == 3
    assert result.source == "simplemma 2.0.0 (de)"
    assert result.as_dict()["lemmas"] == list(result.lemmas)


def test_lemmas_depend_on_the_language() -> None:
    assert lemmatise(["kinder gifts"], language="en").lemmas == ("kind", "gift")


def test_a_language_that_simplemma_does_not_know_is_refused() -> None:
    with pytest.raises(ValueError, match="simplemma knows no language 'xx'"):
        lemmatise([], language="xx")


def test_spacy_where_it_is_missing_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)

    with pytest.raises(ValueError, match="spaCy is not installed here, so its model 'de_core'"):
        lemmatise(["Ja"], language="de", model="de_core")


@pytest.fixture
def spacy(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Stands in for spaCy with one model, whose lemma of a word is its first letter."""

    def token(text: str) -> SimpleNamespace:
        return SimpleNamespace(lemma_=text[0], is_punct=text in ".,", is_space=False)

    class Pipeline:
        lang = "de"
        meta = {"version": "3.1"}

        def pipe(self, texts: list[str]) -> list[list[SimpleNamespace]]:
            return [[token(part) for part in text.split()] for text in texts]

    def load(name: str) -> Pipeline:
        if name != "de_core":
            raise OSError("[E050] Can't find model")
        return Pipeline()

    module = ModuleType("spacy")
    module.load = load  # type: ignore[attr-defined]
    module.__version__ = "9.9"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "spacy", module)
    return module


@pytest.mark.usefixtures("spacy")
def test_a_spacy_model_is_used_and_named() -> None:
    result = lemmatise(["Guten Tag ,", "Herr ."], language="de", model="de_core")

    assert result.lemmas == ("G", "T", "H")
    assert result.source == "spaCy 9.9 (de_core 3.1)"


@pytest.mark.usefixtures("spacy")
def test_a_spacy_model_that_is_missing_or_of_another_language_is_refused() -> None:
    with pytest.raises(ValueError, match="the spaCy model 'de_big' is not installed here"):
        lemmatise(["Tag"], language="de", model="de_big")
    with pytest.raises(ValueError, match="the spaCy model 'de_core' is of 'de', not 'cs'"):
        lemmatise(["den"], language="cs", model="de_core")
