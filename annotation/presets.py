"""Ready-made studies: the numbers of a design and, per language, the texts."""

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True)
class Preset:
    key: str
    name: str | Promise
    description: str | Promise
    parameters: dict[str, Any]
    max_booklets: int = 1
    # Which default texts: those about dialogues, or those that fit items of any kind.
    texts: str = "items"


PRESETS = {
    preset.key: preset
    for preset in (
        Preset(
            key="best-worst",
            name=_("Best-worst scaling"),
            description=_(
                "4 items a tuple, twice as many tuples as items, 5 annotations a tuple."
                " The usual plan for words, sentences or pairs."
            ),
            parameters={
                "tuple_size": 4,
                "factor": 2.0,
                "annotations_per_tuple": 5,
                "questions_per_screen": 1,
                "screens_per_booklet": 20,
                "strata": [],
            },
        ),
        Preset(
            key="giccs",
            name=_("Dialogues (GiCCS): sentences compared with the last turn"),
            description=_(
                "As in the German benchmark GiCCS: 5 candidates a dialogue in all ten"
                " 3-tuples, 5 annotations a tuple; each screen shows one 3-turn and one 5-turn"
                " dialogue."
            ),
            parameters={
                "tuple_size": 3,
                "factor": 2.0,
                "annotations_per_tuple": 5,
                "questions_per_screen": 2,
                "screens_per_booklet": 10,
                "strata": ["turns"],
            },
            max_booklets=0,
            texts="dialogues",
        ),
    )
}

TEXT_LANGUAGES = ("en", "de", "cs")


@cache
def texts(language: str, kind: str = "dialogues") -> dict[str, Any]:
    """The default texts in a language, or the English ones where there are none.

    Those for items of any kind have no worked example: nobody but the researcher can give one.
    """
    base = language.split("-", maxsplit=1)[0]
    chosen = base if base in TEXT_LANGUAGES else "en"
    folder = settings.BASE_DIR / "demo"
    data: dict[str, Any] = json.loads((folder / f"texts.{chosen}.json").read_text("utf-8"))
    if kind == "items":
        plain = json.loads((folder / f"texts-items.{chosen}.json").read_text("utf-8"))
        data = {**data, "worked_example": {}, "comprehension": {}, **plain}
    return data
