"""JSON Lines: the value of one line, or what is wrong with it."""

import json
from bisect import bisect_right
from typing import Any, NoReturn

from annotation.basics.numbers import grouped
from annotation.basics.sentences import Problem, Said
from annotation.basics.sentences import sentence as _
from annotation.items.imports.lines import MAX_LINE_BYTES
from annotation.items.imports.problems import Problems, shown

# Values of one object: the largest is the state of a person who answered a few thousand questions.
MAX_OBJECT_LENGTH = 2 * MAX_LINE_BYTES
MAX_VALUES = 1_000_000


class _DuplicateKeyError(ValueError):
    pass


class _NotANumberError(ValueError):
    pass


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        for key, _value in pairs:
            if key in seen:
                raise _DuplicateKeyError(key)
            seen.add(key)
    return made


def _no_number(name: str) -> Any:
    raise _NotANumberError(name)


# How Python's reader begins what it has to say of broken JSON, and how we say it.
_REASONS = (
    ("Expecting value", _("no valid JSON value starts here")),
    ("Expecting ',' delimiter", _("a comma or a closing bracket is missing")),
    ("Expecting ':' delimiter", _("a colon is missing")),
    ("Expecting property name", _("a key in double quotes is missing")),
    ("Illegal trailing comma", _("a comma stands before a closing bracket")),
    ("Unterminated string", _("a text is not closed by a double quote")),
    ("Invalid control character", _("a text contains a control character; escape it")),
    ("Invalid \\", _("a backslash is followed by a wrong character; double it")),
    ("Extra data", _("there is more text after the end of the object")),
)

_decoder = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_number)


def n_values(text: str, start: int = 0, end: int | None = None) -> int:
    """How many values JSON has at most, without decoding it.

    Commas inside texts count, too. An object counts twice: it takes the most memory.
    """
    stop = len(text) if end is None else end
    n_commas, n_lists = text.count(",", start, stop), text.count("[", start, stop)
    return n_commas + n_lists + 2 * text.count("{", start, stop)


def end_of_values(text: str, start: int, end: int) -> int:
    """The place up to which JSON has as many values as one object may have, `end` at most."""
    # A short text is not counted: no character is more than two values.
    if 2 * (end - start) <= MAX_VALUES or n_values(text, start, end) <= MAX_VALUES:
        return end
    places = range(start, end)
    return start + bisect_right(places, MAX_VALUES, key=lambda at: n_values(text, start, at)) - 1


def decode(line: int, text: str, problems: Problems) -> tuple[Any, Said]:
    """The value of one line, or what is wrong with it.

    Raises ImportProblemsError, before anything is decoded, if it is too large.
    """
    refuse_too_large(line, text, problems)
    return _decoded(text)


def refuse_too_large(line: int, text: str, problems: Problems) -> None:
    """Raises ImportProblemsError if JSON has too much to be decoded."""
    if len(text) > MAX_OBJECT_LENGTH:
        refuse_length(line, problems)
    n = n_values(text)
    if n > MAX_VALUES:
        refuse_values(line, problems)
    problems.count_values(line, n)


def refuse_length(line: int, problems: Problems) -> NoReturn:
    problems.refuse(
        line,
        Problem(
            "unreadable",
            _("what begins here is longer than %(n)s characters, or its JSON is broken"),
            _("split it, or export the file again"),
        )
        % {"n": grouped(MAX_OBJECT_LENGTH)},
    )


def refuse_values(line: int, problems: Problems) -> NoReturn:
    problems.refuse(
        line,
        Problem(
            "too_large",
            _("what begins here has more than %(n)s values"),
            _("split it, or remove unnecessary fields"),
        )
        % {"n": grouped(MAX_VALUES)},
    )


def _decoded(text: str) -> tuple[Any, Said]:
    if "\x00" in text:
        return None, Problem("unreadable", _("the line contains a NUL character"), _("remove it"))
    try:
        return _decoder.decode(text.rstrip("\r\n")), ""
    except _DuplicateKeyError as error:
        return None, Problem(
            "duplicate", _("key %(key)s occurs twice in one object"), _("keep one of them")
        ) % {"key": shown(str(error))}
    except _NotANumberError as error:
        return None, Problem(
            "unreadable",
            _("%(value)s is not valid JSON"),
            _("write null or a text in quotation marks"),
        ) % {"value": str(error)}
    except json.JSONDecodeError as error:
        return None, Problem(
            "unreadable",
            _("broken JSON at character %(place)s: %(reason)s"),
            _("write one whole object on each line"),
        ) % {"place": error.colno, "reason": _reason(error.msg)}
    except RecursionError:
        return None, Problem("unreadable", _("the JSON is nested too deeply"), _("flatten it"))
    except ValueError:
        # Python refuses to read whole numbers of more than 4300 digits.
        return None, Problem(
            "too_large",
            _("a number has too many digits"),
            _("write it as a text in quotation marks"),
        )


def _reason(message: str) -> Said:
    known = (reason for start, reason in _REASONS if message.startswith(start))
    return next(known, _("it cannot be read there"))


def kind_of(value: Any) -> Said:
    if value is None:
        return "null"
    names = {
        bool: _("true or false"),
        str: _("a text"),
        list: _("a list"),
        dict: _("an object"),
    }
    return names.get(type(value), _("a number"))
