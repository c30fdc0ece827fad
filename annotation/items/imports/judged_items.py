"""What the columns of a file of finished answers name: items, and the pools they are in."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from annotation.basics.sentences import Problem, Said
from annotation.basics.sentences import sentence as _
from annotation.items.imports.entries import NAME_LIMIT
from annotation.items.imports.ids import DistinctIds, similar_problem
from annotation.items.imports.lines import Record
from annotation.items.imports.problems import (
    Problems,
    item_text_problem,
    key_problem,
    length_problem,
    shown,
    text_problem,
)
from annotation.models.items import ONE_POOL

_ANNOTATOR = ("annotator", "workerid")
_MAX_TURNS = 2**31
# No researcher writes these names: a file of one's own says nothing of times.
ACTIVE, ANSWERED = "\x00active", "\x00answered"


@dataclass(frozen=True, slots=True)
class KnownItem:
    """An item that the study has; `pool` is anything that tells pools apart."""

    key: str
    text: str
    pool: int


@dataclass(frozen=True)
class FoundPool:
    """A pool that the file names."""

    key: str
    source: str = ""
    domain: str = ""
    n_turns: int = 0


@dataclass(frozen=True, slots=True)
class FoundItem:
    """An item that the file names; `pool` is the number of a `FoundPool`."""

    key: str
    text: str
    pool: int


@dataclass(frozen=True)
class Columns:
    """Where each column stands; -1 if there is none."""

    n: int
    items: tuple[int, ...]
    best: int
    worst: int
    annotator: int
    comment: int
    pool: int
    source: int
    domain: int
    turns: int
    # Milliseconds and a moment, in tables that were made from another tool's file.
    active: int
    answered: int

    @classmethod
    def of(cls, header: Record, problems: Problems, pool_column: str) -> "Columns | None":
        names = [name.strip().lower() for name in header.cells]
        n_before = len(problems)
        numbers = sorted(
            int(m[1]) for name in names if (m := re.fullmatch(r"item(\d{1,3})", name))
        )
        size = len(numbers)
        if size < 2 or numbers != list(range(1, size + 1)):
            problems.add(header.line, _("columns Item1, Item2, ... without a gap are needed"))
        for name in ("BestItem", "WorstItem"):
            if name.lower() not in names:
                problems.add(
                    header.line,
                    Problem(
                        "missing",
                        _("column %(name)s is missing"),
                        _("name the chosen items there"),
                    )
                    % {"name": name},
                )
        pool = pool_column.strip().lower()
        if pool and pool not in names:
            problems.add(
                header.line,
                Problem(
                    "missing", _("column %(name)s is missing"), _("it was chosen for the pools")
                )
                % {"name": pool_column},
            )
        used = {"bestitem", "worstitem", "comment", *_ANNOTATOR, pool, "source", "domain", "turns"}
        for name in sorted(used - {""}):
            if names.count(name) > 1:
                problems.add(
                    header.line,
                    Problem(
                        "duplicate", _("the column %(name)s occurs twice"), _("remove one of them")
                    )
                    % {"name": name},
                )
        if all(name in names for name in _ANNOTATOR):
            problems.add(
                header.line,
                Problem(
                    "conflict",
                    _("columns Annotator and WorkerId"),
                    _("keep only the right one"),
                ),
            )
        if len(problems) > n_before:
            return None

        def place(*choices: str) -> int:
            return next((names.index(name) for name in choices if name and name in names), -1)

        return cls(
            n=len(names),
            items=tuple(place(f"item{number}") for number in numbers),
            best=place("bestitem"),
            worst=place("worstitem"),
            annotator=place(*_ANNOTATOR),
            comment=place("comment"),
            pool=place(pool),
            source=place("source"),
            domain=place("domain"),
            turns=place("turns"),
            active=place(ACTIVE),
            answered=place(ANSWERED),
        )


class Items:
    """Names of items to their numbers."""

    def __init__(self) -> None:
        self.items: list[FoundItem] = []
        self.pools: list[FoundPool] = []

    def begin(self, record: Record) -> Said:
        """Look at a row before its items; a problem, or nothing."""
        raise NotImplementedError

    def find(self, line: int, name: str) -> tuple[int, Said]:
        """The number of an item, or a problem."""
        raise NotImplementedError

    def number(self, name: str) -> int:
        """The number of an item that is there; -1 if none is."""
        raise NotImplementedError

    def pool_of(self, number: int) -> int:
        raise NotImplementedError


class KnownItems(Items):
    def __init__(self, known: Sequence[KnownItem]) -> None:
        super().__init__()
        self._pools = [item.pool for item in known]
        self._by_key = {item.key: number for number, item in enumerate(known)}
        self._by_text: dict[str, int | None] = {}
        for number, item in enumerate(known):
            # None: several items have this text.
            self._by_text[item.text] = None if item.text in self._by_text else number

    def begin(self, record: Record) -> Said:
        return ""

    def find(self, line: int, name: str) -> tuple[int, Said]:
        if (number := self._by_key.get(name)) is not None:
            return number, ""
        if name not in self._by_text:
            return -1, Problem(
                "unknown",
                _("%(item)s is not an item of the study"),
                _("write an item's id or its text"),
            ) % {"item": shown(name)}
        if (number := self._by_text[name]) is None:
            return -1, Problem(
                "conflict", _("%(item)s is the text of several items"), _("write the item's id")
            ) % {"item": shown(name)}
        return number, ""

    def number(self, name: str) -> int:
        number = self._by_key.get(name, self._by_text.get(name))
        return -1 if number is None else number

    def pool_of(self, number: int) -> int:
        return self._pools[number]


class NewItems(Items):
    def __init__(self, columns: Columns, problems: Problems) -> None:
        super().__init__()
        self._columns = columns
        self._place = problems.place
        self._item_ids, self._pool_ids = DistinctIds(), DistinctIds()
        self._numbers: dict[str, int] = {}
        self._pool_numbers: dict[str, int] = {}
        self._pool = 0
        if columns.pool < 0:
            self.pools.append(FoundPool(ONE_POOL))

    def begin(self, record: Record) -> Said:
        columns = self._columns
        if columns.pool < 0:
            return ""

        def cell(place: int) -> str:
            return record.cells[place] if place >= 0 else ""

        key, source, domain, turns = map(
            cell, (columns.pool, columns.source, columns.domain, columns.turns)
        )
        if problem := key_problem(key):
            return problem % {"field": _("the pool's id")}
        for name, text in (("Source", source), ("Domain", domain)):
            if problem := text_problem(text):
                return problem % {"field": name}
            if len(text) > NAME_LIMIT:
                return length_problem(len(text), NAME_LIMIT) % {"field": name}
        if turns and not (re.fullmatch(r"[0-9]{1,10}", turns) and int(turns) < _MAX_TURNS):
            return Problem(
                "wrong_value",
                _("Turns is %(value)s"),
                _("write a whole number, or leave it empty"),
            ) % {"value": shown(turns)}
        pool = FoundPool(key, source, domain, int(turns or 0))
        self._pool = self._pool_numbers.setdefault(key, len(self.pools))
        if self._pool == len(self.pools):
            self.pools.append(pool)
            if similar := self._pool_ids.similar(key, record.line):
                problem = similar_problem(key, similar[0], self._place(similar[1]))
                return _("%(field)s %(problem)s") % {
                    "field": _("the pool's id"),
                    "problem": problem,
                }
        elif self.pools[self._pool] != pool:
            return Problem(
                "conflict",
                _(
                    "pool %(pool)s has another source, domain or number of turns than in its"
                    " first line"
                ),
                _("make them the same"),
            ) % {"pool": shown(key)}
        return ""

    def find(self, line: int, name: str) -> tuple[int, Said]:
        if (number := self._numbers.get(name)) is not None:
            if self.items[number].pool != self._pool:
                before = self.pools[self.items[number].pool].key
                return -1, Problem(
                    "conflict",
                    _("%(item)s was in pool %(pool)s before"),
                    _("an item belongs to one pool"),
                ) % {"item": shown(name), "pool": shown(before)}
            return number, ""
        if problem := item_text_problem(name):
            return -1, problem % {"field": shown(name)}
        has_id = not key_problem(name)
        if has_id and (similar := self._item_ids.similar(name, line, is_text=True)):
            return -1, similar_problem(name, similar[0], self._place(similar[1]))
        number = self._numbers[name] = len(self.items)
        key = name if has_id else f"item-{number + 1}"
        self.items.append(FoundItem(key, name, self._pool))
        return number, ""

    def number(self, name: str) -> int:
        return self._numbers.get(name, -1)

    def pool_of(self, number: int) -> int:
        return self.items[number].pool
