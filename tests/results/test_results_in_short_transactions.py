"""Results and releases are stored in short transactions, and count once their job is done."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from annotation.answering.services import withdrawal
from annotation.basics.errors import StateError
from annotation.core.services import bounded_writes, jobs
from annotation.core.services.bounded_writes import BoundedWrites
from annotation.kinds.services import results
from annotation.models import (
    Annotator,
    AnnotatorStatistics,
    ItemScore,
    Job,
    Release,
    ReleaseEvent,
    ReleaseShare,
    Result,
    Study,
)
from annotation.releases.release_description import Description
from annotation.releases.services import releases
from tests.support import labelling, rating
from tests.support.factories import make_open_study
from tests.support.researcher_pages import finish_booklet, signed_in, url

pytestmark = pytest.mark.django_db

DESCRIPTION = Description.of({"title": "Pairs", "authors": [{"name": "Ada Lovelace"}]})


class Killed(BaseException):
    """The process ends here: nothing is cleaned up."""


@pytest.fixture(autouse=True)
def few_rows_at_once(monkeypatch) -> None:
    for name, value in (("FIRST_ROWS", 2), ("MAX_ROWS", 2), ("PAUSE_SECONDS", 0)):
        monkeypatch.setattr(bounded_writes, name, value)
    monkeypatch.setattr("annotation.core.services.jobs.run_job.delay", lambda job_id: None)


def best_worst() -> Study:
    study = make_open_study(dialogues=1)
    for _person in range(3):
        finish_booklet(study)
    return study


def ratings() -> Study:
    study = rating.make_rating_study(ratings_per_item=3)
    for _person in range(3):
        rating.rate_phase(rating.join(study).assignment)
    return study


def labels() -> Study:
    study = labelling.make_label_study(ratings_per_item=3)
    for _person in range(3):
        labelling.label_phase(rating.join(study).assignment)
    return study


each = pytest.mark.parametrize("make", [best_worst, ratings, labels])


def scoring_of(study: Study) -> Job:
    return jobs.start(study=study, kind=Job.Kind.SCORE, parameters={"population": "people"})


def rows_of(study: Study) -> tuple[list[Any], list[Any]]:
    result = study.results.get()
    return (
        list(result.item_scores.order_by("item").values_list("item", "score", "low", "utility")),
        list(result.annotators.order_by("annotator").values_list("annotator", "n_judgments")),
    )


def stop_at(monkeypatch: pytest.MonkeyPatch, model: type, error: BaseException) -> None:
    """The first transaction that begins when there are such rows ends with an error."""
    timed = BoundedWrites._timed

    def broken(self: BoundedWrites) -> Any:
        if model._base_manager.exists():
            raise error
        return timed(self)

    monkeypatch.setattr(BoundedWrites, "_timed", broken)


def kill(job: Job, monkeypatch: pytest.MonkeyPatch, model: type) -> None:
    with monkeypatch.context() as patched:
        stop_at(patched, model, Killed())
        with pytest.raises(Killed):
            jobs.run(job.pk)


def died(job: Job) -> None:
    """Nobody renews its heartbeat any more: the sweep sends it again."""
    Job.objects.filter(pk=job.pk).update(heartbeat_at=timezone.now() - timedelta(days=1))
    jobs.sweep()


# -- Results ------------------------------------------------------------------------------------


@each
def test_a_killed_scoring_leaves_no_result_and_begins_anew(
    make: Callable[[], Study], monkeypatch: pytest.MonkeyPatch
) -> None:
    study = make()
    jobs.run(scoring_of(study).pk)
    expected = rows_of(study)
    study.results.all().delete()
    job = scoring_of(study)
    kill(job, monkeypatch, Result)

    assert Result._base_manager.filter(job=job).exists()
    assert not study.results.exists()
    page = signed_in(study.owner).get(url(study, "results"))
    assert page.context["result"] is None

    died(job)
    jobs.run(job.pk)

    job.refresh_from_db()
    assert (job.state, job.attempts) == (Job.State.DONE, 2), job.problems
    assert rows_of(study) == expected
    assert Result._base_manager.count() == 1


def test_what_a_failed_scoring_has_written_is_deleted_by_the_sweep(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = best_worst()
    job = scoring_of(study)
    with monkeypatch.context() as patched:
        stop_at(patched, ItemScore, StateError("gone"))
        jobs.run(job.pk)
    n_left = ItemScore.objects.count()
    assert n_left
    running = scoring_of(study)
    kill(running, monkeypatch, AnnotatorStatistics)
    assert ItemScore.objects.count() > n_left

    results.forget_abandoned()

    # The other one will be taken up again.
    assert Result._base_manager.get().job == running
    jobs.cancel(job=running, by=study.owner)
    results.forget_abandoned()
    for model in (Result, ItemScore, AnnotatorStatistics):
        assert not model._base_manager.exists()


@pytest.mark.django_db(transaction=True)
@each
def test_who_withdraws_while_a_result_is_stored_is_not_in_it(
    make: Callable[[], Study], monkeypatch: pytest.MonkeyPatch
) -> None:
    study = make()
    leaving: list[Annotator] = []
    timed = BoundedWrites._timed

    def withdraw(self: BoundedWrites) -> Any:
        assert not connection.in_atomic_block
        if AnnotatorStatistics.objects.exists() and not leaving:
            # One whose row is there, and one whose row comes next.
            leaving.extend(study.annotators.order_by("pk")[1:])
            for one in leaving:
                withdrawal.withdraw(annotator=one)
        return timed(self)

    monkeypatch.setattr(BoundedWrites, "_timed", withdraw)
    job = scoring_of(study)
    jobs.run(job.pk)

    job.refresh_from_db()
    assert (job.state, len(leaving)) == (Job.State.FAILED, 2)
    assert "withdrew" in str(job.problems)
    assert not study.results.exists()


# -- Releases -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_killed_release_leaves_none_and_its_number_is_free(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = best_worst()
    job = releases.start(study=study, description=DESCRIPTION)
    kill(job, monkeypatch, Release)

    assert ReleaseShare.objects.exists() or Release._base_manager.exists()
    assert not study.releases.exists()
    assert not Release.objects.exists()

    died(job)
    jobs.run(job.pk)

    job.refresh_from_db()
    assert (job.state, job.attempts) == (Job.State.DONE, 2), job.problems
    made = study.releases.get()
    assert (made.number, made.shares.count()) == (1, 3)
    assert not releases.problem(made)
    assert Release._base_manager.count() == 1


@pytest.mark.slow
def test_what_a_cancelled_release_has_written_is_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    study = best_worst()
    job = releases.start(study=study, description=DESCRIPTION)
    kill(job, monkeypatch, ReleaseShare)
    releases.forget_unfinished()
    assert ReleaseShare.objects.exists()
    jobs.cancel(job=job, by=study.owner)

    # Also where the next one comes before the sweep.
    made = releases.make_here(study=study, description=DESCRIPTION).release
    assert (made.number, made.shares.count()) == (1, 3)
    releases.forget_unfinished()

    assert Release._base_manager.get() == made
    assert ReleaseShare.objects.count() == 3


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_who_withdraws_while_a_release_is_stored_is_not_in_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = best_worst()
    leaving: list[Annotator] = []
    timed = BoundedWrites._timed

    def withdraw(self: BoundedWrites) -> Any:
        assert not connection.in_atomic_block
        if ReleaseShare.objects.exists() and not leaving:
            leaving.append(study.annotators.earliest("pk"))
            withdrawal.withdraw(annotator=leaving[0])
        return timed(self)

    monkeypatch.setattr(BoundedWrites, "_timed", withdraw)
    made = releases.make_here(study=study, description=DESCRIPTION).release

    assert leaving
    assert (made.number, made.n_people, made.shares.count()) == (1, 2, 2)
    assert not made.shares.filter(assignment__annotator=leaving[0]).exists()
    # Of the one that was given up nothing is told.
    assert not ReleaseEvent.objects.exists()
    assert Release._base_manager.get() == made
