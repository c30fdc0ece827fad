"""Several workers and people at one moment: nothing is told, made or counted twice."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection, transaction
from django.utils import timezone

from annotation.answering.services import open_places, phases, visits
from annotation.core.platforms.base import Planned, Submission
from annotation.core.platforms.capabilities import Capabilities
from annotation.core.services.locks import lock_study
from annotation.crowds.services import decisions, reconciling
from annotation.models import Assignment, Intent, Listing, PhaseRun, PlatformEvent, Visit
from annotation.models.kinds import Outcome
from tests.crowds.test_reconciling import come, do_all
from tests.support.answering import answer_all
from tests.support.at_once import at_once
from tests.support.clock import Clock
from tests.support.crowds import make_ticket
from tests.support.factories import make_open_study, make_user
from tests.support.remote_side import Fake, Remote, make_listing

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]

REMOTE = Visit.Remote


@pytest.fixture
def listing(remote: Remote, monkeypatch) -> Listing:
    """Published, with work for twelve people; whom the platform shows, it vouches for."""
    monkeypatch.setattr(
        Fake,
        "capabilities",
        Capabilities(is_paid=True, shows_submissions=True, can_reject=True),
    )
    granted = Planned(Intent.Kind.GRANT, reason_code="done")
    monkeypatch.setattr(Fake, "plan_verified", lambda self, visit: [granted])
    study = make_open_study(
        dialogues=1,
        parameters={"annotations_per_tuple": 12, "questions_per_screen": 1},
        dry_run=False,
    )
    listing = make_listing(
        study=study,
        state=Listing.State.PUBLISHED,
        published_at=timezone.now(),
        n_places=12,
    )
    make_ticket(listing, "T1", n_places=12, expires_at=timezone.now() + timedelta(days=3))
    return listing


def shown(n: int, **changes) -> Submission:
    submission = Submission(f"S{n}", f"W{n}", "T1", REMOTE.SUBMITTED, submitted_at=timezone.now())
    return replace(submission, **changes)


def read_at_once(monkeypatch, n_polls: int) -> None:
    """Each poll has read what was known before any of them takes anything over."""
    gate, pages = threading.Barrier(n_polls), Fake.submissions

    def submissions(self: Fake, listing: Listing) -> Iterator[Submission]:
        gate.wait(timeout=60)
        yield from pages(self, listing)

    monkeypatch.setattr(Fake, "submissions", submissions)


def test_two_polls_of_one_listing_are_one(
    listing: Listing, remote: Remote, monkeypatch, clock: Clock
) -> None:
    done, missing = do_all(come(listing, "W1", "S1")), come(listing, "W0", "S0")
    remote.shown = [shown(n) for n in range(1, 7)]
    clock.move(days=2)
    read_at_once(monkeypatch, 2)

    assert at_once([partial(reconciling.poll, listing)] * 2) == [None, None]

    told = PlatformEvent.objects.filter(source="poll")
    assert Counter(event.payload["submission_id"] for event in told) == dict.fromkeys(
        (f"S{n}" for n in range(7)), 1
    )
    assert Visit.objects.count() == 7
    assert Intent.objects.filter(kind="grant").count() == 1
    assert PhaseRun.objects.get(is_counted=True) == done.run
    assert Visit.objects.get(pk=missing.pk).state == Visit.State.CLOSED


def test_people_who_come_send_and_are_paid_while_it_is_polled(
    listing: Listing, remote: Remote, monkeypatch
) -> None:
    sending = [come(listing, f"W{n}", f"S{n}") for n in range(1, 7)]
    for visit in sending:
        answer_all(visit.run.assignment)
    paid = do_all(come(listing, "W7", "S7"))
    remote.shown = [shown(7)]
    reconciling.poll(listing)
    remote.shown = [shown(n) for n in range(1, 10)]
    read_at_once(monkeypatch, 2)
    researcher = make_user()

    answers = at_once(
        [
            *[partial(reconciling.poll, listing)] * 2,
            *(partial(visits.submit, visit=visit) for visit in sending),
            *(partial(come, listing, f"W{n}", f"S{n}") for n in (8, 9)),
            partial(decisions.approve, visit=paid, by=researcher),
        ]
    )

    assert len(answers) == 11, "nobody waited for another for ever"
    told = PlatformEvent.objects.filter(source="poll")
    assert sorted(event.payload["submission_id"] for event in told) == [
        f"S{n}" for n in range(1, 10)
    ]
    assert sorted(Visit.objects.values_list("submission_id", flat=True)) == [
        f"S{n}" for n in range(1, 10)
    ]
    counted = PhaseRun.objects.filter(is_counted=True)
    assert {run.visits.get().submission_id for run in counted} == {f"S{n}" for n in range(1, 8)}
    assert Intent.objects.filter(kind="approve").count() == 1


def meets(monkeypatch, other: Callable[[], object]) -> threading.Thread:
    """Something that begins once whoever sends holds the assignment, and waits for a lock."""
    thread = threading.Thread(target=lambda: at_once([other]))

    def let_it_catch_up(*_arguments, **_more) -> None:
        thread.start()
        waiting = "select 1 from pg_stat_activity where datname = current_database()"
        with connection.cursor() as cursor:
            while thread.is_alive():
                # Else a transaction sees what it saw first.
                cursor.execute("select pg_stat_clear_snapshot()")
                cursor.execute(f"{waiting} and wait_event_type = 'Lock'")
                if cursor.fetchone():
                    return

    monkeypatch.setattr(phases, "refuse_shut", let_it_catch_up)
    return thread


def test_who_sends_while_their_visit_is_taken_over_waits_for_nobody(
    listing: Listing, remote: Remote, monkeypatch
) -> None:
    visit = come(listing, "W1", "S1")
    answer_all(visit.run.assignment)
    remote.shown = [shown(1)]
    poll = meets(monkeypatch, partial(reconciling.poll, listing))

    visits.submit(visit=visit)
    poll.join(60)

    visit.refresh_from_db()
    assert (visit.outcome, visit.remote_state) == (Outcome.COMPLETED, REMOTE.SUBMITTED)
    assert PhaseRun.objects.get().is_counted


def test_who_sends_while_places_are_given_back_has_sent(listing: Listing, monkeypatch) -> None:
    visit = come(listing, "W1", "S1")
    answer_all(visit.run.assignment)
    Assignment.objects.update(last_active_at=timezone.now() - timedelta(days=1))

    @transaction.atomic
    def give_back() -> None:
        open_places.expire_overdue(lock_study(listing.study_id), timezone.now())

    another = meets(monkeypatch, give_back)
    visits.submit(visit=visit)
    another.join(60)

    assert Assignment.objects.get().state == Assignment.State.SUBMITTED
    assert PhaseRun.objects.get().lapsed_at is None
