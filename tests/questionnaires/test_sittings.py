"""Answers about people and sittings on platforms: of another sitting nothing is taken over."""

import pytest
from django.test import Client
from django.utils import timezone

from annotation.answering.services import visits, withdrawal
from annotation.models import Assignment, Listing, QuestionnaireReply, Visit
from tests.crowds.test_launches import come, crowd, key_in, panel, take_over
from tests.questionnaires.forms import BEFORE
from tests.questionnaires.test_answering import RIGHT
from tests.support import crowds
from tests.support.answering import answer_one
from tests.support.crowds import make_listing, make_ticket
from tests.support.factories import make_open_study

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def one_network_for_all(settings) -> None:
    settings.JOINS_PER_ADDRESS_PER_HOUR = 1000


@pytest.fixture
def wide() -> Listing:
    """A panel's, with more booklets than one."""
    parameters = {
        "annotations_per_tuple": 5,
        "questions_per_screen": 1,
        "screens_per_booklet": 2,
    }
    return make_listing(
        make_open_study(dialogues=4, parameters=parameters, questionnaires={"before": BEFORE})
    )


@pytest.fixture
def shown(monkeypatch, wide: Listing) -> Listing:
    """Of a platform that shows later on which sittings there were."""
    crowds.use_framed(monkeypatch)
    made = make_listing(wide.study, platform="mturk", environment="sandbox")
    make_ticket(made)
    return made


def test_withdrawing_another_sitting_leaves_what_the_first_one_said(wide: Listing) -> None:
    key = key_in(come(wide, **panel("p1", "s1")))
    Client().post(f"/a/{key}/about/before/", RIGHT)
    mine = Visit.objects.get()
    answer_one(mine.run.assignment, mine.run.questions.first())

    key_in(take_over(wide, **panel("p1", "made-up")))
    other = Visit.objects.exclude(pk=mine.pk).get()
    visits.withdraw(visit=other)
    assert QuestionnaireReply.objects.get().values["age"] == 30

    visits.withdraw(visit=mine)
    assert not QuestionnaireReply.objects.exists()


def test_a_place_that_lapsed_without_answers_keeps_nothing(wide: Listing) -> None:
    key = key_in(come(wide, **panel("p1", "s1")))
    Client().post(f"/a/{key}/about/before/", RIGHT)
    mine = Visit.objects.get()
    answer_one(mine.run.assignment, mine.run.questions.first())
    key_in(take_over(wide, **panel("p1", "s2")))
    other = Visit.objects.exclude(pk=mine.pk).get().run.assignment
    Assignment.objects.filter(pk=other.pk).update(state=Assignment.State.LAPSED)
    visits.withdraw(visit=mine)
    assert not QuestionnaireReply.objects.exists()


def test_whoever_only_knows_the_id_screens_nobody_out(shown: Listing) -> None:
    forged = come(shown, **crowd("W1", "FORGED"))["Location"]
    Client().post(f"{forged}about/before/", {**RIGHT, "age": "17"})
    assert QuestionnaireReply.objects.get().screened_out

    own = come(shown, **crowd("W1", "A1"))["Location"]
    assert Client().get(own)["Location"] == f"{own}about/before/"
    assert Client().post(f"{own}about/before/", RIGHT)["Location"] == f"{own}instructions/"
    assert Client().get(own)["Location"] == f"{own}instructions/"


def test_a_sitting_of_somebody_screened_out_elsewhere_leads_back_to_the_platform(
    wide: Listing,
) -> None:
    own = come(wide, **panel("p1", "s1"))["Location"]
    visit = Visit.objects.get()
    QuestionnaireReply.objects.create(
        annotator=visit.run.assignment.annotator,
        moment="before",
        values={"age": 17},
        screened_out=True,
        saved_at=timezone.now(),
        completed_at=timezone.now(),
    )
    assert "CODE-SCREENED_OUT" in Client().get(own).content.decode()


def test_withdrawing_from_the_study_deletes_all_of_it(wide: Listing) -> None:
    key = key_in(come(wide, **panel("p1", "s1")))
    Client().post(f"/a/{key}/about/before/", RIGHT)
    withdrawal.withdraw(annotator=Visit.objects.get().run.assignment.annotator)
    assert not QuestionnaireReply.objects.exists()
