"""One ZIP with everything about a study, written as it is read."""

import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

from django.conf import settings

from annotation.core.exports.members import Archive, Progress, quietly
from annotation.core.exports.release_facts import ReleaseFacts
from annotation.core.queries import snapshots
from annotation.core.queries.counted_answers import Population
from annotation.items.exports import imported_table, lexical
from annotation.kinds.best_worst.exports import members as best_worst
from annotation.kinds.exports import consents, corrections, working_times
from annotation.kinds.label.exports import members as labels
from annotation.kinds.rating.exports import members as ratings
from annotation.kinds.rating.exports.options import RatingOptions
from annotation.kinds.selection.exports import members as selections
from annotation.models import Study
from annotation.models.kinds import QuestionKind
from annotation.releases.exports import change_log, documents


def write_archive(
    study: Study,
    population: Population,
    file: IO[bytes],
    *,
    spreadsheet: bool = False,
    options: RatingOptions | None = None,
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
        )
        if study.is_imported_table:
            imported_table.write(made)
        elif study.kind == QuestionKind.RATING:
            ratings.write(made, options or RatingOptions())
        elif study.kind == QuestionKind.LABEL:
            labels.write(made, options or RatingOptions())
        elif study.kind == QuestionKind.SELECTION:
            selections.write(made)
        else:
            best_worst.write(made)
        lexical.write(made)
        if study.is_imported_table:
            corrections.write_relabelled(made)
        else:
            corrections.write(made)
            consents.write(made)
            working_times.write(made)
        if release:
            made.member("CHANGELOG.md", [change_log.markdown(release.changes)])
            documents.write(made, release)
        made.member("SHA256SUMS", list(made.sums))


def temporary_archive(
    study: Study,
    population: Population,
    *,
    spreadsheet: bool = False,
    options: RatingOptions | None = None,
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
    file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - whoever answers closes it
    try:
        write(file)
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return file
