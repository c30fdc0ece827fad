"""Numbers as the pages show them, in the active language; never in files or attributes."""

import math

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from scoring.rounding import rounded_text


def grouped(n: int) -> str:
    """12,345 in English, 12.345 in German."""
    return str(number_format(n, force_grouping=True))


def decimal(value: float, digits: int) -> str:
    # Rounded here: the function that is called cuts.
    return _written(rounded_text(value, digits), digits)


def _written(rounded: str, digits: int) -> str:
    # A negative number has a minus sign: a hyphen is shorter, and breaks from its number.
    return str(number_format(rounded, digits)).replace("-", "−")


def number(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else decimal(value, digits)


def significant(value: float | None, digits: int = 3) -> str:
    """To so many digits that are not leading zeros; no digit before the point is left out."""
    if not value:
        return number(value)
    return decimal(value, max(0, digits - 1 - math.floor(math.log10(abs(value)))))


def p_value(p: float) -> str:
    """To three decimals; what would be 0.000 is below the last of them."""
    return _("< %(p)s") % {"p": decimal(0.001, 3)} if p < 0.0005 else decimal(p, 3)


def percent(value: float | None, digits: int = 1) -> str:
    """A share in percent; the sign never stands on another line than its number."""
    if value is None:
        return "–"
    text = _("%(n)s %%") % {"n": _written(rounded_text(value, digits, times=100), digits)}
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def signed(value: float | None) -> str:
    """A difference, so that a reader sees which way it goes."""
    text = number(value)
    return f"+{text}" if value is not None and value > 0 else text


def hours(value: float) -> str:
    """A number of hours: to a tenth, and below one hour so that minutes are not lost."""
    return decimal(value, 1 if value >= 1 else 3)


def duration(seconds: float | None) -> str:
    """How long a computation took: to a tenth of a second while that says something."""
    if seconds is None:
        return "–"
    if seconds < 10:
        return _("%(n)s s") % {"n": decimal(seconds, 1)}
    if seconds < 120:
        return _("%(n)s s") % {"n": round(seconds)}
    return _("%(n)s min") % {"n": round(seconds / 60)}
