"""Making a release: its ZIP is on disk before its row says so, and neither is changed again."""

import hashlib
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Count, QuerySet

from annotation.basics import clock
from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.sentences import Said, ngettext
from annotation.basics.sentences import sentence as _
from annotation.core.queries import counted_answers
from annotation.core.queries.held_for_review import held_for_review
from annotation.core.queries.snapshots import snapshot
from annotation.core.queries.withdrawals import n_withdrawn
from annotation.core.services import jobs, redaction
from annotation.core.services.job_rows import JobRows, forget_half_stored
from annotation.core.services.locks import lock_study
from annotation.core.services.many_rows import RowWriter
from annotation.items.services import lexical
from annotation.kinds.exports.options import ExportOptions
from annotation.kinds.queries import study_facts
from annotation.kinds.registry import kind_of
from annotation.models import (
    Adjudication,
    Exclusion,
    Job,
    Judgment,
    Relabelling,
    Release,
    ReleaseShare,
    Study,
)
from annotation.releases.exports import archive
from annotation.releases.queries import left_out
from annotation.releases.queries import releases as queries
from annotation.releases.release_description import Description
from annotation.results.queries import outdated
from annotation.results.services.scoring import options_of

MAX_NOTES_LENGTH = 20_000
# Made anew where answers come in, or something is corrected, while it is made.
MAX_TRIES = 10
# What a killed worker left half written is deleted after so long.
KEPT_SECONDS = 60 * 60


class FileError(AnnotationError):
    """The file of a release is not what was made."""

    code = "damaged_file"
    status = 500


@dataclass(frozen=True)
class _Made:
    """A file that was written, and what its row will say."""

    columns: dict[str, Any]
    shares: dict[int, int]


# -- Starting -----------------------------------------------------------------------------------


def start(
    *,
    study: Study,
    description: Description,
    notes: str = "",
    options: ExportOptions | None = None,
    by: AbstractBaseUser | None = None,
) -> Job:
    """Queue the making of the next release; asked for twice, it is made once.

    Raises StateError if nothing can be released, or another one is being made.
    """
    wanted = _parameters(study, description, notes, options)
    job = jobs.start(study=study, kind=Job.Kind.RELEASE, parameters=wanted, by=by)
    if job.parameters != wanted:
        raise StateError(_("Another release is being made. Wait until it is finished."))
    return job


def make_here(
    *,
    study: Study,
    description: Description,
    notes: str = "",
    options: ExportOptions | None = None,
    by: AbstractBaseUser | None = None,
    on_start: Callable[[Job], None] | None = None,
) -> Job:
    """Make the next release now, in this process: for commands. Raises as `start` does."""
    wanted = _parameters(study, description, notes, options)
    return jobs.run_here(
        study=study, kind=Job.Kind.RELEASE, parameters=wanted, by=by, on_start=on_start
    )


def refusal(study: Study) -> Said:
    """Why nothing of a study can be released; empty if something can."""
    if study.is_imported_table:
        return "" if study.items.exists() else _("There are no items yet. Import them first.")
    design = study.designs.order_by("-number").first()
    if design is None or not design.is_made:
        return _("There is no design yet, so there is nothing to release.")
    if not counted_answers.basis(design, "people").n_judgments:
        if held := held_for_review(design, "people"):
            return ngettext(
                "No answers count yet. The answers of %(n)s person are held for review on People.",
                "No answers count yet. The answers of %(n)s people are held for review on People.",
                "n",
            ) % {"n": held.n_people}
        return _(
            "No answers count yet. A release contains only answers from people who have completed"
            " a booklet, never simulated answers."
        )
    return ""


def _parameters(
    study: Study, description: Description, notes: str, options: ExportOptions | None
) -> dict[str, Any]:
    if len(notes) > MAX_NOTES_LENGTH or "\x00" in notes:
        raise AnnotationError(
            _("What changed: write at most %(most)s characters, without NUL.")
            % {"most": MAX_NOTES_LENGTH}
        )
    if refused := refusal(study):
        raise StateError(refused)
    has_options = kind_of(study).releases.has_options and not study.is_imported_table
    if study.is_imported_table:
        # The columns of its file are what is released.
        description = replace(description, metadata=True)
    return {
        "description": description.as_json,
        "notes": notes.strip(),
        "options": (options or ExportOptions()).as_dict() if has_options else {},
    }


