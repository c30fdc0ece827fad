"""Finished best-worst answers from a file: `Item1..ItemK, BestItem, WorstItem` and more."""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import IO

from annotation.basics.sentences import Problem
from annotation.basics.sentences import sentence as _
from annotation.items.imports.first_lines import FirstLines
from annotation.items.imports.foreign.wrong_files import wrong_kind
from annotation.items.imports.ids import DistinctIds, similar_problem
from annotation.items.imports.judged_items import (
    Columns,
    Items,
    KnownItem,
    KnownItems,
    NewItems,
)
from annotation.items.imports.lines import (
    Progress,
    Record,
    delimiter_of,
    look_further,
    opened,
    read_lines,
    read_records,
)
from annotation.items.imports.parsed_judgments import ParsedJudgment, ParsedJudgments
from annotation.items.imports.problems import (
    MAX_CELLS_OF_ANSWERS,
    Problems,
    Volume,
    key_problem,
    long_text_problem,
    shown,
)


def read(
    source: str | Path | IO[bytes],
    *,
    limit_bytes: int,
    known: Sequence[KnownItem] = (),
    pool_column: str = "",
    progress: Progress | None = None,
) -> ParsedJudgments:
    """Read a whole file, separated by commas, tabs or semicolons as its first line is.

    Items are those known, by id or else by text; where none are known, those that the file
    names, in pools told apart by `pool_column`, or all in one.
    Raises ImportProblemsError with every problem of the file.
    """
    problems = Problems(volume=Volume(MAX_CELLS_OF_ANSWERS))
    with opened(source) as file:
        lines = read_lines(file, problems, limit_bytes=limit_bytes, progress=progress)
        header = next((line for line in lines if line[1].strip()), None)
        if header is None:
            if not problems:
                problems.add(
                    None,
                    Problem(
                        "missing",
                        _("the file is empty"),
                        _("it needs a header and at least one answer"),
                    ),
                )
            problems.raise_if_any()
            raise AssertionError  # not reached
        if problem := wrong_kind(header[1], "nrc"):
            problems.add(header[0], problem)
            problems.raise_if_any()
        delimiter = delimiter_of(header[1])

        def all_lines() -> Iterator[tuple[int, str]]:
            yield header
            yield from lines

        records = read_records(all_lines(), problems, delimiter=delimiter)
        names = next(records, None)
        columns = Columns.of(names, problems, pool_column) if names and names.cells else None
        if columns is None:
            look_further(records)
            problems.raise_if_any()
            raise AssertionError  # not reached
        return _parsed(columns, records, known, problems)


def read_table(
    header: Record,
    records: Iterable[Record],
    problems: Problems,
    *,
    known: Sequence[KnownItem] = (),
) -> ParsedJudgments:
    """The same of rows that were made from another tool's file."""
    columns = Columns.of(header, problems, "")
    assert columns is not None  # the header was made here, too
    return _parsed(columns, records, known, problems)


def _parsed(
    columns: Columns,
    records: Iterable[Record],
    known: Sequence[KnownItem],
    problems: Problems,
) -> ParsedJudgments:
    items: Items = KnownItems(known) if known else NewItems(columns, problems)
    reader = _Reader(columns, items, problems)
    for record in records:
        if record.cells:
            reader.read(record)
    if not len(reader.parsed) and not problems:
        problems.add(
            None,
            Problem(
                "missing",
                _("the file has no answers"),
                _("it needs at least one line below the header"),
            ),
        )
    problems.raise_if_any()
    reader.parsed.items = items.items
    reader.parsed.pools = items.pools
    return reader.parsed


