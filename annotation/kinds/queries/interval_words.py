"""An interval in words, as the results of all kinds of studies have them."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from annotation.basics.numbers import number
from annotation.basics.sentences import in_words
from shell.messages import Message
from shell.messages import message as gettext_noop


def interval_in_words(
    interval: Mapping[str, Any] | None, *, has_value: bool = True
) -> tuple[str, str]:
    """The ends of an interval, if it has some, and what it is over or why there is none."""
    # Without a value its reason is the interval's, too, and stands beside it.
    if not interval or not has_value:
        return "", ""
    if interval["reason"] is not None:
        return "", _("No interval: %(reason)s.") % {"reason": in_words(interval["reason"])}
    ends = _("95 %% interval (jackknife over %(over)s): %(low)s to %(high)s") % {
        "low": number(interval["low"]),
        "high": number(interval["high"]),
        "over": in_words(interval["over"]),
    }
    return ends, in_words(interval["note"]) or in_words(interval["definition"])


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
    return note or gettext_noop("95 %% intervals over %(over)s.", over=interval["over"])
