"""What a stratum, which every screen mixes with others, is called: a message, kept in designs."""

from collections.abc import Mapping
from functools import reduce

from shell.messages import Message, message
from shell.messages import message as _

STRATA: dict[str, Message] = {
    "turns": _("number of turns"),
    "domain": _("domain"),
    "source": _("source"),
}


def stratum_name(values: Mapping[str, str]) -> Message:
    """Name a stratum by its values, "number of turns 3 / domain unknown", say; empty is unknown.

    The values are by name, a key of `STRATA`.
    """
    # Gettext reads the templates of `_` only: of the other two nothing is to be translated.
    parts = [
        message("%(kind)s %(value)s", kind=STRATA[name], value=value or _("unknown"))
        for name, value in values.items()
    ]
    return reduce(_beside, parts) if parts else message("")


def _beside(first: Message, second: Message) -> Message:
    return message("%(first)s / %(second)s", first=first, second=second)
