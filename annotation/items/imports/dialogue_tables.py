"""Tables of dialogues: one candidate in each row, and the turns in columns.

Their rows become the objects that JSON Lines has, and are read as these are.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.basics.sentences import Problem, Said
from annotation.basics.sentences import sentence as _
from annotation.basics.turns import speaker_and_text
from annotation.items.imports.checks import COLUMNS as CHECK_COLUMNS
from annotation.items.imports.dialogues import Dialogue
from annotation.items.imports.entries import Builder
from annotation.items.imports.headers import (
    TEXTS,
    has_candidates_in_columns,
    header_is_sound,
    turn_numbers,
)
from annotation.items.imports.lines import Record, look_further
from annotation.items.imports.problems import cells_problem, shown

_PLACE = re.compile(r"(turns|candidates)\[(\d+)\](?:\.(.+))?")


def read_dialogue_table(
    line: int, names: list[str], records: Iterator[Record], builder: Builder, *, is_cut: bool
) -> None:
    """`names`: those of the header, which stands in this `line`."""
    if not builder.takes("dialogues"):
        return
    if not (header_is_sound(line, names, builder) and _has_columns(line, names, builder)):
        # Without its columns nothing can be said about a row; whether it can be read at all can.
        look_further(records)
        return
    reader = _Reader(names, builder)
    for record in records:
        reader.read(record)
    if not is_cut:
        # Else the last dialogue may have more rows than these.
        reader.end_dialogue()


def _has_columns(line: int, names: Sequence[str], builder: Builder) -> bool:
    problems: list[Said] = []
    if has_candidates_in_columns(names):
        problems.append(
            Problem(
                "conflict",
                _("the candidates of a dialogue stand in several columns"),
                _("write each into a row of its own, in one column candidate"),
            )
        )
    ids = [name for name in ("dialogue", "group") if name in names]
    if not ids:
        problems.append(
            Problem(
                "missing",
                _("there are columns of turns, but no column dialogue"),
                _("add it, and write an id into the first row of each dialogue"),
            )
        )
    elif len(ids) > 1:
        problems.append(
            Problem(
                "conflict",
                _("the columns dialogue and group both say which dialogue a row belongs to"),
                _("remove or rename one of them"),
            )
        )
    problems += [
        Problem(
            "conflict",
            _("there are columns of turns, so %(name)s cannot be a column"),
            _("write the target as the last turn, and remove or rename this column"),
        )
        % {"name": name}
        for name in sorted(TEXTS - {"candidate"} & set(names))
    ]
    numbers = turn_numbers(names)
    if sorted(numbers) != list(range(1, len(numbers) + 1)):
        problems.append(
            Problem(
                "wrong_value",
                _("the columns of turns have the numbers %(numbers)s"),
                _("name them turn1, turn2 and so on, without a gap"),
            )
            % {"numbers": ", ".join(map(str, sorted(numbers)))}
        )
    for problem in problems:
        builder.problems.add(line, problem)
    return not problems


@dataclass
class _Rows:
    """The rows of one dialogue, as far as they have been read."""

    key: str
    # Of each candidate.
    lines: list[int] = field(default_factory=list)
    candidates: list[dict[str, str]] = field(default_factory=list)
    # The cells of the first row that has any, and its line.
    turns: Sequence[str] = ()
    turns_line: int = 0
    # What belongs to the dialogue and not to a candidate, and the line that said it first.
    columns: dict[str, tuple[str, int]] = field(default_factory=dict)
    # Whether none of its rows was unreadable.
    is_whole: bool = True


class _Reader:
    """Puts the rows of each dialogue together."""

    def __init__(self, names: list[str], builder: Builder) -> None:
        self._names = names
        self._builder = builder
        self._key_name = "dialogue" if "dialogue" in names else "group"
        self._turn_names = [f"turn{n}" for n in sorted(turn_numbers(names))]
        # Where items are compared, all candidates of a dialogue are one check.
        of_dialogue = {"domain", "source"} | (
            CHECK_COLUMNS if builder.kind.compares_items else set()
        )
        self._of_dialogue = [name for name in names if name in of_dialogue]
        self._further = [
            name
            for name in names
            if name not in {self._key_name, "candidate", *self._turn_names, *of_dialogue}
        ]
        self._rows: _Rows | None = None
        self._first_lines: dict[str, int] = {}
        # Whether a row was unreadable that may belong to the dialogue that begins next.
        self._is_torn = False

    def read(self, record: Record) -> None:
        if record.cells and not any(cell.strip() for cell in record.cells):
            return
        self._builder.n_seen += 1
        if not (row := self._row(record)):
            # Nobody knows to which dialogue it belongs, so its neighbours may lack a row.
            self._is_torn = True
            if self._rows:
                self._rows.is_whole = False
            return
        key = row[self._key_name]
        if self._rows is None or self._rows.key != key:
            self.end_dialogue()
            self._rows = _Rows(key, is_whole=not self._is_torn)
            self._check_is_new(record.line, self._rows)
        self._is_torn = False
        self._add(record.line, row, self._rows)

    def _row(self, record: Record) -> dict[str, str]:
        """The cells of a record by their columns; empty if it is unreadable, then a problem."""
        if len(record.cells) != len(self._names):
            # A record without cells has been reported.
            if record.cells:
                problem = cells_problem(len(record.cells), len(self._names))
                self._builder.problems.add(record.line, problem)
            return {}
        row = dict(zip(self._names, record.cells, strict=True))
        if row[self._key_name].strip():
            return row
        has_turns = any(row[name].strip() for name in self._turn_names)
        if self._rows and not (self._is_torn or has_turns):
            # As a spreadsheet writes merged cells: the id stands in the first row alone.
            return {**row, self._key_name: self._rows.key}
        problem = Problem(
            "missing",
            _("%(field)s is empty"),
            _("write the id of the dialogue into its first row"),
        )
        self._builder.problems.add(record.line, problem % {"field": self._key_name})
        return {}

    def _check_is_new(self, line: int, rows: _Rows) -> None:
        before = self._first_lines.setdefault(rows.key, line)
        if before == line:
            return
        rows.is_whole = False
        self._builder.problems.add(
            line,
            Problem(
                "conflict",
                _("%(field)s %(id)s has other rows that begin in %(place)s"),
                _("put all rows of a dialogue below one another"),
            )
            % {
                "field": self._key_name,
                "id": shown(rows.key),
                "place": self._builder.problems.place(before),
            },
        )

    def _add(self, line: int, row: dict[str, str], rows: _Rows) -> None:
        turns = [row[name].strip() for name in self._turn_names]
        if not rows.turns and any(turns):
            rows.turns, rows.turns_line = turns, line
        elif any(turns) and turns != rows.turns:
            differing = next(
                name
                for name, turn, before in zip(self._turn_names, turns, rows.turns, strict=True)
                if turn != before
            )
            self._contradicts(line, differing, rows, rows.turns_line)
        for name in self._of_dialogue:
            value, before = rows.columns.get(name, ("", line))
            if not value.strip():
                rows.columns[name] = (row[name], line)
            elif row[name].strip() not in ("", value.strip()):
                self._contradicts(line, name, rows, before)
        # An empty cell says nothing, but that of `check` says that the candidate is none.
        further = {
            name: row[name] for name in self._further if row[name].strip() or name == "check"
        }
        rows.lines.append(line)
        rows.candidates.append({**further, "text": row["candidate"]})

    def _contradicts(self, line: int, name: str, rows: _Rows, before: int) -> None:
        problem = Problem(
            "conflict",
            _("%(field)s of dialogue %(id)s differs from %(place)s"),
            _("write the same in each row of a dialogue, or only in its first row"),
        )
        place = self._builder.problems.place(before)
        self._builder.problems.add(
            line, problem % {"id": shown(rows.key), "field": name, "place": place}
        )

    def end_dialogue(self) -> None:
        rows, self._rows = self._rows, None
        if rows is None or not rows.is_whole:
            return
        if not rows.turns:
            self._builder.problems.add(
                rows.lines[0],
                Problem(
                    "missing",
                    _("dialogue %(id)s has no turns"),
                    _("write them into its first row"),
                )
                % {"id": shown(rows.key)},
            )
            return
        numbers = [n for n, turn in enumerate(rows.turns, start=1) if turn]
        for number in range(1, numbers[-1]):
            if number not in numbers:
                self._builder.problems.add(
                    rows.turns_line,
                    Problem(
                        "missing",
                        _("%(field)s is empty, but a later turn is not"),
                        _("write it, or move the later turns to the left"),
                    )
                    % {"field": f"turn{number}"},
                )
        TableDialogue(rows, self._key_name, numbers, self._builder).read()


class TableDialogue(Dialogue):
    """A dialogue of a table; problems name the row and the column."""

    def __init__(
        self, rows: _Rows, key_name: str, turn_numbers: list[int], builder: Builder
    ) -> None:
        of_dialogue = {
            name: value
            for name, (value, _line) in rows.columns.items()
            if value.strip() or name == "check"
        }
        super().__init__(
            rows.lines[0],
            {
                "id": rows.key,
                **of_dialogue,
                "turns": [_turn(rows.turns[number - 1]) for number in turn_numbers],
                "candidates": rows.candidates,
            },
            builder,
        )
        self._rows = rows
        self._key_name = key_name
        self._turn_numbers = turn_numbers

    def line_of(self, where: Said) -> int:
        place = _PLACE.fullmatch(str(where))
        if place is None:
            return self.line
        return (
            self._rows.turns_line if place[1] == "turns" else self._rows.lines[int(place[2]) - 1]
        )

    def called(self, where: Said) -> Said:
        name = str(where)
        if place := _PLACE.fullmatch(name):
            if place[1] == "turns":
                return f"turn{self._turn_numbers[int(place[2]) - 1]}"
            if place[3] is None:
                return self.builder.problems.place(self.line_of(name))
            return {"text": "candidate"}.get(place[3], place[3])
        names: dict[str, Said] = {
            "id": self._key_name,
            "candidates": _("dialogue %(id)s") % {"id": shown(self._rows.key)},
        }
        return names.get(name, where)


def _turn(cell: str) -> dict[str, Any]:
    speaker, text = speaker_and_text(cell)
    return {"speaker": speaker, "text": text} if speaker else {"text": text}
