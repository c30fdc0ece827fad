"""Which measures can be asked for, whatever computes them."""

from annotation.baselines.services import baseline_choices
from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import error_message
from annotation.models import Study
from scoring.baselines import Specification
from scoring.neural.measures import MEASURES, Measure, check, display_name

# Those that need a model, by key: as `scoring.neural.measures` has them, and multiple choice.
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
    """METEOR's stemmer for texts of a language; NO_STEMMER where there is none, as for Czech."""
    return _STEMMERS.get(language.partition("-")[0].lower(), NO_STEMMER)


def checked(specification: Specification, study: Study) -> Specification:
    """With all its defaults, so that one measure has one key; some follow the study's language.

    Raises AnnotationError for a measure, a setting or a value that there is not.
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
    """As tables show it, once it was checked."""
    if specification.measure == baseline_choices.MEASURE:
        return baseline_choices.named(specification)
    return display_name(specification)
