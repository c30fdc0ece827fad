"""Helpers for commands: NAME=VALUE options, and files that are written as a whole."""

import os
from collections.abc import Collection, Iterable
from pathlib import Path

from django.core.management.base import CommandError

from annotation.baselines.queries.score_sources import ResultSource, Source, source_of_json


def source_of(text: str) -> Source:
    """Read --people: result, phase:1, majority:1 or column:mean[:sd=COLUMN][:n=32]."""
    kind, *rest = text.split(":")
    if kind == "result" and not rest:
        return ResultSource()
    if kind in {"phase", "majority"} and len(rest) == 1 and rest[0].isdecimal():
        return ResultSource(phase=int(rest[0]), by="mean" if kind == "phase" else "majority")
    if kind == "column" and rest and rest[0]:
        more = named_values(rest[1:], {"sd", "n"}, "--people")
        n = more.get("n")
        if n is None or n.isdecimal():
            return source_of_json(
                {
                    "from": "column",
                    "name": rest[0],
                    "deviation": more.get("sd", ""),
                    "n": None if n is None else int(n),
                }
            )
    raise CommandError(
        f"--people: {text!r} names no scores; write result, phase:1, majority:1 or"
        " column:mean:sd=sd:n=32"
    )


def named_values(parts: Iterable[str], known: Collection[str], option: str) -> dict[str, str]:
    """Read NAME=VALUE parts; unknown names are refused."""
    values = {}
    for part in parts:
        name, is_there, value = part.partition("=")
        if not is_there or name not in known:
            raise CommandError(
                f"{option}: {part!r} is not a setting; write NAME=VALUE, where NAME is one of"
                f" {', '.join(sorted(known))}"
            )
        values[name] = value
    return values


def write_file(name: str, text: str) -> None:
    """Write a temporary file and rename it, so that the name never has half a file."""
    path = Path(name)
    part = path.with_name(f"{path.name}.part{os.getpid()}")
    try:
        part.write_text(text, encoding="utf-8", newline="")
        part.replace(path)
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from error
    finally:
        part.unlink(missing_ok=True)
