"""Writing what was read from files: items of a draft, and judgments that were finished before."""

import os
import re
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Literal

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, User
from django.db import transaction
from django.dispatch import receiver

from annotation.basics.errors import (
    AnnotationError,
    FrozenError,
    ImportProblemsError,
    StateError,
    UnknownKeyError,
)
from annotation.basics.sentences import Problem, Said, mebibytes
from annotation.basics.sentences import sentence as _
from annotation.core.services import jobs
from annotation.core.services.imported_rules import refuse_changing
from annotation.core.signals import study_deleted
from annotation.items.imports import items as item_files
from annotation.items.imports.columns import FoundColumn
from annotation.items.imports.parsed import ParsedItems
from annotation.items.services import adding, finished_answers, imported_items
from annotation.kinds.registry import kind_of
from annotation.kinds.services.design_rows import drop_rows
from annotation.models import Job, Study, Turn
from annotation.studies.services import studies
from annotation.studies.services.filling import filling, refuse_reviewed, take_up_again

_UPLOAD_DAYS = 2
# How much of the work is done when a file has been read.
_READ = 0.7

Progress = Callable[[float, Said], None]


class UnsaidError(StateError):
    """Nobody has said what shall become of the items that are there."""

    code = "not_said"


@dataclass(frozen=True)
class ImportedItems:
    n_items: int
    n_pools: int
    n_contexts: int
    n_incidents: int = 0


def _quietly(share: float, message: Said) -> None:
    """No progress is shown."""


# -- Uploads ------------------------------------------------------------------------------------


def store_upload(
    *, study: Study, file: Iterable[bytes] | IO[bytes], filename: str, by: AbstractBaseUser
) -> dict[str, str]:
    """Keep an uploaded file until it is imported; the answer is the parameters of its job.

    Uploads that nobody imported are forgotten after two days. Raises ImportProblemsError where the
    file is too large, or too much of this researcher waits already.
    """
    folder = _uploads()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    _forget_old(folder)
    name = f"{study.pk}-{by.pk}-{secrets.token_hex(16)}"
    path = folder / name
    n_bytes = _write_new(path, _chunks(file))
    if n_bytes > settings.IMPORT_LIMIT_BYTES:
        path.unlink()
        limit = mebibytes(settings.IMPORT_LIMIT_BYTES)
        raise ImportProblemsError(
            [
                Problem(
                    "too_large",
                    _("the file is larger than %(limit)s, the most that can be imported"),
                    _("split it"),
                )
                % {"limit": limit}
            ]
        )
    _refuse_many(path, by)
    return {"path": name, "filename": Path(filename).name}


@transaction.atomic
def _refuse_many(new: Path, researcher: AbstractBaseUser) -> None:
    """Remove a new upload again where too much of a researcher waits with it.

    Raises ImportProblemsError then. Counted under the researcher's lock, after writing: two
    uploads at once see each other, and one of them stays.
    """
    User.objects.select_for_update(no_key=True).get(pk=researcher.pk)
    n_bytes = _bytes_of(new.parent, researcher)
    if n_bytes <= settings.IMPORT_QUOTA_BYTES:
        return
    n_kept = n_bytes - new.stat().st_size
    new.unlink()
    raise ImportProblemsError(
        [
            _(
                "%(size)s that you uploaded wait to be imported, and at most %(limit)s may."
                " Import them, or wait: after two days they are forgotten."
            )
            % {
                "size": mebibytes(n_kept),
                "limit": mebibytes(settings.IMPORT_QUOTA_BYTES),
            }
        ]
    )


def _bytes_of(folder: Path, researcher: AbstractBaseUser) -> int:
    """What a researcher uploaded to all studies and nobody has imported yet."""
    n_bytes = 0
    for path in folder.glob(f"*-{researcher.pk}-*"):
        with suppress(FileNotFoundError):  # just imported
            n_bytes += path.stat().st_size
    return n_bytes


def keep_made(name: str, content: bytes) -> None:
    """Keep what was made of an upload as another one, under a name of the same kind."""
    _write_new(_uploads() / name, [content])


def _write_new(path: Path, chunks: Iterable[bytes]) -> int:
    """Write a file that only we may read, as far as it is not too large; its size."""
    n_bytes = 0
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stored:
        for chunk in chunks:
            n_bytes += len(chunk)
            if n_bytes > settings.IMPORT_LIMIT_BYTES:
                break
            stored.write(chunk)
    return n_bytes


def upload(*, study: Study, name: str) -> Path:
    """Where an upload of this study lies; that of another study is unknown here."""
    path = _uploads() / name
    if not re.fullmatch(rf"{study.pk}-\d+-[0-9a-f]{{32}}", name) or not path.is_file():
        raise UnknownKeyError(_("The uploaded file is not there any more; upload it again."))
    return path


