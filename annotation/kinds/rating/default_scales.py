"""The default texts where something is rated, and the scales that plans begin with."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotation.basics.scale import Scale
from annotation.kinds import default_texts
from annotation.kinds.presets import Preset

_FOLDER = Path(__file__).with_name("texts")
# Of pairs of answers to a question.
ANSWERS = "answers"


def texts(name: str, language: str) -> dict[str, Any]:
    """The texts for ratings of pairs, or of answers to a question."""
    ratings = default_texts.read(_FOLDER, "ratings", language)
    answers = ratings.pop(ANSWERS)
    data = {**default_texts.of_items(language), **ratings}
    return {**data, **answers} if name == ANSWERS else data


def scale_of(preset: Preset, texts: Mapping[str, Any]) -> dict[str, Any]:
    """The scale of a plan with its words, as a study stores it."""
    plain = Scale.of(preset.scale)
    words = texts["scale_labels"]
    if preset.texts == ANSWERS:
        labels = dict(zip(plain.points, words[ANSWERS], strict=True))
    else:
        labels = {plain.low: words["ends"][0], plain.high: words["ends"][1]}
    return Scale(plain.low, plain.high, plain.step, labels).as_json
