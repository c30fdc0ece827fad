"""A draft that is filled in short transactions: nothing of it counts until all of it is there.

`Study.filling_job` is the mark. While it is set, nothing can be made of the study. A job that is
interrupted leaves the mark: the job itself, taken up again, or the sweep deletes what was written.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress

from django.db import models, transaction
from django.db.models import Max

from annotation.basics import clock
from annotation.basics.errors import StateError
from annotation.basics.sentences import sentence as _
from annotation.core.services import jobs
from annotation.core.services.bounded_writes import BoundedWrites
from annotation.core.services.job_rows import JobRows
from annotation.core.services.locks import lock_study
from annotation.core.services.many_rows import delete_rows
from annotation.kinds.services.design_rows import refuse_frozen
from annotation.models import (
    Annotator,
    Assignment,
    Block,
    Booklet,
    Check,
    Choice,
    Context,
    ContextGroup,
    Item,
    ItemTuple,
    Job,
    Judgment,
    Member,
    Person,
    Phase,
    PhaseRun,
    Place,
    Pool,
    Question,
    Relabelling,
    Study,
    Turn,
)
from annotation.models.kinds import Source
from annotation.studies.services.studies import refuse_filling

# What is asked about, in the order in which it can be deleted, beside the turns of contexts.
_MATERIAL: tuple[type[models.Model], ...] = (
    *(Relabelling, Check, Item, Pool, Context, ContextGroup),
)


class _TakenOverError(Exception):
    """Another job fills this study now, or none."""


class Filling(JobRows):
    """A draft while it is filled: what writes into it, and how that ends."""

    def __init__(self, study: Study, run: jobs.Run | None, on_rows: Callable[[int], None]) -> None:
        super().__init__(run, on_rows)
        self.study = study
        self._deletes = BoundedWrites(self.held)

    @contextmanager
    def held(self, *, ends: bool = False) -> Iterator[Study]:
        """A transaction in which the study is still this job's to fill."""
        with super().held(ends=ends):
            if self.run is None:
                yield self.study
                return
            study = lock_study(self.study.pk)
            if study.filling_job_id != self.run.job.pk:
                raise jobs.LostJobError(str(self.run.job))
            yield study

    def delete_design(self) -> None:
        """Delete everything that was made of the material."""
        _delete_design(self.study, self._deletes)

    def delete_material(self) -> None:
        """Delete the material, and everything that was made of it."""
        _delete_design(self.study, self._deletes)
        _delete_material(self.study, self._deletes, {})

    @contextmanager
    def finish(self) -> Iterator[Study]:
        """The last transaction: from its end on the study counts, with all that is in it."""
        self.let_others_in()
        with self.held(ends=True) as study:
            yield study
            if self.run is not None:
                Study.objects.filter(pk=study.pk).update(filling_job=None)
                study.filling_job = None


@contextmanager
def filling(
    study: Study,
    run: jobs.Run | None,
    *,
    begin: Callable[[Study], None],
    keeps_material: bool,
    on_rows: Callable[[int], None] = lambda n: None,
) -> Iterator[Filling]:
    """Fill a draft as a job does; without a `run` in the caller's transaction, or one of its own.

    `begin` is called in the first transaction with the study as it is then, and raises what
    forbids the filling. With `keeps_material` what is there stays, whatever happens.
    """
    with nullcontext() if run else transaction.atomic():
        with transaction.atomic():
            if run:
                run.keep()
            study = lock_study(study.pk)
            refuse_filling(study)
            begin(study)
            for design in study.designs.all():
                refuse_frozen(design)
                design.made_at = design.certificate = None
                design.save(update_fields=["made_at", "certificate"])
            if run:
                _mark(study, run.job, keeps_material=keeps_material)
        try:
            yield Filling(study, run, on_rows)
        except jobs.LostJobError:
            # Cancelled; or another worker goes on with it, and then these rows are its own.
            if run and Job.objects.filter(pk=run.job.pk, state=Job.State.CANCELLED).exists():
                _empty(study.pk, run.job.pk)
            raise
        except (Exception, KeyboardInterrupt):
            if run:
                _empty(study.pk, run.job.pk)
            raise


def _mark(study: Study, job: Job, *, keeps_material: bool) -> None:
    """From now on the study is the job's, which notes what was there before."""
    there = last_keys(study) if keeps_material else {}
    job.parameters = {**job.parameters, "there": there}
    Job.objects.filter(pk=job.pk).update(parameters=job.parameters)
    study.filling_job = job
    study.save(update_fields=["filling_job"])


def last_keys(study: Study) -> dict[str, int]:
    """The greatest key of each kind of material: later rows have greater ones."""
    return {
        model.__name__: _rows(model, study).aggregate(last=Max("pk"))["last"] or 0
        for model in _MATERIAL
    }


def _rows(model: type[models.Model], study: Study) -> "models.QuerySet[models.Model]":
    return model._default_manager.filter(study=study)


def delete_leftovers(study: Study) -> None:
    """Delete what an interrupted job has left in a study, before another one reads it."""
    study.refresh_from_db(fields=["filling_job"])
    if study.filling_job and study.filling_job.is_finished:
        _empty(study.pk, study.filling_job.pk)
        study.refresh_from_db(fields=["filling_job"])


