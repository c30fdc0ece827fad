"""A request file: which measure of which pairs, where models lie, where the values go."""

import json
import os
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from scoring.arrays import FloatArray
from scoring.baselines import Pair, Specification
from scoring.neural.lines import json_lines
from scoring.neural.measures import MEASURES, check
from scoring.neural.workplace import BATCH_SIZE, Say, Scored, Workplace
from shell import InputError, bytes_of


@dataclass(frozen=True)
class Request:
    """A request that has been read and found right."""

    specification: Specification
    pairs: Path
    values: Path
    store: Path
    models: Path | None
    layers: Path | None
    batch_size: int


def object_of(file: str) -> dict[str, Any]:
    """Read a file that holds one JSON object.

    Raises
    ------
    InputError
        If it cannot be read, or holds something else.
    """
    try:
        loaded = json.loads(bytes_of(file))
    except ValueError as error:
        raise InputError(f"{file} is no JSON: {error}") from error
    if not isinstance(loaded, dict):
        raise InputError(f"{file} holds no JSON object")
    return loaded


def path_of(request: Mapping[str, Any], name: str) -> Path:
    """A path that the request must name.

    Raises InputError where it does not.
    """
    value = request.get(name)
    if not isinstance(value, str) or not value:
        raise InputError(f"the request names no {name!r}")
    return Path(value)


def read_request(file: str) -> Request:
    """Read a request to score; InputError or RequestError says what is wrong with it."""
    request = object_of(file)
    names = {"measure", "settings", "pairs", "values", "store", "models", "layers", "batch_size"}
    if unknown := sorted(set(request) - names):
        raise InputError(f"the request has unknown parts: {', '.join(unknown)}")
    settings = request.get("settings", {})
    if not isinstance(settings, dict):
        raise InputError("the settings of the request are no JSON object")
    measure = request.get("measure")
    if measure not in MEASURES:
        there = ", ".join(MEASURES)
        raise InputError(f"the request asks for the measure {measure!r}; there are {there}")
    specification = check(Specification(measure, settings))
    size = request.get("batch_size", BATCH_SIZE)
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise InputError(f"batch_size is a whole number from 1, not {size!r}")
    if "layers" in request and measure != "bertscore":
        raise InputError("only BERTScore has layers")
    return Request(
        specification=specification,
        pairs=path_of(request, "pairs"),
        values=path_of(request, "values"),
        store=path_of(request, "store"),
        models=path_of(request, "models") if request.get("models") else None,
        layers=path_of(request, "layers") if request.get("layers") else None,
        batch_size=size,
    )


def read_pairs(path: Path) -> list[Pair]:
    """Read pairs from JSON Lines; InputError names the line that is none."""
    return list(json_lines(path, _pair))


def _pair(row: Mapping[str, Any], where: str) -> Pair:
    first, second = row.get("first"), row.get("second")
    contexts = [row.get("first_context", []), row.get("second_context", [])]
    if not isinstance(first, str) or not isinstance(second, str):
        raise InputError(f"{where}: 'first' and 'second' must be texts")
    for context in contexts:
        if not isinstance(context, list) or not all(isinstance(turn, str) for turn in context):
            raise InputError(f"{where}: a context must be a list of texts")
    return Pair(first, second, *map(tuple, contexts))


def answer(request: Request, say: Say) -> dict[str, Any]:
    """Compute what is asked for, write the values, and return what the last line says."""
    began = time.monotonic()
    pairs = read_pairs(request.pairs)
    place = Workplace(request.models, request.store, say, request.batch_size)
    scored = score(pairs, request.specification, place, every_layer=request.layers is not None)
    _write(request.values, scored.values)
    if request.layers is not None and scored.layers is not None:
        _write(request.layers, scored.layers)
    figures = asdict(scored)
    return {
        "device": figures["device"],
        "seconds": round(time.monotonic() - began, 3),
        "revision": figures["revision"],
        "n_encoded": figures["n_encoded"],
        "n_kept": figures["n_kept"],
        "figures": dict(figures["figures"]),
    }


def score(
    pairs: list[Pair], specification: Specification, place: Workplace, *, every_layer: bool = False
) -> Scored:
    """Values of any measure in `scoring.neural.measures.MEASURES`.

    Raises
    ------
    ValueError
        For a specification that `check` refuses; and the errors of the measures.
    """
    from scoring.neural import (  # noqa: PLC0415 - each is loaded when it is used
        bertscore,
        bi_encoder,
        cross_encoder,
        word_vectors,
    )

    checked = check(specification)
    settings = checked.settings
    if checked.measure == "bertscore":
        return bertscore.score(pairs, settings, place, every_layer=every_layer)
    measures = {
        "bi_encoder": bi_encoder.score,
        "cross_encoder": cross_encoder.score,
        "word_vectors": word_vectors.score,
    }
    return measures[checked.measure](pairs, settings, place)


def _write(path: Path, values: FloatArray) -> None:
    """Write an array so that it is there whole or not at all."""
    partly = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with partly.open("wb") as file:
            np.save(file, values, allow_pickle=False)
        partly.replace(path)
    except OSError as error:
        partly.unlink(missing_ok=True)
        raise InputError(f"cannot write {path}: {error.strerror}") from error
