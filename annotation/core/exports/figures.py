"""Numbers as the documents of a release write them: in English, whatever language is active."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, TypeAlias

from annotation.core.exports.prose import Paragraph, Plain, listed
from scoring.jackknife import why_not_over_people
from scoring.rounding import rounded_text

# Name, value and interval of a figure in a table of a paper.
AgreementRow: TypeAlias = tuple[str, str, str]


def days(first: datetime, last: datetime) -> str:
    began, ended = f"{first:%Y-%m-%d}", f"{last:%Y-%m-%d}"
    return f"on {began}" if began == ended else f"from {began} to {ended}"


def count(n: int, singular: str, plural: str = "") -> str:
    return f"{n:,} {singular if n == 1 else plural or f'{singular}s'}"


def number(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else _without_minus_zero(rounded_text(value, digits))


def hours(value: float) -> str:
    """To a tenth, and below one hour so that minutes are not lost."""
    return number(value, 1 if value >= 1 else 3)


def duration(in_hours: float) -> str:
    """Hours, or minutes below one hour."""
    if in_hours >= 1:
        return f"{number(in_hours, 1)} hours"
    return f"{number(in_hours * 60, 1)} minutes"


def percent(share: float | None) -> str:
    if share is None:
        return "–"
    return f"{_without_minus_zero(rounded_text(share, 1, times=100))} %"


def _without_minus_zero(text: str) -> str:
    """Half of the last digit below 0 would be written as -0.000."""
    return text.lstrip("-") if float(text) == 0 else text


def plain(value: Any) -> str:
    """A parameter: 2.0 is 2."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def interval(ends: Mapping[str, Any]) -> str:
    """In brackets, with what it is over; empty if there is none."""
    low_to_high = interval_cell(ends)
    if not low_to_high:
        return ""
    over = f" over {ends['over']}" if ends.get("over") else ""
    return f" (95 % interval{over} {low_to_high})"


def interval_cell(ends: Mapping[str, Any] | None) -> str:
    """The ends alone, as a table has them; empty if there is none."""
    if not ends or ends.get("low") is None or ends.get("high") is None:
        return ""
    return f"{number(ends['low'])} to {number(ends['high'])}"


def notes(*figures: tuple[str, float | None, Mapping[str, Any] | None]) -> Iterator[Paragraph]:
    """Which intervals are not over people, and which are missing, with the reasons.

    `figures`: name, value and interval of each.
    """
    # Without a value its reason is the interval's, too, and stands in a sentence of its own.
    intervals = [(name, ends) for name, value, ends in figures if value is not None and ends]
    yield from notes_on_people(*intervals)
    names: dict[str, list[str]] = {}
    for name, ends in intervals:
        if ends.get("low") is None and ends.get("reason"):
            names.setdefault(str(ends["reason"]), []).append(name)
    for reason, named in names.items():
        beginning = listed(named)
        has = "has" if len(named) == 1 else "have"
        yield [
            f"{beginning[0].upper()}{beginning[1:]} {has} no interval: ",
            Plain(reason.rstrip(".")),
            ".",
        ]


def notes_on_people(*intervals: tuple[str, Mapping[str, Any]]) -> Iterator[Paragraph]:
    """Which intervals are not over people, and why: one sentence for all with the same reason.

    `intervals`: each with the name of its figure.
    """
    names: dict[tuple[str, str], list[str]] = {}
    for name, ends in intervals:
        # A note says why people are not left out; without an interval there is nothing to note.
        if ends.get("low") is not None and ends.get("note"):
            reason = str(why_not_over_people(ends.get("n_people"), ends.get("n_effective")))
            names.setdefault((str(ends["over"]), reason), []).append(name)
    for (over, reason), named in names.items():
        is_single = len(named) == 1
        beginning = "The interval of" if is_single else "The intervals of"
        yield [
            f"{beginning} {listed(named)} {'accounts' if is_single else 'account'} for the choice"
            f" of {over} only, because {reason}. {'It does' if is_single else 'They do'} not"
            " cover that other people might answer differently."
        ]


def because(name: str, reason: str | None) -> Paragraph:
    """Why a figure is not there."""
    if not reason:
        return [f"{name} could not be computed."]
    return [f"{name} could not be computed: ", Plain(reason.rstrip(".")), "."]
