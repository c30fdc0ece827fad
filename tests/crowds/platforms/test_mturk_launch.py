"""Coming from Mechanical Turk, working in its frame, and handing in there."""

import logging
from datetime import timedelta
from typing import Any

import pytest

from annotation.answering.services import withdrawal
from annotation.core.platforms.base import Completion, Launch
from annotation.core.platforms.errors import LaunchError, RefusedError
from annotation.crowds.platforms.mturk.environments import origin_of
from annotation.crowds.platforms.mturk.platform import MTurk
from annotation.models import Listing, Visit
from annotation.models.kinds import Outcome
from tests.crowds.platforms.mturk_desk import make_listing
from tests.support.answering import answer_one
from tests.support.factories import join, make_open_study

pytestmark = pytest.mark.django_db

_QUERY = {"assignmentId": "3ABC", "hitId": "3HIT", "workerId": "AW1"}


@pytest.fixture
def listing(settings: Any) -> Listing:
    settings.MTURK_ENDPOINTS = {"lab": ["https://api.lab.example", "https://lab.example:8443/w"]}
    return make_listing()


def test_a_launch_says_who_in_which_sitting_for_which_hit(listing: Listing) -> None:
    launch = MTurk().read_launch(listing, _QUERY)

    assert launch == Launch(person_id="AW1", submission_id="3ABC", ticket_id="3HIT")
    assert not launch.is_signed


@pytest.mark.parametrize("worker", [{}, {"workerId": "AW1"}, {"workerId": "<x>"}])
def test_a_preview_says_nothing_of_the_person(listing: Listing, worker: dict[str, str]) -> None:
    query = {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "hitId": "3HIT", **worker}

    assert MTurk().read_launch(listing, query) == Launch(ticket_id="3HIT", is_preview=True)


@pytest.mark.parametrize(
    "changes",
    [
        {"assignmentId": ""},
        {"assignmentId": "3abc"},
        {"assignmentId": "3ABC\n"},
        {"assignmentId": "A" * 65},
        {"assignmentId": "3ABC'--"},
        {"assignmentId": "３ABC"},
        {"hitId": ""},
        {"hitId": "../x"},
        {"workerId": ""},
        {"workerId": "W1"},
        {"workerId": "A"},
        {"workerId": "A" + "1" * 64},
        {"workerId": "AW1 "},
    ],
)
def test_ids_that_mechanical_turk_never_gives_are_refused(
    listing: Listing, changes: dict[str, str]
) -> None:
    with pytest.raises(LaunchError) as caught:
        MTurk().read_launch(listing, {**_QUERY, **changes})

    assert caught.value.status == 400
    assert "address" in caught.value.message


def test_a_launch_without_anything_is_refused(listing: Listing) -> None:
    with pytest.raises(LaunchError, match="incomplete"):
        MTurk().read_launch(listing, {})


@pytest.mark.parametrize("told", ["https://evil.example", "//evil", "http://[::1", "javascript:x"])
def test_a_foreign_submit_host_is_ignored_and_noted(
    listing: Listing, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        launch = MTurk().read_launch(listing, {**_QUERY, "turkSubmitTo": told})

    assert launch.submission_id == "3ABC"
    assert f"{told!r}" in caplog.text
    visit = _visit(listing)
    completion = MTurk().completion(visit, Outcome.COMPLETED, "r")
    assert completion.url == "https://lab.example:8443/w/mturk/externalSubmit"


def test_the_right_submit_host_is_not_noted(
    listing: Listing, caplog: pytest.LogCaptureFixture
) -> None:
    MTurk().read_launch(listing, {**_QUERY, "turkSubmitTo": "https://LAB.example:8443"})

    assert caplog.text == ""


def _visit(listing: Listing, submission_id: str = "3ABC") -> Visit:
    return Visit(listing=listing, environment=listing.environment, submission_id=submission_id)


@pytest.mark.parametrize(
    "outcome", [Outcome.COMPLETED, Outcome.FAILED_CHECKS, Outcome.SCREENED_OUT]
)
def test_who_was_let_in_hands_in_with_a_receipt(listing: Listing, outcome: Outcome) -> None:
    completion = MTurk().completion(_visit(listing), outcome, "the receipt")

    assert completion.url == "https://lab.example:8443/w/mturk/externalSubmit"
    assert dict(completion.fields) == {
        "assignmentId": "3ABC",
        "receipt": "the receipt",
        "outcome": str(outcome),
    }
    assert completion.code == ""


@pytest.mark.parametrize("outcome", [Outcome.NO_CONSENT, Outcome.NOTHING_LEFT, Outcome.TOO_EARLY])
def test_who_was_not_let_in_hands_nothing_in(listing: Listing, outcome: Outcome) -> None:
    assert MTurk().completion(_visit(listing), outcome, "r") == Completion()
    assert MTurk().completion(_visit(listing, ""), Outcome.COMPLETED, "r") == Completion()


def test_who_stopped_or_withdrew_in_the_middle_hands_in_so_that_they_can_be_paid(
    listing: Listing,
) -> None:
    joined = join(make_open_study(dialogues=2))
    visit = _visit(listing)
    visit.run = joined.assignment.runs.get()
    assert MTurk().completion(visit, Outcome.NO_CONSENT, "r") == Completion()

    answer_one(joined.assignment, visit.run.questions.first())

    completion = MTurk().completion(visit, Outcome.NO_CONSENT, "r")
    assert completion.url == "https://lab.example:8443/w/mturk/externalSubmit"
    assert dict(completion.fields)["outcome"] == "no_consent"
    # What a withdrawal leaves still says that there was an answer.
    withdrawal.withdraw(annotator=joined.annotator)
    assert MTurk().completion(visit, Outcome.NO_CONSENT, "r") == completion


@pytest.mark.parametrize(
    ("environment", "submit", "ancestors"),
    [
        (
            "production",
            "https://www.mturk.com/mturk/externalSubmit",
            ("https://www.mturk.com", "https://worker.mturk.com"),
        ),
        (
            "sandbox",
            "https://workersandbox.mturk.com/mturk/externalSubmit",
            ("https://workersandbox.mturk.com",),
        ),
        (
            "lab",
            "https://lab.example:8443/w/mturk/externalSubmit",
            ("https://lab.example:8443",),
        ),
    ],
)
def test_each_environment_has_its_own_frames_and_its_own_submit_host(
    listing: Listing, environment: str, submit: str, ancestors: tuple[str, ...]
) -> None:
    row = make_listing(environment=environment)

    assert MTurk().completion(_visit(row), Outcome.COMPLETED, "r").url == submit
    framing = MTurk().framing(row)
    assert tuple(framing.ancestors) == tuple(framing.form_targets) == ancestors


def test_an_endpoint_that_is_named_no_more_frames_nothing(listing: Listing) -> None:
    with pytest.raises(RefusedError, match="no longer knows the Mechanical Turk endpoint “gone”"):
        MTurk().framing(make_listing(environment="gone"))


def test_work_is_handed_in_within_its_time(listing: Listing) -> None:
    listing.options["duration_minutes"] = 45

    assert MTurk().hand_in_time(listing) == timedelta(minutes=45)


def test_origins_are_compared_as_browsers_do() -> None:
    assert origin_of("HTTPS://Lab.Example:8443/a?b") == "https://lab.example:8443"
    assert origin_of("http://[::1") == ""
