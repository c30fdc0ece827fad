"""One ZIP with everything about a study, written as it is read."""

import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from django.conf import settings

from annotation.baselines.exports import baselines
from annotation.core.exports.members import Archive, FurtherFiles, Progress, quietly
from annotation.core.exports.release_facts import ReleaseFacts
from annotation.core.queries import snapshots
from annotation.core.queries.counted_answers import Population
from annotation.items.exports import imported_table, lexical
from annotation.kinds.exports import checks, consents, relabelled, working_times
from annotation.kinds.exports.options import ExportOptions
from annotation.kinds.registry import kind_of
from annotation.models import Study
from annotation.people import exports as signs
from annotation.questionnaires.exports import questionnaires
from annotation.releases.exports import change_log, documents
from annotation.reviews.exports import reviews

_OF_TABLES: Sequence[FurtherFiles] = (baselines, lexical, relabelled)
_OF_ANSWERS: Sequence[FurtherFiles] = (
    checks,
    reviews,
    *_OF_TABLES,
    consents,
    questionnaires,
    signs,
    working_times,
)


def write_archive(
    study: Study,
    population: Population,
    file: IO[bytes],
    *,
    spreadsheet: bool = False,
    options: ExportOptions | None = None,
    release: ReleaseFacts | None = None,
    progress: Progress = quietly,
) -> None:
    """Write the export of one population to a file, which need not be seekable.

    Everything is read from one moment; memory does not grow with the answers of a best-worst
    study, and by 80 bytes with each rating. `options` are of rating studies;
    label studies take the sentences of context from them. A release has its documents beside
    the tables, and nothing in it is read from the clock.
    """
    with snapshots.snapshot(), zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        study = Study.objects.get(pk=study.pk)
        made = Archive(
            study,
            study.design,
            population,
            archive,
            spreadsheet,
            progress=progress,
            release=release,
            further=_OF_TABLES if study.is_imported_table else _OF_ANSWERS,
        )
        facts = (
            imported_table.write(made)
            if study.is_imported_table
            else kind_of(study).releases.write(made, options or ExportOptions())
        )
        made.write_further()
        made.study_json(facts | reviews.facts(made))
        if release:
            made.member("CHANGELOG.md", [change_log.markdown(release.changes)])
            documents.write(made, release)
        made.member("SHA256SUMS", list(made.sums))


def temporary_archive(
    study: Study,
    population: Population,
    *,
    spreadsheet: bool = False,
    options: ExportOptions | None = None,
) -> IO[bytes]:
    """The export as an open file without a name."""
    return temporary_file(
        lambda file: write_archive(
            study, population, file, spreadsheet=spreadsheet, options=options
        )
    )


def temporary_file(write: Callable[[IO[bytes]], None]) -> IO[bytes]:
    """An open file without a name, read from its start: closing it leaves nothing behind."""
    folder = Path(settings.DATA) / "exports"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - the response closes it
    try:
        write(file)
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return file
