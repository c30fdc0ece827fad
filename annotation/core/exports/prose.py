"""Sentences that are written once, and read in Markdown and in LaTeX."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.core.exports import markdown as marks
from scoring.baselines.latex_writing import escape


@dataclass(frozen=True)
class Quoted:
    """Somebody's own words."""

    text: str


@dataclass(frozen=True)
class Plain:
    """What is not ours and stands without marks, such as a stored reason or a name."""

    text: str


@dataclass(frozen=True)
class Cited:
    """Keys of `docs/references.md`."""

    keys: tuple[str, ...]


Part = str | Quoted | Plain | Cited
Paragraph = Sequence[Part]


def cited(*keys: str) -> Cited:
    return Cited(keys)


def markdown(paragraph: Paragraph, *, cites: bool = True) -> str:
    """`cites`: whether the keys are shown, as Pandoc writes them."""
    text = ""
    for part in paragraph:
        if isinstance(part, Quoted):
            text += f"“{marks.inline(part.text)}”"
        elif isinstance(part, Plain):
            text += marks.inline(part.text)
        elif isinstance(part, Cited):
            if cites:
                text += f" [{'; '.join(f'@{key}' for key in part.keys)}]"
        else:
            text += part
    return text


def tex(paragraph: Paragraph) -> str:
    source = ""
    for part in paragraph:
        if isinstance(part, Quoted):
            source += f"``{escape(part.text)}''"
        elif isinstance(part, Plain):
            source += escape(part.text)
        elif isinstance(part, Cited):
            source += f"~\\cite{{{','.join(part.keys)}}}"
        else:
            # Spaces at the ends of a part are kept: they stand between two parts.
            lead = " " if part.startswith(" ") else ""
            trail = " " if part.endswith(" ") and part.strip() else ""
            source += lead + escape(part) + trail
    return source


def keys_of(paragraphs: Sequence[Paragraph]) -> list[str]:
    """Every key once, in alphabetical order."""
    return sorted(
        {
            key
            for paragraph in paragraphs
            for part in paragraph
            if isinstance(part, Cited)
            for key in part.keys
        }
    )


def listed(parts: Sequence[str]) -> str:
    """Parts of a sentence in English: with commas, and "and" before the last one."""
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last
