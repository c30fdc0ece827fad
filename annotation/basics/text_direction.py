"""In which direction a text is written: that of most of its letters."""

import unicodedata
from collections import Counter
from typing import Literal

Direction = Literal["ltr", "rtl"]

# Before it stands no letter that is written from right to left: Hebrew is the first such script.
_FIRST_RTL = "\u0590"


def text_direction(text: str) -> Direction:
    """From right to left where most letters are Hebrew, Arabic or the like.

    HTML's `dir="auto"` looks at the first letter alone: one foreign word at the beginning would
    turn the whole text around.
    """
    # Most texts have no such letter: a page asks of every one that it shows.
    if max(text, default="") < _FIRST_RTL:
        return "ltr"
    classes = Counter(map(unicodedata.bidirectional, text))
    return "rtl" if classes["R"] + classes["AL"] > classes["L"] else "ltr"
