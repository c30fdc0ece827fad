"""Whoever fills in the questions about people keeps the place as long as others keep theirs."""

import pytest

from annotation.answering.services import open_places
from annotation.basics import clock as clocks
from annotation.models import Assignment, Study
from tests.questionnaires.forms import BEFORE, make_asking_study
from tests.questionnaires.test_answering import RIGHT
from tests.support.annotating import Participant
from tests.support.clock import Clock

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    return make_asking_study(before=BEFORE)


def silent(study: Study) -> list[Assignment]:
    return list(open_places.silent(study, open_places.silent_before(clocks.now())))


def test_the_time_to_begin_starts_once_the_questions_are_answered(
    study: Study, clock: Clock, settings
) -> None:
    somebody = Participant(study)
    clock.move(minutes=settings.SILENT_MINUTES - 1)
    assert silent(study) == []
    somebody.post("about/before/", RIGHT)
    clock.move(minutes=settings.SILENT_MINUTES - 1)
    assert silent(study) == []
    clock.move(minutes=2)
    assert silent(study) == [somebody.assignment]


def test_a_draft_of_them_holds_no_place(study: Study, clock: Clock, settings) -> None:
    somebody = Participant(study)
    clock.move(minutes=settings.SILENT_MINUTES + 1)
    somebody.post("about/before/", {"age": "30", "as:draft": "1"})
    assert silent(study) == [somebody.assignment]
    # Nor does another person's reply.
    other = Participant(study)
    other.post("about/before/", RIGHT)
    assert silent(study) == [somebody.assignment]
