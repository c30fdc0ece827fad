"""Numbers as researchers write them in files: 3, 2.5, or 2,5 where the comma is the mark."""

import re
from decimal import Decimal
from typing import Any

from annotation.basics.scale import number_of
from annotation.basics.sentences import Problem, Said
from annotation.basics.sentences import sentence as _

# No exponents, no "1_000", and no more zeros at either end than a spreadsheet writes.
_NUMBER = re.compile(r"[+-]?(?=[.,]?[0-9])[0-9]{0,12}(?:[.,][0-9]{0,3}0{0,20})?")


def number_in(value: Any) -> tuple[Decimal | None, Said]:
    """The number of a cell or a JSON value, or what is wrong with it; neither if it is empty.

    The message leaves %(field)s open.
    """
    if is_empty(value):
        return None, ""
    text = "" if isinstance(value, bool) else str(value).strip()
    number = number_of(text) if _NUMBER.fullmatch(text) else None
    if number is None:
        return None, Problem(
            "wrong_value",
            _("%(field)s is not a number from -9999 to 9999 with at most 3 decimals"),
            _("write one such as 3 or 2.5, or leave it out"),
        )
    # Rounded to the digits that the column stores, without a minus before a zero.
    return number.quantize(Decimal("0.001")) + 0, ""


def is_empty(value: Any) -> bool:
    """Whether nothing was written where a number may be."""
    return value is None or (isinstance(value, str) and not value.strip())
