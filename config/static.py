"""Static files under names that change with their content, so that browsers never ask twice."""

import hashlib
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.apps import StaticFilesConfig
from django.contrib.staticfiles.finders import get_finders
from django.core.files.storage import Storage
from django.core.management import call_command
from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStaticFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # untyped
    """The modules that a script imports are hashed like the script itself.

    Otherwise each of them is asked for again on nearly every page, one after the other.
    """

    support_js_module_import_aggregation = True

    @cached_property
    def _urls(self) -> dict[str, str]:
        return {}

    def url(self, name: str, force: bool = False) -> str:
        # A page names twenty files, and the manifest is read only once anyway.
        if force or name not in self._urls:
            self._urls[name] = super().url(name, force)
        return self._urls[name]


def sources() -> Iterator[tuple[str, str, Storage]]:
    """Each file that collectstatic collects: its name, and its path in its storage."""
    for finder in get_finders():
        for path, storage in finder.list(StaticFilesConfig.ignore_patterns):
            prefix = getattr(storage, "prefix", "")
            yield f"{prefix}/{path}" if prefix else path, path, storage


def collect_changed() -> None:
    """Collect all files if one was changed since this did so, or if there is another version."""
    stamp, digest = Path(settings.STATIC_ROOT) / "collected.txt", _digest_of_sources()
    if stamp.exists() and stamp.read_text() == digest:
        return
    call_command("collectstatic", verbosity=0, interactive=False)
    stamp.write_text(digest)


def _digest_of_sources() -> str:
    digest = hashlib.sha256(settings.VERSION.encode())
    for name, path, storage in sources():
        file = Path(storage.path(path)).stat()
        digest.update(f"{name} {file.st_size} {file.st_mtime_ns}\n".encode())
    return digest.hexdigest()
