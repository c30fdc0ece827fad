"""A clock that was ahead and is put back silences nothing, and nobody is taken for alive by it."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from celery import Celery, beat
from django.db import connection
from django.utils import timezone
from kombu.utils.imports import symbol_by_name

from annotation.answering.services import reminders
from annotation.basics import clock as the_clock
from annotation.core.platforms.base import Planned
from annotation.core.queries import progress
from annotation.core.services import jobs, workers
from annotation.crowds.services import intents, outbox, reconciling
from annotation.models import (
    AlertDelivery,
    AlertRule,
    Intent,
    Job,
    Listing,
    LiveCount,
    PhaseRun,
    PlatformEvent,
    Study,
    Ticket,
    WorkerMark,
)
from annotation.monitoring.services import alert_channels, alert_conditions, alert_sending, live
from config.beat import PersistentScheduler, Scheduler
from config.celery import app as our_app
from tests.support.clock import Clock
from tests.support.factories import join, make_open_study, make_study, make_user
from tests.support.remote_side import Remote, make_listing
from tests.support.researcher_pages import finish_booklet

pytestmark = pytest.mark.django_db

JUMP = timedelta(hours=2)


# -- workers and jobs -----------------------------------------------------------------------------


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Ids of the jobs that were given to the broker."""
    sent: list[int] = []
    monkeypatch.setattr("annotation.core.services.jobs.run_job.delay", sent.append)
    return sent


def make_job(**columns: Any) -> Job:
    return Job.objects.create(study=make_study(), kind=Job.Kind.SCORE, **columns)


def make_running(heartbeat_at: datetime) -> Job:
    return make_job(
        state=Job.State.RUNNING, run_token=uuid4(), heartbeat_at=heartbeat_at, attempts=1
    )


def test_a_mark_from_the_future_is_no_worker(clock: Clock) -> None:
    clock.time += JUMP
    workers.seen()
    assert workers.is_running()
    clock.time -= JUMP

    assert not workers.is_running()
    assert not workers.is_running(timedelta(minutes=5))
    workers.seen()
    assert workers.is_running()


def test_a_mark_of_a_host_whose_clock_is_a_little_ahead_is_one(clock: Clock) -> None:
    WorkerMark.objects.create(pk=1, seen_at=clock.time + timedelta(seconds=5))

    assert workers.is_running()


def test_a_heartbeat_from_the_future_is_no_worker(clock: Clock) -> None:
    make_running(clock.time + JUMP)

    assert not workers.is_running()


def test_a_worker_that_died_in_the_future_is_found_as_soon_as_any_other(
    clock: Clock, sent: list[int], settings: Any
) -> None:
    job = make_running(clock.time + JUMP)

    jobs.sweep()
    clock.move(seconds=settings.JOB_DEAD_AFTER_SECONDS + 1)
    jobs.sweep()

    assert sent == [job.pk]


def test_a_worker_that_lives_is_not_taken_for_dead_when_the_clock_is_put_back(
    clock: Clock, sent: list[int], settings: Any
) -> None:
    job = make_running(clock.time + JUMP)
    for _ in range(20):
        jobs.sweep()
        clock.move(seconds=settings.JOB_HEARTBEAT_SECONDS)
        Job.objects.filter(run_token=job.run_token).update(heartbeat_at=the_clock.shared_now())

    assert sent == []


@pytest.mark.parametrize("ahead", [-3, 3])
def test_a_worker_whose_clock_differs_a_little_is_not_taken_for_dead(
    clock: Clock, sent: list[int], settings: Any, ahead: int
) -> None:
    job = make_running(clock.time)
    for _ in range(20):
        Job.objects.filter(pk=job.pk).update(heartbeat_at=clock.time + timedelta(seconds=ahead))
        jobs.sweep()
        clock.move(seconds=settings.JOB_HEARTBEAT_SECONDS)

    assert sent == []


def test_a_message_that_was_lost_in_the_future_is_sent_again(
    clock: Clock, sent: list[int], settings: Any
) -> None:
    job = make_job(queued_at=clock.time + JUMP)

    jobs.sweep()
    clock.move(seconds=settings.JOB_DEAD_AFTER_SECONDS + 1)
    jobs.sweep()

    assert sent == [job.pk]


