"""What somebody answered about themselves, in the words that they read."""

from collections.abc import Iterator
from typing import NamedTuple

from django.utils.translation import gettext as _

from annotation.basics.person_questions import PersonQuestion, Value
from annotation.models import Annotator, QuestionnaireReply
from annotation.questionnaires.queries import definitions


class AnswerInWords(NamedTuple):
    moment: str
    question: str
    answer: str


def of_person(annotator: Annotator) -> Iterator[AnswerInWords]:
    """In the order of the questions; drafts, too."""
    replies = QuestionnaireReply.objects.filter(annotator=annotator)
    by_moment = {reply.moment: reply for reply in replies}
    for each in definitions.of(annotator.study).all:
        reply = by_moment.get(each.moment)
        if reply is None:
            continue
        for question in each.questions:
            if question.key in reply.declined:
                yield AnswerInWords(each.moment, question.text, _("I prefer not to say"))
            elif question.key in reply.values:
                words = _in_words(question, reply.values[question.key])
                yield AnswerInWords(each.moment, question.text, words)


def _in_words(question: PersonQuestion, value: Value) -> str:
    texts = {option.code: option.text for option in question.options}
    if isinstance(value, dict):
        rows = {row.code: row.text for row in question.rows}
        return "; ".join(f"{rows.get(row, row)}: {texts.get(c, c)}" for row, c in value.items())
    if isinstance(value, list):
        return ", ".join(texts.get(code, code) for code in value)
    return texts.get(str(value), str(value))
