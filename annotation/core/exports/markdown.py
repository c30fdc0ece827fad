"""Texts that researchers write, so that a Markdown document keeps its own shape."""

import re

_MARKS = re.compile(r"([\\`*_\[\]<>#|&~$])")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def one_line(text: str) -> str:
    """Without line breaks and other control characters."""
    return " ".join(_CONTROL.sub(" ", text).split())


def inline(text: str) -> str:
    """Shown as it is, whatever marks are in it."""
    return _MARKS.sub(r"\\\1", one_line(text))


def block(text: str) -> str:
    """The text's own Markdown; a heading or an open fence inside ends with the block."""
    lines = (_CONTROL.sub(" ", line).rstrip() for line in text.strip().splitlines())
    return "\n".join(f"> {line}".rstrip() for line in lines)
