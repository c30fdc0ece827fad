"""Files of JSON Lines and arrays that requests name, and parts of what is read from them."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from scoring.arrays import FloatArray
from scoring.json_values import JsonObject
from scoring.neural.refusals import check_whole_number
from shell import InputError

Made = TypeVar("Made")


def json_lines(path: Path, make: Callable[[Mapping[str, Any], str], Made]) -> Iterator[Made]:
    """Make something of the object on each line; InputError names a line that is none.

    Parameters
    ----------
    path : Path
        A file of JSON Lines; empty lines do not count.
    make : callable
        Is given the object, and its place for what is wrong with it.
    """
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                where = f"{path}, line {number}"
                try:
                    row = json.loads(line)
                except ValueError as error:
                    raise InputError(f"{where}: no JSON: {error}") from error
                if not isinstance(row, dict):
                    raise InputError(f"{where}: no JSON object")
                yield make(row, where)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error


def write_json_lines(path: Path, objects: Iterable[JsonObject]) -> None:
    """Write a file of JSON Lines that is there whole or not at all."""
    write_with(
        path,
        lambda partly: partly.write_text(
            "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in objects), "utf-8"
        ),
    )


def write_array(path: Path, values: FloatArray) -> None:
    """Write an array so that it is there whole or not at all."""

    def write(partly: Path) -> None:
        with partly.open("wb") as file:
            np.save(file, values, allow_pickle=False)

    write_with(path, write)


def write_with(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file so that it is there whole or not at all; InputError if it cannot be."""
    partly = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(partly)
        partly.replace(path)
    except OSError as error:
        partly.unlink(missing_ok=True)
        raise InputError(f"cannot write {path}: {error.strerror}") from error


def text_of(
    json_object: Mapping[str, Any],
    name: str,
    otherwise: str | None = None,
    *,
    where: str = "the request",
) -> str:
    """A text of an object; InputError if it is none and nothing stands for it."""
    value = json_object.get(name, otherwise)
    if not isinstance(value, str):
        raise InputError(f"{where}: {name!r} must be a text")
    return value


def texts_of(json_object: Mapping[str, Any], name: str, *, where: str) -> tuple[str, ...]:
    """A list of texts of an object; InputError if it is none."""
    value = json_object.get(name)
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise InputError(f"{where}: {name!r} must be a list of texts")
    return tuple(value)


def whole_number(json_object: Mapping[str, Any], name: str, otherwise: int) -> int:
    """A whole number from 1 of a request."""
    value = json_object.get(name, otherwise)
    check_whole_number(name, value, 1)
    return int(value)
