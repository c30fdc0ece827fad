"""Nobody gets past the questions about people, whatever they send and in whichever order."""

import pytest
from django.test import Client

from annotation.answering.services import assignments, phases
from annotation.answering.services.pending_questions import QuestionsFirstError, ScreenedOutError
from annotation.basics.errors import InvalidAnswerError
from annotation.models import Assignment, Judgment
from tests.questionnaires.forms import AFTER, BEFORE, make_asking_study
from tests.questionnaires.test_answering import ENDED, RIGHT
from tests.support.annotating import Participant
from tests.support.answering import answer_all, answer_one, draft_one
from tests.support.rating import TWICE, join, make_rating_study, rate_phase

pytestmark = pytest.mark.django_db


def test_a_screen_that_is_sent_before_the_questions_leads_to_them_and_shows_nothing() -> None:
    somebody = Participant(make_asking_study(before=BEFORE))
    response = somebody.post("s/1/", {"go": "next"})
    assert response.status_code == 303
    assert response["Location"] == somebody.url("about/before/")


def test_no_answer_is_taken_before_the_questions() -> None:
    somebody = Participant(make_asking_study(before=BEFORE))
    (question, *_others) = somebody.questions()
    with pytest.raises(QuestionsFirstError):
        answer_one(somebody.assignment, question)
    with pytest.raises(QuestionsFirstError):
        draft_one(somebody.assignment, question)
    assert not Judgment.objects.exists()
    assert somebody.post("submit/").status_code in {400, 409}
    somebody.post("about/before/", RIGHT)
    assert answer_one(somebody.assignment, question)


def test_nothing_is_sent_before_the_last_questions() -> None:
    somebody = Participant(make_asking_study(after=AFTER))
    answer_all(somebody.assignment)
    with pytest.raises(InvalidAnswerError):
        assignments.submit(assignment=somebody.assignment)
    somebody.post("about/after/", ENDED)
    assert phases.latest(somebody.assignment).completed_at is not None


def test_whom_an_answer_screens_out_neither_answers_nor_takes_the_place_back() -> None:
    study = make_rating_study(phases=TWICE)
    study.questionnaires = {"before": BEFORE}
    study.save()
    joined = join(study)
    Client().post(f"/a/{joined.key}/about/before/", {**RIGHT, "age": "17"})
    with pytest.raises(ScreenedOutError):
        rate_phase(joined.assignment)
    assert Client().post(f"/a/{joined.key}/s/1/", {"go": "next"}).status_code == 409
    joined.assignment.refresh_from_db()
    assert joined.assignment.state == Assignment.State.LAPSED
