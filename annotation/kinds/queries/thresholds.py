"""Whether a coefficient is high enough, by the thresholds that papers quote most."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isinf
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.basics.numbers import number
from annotation.basics.sentences import in_words

Text = str | Promise

ENOUGH, BORDERLINE, TOO_LOW, UNKNOWN = "enough", "borderline", "too-low", "unknown"
LEVEL_NAMES: dict[str, Text] = {
    ENOUGH: _("Enough"),
    BORDERLINE: _("Borderline"),
    TOO_LOW: _("Too low"),
    UNKNOWN: _("No verdict"),
}


@dataclass(frozen=True)
class Verdict:
    """`level` is one of `LEVEL_NAMES`; `text` says for what the value is enough, and by whom."""

    level: str
    text: Text

    @property
    def level_name(self) -> Text:
        return LEVEL_NAMES[self.level]


# The least value of each verdict, from the highest down; the last one takes every other value.
Scale = tuple[tuple[float, Verdict], ...]

SPLIT_HALF: Scale = (
    (
        0.9,
        Verdict(
            ENOUGH,
            _(
                "High: at least 0.90 [Nunnally1978]. Neighbouring items can still be impossible"
                " to tell apart: see “Item pairs that differ significantly”."
            ),
        ),
    ),
    (
        0.8,
        Verdict(
            ENOUGH,
            _("Groups of items and measures can be compared: at least 0.80 [Nunnally1978]."),
        ),
    ),
    (
        0.7,
        Verdict(
            BORDERLINE,
            _(
                "Enough for early research (0.70); established research should reach 0.80"
                " [Nunnally1978]."
            ),
        ),
    ),
    (
        float("-inf"),
        Verdict(
            TOO_LOW,
            _("Even early research needs 0.70 [Nunnally1978]. More answers per item raise it."),
        ),
    ),
)
ALPHA: Scale = (
    (0.8, Verdict(ENOUGH, _("Reliable data have at least 0.80 [Krippendorff2004]."))),
    (
        0.667,
        Verdict(
            BORDERLINE,
            _(
                "Only tentative conclusions are possible between 0.667 and 0.80"
                " [Krippendorff2004]."
            ),
        ),
    ),
    (
        float("-inf"),
        Verdict(
            TOO_LOW,
            _(
                "Single answers are not reliable below 0.667 [Krippendorff2004]. Scores or"
                " labels from several answers can still be reliable."
            ),
        ),
    ),
)
# Of the lower end of the interval.
ICC: Scale = (
    (
        0.9,
        Verdict(
            ENOUGH, _("Excellent: the lower end of the interval is at least 0.90 [KooLi2016].")
        ),
    ),
    (
        0.75,
        Verdict(ENOUGH, _("Good: the lower end of the interval is at least 0.75 [KooLi2016].")),
    ),
    (
        0.5,
        Verdict(
            BORDERLINE,
            _("Moderate: the lower end of the interval is between 0.50 and 0.75 [KooLi2016]."),
        ),
    ),
    (
        float("-inf"),
        Verdict(
            TOO_LOW,
            _(
                "Not shown to be better than poor: the lower end of the interval is below 0.50"
                " [KooLi2016]."
            ),
        ),
    ),
)


def verdict_of(
    value: float | None, scale: Scale, interval: Mapping[str, Any] | None = None
) -> Verdict | None:
    """The verdict on a coefficient, and whether its interval leaves doubts; None if undefined."""
    if value is None:
        return None
    place = next(place for place, (least, _verdict) in enumerate(scale) if value >= least)
    least, verdict = scale[place]
    above = scale[place - 1][0] if place else float("inf")
    doubt = _doubt(interval, least, above) if interval else ""
    return replace(verdict, text=f"{verdict.text} {doubt}") if doubt else verdict


def _doubt(interval: Mapping[str, Any], least: float, above: float) -> str:
    """Whether the interval allows for other verdicts: those below `least`, or from `above` on."""
    if interval["low"] is None:
        return gettext("Without an interval, this verdict is uncertain.")
    is_below, is_above = interval["low"] < least, interval["high"] >= above
    if is_below and is_above:
        doubt = gettext("The interval reaches below %(least)s and above %(next)s.")
    elif is_below:
        doubt = gettext("The interval reaches below %(least)s.")
    elif is_above:
        doubt = gettext("The interval reaches above %(next)s.")
    else:
        return ""
    return doubt % {"least": _threshold(least), "next": _threshold(above)}


def _threshold(value: float) -> str:
    """Two decimals, or three for 0.667; nothing for the infinite ends of a scale."""
    if isinf(value):
        return ""
    return number(value, 2 if round(value, 2) == value else 3)


def verdict_by_interval(interval: Mapping[str, Any], scale: Scale) -> Verdict | None:
    """The verdict by the lower end of an interval, or why there is no verdict."""
    if interval["low"] is not None:
        return verdict_of(interval["low"], scale)
    without = gettext(
        "Koo and Li judge by the interval [KooLi2016], which could not be computed: %(reason)s."
    )
    return Verdict(UNKNOWN, without % {"reason": in_words(interval["reason"])})
