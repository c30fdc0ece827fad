"""Vectors of texts by a sentence encoder, computed by the process that has torch."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import sentence as _
from annotation.core.services.model_process import BrokenProcessError, Progress, converse, text_of
from annotation.items.imports.problems import shown

_CHUNK = 8192


@dataclass(frozen=True, eq=False)
class EncodedTexts:
    """A vector for each text, shape (n, d), and how they came about."""

    vectors: NDArray[np.float32]
    revision: str
    device: str
    # Different texts that were encoded now, and that were kept from before.
    n_encoded: int
    n_kept: int


def encode(texts: Sequence[str], model: str, *, folder: Path, progress: Progress) -> EncodedTexts:
    """Let the process encode texts; `folder` is for its files, among them the vectors.

    Raises AnnotationError with what the process says if that cannot be done, and if a text
    has no direction.
    """
    texts_file, vectors_file = folder / "texts.jsonl", folder / "vectors.npy"
    with texts_file.open("w", encoding="utf-8") as file:
        for text in texts:
            file.write(json.dumps({"text": text}, ensure_ascii=False) + "\n")
    vectors_file.unlink(missing_ok=True)
    request = {"model": model, "texts": str(texts_file), "vectors": str(vectors_file)}
    try:
        done = converse("encode", request, folder=folder, progress=progress)
        vectors = _read(vectors_file, len(texts))
    except BrokenProcessError as error:
        raise AnnotationError(
            _("%(name)s: something went wrong; the server's log says what.") % {"name": model}
        ) from error
    _refuse_unusable(vectors, texts, model)
    return EncodedTexts(
        vectors,
        revision=text_of(done, "revision"),
        device=text_of(done, "device"),
        n_encoded=int(done.get("n_encoded") or 0),
        n_kept=int(done.get("n_kept") or 0),
    )


def _read(path: Path, n: int) -> NDArray[np.float32]:
    """Not into memory: of a long table these are gigabytes."""
    try:
        stored = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise BrokenProcessError("no vectors") from error
    if stored.dtype != np.float32 or stored.ndim != 2 or len(stored) != n or not stored.shape[1]:
        raise BrokenProcessError(f"vectors of {stored.dtype}, {stored.shape}")
    vectors: NDArray[np.float32] = stored
    return vectors


def _refuse_unusable(vectors: NDArray[np.float32], texts: Sequence[str], model: str) -> None:
    for start in range(0, len(vectors), _CHUNK):
        lengths = np.linalg.norm(vectors[start : start + _CHUNK], axis=1)
        is_wrong = ~(np.isfinite(lengths) & (lengths > 0))
        if is_wrong.any():
            raise AnnotationError(
                _(
                    "%(model)s cannot encode the text %(text)s. Leave out the text, or "
                    "choose another model."
                )
                % {"model": model, "text": shown(texts[start + int(is_wrong.argmax())])}
            )
