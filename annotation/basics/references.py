"""The sources of the methods, `docs/references.md`, for the pages that name them by their keys."""

import re
from functools import cache

from django.conf import settings
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from annotation.basics.markdown import render_markdown

_ENTRY = re.compile(r"^- \*\*\[(\w+)\]\*\* (.*?)(?=^- |\Z)", re.DOTALL | re.MULTILINE)
_KEY = re.compile(r"\[(\w+)\]")


@cache
def references() -> dict[str, str]:
    """Markdown by key."""
    text = (settings.BASE_DIR / "docs" / "references.md").read_text(encoding="utf-8")
    return {key: " ".join(entry.split()) for key, entry in _ENTRY.findall(text)}


def linked(text: str) -> SafeString:
    """A sentence whose keys lead to their entries further down the page."""

    def link(match: re.Match[str]) -> str:
        key = match[1]
        if key not in references():
            return match[0]
        return f'<a href="#reference-{key}">[{key}]</a>'

    return mark_safe(_KEY.sub(link, escape(text)))  # noqa: S308 - escaped, and keys are words


def named_in(texts: list[str]) -> list[tuple[str, SafeString]]:
    """The entries that some texts name, in the order of their keys."""
    keys = {key for text in texts for key in _KEY.findall(text)} & references().keys()
    return [(key, render_markdown(references()[key])) for key in sorted(keys)]
