"""Normal forms in linear time, and the places that need them."""

import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shell import normal_forms
from shell.normal_forms import MAX_MARKS, has_many_marks, normal_form

ROOT = Path(normal_forms.__file__).parents[1]
# In this order they are sorted: 8 s for as many of each as an item may have.
ABOVE, BELOW = "\u0315", "\u0316"
FORMS = ("NFC", "NFKC", "NFKD")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "marks", [ABOVE * 24_400 + BELOW * 24_400, "\uff9e" * 24_400 + BELOW * 24_400]
)
def test_of_many_marks_the_first_stay(form: str, marks: str) -> None:
    text = f"xa{marks}b"

    assert has_many_marks(text)
    kept = f"xa{marks[:MAX_MARKS]}b"
    assert normal_form(form, text) == unicodedata.normalize(form, kept)  # type: ignore[arg-type]


@pytest.mark.parametrize("form", FORMS)
@given(text=st.text())
def test_other_texts_have_the_normal_form(form: str, text: str) -> None:
    assert normal_form(form, text) == unicodedata.normalize(form, text)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    ["Příliš žluťoučký kůň" * 50, "漢字" * 500, "\U0001f600" * 500, "ก้" * 500, "a\u0301" * 500],
)
def test_no_writing_has_many_marks(text: str) -> None:
    assert not has_many_marks(text)


def test_all_marks_are_known() -> None:
    codes = set(normal_forms._CODES)
    chars = map(chr, range(sys.maxunicode + 1))

    assert not [char for char in chars if unicodedata.combining(char) and ord(char) not in codes]
    # What begins with a mark once it is in a normal form is a mark.
    exact = normal_forms._patterns()[1]
    for char in map(chr, range(sys.maxunicode + 1)):
        first = unicodedata.normalize("NFKD", char)[0]
        if unicodedata.combining(first):
            assert exact.fullmatch(char * (MAX_MARKS + 1)), f"U+{ord(char):04X}"


@pytest.mark.parametrize("package", ["annotation", "config", "scoring", "tuples"])
def test_nothing_else_brings_texts_into_a_normal_form(package: str) -> None:
    files = (ROOT / package).rglob("*.py")

    assert not [str(path) for path in files if "unicodedata.normalize(" in path.read_text()]
