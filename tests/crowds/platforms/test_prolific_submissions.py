"""What Prolific shows of a listing: every submission once, in our words."""

from datetime import timedelta
from typing import Any

import pytest

from annotation.core.platforms.errors import TooLongError, UnavailableError
from annotation.crowds.platforms import rest
from annotation.crowds.platforms.prolific import http as prolific_http
from annotation.crowds.platforms.prolific.submissions import STATES
from annotation.models import Visit
from annotation.models.kinds import Outcome
from tests.crowds.platforms.prolific_lab import Lab, make_listing, person_id

REMOTE = Visit.Remote


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prolific_http, "PAGE_SIZE", 2)


@pytest.mark.slow
def test_all_pages_are_read_to_the_last(lab: Lab, small_pages: None) -> None:
    listing = make_listing(n_places=7)
    study = lab.publish(listing)
    taken = [lab.sim.bot(person_id(n)).take(study)[0] for n in range(1, 8)]

    shown = list(lab.platform.submissions(listing))

    assert [one.submission_id for one in shown] == taken
    assert [one.person_id for one in shown] == [person_id(n) for n in range(1, 8)]
    assert {one.ticket_id for one in shown} == {study}


def test_nobody_yet_is_an_empty_list(lab: Lab) -> None:
    listing = make_listing()
    lab.publish(listing)

    assert list(lab.platform.submissions(listing)) == []


def test_a_page_past_the_end_is_the_end(lab: Lab, small_pages: None) -> None:
    listing = make_listing(n_places=3)
    study = lab.publish(listing)
    taken = [lab.sim.bot(person_id(n)).take(study)[0] for n in range(1, 4)]
    shown = lab.platform.submissions(listing)
    read = [next(shown).submission_id, next(shown).submission_id]

    # The second page is gone by the time it is asked for.
    with lab.sim.world.turn():
        del lab.sim.world.state["submissions"][taken[2]]

    assert [*read, *(one.submission_id for one in shown)] == taken[:2]


def test_a_study_that_is_not_there_is_not_an_empty_list(lab: Lab) -> None:
    listing = make_listing()
    study = lab.publish(listing)
    with lab.sim.world.turn():
        del lab.sim.world.state["studies"][study]

    with pytest.raises(UnavailableError, match="was not found"):
        list(lab.platform.submissions(listing))


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["500_before", "throttle", "truncated_json", "timeout_before"])
def test_a_page_that_cannot_be_read_is_no_end(lab: Lab, small_pages: None, fault: str) -> None:
    listing = make_listing()
    study = lab.publish(listing)
    for n in range(1, 4):
        lab.sim.bot(person_id(n)).take(study)
    lab.sim.fault(fault, path="/submissions/", method="GET", nth=2, seconds=3)

    with pytest.raises(UnavailableError):
        list(lab.platform.submissions(listing))


