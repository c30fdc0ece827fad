"""What a person reads or hears of a page: its texts, without what the study itself says."""

import re
from collections.abc import Iterable
from functools import cache
from html.parser import HTMLParser
from typing import Any

from tests.support.catalogues import po

_HEARD = {"aria-label", "alt", "title", "placeholder", "data-copied"}
_UNREAD = {"script", "style", "pre", "code", "kbd", "textarea"}
_PLACE = re.compile(r"%\(\w+\)s")
# Between what a template puts side by side.
_BETWEEN = re.compile(r" · | \| |› |; | / ")
_VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
# What the factories write, and what is the same in every language.
_OWN = re.compile(
    r"Study \d+|(Turn|Candidate) \d.*|d\d(-\d)?|P[0-9A-Z]{9}|researcher\d+|[AB]|travel|repair"
    r"|written|[0-9A-Z]{12}|https?://\S+|Likeness|ada|SVG|PNG|\[\w+\]|[a-z0-9-]+\.jsonl?|\(?DEBUG\)?"
)


class Messages:
    """Messages of a catalogue, to be found again in what a page says."""

    def __init__(self, messages: Iterable[str]) -> None:
        all_of_them = set(messages)
        with_places = {message for message in all_of_them if _PLACE.search(message)}
        self._whole = all_of_them - with_places
        # One regular expression of thousands of messages takes seconds to compile.
        self._parts = [_PLACE.split(message) for message in with_places]
        # Most of what a page says stands on many pages.
        self._is_one: dict[str, bool] = {}

    def __contains__(self, text: str) -> bool:
        if text not in self._is_one:
            self._is_one[text] = text in self._whole or any(
                text.startswith(parts[0]) and _fills(text, parts) for parts in self._parts
            )
        return self._is_one[text]


class _Reader(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._language = ""
        # Each tag that is open, and whether what is in it is not read as part of the page.
        self._open: list[tuple[str, bool]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        language = dict(attrs).get("lang")
        self._language = self._language or language or ""
        # An English book has an English title, on every page.
        is_foreign = language == "en" and self._language != "en"
        if tag not in _VOID:
            self._open.append((tag, tag in _UNREAD or is_foreign))
        self.texts += [value for name, value in attrs if name in _HEARD and value]

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not any(is_unread for _tag, is_unread in self._open):
            self.texts.append(data)


def texts(response: Any) -> set[str]:
    """Everything readable on a page that has letters and is not the study's own."""
    found = set()
    for text in _Reader(response.content.decode()).texts:
        parts = [" ".join(part.split()) for part in _BETWEEN.split(text)]
        found |= {p for p in parts if re.search(r"[^\W\d_]", p) and not _OWN.fullmatch(p)}
    return found


@cache
def same_in(language: str) -> Messages:
    """What this language says with the same words as English."""
    return Messages(
        entry.message
        for entry in po(language)
        if entry.message in entry.said.values() or entry.plural in entry.said.values()
        if _has_words(entry.message)
    )


@cache
def english_of(language: str) -> Messages:
    """What this language says otherwise than English."""
    return Messages(
        form
        for entry in po(language)
        for form in filter(None, (entry.message, entry.plural))
        if form not in entry.said.values() and any(entry.said.values()) and _has_words(form)
    )


def _has_words(message: str) -> bool:
    """Places for words, with an "in" between them, are in the sentences of every language."""
    return len(re.findall(r"[^\W\d_]", _PLACE.sub("", message))) > 3


def _fills(text: str, parts: list[str]) -> bool:
    """Whether these parts stand in their order in the text that begins with the first of them,
    with something in between."""
    first, *middle, last = parts
    if not text.endswith(last):
        return False
    at = len(first)
    for part in middle:
        at = text.find(part, at + 1)
        if at < 0:
            return False
        at += len(part)
    return at < len(text) - len(last)
