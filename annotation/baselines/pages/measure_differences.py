"""How much closer one measure follows people than another, as a stored leaderboard says it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.baselines.queries.leaderboards import METHODS
from annotation.baselines.queries.measure_plots import COEFFICIENTS
from annotation.basics.numbers import number, p_value, signed
from annotation.basics.sentences import Said, in_words
from annotation.basics.sentences import sentence as _

# How an interval was made.
_METHODS: dict[str, Said] = {"bca": "BCa", "percentile": _("percentile"), "fisher": "Fisher"}


@dataclass(frozen=True)
class CoefficientDifference:
    """Two measures by one coefficient, on the items that both have."""

    name: str
    first: str
    second: str
    difference: str
    interval: str
    # How the interval was made; empty if there is none.
    method: str
    p: str
    # Why there is no difference; empty if there is one.
    reason: str
    # Why there is a difference and no p; empty if there is one.
    p_reason: str


@dataclass(frozen=True)
class Difference:
    """Two measures of one part of the items."""

    first: str
    second: str
    n: int
    rows: Sequence[CoefficientDifference]
    definitions: Sequence[str]


def difference(
    figures: Mapping[str, Any], of_part: Mapping[str, Any], first: str, second: str
) -> Difference | None:
    """The stored difference of two measures, in either order; None if there is none."""
    for row in of_part["differences"]:
        if (row["first"], row["second"]) == (first, second):
            return _shown(figures, row, sign=1)
        if (row["first"], row["second"]) == (second, first):
            return _shown(figures, row, sign=-1)
    return None


def _shown(figures: Mapping[str, Any], row: Mapping[str, Any], *, sign: int) -> Difference:
    names = [row["first"], row["second"]][::sign]
    definitions = figures["definitions"]
    return Difference(
        names[0],
        names[1],
        row["n"],
        [_compared(row["differences"][name], name, sign) for name in COEFFICIENTS],
        [in_words(definitions["difference"])],
    )


def _compared(figures: Mapping[str, Any], name: str, sign: int) -> CoefficientDifference:
    values = [figures["first"], figures["second"]][::sign]
    return CoefficientDifference(
        COEFFICIENTS[name],
        number(values[0]),
        number(values[1]),
        signed(None if figures["difference"] is None else sign * figures["difference"]),
        *_interval(figures["intervals"], sign),
        "–" if figures["p_value"] is None else p_value(figures["p_value"]),
        in_words(figures["reason"]),
        # A report that is stored since long does not say it.
        in_words(figures.get("p_reason")) if figures["p_value"] is None else "",
    )


def _interval(intervals: Mapping[str, Any], sign: int) -> tuple[str, str]:
    """The best interval there is, and its method."""
    for method in METHODS:
        ends = [intervals.get(method, {}).get(end) for end in ("low", "high")[::sign]]
        if None not in ends:
            low, high = (number(sign * end) for end in ends)
            interval = _("%(low)s to %(high)s") % {"low": low, "high": high}
            return str(interval), str(_METHODS[method])
    return "–", ""
