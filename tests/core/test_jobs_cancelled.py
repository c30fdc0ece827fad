"""A job that somebody cancels, and one that takes longer than it may."""

import os
import sys
import time
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from annotation.baselines.services import baselines
from annotation.baselines.services.report_options import ReportOptions
from annotation.basics.errors import StateError
from annotation.core.services import jobs, repeated_jobs
from annotation.core.services import model_process as baseline_process
from annotation.core.services.jobs import run_job
from annotation.core.services.model_process import converse, own_folder, told
from annotation.models import AuditEvent, BaselineReport, Job, Result
from scoring.baselines import Specification
from tests.support.at_once import at_once
from tests.support.baseline_studies import compute, make_pairs
from tests.support.factories import make_open_study, make_study, make_user
from tests.support.researcher_pages import said, signed_in, text, url

pytestmark = pytest.mark.django_db


@pytest.fixture
def nothing_is_sent(monkeypatch) -> None:
    monkeypatch.setattr("annotation.core.services.jobs.run_job.delay", lambda job_id: None)


@pytest.fixture
def queued(nothing_is_sent) -> Job:
    return Job.objects.create(
        study=make_study(), kind=Job.Kind.SCORE, queued_at=timezone.now(), progress=0.0
    )


def running(job: Job) -> Job:
    Job.objects.filter(pk=job.pk).update(state=Job.State.RUNNING, heartbeat_at=timezone.now())
    job.refresh_from_db()
    return job


def do(monkeypatch, work) -> None:
    monkeypatch.setattr(jobs, "_work_of", lambda kind: work)


# -- the work -------------------------------------------------------------------------------------


def test_a_cancelled_job_stops_when_it_next_says_how_far_it_is(queued, monkeypatch) -> None:
    steps = []

    def work(run: jobs.Run) -> None:
        run.progress(0.1, "one")
        steps.append("one")
        jobs.cancel(job=Job.objects.get(pk=queued.pk), by=make_user("ada"))
        run.progress(0.2, "two")
        steps.append("two")

    do(monkeypatch, work)
    run_job(queued.pk)

    queued.refresh_from_db()
    assert steps == ["one"]
    assert (queued.state, queued.said) == (Job.State.CANCELLED, "Cancelled by ada.")
    assert queued.is_finished
    assert queued.finished_at is not None
    assert queued.progress == 0.1


def test_what_is_computed_after_that_is_not_stored(queued, monkeypatch) -> None:
    stored = []

    def work(run: jobs.Run) -> None:
        jobs.cancel(job=Job.objects.get(pk=queued.pk), by=make_user())
        run.keep()
        stored.append("too late")

    do(monkeypatch, work)
    jobs.run(queued.pk)

    assert stored == []


def test_work_inside_a_transaction_is_told_by_its_heartbeat(queued) -> None:
    run = jobs.Run(queued, queued.run_token)
    run.note(0.5, "half")

    run.is_lost = True

    with pytest.raises(jobs.LostJobError):
        run.note(0.6, "more")


@pytest.mark.django_db(transaction=True)
def test_the_heartbeat_finds_out_that_a_job_was_cancelled(queued, monkeypatch, settings) -> None:
    settings.JOB_HEARTBEAT_SECONDS = 0.01
    ended = []

    def work(run: jobs.Run) -> None:
        jobs.cancel(job=Job.objects.get(pk=queued.pk), by=make_user())
        # Without a word of its own for as long as the beat takes.
        until = time.monotonic() + 20
        while not run.is_lost and time.monotonic() < until:
            time.sleep(0.01)
        try:
            run.note(0.5)
        except jobs.LostJobError:
            ended.append("lost")
            raise

    do(monkeypatch, work)
    jobs.run(queued.pk)

    assert ended == ["lost"]


def test_one_that_is_cancelled_while_queued_is_never_begun(queued, monkeypatch) -> None:
    begun = []
    do(monkeypatch, begun.append)

    assert jobs.cancel(job=queued, by=make_user())
    jobs.run(queued.pk)
    jobs.sweep()
    jobs.run(queued.pk)

    queued.refresh_from_db()
    assert begun == []
    assert queued.state == Job.State.CANCELLED


