"""The default texts of label studies, and the categories that plans begin with."""

from pathlib import Path
from typing import Any

from annotation.basics.categories import Categories
from annotation.kinds import default_texts
from annotation.kinds.presets import Preset

_FOLDER = Path(__file__).with_name("texts")


def texts(name: str, language: str) -> dict[str, Any]:
    """The texts for pairs put into categories, or for a review of a scored study."""
    labels = default_texts.read(_FOLDER, "labels", language)
    return {**default_texts.of_items(language), **labels["labels"], **labels[name]}


def categories_in(preset: Preset, language: str) -> dict[str, Any]:
    """The categories of a plan with their explanations in a language, as a study stores them."""
    of_plan = texts(preset.texts, default_texts.language_of_texts(language))
    return Categories.of(of_plan["categories"]).as_json
