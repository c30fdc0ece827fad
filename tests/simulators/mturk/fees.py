"""What Mechanical Turk takes, worked out independently of the application."""

from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")
_BASE = Decimal("0.20")
_MANY = Decimal("0.20")
_MASTERS = Decimal("0.05")
# From this many assignments on, a HIT costs twice the fee.
MANY_ASSIGNMENTS = 10


def _fee(amount: Decimal, share: Decimal) -> Decimal:
    return max(CENT, (amount * share).quantize(CENT, ROUND_HALF_UP))


def fee_of_reward(reward: Decimal, *, n_assignments: int, masters: bool) -> Decimal:
    """The fee of one approved assignment of a HIT with so many assignments."""
    share = _BASE
    if n_assignments >= MANY_ASSIGNMENTS:
        share += _MANY
    if masters:
        share += _MASTERS
    return _fee(reward, share)


def fee_of_bonus(amount: Decimal) -> Decimal:
    return _fee(amount, _BASE)
