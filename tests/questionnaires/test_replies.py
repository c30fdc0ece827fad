"""What the services refuse and keep by themselves, whatever a page has checked before."""

import pytest
from django.test import Client
from django.utils import timezone

from annotation.answering.services import pending_questions, phases, replies, withdrawal
from annotation.basics.errors import AssignmentClosedError
from annotation.core.queries.counted_answers import counted_judgments
from annotation.models import Annotator, Assignment, QuestionnaireReply, Visit
from annotation.models.kinds import Source
from annotation.people.services import exclusions
from annotation.questionnaires.queries import definitions, published
from tests.crowds.test_launches import come, key_in, panel, take_over
from tests.questionnaires.forms import AFTER, BEFORE, make_asking_study
from tests.questionnaires.test_answering import RIGHT
from tests.support import release_studies
from tests.support.annotating import Participant
from tests.support.answering import answer_one
from tests.support.clock import Clock
from tests.support.crowds import make_listing
from tests.support.factories import make_open_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def somebody() -> Participant:
    return Participant(make_asking_study(before=BEFORE, after=AFTER))


def save(somebody: Participant, **values: object) -> None:
    run = phases.latest(somebody.assignment)
    replies.save_draft(run=run, moment="before", values=values, declined=[])


def test_a_draft_that_comes_late_changes_nothing_that_is_complete(somebody: Participant) -> None:
    somebody.post("about/before/", RIGHT)
    save(somebody, age=99)
    reply = replies.complete(
        run=phases.latest(somebody.assignment),
        visit=None,
        questionnaire=definitions.of(somebody.study).at("before"),
        values={"age": 17},
        declined=[],
    )
    assert (reply.values["age"], reply.screened_out) == (30, False)


def test_nothing_is_kept_after_withdrawing_or_sending(somebody: Participant) -> None:
    Assignment.objects.filter(pk=somebody.assignment.pk).update(state="submitted")
    with pytest.raises(AssignmentClosedError):
        save(somebody, age=30)
    withdrawal.withdraw(annotator=somebody.annotator)
    with pytest.raises(AssignmentClosedError):
        save(somebody, age=30)
    assert not QuestionnaireReply.objects.exists()


def test_whoever_fills_them_in_is_not_idle(somebody: Participant, clock: Clock) -> None:
    before = somebody.assignment.last_active_at
    clock.move(minutes=5)
    save(somebody, age=30)
    somebody.assignment.refresh_from_db()
    assert somebody.assignment.last_active_at > before


def test_the_simulated_are_asked_nothing(somebody: Participant) -> None:
    Annotator.objects.filter(pk=somebody.annotator.pk).update(source=Source.SIMULATED)
    run = phases.latest(Assignment.objects.get(pk=somebody.assignment.pk))
    assert pending_questions.pending(run, somebody.study) == ""


def test_a_draft_of_another_sitting_under_the_same_id_is_not_shown() -> None:
    parameters = {
        "annotations_per_tuple": 5,
        "questions_per_screen": 1,
        "screens_per_booklet": 2,
    }
    study = make_open_study(dialogues=4, parameters=parameters, questionnaires={"after": AFTER})
    listing = make_listing(study)
    key_in(come(listing, **panel("p1", "s1")))
    mine = Visit.objects.get()
    answer_one(mine.run.assignment, mine.run.questions.first())
    QuestionnaireReply.objects.create(
        annotator=mine.run.assignment.annotator,
        moment="after",
        values={"feedback": "my own words"},
        saved_at=timezone.now(),
    )
    other = key_in(take_over(listing, **panel("p1", "made-up")))
    visit = Visit.objects.exclude(pk=mine.pk).get()
    for question in visit.run.questions.all():
        answer_one(visit.run.assignment, question)
    page = Client().get(f"/a/{other}/about/after/")
    assert page.status_code == 200
    assert "my own words" not in page.content.decode()


@pytest.mark.slow
def test_a_release_has_no_drafts() -> None:
    study = release_studies.best_worst()
    person = counted_judgments(study, "people")[0].assignment.annotator
    QuestionnaireReply.objects.create(
        annotator=person, moment="before", values={"age": 30}, saved_at=timezone.now()
    )
    assert not published.of_counted(study, "people")


@pytest.mark.slow
def test_a_release_has_nobody_whose_answers_do_not_count() -> None:
    study = release_studies.best_worst()
    other = release_studies.best_worst()
    for each in (study, other):
        for person in each.annotators.all():
            QuestionnaireReply.objects.create(
                annotator=person,
                moment="before",
                values={"age": 30},
                saved_at=timezone.now(),
                completed_at=timezone.now(),
            )
    counted = set(counted_judgments(study, "people").values_list("assignment__annotator"))
    left_out = Annotator.objects.get(pk=min(counted)[0])
    exclusions.exclude(annotator=left_out, reason="of the test", by=study.owner)

    replies = published.of_counted(study, "people")

    assert {(reply.annotator_id,) for reply in replies} == counted - {(left_out.pk,)}
