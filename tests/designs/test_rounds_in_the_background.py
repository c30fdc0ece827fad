"""The items of an earlier round are copied by a job, in short transactions, all or none."""

from collections.abc import Iterator
from contextlib import nullcontext
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from annotation.answering.services import withdrawal
from annotation.basics.errors import StateError
from annotation.core.services import bounded_writes, jobs
from annotation.core.services.bounded_writes import BoundedWrites
from annotation.designs.services import designs, rounds
from annotation.items.services import imports
from annotation.kinds.design_parameters import RatingParameters
from annotation.kinds.services import copied_material
from annotation.kinds.services.drawn_groups import Part
from annotation.models import Context, Item, Job, Study, Turn
from annotation.studies.services import filling, researchers, studies
from tests.designs.test_rounds import closed_study
from tests.designs.test_rounds_from_selections import answered
from tests.support.api import address, by_token
from tests.support.factories import make_user
from tests.support.researcher_pages import signed_in, url

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def few_rows_at_once(monkeypatch) -> None:
    monkeypatch.setattr(bounded_writes, "FIRST_ROWS", 4)
    monkeypatch.setattr(bounded_writes, "MAX_ROWS", 4)
    monkeypatch.setattr(bounded_writes, "PAUSE_SECONDS", 0)
    monkeypatch.setattr("annotation.core.services.jobs.run_job.delay", lambda job_id: None)


def draft_after(earlier: Study) -> Study:
    preset = "czech-round-2" if earlier.kind == "selection" else "sts-context"
    return studies.create(owner=earlier.owner, title="Next", preset=preset, earlier_round=earlier)


def asked(earlier: Study, **options: Any) -> Job:
    study = draft_after(earlier)
    return rounds.request(study=study, earlier=earlier, by=study.owner, **options)


def items_of(study: Study) -> list[dict[str, Any]]:
    names = (
        "number", "key", "pool__key", "pool__number", "target_text", "candidate_text",
        "target_turn__text", "candidate_turn__text", "earlier_rating", "intended_class",
        "derived_from", "metadata", "expected",
    )  # fmt: skip
    return list(study.items.order_by("number").values(*names))


def is_empty(study: Study) -> bool:
    turns = Turn.objects.filter(context__study=study)
    rows = (study.items, study.pools, study.contexts, study.context_groups, turns)
    return not any(one.exists() for one in rows)


def fail_at(monkeypatch, n: int, error: BaseException) -> None:
    """The n-th transaction that inserts items ends with an error."""
    insert, seen = BoundedWrites.insert, []

    def broken(self, model, rows):
        def until() -> Iterator[Any]:
            for row in rows:
                if model is Item:
                    seen.append(row)
                    if len(seen) == n:
                        raise error
                yield row

        return insert(self, model, until())

    monkeypatch.setattr(BoundedWrites, "insert", broken)


@pytest.mark.parametrize("part", [Part(), Part(n_groups=2), Part(n_first=2)])
@pytest.mark.parametrize("make", [answered, lambda: closed_study(calibration=(0, 6))])
def test_the_job_copies_what_one_transaction_would(make, part: Part) -> None:
    earlier = make()
    at_once = draft_after(earlier)
    rounds.begin(study=at_once, earlier=earlier, part=part)
    job = asked(earlier, part=part)
    # Groups are drawn from the seed.
    job.study.designs.update(seed=at_once.design.seed)

    jobs.run(job.pk)

    job.refresh_from_db()
    study = Study.objects.get(pk=job.study_id)
    assert job.state == Job.State.DONE, job.problems
    assert items_of(study) == items_of(at_once)
    assert study.contexts.count() == at_once.contexts.count()
    assert study.design.parameters == at_once.design.parameters
    assert (study.filling_job, study.earlier_round) == (None, earlier)
    assert study.has_material


@pytest.mark.django_db(transaction=True)
def test_no_transaction_writes_more_than_some_rows(monkeypatch) -> None:
    earlier = answered(incidents=3, sentences=4)
    job = asked(earlier)
    transactions: list[int] = []
    one = BoundedWrites._timed

    def counted(self):
        transactions.append(1)
        assert not connection.in_atomic_block
        return one(self)

    monkeypatch.setattr(BoundedWrites, "_timed", counted)
    jobs.run(job.pk)

    study = Study.objects.get(pk=job.study_id)
    n_rows = (
        study.items.count() + study.pools.count() + study.contexts.count()
        + study.context_groups.count() + Turn.objects.filter(context__study=study).count()
    )  # fmt: skip
    assert study.items.count() == 36
    assert len(transactions) >= n_rows / 4


