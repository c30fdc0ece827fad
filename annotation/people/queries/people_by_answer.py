"""People by what they answered about themselves: those of one answer, beside all others."""

from annotation.basics.person_questions import CHOICE, CHOICES, SCALE
from annotation.models import QuestionnaireReply, Study
from annotation.questionnaires.queries import definitions

# Parts a question and an answer.
_SIGN = "="


def options(study: Study) -> list[tuple[str, str]]:
    """Each answer that people can choose, as `who` reads it, with its words."""
    return [
        (f"{question.key}{_SIGN}{code}", f"{question.text} – {text}")
        for question in definitions.of(study).questions
        if question.kind in {CHOICE, CHOICES, SCALE}
        for code, text in (
            [(str(point), str(point)) for point in question.points]
            if question.kind == SCALE
            else [(option.code, option.text) for option in question.options]
        )
    ]


def who(study: Study, answer: str) -> list[int]:
    """Primary keys of the annotators who chose an answer, alone or with others."""
    key, _sign, code = answer.partition(_SIGN)
    replies = QuestionnaireReply.objects.filter(
        annotator__study=study, completed_at__isnull=False, values__has_key=key
    )
    return [
        annotator
        for annotator, values in replies.values_list("annotator", "values").iterator()
        if code in _codes(values[key])
    ]


def _codes(value: object) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else [str(value)]