def test_a_job_that_is_done_or_failed_is_not_cancelled(queued) -> None:
    for state in (Job.State.DONE, Job.State.FAILED):
        Job.objects.filter(pk=queued.pk).update(state=state)

        with pytest.raises(StateError, match="This ended before you could cancel it"):
            jobs.cancel(job=queued, by=make_user())

        assert Job.objects.get(pk=queued.pk).state == state


def test_after_a_cancelled_job_another_one_of_its_kind_can_start(queued) -> None:
    assert jobs.start(study=queued.study, kind=Job.Kind.SCORE) == queued

    jobs.cancel(job=queued, by=make_user())
    other = jobs.start(study=queued.study, kind=Job.Kind.SCORE)

    assert other != queued
    assert other.state == Job.State.QUEUED


def test_of_two_who_saw_it_running_one_cancels_it(queued) -> None:
    one, other = running(queued), Job.objects.get(pk=queued.pk)

    assert jobs.cancel(job=one, by=make_user("ada"))
    assert not jobs.cancel(job=other, by=make_user("bert"))

    assert other.said == "Cancelled by ada."


@pytest.mark.django_db(transaction=True)
def test_of_several_who_cancel_at_once_one_does_it(queued) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("DATABASE_URL names no PostgreSQL database: row locks are not tested")
    running(queued)
    by = make_user()

    found = at_once([lambda: jobs.cancel(job=Job.objects.get(pk=queued.pk), by=by)] * 4)

    assert sorted(found) == [False, False, False, True]


def test_an_outcome_that_is_stored_is_done_and_cannot_be_cancelled(monkeypatch) -> None:
    study = make_open_study()
    seen = []
    usual = jobs.Run.keep

    def keep(run: jobs.Run, *, ends: bool = False) -> None:
        usual(run, ends=ends)
        seen.append(Job.objects.get(pk=run.job.pk).state)

    monkeypatch.setattr(jobs.Run, "keep", keep)
    job = jobs.run_here(study=study, kind=Job.Kind.SCORE)

    # In the very transaction that stores the last of it: from then on there is nothing to cancel.
    assert seen.pop() == Job.State.DONE
    assert set(seen) == {Job.State.RUNNING}
    assert Result.objects.get().job == job


def test_an_outcome_that_cannot_be_stored_leaves_the_job_failed(queued, monkeypatch) -> None:
    def work(run: jobs.Run) -> None:
        with transaction.atomic():
            run.keep(ends=True)
            raise StateError("The numbers have changed in the meantime.")

    do(monkeypatch, work)
    jobs.run(queued.pk)

    queued.refresh_from_db()
    assert (queued.state, queued.error) == (
        Job.State.FAILED,
        "The numbers have changed in the meantime.",
    )


# -- the process of a model -----------------------------------------------------------------------

SPEAKS = """
import json, os, sys, time
print(json.dumps({"progress": 0.1}), flush=True)
time.sleep(600)
"""
SILENT = """
import json, os, sys, time
open(json.load(open(sys.argv[2]))["told"], "w").write(str(os.getpid()))
time.sleep(600)
"""


@pytest.mark.parametrize("program", [SPEAKS, SILENT])
def test_the_process_of_a_model_ends_though_it_says_nothing(
    queued, monkeypatch, tmp_path: Path, settings, program: str
) -> None:
    settings.DATA = tmp_path / "data"
    told_file = tmp_path / "told"
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    monkeypatch.setattr(
        baseline_process, "COMMAND", (sys.executable, str(tmp_path / "program.py"))
    )
    monkeypatch.setattr(baseline_process, "SECONDS_OF_SILENCE", 0.05)
    monkeypatch.setattr(baseline_process, "_SECONDS_BETWEEN", 0.0)
    processes = []
    popen = baseline_process.subprocess.Popen
    monkeypatch.setattr(
        baseline_process.subprocess,
        "Popen",
        lambda *args, **more: processes.append(popen(*args, **more)) or processes[-1],
    )
    began = time.monotonic()

    def work(run: jobs.Run) -> None:
        with own_folder(run) as folder:
            progress = told(run)

            def watched(share: float, message: str) -> None:
                # Cancelled when the process is at work, whatever it has said.
                if share == 0.1 or told_file.exists():
                    Job.objects.filter(pk=queued.pk, state=Job.State.RUNNING).exists() and (
                        jobs.cancel(job=Job.objects.get(pk=queued.pk), by=make_user())
                    )
                progress(share, message)

            converse("score", {"told": str(told_file)}, folder=folder, progress=watched)

    do(monkeypatch, work)
    jobs.run(queued.pk)

    queued.refresh_from_db()
    assert queued.state == Job.State.CANCELLED
    assert time.monotonic() - began < 60
    (process,) = processes
    assert process.returncode is not None
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)
    # Its files are gone, too.
    assert list((settings.DATA / "baselines").iterdir()) == []


