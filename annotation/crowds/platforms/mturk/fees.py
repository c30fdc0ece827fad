"""What Mechanical Turk takes on top of what people receive, by its published prices."""

from collections.abc import Iterator
from decimal import Decimal

from annotation.crowds.platforms import assumptions

CENT = Decimal("0.01")
_SHARE = Decimal("0.20")
# More of the reward where a HIT has this many assignments: hence HITs of at most nine.
_MANY, _SHARE_OF_MANY = 10, Decimal("0.20")
MAX_ASSIGNMENTS_PER_HIT = _MANY - 1
_SHARE_OF_MASTERS = Decimal("0.05")


def reward_fee(reward: Decimal, *, n_assignments: int, masters: bool = False) -> Decimal:
    """The fee for one approved assignment of a HIT that has so many."""
    share = _SHARE
    if n_assignments >= _MANY:
        share += _SHARE_OF_MANY
    if masters:
        share += _SHARE_OF_MASTERS
    return _of(reward, share)


def bonus_fee(amount: Decimal) -> Decimal:
    return _of(amount, _SHARE)


def hit_cost(reward: Decimal, *, n_assignments: int, masters: bool = False) -> Decimal:
    """If everybody is approved; as much is on hold from the beginning."""
    fee = reward_fee(reward, n_assignments=n_assignments, masters=masters)
    return n_assignments * (reward + fee)


def hit_sizes(n_places: int, *, per_hit: int = MAX_ASSIGNMENTS_PER_HIT) -> Iterator[int]:
    """How many assignments each HIT has so that all together have n_places."""
    while n_places > 0:
        yield min(n_places, per_hit)
        n_places -= per_hit


def in_cents(amount: Decimal) -> str:
    """As the API wants it. Raises ValueError rather than round what somebody is owed."""
    if not amount.is_finite() or amount < 0 or amount != amount.quantize(CENT):
        raise ValueError(f"{amount} is no amount in whole cents")
    return f"{amount:.2f}"


def _of(amount: Decimal, share: Decimal) -> Decimal:
    fee = (amount * share).quantize(CENT, assumptions.MTURK_FEE_ROUNDING)
    return max(CENT, fee)
