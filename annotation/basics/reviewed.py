"""What is kept of an item that was taken out of a scored study to be looked at again."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any

# In an item's metadata; a column of an imported file has hardly this name.
RESERVED = "_reviewed"
# Which side is higher where a measure and people differ.
PEOPLE_HIGHER, MEASURE_HIGHER = "people", "measure"


class Review(StrEnum):
    """Why items of a scored study are labelled."""

    # Are they above or below the middle? Experts say so without seeing the scores.
    EXPERTS = "expert"
    # Why do people and a measure differ?
    DISCREPANCIES = "discrepancy"


@dataclass(frozen=True)
class Reviewed:
    """Of one item: what it is compared with. Scoring the earlier study anew changes none of it.

    All digits are kept, which a column of three decimals would not do.
    """

    # From 0 to 1, whatever the scale of the earlier study was.
    score: float
    # Primary key of the result that the score is from, and when that was computed; nothing where
    # it is a label that was imported with the items.
    result: int | None = None
    computed_at: str = ""
    # Number of the phase, where the earlier study asked for ratings.
    phase: int | None = None
    # The column of published labels that the score is from.
    column: str = ""
    # The label as it was given: of a column, or the most frequent rating. None of means.
    label: float | None = None
    # What the rest is of: the name of a measure, and its value for this item.
    measure: str = ""
    value: float | None = None
    # How the two were made comparable, and how far the people are above the measure.
    by: str = ""
    difference: float | None = None
    # By thresholds: the rule in signs, and which side is higher.
    rule: str = ""
    direction: str = ""
    # Whether annotators see the score and the value.
    is_shown: bool = False

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> "Reviewed | None":
        """What an item's metadata hold; None where it was not taken out of a scored study."""
        stored = metadata.get(RESERVED)
        if not isinstance(stored, dict):
            return None
        known = {field.name for field in fields(cls)}
        try:
            reviewed = cls(**{name: value for name, value in stored.items() if name in known})
        except TypeError:
            return None
        return reviewed if reviewed._is_sound else None

    @property
    def _is_sound(self) -> bool:
        """Whether it can be what was stored here: a file may have the same name for its own."""
        known = (self.value, self.difference, self.label)
        numbers = [self.score, *(n for n in known if n is not None)]
        texts = (
            *(self.computed_at, self.column, self.measure, self.by),
            *(self.rule, self.direction),
        )
        # A score is from a result or from a column.
        is_from_somewhere = self.result is not None or bool(self.column)
        return (
            is_from_somewhere
            and all(isinstance(n, int | float) for n in numbers)
            and all(isinstance(n, int) for n in (self.result or 0, self.phase or 0, self.is_shown))
            and all(isinstance(text, str) for text in texts)
        )

    def into(self, metadata: Mapping[str, Any]) -> dict[str, Any]:
        """The metadata with this, in the place of what an earlier review left there."""
        stored = {name: value for name, value in asdict(self).items() if value not in (None, "")}
        return {**metadata, RESERVED: stored}

    @property
    def higher(self) -> str:
        """Which side is: "people" or "measure", as they were compared; empty if neither."""
        if self.direction:
            return self.direction
        if not self.difference:
            return ""
        return PEOPLE_HIGHER if self.difference > 0 else MEASURE_HIGHER

    @property
    def value_digits(self) -> int:
        """So many decimals tell the values of a measure apart: small ones need more."""
        size = abs(self.value or 0.0)
        if size > 1 and size.is_integer():
            return 0
        return 2 if size >= 0.1 or size == 0 else 4
