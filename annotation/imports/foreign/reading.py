"""A file of finished answers, whichever tool wrote it, checked as a whole."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import IO

from annotation.categories import Categories
from annotation.imports.foreign import compared, label_studio, mturk, potato, rated
from annotation.imports.foreign.entries import Entry
from annotation.imports.foreign.rated import Pair, ParsedAnswers
from annotation.imports.foreign.roles import Roles, roles_of
from annotation.imports.judged_items import KnownItem
from annotation.imports.judgments import ParsedJudgments, read_table
from annotation.imports.lines import Lines, Progress, opened, read_lines
from annotation.imports.problems import Problems
from annotation.models.kinds import QuestionKind
from annotation.scale import Scale
from annotation.sentences import sentence as _

FORMATS = {
    "nrc": _("Table with Item1, Item2, …, BestItem, WorstItem (CSV or TSV)"),
    "mturk": _("Mechanical Turk: results of a batch (CSV)"),
    "label-studio": _("Label Studio: JSON or JSON-MIN"),
    "potato": _("Potato: annotated_instances (JSONL or TSV)"),
}
_LOOKED_AT = 50


@dataclass(frozen=True)
class Asked:
    """What the study asks, and the items that it has."""

    kind: str
    items: Sequence[KnownItem] = ()
    pairs: Sequence[Pair] = ()
    scale: Scale | None = None
    # None: those that the file names.
    categories: Categories | None = None


@dataclass(frozen=True)
class Reading:
    """A file without problems."""

    parsed: ParsedJudgments | ParsedAnswers
    roles: Roles
    # Answers that do not count, by why.
    left_out: Mapping[str, int]


def read(
    source: str | Path | IO[bytes],
    file_format: str,
    asked: Asked,
    *,
    limit_bytes: int,
    told: Mapping[str, str],
    person: str = "",
    progress: Progress | None = None,
) -> Reading:
    """Read a whole file. Raises ImportProblemsError with every problem of it.

    `told` says which field is what where names do not; `person` gave the answers of a file that
    names nobody.
    """
    left_out: Counter[str] = Counter()
    with opened(source) as file:
        of_lines = Problems()
        lines = read_lines(file, of_lines, limit_bytes=limit_bytes, progress=progress)
        leading = list(islice(_leading(lines), 100))
        lines = chain(leading, lines)
        is_list = bool(leading) and leading[-1][1].lstrip().startswith("[")
        problems = Problems(of_tasks=True) if is_list else of_lines
        entries: Iterator[Entry]
        if file_format == "mturk":
            entries = mturk.read(lines, problems, left_out, limit_bytes=limit_bytes)
        elif file_format == "label-studio":
            entries = label_studio.read(lines, problems, left_out)
        elif file_format == "potato":
            entries = potato.read(
                lines,
                problems,
                left_out,
                limit_bytes=limit_bytes,
                person=person,
                kind=asked.kind,
            )
        else:
            raise ValueError(f"{file_format} is no format of another tool")
        first = list(islice(entries, _LOOKED_AT))
        if not first:
            if not problems:
                problems.add(None, _("the file has no answers; export those that were given"))
            of_lines.raise_if_any()
            problems.raise_if_any()
        roles = roles_of(first, asked.kind, told)
        entries = chain(first, entries)
        parsed: ParsedJudgments | ParsedAnswers
        if asked.kind == QuestionKind.BEST_WORST:
            parsed = read_table(
                compared.header(roles),
                (compared.record(entry, roles) for entry in entries),
                problems,
                known=asked.items,
                called=compared.called(roles),
            )
        else:
            parsed = rated.read(
                entries,
                roles,
                problems,
                known=asked.pairs,
                scale=asked.scale,
                categories=asked.categories,
            )
    of_lines.raise_if_any()
    return Reading(parsed, roles, left_out)


def _leading(lines: Lines) -> Lines:
    """Lines up to the first that is not blank."""
    for line in lines:
        yield line
        if line[1].strip():
            return
