"""A folder of another tool's files, packed as a ZIP or not."""

import lzma
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import IO, Any, Protocol

from annotation.basics.errors import ImportProblemsError
from annotation.basics.numbers import grouped
from annotation.basics.sentences import Problem, mebibytes
from annotation.basics.sentences import sentence as _

_ENDINGS = {".json", ".jsonl", ".csv", ".tsv"}


_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, OSError),
    *(NotImplementedError, RuntimeError, EOFError, ValueError),
)


# Files and folders of a ZIP: some five for each person.
MAX_ENTRIES = 50_000


# The size of the list of files at the end of a ZIP; each entry becomes an object of a kilobyte.
MAX_DIRECTORY_BYTES = 8 * 1024**2


def is_packed(file: IO[bytes]) -> bool:
    """Whether a file begins like a ZIP; its position is restored."""
    if not file.seekable():
        return False
    here = file.tell()
    start = file.read(4)
    file.seek(here)
    return start == b"PK\x03\x04"


class Folder(Protocol):
    """Names of files and of folders, which may be empty, and what is in a file."""

    names: list[str]
    folders: list[str]

    def content(self, name: str) -> bytes: ...


class _TooManyFilesError(Exception):
    pass


class _Sparing:
    """A file of which no large part is read at once, while an archive looks for its directory.

    What the archive says of the size of the directory need not be true: this is what is read.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.max_bytes: int | None = MAX_DIRECTORY_BYTES

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def read(self, n: int = -1) -> bytes:
        if self.max_bytes is not None and n > self.max_bytes:
            raise _TooManyFilesError
        return self._file.read(n)


class PackedFolder:
    """A ZIP of the folder. Raises ImportProblemsError if it is none, or too large."""

    def __init__(self, file: IO[bytes], limit_bytes: int) -> None:
        sparing = _Sparing(file)
        try:
            self._archive = zipfile.ZipFile(sparing)
        except _TooManyFilesError as error:
            raise _too_many_files() from error
        except _DAMAGED as error:
            raise ImportProblemsError([_("The ZIP is damaged: pack the folder again.")]) from error
        sparing.max_bytes = None
        if len(self._archive.infolist()) > MAX_ENTRIES:
            raise _too_many_files()
        infos = [info for info in self._archive.infolist() if not info.is_dir()]
        # If several files have one name, only the last is read, and only once.
        self.names = list(dict.fromkeys(info.filename for info in infos))
        self.folders = [info.filename for info in self._archive.infolist() if info.is_dir()]
        if "[Content_Types].xml" in self.names:
            raise ImportProblemsError(
                [
                    _(
                        "This is an Excel workbook, not a text file: save it as CSV or TSV"
                        " (UTF-8) and upload that."
                    )
                ]
            )
        _check_size(
            sum(info.file_size for info in infos if is_data_file(info.filename)), limit_bytes
        )
        self._limit = limit_bytes

    def content(self, name: str) -> bytes:
        try:
            with self._archive.open(name) as member:
                # What an archive says of its sizes need not be true.
                return member.read(self._limit)
        except _DAMAGED as error:
            raise ImportProblemsError(
                [
                    Problem(
                        "unreadable",
                        _("%(file)s cannot be unpacked"),
                        _("pack the folder again, without a password"),
                    )
                    % {"file": name}
                ]
            ) from error


class UnpackedFolder:
    def __init__(self, folder: Path, limit_bytes: int) -> None:
        self._folder = folder
        paths = sorted(folder.rglob("*"))
        files = [path for path in paths if path.is_file()]
        self.names = [path.relative_to(folder).as_posix() for path in files]
        self.folders = [path.relative_to(folder).as_posix() for path in paths if path.is_dir()]
        _check_size(
            sum(path.stat().st_size for path in files if is_data_file(path.name)), limit_bytes
        )

    def content(self, name: str) -> bytes:
        try:
            return (self._folder / name).read_bytes()
        except OSError as error:
            raise ImportProblemsError(
                [
                    Problem(
                        "unreadable",
                        _("%(file)s cannot be read"),
                        _("make it readable, then import again"),
                    )
                    % {"file": name}
                ]
            ) from error


def is_data_file(name: str) -> bool:
    return PurePosixPath(name).suffix.lower() in _ENDINGS


def _too_many_files() -> ImportProblemsError:
    return ImportProblemsError(
        [
            Problem(
                "too_large",
                _("the ZIP has more than %(n)s files and folders"),
                _(
                    "pack only the folder named in the project's output_annotation_dir, "
                    "or split it"
                ),
            )
            % {"n": grouped(MAX_ENTRIES)}
        ]
    )


def _check_size(n_bytes: int, limit_bytes: int) -> None:
    if n_bytes > limit_bytes:
        raise ImportProblemsError(
            [
                Problem(
                    "too_large",
                    _("the folder has %(size)s, and the limit is %(limit)s"),
                    _("split it"),
                )
                % {"size": mebibytes(n_bytes), "limit": mebibytes(limit_bytes)}
            ]
        )
