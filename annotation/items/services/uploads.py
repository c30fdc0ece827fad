"""Uploaded files that wait to be imported, and are forgotten if nobody imports them."""

import os
import re
import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, User
from django.db import transaction
from django.dispatch import receiver

from annotation.basics.errors import (
    ImportProblemsError,
    UnknownKeyError,
)
from annotation.basics.sentences import Problem, mebibytes
from annotation.basics.sentences import sentence as _
from annotation.core.signals import study_deleted
from annotation.models import Study

_UPLOAD_DAYS = 2


def store_upload(
    *, study: Study, file: Iterable[bytes] | IO[bytes], filename: str, by: AbstractBaseUser
) -> dict[str, str]:
    """Keep an uploaded file until it is imported; the answer is the parameters of its job.

    Uploads that nobody imported are forgotten after two days. Raises ImportProblemsError if the
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
                    _("the file is larger than %(limit)s, the import limit"),
                    _("split it"),
                )
                % {"limit": limit}
            ]
        )
    _refuse_many(path, by)
    return {"path": name, "filename": Path(filename).name}


@transaction.atomic
def _refuse_many(new: Path, researcher: AbstractBaseUser) -> None:
    """Remove a new upload again if too much of a researcher waits with it.

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
                "Your uploaded files take %(size)s, and the limit is %(limit)s. "
                "Import them, or wait: they are deleted after two days."
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
        raise UnknownKeyError(_("The uploaded file is no longer there. Upload it again."))
    return path


def is_short(path: Path) -> bool:
    """Whether an upload may be read to its end within a request."""
    return path.stat().st_size <= settings.IMPORT_PREVIEW_BYTES


def forget_upload(*, study: Study, name: str) -> None:
    upload(study=study, name=name).unlink(missing_ok=True)


def forget_old() -> None:
    """Forget what nobody imported, also if no other file comes: it may name people."""
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
