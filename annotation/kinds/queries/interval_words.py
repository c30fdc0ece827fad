"""An interval in words, as the results of all kinds of studies have them."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from annotation.basics.numbers import number
from annotation.basics.sentences import in_words
from shell.messages import Message
from shell.messages import message as gettext_noop

# What the studies that an interval is about have in common with this one, by what it is over.
_COVERS: Mapping[str, Message] = {
    "pools": gettext_noop("other pools but the same people"),
    "items": gettext_noop("other items but the same people"),
    "tuples": gettext_noop("other tuples but the same people"),
    "people and pools": gettext_noop("other people and other pools"),
    "people and items": gettext_noop("other people and other items"),
    "people and tuples": gettext_noop("other people and other tuples"),
}


def interval_with_ends(over: str, low: str, high: str) -> str:
    """The ends of an interval, and for which people and units it holds."""
    return _("95 %% interval for %(covers)s: %(low)s to %(high)s") % {
        "covers": in_words(_COVERS[over]),
        "low": low,
        "high": high,
    }


def interval_in_words(
    interval: Mapping[str, Any] | None, *, has_value: bool = True
) -> tuple[str, str]:
    """The ends of an interval, if it has some, and what it is over or why there is none."""
    # Without a value its reason is the interval's, too, and stands beside it.
    if not interval or not has_value:
        return "", ""
    if interval["reason"] is not None:
        return "", _("No interval: %(reason)s.") % {"reason": in_words(interval["reason"])}
    low, high = number(interval["low"]), number(interval["high"])
    return interval_with_ends(interval["over"], low, high), in_words(interval["note"]) or in_words(
        interval["definition"]
    )


def with_ends(value: str, interval: Mapping[str, Any] | None) -> str:
    """A figure with the ends of its interval in brackets, if it has some."""
    if not interval or interval.get("low") is None:
        return value
    return f"{value} [{number(interval['low'])}, {number(interval['high'])}]"


def about_interval(interval: Mapping[str, Any] | None) -> Message | None:
    """What a note below a table says of an interval: what it is over, or why it is missing."""
    if not interval:
        return None
    if interval["reason"] is not None:
        return gettext_noop("No interval: %(reason)s.", reason=interval["reason"])
    note: Message | None = interval["note"]
    return note or gettext_noop(
        "95 %% intervals for %(covers)s.", covers=_COVERS[interval["over"]]
    )
