"""Ids that people could not tell apart: they differ by spaces, or by how letters are encoded."""

import re

from annotation.basics.sentences import Problem, Said
from annotation.basics.sentences import sentence as _
from shell.normal_forms import normal_form

_MAX_QUOTED = 60
# What leaves no trace on a screen. Joiners are not among it: in some scripts they are spelling.
_UNSEEN = re.compile("[\u00ad\u034f\u061c\u180e\u200b\u200e\u200f\u2060-\u2064\ufeff]")
# "1 11" and "11 1" are two ids, as some corpora number their sentences.
_SPACE_NOT_IN_NUMBERS = re.compile(r"(?<!\d) | (?!\d)")


def look_of(key: str, *, is_text: bool = False) -> str:
    """The same for ids that look alike. A text that is its own id keeps its words apart."""
    if key.isascii() and " " not in key:
        return key
    look = " ".join(_UNSEEN.sub("", normal_form("NFC", key)).split())
    return look if is_text else _SPACE_NOT_IN_NUMBERS.sub("", look)


class DistinctIds:
    """The ids of one kind in a file."""

    def __init__(self) -> None:
        self._first: dict[str, tuple[str, int]] = {}

    def similar(self, key: str, line: int, *, is_text: bool = False) -> tuple[str, int] | None:
        """An earlier id that looks like this one and is another, with its line."""
        first = self._first.setdefault(look_of(key, is_text=is_text), (key, line))
        return None if first[0] == key else first


def similar_problem(key: str, other: str, place: Said) -> Said:
    return Problem(
        "conflict",
        _(
            "%(id)s differs from %(other)s in %(place)s only in spaces or in how its "
            "letters are encoded"
        ),
        _("write both the same, or give them ids that people can tell apart"),
    ) % {"id": spelled(key), "other": spelled(other), "place": place}


def spelled(key: str) -> str:
    """An id as a message quotes it where what nobody sees has to be seen."""
    return ascii(key if len(key) <= _MAX_QUOTED else key[: _MAX_QUOTED - 1] + "…")
