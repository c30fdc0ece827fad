"""The words of a sentence that stand in another: the same form, case and diacritics folded."""

import pytest

from annotation.basics import shared_words
from annotation.basics.shared_words import marked, words_of
from annotation.basics.stop_words import STOP_WORDS


def found(target: str, text: str, language: str) -> list[str]:
    parts = marked(text, words_of(target, language), language)
    assert "".join(part.text for part in parts) == text
    return [part.text for part in parts if part.is_shared]


@pytest.mark.parametrize(
    ("target", "text", "language", "expected"),
    [
        # Case and diacritics; another form of a word is another word.
        ("Řeka zaplavila náměstí.", "reka ZAPLAVILA namesti, řeky ne.", "cs",
         ["reka", "ZAPLAVILA", "namesti"]),
        ("Město se podle hasičů vyklízí.", "Podle starosty se hasičů ptali.", "cs", ["hasičů"]),
        # "Být" is a stop word, "byt" (a flat) is not, though both fold to the same letters.
        ("Má to být větší byt.", "Byt může být malý.", "cs", ["Byt"]),
        ("Die Straße ist überflutet.", "Über die STRASSE läuft Wasser, sie ist überflutet.", "de",
         ["STRASSE", "überflutet"]),
        ("Äpfel fielen für alle.", "Für Apfel und apfel: äpfel", "de",
         ["Apfel", "apfel", "äpfel"]),
        ("The river rose by 3 metres.", "3 metres above the river's mark", "en",
         ["3", "metres", "river"]),
        # No list of stop words: none is left out.
        ("Le fleuve monte.", "le pont du Fleuve", "fr", ["le", "Fleuve"]),
        ("Der Fluss steigt.", "DER FLUSS", "de-AT", ["FLUSS"]),
    ],
)  # fmt: skip
def test_the_same_word_form_is_found(target, text, language, expected) -> None:
    assert found(target, text, language) == expected


def test_letters_written_with_a_mark_of_their_own_are_the_same() -> None:
    # "ř" as r with a combining caron.
    assert found("Řeka", "r\u030ceka stoupá", "cs") == ["r\u030ceka"]


def test_words_join_hyphens_and_quotes_do_not_hide_them() -> None:
    assert found("„Alfa“ beta", "alfa-beta (BETA)", "cs") == ["alfa", "beta", "BETA"]


def test_markup_in_a_text_is_text() -> None:
    assert found("b", "<b>x</b>", "fr") == ["b", "b"]


@pytest.mark.parametrize("language", sorted(STOP_WORDS))
def test_no_stop_word_stands_twice_in_a_list(language) -> None:
    words = STOP_WORDS[language]

    assert sorted(set(words)) == sorted(words)
    assert all(word == word.lower() for word in words)


def test_long_words_are_not_kept() -> None:
    shared_words._fold_cached.cache_clear()

    words_of("a" * 50_000 + " b", "fr")

    assert shared_words._fold_cached.cache_info().currsize == 1