def read_beginning(
    *, study: Study, name: str, filename: str, columns: Mapping[str, str] | None = None
) -> ParsedItems:
    """Read an upload for the preview, as far as a request may take; the import reads all of it.

    Raises ImportProblemsError with all problems of what was read, UnknownColumnsError where
    `columns` have to be said.
    """
    return item_files.read(
        upload(study=study, name=name),
        filename=filename,
        kind=kind_of(study).items,
        tuple_size=kind_of(study).items.tuple_size(study),
        categories=_categories(study),
        allows_repeats=study.is_imported,
        columns=columns,
        limit_bytes=settings.IMPORT_LIMIT_BYTES,
        beginning_bytes=settings.IMPORT_PREVIEW_BYTES,
    )


def found_columns(*, study: Study, name: str, filename: str) -> list[FoundColumn]:
    """The columns of an uploaded table, so that somebody can say what they are.

    Raises ImportProblemsError where it is no table.
    """
    return item_files.found_columns(
        upload(study=study, name=name),
        filename=filename,
        kind=kind_of(study).items,
        beginning_bytes=settings.IMPORT_PREVIEW_BYTES,
    )


def is_short(path: Path) -> bool:
    """Whether an upload may be read to its end within a request."""
    return path.stat().st_size <= settings.IMPORT_PREVIEW_BYTES


def request(
    *,
    study: Study,
    name: str,
    filename: str,
    earlier: Literal["keep", "replace"] | None,
    by: AbstractBaseUser,
    columns: Mapping[str, str] | None = None,
) -> Job:
    """Queue the import of an upload. `earlier`: what becomes of the items that are there.

    `columns`: what the columns of a table are, where their names do not say it.

    Raises UnsaidError where that has to be said, StateError while another import goes on.
    """
    upload(study=study, name=name)
    has_some = study.items.exists() or study.context_groups.exists()
    add = adding.can_add(study) and earlier == "keep"
    if has_some and not add and earlier != "replace":
        raise UnsaidError(
            _("Say whether the earlier items are kept or replaced; nothing was changed.")
            if adding.can_add(study)
            else _("Tick that the earlier items shall be replaced; nothing was changed.")
        )
    job = jobs.start(
        study=study,
        kind=Job.Kind.IMPORT_ITEMS,
        parameters={
            "path": name,
            "filename": filename,
            "add": add,
            **({"columns": dict(columns)} if columns else {}),
        },
        by=by,
    )
    if job.parameters.get("path") != name:
        raise StateError(_("Another import is not finished yet; this file was not imported."))
    return job


def forget_upload(*, study: Study, name: str) -> None:
    upload(study=study, name=name).unlink(missing_ok=True)


def forget_old() -> None:
    """Forget what nobody imported, also where no other file comes: it may name people."""
    folder = _uploads()
    if folder.is_dir():
        _forget_old(folder)


@receiver(study_deleted)
def forget_uploads(study_id: int, **_kwargs: object) -> None:
    """Delete the uploads of a study once it is certain that it is deleted."""
    transaction.on_commit(lambda: _delete_uploads(study_id), robust=True)


def _delete_uploads(study_id: int) -> None:
    for path in _uploads().glob(f"{study_id}-*"):
        path.unlink(missing_ok=True)


def _uploads() -> Path:
    return Path(settings.MEDIA_ROOT) / "imports"


def _chunks(file: Iterable[bytes] | IO[bytes]) -> Iterator[bytes]:
    # An uploaded file of Django yields lines when iterated, which may be as long as the file.
    chunks: Callable[[], Iterator[bytes]] | None = getattr(file, "chunks", None)
    yield from chunks() if chunks else file


def _forget_old(folder: Path) -> None:
    too_old = time.time() - _UPLOAD_DAYS * 24 * 60 * 60
    for path in folder.iterdir():
        with suppress(FileNotFoundError):  # somebody has just imported it
            if path.stat().st_mtime < too_old:
                path.unlink()


# -- Items --------------------------------------------------------------------------------------


def import_items_job(run: jobs.Run) -> None:
    """Import an upload, whose name and file name are the job's parameters; then delete it.

    With `finished` among them it has answers, and what they say is how it is read.
    """
    job = run.job
    if "imported" in job.parameters:
        return  # a worker stored the items and died before it could say so
    name, filename = job.parameters["path"], job.parameters["filename"]
    path = upload(study=job.study, name=name)
    try:
        take_up_again(run)
        if finished := job.parameters.get("finished"):
            finished_answers.import_finished(
                study=job.study,
                source=finished_answers.Source(path, **finished),
                progress=run.progress,
                run=run,
            )
        else:
            import_items(
                study=job.study,
                path=path,
                filename=filename,
                add=job.parameters.get("add", False),
                columns=job.parameters.get("columns"),
                progress=run.progress,
                run=run,
            )
    except AnnotationError:
        # Refused: it has to be repaired and uploaded again.
        path.unlink(missing_ok=True)
        raise
    path.unlink(missing_ok=True)


