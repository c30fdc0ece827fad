"""A file of finished answers, whichever tool wrote it, checked as a whole."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import IO

from annotation.basics.categories import Categories
from annotation.basics.scale import Scale
from annotation.basics.sentences import Problem, Said
from annotation.basics.sentences import sentence as _
from annotation.items.imports.foreign import (
    compared,
    label_studio,
    mturk,
    potato,
    potato_folder,
    rated,
)
from annotation.items.imports.foreign.entries import Entry, Remarks
from annotation.items.imports.foreign.folders import (
    Folder,
    PackedFolder,
    UnpackedFolder,
    is_packed,
)
from annotation.items.imports.foreign.parsed_answers import Pair, ParsedAnswers
from annotation.items.imports.foreign.roles import Roles, roles_of
from annotation.items.imports.foreign.wrong_files import wrong_kind
from annotation.items.imports.judged_items import KnownItem
from annotation.items.imports.judgments import read_table
from annotation.items.imports.lines import Progress, leading_lines, opened, read_lines
from annotation.items.imports.parsed_judgments import ParsedJudgments
from annotation.items.imports.problems import Problems
from annotation.kinds.contract.items import ItemsPart

FORMATS = {
    "nrc": _("Table with Item1, Item2, …, BestItem, WorstItem (CSV or TSV)"),
    "mturk": _("Mechanical Turk: results of a batch (CSV)"),
    "label-studio": _("Label Studio: JSON or JSON-MIN"),
    "potato": _("Potato: the output folder as ZIP, user_state.json or annotated_instances"),
}
_LOOKED_AT = 50


@dataclass(frozen=True)
class StudyContents:
    """What the study asks, and the items that it has."""

    kind: ItemsPart
    items: Sequence[KnownItem] = ()
    pairs: Sequence[Pair] = ()
    scale: Scale | None = None
    # None: those that the file names.
    categories: Categories | None = None


@dataclass(frozen=True)
class Reading:
    """A file without problems."""

    parsed: ParsedJudgments | ParsedAnswers
    # The roles of the fields, for each question of a task.
    roles: Sequence[Roles]
    remarks: Remarks
    # The place of the first time that could not be read.
    unread_at: Said


@dataclass(frozen=True)
class ReadOptions:
    """How to read a file, beside its format."""

    limit_bytes: int
    # Which role a column has if its name does not say it.
    column_roles: Mapping[str, str]
    # Whose answers they are if the file names nobody.
    person: str = ""
    # Whether answers count that a requester rejected.
    with_rejected: bool = False


def read(
    source: str | Path | IO[bytes],
    file_format: str,
    study: StudyContents,
    options: ReadOptions,
    progress: Progress | None = None,
) -> Reading:
    """Read a whole file. Raises ImportProblemsError with every problem of it."""
    remarks = Remarks(with_rejected=options.with_rejected)
    if file_format == "potato" and isinstance(source, str | Path) and Path(source).is_dir():
        return _of_folder(
            UnpackedFolder(Path(source), options.limit_bytes), study, options, remarks
        )
    with opened(source) as file:
        if file_format == "potato" and is_packed(file):
            return _of_folder(PackedFolder(file, options.limit_bytes), study, options, remarks)
        of_lines = Problems()
        lines = read_lines(
            file,
            of_lines,
            limit_bytes=options.limit_bytes,
            # A list of tasks, or the state of a user, may stand in one line.
            max_line_bytes=options.limit_bytes,
            progress=progress,
        )
        leading = list(islice(leading_lines(lines), 100))
        lines = chain(leading, lines)
        first = leading[-1][1] if leading else ""
        if not first.strip() and not of_lines:
            of_lines.add(
                None,
                Problem("missing", _("the file is empty"), _("choose the file with the answers")),
            )
        elif leading and (problem := wrong_kind(first, file_format)):
            of_lines.add(leading[-1][0], problem)
        of_lines.raise_if_any()
        is_list = first.lstrip().startswith("[")
        problems = Problems(of_tasks=True) if is_list else of_lines
        entries: Iterator[Entry]
        if file_format == "mturk":
            entries = mturk.read(lines, problems, remarks, limit_bytes=options.limit_bytes)
        elif file_format == "label-studio":
            entries = label_studio.read(lines, problems, remarks)
        elif file_format == "potato":
            entries = potato.read(
                lines,
                problems,
                remarks,
                limit_bytes=options.limit_bytes,
                person=options.person,
                kind=study.kind,
            )
        else:
            raise ValueError(f"{file_format} is no format of another tool")
        return _of_entries(entries, study, options, remarks, problems=problems, of_lines=of_lines)


def _of_folder(
    folder: Folder, study: StudyContents, options: ReadOptions, remarks: Remarks
) -> Reading:
    problems = Problems()
    entries = potato_folder.read(
        folder, problems, remarks, limit_bytes=options.limit_bytes, kind=study.kind
    )
    return _of_entries(entries, study, options, remarks, problems=problems, of_lines=problems)


def _of_entries(
    entries: Iterator[Entry],
    study: StudyContents,
    options: ReadOptions,
    remarks: Remarks,
    *,
    problems: Problems,
    of_lines: Problems,
) -> Reading:
    first = list(islice(entries, _LOOKED_AT))
    if not first:
        if not problems:
            problems.add(None, _no_answers(remarks))
        of_lines.raise_if_any()
        problems.raise_if_any()
    several = roles_of(first, study.kind, options.column_roles)
    entries = chain(first, entries)
    parsed: ParsedJudgments | ParsedAnswers
    if study.kind.compares_items:
        parsed = read_table(
            compared.header(several[0]),
            compared.records(entries, several),
            problems,
            known=study.items,
        )
    else:
        parsed = rated.read(
            entries,
            several,
            problems,
            known=study.pairs,
            scale=study.scale,
            categories=study.categories,
        )
    of_lines.raise_if_any()
    unread = remarks.first_unread
    return Reading(parsed, several, remarks, problems.place(unread[0]) if unread else "")


def _no_answers(remarks: Remarks) -> Said:
    if remarks.left_out["rejected"]:
        return Problem(
            "conflict",
            _("all assignments of the file are rejected, so none is counted"),
            _("choose to count rejected ones if you want them"),
        )
    return Problem("missing", _("the file has no answers"), _("export the file with answers"))
