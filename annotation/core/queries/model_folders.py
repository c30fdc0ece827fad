"""The models that lie below the folder of models on this machine, to be proposed by a form.

Whether they can be read is found out by the worker, which may run elsewhere and have others.
"""

from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User

from annotation.models import Study

# Those that were trained here lie in it.
FOLDER = "trained"
# Deep enough for organisation/model, and for trained/study/name/seed-1/model.
_DEPTH = 5
_MOST = 200
_MARKS = ("config.json", "modules.json")
_VECTORS = {".vec", ".bin", ".txt", ".w2v"}


def names(user: User) -> list[str]:
    """As the form takes them: paths relative to the folder, of models and of word vectors.

    Of those that were trained here only the ones of studies that the researcher may see.
    """
    seen = set(Study.objects.seen_by(user).values_list("pk", flat=True))
    folders = []
    for path in _models(settings.MODELS, _DEPTH):
        study = study_of(path.relative_to(settings.MODELS).as_posix())
        if study is not None and study not in seen:
            continue
        folders.append(path.relative_to(settings.MODELS).as_posix())
        if len(folders) == _MOST:
            break
    return folders


def study_of(model: str) -> int | None:
    """Key of the study that a model was trained for; None for models from elsewhere."""
    models = settings.MODELS.resolve()
    folder = resolved(model)
    if folder is None or not folder.is_relative_to(models / FOLDER):
        return None
    parts = folder.relative_to(models / FOLDER).parts
    # Anything else in there is nobody's.
    return int(parts[0]) if parts and parts[0].isdecimal() else 0


def resolved(model: str) -> Path | None:
    """Where a model lies, by its name below the folder of models."""
    try:
        return (settings.MODELS.resolve() / model).resolve()
    except (OSError, ValueError):
        # No name of a folder, such as one with NUL; whoever looks for it says so.
        return None


def encoders(user: User) -> list[str]:
    """Those of them that may encode sentences: no files of word vectors."""
    return [name for name in names(user) if Path(name).suffix not in _VECTORS]


def _models(folder: Path, depth: int) -> Iterator[Path]:
    try:
        inside = sorted(folder.iterdir())
    except OSError:
        # Not there, or not ours to read: then there is nothing to propose.
        return
    for path in inside:
        if path.name.startswith(".") or _leads_out(path):
            continue
        if path.is_dir():
            if any((path / mark).is_file() for mark in _MARKS):
                yield path
            elif depth > 1:
                yield from _models(path, depth - 1)
        elif path.suffix in _VECTORS:
            yield path


def _leads_out(path: Path) -> bool:
    """A link to elsewhere, which nobody may read."""
    return path.is_symlink() and not path.resolve().is_relative_to(settings.MODELS.resolve())
