import pytest

from scoring.baselines.shared_words import (
    edit_similarity,
    exact_match,
    jaccard,
    squad_f1,
    squad_words,
)
from scoring.baselines.word_cuts import words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Die Übergabe, an a the THE Theater!", ["die", "übergabe", "theater"]),
        ("well-known 1,5 U.S.", ["wellknown", "15", "us"]),
        ("„Geißel“ – the‚a‘", ["„geißel“", "–", "‚", "‘"]),
        ("None nan", ["none", "nan"]),
        (" a,\tthe. ", []),
    ],
)
def test_squads_cut(text: str, expected: list[str]) -> None:
    assert squad_words(text) == expected


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        # "b" is shared twice, "c" once: 2 · 3 / (5 + 4)
        ("b b b c d", "b c, the B e", 6 / 9),
        ("Äpfel", "äpfel!", 1.0),
        ("im Jahr 1990", "1990", 2 * 1 / 4),
        ("eins", "zwei", 0.0),
        ("", "", 1.0),
        ("the", "!", 1.0),
        ("", "eins", 0.0),
        ("None", "nan", 0.0),
    ],
)
def test_squad_f1(first: str, second: str, expected: float) -> None:
    assert squad_f1(first, second) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("The Äpfel.", "äpfel", 1.0),
        ("b c", "c b", 0.0),
        ("b b", "b", 0.0),
        ("", "the", 1.0),
        ("", "b", 0.0),
    ],
)
def test_exact_match(first: str, second: str, expected: float) -> None:
    assert exact_match(first, second) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Das Haus, STRASSE/Straße x_y", ["das", "haus", "strasse", "strasse", "x", "y"]),
        ("cafe\u0301 café", ["café", "café"]),
        ("हिन्दी भाषा 3½", ["हिन्दी", "भाषा", "3½"]),
        ("日本語、中文", ["日本語", "中文"]),
        ("l’été, don't 'so'", ["l'été", "don't", "so"]),
        ("… — !", []),
    ],
)
def test_words_of_any_script(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        # {das, haus, ist, rot} and {das, haus, brennt}
        ("Das Haus ist rot, rot, rot", "das HAUS brennt", 2 / 5),
        ("é", "e\u0301", 1.0),
        ("", "", 1.0),
        ("!", "?", 1.0),
        ("", "haus", 0.0),
    ],
)
def test_jaccard(first: str, second: str, expected: float) -> None:
    assert jaccard(first, second) == expected


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        # k -> s, e -> i, and a g more
        ("kitten", "sitting", 1 - 3 / 7),
        ("Häuser", "Haus", 1 - 3 / 6),
        ("A", "a", 0.0),
        ("", "", 1.0),
        ("", "abc", 0.0),
    ],
)
def test_edit_similarity(first: str, second: str, expected: float) -> None:
    assert edit_similarity(first, second) == pytest.approx(expected, abs=1e-15)
