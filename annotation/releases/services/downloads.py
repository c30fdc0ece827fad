"""Large exports, prepared in the background: a file that waits an hour to be fetched."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.dispatch import receiver

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import sentence as _
from annotation.core.queries import counted_answers
from annotation.core.queries.withdrawals import n_withdrawn
from annotation.core.services import jobs, redaction
from annotation.core.signals import data_erased, study_deleted
from annotation.items.services import lexical
from annotation.kinds.exports.options import ExportOptions
from annotation.models import (
    Adjudication,
    Baseline,
    BaselineReport,
    Exclusion,
    Job,
    Judgment,
    Relabelling,
    Study,
)
from annotation.releases.exports import archive
from annotation.results import exports as label_studio_files

# Somebody may withdraw meanwhile: their answers must not stay in a file that nobody looks after.
KEPT_SECONDS = 60 * 60


@dataclass(frozen=True)
class Prepared:
    """A file that can be fetched."""

    job: Job
    path: Path
    n_bytes: int
    spreadsheet: bool
    # Tasks for Label Studio in place of the tables.
    label_studio: bool
    # Of a rating study: what its test files show.
    options: ExportOptions
    # Whether something was adjudicated, relabelled or measured, or somebody excluded, since.
    is_outdated: bool


@jobs.does(Job.Kind.EXPORT)
def prepare_job(run: jobs.Run) -> None:
    """Write the export that the job's parameters ask for into a file of its own."""
    job = run.job
    population = job.parameters.get("population", "people")
    if population not in counted_answers.POPULATIONS:
        raise AnnotationError(_("Choose people's answers or simulated answers."))
    forget_old()
    lexical.bring_up_to_date(job.study, by=job.requested_by)
    part = _path(job).with_suffix(f".{run.token.hex}.part")
    is_placed = False
    # Made anew if somebody withdrew while it was made.
    while not is_placed:
        n_before = _n_erased(job.study_id)
        # Before anything is read: what is corrected meanwhile may be in the file or not.
        corrections = _corrections(job.study_id, population)
        try:
            with part.open("xb") as file:
                part.chmod(0o600)
                # Everything is read in one transaction, in which nothing can be said.
                if job.parameters.get("label_studio"):
                    label_studio_files.write(job.study, population, file, progress=run.note)
                else:
                    archive.write_archive(
                        job.study,
                        population,
                        file,
                        spreadsheet=bool(job.parameters.get("spreadsheet")),
                        options=ExportOptions.of(job.parameters),
                        progress=run.note,
                    )
            is_placed = _place(run, part, n_before=n_before, corrections=corrections)
        finally:
            part.unlink(missing_ok=True)


@transaction.atomic
def _place(
    run: jobs.Run, part: Path, *, n_before: tuple[int, int], corrections: list[int]
) -> bool:
    """Put a finished file where it is fetched, unless somebody withdrew since it was begun."""
    # Withdrawing and deleting hold this row too: they come before, and are noticed here, or
    # after, and find the file in its place.
    Study.objects.select_for_update(no_key=True).filter(pk=run.job.study_id).first()
    run.keep()
    if _n_erased(run.job.study_id) != n_before:
        return False
    run.keep(ends=True)
    Job.objects.filter(pk=run.job.pk).update(
        parameters={**run.job.parameters, "corrections": corrections}
    )
    part.replace(_path(run.job))
    return True


def _n_erased(study_id: int) -> tuple[int, int]:
    """How often somebody withdrew, and how many comments were blanked."""
    comments = Judgment.objects.filter(assignment__annotator__study=study_id)
    return n_withdrawn(study_id, with_unanswered=True), comments.filter(
        comment=redaction.ERASED
    ).count()


def _corrections(study_id: int, population: str) -> list[int]:
    """How many there are of each kind that a file holds: nothing of it is ever taken away."""
    exclusions = Exclusion.objects.filter(annotator__study=study_id)
    made = [
        Relabelling.objects.filter(study=study_id).count(),
        exclusions.count(),
        exclusions.exclude(lifted_at=None).count(),
    ]
    # What an expert decided is put beside the answers of people only.
    if population == "people":
        decided = Adjudication.objects.filter(study=study_id)
        made += [decided.count(), decided.exclude(lifted_at=None).count()]
        # As are measures: whichever came last.
        measures = Baseline.objects.filter(study=study_id)
        reports = BaselineReport.objects.filter(study=study_id)
        made += [rows.aggregate(last=Max("pk"))["last"] or 0 for rows in (measures, reports)]
        # Comparisons are kept and removed beside the leaderboard that there is.
        newest = reports.order_by("-pk").values_list("parameters__comparisons_revision", flat=True)
        made.append(newest.first() or 0)
    return made


def prepared(study: Study, population: str) -> list[Prepared]:
    """The files that wait to be fetched, the latest of each kind."""
    newest: dict[tuple[bool, bool, ExportOptions], Prepared] = {}
    corrections = _corrections(study.pk, population)
    for job in study.jobs.filter(kind=Job.Kind.EXPORT, state=Job.State.DONE).order_by("-pk")[:20]:
        path = _path(job)
        spreadsheet = bool(job.parameters.get("spreadsheet"))
        label_studio = bool(job.parameters.get("label_studio"))
        options = ExportOptions.of(job.parameters)
        kind = spreadsheet, label_studio, options
        if job.parameters.get("population") != population or kind in newest:
            continue
        if (n_bytes := _size(path)) is not None:
            is_outdated = job.parameters.get("corrections", corrections) != corrections
            newest[kind] = Prepared(
                job, path, n_bytes, spreadsheet, label_studio, options, is_outdated
            )
    return sorted(newest.values(), key=lambda download: (download.spreadsheet, -download.job.pk))


def forget(study_id: int) -> None:
    """Delete the files of a study: somebody withdrew from it, or it is deleted itself."""
    for path in _folder().glob(f"{study_id}-*.zip"):
        path.unlink(missing_ok=True)


@receiver((data_erased, study_deleted))
def forget_at_commit(study_id: int, **_kwargs: object) -> None:
    """Delete the files once it is certain that something in them is taken out."""
    # Robust: a withdrawal stands, also where a file cannot be deleted; the log says so.
    transaction.on_commit(lambda: forget(study_id), robust=True)


def forget_old() -> None:
    """Delete what has waited too long, and what a killed worker left half written."""
    folder = _folder()
    if not folder.is_dir():
        return
    for path in folder.iterdir():
        if path.suffix in {".zip", ".part"} and _age(path) > KEPT_SECONDS:
            path.unlink(missing_ok=True)


def _folder() -> Path:
    return Path(settings.DATA) / "exports"


def _path(job: Job) -> Path:
    folder = _folder()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder / f"{job.study_id}-{job.pk}.zip"


def _age(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _size(path: Path) -> int | None:
    if not path.is_file() or _age(path) > KEPT_SECONDS:
        return None
    return path.stat().st_size


def parameters(
    population: str,
    *,
    spreadsheet: bool = False,
    label_studio: bool = False,
    options: ExportOptions | None = None,
) -> dict[str, Any]:
    """What a job is told; `options` are of rating studies."""
    wanted: dict[str, Any] = {
        "population": population,
        "spreadsheet": spreadsheet,
        "label_studio": label_studio,
    }
    return wanted | (options.as_dict() if options else {})