def test_measures_that_were_stored_before_stay_and_are_not_computed_again(monkeypatch) -> None:
    study = make_pairs()
    monkeypatch.setattr("annotation.core.services.jobs.run_job.delay", lambda job_id: None)
    wanted = [Specification("squad_f1"), Specification("chrf")]
    job = baselines.request(study=study, specifications=wanted, options=ReportOptions())
    usual = baselines._store

    def store(run, *args) -> None:
        usual(run, *args)
        Job.objects.filter(pk=job.pk).update(state=Job.State.CANCELLED, run_token=None)

    monkeypatch.setattr(baselines, "_store", store)
    jobs.run(job.pk)
    assert [one.measure for one in study.baselines.all()] == ["squad_f1"]
    assert not BaselineReport.objects.exists()

    monkeypatch.setattr(baselines, "_store", usual)
    before = study.baselines.get().pk
    again = repeated_jobs.repeat(Job.objects.get(pk=job.pk), study.owner)
    jobs.run(again.pk)

    assert {one.measure for one in study.baselines.all()} == {"squad_f1", "chrf"}
    assert study.baselines.get(measure="squad_f1").pk == before


# -- the pages ------------------------------------------------------------------------------------


def test_a_queued_job_is_cancelled_at_once(queued) -> None:
    client = signed_in(queued.study.owner)
    assert "Cancel</button>" in text(client.get(url(queued.study, "job", queued.pk)))

    answer = client.post(url(queued.study, "job_cancel", queued.pk), follow=True)

    queued.refresh_from_db()
    assert queued.state == Job.State.CANCELLED
    shown = text(answer)
    assert "Score: <span data-job-state>cancelled</span>" in shown
    assert f"Cancelled by {queued.study.owner.username}." in shown
    assert "earlier results are unchanged" in shown
    assert "Start it again" in shown
    assert "Cancel</button>" not in shown
    assert "data-job=" not in shown
    assert AuditEvent.objects.filter(study=queued.study).count() == 1


@pytest.mark.parametrize("kind", Job.Kind.values)
def test_before_a_running_job_is_cancelled_the_page_says_what_is_lost(queued, kind) -> None:
    Job.objects.filter(pk=queued.pk).update(kind=kind)
    running(queued)
    client, address = signed_in(queued.study.owner), url(queued.study, "job_cancel", queued.pk)

    asked = client.post(address)

    queued.refresh_from_db()
    assert queued.state == Job.State.RUNNING
    assert asked.status_code == 200
    assert "What will happen:" in text(asked)
    assert "What will happen:" in text(client.get(address))
    assert Job.objects.get().state == Job.State.RUNNING

    answer = client.post(address, {"confirmed": "1"}, follow=True)
    assert Job.objects.get().state == Job.State.CANCELLED
    assert answer.redirect_chain[0][0] == url(queued.study, "job", queued.pk)


def test_cancelling_twice_is_one_and_after_the_end_it_is_refused(queued) -> None:
    client, address = signed_in(queued.study.owner), url(queued.study, "job_cancel", queued.pk)

    client.post(address)
    again = client.post(address, follow=True)
    assert said(again) == []
    assert AuditEvent.objects.count() == 1

    Job.objects.update(state=Job.State.DONE)
    late = client.post(address, follow=True)
    assert said(late) == ["This ended before you could cancel it."]
    assert Job.objects.get().state == Job.State.DONE
    assert client.get(address).status_code == 302


