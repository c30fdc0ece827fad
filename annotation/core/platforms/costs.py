"""What a listing costs on a platform, line by line."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from annotation.basics.sentences import Said


@dataclass(frozen=True)
class CostLine:
    """So many of something at a price: `n` times (`each` and `fee`), or what the platform quotes.

    The fee of one that belongs to a quoted sum is rounded to the cent.
    """

    label: Said
    n: int
    each: Decimal
    fee: Decimal
    quoted: Decimal | None = None

    @property
    def total(self) -> Decimal:
        return self.n * (self.each + self.fee) if self.quoted is None else self.quoted


@dataclass(frozen=True)
class Estimate:
    """What a listing costs, before it is published.

    Parameters
    ----------
    lines : sequence of CostLine
        If everybody is paid; their sum is `worst`.
    expected : Decimal
        With what is known of returns, rejections and bonuses; at most `worst`.
    source : "own" or "platform"
        Whose figure it is.
    """

    currency: str
    lines: Sequence[CostLine]
    worst: Decimal
    expected: Decimal
    source: str = "own"
    notes: Sequence[Said] = ()
