"""Sentences kept as data: raised or stored by one process, said in the language of who reads them.

`sentence` and `ngettext` are written and extracted like gettext's: `_("… %(n)s …") % {"n": 2}`.
"""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.utils import translation
from django.utils.formats import number_format
from django.utils.functional import Promise

from shell.messages import Message

MAX_PLACES = 20
_MARK = '{"say":'


class Sentence(Promise):
    """A message with its values. As a text it is what the active language says."""

    def __init__(
        self,
        singular: str,
        plural: str = "",
        count: int | str = 0,
        values: Mapping[str, Any] | None = None,
    ) -> None:
        self.singular = singular
        self.plural = plural
        # What the plural follows: a number, or the name of the value that is one.
        self.count = count
        self.values = dict(values or {})

    def __mod__(self, values: Mapping[str, Any]) -> "Sentence":
        """More values; those of an inner sentence may be given later than the others."""
        return Sentence(self.singular, self.plural, self.count, {**self.values, **values})

    def __str__(self) -> str:
        if self.plural:
            n = self.values[self.count] if isinstance(self.count, str) else self.count
            text = translation.ngettext(self.singular, self.plural, int(n))
        else:
            text = translation.gettext(self.singular)
        if not self.values:
            return text
        return text % {name: _shown(value) for name, value in self.values.items()}

    def __repr__(self) -> str:
        return f"Sentence({str(self)!r})"

    def as_data(self) -> dict[str, Any]:
        """What JSON knows; `of_data` is the way back."""
        data: dict[str, Any] = {"say": self.singular}
        if self.plural:
            data |= {"plural": self.plural, "count": self.count}
        if self.values:
            data["with"] = {name: _plain(value) for name, value in self.values.items()}
        return data

    @classmethod
    def of_data(cls, data: Mapping[str, Any]) -> "Sentence":
        if "code" in data:
            parts = data["with"]
            return Problem(data["code"], cls.of_data(parts["what"]), cls.of_data(parts["remedy"]))
        return cls(
            data["say"],
            data.get("plural", ""),
            data.get("count", 0),
            {name: cls._value_of(value) for name, value in data.get("with", {}).items()},
        )

    @classmethod
    def _value_of(cls, data: Any) -> Any:
        if isinstance(data, list):
            return [cls._value_of(entry) for entry in data]
        if isinstance(data, dict):
            return Decimal(data["decimal"]) if "decimal" in data else cls.of_data(data)
        return data


class Problem(Sentence):
    """What is wrong with something that was given, and what to do about it.

    `code` is for programs: missing, duplicate, unknown, wrong_value, conflict, unreadable or
    too_large.
    """

    def __init__(self, code: str, what: Sentence, remedy: Sentence) -> None:
        super().__init__("%(what)s; %(remedy)s", values={"what": what, "remedy": remedy})
        self.code, self.what, self.remedy = code, what, remedy

    def __mod__(self, values: Mapping[str, Any]) -> "Problem":
        return Problem(self.code, self.what % values, self.remedy % values)

    def as_data(self) -> dict[str, Any]:
        return super().as_data() | {"code": self.code}


Said = str | Sentence


def sentence(message: str) -> Sentence:
    return Sentence(message)


def ngettext(singular: str, plural: str, count: int | str) -> Sentence:
    """Like gettext's; `count` may also name the value that decides."""
    return Sentence(singular, plural, count)


def translated(text: str) -> Said:
    """A message of `scoring` or `tuples` as a sentence; any other text stays as it is."""
    if not isinstance(text, Message):
        return text
    values = {name: translated_value(value) for name, value in text.values.items()}
    return Sentence(text.template, text.plural, text.counted, values)


def translated_value(value: Any) -> Any:
    """A value of a message as a value of a sentence."""
    if isinstance(value, str):
        return translated(value)
    if isinstance(value, list | tuple):
        return [translated(entry) for entry in value]
    if isinstance(value, float):
        # As precise as the English text is.
        value = float(f"{value:g}")
        return int(value) if value.is_integer() else value
    return value


def error_message(error: Exception) -> Said:
    """What an error of `scoring` or `tuples` was raised with, as a sentence if it is a message."""
    text = error.args[0] if error.args else ""
    return translated(text) if isinstance(text, Message) else str(error)


def in_words(text: str | None) -> str:
    """A message of `scoring` or `tuples` in the active language; nothing where there is none."""
    return str(translated(text)) if text else ""


def stored(message: str | Promise) -> str:
    """One line for a column of text. A sentence keeps its values, so that it can be said anew."""
    if not isinstance(message, Sentence):
        text = " ".join(str(message).splitlines())
        if not text.startswith(_MARK):
            return text
        # Somebody's text that looks like a stored sentence is read as their text.
        message = Sentence("%(text)s") % {"text": text}
    return json.dumps(message.as_data(), ensure_ascii=False)


def storable(message: Said) -> str:
    """As `stored`, for texts of several lines that somebody typed: they stay as they are."""
    is_typed = isinstance(message, str) and not message.startswith(_MARK)
    return str(message) if is_typed else stored(message)


def read(text: str) -> str:
    """What `stored` wrote, in the active language; any other text as it is."""
    if not text.startswith(_MARK):
        return text
    try:
        return str(Sentence.of_data(json.loads(text)))
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        ArithmeticError,
        MemoryError,
        RecursionError,
    ):
        return text


def _plain(value: Any) -> Any:
    if isinstance(value, Sentence):
        return value.as_data()
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, Decimal):
        return {"decimal": str(value)}
    return value if isinstance(value, int | float) else str(value)


def _shown(value: Any) -> Any:
    if isinstance(value, Promise):
        return str(value)
    if isinstance(value, float):
        return str(number_format(value)).replace("-", "−")
    if isinstance(value, Decimal):
        exponent = value.as_tuple().exponent
        # No number, or one that somebody typed with an exponent: written out it might be endless.
        if not isinstance(exponent, int) or abs(exponent) > MAX_PLACES:
            return str(value)
        return str(number_format(value, max(0, -exponent))).replace("-", "−")
    if isinstance(value, list | tuple):
        return ", ".join(str(_shown(entry)) for entry in value)
    return value


# By this name gettext finds what is to be translated.
_ = sentence


def mebibytes(n_bytes: int) -> Said:
    """How large something is, in words."""
    return _("%(n)s MiB") % {"n": float(f"{n_bytes / 1024**2:.3g}")}