def test_who_may_not_see_the_study_or_names_another_one_cancels_nothing(queued) -> None:
    running(queued)
    stranger = signed_in(make_user("stranger"))
    assert (
        stranger.post(url(queued.study, "job_cancel", queued.pk), {"confirmed": "1"}).status_code
        == 404
    )

    mine = make_study(owner=make_user("other"))
    owner = signed_in(mine.owner)
    assert owner.post(url(mine, "job_cancel", queued.pk), {"confirmed": "1"}).status_code == 404

    assert (
        Client().post(url(queued.study, "job_cancel", queued.pk), {"confirmed": "1"}).status_code
        == 403
    )
    assert Job.objects.get(pk=queued.pk).state == Job.State.RUNNING


def test_measures_that_were_cancelled_are_started_again_from_the_page(monkeypatch) -> None:
    monkeypatch.setattr("annotation.core.services.jobs.run_job.delay", lambda job_id: None)
    study = make_open_study()
    job = baselines.request(study=study, options=ReportOptions(), by=study.owner)
    jobs.cancel(job=job, by=study.owner)
    client = signed_in(study.owner)
    assert url(study, "baselines_again", job.pk) in text(client.get(url(study, "baselines")))

    client.post(url(study, "baselines_again", job.pk))

    again = study.jobs.get(state=Job.State.QUEUED)
    assert again.parameters == job.parameters


def test_a_cancelled_job_needs_nothing_on_the_desk(queued) -> None:
    jobs.cancel(job=queued, by=queued.study.owner)
    client = signed_in(queued.study.owner)

    assert "cancelled" not in text(client.get(url(queued.study, "change")))


def test_a_command_whose_job_is_cancelled_says_so(monkeypatch) -> None:
    study = make_open_study()
    by = make_user("ada")

    def work(run: jobs.Run) -> None:
        jobs.cancel(job=Job.objects.get(pk=run.job.pk), by=by)
        run.progress(0.5)

    do(monkeypatch, work)
    for command in ("score", "baseline"):
        with pytest.raises(CommandError, match="Cancelled by ada"):
            call_command(command, study.slug)


# -- the limit ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "asked",
    [
        (Job.Kind.BASELINES, {}),
        (Job.Kind.TRAIN, {}),
        (Job.Kind.IMPORT_ITEMS, {"sampled": {"model": "some/model"}}),
    ],
)
def test_a_job_that_takes_longer_than_it_may_fails(
    queued, monkeypatch, clock, settings, asked
) -> None:
    settings.JOB_HOURS, (kind, parameters) = 2, asked
    Job.objects.filter(pk=queued.pk).update(kind=kind, parameters=parameters)
    done = []

    def work(run: jobs.Run) -> None:
        clock.move(hours=2)
        run.progress(0.5)
        done.append("two hours")
        clock.move(seconds=1)
        run.progress(0.6)
        done.append("more")

    do(monkeypatch, work)
    jobs.run(queued.pk)

    queued.refresh_from_db()
    assert done == ["two hours"]
    assert queued.state == Job.State.FAILED
    assert queued.problems == [
        "It was stopped after 2 hours, the limit set by the administrator (LIKENESS_JOB_HOURS)."
    ]


@pytest.mark.parametrize("unlimited", [(0, Job.Kind.TRAIN), (2, Job.Kind.IMPORT_ITEMS)])
def test_without_a_limit_it_goes_on(queued, monkeypatch, clock, settings, unlimited) -> None:
    settings.JOB_HOURS, kind = unlimited
    Job.objects.filter(pk=queued.pk).update(kind=kind)

    def work(run: jobs.Run) -> None:
        clock.move(hours=1000)
        run.progress(0.5)

    do(monkeypatch, work)
    jobs.run(queued.pk)

    queued.refresh_from_db()
    assert queued.state == Job.State.DONE


def test_measures_after_the_limit_are_not_begun(monkeypatch, clock, settings) -> None:
    settings.JOB_HOURS = 1
    study = make_pairs()
    usual = baselines._store

    def store(run, *args) -> None:
        usual(run, *args)
        clock.move(hours=2)

    monkeypatch.setattr(baselines, "_store", store)
    job = compute(study, Specification("squad_f1"), Specification("chrf"))

    assert job.state == Job.State.FAILED
    assert len(job.problems) == 1
    assert "stopped after 1 hour," in job.problems[0]
    assert [one.measure for one in study.baselines.all()] == ["squad_f1"]
