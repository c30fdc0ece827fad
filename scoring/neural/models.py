"""Where a model's files are, whether they may be read, and which revision they are.

A name is a folder below the folder of models, or a name of the hub such as org/name. Whoever types
it may be a stranger to this machine: no name leads out of the folder of models, no weights are
unpickled, and no code that comes with a model is run.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scoring.neural import packages
from scoring.neural.model_inspection import files_in, inspect_folder, is_read, refuse_links_in
from scoring.neural.refusals import ModelError
from scoring.neural.vector_store import digests
from scoring.neural.workplace import Settings, Workplace
from shell.messages import Message
from shell.messages import message as _

# The hub takes 96; the name is part of the one by which tables show a measure.
LONGEST_NAME = 100
# What a model's vectors depend on, as files: weights, settings, vocabularies.
_PARTS = {".safetensors", ".json", ".txt", ".model", ".jinja"}
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)


@dataclass(frozen=True)
class Model:
    """A model's folder, which has been looked at, and what identifies its content."""

    name: str
    folder: Path
    revision: str


def find(name: str, *, models: Path | None, store: Path, revision: str = "") -> Model:
    """Find a model by its name.

    Parameters
    ----------
    name : str
        A folder below `models`, by its relative or its whole path; or a name of the hub, org/name.
    models : path or None
        The folder of models (LIKENESS_MODELS).
    store : path
        Where digests of files are kept, so that no file is hashed twice.
    revision : str
        Of the hub: a commit, branch or tag; of a folder: the digest that it must have. Empty: any.

    Raises
    ------
    ModelError
        If there is none, if it is not the revision, or if it may not be read.
    packages.PackagesError
        If the name is one of the hub, and the packages that ask it are missing.
    """
    _check_name(name)
    folder = below(name, models)
    if folder is None and _HUB_NAME.fullmatch(name):
        return _of_hub(name, revision, models)
    if folder is None or not folder.is_dir():
        raise ModelError(_missing(name, models))
    assert models is not None
    inspect_folder(folder, models.resolve())
    digest = digest_of_folder(folder, store)
    if revision and revision != digest:
        raise ModelError(
            _(
                "The model in %(folder)s is another revision than the one asked for: %(found)s,"
                " not %(given)s.",
                folder=str(folder),
                found=digest,
                given=revision,
            )
        )
    return Model(name, folder, digest)


def model_of(settings: Settings, place: Workplace) -> Model:
    """The model that the settings of a measure name; raises as `find` does."""
    name, revision = str(settings["model"]), str(settings["revision"])
    return find(name, models=place.models, store=place.store, revision=revision)


def below(name: str, models: Path | None) -> Path | None:
    """The file or folder of that name below the folder of models; None where there is none.

    Raises
    ------
    ModelError
        If the name leads out of the folder of models.
    """
    _check_name(name)
    if models is None:
        if os.path.isabs(name):
            raise ModelError(_outside(name, models))
        return None
    root = models.resolve()
    # A whole path replaces the root.
    path = (root / name).resolve()
    if path == root or not path.is_relative_to(root):
        raise ModelError(_outside(name, root))
    return path if path.exists() else None


def refuse_links(name: str, models: Path) -> None:
    """Refuse a model here whose folder leads out of the folder of models, or holds such a link.

    Parameters
    ----------
    name : str
        As in `find`; what does not lie here under that name is not refused.
    models : path
        The folder of models (LIKENESS_MODELS).

    Raises
    ------
    ModelError
        With the sentence that `find` has for it.
    """
    root = models.resolve()
    path = root / name
    if not name.isprintable() or ".." in path.parts or not path.is_relative_to(root):
        return
    folder = below(name, models)
    if folder is not None and folder.is_dir():
        refuse_links_in(folder, root)


def _check_name(name: str) -> None:
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable() or "\\" in name:
        raise ModelError(
            _(
                "The name of a model has 1 to %(most)s printable characters and no backslash,"
                " unlike %(given)s.",
                most=LONGEST_NAME,
                given=repr(name[:LONGEST_NAME]),
            )
        )
    if ".." in name.split("/"):
        raise ModelError(
            _("The name of a model has no '..' in it, unlike %(given)s.", given=repr(name))
        )


def _outside(name: str, root: Path | None) -> Message:
    if root is None:
        return _(
            "The model %(given)s does not lie below a folder of models (LIKENESS_MODELS): only"
            " what lies there may be read.",
            given=repr(name),
        )
    return _(
        "The model %(given)s does not lie below the folder of models, %(folder)s: only what lies"
        " there may be read.",
        given=repr(name),
        folder=str(root),
    )


def _missing(name: str, models: Path | None) -> Message:
    """What to say of a model that is neither in the folder of models nor has a hub's name."""
    if models is None:
        return _(
            "There is no model %(given)s, because there is no folder of models here: set"
            " LIKENESS_MODELS to one and put its files there, or give a name of the hub, such as"
            " org/name.",
            given=repr(name),
        )
    folder = str(models / name)
    if _HUB_NAME.fullmatch(name):
        return _(
            "There is no model %(given)s: put its files into the folder %(folder)s.",
            given=repr(name),
            folder=folder,
        )
    return _(
        "There is no model %(given)s: put its files into the folder %(folder)s, or give a name of"
        " the hub, such as org/name.",
        given=repr(name),
        folder=folder,
    )


