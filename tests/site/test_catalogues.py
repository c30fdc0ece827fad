"""The catalogues: complete, compiled, and in step with the code."""

import ast
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from tests.support.catalogues import LANGUAGES, Entry, is_annotators, mo, po

_PLACEHOLDER = re.compile(r"%\(\w+\)[a-z]|%%")
_TAG = re.compile(r"</?\w+>")
# What marks a text for gettext: the number of its first argument that is a text, and of how many.
_MARKS = {
    "_": (0, 1),
    "gettext": (0, 1),
    "gettext_lazy": (0, 1),
    "gettext_noop": (0, 1),
    "sentence": (0, 1),
    "ngettext": (0, 2),
    "ngettext_lazy": (0, 2),
    "pgettext": (1, 2),
    "pgettext_lazy": (1, 2),
    "npgettext": (1, 3),
    "npgettext_lazy": (1, 3),
}


def _said(entry: Entry) -> str:
    return " | ".join(entry.said.values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_compiled_is_what_was_written(language: str) -> None:
    written = {}
    for entry in po(language):
        message = f"{entry.context}\x04{entry.message}" if entry.context else entry.message
        written |= {
            (message, n): text for n, text in entry.said.items() if all(entry.said.values())
        }

    assert mo(language) == written


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_translation_is_a_guess_or_a_leftover(language: str) -> None:
    assert [e.message for e in po(language) if "fuzzy" in e.flags or e.is_obsolete] == []


def test_german_is_complete() -> None:
    assert [e.message for e in po("de") if not all(e.said.values())] == []


def test_czech_is_complete_for_annotators_and_empty_for_researchers() -> None:
    of_annotators = [e for e in po("cs") if is_annotators(e)]

    assert len(of_annotators) > 100
    assert [e.message for e in of_annotators if not all(e.said.values())] == []
    # Half a language helps nobody.
    assert [_said(e) for e in po("cs") if not is_annotators(e) and any(e.said.values())] == []


def _marked(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The line and the text of each literal that the code has translated."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            first, end = _MARKS.get(node.func.id, (0, 0))
            for argument in node.args[first:end]:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield argument.lineno, argument.value


@pytest.mark.slow
def test_every_marked_text_of_the_code_is_in_the_german_catalogue() -> None:
    # Gettext's programs miss a marker that they are not told of, and calls within an f-string.
    known = {text for entry in po("de") for text in (entry.message, entry.plural)}
    missing = [
        f"{path.relative_to(settings.BASE_DIR)}:{line}: {text}"
        for folder in ("annotation", "config", "scoring", "shell", "tuples")
        for path in sorted(Path(settings.BASE_DIR, folder).rglob("*.py"))
        for line, text in _marked(ast.parse(path.read_text("utf-8")))
        if text not in known
    ]
    assert missing == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_translations_keep_placeholders_tags_and_ends(language: str) -> None:
    wrong = []
    for entry in po(language):
        for number, text in entry.said.items():
            if not text:
                continue
            source = entry.plural if entry.plural and number else entry.message
            both = {*_PLACEHOLDER.findall(entry.message), *_PLACEHOLDER.findall(entry.plural)}
            has = set(_PLACEHOLDER.findall(text))
            # A singular may write its number as a word.
            is_known = has <= both and (has >= both or (number == 0 and has | {"%(n)s"} >= both))
            is_whole = _TAG.findall(text) == _TAG.findall(source)
            if not (is_known and is_whole) or text != text.strip() or "  " in text:
                wrong.append((source, text))
    assert wrong == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_translation_says_the_same_twice(language: str) -> None:
    said = [text for entry in po(language) for text in entry.said.values()]
    assert [text for text in said if re.fullmatch(r"(.{20,})\s*\1", text, re.DOTALL)] == []


def test_no_long_german_sentence_stands_for_two_english_ones() -> None:
    # One of them would be the translation of something else, as where a line of a list slipped.
    meant: dict[str, set[str]] = {}
    for entry in po("de"):
        meant.setdefault(entry.said[0], set()).add(entry.message)
    assert {text: of for text, of in meant.items() if len(text) > 90 and len(of) > 1} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_translations_use_the_quotation_marks_of_their_language(language: str) -> None:
    for entry in po(language):
        said = _said(entry)
        # An English opening mark is the closing one of both languages.
        assert said.count("„") == said.count("“"), said
        assert "”" not in said, said


@pytest.mark.slow
@pytest.mark.gettext
def test_the_catalogues_have_what_the_code_says_and_no_more(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    left_out = shutil.ignore_patterns("__pycache__", "data")
    for name in ("annotation", "config", "demo", "locale", "scoring", "scripts", "shell"):
        shutil.copytree(settings.BASE_DIR / name, copy / name, ignore=left_out)
    for name in ("static", "templates", "tuples"):
        shutil.copytree(settings.BASE_DIR / name, copy / name, ignore=left_out)
    shutil.copy(settings.BASE_DIR / "manage.py", copy)
    (copy / ".venv").symlink_to((settings.BASE_DIR / ".venv").resolve())

    subprocess.run(["sh", "scripts/messages"], cwd=copy, check=True, capture_output=True)

    for language in LANGUAGES:
        extracted = {entry.key: entry for entry in po(language, copy / "locale")}
        assert {entry.key for entry in po(language)} == extracted.keys()
        assert [entry.files for entry in po(language)] == [e.files for e in extracted.values()]
