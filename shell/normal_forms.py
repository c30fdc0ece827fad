"""Unicode's normal forms of texts that may come from anybody."""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import Literal

# More is no writing of any language: Unicode's Stream-Safe Text Format (UAX #15, section 13)
# allows as many.
MAX_MARKS = 30
# Where marks are; a test looks whether there are others.
_CODES = (*range(0x300, 0x20000), *range(0xE0000, 0xE1000))
# Letters by their category that become marks in the compatibility forms.
_HALFWIDTH_MARKS = "\uff9e\uff9f"


def has_many_marks(text: str) -> bool:
    """Whether more than `MAX_MARKS` combining marks stand in a row."""
    if text.isascii():
        return False
    may_have, has = _patterns()
    return may_have.search(text) is not None and has.search(text) is not None


def normal_form(form: Literal["NFC", "NFKC", "NFKD"], text: str) -> str:
    """`unicodedata.normalize`, which orders a run of marks in quadratic time, without long runs.

    Of more than `MAX_MARKS` marks in a row the first stay.
    """
    if has_many_marks(text):
        text = _patterns()[1].sub(r"\1", text)
    return unicodedata.normalize(form, text)


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A quick one that takes all characters of later planes for marks, and the exact one."""
    codes = {*map(ord, _HALFWIDTH_MARKS)} | {
        code for code in _CODES if unicodedata.category(chr(code)).startswith("M")
    }
    quick = _ranges(code for code in codes if code < 0x10000) + "\U00010000-\U0010ffff"
    exact = _ranges(codes)
    return (
        re.compile(f"[{quick}]{{{MAX_MARKS + 1}}}"),
        re.compile(f"([{exact}]{{{MAX_MARKS}}})[{exact}]+"),
    )


def _ranges(codes: Iterable[int]) -> str:
    """The inside of a character class."""
    pieces: list[list[int]] = []
    for code in sorted(codes):
        if pieces and pieces[-1][1] == code - 1:
            pieces[-1][1] = code
        else:
            pieces.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in pieces)