def test_an_error_leaves_nothing_and_it_can_be_tried_again(monkeypatch) -> None:
    job = asked(answered())
    with monkeypatch.context() as patched:
        fail_at(patched, 6, StateError("gone"))
        jobs.run(job.pk)

    job.refresh_from_db()
    study = Study.objects.get(pk=job.study_id)
    assert job.state == Job.State.FAILED
    assert is_empty(study)
    assert study.filling_job is None

    client = signed_in(study.owner)
    client.post(url(study, "continue"))
    again = study.jobs.latest("pk")
    assert again.pk != job.pk
    jobs.run(again.pk)

    assert study.items.count() == 6
    refused = client.post(url(study, "continue"), follow=True)
    assert study.jobs.count() == 2
    assert refused.status_code == 200


def test_the_api_tries_it_again(monkeypatch) -> None:
    job = asked(answered())
    jobs.cancel(job=job, by=job.study.owner)
    answer = by_token(job.study.owner).post(
        address(job.study, f"jobs/{job.pk}/again/"), content_type="application/json"
    )

    assert answer.status_code == 202
    jobs.run(answer.json()["id"])
    assert job.study.items.count() == 6


def test_cancelling_leaves_nothing(monkeypatch) -> None:
    job = asked(answered())
    progress = jobs.Run.progress

    def cancel_amid(run: jobs.Run, share: float, message: Any = "") -> None:
        if Item.objects.filter(study=run.job.study_id).exists():
            jobs.cancel(job=Job.objects.get(pk=run.job.pk), by=make_user())
        progress(run, share, message)

    monkeypatch.setattr(jobs.Run, "progress", cancel_amid)
    jobs.run(job.pk)

    job.refresh_from_db()
    assert job.state == Job.State.CANCELLED
    assert is_empty(job.study)
    assert Study.objects.get(pk=job.study_id).filling_job is None


class Killed(BaseException):
    """The process ends here: nothing is cleaned up."""


def killed(job: Job, monkeypatch) -> Study:
    with monkeypatch.context() as patched:
        fail_at(patched, 6, Killed())
        with pytest.raises(Killed):
            jobs.run(job.pk)
    study = Study.objects.get(pk=job.study_id)
    assert study.items.count() == 4
    return study


def test_what_a_killed_worker_left_is_no_material_for_anything(monkeypatch) -> None:
    study = killed(asked(answered()), monkeypatch)

    assert not study.has_material
    for step in (
        lambda: designs.make(design=study.design),
        lambda: designs.request(study=study, by=study.owner),
        lambda: studies.open_study(study=study),
        lambda: imports.refuse_opened(study),
    ):
        with pytest.raises(StateError):
            step()


def test_a_killed_job_begins_anew(monkeypatch) -> None:
    earlier = answered()
    at_once = draft_after(earlier)
    rounds.begin(study=at_once, earlier=earlier)
    job = asked(earlier)
    study = killed(job, monkeypatch)
    Job.objects.filter(pk=job.pk).update(heartbeat_at=timezone.now() - timedelta(days=1))

    jobs.sweep()
    jobs.run(job.pk)

    job.refresh_from_db()
    assert (job.state, job.attempts) == (Job.State.DONE, 2)
    assert items_of(study) == items_of(at_once)


def test_a_killed_job_that_is_cancelled_is_cleared_by_the_sweep(monkeypatch) -> None:
    job = asked(answered())
    study = killed(job, monkeypatch)
    filling.clear_abandoned()
    assert not is_empty(study)
    job.refresh_from_db()
    jobs.cancel(job=job, by=study.owner)

    filling.clear_abandoned()

    assert is_empty(study)
    assert Study.objects.get(pk=study.pk).filling_job is None


def test_a_worker_that_was_taken_for_dead_deletes_nothing_of_its_successor(monkeypatch) -> None:
    job = asked(answered())
    progress = jobs.Run.progress
    runs: list[jobs.Run] = []

    def taken_over(run: jobs.Run, share: float, message: Any = "") -> None:
        if not runs and Item.objects.filter(study=run.job.study_id).exists():
            runs.append(run)
            Job.objects.filter(pk=job.pk).update(state=Job.State.QUEUED, run_token=None)
            jobs.run(job.pk)
        progress(run, share, message)

    monkeypatch.setattr(jobs.Run, "progress", taken_over)
    jobs.run(job.pk)

    job.refresh_from_db()
    assert (job.state, job.attempts) == (Job.State.DONE, 2)
    assert job.study.items.count() == 6


def test_a_large_draft_is_deleted_in_short_transactions(monkeypatch) -> None:
    earlier = answered(incidents=3, sentences=4)
    study = draft_after(earlier)
    rounds.begin(study=study, earlier=earlier)
    designs.set_parameters(
        study=study, parameters=RatingParameters(ratings_per_item=1, items_per_booklet=9), seed=1
    )
    designs.make(design=study.design)
    deleted: list[str] = []
    delete = BoundedWrites.delete

    def watched(self, rows):
        deleted.extend([rows.model.__name__] * rows.count())
        delete(self, rows)

    monkeypatch.setattr(BoundedWrites, "delete", watched)
    researchers.delete_draft(study=study)

    assert not Study.objects.filter(pk=study.pk).exists()
    assert deleted.count("Item") == 36
    assert deleted.count("Question") == 36


