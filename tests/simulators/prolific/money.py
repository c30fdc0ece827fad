"""What the platform charges, counted in whole cents and apart from the application's own sums."""

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any


@dataclass(frozen=True)
class Charge:
    """What one payment takes out of the wallet, in cents."""

    amount: int
    fee: int
    vat: int

    @property
    def total(self) -> int:
        return self.amount + self.fee + self.vat


def _share(cents: int, rate: str) -> int:
    return int((Decimal(cents) * Decimal(rate)).quantize(Decimal(1), ROUND_HALF_UP))


def _charge(cents: int, rate: str, vat: str) -> Charge:
    fee = _share(cents, rate)
    return Charge(cents, fee, _share(fee, vat))


def reward(cents: int, config: dict[str, Any]) -> Charge:
    """The fee is rounded for each submission, so places times this is what a study costs."""
    return _charge(cents, config["platform_fee"], config["vat"])


def bonus(cents: int, config: dict[str, Any]) -> Charge:
    return _charge(cents, config["bonus_fee"], config["vat"])


def cents_of(text: str) -> int | None:
    """`1.50` is 150; None for anything that is no positive sum with at most two decimals."""
    try:
        amount = Decimal(text.strip())
    except ArithmeticError:
        return None
    if not amount.is_finite() or amount <= 0 or amount * 100 != (amount * 100).to_integral_value():
        return None
    return int(amount * 100)
