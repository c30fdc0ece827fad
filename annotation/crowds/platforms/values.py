"""Sums of money, and what an answer in JSON holds: numbers and moments."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, TypeGuard

CENT = Decimal("0.01")


def is_money(amount: Decimal) -> bool:
    return amount.is_finite() and amount == amount.quantize(CENT)


def is_number(value: Any) -> TypeGuard[int | float]:
    """Whether it is a number; in JSON, true is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def moment_of(text: Any) -> datetime | None:
    """A time, in UTC where it does not say otherwise; None: it is none."""
    if not isinstance(text, str):
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
