"""`python -m scoring.neural encode`: the vectors that a sentence encoder gives texts."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scoring.neural.bi_encoder import Encoder
from scoring.neural.commands import Command
from scoring.neural.lines import json_lines, text_of, whole_number, write_with
from scoring.neural.models import find
from scoring.neural.requests import path_of
from scoring.neural.vector_store import VectorStore, keep
from scoring.neural.workplace import BATCH_SIZE, Say, Workplace
from shell import InputError

DESCRIPTION = """\
Encode texts with a sentence encoder.

REQUEST.json holds one object:
  model      a folder below the folder of models, or a name on the hub
  revision   (optional) the revision that it must have
  texts      a file of JSON Lines: {"text": "..."}
  vectors    the file to write: an array (.npy) of float32, texts x dimensions
  store      a folder in which vectors are kept, for this and all later requests
  models     the folder of models; "" if there is none
  batch_size (optional) how many texts are encoded and kept at once

Standard output and the exit status are as for `score`. Texts that `score` has
encoded with a bi-encoder without context are not encoded again."""

_PARTS = {"model", "revision", "texts", "vectors", "store", "models", "batch_size"}
# Vectors that are in memory at once.
_CHUNK = 4096


def answer(request: Mapping[str, Any], say: Say) -> dict[str, Any]:
    """Do what a request asks for; return what the last line says.

    Raises
    ------
    RequestError, InputError
        If the request, or a file that it names, is wrong.
    models.ModelError, packages.PackagesError
        If the model or the packages are missing, or the model lacks weights.
    """
    began = time.monotonic()
    if unknown := sorted(set(request) - _PARTS):
        raise InputError(f"the request has unknown parts: {', '.join(unknown)}")
    batch_size = whole_number(request, "batch_size", BATCH_SIZE)
    vectors, store_folder = path_of(request, "vectors"), path_of(request, "store")
    texts = list(
        json_lines(
            path_of(request, "texts"), lambda line, where: text_of(line, "text", where=where)
        )
    )
    if not texts:
        raise InputError("there is no text to encode")
    models = path_of(request, "models") if request.get("models") else None
    model = find(
        text_of(request, "model"),
        models=models,
        store=store_folder,
        revision=text_of(request, "revision", ""),
    )
    encoder = Encoder(model, "right", batch_size)
    # As bi-encoders without context have it, whose vectors these are, too.
    identity = {"model": model.name, "revision": model.revision, "truncated": "right"}
    place = Workplace(models, store_folder, say, batch_size)
    with VectorStore(store_folder, identity) as store:
        stored = keep(
            store,
            len(texts),
            lambda number: (texts[number],),
            encoder.load,
            place,
            lengths=encoder.lengths,
        )
        write_with(vectors, lambda partly: _write(partly, store, stored.keys))
    return {
        "device": encoder.device,
        "seconds": round(time.monotonic() - began, 3),
        "revision": model.revision,
        "n_encoded": stored.n_encoded,
        "n_kept": stored.n_kept,
        "figures": {},
    }


def _write(path: Path, store: VectorStore, keys: Sequence[bytes]) -> None:
    """Block by block: of a long list not all vectors fit into memory."""
    shape = (len(keys), store.get(keys[:1]).shape[1])
    made = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=shape)
    for start in range(0, len(keys), _CHUNK):
        made[start : start + _CHUNK] = store.get(keys[start : start + _CHUNK])
    made.flush()


COMMANDS = [Command("encode", "encode texts with a sentence encoder", DESCRIPTION, answer)]
