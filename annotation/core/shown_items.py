"""Items as the researcher's pages show them: before they are imported, and from the database."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from annotation.basics.numbers import decimal, number, signed
from annotation.basics.reviewed import Reviewed

# How many turns before and after a rated one are shown.
AROUND = 2
# What of an item's metadata annotators see: it stands above the two texts.
ABOVE = "question"
_CONTEXT_NAMES = ("domain", "source")
_MAX_VALUES, _MAX_VALUE_CHARS = 20, 200


def own_label(metadata: Mapping[str, Any], name: str) -> str:
    """What the file said of an item itself, such as its domain: a text, or in JSON a number."""
    value = metadata.get(name)
    is_label = isinstance(value, str | int | float) and not isinstance(value, bool)
    return str(value).strip() if is_label else ""


def beside_columns(metadata: Mapping[str, Any], **columns: str) -> dict[str, Any]:
    """Metadata without what columns of these names say already, such as the item's domain."""
    return {
        name: value
        for name, value in metadata.items()
        if name not in columns
        or not isinstance(value, str | int | float)
        or str(value).strip() != columns[name].strip()
    }


@dataclass(frozen=True)
class ShownTurn:
    speaker: str
    text: str
    is_rated: bool


@dataclass(frozen=True)
class ShownText:
    """A text alone, or with the turns around it."""

    text: str
    turns: tuple[ShownTurn, ...] = ()
    n_before: int = 0
    n_after: int = 0
    # The id of its context, as a relabelling names it.
    context: str = ""


@dataclass(frozen=True)
class ShownItem:
    """An item, and what a researcher knows of it."""

    key: str
    candidate: ShownText
    target: ShownText | None = None
    group: str = ""
    expected: Decimal | None = None
    earlier_rating: Decimal | None = None
    intended_class: str = ""
    # The style of the check that it is, alone or with its pool, and the categories expected.
    check: str = ""
    # Why a review of discrepancies has it.
    reviewed: Reviewed | None = None
    # Of the item, and of each of its contexts.
    metadata: Mapping[str, Any] = field(default_factory=dict)
    domains: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()

    @property
    def question(self) -> str:
        """What both texts are about, such as the question that they answer."""
        return question_of(self.metadata)

    @property
    def domain(self) -> str:
        return self._named("domain", self.domains)

    @property
    def source(self) -> str:
        return self._named("source", self.sources)

    def _named(self, name: str, of_contexts: tuple[str, ...]) -> str:
        """Of the contexts, which may differ; of an item without them it is metadata."""
        names = dict.fromkeys([own_label(self.metadata, name), *of_contexts])
        return " / ".join(name for name in names if name)

    @property
    def further(self) -> list[tuple[str, str]]:
        """The rest of the metadata: names with the beginnings of their values."""
        values = [
            (name, shortened(value))
            for name, value in self.metadata.items()
            if name not in (ABOVE, *_CONTEXT_NAMES) and value not in (None, "")
        ]
        return values[:_MAX_VALUES]

    @property
    def people_score(self) -> str:
        """The label as it was given, else the score from 0 to 1."""
        return people_value(self.reviewed) if self.reviewed else ""

    @property
    def measure_value(self) -> str:
        if self.reviewed is None:
            return ""
        return number(self.reviewed.value, 3 if self.reviewed.value_digits else 0)

    @property
    def difference(self) -> str:
        return signed(self.reviewed.difference) if self.reviewed else ""

    @property
    def expected_number(self) -> str:
        return _number(self.expected)

    @property
    def earlier_number(self) -> str:
        return _number(self.earlier_rating)


def question_of(metadata: Mapping[str, Any]) -> str:
    """What the imported file says in the column of this name."""
    text = metadata.get(ABOVE, "")
    return text if isinstance(text, str) else ""


def shortened(value: Any) -> str:
    """A value of metadata as a text that is not too long."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MAX_VALUE_CHARS else f"{text[: _MAX_VALUE_CHARS - 1]}…"


def _number(value: Decimal | None) -> str:
    """With no more decimals than it needs; empty if there is none."""
    if value is None:
        return ""
    exponent = value.normalize().as_tuple().exponent
    return decimal(float(value), max(-exponent, 0) if isinstance(exponent, int) else 0)


def people_value(reviewed: Reviewed) -> str:
    """What people say of an item: the label as it was given, else the score from 0 to 1."""
    label = reviewed.label
    if label is None:
        return number(reviewed.score)
    return decimal(label, 0 if label.is_integer() else 2)
