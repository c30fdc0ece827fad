"""A measure in words: what it is, and everything that its values depend on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.baselines.queries.measure_figures import dialogues_name
from annotation.baselines.services.baseline_choices import MEASURE as MULTIPLE_CHOICE
from annotation.baselines.services.specifications import WITH_MODELS
from annotation.basics.numbers import decimal, duration, grouped
from annotation.basics.sentences import in_words
from annotation.models import Baseline
from scoring.baselines.lexical import LEXICAL

_LABELS = {
    "model": gettext_lazy("model"),
    "file": gettext_lazy("file"),
    "context": gettext_lazy("context"),
    "turns": gettext_lazy("number of preceding turns"),
    "separator": gettext_lazy("separator between turns"),
    "activation": gettext_lazy("activation"),
    "layer": gettext_lazy("layer"),
    "preset": gettext_lazy("kind of model"),
    "lower": gettext_lazy("lower case"),
    "idf": gettext_lazy("inverse document frequency weighting"),
    "order": gettext_lazy("order of the texts"),
    "stemmer": gettext_lazy("stemmer"),
    "synonyms": gettext_lazy("synonyms"),
    "language": gettext_lazy("language of the question"),
    "with_dialogue": gettext_lazy("with the dialogue"),
    "answer": gettext_lazy("answer"),
    "likelihood": gettext_lazy("likelihood"),
    "shuffles": gettext_lazy("shuffles"),
    "seed": gettext_lazy("seed"),
    "style": gettext_lazy("style of the prompt"),
    "template": gettext_lazy("question"),
}
_VALUES = {
    ("context", "none"): gettext_lazy("texts only"),
    ("context", "front"): gettext_lazy("preceding turns before both texts"),
    ("context", "target"): gettext_lazy("preceding turns before the target only"),
    ("turns", "0"): gettext_lazy("all"),
    ("layer", "-1"): gettext_lazy("the last one"),
    ("separator", "newline"): gettext_lazy("a line break"),
    ("separator", "space"): gettext_lazy("a space"),
    ("style", "plain"): gettext_lazy("plain"),
    ("style", "giccs"): gettext_lazy("as in Figure 2 of GiCCS"),
    ("answer", "text"): gettext_lazy("the candidate's text"),
    ("answer", "letter"): gettext_lazy("its letter"),
    ("order", "target"): gettext_lazy("target first"),
    ("order", "candidate"): gettext_lazy("candidate first"),
    ("order", "both"): gettext_lazy("both, the mean of the two values"),
    ("likelihood", "per_token"): gettext_lazy("per token"),
    ("likelihood", "sum"): gettext_lazy("sum over the tokens"),
}


# Figures beside the values. How many texts had been encoded before is not among them: vectors are
# kept over studies, and it would say which texts other studies have.
_FIGURES = {
    "n_trained_on": gettext_lazy("items used for training, which are left out"),
    "without_tokens": gettext_lazy("texts without tokens"),
    "words": gettext_lazy("distinct words"),
    "unknown_words": gettext_lazy("unknown words"),
    "order_difference": gettext_lazy("mean difference of the two orders"),
    "pairs_without_value": gettext_lazy("items without a value"),
}


def device_name(device: str) -> str:
    """Where a measure was computed; nowhere, if every text had been encoded before."""
    return (
        _("nothing new: all texts were already encoded") if device == "none" else in_words(device)
    )


@dataclass(frozen=True)
class MeasureDescription:
    definition: str
    facts: Sequence[tuple[str, str]]


def described(baseline: Baseline) -> MeasureDescription:
    """A measure's definition, and its settings, model and making as (label, value)."""
    # The revision that was found comes below; without context nothing is in front of anything.
    unsaid = {"revision"}
    if baseline.settings.get("context") == "none":
        unsaid |= {"turns", "separator"}
    facts = [
        (str(_LABELS.get(name, name)), _value(name, value))
        for name, value in baseline.settings.items()
        if name not in unsaid and value not in (None, "")
    ]
    if baseline.revision:
        facts.append((_("revision"), baseline.revision))
    facts.append((_("items with a value"), grouped(baseline.n_items - baseline.n_missing)))
    if baseline.n_missing:
        facts.append((_("items without a measure value"), grouped(baseline.n_missing)))
    if baseline.device:
        facts.append((_("device"), device_name(baseline.device)))
    if baseline.seconds is not None:
        facts.append((_("time"), duration(baseline.seconds)))
    facts += [
        (str(_FIGURES[name]), _value(name, figure))
        for name, figure in baseline.figures.items()
        if name in _FIGURES
    ]
    when = date_format(localtime(baseline.computed_at), "DATETIME_FORMAT")
    is_uploaded = baseline.measure == Baseline.UPLOADED
    facts.append((_("uploaded") if is_uploaded else _("computed"), when))
    if baseline.by is not None:
        facts.append((_("by"), baseline.by.get_username()))
    facts.append((_("version of Likeness"), baseline.code_version))
    return MeasureDescription(_definition(baseline), facts)


@dataclass(frozen=True)
class Accuracy:
    """How often a model chose the candidate that people scored highest."""

    # Name of the group of dialogues; empty for all dialogues.
    name: str
    n: int
    # Mean over the shuffles of the candidates.
    right: float
    accuracy: float | None
    standard_error: float | None
    chance: float | None


@dataclass(frozen=True)
class Choices:
    """Figures of multiple choice: all dialogues first, then each part of them."""

    rows: Sequence[Accuracy]
    definition: str
    n_left_out: int
    n_shuffles: int
    # Range of the accuracies of single shuffles.
    low: float | None
    high: float | None
    # The prompt of the first dialogue; empty for measures that earlier versions computed.
    example: str


def choices(baseline: Baseline) -> Choices | None:
    """The figures of multiple choice; None of other measures, and without a known answer."""
    figures = baseline.figures
    if baseline.measure != MULTIPLE_CHOICE or "accuracy" not in figures:
        return None
    return Choices(
        [
            _accuracy("", figures),
            *(
                _accuracy(in_words(dialogues_name(key, subset)), subset)
                for key, subset in figures["by_subset"].items()
            ),
        ],
        in_words(figures["definition"]),
        figures["n_left_out"],
        figures["shuffles"]["n"],
        figures["shuffles"]["low"],
        figures["shuffles"]["high"],
        figures.get("example", ""),
    )


def _accuracy(name: str, figures: Mapping[str, Any]) -> Accuracy:
    return Accuracy(
        name,
        figures["n"],
        figures["right"],
        figures["accuracy"],
        figures["standard_error"],
        figures["chance"],
    )


def _definition(baseline: Baseline) -> str:
    if baseline.measure == Baseline.UPLOADED:
        return _("Computed elsewhere and uploaded as a table of scores.")
    if baseline.measure in LEXICAL:
        return in_words(LEXICAL[baseline.measure].definition)
    if baseline.measure in WITH_MODELS:
        return in_words(WITH_MODELS[baseline.measure].definition)
    return ""


def _value(name: str, value: object) -> str:
    if isinstance(value, float):
        return decimal(value, 3)
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return str(_VALUES.get((name, str(value)), value))