def test_a_deletion_that_was_killed_leaves_an_empty_draft(monkeypatch) -> None:
    earlier = answered()
    study = draft_after(earlier)
    rounds.begin(study=study, earlier=earlier)
    designs.set_parameters(
        study=study, parameters=RatingParameters(ratings_per_item=1, items_per_booklet=9), seed=1
    )
    designs.make(design=study.design)

    def ends_here(self, rows):
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(BoundedWrites, "delete", ends_here)
        with pytest.raises(Killed):
            researchers.delete_draft(study=study)
    study.refresh_from_db()
    assert not study.has_material
    assert not study.design.is_made

    filling.clear_abandoned()
    assert is_empty(study)
    researchers.delete_draft(study=study)
    assert not Study.objects.filter(pk=study.pk).exists()


def test_what_cannot_be_continued_is_refused_before_anything_is_made() -> None:
    earlier = answered(incidents=1, sentences=2)
    client = signed_in(earlier.owner)
    form = {
        "title": "Next", "preset": "sts-context", "language": "en",
        "earlier_round": earlier.pk, "n_groups": "3",
    }  # fmt: skip

    refused = client.post(reverse("admin:annotation_study_add"), form)

    assert refused.status_code == 400
    assert "n_groups" in refused.context["form"].errors
    assert not Study.objects.filter(title="Next").exists()
    assert not Job.objects.exists()


def test_the_page_leads_to_the_job() -> None:
    earlier = answered()
    form = {
        "title": "Next", "preset": "sts-context", "language": "en", "earlier_round": earlier.pk,
    }  # fmt: skip

    answer = signed_in(earlier.owner).post(reverse("admin:annotation_study_add"), form)

    study = Study.objects.get(title="Next")
    job = study.jobs.get(kind=Job.Kind.CONTINUE)
    assert answer["Location"] == url(study, "job", job.pk)
    assert not Context.objects.filter(study=study).exists()
    jobs.run(job.pk)
    assert study.items.count() == 6


def test_who_withdraws_while_it_is_copied_is_not_copied(monkeypatch) -> None:
    earlier = closed_study()
    job = asked(earlier)
    leaves = earlier.annotators.order_by("pk").first()
    checks = copied_material.checks

    def withdraw_and_copy(*args: Any, **options: Any) -> None:
        # The pairs are written; the study does not count yet.
        withdrawal.withdraw(annotator=leaves)
        checks(*args, **options)

    with monkeypatch.context() as at_once:
        at_once.setattr(copied_material, "checks", withdraw_and_copy)
        jobs.run(job.pk)

    job.refresh_from_db()
    assert (job.state, "withdrew" in str(job.problems)) == (Job.State.FAILED, True)
    filling.clear_abandoned()
    assert is_empty(job.study)
    again = rounds.request(study=job.study, earlier=earlier, by=earlier.owner)
    jobs.run(again.pk)
    # Of 1, 2 and 5 without the first.
    assert {item.earlier_rating for item in job.study.items.all()} == {Decimal("3.5")}


def test_batches_follow_the_time_that_they_take(monkeypatch) -> None:
    """Half as fast, half as many; the lock is not held longer on a slow machine."""
    monkeypatch.setattr(bounded_writes, "FIRST_ROWS", 400)
    monkeypatch.setattr(bounded_writes, "MAX_ROWS", 5000)
    now = [0.0]
    sizes: list[int] = []

    class Rows:
        class _default_manager:  # noqa: N801
            @staticmethod
            def bulk_create(batch: list[int]) -> list[int]:
                sizes.append(len(batch))
                now[0] += 0.001 * len(batch)
                return batch

    writes = BoundedWrites(nullcontext, clock=lambda: now[0])
    writes.insert(Rows, range(2000))  # type: ignore[type-var]

    assert sizes[0] == 400
    assert all(size <= 0.15 / 0.001 for size in sizes[1:])
    assert sum(sizes) == 2000


def test_copying_is_not_tried_again_by_whoever_may_not_see_the_earlier_study() -> None:
    earlier, colleague = answered(), make_user()
    earlier.shared_with.add(colleague)
    study = draft_after(earlier)
    study.owner, study.earlier_round = colleague, earlier
    study.save()
    job = rounds.request(study=study, earlier=earlier, by=colleague)
    jobs.cancel(job=job, by=colleague)
    earlier.shared_with.remove(colleague)

    with pytest.raises(StateError):
        rounds.repeat(job, colleague)

    assert study.jobs.count() == 1


def test_copying_that_waited_reads_only_what_its_researcher_sees_then() -> None:
    earlier, colleague = answered(), make_user()
    earlier.shared_with.add(colleague)
    study = draft_after(earlier)
    study.owner, study.earlier_round = colleague, earlier
    study.save()
    job = rounds.request(study=study, earlier=earlier, by=colleague)
    earlier.shared_with.remove(colleague)

    jobs.run(job.pk)

    job.refresh_from_db()
    assert job.state == Job.State.FAILED
    assert is_empty(study)
