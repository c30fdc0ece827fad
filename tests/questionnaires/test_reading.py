"""What a screen reader reads with a question about people."""

from django.http import QueryDict

from annotation.basics.questionnaires import Questionnaire
from annotation.questionnaires.forms.replying import ReplyForm
from tests.questionnaires.forms import AFTER


def test_a_question_is_read_with_its_error_its_hint_and_the_ends_of_its_scale() -> None:
    (scale,) = (q for q in AFTER["questions"] if q["key"] == "effort")
    asked = Questionnaire.of("after", {"questions": [{**scale, "help": "Of all of it."}]})
    form = ReplyForm(asked, QueryDict())
    (answered,) = form.questions
    assert answered.described_by == "about-effort-help about-effort-ends"
    assert not form.is_valid()
    assert answered.described_by == "about-effort-error about-effort-help about-effort-ends"
