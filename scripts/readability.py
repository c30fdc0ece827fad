#!/usr/bin/env python3
"""How easily the README and the English sentences of the pages are read, and the hardest of them.

Prints the Flesch-Kincaid grade of each: after how many years of school a text is understood. Code,
tables, placeholders and markup are left out. So are labels, which are not sentences. Needs the
section [check] of requirements.txt.
"""

import argparse
import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import textstat
from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
# Every catalogue has all English sentences of the code; the German one is always complete.
CATALOGUE = ROOT / "locale" / "de" / "LC_MESSAGES" / "django.po"
MAX_GRADE = 10
# Of a sentence that is not to be too long.
MAX_WORDS = 25
# Of fewer words a long one alone makes a sentence hard.
MIN_WORDS = 6

# What stands for code and for values that are filled in: one short word each.
_FILLED_IN = " one "
_PLACEHOLDER = re.compile(r"%\(\w+\)[a-z]|\{\w*\}|%[sd]")
_TAG = re.compile(r"</?\w[^>]*>")
_ADDRESS = re.compile(r"https?://\S+")
_END_OF_SENTENCE = re.compile(r"(?<=[.!?])[\"”’)]*\s+(?=[\"“‘(]*[A-Z0-9])")
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9'’-]*")


def sentences(text: str) -> list[str]:
    """The sentences of a text without markup; what has no end of a sentence is a label."""
    parts = (" ".join(part.split()) for part in _END_OF_SENTENCE.split(text))
    return [part for part in parts if part.rstrip('"”’)*').endswith((".", "!", "?", ":"))]


def sentences_of_markdown(source: str) -> list[str]:
    """The sentences of paragraphs and lists; not of tables, headings and code."""
    tokens = MarkdownIt("commonmark").enable("table").parse(source)
    is_paragraph = False
    of_paragraphs: list[str] = []
    for token in tokens:
        if token.type in {"paragraph_open", "paragraph_close"}:
            is_paragraph = token.type == "paragraph_open"
        elif token.type == "inline" and is_paragraph:
            of_paragraphs += sentences(_plain(token.children or []))
    return of_paragraphs


def _plain(children: list[Token]) -> str:
    texts = {"text": None, "softbreak": " ", "hardbreak": " ", "code_inline": _FILLED_IN}
    return "".join(texts[child.type] or child.content for child in children if child.type in texts)


def sentences_of_catalogue(catalogue: str) -> list[str]:
    """The English sentences of a gettext catalogue, each once, in its order."""
    everything = (
        sentence
        for message in _messages(catalogue)
        for sentence in sentences(
            _ADDRESS.sub(_FILLED_IN, _PLACEHOLDER.sub(_FILLED_IN, _TAG.sub(" ", message)))
        )
    )
    return list(dict.fromkeys(everything))


def _messages(catalogue: str) -> Iterator[str]:
    """What stands behind `msgid` and `msgid_plural`; the header's is empty."""
    text = None
    for line in [*catalogue.splitlines(), ""]:
        if line.startswith(("msgid ", "msgid_plural ")):
            if text:
                yield text
            text = ast.literal_eval(line.partition(" ")[2])
        elif line.startswith('"') and text is not None:
            # The escapes of a catalogue are Python's.
            text += ast.literal_eval(line)
        elif text is not None:
            if text:
                yield text
            text = None


@cache
def _syllables(word: str) -> int:
    return max(1, int(textstat.syllable_count(word)))


def grade(several: list[str]) -> float:
    """The Flesch-Kincaid grade of these sentences (Kincaid and others 1975).

    textstat counts the syllables, but not the sentences: it takes the point of 0.5 for an end.
    """
    words = [word for sentence in several for word in _WORD.findall(sentence)]
    if not words:
        return 0.0
    per_word = sum(map(_syllables, words)) / len(words)
    return 0.39 * len(words) / len(several) + 11.8 * per_word - 15.59


def hardest(several: list[str], n: int) -> list[str]:
    """Those with the highest grades of their own, hardest first."""
    long_enough = [text for text in several if len(_WORD.findall(text)) >= MIN_WORDS]
    return sorted(long_enough, key=lambda text: grade([text]), reverse=True)[:n]


def texts() -> dict[str, list[str]]:
    """The sentences of each text that is to be easy."""
    return {
        "README.md": sentences_of_markdown(README.read_text("utf-8")),
        "English catalogue": sentences_of_catalogue(CATALOGUE.read_text("utf-8")),
    }


def main() -> int:
    """Print the grades; 1 if one of them is too high."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hardest", type=int, default=10, help="how many sentences to print")
    wanted = parser.parse_args()
    grades = {}
    for name, several in texts().items():
        grades[name] = grade(several)
        n_long = sum(len(_WORD.findall(sentence)) > MAX_WORDS for sentence in several)
        print(
            f"{name}: grade {grades[name]:.1f}, {len(several)} sentences, {n_long} of them of more"
            f" than {MAX_WORDS} words"
        )
        for sentence in hardest(several, wanted.hardest):
            print(f"  {grade([sentence]):5.1f}  {sentence}")
    return int(any(value > MAX_GRADE for value in grades.values()))


if __name__ == "__main__":
    sys.exit(main())
