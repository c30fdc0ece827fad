"""Items as the researcher's pages show them: before they are imported, and from the database."""

from dataclasses import dataclass
from decimal import Decimal

from annotation.numbers import decimal, number, signed
from annotation.reviewed import Reviewed

# How many turns before and after a rated one are shown.
AROUND = 2


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
