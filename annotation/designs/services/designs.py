"""Making a design: tuples, booklets, questions and places, all from the seed."""

from collections.abc import Callable
from dataclasses import asdict

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from annotation.basics import clock
from annotation.basics.errors import StateError
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.services import jobs
from annotation.core.services.imported_rules import refuse_asking
from annotation.core.services.locks import lock_study
from annotation.kinds.design_parameters import DesignParameters
from annotation.kinds.registry import kind_of
from annotation.kinds.services.design_rows import refuse_frozen
from annotation.models import Design, Job, Study
from annotation.studies.services import studies
from annotation.studies.services.filling import delete_unmade, filling, last_keys, start_over


def set_parameters(*, study: Study, parameters: DesignParameters, seed: int) -> Design:
    """Choose the numbers of a draft design; rows made from other numbers are dropped."""
    parameters.check()
    design, is_changed = _set(study, parameters, seed)
    if is_changed:
        delete_unmade(study)
    return design


@transaction.atomic
def _set(study: Study, parameters: DesignParameters, seed: int) -> tuple[Design, bool]:
    study = lock_study(study.pk)
    refuse_asking(study)
    design = study.design
    refuse_frozen(design)
    is_changed = design.parameters != asdict(parameters) or design.seed != seed
    if is_changed:
        studies.refuse_filling(study)
        if study.jobs.filter(kind=Job.Kind.MAKE_DESIGN, state__in=Job.UNFINISHED).exists():
            raise StateError(
                _(
                    "The design is being made from the saved settings. Wait until this is "
                    "done, then change them."
                )
            )
        # From now on its rows count no more.
        design.made_at = design.certificate = None
        design.parameters = asdict(parameters)
        design.seed = seed
        design.save(update_fields=["made_at", "certificate", "parameters", "seed"])
    return design, is_changed


def request(*, study: Study, by: AbstractBaseUser) -> Job:
    """Queue the job that makes, or makes again, a draft's design from its saved numbers."""
    refuse_asking(study)
    if not study.is_draft:
        raise StateError(_("The design has been frozen since the study was opened."))
    studies.refuse_filling(study)
    if not study.has_material:
        raise StateError(_("There are no items yet. Import them first."))
    return jobs.start(study=study, kind=Job.Kind.MAKE_DESIGN, by=by)


@jobs.does(Job.Kind.MAKE_DESIGN)
def make_job(run: jobs.Run) -> None:
    start_over(run)
    make(design=run.job.study.design, progress=run.progress, run=run)


def make(
    *,
    design: Design,
    progress: Callable[[float, Said], None] = lambda share, message: None,
    run: jobs.Run | None = None,
) -> Design:
    """Draw the questions and compose booklets, then store all of it or nothing.

    A job, with its `run`, stores it in short transactions; else it is done in one. Raises
    ImpossibleParametersError, with the nearest numbers that work.
    """
    study = design.study
    refuse_asking(study)
    studies.refuse_filling(study)
    there = last_keys(study)
    drawn = kind_of(study).designs.draw(design, progress)
    progress(0.5, drawn.writing)
    n_written = 0

    def begin(study: Study) -> None:
        now = study.design
        if (now.pk, now.seed) != (design.pk, design.seed) or (
            type(drawn.parameters).of(now) != drawn.parameters
        ):
            raise StateError(
                _("The settings have changed in the meantime. Make the design again.")
            )
        if last_keys(study) != there:
            raise StateError(_("The items have changed in the meantime. Make the design again."))

    def on_rows(n: int) -> None:
        nonlocal n_written
        n_written += n
        progress(0.5 + 0.5 * min(n_written / drawn.n_rows, 1.0), drawn.writing)

    with filling(study, run, begin=begin, keeps_material=True, on_rows=on_rows) as draft:
        draft.delete_design()
        drawn.store(draft.study.design, draft)
        with draft.finish() as study:
            design = study.design
            design.certificate = drawn.certificate
            design.made_at = clock.now()
            design.code_version = settings.VERSION
            design.parameters = asdict(drawn.parameters)
            design.save(update_fields=["certificate", "made_at", "code_version", "parameters"])
    return design


def note_walk(*, design: Design) -> None:
    """A researcher walked through this design to the end."""
    Design.objects.filter(pk=design.pk, made_at__isnull=False).update(walked_at=clock.now())
