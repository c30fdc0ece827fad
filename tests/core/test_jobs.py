"""Jobs: done once, whatever happens to messages and workers."""

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta
from threading import Event
from typing import Any
from uuid import uuid4

import pytest
from celery import Celery
from django.conf import settings
from django.core.management import call_command
from django.db import close_old_connections, connection
from django.utils import timezone
from kombu.exceptions import OperationalError

from annotation.basics.errors import AnnotationError, ImportProblemsError
from annotation.basics.sentences import sentence
from annotation.core import tasks as core_tasks
from annotation.core.pages.job_pages import page_of
from annotation.core.pages.navigation import PLACES
from annotation.core.queries.jobs import message_of
from annotation.core.services import jobs, workers
from annotation.models import Job, WorkerMark
from annotation.site import tasks
from config.celery import app
from tests.support.factories import make_study
from tests.support.researcher_pages import signed_in, url

pytestmark = pytest.mark.django_db


class Sent(list):
    """Ids of the jobs that were given to the broker."""


@pytest.fixture
def sent(monkeypatch) -> Sent:
    sent = Sent()
    wait_for_sender()  # for what an earlier test left
    monkeypatch.setattr("annotation.core.services.jobs.run_job.delay", sent.append)
    return sent


@pytest.fixture
def queued() -> Job:
    return Job.objects.create(
        study=make_study(), kind=Job.Kind.SCORE, queued_at=timezone.now() - timedelta(minutes=5)
    )


def wait_for_sender() -> None:
    """Until every message that was given to the sender is with the broker."""
    jobs.sender.submit(lambda: None).result(timeout=30)


def do(monkeypatch, work) -> None:
    """Let every job do this."""
    monkeypatch.setattr(jobs, "_work_of", lambda kind: work)


def test_pressing_the_button_twice_starts_one_job(
    sent, django_capture_on_commit_callbacks
) -> None:
    study = make_study()

    with django_capture_on_commit_callbacks(execute=True):
        first = jobs.start(study=study, kind=Job.Kind.SCORE)
        second = jobs.start(study=study, kind=Job.Kind.SCORE)
    wait_for_sender()

    assert first == second
    assert sent == [first.pk]


def test_a_message_that_comes_twice_does_the_work_once(queued, monkeypatch) -> None:
    done = []
    do(monkeypatch, lambda run: done.append(run.job.pk))

    jobs.run(queued.pk)
    jobs.run(queued.pk)

    queued.refresh_from_db()
    assert done == [queued.pk]
    assert (queued.state, queued.progress, queued.attempts) == (Job.State.DONE, 1.0, 1)


def test_a_broken_rule_is_told_to_who_waits(queued, monkeypatch) -> None:
    def work(run: jobs.Run) -> None:
        raise AnnotationError("line 3: there is no text.")

    do(monkeypatch, work)
    jobs.run(queued.pk)

    queued.refresh_from_db()
    assert (queued.state, queued.error) == (Job.State.FAILED, "line 3: there is no text.")


def test_an_unexpected_error_fails_the_job_and_is_raised(queued, monkeypatch) -> None:
    def work(run: jobs.Run) -> None:
        raise ZeroDivisionError("secret detail")

    do(monkeypatch, work)
    with pytest.raises(ZeroDivisionError):
        jobs.run(queued.pk)

    queued.refresh_from_db()
    assert queued.state == Job.State.FAILED
    assert "secret detail" not in queued.problems[0]


def test_a_broker_that_is_away_does_not_stop_the_request(
    monkeypatch, django_capture_on_commit_callbacks
) -> None:
    def refuse(job_id: int) -> None:
        raise ConnectionError

    monkeypatch.setattr("annotation.core.services.jobs.run_job.delay", refuse)
    with django_capture_on_commit_callbacks(execute=True):
        job = jobs.start(study=make_study(), kind=Job.Kind.SCORE)

    assert Job.objects.get(pk=job.pk).state == Job.State.QUEUED


def test_a_broker_that_never_answers_does_not_hold_up_the_request(
    monkeypatch, django_capture_on_commit_callbacks
) -> None:
    """A frozen Redis: the message is still on its way when the request has been answered."""
    wait_for_sender()  # for what an earlier test left
    is_answered = Event()
    was_answered_first = []
    monkeypatch.setattr(
        "annotation.core.services.jobs.run_job.delay",
        lambda job_id: was_answered_first.append(is_answered.wait(timeout=10)),
    )

    with django_capture_on_commit_callbacks(execute=True):
        jobs.start(study=make_study(), kind=Job.Kind.SCORE)
    is_answered.set()
    wait_for_sender()

    assert was_answered_first == [True]


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A server that accepts connections and says nothing, as a Redis that was stopped."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        yield server.getsockname()[1]


