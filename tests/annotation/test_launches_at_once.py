"""Many come in one moment: on PostgreSQL they wait for one another's locks."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from django.db import connections

from annotation.errors import AnnotationError
from annotation.models import Annotator, Assignment, Listing, Person, Visit
from annotation.models.kinds import CrowdPlatform, Outcome
from annotation.platforms.base import Launch
from annotation.services import launches, studies
from annotation.services.launches import OpenElsewhereError
from tests import crowds
from tests.crowds import make_listing, make_ticket
from tests.factories import make_open_study

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


def at_once(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """What each call answers or raises; they begin in one moment, each with its connection."""
    gate, answers = threading.Barrier(len(calls)), []

    def run(call: Callable[[], Any]) -> None:
        gate.wait(timeout=60)
        try:
            answers.append(call())
        except AnnotationError as error:
            answers.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=[call]) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    return answers


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
