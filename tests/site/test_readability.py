"""How easily the README and the English sentences of the pages are read."""

import importlib.util
from types import ModuleType

import pytest
from django.conf import settings

MARKDOWN = """# A title that is not counted.

Run `make test` first. It takes *2.5* minutes! See [the log](log.md).

- One item of a list.
- A label

| a table | is not counted. |
|---|---|
| nor | its rows. |

    Code is not counted.
"""
CATALOGUE = """msgid ""
msgstr "Project: x.\\n"

msgid "Save"
msgstr "Speichern."

msgid ""
"There is <b>%(n)s</b> item. "
"It waits."
msgid_plural "There are {n} items."
msgstr[0] "Eins."
"""


@pytest.fixture(scope="module")
def readability() -> ModuleType:
    pytest.importorskip("textstat")  # of the section [check]
    path = settings.BASE_DIR / "scripts" / "readability.py"
    spec = importlib.util.spec_from_file_location("readability", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_readme_and_pages_are_easily_read(readability: ModuleType) -> None:
    grades = {name: readability.grade(several) for name, several in readability.texts().items()}

    assert len(grades) == 2
    assert {name: grade for name, grade in grades.items() if not 0 < grade <= 10} == {}


def test_the_readme_has_no_long_sentence(readability: ModuleType) -> None:
    several = readability.texts()["README.md"]

    assert len(several) > 20
    assert [text for text in several if len(text.split()) > readability.MAX_WORDS] == []


@pytest.mark.slow
def test_the_grade_by_hand(readability: ModuleType) -> None:
    # Six words with nine syllables: 0.39 * 6 + 11.8 * 9 / 6 - 15.59.
    assert readability.grade(["The reliable cat sat on it."]) == pytest.approx(4.45)
    # Twelve words with twelve syllables in two sentences.
    twice = ["The cat sat on the mat.", "The cat sat on the mat."]
    assert readability.grade(twice) == pytest.approx(-1.45)


def test_sentences_of_markdown_are_those_of_paragraphs_and_lists(readability: ModuleType) -> None:
    assert readability.sentences_of_markdown(MARKDOWN) == [
        "Run one first.",
        "It takes 2.5 minutes!",
        "See the log.",
        "One item of a list.",
    ]


def test_sentences_of_a_catalogue_are_the_english_ones(readability: ModuleType) -> None:
    assert readability.sentences_of_catalogue(CATALOGUE) == [
        "There is one item.",
        "It waits.",
        "There are one items.",
    ]


@pytest.mark.slow
def test_the_hardest_sentence_comes_first(readability: ModuleType) -> None:
    easy, hard = (
        "We sat by the sea and ate.",
        "Considerable reliability certainly characterises our scores.",
    )

    assert readability.hardest([easy, hard, "Incomprehensibility!"], 5) == [hard, easy]
