"""Dialogues: JSON Lines, one on each line."""

import json
from collections.abc import Iterator
from typing import Any

from annotation.imports.entries import (
    NAME_LIMIT,
    Builder,
    ParsedContext,
    ParsedItem,
    ParsedTurn,
    class_problem,
)
from annotation.imports.lines import Lines
from annotation.imports.problems import (
    json_problem,
    key_problem,
    length_problem,
    shown,
    text_problem,
)
from annotation.sentences import Said, ngettext
from annotation.sentences import sentence as _


class _DuplicateKeyError(ValueError):
    pass


class _NotANumberError(ValueError):
    pass


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _value in pairs]
        raise _DuplicateKeyError(next(key for key in keys if keys.count(key) > 1))
    return made


def _no_number(name: str) -> Any:
    raise _NotANumberError(name)


# How Python's reader begins what it has to say of broken JSON, and how we say it.
_REASONS = (
    ("Expecting value", _("a value is missing")),
    ("Expecting ',' delimiter", _("a comma or a closing bracket is missing")),
    ("Expecting ':' delimiter", _("a colon is missing")),
    ("Expecting property name", _("a key in double quotes is missing")),
    ("Illegal trailing comma", _("a comma stands before a closing bracket")),
    ("Unterminated string", _("a text is not closed by a double quote")),
    ("Invalid control character", _("a text holds a control character; escape it")),
    ("Invalid \\", _("a backslash is followed by what cannot follow it; double it")),
    ("Extra data", _("the object has ended, and more follows")),
)

_decoder = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_number)


def read_dialogues(lines: Lines, builder: Builder) -> None:
    builder.shape = "dialogues"
    for line, text in lines:
        if not text.strip():
            continue
        builder.n_seen += 1
        entry, problem = _decoded(text)
        if problem:
            builder.problems.add(line, problem)
        elif not isinstance(entry, dict):
            builder.problems.add(
                line,
                _("%(kind)s instead of an object; write one dialogue as {...} on each line")
                % {"kind": _kind(entry)},
            )
        else:
            _Dialogue(line, entry, builder).read()


def _decoded(text: str) -> tuple[Any, Said]:
    """The value of one line, or what is wrong with it."""
    if "\x00" in text:
        return None, _("the line holds a NUL character; remove it")
    try:
        return _decoder.decode(text.rstrip("\r\n")), ""
    except _DuplicateKeyError as error:
        return None, _("key %(key)s occurs twice in one object; keep one of them") % {
            "key": shown(str(error))
        }
    except _NotANumberError as error:
        return None, _("%(value)s is no JSON; write null or a text in quotation marks") % {
            "value": str(error)
        }
    except json.JSONDecodeError as error:
        return None, _(
            "broken JSON at character %(place)s: %(reason)s; write one whole dialogue on each line"
        ) % {"place": error.colno, "reason": _reason(error.msg)}
    except RecursionError:
        return None, _("the JSON is nested too deeply; flatten it")
    except ValueError:
        # Python refuses to read whole numbers of more than 4300 digits.
        return None, _("a number has too many digits; write it as a text in quotation marks")


def _reason(message: str) -> Said:
    known = (said for start, said in _REASONS if message.startswith(start))
    return next(known, _("it cannot be read there"))


def _kind(value: Any) -> Said:
    if value is None:
        return "null"
    names = {
        bool: _("true or false"),
        str: _("a text"),
        list: _("a list"),
        dict: _("an object"),
    }
    return names.get(type(value), _("a number"))