@pytest.fixture
def closed_port() -> int:
    """A port that nobody listens on."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        return int(server.getsockname()[1])


@pytest.mark.slow
@pytest.mark.parametrize("port", ["silent_port", "closed_port"])
def test_sending_to_a_redis_that_does_not_answer_ends_with_an_error(
    port, request, settings
) -> None:
    celery = Celery(broker=f"redis://127.0.0.1:{request.getfixturevalue(port)}/0")
    celery.conf.broker_transport_options = settings.REDIS_TRANSPORT_OPTIONS
    celery.conf.task_publish_retry = settings.CELERY_TASK_PUBLISH_RETRY
    sender = ThreadPoolExecutor(max_workers=1)

    sending = sender.submit(celery.send_task, "annotation.core.services.jobs.run_job", [1])

    # Far beyond the time-outs, so that a busy machine fails nothing; without them it is for ever.
    with pytest.raises(OperationalError):
        sending.result(timeout=60)
    sender.shutdown(wait=False, cancel_futures=True)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_connection_that_postgresql_closed_is_replaced_at_the_next_request() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (backend,) = cursor.fetchone()
    another = connection.copy()
    with another.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 10000)", [backend])
    another.close()

    close_old_connections()  # as at the start of each request

    assert Job.objects.count() == 0


def test_the_sweep_sends_a_lost_message_again_and_not_at_every_turn(queued, sent) -> None:
    assert jobs.sweep() == 1
    assert jobs.sweep() == 0

    assert sent == [queued.pk]


def test_work_that_may_take_hours_has_a_queue_of_its_own(queued, monkeypatch) -> None:
    queues = []
    monkeypatch.setattr(
        "celery.app.task.Task.apply_async",
        lambda task, *arguments, **options: queues.append(
            app.amqp.router.route({}, task.name)["queue"].name
        ),
    )
    for kind, parameters in (
        (Job.Kind.TRAIN, {}),
        (Job.Kind.BASELINES, {}),
        (Job.Kind.IMPORT_ITEMS, {"sampled": {"model": "some-encoder"}}),
    ):
        Job.objects.create(study=queued.study, kind=kind, parameters=parameters)

    jobs.sweep()

    short, long = settings.QUEUES
    assert sorted(queues) == [short, long, long, long]


@pytest.mark.parametrize(
    ("running", "waits"), [(Job.Kind.SCORE, False), (Job.Kind.BASELINES, True)]
)
def test_a_queued_job_waits_for_work_of_its_own_queue_only(running, waits) -> None:
    training = Job.objects.create(study=make_study(), kind=Job.Kind.TRAIN)
    Job.objects.create(
        study=make_study(), kind=running, state=Job.State.RUNNING, heartbeat_at=timezone.now()
    )

    assert bool(message_of(training)) is waits


def test_the_sweep_takes_up_the_job_of_a_dead_worker(queued, sent, settings) -> None:
    dead = timezone.now() - timedelta(seconds=settings.JOB_DEAD_AFTER_SECONDS + 1)
    Job.objects.update(state=Job.State.RUNNING, run_token=uuid4(), heartbeat_at=dead, attempts=1)

    jobs.sweep()

    queued.refresh_from_db()
    assert queued.state == Job.State.QUEUED
    assert sent == [queued.pk]


def test_the_sweep_leaves_a_living_worker_alone(queued, sent) -> None:
    Job.objects.update(
        state=Job.State.RUNNING, run_token=uuid4(), heartbeat_at=timezone.now(), attempts=1
    )

    assert jobs.sweep() == 0
    assert sent == []


def test_a_job_that_kills_its_worker_again_and_again_is_given_up(queued, sent, settings) -> None:
    dead = timezone.now() - timedelta(hours=1)
    Job.objects.update(
        state=Job.State.RUNNING,
        run_token=uuid4(),
        heartbeat_at=dead,
        attempts=settings.JOB_MAX_ATTEMPTS,
    )

    jobs.sweep()

    queued.refresh_from_db()
    assert queued.state == Job.State.FAILED
    assert "crashed the worker 5 times" in queued.problems[0]
    assert sent == []


def test_a_worker_taken_for_dead_stores_nothing(queued, sent, monkeypatch) -> None:
    stored = []

    def work(run: jobs.Run) -> None:
        # The sweep took this worker for dead, and another one has the job now.
        Job.objects.update(run_token=uuid4())
        run.keep()
        stored.append("too late")

    do(monkeypatch, work)
    jobs.run(queued.pk)

    queued.refresh_from_db()
    assert stored == []
    assert queued.state == Job.State.RUNNING


def test_progress_is_seen_while_the_work_goes_on(queued, monkeypatch) -> None:
    seen = []

    def work(run: jobs.Run) -> None:
        run.progress(0.25, "a quarter")
        seen.append(Job.objects.values_list("progress", "message").get())

    do(monkeypatch, work)
    jobs.run(queued.pk)

    assert seen == [(0.25, "a quarter")]


@pytest.mark.parametrize("character", ["\u2028", "\x85", "\x0b", "\n"])
def test_a_problem_that_quotes_a_name_with_a_line_break_is_one_problem(
    queued, monkeypatch, character: str
) -> None:
    problem = sentence("pool %(name)s is too small") % {"name": f"night{character}shift"}

    def work(run: jobs.Run) -> None:
        raise ImportProblemsError([problem, f"line 3:{character}no text"])

    do(monkeypatch, work)
    jobs.run(queued.pk)

    queued.refresh_from_db()
    assert queued.problems == [str(problem), "line 3: no text"]


def test_a_worker_that_is_busy_with_a_long_job_is_there(queued: Job) -> None:
    assert not workers.is_running()

    Job.objects.filter(pk=queued.pk).update(
        state=Job.State.RUNNING, heartbeat_at=timezone.now() - timedelta(seconds=5)
    )
    assert workers.is_running()

    Job.objects.filter(pk=queued.pk).update(heartbeat_at=timezone.now() - timedelta(seconds=60))
    assert not workers.is_running()
    workers.seen()
    assert workers.is_running()


@pytest.fixture
def training() -> Job:
    """A training that has been waiting for five minutes."""
    job = Job.objects.create(study=make_study(), kind=Job.Kind.TRAIN, queued_at=timezone.now())
    Job.objects.filter(pk=job.pk).update(created_at=timezone.now() - timedelta(minutes=5))
    job.refresh_from_db()
    return job


def state_of(job: Job) -> dict[str, Any]:
    """What the page of a job asks for while it is open."""
    return signed_in(job.study.owner).get(url(job.study, "job_state", job.pk)).json()


def test_the_worker_for_long_jobs_is_missed_although_the_other_runs(training: Job) -> None:
    tasks.sweep_jobs()

    described = state_of(training)
    assert described["needs_worker"] is False
    assert described["needs_long_worker"] is True
    with pytest.raises(SystemExit) as ended:
        call_command("check_worker")
    assert ended.value.code == 1

    core_tasks.mark_long_worker()
    assert state_of(training)["needs_long_worker"] is False
    call_command("check_worker")


def test_the_mark_of_the_long_worker_says_nothing_of_the_other(training: Job) -> None:
    core_tasks.mark_long_worker()

    assert not workers.is_running()
    assert workers.last_seen() is None
    described = state_of(training)
    assert (described["needs_worker"], described["needs_long_worker"]) == (True, False)


def test_a_worker_that_has_been_training_for_hours_is_not_missed(training: Job) -> None:
    tasks.sweep_jobs()
    WorkerMark.objects.create(pk=workers.LONG, seen_at=timezone.now() - timedelta(hours=5))
    busy = Job.objects.create(study=make_study(), kind=Job.Kind.TRAIN, state=Job.State.RUNNING)
    Job.objects.filter(pk=busy.pk).update(heartbeat_at=timezone.now() - timedelta(seconds=2))
    assert not workers.lacks_long_worker(training)

    # It has just ended, and the next mark is still to come.
    Job.objects.filter(pk=busy.pk).update(state=Job.State.DONE)
    assert not workers.lacks_long_worker(training)

    Job.objects.filter(pk=busy.pk).update(heartbeat_at=timezone.now() - timedelta(minutes=3))
    assert workers.lacks_long_worker(training)


def test_a_short_job_is_no_sign_of_the_worker_for_long_ones(training: Job, queued: Job) -> None:
    tasks.sweep_jobs()
    Job.objects.filter(pk=queued.pk).update(state=Job.State.RUNNING, heartbeat_at=timezone.now())

    assert workers.lacks_long_worker(training)
    assert not workers.lacks_long_worker(queued)


def test_a_job_that_was_just_queued_is_given_a_minute(training: Job) -> None:
    Job.objects.filter(pk=training.pk).update(created_at=timezone.now() - timedelta(seconds=30))
    training.refresh_from_db()

    assert not workers.lacks_long_worker(training)


def test_beat_sends_the_mark_to_the_queue_of_long_jobs() -> None:
    entry = settings.CELERY_BEAT_SCHEDULE["mark long worker"]

    route = app.amqp.router.route({}, entry["task"])
    assert route["queue"].name == settings.LONG_QUEUE
    assert entry["options"]["expires"] <= entry["schedule"]
    assert 2 * entry["schedule"] < workers.LONG_ABSENT_AFTER.total_seconds()


@pytest.mark.parametrize("kind", Job.Kind.values)
def test_each_kind_of_job_has_its_work_and_its_page(kind: str) -> None:
    assert kind in jobs._work_by_kind
    page = page_of(Job(kind=kind))
    assert page.outcome_page
    assert page.section in {name for place in PLACES for name, _label in place.pages}
