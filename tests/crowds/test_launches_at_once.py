"""Many come in one moment: on PostgreSQL they wait for one another's locks."""

from collections.abc import Callable
from typing import Any

import pytest

from annotation.basics.errors import AnnotationError
from annotation.core.platforms.base import Launch
from annotation.crowds.services import launches
from annotation.crowds.services.launch_sittings import OpenElsewhereError
from annotation.models import Annotator, Assignment, Listing, Person, Visit
from annotation.models.kinds import CrowdPlatform, Outcome
from annotation.studies.services import studies
from tests.support import crowds
from tests.support.answering import answer_one
from tests.support.at_once import at_once
from tests.support.crowds import make_listing, make_ticket
from tests.support.factories import make_open_study

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]


@pytest.fixture
def listing(monkeypatch) -> Listing:
    crowds.use_framed(monkeypatch)
    made = make_listing(
        make_open_study(
            dialogues=1, parameters={"annotations_per_tuple": 5, "questions_per_screen": 1}
        ),
        platform=CrowdPlatform.MTURK,
        environment="sandbox",
    )
    make_ticket(made, n_places=40)
    return made


def entering(listing: Listing, person: str, submission: str, **more) -> Callable[[], Any]:
    launch = Launch(person, submission, "HIT1", **more)
    consent = studies.current_consent(listing.study)
    return lambda: launches.enter(listing=listing, launch=launch, consent=consent)


def test_the_same_launch_eight_times_is_one_visit(listing: Listing) -> None:
    answers = at_once([entering(listing, "W1", "A1")] * 8)

    assert len({answer.key for answer in answers}) == 1
    assert Visit.objects.count() == Assignment.objects.count() == 1
    assert Person.objects.count() == Annotator.objects.count() == 1


def test_one_person_with_two_sittings_gets_one(listing: Listing) -> None:
    answers = at_once([entering(listing, "W1", f"A{n}") for n in range(6)])

    assert sum(isinstance(answer, OpenElsewhereError) for answer in answers) == 5
    assert Visit.objects.get().state == Visit.State.WORKING
    assert Assignment.objects.count() == 1


def test_of_persons_with_one_sitting_one_holds_it_at_the_end(listing: Listing) -> None:
    answers = at_once([entering(listing, f"W{n}", "A1") for n in range(6)])

    assert len({answer.key for answer in answers}) == 6
    assert Visit.objects.exclude(state=Visit.State.CLOSED).count() == 1
    assert Assignment.objects.live().count() == 1


def test_thirty_at_once_for_five_places(listing: Listing) -> None:
    answers = at_once([entering(listing, f"W{n}", f"A{n}") for n in range(30)])

    outcomes = [answer.visit.outcome for answer in answers]
    assert outcomes.count("") == 5
    assert outcomes.count(Outcome.NOTHING_LEFT) == 25
    assert len(set(Assignment.objects.live().values_list("place", flat=True))) == 5


def test_signed_people_at_once_each_take_the_place_of_an_unproven_one(listing: Listing) -> None:
    for n in range(5):
        entered = entering(listing, f"W{n}", f"A{n}")()
        if n % 2:
            answer_one(entered.visit.run.assignment, entered.visit.run.questions.first())
    questions = {n: Visit.objects.get(submission_id=f"A{n}").run for n in range(5)}

    def answering(n: int) -> Callable[[], Any]:
        return lambda: answer_one(questions[n].assignment, questions[n].questions.last())

    answers = at_once(
        [entering(listing, f"S{n}", f"B{n}", is_signed=True) for n in range(7)]
        + [answering(n) for n in range(5)]
    )

    assert len(answers) == 12
    assert not [answer for answer in answers if isinstance(answer, AnnotationError)]
    signed = Assignment.objects.filter(annotator__person__platform_id__startswith="S")
    assert signed.holding().count() == 5
    assert Visit.objects.filter(outcome=Outcome.NOTHING_LEFT).count() == 2
    assert Assignment.objects.holding().count() == 5
    # Who gave way goes on, and keeps every answer.
    for run in questions.values():
        run.assignment.refresh_from_db()
        assert run.assignment.judgments.current().count() >= 1