class _Dialogue:
    """One line; its problems are all found before it is given up."""

    def __init__(self, line: int, entry: dict[str, Any], builder: Builder) -> None:
        self.line = line
        self.entry = entry
        self.builder = builder

    def add(self, where: str, message: Said, **values: object) -> None:
        """The message leaves %(field)s open."""
        self.builder.problems.add(self.line, message % {"field": where, **values})

    def read(self) -> None:
        entry = self.entry
        key = self.key(entry, "id", required=True)
        if key is not None and not self.builder.is_new_context(self.line, key):
            key = None
        domain = self.name(entry, "domain", "domain")
        source = self.name(entry, "source", "source")
        turns, extras = self.turns()
        metadata = self.further(entry, "", {"id", "domain", "source", "turns", "candidates"})
        if any(extras):
            # What else is said of a turn is kept, too.
            metadata["turns"] = extras
        number = self.builder.add_context(
            ParsedContext(key or "", tuple(turns), domain, source, metadata)
        )
        self.candidates(key, number)

    def key(self, entry: dict[str, Any], where: str, *, required: bool) -> str | None:
        value = entry.get("id")
        if value is None:
            if required:
                self.add(where, _("%(field)s is missing; give every dialogue an id of its own"))
            return None
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            self.add(
                where, _("%(field)s is %(kind)s; write a text or a number"), kind=_kind(value)
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
                _("%(field)s is %(kind)s; write a text, or leave it out"),
                kind=_kind(value),
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
            self.add(where, _("%(field)s is missing; write the text"))
            return None
        value = entry["text"]
        if not isinstance(value, str):
            self.add(
                where,
                _("%(field)s is %(kind)s; write a text in quotation marks"),
                kind=_kind(value),
            )
        elif problem := text_problem(value):
            self.add(where, problem)
        elif not value.strip():
            self.add(where, _("%(field)s is empty; write the text or remove the entry"))
        else:
            return value
        return None

    def objects(self, key: str, example: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """The objects of a required list, each with its name in messages."""
        values = self.entry.get(key)
        if key not in self.entry:
            self.add(
                key, _("%(field)s is missing; write a list such as %(example)s"), example=example
            )
        elif not isinstance(values, list):
            self.add(
                key,
                _("%(field)s is %(kind)s; write a list such as %(example)s"),
                kind=_kind(values),
                example=example,
            )
        elif not values:
            self.add(
                key,
                _("%(field)s is an empty list; write at least one entry such as %(example)s"),
                example=example,
            )
        else:
            for number, value in enumerate(values, start=1):
                where = f"{key}[{number}]"
                if isinstance(value, dict):
                    yield where, value
                else:
                    self.add(
                        where,
                        _("%(field)s is %(kind)s; write an object such as %(example)s"),
                        kind=_kind(value),
                        example=example,
                    )

    def turns(self) -> tuple[list[ParsedTurn], list[dict[str, Any]]]:
        turns, extras = [], []
        for where, turn in self.objects("turns", '[{"speaker": "A", "text": "..."}]'):
            text = self.text(turn, f"{where}.text")
            turns.append(ParsedTurn(text or "", self.name(turn, "speaker", f"{where}.speaker")))
            extras.append(self.further(turn, f"{where}.", {"speaker", "text"}))
        return turns, extras

    def candidates(self, dialogue: str | None, context: int) -> None:
        places: dict[str, int] = {}
        listed = self.entry.get("candidates")
        for where, candidate in self.objects("candidates", '[{"text": "..."}]'):
            number = int(where[len("candidates[") : -1])
            text = self.text(candidate, f"{where}.text")
            if text is not None and (before := places.setdefault(text, number)) != number:
                self.add(
                    f"{where}.text",
                    _("%(field)s %(text)s is the same text as %(other)s; remove one of them"),
                    text=shown(text),
                    other=f"candidates[{before}]",
                )
            key = self.key(candidate, f"{where}.id", required=False)
            if candidate.get("id") is None and dialogue is not None:
                key = f"{dialogue}-{number}"
                if problem := key_problem(key):
                    self.add(
                        f"{where}.id",
                        _("%(field)s is missing, and %(problem)s"),
                        problem=problem % {"field": shown(key)},
                    )
                    key = None
            intended_class = self.intended_class(candidate, f"{where}.intended_class")
            metadata = self.further(candidate, f"{where}.", {"id", "text", "intended_class"})
            if key is not None:
                self.builder.add_item(
                    self.line,
                    f"{where}.id",
                    ParsedItem(
                        key,
                        text or "",
                        context=context,
                        intended_class=intended_class,
                        metadata=metadata,
                    ),
                )
        if isinstance(listed, list) and 0 < len(listed) < self.builder.tuple_size:
            self.add(
                "candidates",
                ngettext(
                    "%(field)s has %(n)s entry, but the design shows %(size)s at once; add"
                    " candidates, or choose a smaller tuple size",
                    "%(field)s has %(n)s entries, but the design shows %(size)s at once; add"
                    " candidates, or choose a smaller tuple size",
                    len(listed),
                ),
                n=len(listed),
                size=self.builder.tuple_size,
            )

    def intended_class(self, candidate: dict[str, Any], where: str) -> str:
        value = candidate.get("intended_class")
        if value is None:
            return ""
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            self.add(
                where, _("%(field)s is %(kind)s; write a text or a number"), kind=_kind(value)
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
        for key, value in metadata.items():
            if problem := text_problem(key):
                self.builder.problems.add(
                    self.line,
                    problem % {"field": _("the key %(key)s") % {"key": f"{where}{shown(key)}"}},
                )
            elif problem := json_problem(value):
                self.add(f"{where}{key}", problem)
        return metadata