def test_a_list_that_takes_too_long_is_no_list(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    listing = make_listing()
    lab.publish(listing)
    monkeypatch.setattr(rest, "MAX_LISTS_SECONDS", -1)

    with pytest.raises(TooLongError, match="Likeness tries again later"):
        list(lab.platform.submissions(listing))


def test_times_codes_and_deadline_are_told(lab: Lab) -> None:
    listing = make_listing()
    lab.publish(listing)
    begun = lab.sim.now
    visit = lab.visit(listing)

    [shown] = lab.platform.submissions(listing)

    assert shown.submission_id == visit.submission_id
    assert shown.state == REMOTE.SUBMITTED
    assert (shown.accepted_at, shown.submitted_at) == (begun, begun)
    # Prolific gives a study of m minutes 2 + 2m + 2√m, rounded up: 29 for ten.
    assert shown.deadline == begun + timedelta(minutes=29)
    assert shown.handed_in == {"code": listing.codes["completed"]}
    assert shown.raw["study_code"] == listing.codes["completed"]


def test_a_longer_time_limit_of_prolifics_own_stands(lab: Lab) -> None:
    lab.sim.configure(own_time_limit=45)
    listing = make_listing()
    lab.publish(listing)
    begun = lab.sim.now
    lab.visit(listing)

    [shown] = lab.platform.submissions(listing)

    assert shown.deadline == begun + timedelta(minutes=45)
    assert lab.platform.hand_in_time(listing) >= timedelta(minutes=45)


def test_a_reserved_place_has_not_begun(lab: Lab) -> None:
    listing = make_listing()
    lab.sim.bot(person_id(1)).reserve(lab.publish(listing))

    [shown] = lab.platform.submissions(listing)

    assert shown.state == REMOTE.ACTIVE
    assert (shown.accepted_at, shown.submitted_at, shown.deadline) == (None, None, None)
    assert shown.handed_in == {}


def test_returned_and_timed_out_are_told_apart(lab: Lab) -> None:
    listing = make_listing()
    study = lab.publish(listing)
    returning = lab.sim.bot(person_id(1))
    returning.give_back(returning.take(study)[0])
    lab.sim.bot(person_id(2)).take(study)
    lab.advance(minutes=31)

    assert [one.state for one in lab.platform.submissions(listing)] == [
        REMOTE.RETURNED,
        REMOTE.TIMED_OUT,
    ]


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("RESERVED", REMOTE.ACTIVE),
        ("ACTIVE", REMOTE.ACTIVE),
        ("PROCESSING", REMOTE.ACTIVE),
        ("AWAITING REVIEW", REMOTE.SUBMITTED),
        ("AWAITING_REVIEW", REMOTE.SUBMITTED),
        ("APPROVED", REMOTE.APPROVED),
        ("PARTIALLY APPROVED", REMOTE.APPROVED),
        ("REJECTED", REMOTE.REJECTED),
        ("RETURNED", REMOTE.RETURNED),
        ("TIMED-OUT", REMOTE.TIMED_OUT),
        ("SCREENED OUT", REMOTE.SCREENED_OUT),
        ("SOMETHING NEW", REMOTE.ACTIVE),
    ],
)
def test_every_word_of_prolifics_has_one_of_ours(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, theirs: str, ours: str
) -> None:
    listing = make_listing()
    lab.sim.bot(person_id(1)).take(lab.publish(listing))
    get = prolific_http.Client.get

    def told(self: Any, path: str, **query: Any) -> Any:
        page = get(self, path, **query)
        page["results"][0]["status"] = theirs
        return page

    monkeypatch.setattr(prolific_http.Client, "get", told)

    [one] = lab.platform.submissions(listing)
    assert one.state == ours
    assert ("in part" in str(one.doubt)) == (theirs == "PARTIALLY APPROVED")


def test_a_row_that_moved_to_the_next_page_is_told_once(lab: Lab, small_pages: None) -> None:
    listing = make_listing(n_places=5)
    study = lab.publish(listing)
    taken = [lab.sim.bot(person_id(n)).take(study)[0] for n in range(1, 4)]
    shown = lab.platform.submissions(listing)
    read = [next(shown).submission_id, next(shown).submission_id]
    with lab.sim.world.turn():
        rows = lab.sim.world.state["submissions"]
        # A new one stands in front, so that the second of the first page is shown again.
        first = {**rows[taken[0]], "id": "a" * 24}
        lab.sim.world.state["submissions"] = {first["id"]: first, **rows}

    assert [*read, *(one.submission_id for one in shown)] == taken


def test_each_ticket_is_asked_about(lab: Lab) -> None:
    listing = make_listing(n_places=1)
    studies = [lab.publish(listing)]
    studies.append(lab.publish(listing, prefix="2: "))
    for n, study in enumerate(studies, start=1):
        lab.sim.bot(person_id(n)).take(study)

    assert [one.ticket_id for one in lab.platform.submissions(listing)] == studies


def test_screened_out_people_are_paid_from_the_slots(lab: Lab) -> None:
    listing = make_listing(
        options={
            "handling": {"screened_out": "screen_out"},
            "screen_out_reward": "0.20",
            "screen_out_slots": 2,
        }
    )
    lab.publish(listing)
    lab.visit(listing, outcome=Outcome.SCREENED_OUT)

    assert [one.state for one in lab.platform.submissions(listing)] == [REMOTE.SCREENED_OUT]
    assert [-line["amount"] for line in lab.sim.ledger("screen_out")] == [20]


def test_no_state_of_ours_is_forgotten() -> None:
    assert set(STATES.values()) == set(REMOTE) - {REMOTE.UNSEEN}
