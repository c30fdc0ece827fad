"""Reading two columns of texts that are not pairs yet, and need not be equally long."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import IO

from annotation.basics.sentences import Problem, Said, ngettext
from annotation.basics.sentences import sentence as _
from annotation.items.imports.ids import DistinctIds, similar_problem
from annotation.items.imports.lines import (
    delimiter_of,
    look_ahead,
    opened,
    read_lines,
    read_records,
)
from annotation.items.imports.problems import (
    Problems,
    item_text_problem,
    key_problem,
    of_item,
    shown,
)

# What a first line may call the columns.
_NAMES = {
    "target": ("target", "text1", "sentence1", "first"),
    "candidate": ("candidate", "text2", "sentence2", "second"),
    "target_id": ("target_id", "id1", "text1_id", "sentence1_id"),
    "candidate_id": ("candidate_id", "id2", "text2_id", "sentence2_id"),
}
_COLUMN_OF = {name: column for column, names in _NAMES.items() for name in names}
# Two of them and what stands between are a key.
_MAX_ID_LENGTH = 95


@dataclass
class Side:
    """The texts of a column and, if there is a column of them, their ids."""

    texts: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    has_ids: bool = False
    # By id: the text, and the line that said so first.
    _known: dict[str, tuple[str, int]] = field(default_factory=dict)
    _distinct: DistinctIds = field(default_factory=DistinctIds)

    @property
    def keys(self) -> list[str] | None:
        return self.ids if self.has_ids else None

    def add(self, problems: Problems, line: int, name: str, text: str, key: str) -> None:
        if problem := item_text_problem(text):
            problems.add(line, problem % {"field": of_item(_("the text"), key)})
        elif not self.has_ids:
            self.texts += [text] if text else []
        elif text and not key:
            problems.add(
                line,
                Problem("missing", _("%(name)s has no id"), _("give every text one"))
                % {"name": name},
            )
        elif key and not text:
            problems.add(
                line,
                Problem(
                    "conflict",
                    _("%(name)s has an id, but no text"),
                    _("give the text or remove the id"),
                )
                % {"name": name},
            )
        elif key and (problem := key_problem(key, limit=_MAX_ID_LENGTH)):
            problems.add(line, problem % {"field": f"{name}_id"})
        elif key and (similar := self._distinct.similar(key, line)):
            problem_with_id = similar_problem(key, similar[0], problems.place(similar[1]))
            problems.add(
                line,
                _("%(field)s %(problem)s") % {"field": f"{name}_id", "problem": problem_with_id},
            )
        elif key:
            before, first = self._known.setdefault(key, (text, line))
            if before != text:
                problems.add(
                    line,
                    Problem(
                        "conflict",
                        _("the id %(id)s belongs to another text in %(place)s"),
                        _("give this text another id"),
                    )
                    % {"id": shown(key), "place": problems.place(first)},
                )
            self.texts.append(text)
            self.ids.append(key)


@dataclass(frozen=True)
class TextColumns:
    target: Side
    candidate: Side


def read(source: str | Path | IO[bytes], *, limit_bytes: int) -> TextColumns:
    """The texts of both columns, and the ids that a first line names columns for.

    Raises ImportProblemsError with the first problems, each with its line and what to do.
    """
    problems = Problems()
    columns = ["target", "candidate"]
    sides = {name: Side() for name in columns}
    with opened(source) as file:
        lines = read_lines(file, problems, limit_bytes=limit_bytes)
        first = next((line for line in lines if line[1].strip()), (1, ""))
        ahead = look_ahead(lines)
        records = read_records(
            chain([first], ahead, lines),
            problems,
            delimiter=delimiter_of(first[1], [text for _number, text in ahead]),
        )
        for place, record in enumerate(records):
            cells = [cell.strip() for cell in record.cells]
            if not any(cells):
                continue
            if place == 0 and (named := _header(cells, record.line, problems)):
                columns = named
                for name, side in sides.items():
                    side.has_ids = f"{name}_id" in columns
                continue
            if len(cells) != len(columns):
                problems.add(record.line, _other_width(len(cells), columns))
                continue
            cell_of = dict(zip(columns, cells, strict=True))
            for name, side in sides.items():
                side.add(problems, record.line, name, cell_of[name], cell_of.get(f"{name}_id", ""))
    if not len(problems) and not sides["target"].texts:
        problems.add(None, _("the first column has no text"))
    if not len(problems) and not sides["candidate"].texts:
        problems.add(None, _("the second column has no text"))
    problems.raise_if_any()
    return TextColumns(**sides)


def _header(cells: Sequence[str], line: int, problems: Problems) -> list[str] | None:
    """The columns that a line names; None if it names none, and so is one of texts."""
    named = [_COLUMN_OF.get(cell.casefold(), "") for cell in cells]
    if not {"target", "candidate"} <= set(named):
        return None
    for cell, column in zip(cells, named, strict=True):
        if not column or named.count(column) > 1:
            problems.add(
                line,
                Problem(
                    "unknown",
                    _("the column %(name)s is unknown or occurs twice"),
                    _(
                        "the columns are target and candidate, and optionally target_id and "
                        "candidate_id"
                    ),
                )
                % {"name": shown(cell)},
            )
            break
    return [column or f"column {place}" for place, column in enumerate(named)]


def _other_width(n: int, columns: Sequence[str]) -> Said:
    if len(columns) == 2:
        return ngettext(
            "%(n)s column, but two are needed; one can be empty",
            "%(n)s columns, but two are needed; one can be empty",
            n,
        ) % {"n": n}
    return ngettext(
        "%(n)s column, but the first line names %(named)s",
        "%(n)s columns, but the first line names %(named)s",
        n,
    ) % {"n": n, "named": ", ".join(columns)}
