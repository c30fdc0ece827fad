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
from annotation.items.imports.foreign.potato_folder import Folder, Packed, Unpacked, is_packed
from annotation.items.imports.foreign.rated import Pair, ParsedAnswers
from annotation.items.imports.foreign.roles import Roles, roles_of
from annotation.items.imports.foreign.wrong_files import wrong_kind
from annotation.items.imports.judged_items import KnownItem
from annotation.items.imports.judgments import ParsedJudgments, read_table
from annotation.items.imports.lines import Progress, leading_lines, opened, read_lines
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
class Asked:
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
    # Of each question of a task.
    roles: Sequence[Roles]
    remarks: Remarks
    # Where the first time stands that could not be read.
    unread_at: Said


@dataclass(frozen=True)
class How:
    """How to read a file, beside its format."""

    limit_bytes: int
    # Which field is what where names do not say it.
    told: Mapping[str, str]
    # Whose answers they are where the file names nobody.
    person: str = ""
    # Whether answers count that a requester rejected.
    with_rejected: bool = False


def read(
    source: str | Path | IO[bytes],
    file_format: str,
    asked: Asked,
    how: How,
    progress: Progress | None = None,
) -> Reading:
    """Read a whole file. Raises ImportProblemsError with every problem of it."""
    remarks = Remarks(with_rejected=how.with_rejected)
    if file_format == "potato" and isinstance(source, str | Path) and Path(source).is_dir():
        return _of_folder(Unpacked(Path(source), how.limit_bytes), asked, how, remarks)
    with opened(source) as file:
        if file_format == "potato" and is_packed(file):
            return _of_folder(Packed(file, how.limit_bytes), asked, how, remarks)
        of_lines = Problems()
        lines = read_lines(
            file,
            of_lines,
            limit_bytes=how.limit_bytes,
            # A list of tasks, or the state of a user, may stand in one line.
            max_line_bytes=how.limit_bytes,
            progress=progress,
        )
        leading = list(islice(leading_lines(lines), 100))
        lines = chain(leading, lines)
        first = leading[-1][1] if leading else ""
        if not first.strip() and not of_lines:
            of_lines.add(
                None,
                Problem(
                    "missing", _("the file is empty"), _("choose the one that has the answers")
                ),
            )
        elif leading and (problem := wrong_kind(first, file_format)):
            of_lines.add(leading[-1][0], problem)
        of_lines.raise_if_any()
        is_list = first.lstrip().startswith("[")
        problems = Problems(of_tasks=True) if is_list else of_lines
        entries: Iterator[Entry]
        if file_format == "mturk":
            entries = mturk.read(lines, problems, remarks, limit_bytes=how.limit_bytes)
        elif file_format == "label-studio":
            entries = label_studio.read(lines, problems, remarks)
        elif file_format == "potato":
            entries = potato.read(
                lines,
                problems,
                remarks,
                limit_bytes=how.limit_bytes,
                person=how.person,
                kind=asked.kind,
            )
        else:
            raise ValueError(f"{file_format} is no format of another tool")
        return _of_entries(entries, asked, how, remarks, problems=problems, of_lines=of_lines)


def _of_folder(folder: Folder, asked: Asked, how: How, remarks: Remarks) -> Reading:
    problems = Problems()
    entries = potato_folder.read(
        folder, problems, remarks, limit_bytes=how.limit_bytes, kind=asked.kind
    )
    return _of_entries(entries, asked, how, remarks, problems=problems, of_lines=problems)


def _of_entries(
    entries: Iterator[Entry],
    asked: Asked,
    how: How,
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
    several = roles_of(first, asked.kind, how.told)
    entries = chain(first, entries)
    parsed: ParsedJudgments | ParsedAnswers
    if asked.kind.compares_items:
        parsed = read_table(
            compared.header(several[0]),
            compared.records(entries, several),
            problems,
            known=asked.items,
        )
    else:
        parsed = rated.read(
            entries,
            several,
            problems,
            known=asked.pairs,
            scale=asked.scale,
            categories=asked.categories,
        )
    of_lines.raise_if_any()
    unread = remarks.first_unread
    return Reading(parsed, several, remarks, problems.place(unread[0]) if unread else "")


def _no_answers(remarks: Remarks) -> Said:
    if remarks.left_out["rejected"]:
        return Problem(
            "conflict",
            _("every assignment of the file is rejected, and rejected ones are left out"),
            _("say so if they shall count"),
        )
    return Problem("missing", _("the file has no answers"), _("export those that were given"))
