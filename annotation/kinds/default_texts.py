"""The texts that a new study begins with: files of JSON beside the kind that they are for."""

import json
from pathlib import Path
from typing import Any

LANGUAGES = ("en", "de", "cs")
_FOLDER = Path(__file__).with_name("texts")


def language_of_texts(language: str) -> str:
    """The language of the default texts for a study: English where there are none in its own."""
    base = language.split("-", maxsplit=1)[0]
    return base if base in LANGUAGES else "en"


def read(folder: Path, name: str, language: str) -> dict[str, Any]:
    """A file of texts, of our own writing."""
    texts: dict[str, Any] = json.loads((folder / f"{name}.{language}.json").read_text("utf-8"))
    return texts


def of_dialogues(language: str) -> dict[str, Any]:
    """The texts about dialogues; all others say what differs from them."""
    return read(_FOLDER, "dialogues", language)


def of_items(language: str) -> dict[str, Any]:
    """The texts for items of any kind.

    They have no worked example: nobody but the researcher can give one.
    """
    return {
        **of_dialogues(language),
        "worked_example": {},
        "comprehension": {},
        **read(_FOLDER, "items", language),
    }