def test_marks_and_heartbeats_are_dated_by_the_database(
    monkeypatch: pytest.MonkeyPatch, sent: list[int]
) -> None:
    """Of two hosts, that is: on SQLite there is one, and its clock is the database's."""
    real = timezone.now
    monkeypatch.setattr("django.utils.timezone.now", lambda: real() + JUMP)
    by_database = JUMP if connection.vendor == "sqlite" else timedelta(0)

    workers.seen()
    job = jobs.start(study=make_study(), kind=Job.Kind.SCORE)
    monkeypatch.setattr(jobs, "_work_of", lambda kind: lambda run: run.progress(0.5))
    jobs.run(job.pk)
    job.refresh_from_db()

    for told in (workers.last_seen(), job.queued_at, job.started_at, job.heartbeat_at):
        assert told is not None
        assert abs(told - real() - by_database) < timedelta(minutes=1)
    assert workers.is_running()


def test_an_injected_clock_is_shared_by_all(clock: Clock) -> None:
    clock.set(datetime(2031, 1, 1, tzinfo=UTC))

    assert the_clock.shared_now() == clock.time


# -- beat -----------------------------------------------------------------------------------------


class Beat:
    """A scheduler whose clock a test moves, and what it has sent."""

    def __init__(
        self,
        scheduler_class: type[beat.Scheduler],
        folder: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        self.time = datetime(2027, 1, 1, tzinfo=UTC)
        # Entries that were read from the file know no application, and ask Celery's current one.
        monkeypatch.setattr(Celery, "now", lambda app: self.time)
        self.sent: list[str] = []
        self._app = Celery("beat of a test", set_as_current=False)
        self._app.conf.beat_schedule = {
            "often": {"task": "often", "schedule": 5.0},
            "seldom": {"task": "seldom", "schedule": 600.0},
        }
        self._app.conf.beat_max_loop_interval = our_app.conf.beat_max_loop_interval
        self._class, self._file = scheduler_class, str(folder / "schedule")
        self.start()

    def start(self) -> None:
        self.scheduler = self._class(app=self._app, schedule_filename=self._file)
        self.scheduler.apply_entry = lambda entry, producer=None: self.sent.append(entry.task)
        # Sending is what needs a broker, and asking for one.
        self.scheduler.producer = None

    def restart(self) -> None:
        self.scheduler.close()
        self.start()

    def pass_on(self, seconds: float) -> list[str]:
        """What is sent in this time, which passes as beat sleeps."""
        self.sent.clear()
        until = self.time + timedelta(seconds=seconds)
        while self.time < until:
            wait = self.scheduler.tick()
            # A tick takes time, too.
            self.time += timedelta(seconds=max(wait, 0.01))
        return self.sent


@pytest.fixture(params=[Scheduler, PersistentScheduler])
def our_beat(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Beat:
    return Beat(request.param, tmp_path, monkeypatch)


def test_a_beat_of_its_own_uses_our_scheduler() -> None:
    configured = our_app.conf.beat_scheduler

    assert symbol_by_name(configured) is PersistentScheduler
    assert beat.Service(app=our_app, scheduler_cls=configured).max_interval == 5


@pytest.mark.parametrize("is_restarted", [False, True])
def test_beat_sends_on_when_the_clock_is_put_back(our_beat: Beat, is_restarted: bool) -> None:
    our_beat.pass_on(1000)
    our_beat.time += JUMP
    assert {"often", "seldom"} <= set(our_beat.pass_on(30))
    our_beat.time -= JUMP
    if is_restarted:
        our_beat.restart()

    assert "often" in our_beat.pass_on(11)
    assert our_beat.pass_on(1200).count("seldom") in {1, 2}


def test_beat_sends_no_more_often_than_before(our_beat: Beat) -> None:
    our_beat.time += JUMP
    our_beat.pass_on(30)
    our_beat.time -= JUMP
    our_beat.pass_on(30)

    assert 190 <= our_beat.pass_on(1000).count("often") <= 210


# -- what is tried again, claimed or counted ------------------------------------------------------


def plan(**columns: Any) -> Intent:
    planned = Planned(Intent.Kind.PUBLISH, payload={"n_places": 4})
    intent = intents.plan(listing=make_listing(), planned=planned, by=make_user())
    Intent.objects.filter(pk=intent.pk).update(**columns)
    return intent


def test_an_intent_that_was_put_off_in_the_future_is_sent(remote: Remote, clock: Clock) -> None:
    intent = plan(next_try_at=clock.time + JUMP)

    outbox.send_due()

    intent.refresh_from_db()
    assert intent.state == Intent.State.CONFIRMED


def test_an_intent_of_a_worker_that_died_in_the_future_is_asked_about(
    remote: Remote, clock: Clock
) -> None:
    clock.time += JUMP
    intent = plan()
    assert outbox.take(intent.pk, uuid4())
    clock.time -= JUMP

    outbox.send_due()
    intent.refresh_from_db()
    # It may be on its way just now.
    assert intent.state == Intent.State.SENDING
    clock.move(seconds=outbox.LEASE.total_seconds() + 1)
    assert outbox.find_dead() == 1
    # Nobody knows how long the platform has known its token: it is not sent once more.
    clock.move(hours=1)
    outbox.send_due()
    intent.refresh_from_db()
    assert intent.state == Intent.State.NEEDS_PERSON
    assert remote.entries == []


@pytest.fixture
def delivery(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> AlertDelivery:
    monkeypatch.setattr(
        "annotation.basics.webhook_client.post", lambda *_arguments, **_options: 200
    )
    study = make_open_study()
    channel = alert_channels.add_webhook(
        study=study, url="https://one.example.org/", language="en", by=study.owner
    )
    alert_channels.send_test(channel=channel, by=study.owner)
    return AlertDelivery.objects.get()


def test_a_message_that_was_written_in_the_future_is_sent(
    clock: Clock, delivery: AlertDelivery
) -> None:
    AlertDelivery.objects.update(created_at=clock.time + JUMP, next_try_at=clock.time + JUMP)

    assert alert_sending.send_due() == 1


def test_a_message_that_was_put_off_in_the_future_is_sent(
    clock: Clock, delivery: AlertDelivery
) -> None:
    AlertDelivery.objects.update(attempts=1, next_try_at=clock.time + JUMP)

    assert alert_sending.send_due() == 1


def test_hours_without_answers_are_counted_from_no_future_time(clock: Clock) -> None:
    make_open_study()
    clock.time += timedelta(days=30)
    alert_conditions.look()
    clock.time -= timedelta(days=30)
    alert_conditions.look()

    assert AlertRule.objects.get().missing_since == clock.time


def test_a_reminder_that_was_claimed_in_the_future_is_sent(clock: Clock, settings: Any) -> None:
    settings.EMAIL_HOST = "mail.example.org"
    run = join(make_open_study()).assignment.runs.get()
    PhaseRun.objects.filter(pk=run.pk).update(
        reminder_email="ada@example.org", way_back="/", reminding_since=clock.time + JUMP
    )

    reminders.send_due()
    clock.move(seconds=reminders.CLAIM.total_seconds() + 1)
    reminders.send_due()

    run.refresh_from_db()
    assert (run.reminder_email, run.reminding_since) == ("", None)


@pytest.fixture
def listing(remote: Remote, clock: Clock) -> Listing:
    listing = make_listing(state=Listing.State.PUBLISHED, published_at=clock.time)
    Ticket.objects.create(
        listing=listing,
        platform=listing.platform,
        environment=listing.environment,
        remote_id="T1",
        n_places=4,
        created_at=clock.time,
        expires_at=clock.time + timedelta(days=3),
    )
    return listing


def test_a_platform_that_was_asked_in_the_future_is_asked(clock: Clock, listing: Listing) -> None:
    ahead = clock.time + JUMP
    Listing.objects.update(polled_at=ahead, read_at=ahead)

    assert reconciling.poll_due() == 1
    listing.refresh_from_db()
    assert (listing.polled_at, listing.read_at) == (clock.time, clock.time)


def test_a_platform_that_failed_in_the_future_is_asked(
    clock: Clock, listing: Listing, remote: Remote
) -> None:
    remote.is_down = True
    reconciling.poll_due()
    assert PlatformEvent.objects.update(seen_at=clock.time + JUMP) == 1
    remote.is_down = False

    assert reconciling.poll_due() == 1
    listing.refresh_from_db()
    assert listing.polled_at == clock.time


def test_answers_are_counted_anew_after_a_count_in_the_future(clock: Clock) -> None:
    study: Study = make_open_study(dialogues=4)
    finish_booklet(study)
    clock.time += JUMP
    live.watch()
    clock.time -= JUMP
    LiveCount.objects.update(claimed_at=the_clock.now() + JUMP)
    clock.move(minutes=5)
    finish_booklet(study)
    assert live.watch() == 1

    count = LiveCount.objects.get(design__in=progress.current_designs([study]).values())
    assert count.counted_at == clock.time
    assert sum(n for _hour, n in count.hours["answers"]) == count.n_answers > 0
