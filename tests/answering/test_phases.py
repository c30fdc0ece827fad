"""Phases open and close by the server's clock, whatever a browser says or posts."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.test import Client

from annotation.answering.services import assignments, open_places, phases
from annotation.basics.errors import AssignmentClosedError, PhaseClosedError, PhaseNotOpenError
from annotation.models import Assignment, Draft, Judgment, PhaseRun
from tests.support import rating
from tests.support.clock import Clock
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def waiting(clock: Clock) -> assignments.Participant:
    """Somebody who has completed the first phase of two."""
    joined = rating.join(rating.make_rating_study(phases=rating.TWICE, pairs=3))
    rating.rate_phase(joined.assignment)
    joined.assignment.refresh_from_db()
    return joined


def test_a_later_phase_opens_its_delay_after_the_earlier_one_was_completed(
    clock: Clock, waiting: assignments.Participant
) -> None:
    first, second = waiting.assignment.runs.order_by("phase__number")

    assert waiting.assignment.state == Assignment.State.WAITING
    assert first.completed_at == clock.time
    assert second.opens_at == clock.time + timedelta(hours=72)
    assert second.closes_at == second.opens_at + timedelta(days=14)


def test_a_second_before_its_time_nothing_is_taken_and_at_its_time_everything_is(
    clock: Clock, waiting: assignments.Participant
) -> None:
    run = phases.latest(waiting.assignment)
    question = run.questions.first()

    clock.move(hours=72, seconds=-1)
    with pytest.raises(PhaseNotOpenError):
        rating.rate(waiting.assignment, question, run=run)
    with pytest.raises(PhaseNotOpenError):
        assignments.submit(assignment=waiting.assignment)
    clock.move(seconds=1)
    rating.rate(waiting.assignment, question, run=run)

    waiting.assignment.refresh_from_db()
    assert waiting.assignment.state == Assignment.State.ACTIVE
    assert Judgment.objects.filter(question=question).count() == 1


def test_a_page_of_the_first_phase_changes_nothing_once_it_was_sent(
    clock: Clock, waiting: assignments.Participant
) -> None:
    first = waiting.assignment.runs.get(phase__number=1)
    question = first.questions.first()

    for _hours in (0, 72):
        with pytest.raises(AssignmentClosedError, match="already sent"):
            rating.rate(waiting.assignment, question, "5", run=first)
        clock.move(hours=72)

    assert set(Judgment.objects.current().values_list("rating", flat=True)) == {3}


def test_sending_the_first_phase_twice_does_not_send_the_second(
    clock: Clock, waiting: assignments.Participant
) -> None:
    first = waiting.assignment.runs.get(phase__number=1)
    clock.move(hours=72)
    rating.rate_phase(waiting.assignment, send=False)

    with pytest.raises(AssignmentClosedError, match="already sent"):
        assignments.submit(assignment=waiting.assignment, run=first.pk)

    assert phases.latest(waiting.assignment).completed_at is None


def test_a_phase_cannot_be_begun_after_its_end_but_what_was_begun_can_be_finished(
    clock: Clock,
) -> None:
    study = rating.make_rating_study(phases=rating.TWICE, pairs=3, ratings_per_item=2)
    study.idle_minutes = 60 * 24 * 60
    study.save()
    late, slow = rating.join(study), rating.join(study)
    for joined in (late, slow):
        rating.rate_phase(joined.assignment)
    clock.move(hours=72, days=13)
    question = phases.latest(slow.assignment).questions.first()
    rating.rate(slow.assignment, question)
    clock.move(days=1)

    with pytest.raises(PhaseClosedError):
        rating.rate(late.assignment, question)
    rating.rate_phase(slow.assignment)

    slow.assignment.refresh_from_db()
    assert slow.assignment.state == Assignment.State.SUBMITTED


def test_an_answer_that_was_emptied_again_begins_nothing(
    clock: Clock, waiting: assignments.Participant
) -> None:
    run = phases.latest(waiting.assignment)
    question = run.questions.first()
    clock.move(hours=72)
    Draft.objects.create(assignment=waiting.assignment, question=question, payload={})
    clock.move(days=15)

    with pytest.raises(PhaseClosedError):
        rating.rate(waiting.assignment, question)


def test_waiting_is_not_idling_and_a_phase_that_ended_gives_the_place_back(
    clock: Clock, waiting: assignments.Participant
) -> None:
    study = waiting.annotator.study
    clock.move(hours=72, days=13)
    open_places.expire_overdue(study, clock.time)
    waiting.assignment.refresh_from_db()
    assert waiting.assignment.state == Assignment.State.WAITING

    clock.move(days=1)
    open_places.expire_overdue(study, clock.time)
    waiting.assignment.refresh_from_db()
    assert waiting.assignment.state == Assignment.State.LAPSED
    successor = rating.join(study)
    assert successor.assignment.place_id == waiting.assignment.place_id


def test_of_each_place_and_phase_the_first_completed_run_counts(
    clock: Clock, waiting: assignments.Participant
) -> None:
    """Who vanishes in the second phase is replaced; back late, they are first all the same."""
    study = waiting.annotator.study
    clock.move(hours=72)
    rating.rate(waiting.assignment, phases.latest(waiting.assignment).questions.first())
    clock.move(minutes=study.idle_minutes + 1)
    successor = rating.join(study)
    rating.rate_phase(successor.assignment)
    rating.rate_phase(waiting.assignment)
    clock.move(hours=72)
    rating.rate_phase(successor.assignment)

    counted = PhaseRun.objects.filter(is_counted=True)
    assert {(run.assignment_id, run.phase.number) for run in counted} == {
        (waiting.assignment.pk, 1),
        (waiting.assignment.pk, 2),
    }
    surplus = PhaseRun.objects.filter(is_counted=False, completed_at__isnull=False)
    assert {run.assignment_id for run in surplus} == {successor.assignment.pk}


def test_both_phases_ask_for_the_same_pairs_in_the_same_order(
    clock: Clock, waiting: assignments.Participant
) -> None:
    first, second = waiting.assignment.runs.order_by("phase__number")

    asked = [
        list(run.questions.order_by("screen", "position").values_list("item", "screen"))
        for run in (first, second)
    ]

    assert asked[0] == asked[1]
    assert len(asked[0]) == 3


def test_a_researcher_opens_a_phase_early_and_the_reason_is_kept(
    clock: Clock, waiting: assignments.Participant
) -> None:
    researcher = make_user()
    run = phases.latest(waiting.assignment)

    phases.open_now(run=run, reason=" On holiday from Friday. ", by=researcher)
    rating.rate_phase(waiting.assignment)

    run.refresh_from_db()
    assert (run.opened_early_by, run.reason) == (researcher, "On holiday from Friday.")
    assert run.opens_at == clock.time
    assert run.closes_at == clock.time + timedelta(days=14)
    waiting.assignment.refresh_from_db()
    assert waiting.assignment.state == Assignment.State.SUBMITTED


def test_a_phase_that_ended_is_opened_once_more_for_one_person(
    clock: Clock, waiting: assignments.Participant
) -> None:
    clock.move(hours=72, days=15)
    open_places.expire_overdue(waiting.annotator.study, clock.time)

    phases.open_now(
        run=phases.latest(waiting.assignment), reason="Was in hospital.", by=make_user()
    )
    rating.rate_phase(waiting.assignment)

    waiting.assignment.refresh_from_db()
    assert waiting.assignment.state == Assignment.State.SUBMITTED


@pytest.mark.parametrize("day", ["2027-03-27", "2027-10-30"])
def test_three_days_have_72_hours_also_when_clocks_are_changed(
    clock: Clock, day: str, settings
) -> None:
    settings.TIME_ZONE = "Europe/Prague"

    begun = datetime.fromisoformat(f"{day}T12:00:00").replace(tzinfo=ZoneInfo("Europe/Prague"))
    clock.set(begun)
    joined = rating.join(rating.make_rating_study(phases=rating.TWICE, pairs=2))
    rating.rate_phase(joined.assignment)
    run = phases.latest(joined.assignment)

    # As a time of the wall it would be 71 or 73 hours.
    assert (run.opens_at.timestamp() - begun.timestamp()) / 3600 == 72


# -- over the pages ------------------------------------------------------------------------------


def url(joined: assignments.Participant, rest: str = "") -> str:
    return f"/a/{joined.key}/{rest}"


def test_before_its_time_the_pages_say_when_and_take_nothing(
    client: Client, clock: Clock, waiting: assignments.Participant
) -> None:
    run = phases.latest(waiting.assignment)
    question = run.questions.first()
    clock.move(hours=72, seconds=-1)
    opens = run.opens_at.strftime("%Y-%m-%dT%H:%M:%S")

    own = client.get(url(waiting))
    screen = client.get(url(waiting, "s/1/"))
    posts = [
        client.post(url(waiting, "s/1/"), {f"q{question.pk}-rating": "4", "go": "next"}),
        client.post(url(waiting, "submit/")),
    ]

    assert own.status_code == 200
    assert opens in own.content.decode()
    assert "data-question" not in screen.content.decode()
    assert screen.status_code == 403
    assert [response.status_code for response in posts] == [403, 403]
    assert opens in posts[0].content.decode()
    assert client.get(url(waiting, "overview/")).status_code == 403

    clock.move(seconds=1)
    assert "Begin the next part" in client.get(url(waiting)).content.decode()
    assert client.get(url(waiting, "s/1/")).status_code == 200


def shown_note(client: Client, joined: assignments.Participant, pk: int) -> str:
    page = client.get(url(joined, "s/1/")).content.decode()
    return page.split(f'name="q{pk}-shown" value="')[1].split('"')[0]


def test_the_key_of_somebody_whose_phase_is_open_opens_no_other(
    client: Client, clock: Clock
) -> None:
    study = rating.make_rating_study(phases=rating.TWICE, pairs=3, ratings_per_item=2)
    early, late = rating.join(study), rating.join(study)
    rating.rate_phase(early.assignment)
    clock.move(hours=1)
    rating.rate_phase(late.assignment)
    clock.move(hours=71)
    question = phases.latest(early.assignment).questions.first()
    note = shown_note(client, early, question.pk)
    answer = {"rating": "4", "shown": note, "sequence": 1}
    answer |= {"idempotency_key": "7f0f3a52-3a0f-4a39-8f3e-3f5f3a1d9a01"}

    # Both have booklets of the same pairs; the note is of the assignment that it was shown to.
    with_others_note = client.post(
        url(late, f"q/{question.pk}/"), answer, headers={"Accept": "application/json"}
    )
    with_own_note = client.post(
        url(early, f"q/{question.pk}/"), answer, headers={"Accept": "application/json"}
    )

    assert with_others_note.status_code in {400, 404}
    assert with_own_note.status_code == 200
    assert not late.assignment.judgments.filter(question__block__phase__number=2).exists()


def test_a_page_that_was_opened_too_soon_by_a_wrong_clock_is_not_believed(
    client: Client, clock: Clock, waiting: assignments.Participant
) -> None:
    """The note says what was shown; whether the phase is open is asked when it comes back."""
    question = phases.latest(waiting.assignment).questions.first()
    clock.move(hours=72)
    note = shown_note(client, waiting, question.pk)
    clock.move(hours=-1)

    response = client.post(
        url(waiting, f"q/{question.pk}/"),
        {
            "rating": "4",
            "shown": note,
            "sequence": 1,
            "idempotency_key": "7f0f3a52-3a0f-4a39-8f3e-3f5f3a1d9a02",
        },
        headers={"Accept": "application/json"},
    )

    assert response.status_code == 403
    assert response.json()["closed"] is True