class _Reader:
    def __init__(self, columns: Columns, items: Items, problems: Problems) -> None:
        # What the file itself calls a column.
        self._called: Mapping[str, str] = {}
        self._columns = columns
        self._items = items
        self._problems = problems
        # By their items in the order of their numbers, packed.
        self._tuples: dict[bytes, int] = {}
        self._annotators: dict[str, int] = {}
        self._annotator_ids = DistinctIds()
        self._answered = FirstLines()
        self.parsed = ParsedJudgments()
        if columns.annotator >= 0:
            self.parsed.annotators = []

    def read(self, record: Record) -> None:
        columns, cells, line = self._columns, record.cells, record.line
        self._called = record.called
        if len(cells) != columns.n:
            self._problems.add(
                line,
                Problem(
                    "conflict",
                    _("%(n)s columns, but the header has %(wanted)s"),
                    _("each line needs as many items as the header names"),
                )
                % {"n": len(cells), "wanted": columns.n},
            )
            return
        n_before = len(self._problems)
        if problem := self._items.begin(record):
            self._problems.add(line, problem)
            return
        members = [
            self._item(line, f"Item{number}", cells[place])
            for number, place in enumerate(columns.items, start=1)
        ]
        named = {cells[place]: n for place, n in zip(columns.items, members, strict=True)}
        best = self._pick(line, "BestItem", cells[columns.best], named)
        worst = self._pick(line, "WorstItem", cells[columns.worst], named)
        self._check_set(line, members)
        if best == worst and best >= 0:
            self._problems.add(
                line,
                Problem(
                    "duplicate",
                    _("%(best)s and %(worst)s are both %(item)s"),
                    _("choose two different items, or remove the line"),
                )
                % {
                    "best": self._name("BestItem"),
                    "worst": self._name("WorstItem"),
                    "item": shown(cells[columns.best]),
                },
            )
        comment = cells[columns.comment] if columns.comment >= 0 else ""
        if problem := long_text_problem(comment):
            self._problems.add(line, problem % {"field": "Comment"})
        active_ms, answered_at = self._times(cells)
        annotator = self._annotator(line, cells)
        if len(self._problems) > n_before:
            return
        number = self._tuple(members)
        if columns.annotator >= 0:
            before = self._answered.note(annotator, number, line)
            if before is not None:
                place = self._problems.place(before)
                self._problems.add(
                    line,
                    Problem(
                        "duplicate",
                        _("annotator %(annotator)s answered these items in %(before)s"),
                        _("keep one of the two answers"),
                    )
                    % {"annotator": shown(cells[columns.annotator]), "before": place},
                )
                return
        self.parsed.append(
            ParsedJudgment(annotator, number, best, worst, comment, active_ms, answered_at)
        )

    def _name(self, column: str) -> str:
        return self._called.get(column, column)

    def _times(self, cells: list[str]) -> tuple[int | None, datetime | None]:
        """Only rows that were made here have them, as they are kept."""
        columns = self._columns
        active = cells[columns.active] if columns.active >= 0 else ""
        answered = cells[columns.answered] if columns.answered >= 0 else ""
        return (
            int(active) if active else None,
            datetime.fromisoformat(answered) if answered else None,
        )

    def _item(self, line: int, where: str, name: str) -> int:
        if not name.strip():
            self._problems.add(
                line,
                Problem("missing", _("%(field)s is empty"), _("name the item"))
                % {"field": self._name(where)},
            )
            return -1
        number, problem = self._items.find(line, name)
        if problem:
            self._problems.add(
                line,
                _("%(field)s %(problem)s") % {"field": self._name(where), "problem": problem},
            )
        return number

    def _pick(self, line: int, where: str, name: str, named: dict[str, int]) -> int:
        if not name.strip():
            self._problems.add(
                line,
                Problem("missing", _("%(field)s is empty"), _("name the chosen item"))
                % {"field": self._name(where)},
            )
            return -1
        # By the name that the line uses; otherwise by id if the line has the text, or the reverse.
        number = named.get(name, -1)
        if number < 0:
            number = self._items.number(name)
        if number not in named.values() and -1 not in named.values():
            self._problems.add(
                line,
                Problem(
                    "unknown",
                    _("%(field)s %(item)s is not one of the %(n)s items shown"),
                    _("choose one of them, or remove the line"),
                )
                % {
                    "field": self._name(where),
                    "item": shown(name),
                    "n": len(self._columns.items),
                },
            )
            return -1
        return number

    def _check_set(self, line: int, members: list[int]) -> None:
        """That the items are different ones of one pool."""
        seen: dict[int, int] = {}
        for number, member in enumerate(members, start=1):
            if member < 0:
                continue  # what it is has been asked already
            if (before := seen.setdefault(member, number)) != number:
                self._problems.add(
                    line,
                    Problem(
                        "duplicate",
                        _("%(one)s and %(other)s are the same item"),
                        _("name each only once"),
                    )
                    % {
                        "one": self._name(f"Item{before}"),
                        "other": self._name(f"Item{number}"),
                    },
                )
        if len({self._items.pool_of(member) for member in seen}) > 1:
            self._problems.add(
                line,
                Problem(
                    "conflict",
                    _("the items belong to different pools"),
                    _("compare only items of one pool"),
                ),
            )

    def _annotator(self, line: int, cells: list[str]) -> int:
        if self._columns.annotator < 0:
            return len(self.parsed)
        name = cells[self._columns.annotator]
        if (number := self._annotators.get(name)) is not None:
            return number
        if problem := key_problem(name):
            self._problems.add(line, problem % {"field": _("the annotator's id")})
            return -1
        assert self.parsed.annotators is not None
        number = self._annotators[name] = len(self._annotators)
        self.parsed.annotators.append(name)
        if similar := self._annotator_ids.similar(name, line):
            problem = similar_problem(name, similar[0], self._problems.place(similar[1]))
            self._problems.add(
                line,
                _("%(field)s %(problem)s")
                % {"field": _("the annotator's id"), "problem": problem},
            )
        return number

    def _tuple(self, members: list[int]) -> int:
        key = array("i", sorted(members)).tobytes()
        number = self._tuples.setdefault(key, len(self._tuples))
        if number == len(self.parsed.tuples):
            self.parsed.tuples.append(members)
        return number
