"""What is said of many figures, each thing once, with the range of its numbers."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, TypeVar

from annotation.basics.sentences import Sentence, sentence, translated_value
from shell.messages import Message

Name = TypeVar("Name")


def said_once(mentions: Iterable[tuple[Name, str]]) -> list[tuple[list[Name], str]]:
    """Texts that differ in their numbers alone as one, with the names of all they are said of."""
    by_form: dict[object, list[tuple[Name, str]]] = {}
    for name, text in mentions:
        by_form.setdefault(form_of(text), []).append((name, text))
    return [
        ([name for name, _text in alike], in_one([text for _name, text in alike]))
        for alike in by_form.values()
    ]


def form_of(value: object) -> object:
    """What is equal of messages that differ in their numbers alone."""
    if isinstance(value, Message):
        return value.template, tuple(
            (name, form_of(value_form)) for name, value_form in value.values.items()
        )
    if isinstance(value, int | float | Decimal):
        return None
    return value if isinstance(value, str) else str(value)


def in_one(texts: Sequence[str]) -> str:
    """Messages that differ in their numbers alone as one, with the range of each number."""
    return str(_in_one(texts))


def _in_one(values: Sequence[Any]) -> Any:
    first = values[0]
    if isinstance(first, Message):
        ranges = {
            name: _in_one([value_form.values[name] for value_form in values])
            for name in first.values
        }
        count = (
            max(value_form.values[first.counted] for value_form in values) if first.plural else 0
        )
        return Sentence(first.template, first.plural, count, ranges)
    if isinstance(first, int | float | Decimal) and min(values) < max(values):
        return sentence("%(low)s to %(high)s") % {
            "low": translated_value(min(values)),
            "high": translated_value(max(values)),
        }
    return translated_value(first)
