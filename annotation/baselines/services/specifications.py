"""The measures that can be computed, with their default settings and names."""

from annotation.baselines.services import baseline_choices
from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import error_message
from annotation.models import Study
from scoring.baselines import Specification
from scoring.neural.measure_options import Measure
from scoring.neural.measures import MEASURES, check, display_name

# Measures that need a model, by key: those of `scoring.neural.measures`, and multiple choice.
WITH_MODELS: dict[str, Measure] = {
    **MEASURES,
    baseline_choices.MEASURE: baseline_choices.QUESTION,
}

_METEOR = "meteor"
NO_STEMMER = "none"
# METEOR's stemmer by language: for English it is Porter's, as in METEOR as published.
_STEMMERS = {
    "ar": "arabic",
    "da": "danish",
    "de": "german",
    "en": "porter",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nb": "norwegian",
    "nl": "dutch",
    "nn": "norwegian",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
}


def stemmer_of(language: str) -> str:
    """METEOR's stemmer for texts of a language; NO_STEMMER if there is none, as for Czech."""
    return _STEMMERS.get(language.partition("-")[0].lower(), NO_STEMMER)


def checked(specification: Specification, study: Study) -> Specification:
    """The specification with all defaults, so that a measure has one key; some are by language.

    Raises AnnotationError for an unknown measure, setting or value.
    """
    try:
        if specification.measure == baseline_choices.MEASURE:
            return baseline_choices.checked(specification, study)
        if specification.measure == _METEOR:
            specification = Specification(
                _METEOR, {"stemmer": stemmer_of(study.language), **specification.settings}
            )
        return check(specification)
    except ValueError as error:
        raise AnnotationError(error_message(error)) from error


def named(specification: Specification) -> str:
    """The name of a checked specification in tables."""
    if specification.measure == baseline_choices.MEASURE:
        return baseline_choices.named(specification)
    return display_name(specification)