def _not_allowed(name: str, revision: str, models: Path | None) -> Message:
    """What to say of a model of the hub that this server must not fetch."""
    given = repr(name)
    if models is None and revision:
        return _(
            "There is no model %(given)s, because there is no folder of models here: set"
            " LIKENESS_MODELS to one and put its files there, or ask whoever runs this server to"
            " allow the hub (LIKENESS_HUB=1): the model %(name)s at the revision %(revision)s is"
            " not in this machine's cache of the hub.",
            given=given,
            name=name,
            revision=revision,
        )
    if models is None:
        return _(
            "There is no model %(given)s, because there is no folder of models here: set"
            " LIKENESS_MODELS to one and put its files there, or ask whoever runs this server to"
            " allow the hub (LIKENESS_HUB=1): the model %(name)s is not in this machine's cache of"
            " the hub.",
            given=given,
            name=name,
        )
    folder = str(models / name)
    if revision:
        return _(
            "There is no model %(given)s: put its files into the folder %(folder)s, or ask whoever"
            " runs this server to allow the hub (LIKENESS_HUB=1): the model %(name)s at the"
            " revision %(revision)s is not in this machine's cache of the hub.",
            given=given,
            folder=folder,
            name=name,
            revision=revision,
        )
    return _(
        "There is no model %(given)s: put its files into the folder %(folder)s, or ask whoever"
        " runs this server to allow the hub (LIKENESS_HUB=1): the model %(name)s is not in this"
        " machine's cache of the hub.",
        given=given,
        folder=folder,
        name=name,
    )


def _not_fetched(name: str, revision: str, models: Path | None, reason: str) -> Message:
    """What to say of a model of the hub that could not be fetched."""
    given = repr(name)
    if models is None and revision:
        return _(
            "There is no model %(given)s, because there is no folder of models here: set"
            " LIKENESS_MODELS to one and put its files there, or fetch it from the hub: the model"
            " %(name)s at the revision %(revision)s is not in this machine's cache of the hub, nor"
            " could it be fetched (%(reason)s).",
            given=given,
            name=name,
            revision=revision,
            reason=reason,
        )
    if models is None:
        return _(
            "There is no model %(given)s, because there is no folder of models here: set"
            " LIKENESS_MODELS to one and put its files there, or fetch it from the hub: the model"
            " %(name)s is not in this machine's cache of the hub, nor could it be fetched"
            " (%(reason)s).",
            given=given,
            name=name,
            reason=reason,
        )
    folder = str(models / name)
    if revision:
        return _(
            "There is no model %(given)s: put its files into the folder %(folder)s, or fetch it"
            " from the hub: the model %(name)s at the revision %(revision)s is not in this"
            " machine's cache of the hub, nor could it be fetched (%(reason)s).",
            given=given,
            folder=folder,
            name=name,
            revision=revision,
            reason=reason,
        )
    return _(
        "There is no model %(given)s: put its files into the folder %(folder)s, or fetch it from"
        " the hub: the model %(name)s is not in this machine's cache of the hub, nor could it be"
        " fetched (%(reason)s).",
        given=given,
        folder=folder,
        name=name,
        reason=reason,
    )


def _of_hub(name: str, revision: str, models: Path | None) -> Model:
    hub = packages.load("huggingface_hub")
    # What may not be read is not fetched either.
    patterns = [f"*{ending}" for ending in sorted(_PARTS)]
    try:
        folder = Path(
            hub.snapshot_download(
                name,
                revision=revision or None,
                allow_patterns=patterns,
                ignore_patterns=["onnx/*", "openvino/*"],
                local_files_only=hub.constants.HF_HUB_OFFLINE,
            )
        )
    except (OSError, ValueError, hub.errors.HfHubHTTPError) as error:
        if os.environ.get("LIKENESS_HUB") == "0":
            raise ModelError(_not_allowed(name, revision, models)) from error
        reason = str(error).strip().splitlines()[0].rstrip(".") if str(error).strip() else ""
        raise ModelError(_not_fetched(name, revision, models, reason)) from error
    # Snapshots are links to the blobs of the same model.
    inspect_folder(folder, folder.parent.parent.resolve())
    return Model(name, folder, folder.name)


@contextmanager
def loading(model: Model) -> Iterator[None]:
    """Turn what a library raises while it loads a model into one sentence."""
    try:
        yield
    except (ModelError, packages.PackagesError):
        raise
    # For files that are no model, libraries raise whatever they come across.
    except Exception as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
        raise ModelError(
            _(
                "The model in %(folder)s cannot be loaded: %(reason)s.",
                folder=str(model.folder),
                reason=reason,
            )
        ) from error


def digest_of_folder(folder: Path, store: Path) -> str:
    """A digest of the names and contents of all files that a model consists of."""
    whole = hashlib.sha256()
    for file in files_in(folder):
        if file.suffix in _PARTS and is_read(file, folder):
            whole.update(f"{file.relative_to(folder).as_posix()}\0".encode())
            whole.update(digest_of_file(file, store).encode())
    return f"sha256:{whole.hexdigest()}"


def digest_of_file(file: Path, store: Path) -> str:
    """The SHA-256 of a file; computed once for its path, size and time of change."""
    status = file.stat()
    path, changed = str(file.resolve()), status.st_mtime_ns
    with digests(store) as base:
        row = base.execute(
            "SELECT digest FROM files WHERE (path, size, changed) = (?, ?, ?)",
            [path, status.st_size, changed],
        ).fetchone()
        if row:
            return str(row[0])
        with file.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
        base.execute(
            "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)",
            [path, status.st_size, changed, digest],
        )
    return digest