# -- Making -------------------------------------------------------------------------------------


@jobs.does(Job.Kind.RELEASE)
def release_job(run: jobs.Run) -> None:
    """Write the next release and store it."""
    forget_unfinished()
    part = _folder() / f"{run.job.study_id}.{run.token.hex}.part"
    for _try in range(MAX_TRIES):
        _bring_up_to_date(run)
        before = _marks(run.job.study_id)
        try:
            made = _write(run, part)
            if made and _place(run, part, made, before):
                return
        finally:
            part.unlink(missing_ok=True)
    raise AnnotationError(
        _(
            "The data kept changing while the release was being made. Pause the "
            "study, then make the release again."
        )
    )


def is_up_to_date(study: Study) -> bool:
    """Whether the scores are of the answers that count now; what has no scores always is."""
    if study.is_imported_table:
        return True
    result = study_facts.latest_result(study.design, "people")
    return result is not None and not outdated.since(result, "people")


def _bring_up_to_date(run: jobs.Run) -> None:
    """Score what is not scored: a release never has scores of other answers than its own."""
    study = run.job.study
    lexical.bring_up_to_date(study, by=run.job.requested_by)
    if is_up_to_date(study):
        return
    run.progress(0.0, _("scoring the answers that count now"))
    result = study_facts.latest_result(study.design, "people")
    parameters = {"population": "people", **options_of(study, "people")}
    if result and "n_splits" in result.parameters:
        parameters["n_splits"] = result.parameters["n_splits"]
    job = jobs.run_here(
        study=study, kind=Job.Kind.SCORE, parameters=parameters, by=run.job.requested_by
    )
    if job.state != Job.State.DONE:
        raise AnnotationError(
            _("The answers could not be scored: %(why)s") % {"why": "; ".join(job.problems)}
        )


def _write(run: jobs.Run, part: Path) -> _Made | None:
    """The file, all of it from one moment; None where the scores were of another one."""
    parameters = run.job.parameters
    description = Description.of(parameters["description"])
    with snapshot():
        study = Study.objects.get(pk=run.job.study_id)
        if not is_up_to_date(study):
            return None
        last, now = queries.latest(study), queries.contents(study)
        if refused := refusal(study):
            raise StateError(refused)
        number, made_at = (last.number + 1 if last else 1), clock.now()
        lines = queries.stored_lines(
            parameters["notes"],
            [
                *queries.differences(study, now, last, description),
                *left_out.told_leaderboards(study, description),
                *left_out.told_comments(study, description),
                *left_out.told_columns(study, description),
            ],
        )
        facts = queries.facts(
            description,
            number=number,
            made_at=made_at,
            changes=(
                queries.own_change(number, made_at, lines),
                *queries.changes_before(study, number),
            ),
        )
        with part.open("xb") as file:
            part.chmod(0o600)
            archive.write_archive(
                study,
                "people",
                file,
                options=ExportOptions.of(parameters["options"]),
                release=facts,
                progress=run.note,
            )
            file.flush()
            os.fsync(file.fileno())
        columns = {
            "study": study,
            "number": number,
            "design": study.design,
            "made_at": made_at,
            "notes": parameters["notes"],
            "description": description.as_json,
            "options": parameters["options"],
            "changes": lines,
            "state": study.state,
            "measures": now.measures,
            "sources": now.sources,
            "n_items": now.n_items,
            "n_judgments": now.n_judgments,
            "n_people": now.n_people,
            "last_judgment": now.last_judgment,
            "digest": digest_of(part),
            "n_bytes": part.stat().st_size,
            "code_version": settings.VERSION,
        }
    return _Made(columns, now.shares)


