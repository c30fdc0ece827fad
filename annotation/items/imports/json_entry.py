"""One object of a JSON Lines file, whatever it is; all its problems are found."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from annotation.basics.numbers import grouped
from annotation.basics.sentences import Problem, Said
from annotation.basics.sentences import sentence as _
from annotation.items.imports.checks import (
    COLUMNS,
    is_check,
    known_answer_problem,
    read_check,
    scale_problem,
)
from annotation.items.imports.entries import NAME_LIMIT, Builder, class_problem
from annotation.items.imports.headers import MAX_COLUMNS
from annotation.items.imports.json_lines import kind_of
from annotation.items.imports.numbers import number_in
from annotation.items.imports.parsed import ParsedCheck, ParsedTurn
from annotation.items.imports.problems import (
    item_text_problem,
    json_problem,
    key_problem,
    length_problem,
    long_text_problem,
    of_item,
    shown,
    text_problem,
)
from annotation.kinds.contract.items import AnswerForm

# The metadata of one object may have as many keys as a table may have columns.
MAX_KEYS = MAX_COLUMNS
_SENTENCES = '["First.", "Second."]'


class Entry(ABC):
    """One line; its problems are all found before it is given up."""

    def __init__(self, line: int, entry: dict[str, Any], builder: Builder) -> None:
        self.line = line
        self.entry = entry
        self.builder = builder

    @abstractmethod
    def read(self) -> None:
        """Look at all of it, and hand the builder what it says."""

    def add(self, where: Said, message: Said, *, item: object = None, **values: object) -> None:
        """The message leaves %(field)s open; `item` is the id of what has the field."""
        field = of_item(self.called(where), item)
        self.builder.problems.add(self.line_of(where), message % {"field": field, **values})

    def line_of(self, where: Said) -> int:
        """The line in which a field stands."""
        return self.line

    def called(self, where: Said) -> Said:
        """What messages call a field."""
        return where

    def key(
        self, entry: dict[str, Any], where: str, *, name: str = "id", required: bool = True
    ) -> str | None:
        """An id: a text or a number."""
        value = entry.get(name)
        if value is None:
            if required:
                self.add(
                    where,
                    Problem(
                        "missing",
                        _("%(field)s is missing"),
                        _("give every entry its own id"),
                    ),
                )
            return None
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            self.add(
                where,
                Problem("wrong_value", _("%(field)s is %(kind)s"), _("write a text or a number")),
                kind=kind_of(value),
            )
            return None
        key = value if isinstance(value, str) else str(value)
        if problem := json_problem(value) or key_problem(key):
            self.add(where, problem)
            return None
        return key

    def name(self, entry: dict[str, Any], key: str, where: str) -> str:
        """An optional short text: a domain, a source, a speaker."""
        value = entry.get(key)
        if value is None:
            return ""
        if not isinstance(value, str):
            self.add(
                where,
                Problem(
                    "wrong_value", _("%(field)s is %(kind)s"), _("write a text, or leave it out")
                ),
                kind=kind_of(value),
            )
        elif problem := text_problem(value):
            self.add(where, problem)
        elif len(value) > NAME_LIMIT:
            self.add(where, length_problem(len(value), NAME_LIMIT))
        else:
            return value
        return ""

    def text(self, entry: dict[str, Any], where: str) -> str | None:
        """A text that is required."""
        if "text" not in entry:
            self.add(where, Problem("missing", _("%(field)s is missing"), _("write the text")))
            return None
        return self.text_of(entry["text"], where)

    def text_of(self, value: Any, where: str) -> str | None:
        if not isinstance(value, str):
            self.add(
                where,
                Problem(
                    "wrong_value", _("%(field)s is %(kind)s"), _("write a text in quotation marks")
                ),
                kind=kind_of(value),
            )
        elif problem := item_text_problem(value):
            self.add(where, problem, item=self.entry.get("id"))
        elif not value.strip():
            self.add(
                where,
                Problem(
                    "missing", _("%(field)s is empty"), _("write the text or remove the entry")
                ),
            )
        else:
            return value
        return None

    def listed(
        self, entry: dict[str, Any], key: str, where: str, example: str
    ) -> Iterator[tuple[str, Any]]:
        """The entries of a required list, each with its name in messages."""
        values = entry.get(key)
        if key not in entry:
            self.add(
                where,
                Problem(
                    "missing", _("%(field)s is missing"), _("write a list such as %(example)s")
                ),
                example=example,
            )
        elif not isinstance(values, list):
            self.add(
                where,
                Problem(
                    "wrong_value",
                    _("%(field)s is %(kind)s"),
                    _("write a list such as %(example)s"),
                ),
                kind=kind_of(values),
                example=example,
            )
        elif not values:
            self.add(
                where,
                Problem(
                    "missing",
                    _("%(field)s is an empty list"),
                    _("write at least one entry such as %(example)s"),
                ),
                example=example,
            )
        else:
            for number, value in enumerate(values, start=1):
                yield f"{where}[{number}]", value

    def objects(
        self, entry: dict[str, Any], key: str, example: str
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """The objects of a required list."""
        for where, value in self.listed(entry, key, key, example):
            if isinstance(value, dict):
                yield where, value
            else:
                self.add(
                    where,
                    Problem(
                        "wrong_value",
                        _("%(field)s is %(kind)s"),
                        _("write an object such as %(example)s"),
                    ),
                    kind=kind_of(value),
                    example=example,
                )

    def sentences(
        self, entry: dict[str, Any], key: str, where: str
    ) -> tuple[list[ParsedTurn], list[dict[str, Any]]]:
        """Sentences of a document: texts, or objects with a text and perhaps a speaker."""
        turns, extras = [], []
        for place, value in self.listed(entry, key, where, _SENTENCES):
            if isinstance(value, dict):
                turn, extra = self.turn(value, place)
            else:
                turn, extra = ParsedTurn(self.text_of(value, place) or ""), {}
            turns.append(turn)
            extras.append(extra)
        return turns, extras

    def turn(self, turn: dict[str, Any], where: str) -> tuple[ParsedTurn, dict[str, Any]]:
        """A turn, and what else is said of it."""
        text = self.text(turn, f"{where}.text")
        speaker = self.name(turn, "speaker", f"{where}.speaker")
        return (
            ParsedTurn(text or "", speaker),
            self.further(turn, f"{where}.", {"speaker", "text"}),
        )

    def number(self, name: str) -> Decimal | None:
        return self.number_of(self.entry, name, name)

    def number_of(self, entry: dict[str, Any], name: str, where: str) -> Decimal | None:
        value, problem = number_in(entry.get(name))
        if problem:
            self.add(where, problem)
        return value

    def check(self, entry: dict[str, Any], where: str = "") -> ParsedCheck | None:
        """The check that an object is, if it is one."""
        return read_check(
            entry,
            self.builder.kind,
            lambda name, problem: self.add(f"{where}{name}", problem),
            self.builder.categories,
        )

    def expected(
        self, entry: dict[str, Any], where: str, check: ParsedCheck | None
    ) -> Decimal | None:
        """The known answer as a number; categories are names, and stand in the check."""
        kind = self.builder.kind
        if kind.answer_form == AnswerForm.NAMES:
            return None
        n_before = len(self.builder.problems)
        value = self.number_of(entry, "expected", where)
        problem = known_answer_problem(check, kind, value) or scale_problem(
            value, self.builder.scale
        )
        if problem and len(self.builder.problems) == n_before:
            self.add(where, problem)
        return value

    def known_of_check(self, entry: dict[str, Any]) -> set[str]:
        """Which keys of an object say that it is a check, and are no metadata."""
        known = set(COLUMNS) if "check" in entry else set()
        if self.builder.kind.answer_form != AnswerForm.NAMES or is_check(entry):
            known.add("expected")
        return known

    def intended_class(self, entry: dict[str, Any], where: str) -> str:
        value = entry.get("intended_class")
        if value is None:
            return ""
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            self.add(
                where,
                Problem("wrong_value", _("%(field)s is %(kind)s"), _("write a text or a number")),
                kind=kind_of(value),
            )
            return ""
        text = str(value)
        if problem := json_problem(value) or class_problem(text):
            self.add(where, problem)
            return ""
        return text

    def further(self, entry: dict[str, Any], where: str, known: set[str]) -> dict[str, Any]:
        """What else an object says: kept as metadata."""
        metadata = {key: value for key, value in entry.items() if key not in known}
        if len(metadata) > MAX_KEYS:
            self.builder.problems.add(
                self.line,
                Problem(
                    "too_large",
                    _("the object has %(n)s keys, but at most %(limit)s are possible"),
                    _("remove some"),
                )
                % {"n": grouped(len(metadata)), "limit": grouped(MAX_KEYS)},
            )
            return {}
        for key, value in metadata.items():
            if problem := text_problem(key):
                self.builder.problems.add(
                    self.line,
                    problem % {"field": _("the key %(key)s") % {"key": f"{where}{shown(key)}"}},
                )
            elif problem := json_problem(value) or (
                long_text_problem(value) if isinstance(value, str) else ""
            ):
                self.add(f"{where}{key}", problem)
        return metadata


def with_turns(metadata: dict[str, Any], extras: list[dict[str, Any]]) -> dict[str, Any]:
    """What else is said of a context's turns is kept with what is said of the context."""
    return {**metadata, "turns": extras} if any(extras) else metadata
