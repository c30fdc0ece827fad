"""Commands that run a job themselves: they say where it is, and an interruption cancels it."""

import signal
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.core.services import jobs
from annotation.models import Job, Study
from tests.baselines.test_training import rated, selected
from tests.support.factories import make_open_study

pytestmark = pytest.mark.django_db


def _score() -> tuple[Study, list[str]]:
    return make_open_study(), []


def _release() -> tuple[Study, list[str]]:
    return rated(), ["--description", "description.json"]


def _train() -> tuple[Study, list[str]]:
    return rated(), ["--name", "first", "--model", "m", "--on", selected().slug]


MADE: dict[str, tuple[Job.Kind, Callable[[], tuple[Study, list[str]]]]] = {
    "score": (Job.Kind.SCORE, _score),
    "baseline": (Job.Kind.BASELINES, _score),
    "release": (Job.Kind.RELEASE, _release),
    "train": (Job.Kind.TRAIN, _train),
}
commands = pytest.mark.parametrize("command", MADE)


@pytest.fixture(autouse=True)
def described(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("description.json").write_text(
        '{"title": "Pairs", "summary": "How alike texts are.", "licence": "CC-BY-4.0",'
        ' "authors": [{"name": "Ada Lovelace"}]}'
    )


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """What signals do outside of a command, and still do after it."""
    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    # As a script has it for what it starts in the background.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
        assert signal.getsignal(signal.SIGTERM) == before[signal.SIGTERM]
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def interrupted_by(number: signal.Signals) -> Callable[[jobs.Run], None]:
    def work(run: jobs.Run) -> None:
        run.progress(0.1)
        assert threading.current_thread() is threading.main_thread()
        signal.raise_signal(number)
        pytest.fail("the work goes on")

    return work


@pytest.mark.slow
@commands
@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["int", "term"]
)
def test_an_interrupted_command_cancels_its_job(
    command: str, number: signal.Signals, status: int, monkeypatch, clock
) -> None:
    kind, make = MADE[command]
    study, arguments = make()
    monkeypatch.setattr(jobs, "_work_of", lambda kind: interrupted_by(number))

    with pytest.raises(CommandError) as end:
        call_command(command, study.slug, *arguments)

    assert end.value.returncode == status
    job = study.jobs.get(kind=kind)
    assert (job.state, job.run_token) == (Job.State.CANCELLED, None)
    assert job.finished_at is not None
    # A worker does not go on with it, however long it waits.
    begun: list[jobs.Run] = []
    monkeypatch.setattr(jobs, "_work_of", lambda kind: begun.append)
    Job.objects.filter(pk=job.pk).update(heartbeat_at=job.started_at - timedelta(days=1))
    jobs.sweep()
    jobs.run(job.pk)
    assert begun == []


def test_what_a_release_scores_first_is_cancelled_with_it(monkeypatch) -> None:
    study, arguments = _release()
    study.results.all().delete()
    usual = jobs._work_of
    monkeypatch.setattr(
        jobs,
        "_work_of",
        lambda kind: interrupted_by(signal.SIGINT) if kind == Job.Kind.SCORE else usual(kind),
    )

    with pytest.raises(CommandError) as end:
        call_command("release", study.slug, *arguments)

    assert end.value.returncode == 130
    assert not study.jobs.filter(state__in=Job.UNFINISHED).exists()
    assert study.jobs.filter(state=Job.State.CANCELLED).count() == 2


@commands
def test_beside_another_job_of_its_kind_a_command_names_that_one(command: str) -> None:
    kind, make = MADE[command]
    study, arguments = make()
    other = Job.objects.create(study=study, kind=kind, state=Job.State.RUNNING)

    with pytest.raises(CommandError, match=rf"\b{other.pk}\b") as end:
        call_command(command, study.slug, *arguments)

    assert end.value.returncode == 1
    assert study.jobs.filter(state__in=Job.UNFINISHED).get() == other


@pytest.mark.slow
@commands
def test_a_command_says_where_its_job_is(command: str, monkeypatch, settings, capsys) -> None:
    settings.PUBLIC_URL = "https://judge.example.org"
    kind, make = MADE[command]
    study, arguments = make()
    said: list[str] = []

    def work(run: jobs.Run) -> None:
        # While it is at work, not afterwards.
        said.append(capsys.readouterr().err)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(jobs, "_work_of", lambda kind: work)

    with pytest.raises(CommandError):
        call_command(command, study.slug, *arguments)

    job = study.jobs.get(kind=kind)
    page = reverse("admin:annotation_study_job", args=[study.pk, job.pk])
    assert f"https://judge.example.org{page}" in said[0]
    assert str(job.pk) in said[0]


def test_a_job_that_ended_just_before_stays_as_it_is(monkeypatch) -> None:
    study, _arguments = _score()

    def work(run: jobs.Run) -> None:
        run.keep(ends=True)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(jobs, "_work_of", lambda kind: work)

    with pytest.raises(CommandError) as end:
        call_command("score", study.slug)

    assert end.value.returncode == 130
    assert study.jobs.get().state == Job.State.DONE


@pytest.mark.slow
def test_a_release_that_is_described_without_a_title_has_its_studys() -> None:
    study, _arguments = _release()
    Path("description.json").write_text('{"authors": [{"name": "Ada Lovelace"}]}')

    call_command("release", study.slug, "--description", "description.json")

    assert study.releases.get().description["title"] == study.title
