"""How much closer one measure follows people than another, as a stored leaderboard says it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.baselines.queries.measure_plots import COEFFICIENTS, OTHERS, WITHIN_POOLS
from annotation.basics.chart_frame import written
from annotation.basics.numbers import number, p_value, signed
from annotation.basics.sentences import in_words
from annotation.basics.sentences import sentence as _


@dataclass(frozen=True)
class CoefficientDifference:
    """Two measures by one coefficient, on the items that both have."""

    name: str
    first: str
    second: str
    difference: str
    interval: str
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
    # p of the correlation that counts, and the same corrected for all comparisons.
    p: str
    p_corrected: str
    definitions: Sequence[str]
    # Of the intervals: their level in percent, and what they are about.
    level: str
    other: str


def difference(
    figures: Mapping[str, Any], of_part: Mapping[str, Any], first: str, second: str
) -> Difference | None:
    """The stored difference of two measures, in either order; None if there is none."""
    is_within = of_part["headline"] == "within_pools"
    for row in of_part["differences"]:
        if (row["first"], row["second"]) == (first, second):
            return _shown(figures, row, sign=1, is_within=is_within)
        if (row["first"], row["second"]) == (second, first):
            return _shown(figures, row, sign=-1, is_within=is_within)
    return None


def _shown(
    figures: Mapping[str, Any], row: Mapping[str, Any], *, sign: int, is_within: bool
) -> Difference:
    names = [row["first"], row["second"]][::sign]
    definitions = figures["definitions"]
    return Difference(
        names[0],
        names[1],
        row["n"],
        [
            *([_within(row["within"]["pearson"], sign)] if is_within else []),
            *(_compared(row["differences"][name], name, sign) for name in COEFFICIENTS),
        ],
        _p(row["p_value"]),
        _p(row["p_corrected"]),
        [
            in_words(definitions[name])
            for name in (
                *(["difference_within"] if is_within else []),
                "jackknife",
                "p_corrected",
            )
        ],
        written(100 * figures["level"]),
        str(OTHERS[is_within or row["left_out"] == "pools"]),
    )


def _compared(figures: Mapping[str, Any], name: str, sign: int) -> CoefficientDifference:
    values = [figures["first"], figures["second"]][::sign]
    return CoefficientDifference(
        COEFFICIENTS[name],
        number(values[0]),
        number(values[1]),
        signed(None if figures["difference"] is None else sign * figures["difference"]),
        _interval(figures["interval"], sign),
        "–" if figures["p_value"] is None else p_value(figures["p_value"]),
        in_words(figures["reason"]),
        in_words(figures["interval"]["reason"]) if figures["p_value"] is None else "",
    )


def _p(p: float | None) -> str:
    return "–" if p is None else p_value(p)


def _within(figures: Mapping[str, Any], sign: int) -> CoefficientDifference:
    """Pearson's correlations within pools; each measure's own is in the table."""
    return CoefficientDifference(
        str(WITHIN_POOLS["within_pearson"]),
        "",
        "",
        signed(None if figures["difference"] is None else sign * figures["difference"]),
        _interval(figures, sign),
        "–" if figures["p_value"] is None else p_value(figures["p_value"]),
        in_words(figures["reason"]) if figures["difference"] is None else "",
        in_words(figures["reason"]) if figures["p_value"] is None else "",
    )


def _interval(ends: Mapping[str, Any], sign: int) -> str:
    if ends["low"] is None:
        return "–"
    low, high = sorted(sign * ends[end] for end in ("low", "high"))
    return str(_("%(low)s to %(high)s") % {"low": number(low), "high": number(high)})