def start_over(run: jobs.Run) -> None:
    """Begin a job that fills a study: delete what an interrupted one has left."""
    _empty(run.job.study_id, run.job.pk)
    delete_leftovers(run.job.study)


def clear_abandoned() -> None:
    """Delete what a killed worker has left, if no job will go on with it."""
    left = Study.objects.filter(filling_job__isnull=False).exclude(
        filling_job__state__in=Job.UNFINISHED
    )
    for study_id, job_id in left.values_list("pk", "filling_job"):
        _empty(study_id, job_id)


def delete_draft_rows(study: Study) -> None:
    """Delete the items of a draft, and what was made of them, in short transactions.

    The study is of no use meanwhile; if this is interrupted, the sweep goes on with it. Nobody
    may have answered. The caller makes sure of that and is in no transaction.
    """
    with transaction.atomic():
        study = lock_study(study.pk)
        if study.filling_job and not study.filling_job.is_finished:
            refuse_filling(study)
        now = clock.now()
        job = Job.objects.create(
            study=study,
            kind=Job.Kind.CONTINUE,
            state=Job.State.CANCELLED,
            queued_at=now,
            finished_at=now,
        )
        study.filling_job = job
        study.save(update_fields=["filling_job"])
        study.designs.update(made_at=None, certificate=None)
    _empty(study.pk, job.pk)


def _empty(study_id: int, job_id: int) -> None:
    """Delete what a job has written into a study, as long as the study is the job's."""
    study = Study.objects.filter(pk=study_id, filling_job=job_id).first()
    if study is None:
        return

    @contextmanager
    def held() -> Iterator[None]:
        with transaction.atomic():
            if lock_study(study_id).filling_job_id != job_id:
                raise _TakenOverError
            yield

    assert study.filling_job is not None  # filtered by it
    there = study.filling_job.parameters.get("there", {})
    with suppress(_TakenOverError, Study.DoesNotExist):
        writes = BoundedWrites(held)
        _delete_answers(study, writes)
        _delete_design(study, writes)
        _delete_material(study, writes, there)
        with held():
            Study.objects.filter(pk=study_id).update(filling_job=None)


def delete_unmade(study: Study) -> None:
    """Delete the rows of a draft's design that counts no more, in short transactions.

    They stay while somebody makes the next design, which deletes them.
    """

    @contextmanager
    def held() -> Iterator[None]:
        with transaction.atomic():
            now = lock_study(study.pk)
            is_taken = now.filling_job_id is not None or not now.is_draft
            if is_taken or now.designs.filter(made_at__isnull=False).exists():
                raise _TakenOverError
            yield

    with suppress(_TakenOverError):
        _delete_design(study, BoundedWrites(held))


def _delete_answers(study: Study, writes: BoundedWrites) -> None:
    """Delete imported answers: a draft has no others."""
    imported = {"annotator__study": study, "annotator__source": Source.IMPORTED}
    of_run = {f"assignment__{name}": value for name, value in imported.items()}
    of_choice = {f"judgment__{name}": value for name, value in of_run.items()}
    writes.delete(Choice.objects.filter(**of_choice))
    writes.delete(Judgment.objects.filter(**of_run))
    writes.delete(PhaseRun.objects.filter(**of_run))
    writes.delete(Assignment.objects.filter(**imported))

    def forget(pks: list[tuple[int, int | None]]) -> None:
        delete_rows(Annotator, [annotator for annotator, _person in pks])
        delete_rows(Person, [person for _annotator, person in pks if person is not None])

    of_study = Annotator.objects.filter(study=study, source=Source.IMPORTED).order_by("pk")
    everybody: list[tuple[int, int | None]] = list(of_study.values_list("pk", "person"))
    writes.in_batches(everybody, forget)


def _delete_design(study: Study, writes: BoundedWrites) -> None:
    writes.delete(Question.objects.filter(block__phase__design__study=study))
    writes.delete(Member.objects.filter(tuple__design__study=study))
    writes.delete(ItemTuple.objects.filter(design__study=study))
    writes.delete(Place.objects.filter(booklet__design__study=study))
    writes.delete(Booklet.objects.filter(design__study=study))
    writes.delete(Block.objects.filter(phase__design__study=study))
    writes.delete(Phase.objects.filter(design__study=study))


def _delete_material(study: Study, writes: BoundedWrites, there: dict[str, int]) -> None:
    """Delete the material with greater keys than these."""
    for model in _MATERIAL:
        after = there.get(model.__name__, 0)
        if model is Context:
            writes.delete(Turn.objects.filter(context__study=study, context__gt=after))
        writes.delete(_rows(model, study).filter(pk__gt=after))


def refuse_reviewed(study: Study) -> None:
    """Raise StateError if another study reviews the items of a draft."""
    if review := study.later_rounds.order_by("pk").first():
        raise StateError(
            _("“%(title)s” reviews the items of this study. Delete that study first.")
            % {"title": review.title}
        )
