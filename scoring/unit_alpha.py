"""What alpha of ratings and of labels share: figures, and the interval over people and units."""

from dataclasses import dataclass

from scoring.jackknife import JackknifeInterval
from scoring.json_values import JsonObject, json_number
from shell.messages import Message

# Numbers of distances held at once: half a MB in each of a few arrays, which stay in the
# processor's cache, and are not fetched from the system anew each time. Four times as many take
# one and a half times as long.
CELLS_AT_ONCE = 2**16


@dataclass(frozen=True, eq=False, kw_only=True)
class UnitAlpha:
    """Krippendorff's alpha of units.

    Parameters
    ----------
    value : float
        At most 1; nan where undefined.
    n_units : int
        Units with at least two answers.
    n_dropped : int
        Units with fewer, which have nothing to agree with.
    reason : Message or None
        Why there is no value.
    interval : JackknifeInterval or None
        None if it was not asked for.
    """

    value: float = float("nan")
    n_units: int
    n_dropped: int
    reason: Message | None = None
    interval: JackknifeInterval | None = None

    def figures(self) -> JsonObject:
        """All figures of this class in plain JSON types; the value is named alpha."""
        return {
            "alpha": json_number(self.value),
            "reason": self.reason,
            "interval": None if self.interval is None else self.interval.as_dict(),
            "n_units": self.n_units,
            "n_dropped": self.n_dropped,
        }
