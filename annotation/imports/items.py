"""What is studied, from a file: dialogues with candidates, pairs, single items, incidents."""

from collections.abc import Sequence
from itertools import chain, islice
from pathlib import Path
from typing import IO, Literal

from annotation.imports.entries import ONE_POOL, Builder
from annotation.imports.headers import is_header
from annotation.imports.lines import (
    Lines,
    Progress,
    beginning,
    delimiter_of,
    opened,
    read_lines,
    read_records,
)
from annotation.imports.objects import read_objects
from annotation.imports.parsed import ParsedItems
from annotation.imports.problems import MAX_VALUES_KEPT, Problems, Volume
from annotation.imports.tables import read_table
from annotation.imports.texts import read_texts
from annotation.sentences import sentence as _

__all__ = ["ONE_POOL", "ParsedItems", "read"]


def read(
    source: str | Path | IO[bytes],
    *,
    filename: str,
    limit_bytes: int,
    kind: str = "best_worst",
    tuple_size: int = 1,
    categories: Sequence[str] = (),
    allows_repeats: bool = False,
    beginning_bytes: int | None = None,
    progress: Progress | None = None,
) -> ParsedItems:
    """Read a file, whose shape is told by its name's ending or by its first line.

    `kind` is that of the study; best-worst questions show `tuple_size` items at once, and
    `categories` are the names that label questions offer, as far as they are known.
    `allows_repeats`: two items may have the same texts, as in a table of published values.
    Of a file longer than `beginning_bytes` only the lines that begin there are read, and what only
    its end tells is not looked at.
    Raises ImportProblemsError with every problem of what was read.
    """
    problems = Problems(volume=Volume(MAX_VALUES_KEPT))
    with opened(source) as whole:
        file, is_beginning = (
            (whole, False) if beginning_bytes is None else beginning(whole, beginning_bytes)
        )
        lines = read_lines(file, problems, limit_bytes=limit_bytes, progress=progress)
        leading = list(islice(_leading(lines), 100))
        if not leading:
            if not problems:
                problems.add(None, _("the file is empty; it needs at least one item"))
            problems.raise_if_any()
            raise AssertionError  # not reached
        builder = Builder(problems, tuple_size, kind, categories, allows_repeats=allows_repeats)
        first = leading[-1][1]
        shape = _shape(first, filename)
        lines = chain(leading, lines)
        if shape == "jsonl":
            read_objects(lines, builder)
        elif shape == "table":
            records = read_records(
                lines, problems, delimiter=delimiter_of(first), is_cut=is_beginning
            )
            read_table(records, builder)
        else:
            read_texts(lines, builder)
    parsed = builder.parsed(is_beginning=is_beginning)
    problems.raise_if_any()
    return parsed


def _leading(lines: Lines) -> Lines:
    """Lines up to the first that is not blank."""
    for line in lines:
        yield line
        if line[1].strip():
            return


def _shape(line: str, filename: str) -> Literal["jsonl", "table", "text"]:
    ending = Path(filename).suffix.lower()
    if ending in {".jsonl", ".ndjson", ".json"} or line.lstrip().startswith("{"):
        return "jsonl"
    if ending in {".tsv", ".tab", ".csv"}:
        return "table"
    if is_header(line.split(delimiter_of(line))):
        return "table"
    return "text"
