"""Form fields for the options of measures, and the columns that can divide the items."""

from collections.abc import Callable, Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from annotation.baselines.queries import baseline_subsets
from annotation.baselines.services.specifications import WITH_MODELS
from annotation.basics.sentences import in_words
from annotation.core.forms.fields import LongText
from annotation.models import Study
from scoring.baselines.subsets import MAX_SUBSETS
from scoring.neural.measure_options import Kind, Option
from scoring.neural.measures import MAX_TEXT_LENGTH, PRESETS
from scoring.neural.models import MAX_NAME_LENGTH

# Reading more items for the names of their columns would keep the page waiting.
_MAX_SCANNED_ITEMS = 5000
# A column with more values, such as a mean, is hardly meant to divide the items.
_MAX_PARTS = 20
# Begins a choice of several measures at once.
PRESET = "preset:"


def text_input(**attributes: str) -> forms.TextInput:
    """For names and conditions, which no browser shall correct."""
    return forms.TextInput(
        attrs={
            "class": "vTextField",
            "autocomplete": "off",
            "spellcheck": "false",
            "autocapitalize": "none",
            **attributes,
        }
    )


def families_of(option: str) -> list[str]:
    """The choices of `family` that have an option, for the page to show it with them alone."""
    return [
        *(key for key in WITH_MODELS if option in options_of(key)),
        *(f"{PRESET}{key}" for key in PRESETS if option in options_of(PRESET + key)),
    ]


def all_options() -> list[Option]:
    """Every option of a measure with a model, once."""
    every = {option.key: option for measure in WITH_MODELS.values() for option in measure.options}
    return list(every.values())


def options_of(family: str) -> set[str]:
    """Names of the options that a choice of `family` leaves open."""
    if family in WITH_MODELS:
        return {option.key for option in WITH_MODELS[family].options}
    if not family.startswith(PRESET):
        return set()
    members = PRESETS[family.removeprefix(PRESET)].specifications
    measures_of_it = [
        {option.key for option in WITH_MODELS[specification.measure].options}
        for specification in members
    ]
    fixed = {name for specification in members for name in specification.settings}
    return set.intersection(*measures_of_it) - fixed - {"revision"}


def field_of(option: Option) -> forms.Field:
    arguments: dict[str, Any] = {
        "label": in_words(option.name),
        "help_text": in_words(option.definition),
        "required": False,
        "initial": option.default,
    }
    if option.key == "template":
        return LongText(rows=6, **arguments)
    return _FIELDS[option.kind](option, arguments)


def _flag(option: Option, arguments: dict[str, Any]) -> forms.Field:
    return forms.BooleanField(**arguments)


def _count(option: Option, arguments: dict[str, Any]) -> forms.Field:
    return forms.IntegerField(min_value=option.lowest, max_value=100_000, **arguments)


def _choice(option: Option, arguments: dict[str, Any]) -> forms.Field:
    choices = [(value, in_words(about)) for value, about in option.choices.items()]
    return forms.ChoiceField(choices=choices, widget=forms.RadioSelect, **arguments)


def _text(option: Option, arguments: dict[str, Any]) -> forms.Field:
    return forms.CharField(max_length=MAX_TEXT_LENGTH, widget=text_input(), **arguments)


def _name_of_model(option: Option, arguments: dict[str, Any]) -> forms.Field:
    return forms.CharField(
        max_length=MAX_NAME_LENGTH, widget=text_input(list="models"), **arguments
    )


_FIELDS: Mapping[Kind, Callable[[Option, dict[str, Any]], forms.Field]] = {
    "flag": _flag,
    "count": _count,
    "choice": _choice,
    "text": _text,
    "model": _name_of_model,
    "file": _name_of_model,
}


_SUBSETS = {
    "domain": gettext_lazy("domain"),
    "source": gettext_lazy("source"),
    "turns": gettext_lazy("number of turns"),
    "pool": gettext_lazy("pool"),
    "class": gettext_lazy("intended class (that the item was written for)"),
    baseline_subsets.WORD_OVERLAP: gettext_lazy("whether the texts share a word"),
    baseline_subsets.F1_ZERO: gettext_lazy("whether SQuAD F1 is 0"),
}


def subset_name(name: str) -> str:
    """The name of a column that divides the items, in words."""
    return str(_SUBSETS.get(name, name))


def subsets(study: Study) -> list[str]:
    """Names of columns that can divide the items; in long studies some may turn out not to."""
    known = baseline_subsets.KNOWN
    if study.items.count() <= _MAX_SCANNED_ITEMS:
        labels = baseline_subsets.labels(study, None)
        most = dict.fromkeys(known, MAX_SUBSETS - 1)
        n_parts = {name: len({*column} - {""}) for name, column in labels.items()}
        names = [name for name, n in n_parts.items() if 2 <= n <= most.get(name, _MAX_PARTS)]
        return [*names, *baseline_subsets.OF_TEXTS]
    some = study.items.order_by("number").values_list("metadata", flat=True)[:200]
    columns = dict.fromkeys(name for metadata in some for name in metadata)
    return [*known, *(name for name in columns if name not in known)]
