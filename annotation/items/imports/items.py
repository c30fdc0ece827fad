"""What is studied, from a file: dialogues with candidates, pairs, single items, incidents."""

from collections.abc import Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import IO, Literal

from annotation.basics.scale import Scale
from annotation.basics.sentences import Problem
from annotation.basics.sentences import sentence as _
from annotation.items.imports.columns import FoundColumn, suggestions
from annotation.items.imports.entries import Builder
from annotation.items.imports.headers import (
    MAX_CHOSEN_COLUMNS,
    column_names,
    is_header,
    too_many_columns,
)
from annotation.items.imports.lines import (
    MAX_LINE_BYTES,
    Lines,
    Progress,
    are_columns,
    beginning,
    delimiter_of,
    leading_lines,
    look_ahead,
    names_a_column,
    opened,
    read_lines,
    read_records,
)
from annotation.items.imports.objects import read_objects
from annotation.items.imports.parsed import ParsedItems
from annotation.items.imports.problems import MAX_VALUES_KEPT, Problems, Volume
from annotation.items.imports.tables import read_table
from annotation.items.imports.texts import read_texts
from annotation.kinds.contract.items import ItemsPart
from annotation.models.items import ONE_POOL

N_VALUES_SHOWN = 2

__all__ = ["ONE_POOL", "ParsedItems", "found_columns", "read"]


def read(
    source: str | Path | IO[bytes],
    *,
    filename: str,
    limit_bytes: int,
    kind: ItemsPart,
    tuple_size: int = 1,
    categories: Sequence[str] = (),
    scale: Scale | None = None,
    allows_repeats: bool = False,
    columns: Mapping[str, str] | None = None,
    beginning_bytes: int | None = None,
    progress: Progress | None = None,
) -> ParsedItems:
    """Read a file, whose shape is told by its name's ending or by its first line.

    `kind` says what such a study takes; questions that compare items show `tuple_size` at once,
    and `categories` are the names that label questions offer, as far as they are known. No known
    answer of a rating may lie outside the `scale`.
    `allows_repeats`: two items may have the same texts, as in a table of published values.
    `columns`: what the columns of a table are, by their names; see `columns`.
    Of a file longer than `beginning_bytes` only the lines that begin there are read, and what only
    its end tells is not looked at.
    Raises ImportProblemsError with every problem of what was read, UnknownColumnsError where
    `columns` have to be said.
    """
    problems = Problems(volume=Volume(MAX_VALUES_KEPT))
    with opened(source) as whole:
        file, is_beginning = (
            (whole, False) if beginning_bytes is None else beginning(whole, beginning_bytes)
        )
        lines = read_lines(file, problems, limit_bytes=limit_bytes, progress=progress)
        leading = list(islice(leading_lines(lines), 100))
        if not leading:
            if not problems:
                problems.add(
                    None,
                    Problem("missing", _("the file is empty"), _("it needs at least one item")),
                )
            problems.raise_if_any()
            raise AssertionError  # not reached
        builder = Builder(
            problems, tuple_size, kind, categories, scale=scale, allows_repeats=allows_repeats
        )
        first = leading[-1][1]
        ahead = _ahead(first, lines)
        following = [text for _number, text in ahead]
        delimiter = delimiter_of(first, following)
        shape = _shape(first, filename, delimiter, following)
        if columns and shape == "text":
            shape = "table"
        lines = chain(leading, ahead, lines)
        if shape == "jsonl":
            if columns:
                problems.refuse(None, _("the file is not a table, so you cannot choose columns"))
            read_objects(lines, builder)
        elif shape == "table":
            records = read_records(lines, problems, delimiter=delimiter, is_cut=is_beginning)
            read_table(records, builder, columns, is_cut=is_beginning)
        else:
            read_texts(lines, builder)
    # The columns of dialogues have names of their own: nobody chooses what they are.
    is_table = shape == "table" and builder.shape != "dialogues"
    parsed = builder.parsed(is_beginning=is_beginning, is_table=is_table)
    problems.raise_if_any()
    return parsed


def found_columns(
    source: str | Path | IO[bytes], *, filename: str, kind: ItemsPart, beginning_bytes: int
) -> list[FoundColumn]:
    """The columns of a table with their first values, and what they probably are.

    Raises ImportProblemsError if the file is no table, or cannot be read.
    """
    problems = Problems()
    with opened(source) as whole:
        file, _is_beginning = beginning(whole, beginning_bytes)
        lines = read_lines(file, problems, limit_bytes=2 * beginning_bytes + MAX_LINE_BYTES)
        leading = list(islice(leading_lines(lines), 100))
        first = leading[-1][1] if leading else ""
        ahead = _ahead(first, lines)
        following = [text for _number, text in ahead]
        delimiter = delimiter_of(first, following)
        if first and _shape(first, filename, delimiter, following) != "table":
            problems.refuse(None, _("the file is not a table, so you cannot choose columns"))
        records = read_records(
            chain(leading, ahead, lines), problems, delimiter=delimiter, is_cut=True
        )
        rows = [record.cells for record in islice(records, 1 + N_VALUES_SHOWN)]
    if not rows or not rows[0]:
        problems.raise_if_any()
        problems.refuse(
            None, Problem("missing", _("the file is empty"), _("it needs at least one item"))
        )
    names, *values = rows
    if len(names) > MAX_CHOSEN_COLUMNS:
        problems.refuse(None, too_many_columns(len(names), MAX_CHOSEN_COLUMNS))
    names = [name.strip() for name in names]
    ours = column_names(names)
    suggested = suggestions(ours, kind)
    return [
        FoundColumn(
            name, tuple(row[place] for row in values if place < len(row)), suggested[place]
        )
        for place, name in enumerate(names)
    ]


def _ahead(first: str, lines: Lines) -> list[tuple[int, str]]:
    """The next lines, where the first alone does not tell how columns are separated."""
    return [] if names_a_column(first) else look_ahead(lines)


def _shape(
    line: str, filename: str, delimiter: str, following: Sequence[str]
) -> Literal["jsonl", "table", "text"]:
    ending = Path(filename).suffix.lower()
    if ending in {".jsonl", ".ndjson", ".json"} or line.lstrip().startswith("{"):
        return "jsonl"
    if ending in {".tsv", ".tab", ".csv"} or is_header(line.split(delimiter)):
        return "table"
    # Texts may hold a tab, but hardly as many in every line as in the first.
    is_table = delimiter == "\t" and are_columns([line, *following], delimiter)
    return "table" if is_table else "text"