def _place(run: jobs.Run, part: Path, made: _Made, before: tuple[int, ...]) -> bool:
    """Store a release, unless something that it should say happened since it was begun."""
    study_id = run.job.study_id
    rows = JobRows(run)
    _forget_half_stored(Release._base_manager.filter(study=study_id))
    (release,) = rows.insert(
        Release, [Release(**made.columns, by_id=run.job.requested_by_id, job_id=run.job.pk)]
    )
    rows.write(
        RowWriter(ReleaseShare, ("assignment_id", "n_judgments"), release_id=release.pk),
        sorted(made.shares.items()),
    )
    rows.let_others_in()
    with transaction.atomic():
        # Withdrawals and corrections lock this row, too: they come before, and are noticed
        # here, or after, and find the release, beside which they are written.
        lock_study(study_id)
        run.keep()
        if _marks(study_id) == before:
            run.keep(ends=True)
            # Last: where it fails there is no release, and where the row is not kept, the next
            # one of this number takes the place of the file.
            part.replace(_path(release))
            _keep_name(_folder())
            return True
    _forget_half_stored(Release._base_manager.filter(pk=release.pk))
    return False


def _forget_half_stored(releases: QuerySet[Release]) -> None:
    forget_half_stored(releases.exclude(job__state=Job.State.DONE), (ReleaseShare, "release"))


def _marks(study_id: int) -> tuple[int, ...]:
    """What a change between two looks changes: none of these numbers ever goes down.

    Counted, because the clocks of two machines differ.
    """
    exclusions = Exclusion.objects.filter(annotator__study=study_id)
    adjudications = Adjudication.objects.filter(study=study_id)
    counted = (
        exclusions,
        exclusions.exclude(lifted_at=None),
        adjudications,
        adjudications.exclude(lifted_at=None),
        Relabelling.objects.filter(study=study_id),
        Release.objects.filter(study=study_id),
        # Withdrawing empties comments, too, and is counted itself.
        Judgment.objects.filter(assignment__annotator__study=study_id, comment=redaction.ERASED),
    )
    return (
        n_withdrawn(study_id, with_unanswered=True),
        *(rows.order_by().aggregate(n=Count("pk"))["n"] for rows in counted),
    )


# -- Files --------------------------------------------------------------------------------------


def path(release: Release) -> Path:
    """Its file; raises FileError if that is missing or of another size."""
    if why := size_problem(release):
        raise FileError(why)
    return _path(release)


def problem(release: Release) -> Said:
    """What is wrong with its file, read to its end; empty if nothing is."""
    if why := size_problem(release):
        return why
    if digest_of(_path(release)) != release.digest:
        return _altered(release)
    return ""


def size_problem(release: Release) -> Said:
    """Whether its file is missing or of another size, without reading it."""
    try:
        n_bytes = _path(release).stat().st_size
    except FileNotFoundError:
        return _("The file of release %(number)s is missing: restore %(file)s from a backup.") % {
            "number": release.number,
            "file": _path(release).name,
        }
    return "" if n_bytes == release.n_bytes else _altered(release)


def _altered(release: Release) -> Said:
    return _(
        "The file of release %(number)s has been altered: restore %(file)s from a backup."
    ) % {"number": release.number, "file": _path(release).name}


def strangers() -> Iterator[str]:
    """Files that no release knows, such as one of a worker that was killed at the last moment."""
    known = {_path(release).name for release in Release.objects.select_related(None)}
    folder = Path(settings.DATA) / "releases"
    if folder.is_dir():
        yield from sorted(p.name for p in folder.glob("*.zip") if p.name not in known)


def digest_of(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def forget_unfinished() -> None:
    """Delete what a killed worker left half written."""
    _forget_half_stored(Release._base_manager.exclude(job__state__in=Job.UNFINISHED))
    for part in _folder().glob("*.part"):
        try:
            if time.time() - part.stat().st_mtime > KEPT_SECONDS:
                part.unlink()
        except FileNotFoundError:
            continue


def _folder() -> Path:
    folder = Path(settings.DATA) / "releases"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def _path(release: Release) -> Path:
    return _folder() / f"{release.study_id}-{release.number}.zip"


def _keep_name(folder: Path) -> None:
    """A file's new name outlives a power cut."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
