"""Having pairs drawn for a draft, in the background: looked at before they are imported."""

from collections.abc import Mapping
from dataclasses import asdict

from django.contrib.auth.models import User
from django.db.models import QuerySet

from annotation.errors import AnnotationError
from annotation.models import Job, Study
from annotation.sentences import sentence as _
from annotation.services import imports, jobs
from annotation.services.sampled_pairs import Asked


def jobs_of(study: Study) -> QuerySet[Job]:
    """What was drawn for a study, or will be."""
    return study.jobs.filter(kind=Job.Kind.IMPORT_ITEMS, parameters__has_key="sampled")


def check_can_draw(study: Study) -> None:
    """Raise what forbids it, before a file is kept."""
    imports.refuse_opened(study)
    if not study.asks_about_pairs:
        raise AnnotationError(_("Pairs are drawn for rating and label studies only."))


def request(*, study: Study, upload: Mapping[str, str], asked: Asked, by: User) -> Job:
    """Queue a drawing from a file that `imports.store_upload` keeps."""
    check_can_draw(study)
    wanted = {name: upload[name] for name in ("path", "filename")} | {"sampled": asdict(asked)}
    job = jobs.start(study=study, kind=Job.Kind.IMPORT_ITEMS, parameters=wanted, by=by)
    if job.parameters != wanted:
        raise AnnotationError(_("Another import is not finished yet; this file was not imported."))
    return job
