"""Drawing pairs in the background, from a file that is kept until they are taken as items."""

import secrets
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from tempfile import gettempdir

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import mebibytes
from annotation.basics.sentences import sentence as _
from annotation.core.services import jobs, trained_models
from annotation.core.services.model_process import OF_ALL_STUDIES, own_folder
from annotation.items.services import imports, sampled_pairs, uploads
from annotation.items.services.sampled_pairs import PairSamplingOptions
from annotation.kinds.registry import kind_of
from annotation.models import Job, Study


def jobs_of(study: Study) -> QuerySet[Job]:
    """What was drawn for a study, or will be."""
    return study.jobs.filter(kind=Job.Kind.IMPORT_ITEMS, parameters__has_key="sampled")


def refuse(study: Study) -> None:
    """Raises AnnotationError if pairs could not become items of a study."""
    imports.refuse_opened(study)
    if not kind_of(study).items.asks_item_by_item:
        raise AnnotationError(_("You can draw pairs only for rating and label studies."))


def request(
    *, study: Study, name: str, filename: str, options: PairSamplingOptions, by: User
) -> Job:
    """Queue a drawing from an upload, which stays there for another one.

    Raises AnnotationError if it is gone, if a model is not the researcher's to use, and
    while another import or drawing goes on.
    """
    refuse(study)
    # Two days from now on, not from when it came.
    uploads.upload(study=study, name=name).touch()
    if options.model:
        trained_models.refuse_others(options.model, by)
    wanted = {"path": name, "filename": filename, "sampled": asdict(options)}
    job = jobs.start(study=study, kind=Job.Kind.IMPORT_ITEMS, parameters=wanted, by=by)
    if job.parameters != wanted:
        raise AnnotationError(
            _("Another import or draw is still running. Wait until it is done, or cancel it.")
        )
    return job


@jobs.does(Job.Kind.IMPORT_ITEMS)
def items_job(run: jobs.Run) -> None:
    """Import an upload; or, with `sampled` among the parameters, draw pairs from it."""
    if "sampled" in run.job.parameters:
        sample_job(run)
    else:
        imports.import_items_job(run)


def sample_job(run: jobs.Run) -> None:
    """Draw pairs and keep them as an upload of their own, to be looked at and then imported."""
    job = run.job
    options = PairSamplingOptions(**job.parameters["sampled"])
    path = uploads.upload(study=job.study, name=job.parameters["path"])
    imports.refuse_opened(job.study)
    place = own_folder(run) if options.needs_model else nullcontext(Path(gettempdir()))
    with place as folder:
        outcome = sampled_pairs.sample(path, options, run.progress, folder=folder)
    # The same study and person: who may see it is said by its name.
    name = f"{path.name.rpartition('-')[0]}-{secrets.token_hex(16)}"
    table = outcome.table.encode()
    if len(table) > settings.IMPORT_LIMIT_BYTES:
        limit = mebibytes(settings.IMPORT_LIMIT_BYTES)
        raise AnnotationError(
            _("The pairs are larger than %(limit)s, the import limit. Draw fewer pairs.")
            % {"limit": limit}
        )
    uploads.keep_made(name, table)
    with transaction.atomic():
        run.keep()
        figures = {
            figure: value
            for figure, value in outcome.figures.items()
            if figure not in OF_ALL_STUDIES
        }
        Job.objects.filter(pk=job.pk).update(figures={**figures, "table": name})
