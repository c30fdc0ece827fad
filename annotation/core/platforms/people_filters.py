"""Filters by which a platform decides who sees a listing: those it has, and what was chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import Enum

from annotation.basics.sentences import Said

Bound = int | Decimal | date


class FilterKind(Enum):
    """What somebody chooses of a filter: some of its choices, or a range of such values."""

    CHOICES = "choices"
    INTEGER = "integer"
    DECIMAL = "decimal"
    DATE = "date"


@dataclass(frozen=True)
class PeopleFilter:
    """One filter of a platform.

    Parameters
    ----------
    key : str
        The platform's id of the filter.
    question : str
        What people were asked; empty: nothing.
    choices : dict
        Labels by the platform's ids; empty for a range.
    least, most
        Bounds of a range; None: none.
    can_be_balanced : bool
        The platform can take equally many people of each choice.
    """

    key: str
    title: str
    kind: FilterKind
    description: str = ""
    question: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)
    least: Bound | None = None
    most: Bound | None = None
    can_be_balanced: bool = False

    def matches(self, words: Sequence[str]) -> bool:
        """Whether each of the words stands somewhere in it; words are in lower case."""
        text = " ".join((self.title, self.description, self.question, *self.choices.values()))
        lower_text = text.casefold()
        return all(word in lower_text for word in words)


@dataclass(frozen=True)
class Selection:
    """What was chosen of one filter: some choices, or bounds of which one may be missing."""

    values: Sequence[str] = ()
    lower: Bound | None = None
    upper: Bound | None = None
    is_balanced: bool = False


@dataclass(frozen=True)
class ChosenFilter:
    """One filter of a listing, in words and as its form shows it."""

    key: str
    words: Said
    selection: Selection