def import_items(
    *,
    study: Study,
    path: str | Path | IO[bytes],
    filename: str,
    add: bool = False,
    columns: Mapping[str, str] | None = None,
    will_be_imported: bool = False,
    progress: Progress = _quietly,
    run: jobs.Run | None = None,
) -> ImportedItems:
    """Give a draft the items of a file: all of them or, if one is wrong, none.

    They take the place of those it has; with `add` they come after them. A job, with its `run`,
    stores them in short transactions; else it is done in one. Two items may have the same texts
    in a study of imported values, which this one is or `will_be_imported`. Raises
    ImportProblemsError with every problem, FrozenError if the study was opened.
    """
    refuse_opened(study)
    kind = kind_of(study)
    tuple_size = kind.items.tuple_size(study)
    parsed = item_files.read(
        path,
        filename=filename,
        kind=kind.items,
        tuple_size=tuple_size,
        categories=_categories(study),
        allows_repeats=study.is_imported or will_be_imported,
        columns=columns,
        limit_bytes=settings.IMPORT_LIMIT_BYTES,
        progress=lambda share, message: progress(_READ * share, message),
    )
    imported = ImportedItems(
        n_items=len(parsed.items),
        n_pools=parsed.n_pools,
        n_contexts=len(parsed.contexts),
        n_incidents=len(parsed.groups),
    )
    progress(_READ, _writing(imported))
    n_rows = imported_items.n_rows(parsed)
    n_written = 0

    def begin(study: Study) -> None:
        refuse_opened(study)
        if kind_of(study) is not kind:
            raise StateError(
                _("The kind of the study was changed meanwhile: import the file again.")
            )
        if kind.items.tuple_size(study) != tuple_size:
            raise StateError(_("The tuple size was changed meanwhile: import the file again."))
        if add:
            _refuse_clashes(study, parsed)

    def on_rows(n: int) -> None:
        nonlocal n_written
        n_written += n
        progress(_READ + (1 - _READ) * min(n_written / n_rows, 1.0), _writing(imported))

    with filling(study, run, begin=begin, keeps_material=add, on_rows=on_rows) as draft:
        if add:
            draft.delete_design()
        else:
            draft.delete_material()
        imported_items.store(draft, parsed)
        with draft.finish():
            draft.note(imported=asdict(imported))
    progress(1.0, _imported(imported))
    return imported


def _writing(imported: ImportedItems) -> Said:
    if imported.n_incidents:
        return _("writing %(n)s incidents") % {"n": imported.n_incidents}
    return _("writing %(n)s items") % {"n": imported.n_items}


def _imported(imported: ImportedItems) -> Said:
    if imported.n_incidents:
        return _("%(n)s incidents imported") % {"n": imported.n_incidents}
    return _("%(n)s items imported") % {"n": imported.n_items}


def _categories(study: Study) -> list[str]:
    """The names that a label study offers; none while nobody has written them."""
    return list(study.categories.get("names", []))


def refuse_opened(study: Study) -> None:
    if study.is_imported:
        refuse_changing(study)
    elif not study.is_draft:
        raise FrozenError(
            _(
                "The items are frozen since the study was opened, because people have seen them."
                " Make a new study for other items."
            )
        )
    studies.refuse_file(study)
    studies.refuse_filling(study)


def _refuse_clashes(study: Study, parsed: ParsedItems) -> None:
    if reason := kind_of(study).items.why_no_additions:
        raise StateError(reason)
    if problems := adding.clashes(study, parsed):
        raise ImportProblemsError(problems)


def forget_designs(study: Study) -> None:
    """Forget what was made of a draft's items. The caller holds the study's lock."""
    for design in study.designs.all():
        drop_rows(design)


def drop_items(study: Study) -> None:
    """Forget a draft's items and the plan made of them. The caller holds the study's lock.

    Raises StateError where a review of their labels has copies of them.
    """
    refuse_reviewed(study)
    forget_designs(study)
    study.items.all().delete()
    study.pools.all().delete()
    # A million turns are not fetched to be deleted: no row names them any more, and if one did,
    # the database would refuse.
    turns = Turn.objects.filter(context__study=study)
    turns._raw_delete(turns.db)
    study.contexts.all().delete()
    study.context_groups.all().delete()
