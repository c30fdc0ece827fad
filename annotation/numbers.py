"""Numbers as the pages show them, in the active language; never in files or attributes."""

from django.utils.formats import number_format


def grouped(n: int) -> str:
    """12,345 in English, 12.345 in German."""
    return str(number_format(n, force_grouping=True))


def decimal(value: float, digits: int) -> str:
    # Rounded here: the function that is called cuts.
    return str(number_format(f"{value:.{digits}f}", digits))
