"""A text is published, answered to and agreed to in one moment: nobody's answer is lost."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from annotation.answering.services import consents, withdrawal
from annotation.answering.services.consents import TextChangedError
from annotation.basics.errors import AssignmentClosedError
from annotation.models import Annotator, Assignment, Consent, ConsentRefusal, Judgment, Study
from annotation.studies.services import studies
from tests.answering.test_consent_anew import publish
from tests.support.annotating import Participant
from tests.support.at_once import at_once
from tests.support.factories import make_open_study

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]

N = 8


@pytest.fixture
def study() -> Study:
    return make_open_study(dialogues=2, parameters={"annotations_per_tuple": N})


def saving(somebody: Participant, number: int) -> Callable[[], Any]:
    """Their first answer, from a page that they have before them already."""
    question = somebody.questions()[0]
    key = f"00000000-0000-4000-8000-{number:012}"
    choice = somebody.choice(question, idempotency_key=key)
    address = somebody.url(f"q/{question.pk}/")
    return lambda: Client().post(address, choice, headers={"accept": "application/json"})


def agreeing(annotator: Annotator, version: int) -> Callable[[], Any]:
    return lambda: consents.agree(annotator=annotator, version=version)


def test_a_text_published_while_eight_people_save(study: Study) -> None:
    group = [Participant(study) for _ in range(N)]

    answers = at_once(
        [
            *(saving(somebody, n) for n, somebody in enumerate(group)),
            lambda: publish(study),
        ]
    )

    saved = [one for one in answers if not isinstance(one, Study)]
    assert [(one.status_code, one.json()["state"]) for one in saved] == [(200, "saved")] * N
    assert Judgment.objects.current().count() == N
    for somebody in group:
        assert somebody.get()["Location"] == somebody.url("consent/")


def test_the_same_agreement_eight_times_is_one(study: Study) -> None:
    somebody = Participant(study)
    publish(study)

    answers = at_once([agreeing(somebody.annotator, 2)] * N)

    assert answers == [None] * N
    assert Consent.objects.filter(text__version=2).count() == 1
    assert somebody.annotator.consent_version == 2


def test_whoever_agrees_while_another_text_is_published_agreed_to_what_they_read(
    study: Study,
) -> None:
    group = [Participant(study) for _ in range(4)]
    publish(study)

    answers = at_once(
        [
            *(agreeing(somebody.annotator, 2) for somebody in group),
            lambda: publish(study, "A third text."),
        ]
    )

    n_late = sum(isinstance(one, TextChangedError) for one in answers)
    assert Consent.objects.filter(text__version=2).count() == len(group) - n_late
    assert not Consent.objects.filter(text__version=3).exists()
    assert all(somebody.annotator.consent_version < 3 for somebody in group)
    assert studies.current_consent(study).version == 3


def test_agreeing_stopping_and_withdrawing_at_once_end_in_one_of_them(study: Study) -> None:
    somebody = Participant(study)
    save = saving(somebody, 1)
    publish(study)
    annotator = somebody.annotator

    answers = at_once(
        [
            agreeing(annotator, 2),
            lambda: consents.stop(annotator=annotator, visit=None),
            save,
            lambda: withdrawal.withdraw(annotator=annotator),
        ]
    )

    assert all(
        one is None
        or isinstance(one, AssignmentClosedError | Annotator)
        or one.status_code in {200, 409}
        for one in answers
    ), answers
    assert somebody.annotator.withdrawn_at
    assert Assignment.objects.get().state == Assignment.State.WITHDRAWN
    assert Consent.objects.filter(text__version=2).count() <= 1
    assert ConsentRefusal.objects.count() <= 1
