"""Imports and designs are stored by jobs in short transactions; all of it counts, or nothing."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from annotation.basics.errors import AnnotationError, StateError
from annotation.core.services import bounded_writes, jobs
from annotation.core.services.bounded_writes import BoundedWrites
from annotation.core.services.many_rows import reserve_keys
from annotation.designs.services import designs
from annotation.items.services import finished_answers, imports, uploads
from annotation.kinds.design_parameters import SelectionParameters
from annotation.models import (
    Annotator,
    Assignment,
    ImportedTotals,
    Item,
    Job,
    Judgment,
    Member,
    Person,
    Place,
    Question,
    Study,
    Turn,
)
from annotation.studies.services import filling, researchers, studies
from tests.support import rating, selecting
from tests.support.factories import make_open_study, make_study
from tests.support.researcher_pages import finish_booklet

pytestmark = pytest.mark.django_db

ITEMS = "id\ttarget\tcandidate\n" + "".join(f"n{n}\tone\t{n}\n" for n in range(9))
COMPARED = "Annotator,Item1,Item2,Item3,BestItem,WorstItem\n" + "".join(
    f"p{person},i{n},i{n + 1},i{n + 2},i{n},i{n + 2}\n" for person in range(3) for n in range(5)
)


class Killed(BaseException):
    """The process ends here: nothing is cleaned up."""


@pytest.fixture(autouse=True)
def few_rows_at_once(monkeypatch) -> None:
    for name, value in (("FIRST_ROWS", 4), ("MAX_ROWS", 4), ("PAUSE_SECONDS", 0)):
        monkeypatch.setattr(bounded_writes, name, value)
    monkeypatch.setattr("annotation.core.services.jobs.run_job.delay", lambda job_id: None)


# -- What is stored -----------------------------------------------------------------------------


def of_import(study: Study, text: str, name: str, **parameters: Any) -> Job:
    upload = uploads.store_upload(study=study, file=[text.encode()], filename=name, by=study.owner)
    return jobs.start(study=study, kind=Job.Kind.IMPORT_ITEMS, parameters=upload | parameters)


def replaced() -> Job:
    study = rating.make_rating_study(open_it=False)
    designs.make(design=study.design)
    return of_import(study, ITEMS, "items.tsv")


def added() -> Job:
    study = rating.make_rating_study(open_it=False)
    designs.make(design=study.design)
    return of_import(study, ITEMS, "items.tsv", add=True)


def compared() -> Job:
    return of_import(make_study(dialogues=0), COMPARED, "a.csv", finished={"format": "nrc"})


def rated() -> Job:
    rows = "".join(
        f"HIT{n},A{person}-{n},W{person},Approved,r{n},one,{n},{n % 3}\n"
        for person in range(3)
        for n in range(5)
    )
    header = (
        "HITId,AssignmentId,WorkerId,AssignmentStatus,Input.id,Input.target,Input.candidate,"
        "Answer.rating\n"
    )
    study = rating.make_rating_study(open_it=False)
    study.items.all().delete()
    return of_import(study, header + rows, "b.csv", finished={"format": "mturk"})


def best_worst() -> Job:
    study = make_study()
    designs.make(design=study.design)
    return designs.request(study=study, by=study.owner)


def ratings() -> Job:
    study = rating.make_rating_study(open_it=False)
    return designs.request(study=study, by=study.owner)


def selection() -> Job:
    study = selecting.make_selection_study(incidents=3, open_it=False)
    return designs.request(study=study, by=study.owner)


MADE: dict[str, Callable[[], Job]] = {
    of.__name__: of for of in (replaced, added, compared, rated, best_worst, ratings, selection)
}
each = pytest.mark.parametrize("make", MADE.values(), ids=MADE)


def at_once(job: Job) -> None:
    """The same without a job, in one transaction; and as if nothing had been done."""
    study, parameters = job.study, job.parameters
    if job.kind == Job.Kind.MAKE_DESIGN:
        designs.make(design=study.design)
        return
    path = uploads.upload(study=study, name=parameters["path"])
    if finished := parameters.get("finished"):
        source = finished_answers.Source(path, **finished)
        finished_answers.import_finished(study=study, source=source)
        return
    add = parameters.get("add", False)
    imports.import_items(study=study, path=path, filename=parameters["filename"], add=add)


def stored(study: Study) -> dict[str, Any]:
    """What is there, whatever its keys."""
    study = Study.objects.get(pk=study.pk)
    design = study.design
    texts = ("number", "key", "pool__key", "pool__number", "target_text", "candidate_text")
    questions = Question.objects.filter(booklet__design=design).order_by(
        "block__phase__number", "booklet__number", "screen", "position"
    )
    return {
        "items": list(study.items.order_by("number").values_list(*texts)),
        "turns": list(
            Turn.objects.filter(context__study=study)
            .order_by("context__key", "position")
            .values_list("context__key", "text")
        ),
        "questions": list(
            questions.values_list(
                *("booklet__number", "screen", "position", "tuple__number", "item__key"),
                *("turn__text", "block__number", "block__purpose", "kind"),
            )
        ),
        "members": list(
            Member.objects.filter(tuple__design=design)
            .order_by("tuple__number", "position")
            .values_list("tuple__number", "item__key")
        ),
        "places": list(
            Place.objects.filter(booklet__design=design)
            .order_by("booklet__number", "number")
            .values_list("booklet__number", "number", "source")
        ),
        "answers": list(
            Judgment.objects.filter(question__booklet__design=design)
            .order_by("question__booklet__number", "assignment__place__number")
            .values_list("best__key", "worst__key", "assignment__annotator__person__platform_id")
        ),
        "design": (design.certificate, design.parameters, design.is_made, design.is_frozen),
        "study": (study.state, study.filling_job),
        "totals": list(
            ImportedTotals.objects.filter(design=design).values_list("n_answers", "n_people")
        ),
    }


@pytest.fixture
def expected(make: Callable[[], Job]) -> tuple[Job, dict[str, Any], dict[str, Any]]:
    """A job that is queued, what is there before, and what shall be there afterwards."""
    job = make()
    before = stored(job.study)
    with transaction.atomic():
        at_once(job)
        after = stored(job.study)
        transaction.set_rollback(True)
    assert stored(job.study) == before
    return job, before, after


def stop_at(monkeypatch: pytest.MonkeyPatch, n: int, error: BaseException) -> None:
    """The n-th transaction that writes rows ends with an error."""
    in_batches, begun = BoundedWrites.in_batches, [0]

    def broken(self: BoundedWrites, rows: Any, write: Callable[[Any], Any]) -> None:
        def once(batch: Any) -> None:
            begun[0] += 1
            write(batch)
            if begun[0] == n:
                raise error

        in_batches(self, rows, once)

    monkeypatch.setattr(BoundedWrites, "in_batches", broken)


def midway(job: Job) -> int:
    """Few items take few transactions."""
    is_of_items = job.kind == Job.Kind.IMPORT_ITEMS and "finished" not in job.parameters
    return 2 if is_of_items else 5


def kill(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        stop_at(patched, midway(job), Killed())
        with pytest.raises(Killed):
            jobs.run(job.pk)


def died(job: Job) -> None:
    """Nobody renews its heartbeat any more: the sweep sends it again."""
    Job.objects.filter(pk=job.pk).update(heartbeat_at=timezone.now() - timedelta(days=1))
    jobs.sweep()


# -- Done, and interrupted ----------------------------------------------------------------------

Expected = tuple[Job, dict[str, Any], dict[str, Any]]


@each
def test_a_job_stores_what_one_transaction_would(expected: Expected) -> None:
    job, _before, after = expected

    jobs.run(job.pk)

    job.refresh_from_db()
    assert job.state == Job.State.DONE, job.problems
    assert stored(job.study) == after


@each
def test_a_killed_job_leaves_nothing_that_counts_and_begins_anew(
    expected: Expected, monkeypatch: pytest.MonkeyPatch
) -> None:
    job, _before, after = expected
    kill(job, monkeypatch)

    study = Study.objects.get(pk=job.study_id)
    assert study.filling_job == job
    assert study.is_draft
    assert not study.design.is_made
    for step in (
        lambda: studies.open_study(study=study),
        lambda: designs.request(study=study, by=study.owner),
        lambda: designs.make(design=study.design),
        lambda: imports.refuse_opened(study),
        lambda: finished_answers.check_can_take(study),
        lambda: researchers.delete_draft(study=study),
    ):
        with pytest.raises(StateError, match=f"Job {job.pk} "):
            step()

    died(job)
    jobs.run(job.pk)

    job.refresh_from_db()
    assert (job.state, job.attempts) == (Job.State.DONE, 2), job.problems
    assert stored(job.study) == after


@each
def test_what_a_cancelled_job_has_written_is_deleted(
    expected: Expected, monkeypatch: pytest.MonkeyPatch
) -> None:
    job, before, _after = expected
    kill(job, monkeypatch)
    # The sweep leaves alone what the job will go on with.
    filling.clear_abandoned()
    assert Study.objects.get(pk=job.study_id).filling_job == job
    job.refresh_from_db()
    jobs.cancel(job=job, by=job.study.owner)

    filling.clear_abandoned()

    now = stored(job.study)
    # What was there is gone only where it was to be replaced.
    is_kept = job.parameters.keys() & {"add", "finished"} or job.kind == Job.Kind.MAKE_DESIGN
    for name in ("items", "turns"):
        assert now[name] == (before[name] if is_kept else []), name
    for name in ("questions", "members", "places", "answers", "totals"):
        assert now[name] == [], name
    assert now["study"] == (Study.State.DRAFT, None)
    assert not now["design"][2]
    assert not Annotator.objects.filter(study=job.study).exists()
    assert not Person.objects.exists()


@pytest.mark.slow
@each
def test_an_error_leaves_nothing_half_done(
    expected: Expected, monkeypatch: pytest.MonkeyPatch
) -> None:
    job, _before, after = expected
    with monkeypatch.context() as patched:
        stop_at(patched, midway(job), StateError("gone"))
        jobs.run(job.pk)

    job.refresh_from_db()
    assert job.problems == ["gone"]
    now = stored(job.study)
    assert now["study"] == (Study.State.DRAFT, None)
    assert (now["questions"], now["answers"]) == ([], [])
    if job.kind == Job.Kind.MAKE_DESIGN:
        again = designs.request(study=job.study, by=job.study.owner)
        jobs.run(again.pk)
        assert stored(job.study) == after


def test_items_that_answers_are_about_stay_where_their_import_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = make_study(dialogues=1, candidates=5)
    before = stored(study)
    names = list(study.items.order_by("number").values_list("key", flat=True))
    text = "Annotator,Item1,Item2,Item3,BestItem,WorstItem\n" + "".join(
        f"p{n},{names[n]},{names[n + 1]},{names[n + 2]},{names[n]},{names[n + 1]}\n"
        for n in range(3)
    )
    job = of_import(study, text, "a.csv", finished={"format": "nrc"})

    with monkeypatch.context() as patched:
        stop_at(patched, 7, StateError("gone"))
        jobs.run(job.pk)

    job.refresh_from_db()
    assert job.problems == ["gone"]
    assert stored(study) == before
    assert not Assignment.objects.exists()


# -- At once ------------------------------------------------------------------------------------


@each
def test_two_at_once_do_not_mix(make: Callable[[], Job], monkeypatch: pytest.MonkeyPatch) -> None:
    job = make()
    refused: list[str] = []
    progress = jobs.Run.progress

    def another(run: jobs.Run, share: float, message: Any = "") -> None:
        study = Study.objects.get(pk=job.study_id)
        if study.filling_job and not refused:
            for step in (
                lambda: designs.make(design=study.design),
                lambda: imports.import_items(study=study, path=Path("x"), filename="x"),
                lambda: finished_answers.look(study, finished_answers.Source("x")),
            ):
                with pytest.raises(AnnotationError) as error:
                    step()
                refused.append(error.value.message)
        progress(run, share, message)

    monkeypatch.setattr(jobs.Run, "progress", another)
    jobs.run(job.pk)

    job.refresh_from_db()
    assert job.state == Job.State.DONE, job.problems
    assert len(refused) == 3
    assert all(f"Job {job.pk} " in one for one in refused)


@each
def test_a_worker_that_was_taken_for_dead_stores_nothing_more(
    expected: Expected, monkeypatch: pytest.MonkeyPatch
) -> None:
    job, _before, after = expected
    progress, taken = jobs.Run.progress, []

    def taken_over(run: jobs.Run, share: float, message: Any = "") -> None:
        if not taken and Study.objects.get(pk=job.study_id).filling_job:
            taken.append(run)
            Job.objects.filter(pk=job.pk).update(state=Job.State.QUEUED, run_token=None)
            jobs.run(job.pk)
        progress(run, share, message)

    monkeypatch.setattr(jobs.Run, "progress", taken_over)
    jobs.run(job.pk)

    job.refresh_from_db()
    assert (job.state, job.attempts) == (Job.State.DONE, 2), job.problems
    assert stored(job.study) == after


def test_items_that_changed_while_a_design_was_drawn_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = make_study()

    def change(share: float, message: object) -> None:
        if share == 0.5:
            pool = study.pools.latest("pk")
            Item.objects.create(
                study=study, pool=pool, number=99, key="late", candidate_text="late"
            )

    with pytest.raises(StateError, match="The items have changed in the meantime"):
        designs.make(design=study.design, progress=change)
    assert not study.design.is_made


@pytest.mark.django_db(transaction=True)
@each
def test_somebody_saves_between_two_transactions(
    make: Callable[[], Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    job = make()
    other = make_open_study(dialogues=1)
    saved: list[Annotator] = []
    sizes: list[int] = []
    timed = BoundedWrites._timed

    def counted(self: BoundedWrites) -> Any:
        assert not connection.in_atomic_block
        sizes.append(self._n_rows)
        if len(sizes) == 5:
            saved.append(finish_booklet(other))
        return timed(self)

    monkeypatch.setattr(BoundedWrites, "_timed", counted)
    jobs.run(job.pk)

    job.refresh_from_db()
    assert job.state == Job.State.DONE, job.problems
    assert max(sizes) <= 4
    assert saved[0].assignments.get().judgments.exists()


def test_reserved_keys_are_given_to_nobody_else() -> None:
    pool = make_study(dialogues=1).pools.get()
    keys = list(reserve_keys(Item, 3))
    item = Item.objects.create(study=pool.study, pool=pool, number=50, key="x", candidate_text="x")

    assert keys == list(range(keys[0], keys[0] + 3))
    assert item.pk > keys[-1]


# -- Numbers and commands -----------------------------------------------------------------------


def test_other_numbers_drop_the_rows_of_a_design_in_short_transactions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = selecting.make_selection_study(incidents=3, open_it=False)
    designs.make(design=study.design)
    numbers = SelectionParameters(incidents_per_booklet=1)

    def ends_here(self: BoundedWrites, rows: Any) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(BoundedWrites, "delete", ends_here)
        with pytest.raises(Killed):
            designs.set_parameters(study=study, parameters=numbers, seed=2)

    # What is left of it counts for nothing, and goes with the next one.
    assert not study.design.is_made
    assert Question.objects.exists()
    with pytest.raises(StateError, match="There is no design yet"):
        studies.open_study(study=study)
    designs.make(design=study.design)
    assert study.design.booklets.count() == 3
    assert Question.objects.count() == 6

    designs.set_parameters(study=study, parameters=numbers, seed=3)
    assert not Question.objects.exists()
    assert not study.design.booklets.exists()


def test_no_worker_takes_up_what_a_killed_command_did(tmp_path: Path) -> None:
    study = make_study(dialogues=0)
    path = tmp_path / "items.txt"
    path.write_text("one\ntwo\nthree\nfour\nfive\nsix\n")

    def work(run: jobs.Run) -> None:
        def progress(share: float, message: object) -> None:
            if Item.objects.filter(study=study).exists():
                raise Killed

        imports.import_items(
            study=study, path=path, filename=path.name, progress=progress, run=run
        )

    with pytest.raises(Killed):
        jobs.run_here(study=study, kind=Job.Kind.IMPORT_ITEMS, work=work)
    job = study.jobs.get()
    assert study.items.exists()

    died(job)
    jobs.run(job.pk)
    filling.clear_abandoned()

    job.refresh_from_db()
    assert job.state == Job.State.FAILED
    assert job.problems == ["The command was interrupted. Run it again."]
    assert stored(study)["study"] == (Study.State.DRAFT, None)
    assert not study.items.exists()
    assert imports.import_items(study=study, path=path, filename=path.name).n_items == 6
