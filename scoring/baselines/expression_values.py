"""What a condition is made of: kinds of values, functions, and how metadata are read."""

import ast
import math
import operator
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

from scoring.baselines.word_cuts import words_of
from shell.messages import Message
from shell.messages import message as _

MAX_PATTERN_LENGTH = 200
# What the numbers of its counted repetitions may come to, multiplied.
MAX_REPETITIONS = 10_000
# Seconds that regular expressions may take, for one text and for all of them together.
SECONDS_OF_TEXT = 1.0
SECONDS_OF_ALL = 5.0

Kind: TypeAlias = Literal["text", "number", "truth", "metadata"]
Value: TypeAlias = str | float | bool | None


class Described(Protocol):
    """Two texts, and what is known of them by name."""

    @property
    def first(self) -> str: ...
    @property
    def second(self) -> str: ...
    @property
    def metadata(self) -> Mapping[str, object]: ...


@dataclass(frozen=True)
class DescribedPair:
    """Two texts, and what is known of them.

    Parameters
    ----------
    first, second : str
    metadata : dict
        By name: text, numbers, true or false; None or "" where it is not known.
    """

    first: str
    second: str
    metadata: Mapping[str, object]


class Run:
    """One item at a time, and what is counted over all of them."""

    def __init__(self) -> None:
        self.item: Described = DescribedPair("", "", {})
        self.lacking: set[str] = set()
        # What parts that are asked twice have said of this item.
        self.said: dict[object, Value] = {}
        self.seconds_left = SECONDS_OF_ALL


@dataclass(frozen=True)
class Part:
    """A part of a condition: its kind, and how its value is found; None if there is none."""

    kind: Kind
    value: Callable[[Run], Value]
    # Of metadata: the name, to say who lacks it.
    name: str = ""


def text_of(value: object) -> str | None:
    """Metadata as text; None if there are none."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value or None
    if isinstance(value, (int, float)):
        return None if math.isnan(value) else f"{value:.15g}"
    return None


def number_of(value: object) -> float | None:
    """Metadata as a number; None if they are none."""
    if isinstance(value, (str, int, float)) and not isinstance(value, bool):
        try:
            number = float(value)
        except (ValueError, OverflowError):
            return None
        return number if math.isfinite(number) else None
    return None


def _finite(number: float) -> float | None:
    """None for what no number is: of a division by 0, say, which fails every comparison."""
    return number if math.isfinite(number) else None


def _quotient(a: float, b: float) -> float | None:
    return None if b == 0 else _finite(a / b)


def _has_digit(text: str) -> bool:
    return any(character.isdecimal() for character in text)


def _shares_word(first: str, second: str) -> bool:
    return not words_of(first).isdisjoint(words_of(second))


Function: TypeAlias = tuple[tuple[Kind, ...], Kind, Callable[..., Value]]

_STRANGE_GROUP = re.compile(r"\(\?(?!:|=|!|<=|<!|[ims]+[:)]|P?<[A-Za-z])|\(\*")
_REPETITION = re.compile(r"\{(\d{1,4})?(?:,(\d{1,4})?)?\}")

# What each takes, gives, and does.
OF_FUNCTION: dict[str, Function] = {
    "has_digit": (("text",), "truth", _has_digit),
    "n_words": (("text",), "number", lambda text: float(len(text.split()))),
    "n_chars": (("text",), "number", lambda text: float(len(text))),
    "lower": (("text",), "text", str.lower),
    "contains": (("text", "text"), "truth", lambda text, part: part in text),
    "starts_with": (("text", "text"), "truth", str.startswith),
    "ends_with": (("text", "text"), "truth", str.endswith),
    "shares_word": (("text", "text"), "truth", _shares_word),
    "abs": (("number",), "number", abs),
    "min": (("number", "number"), "number", min),
    "max": (("number", "number"), "number", max),
}
FUNCTIONS: dict[str, Message] = {
    "has_digit(text)": _("whether the text contains a digit"),
    "n_words(text)": _("number of words, split at whitespace"),
    "n_chars(text)": _("number of characters"),
    "lower(text)": _("the text in lower case"),
    "contains(text, part)": _("whether the text contains the part (case-sensitive)"),
    "starts_with(text, part)": _("whether it starts with the part"),
    "ends_with(text, part)": _("whether it ends with the part"),
    "matches(text, pattern)": _("whether the regular expression matches somewhere in the text"),
    "shares_word(text, text)": _("whether both texts share a word (ignoring case)"),
    "abs(number)": _("the absolute value"),
    "min(number, number)": _("the smaller number"),
    "max(number, number)": _("the larger number"),
    "known(name)": _("whether an item has this piece of metadata"),
    'column("name")': _("metadata whose name is not a single word"),
}
OPERATORS = (
    *("and", "or", "not", "==", "!=", "<", "<=", ">", ">=", "in", "not in"),
    *("+", "-", "*", "/"),
)
COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
ARITHMETIC: dict[type[ast.operator], Callable[[float, float], float | None]] = {
    ast.Add: lambda a, b: _finite(a + b),
    ast.Sub: lambda a, b: _finite(a - b),
    ast.Mult: lambda a, b: _finite(a * b),
    ast.Div: _quotient,
}


def read_as(part: Part, kind: Kind) -> Part:
    """Metadata read as this kind; other parts as they are."""
    if part.kind != "metadata":
        return part
    name, convert = part.name, text_of if kind == "text" else number_of

    def value(run: Run) -> Value:
        converted = convert(run.item.metadata.get(name))
        if converted is None:
            run.lacking.add(name)
        return converted

    return Part(kind, value)


def as_alike(part: Part, other: Part, *, is_ordered: bool) -> Part:
    """Metadata beside other metadata: a number if both are numbers, else text.

    `is_ordered`: the two are put in order, so a number has no value beside what is none.
    """
    text, number, beside = read_as(part, "text"), read_as(part, "number"), other.name

    def value(run: Run) -> Value:
        own = number_of(run.item.metadata.get(part.name))
        others = number_of(run.item.metadata.get(beside))
        if own is not None and others is not None:
            return own
        if is_ordered and others is not None:
            # Lacking, as it is beside a number that somebody wrote.
            return number.value(run)
        return text.value(run)

    return Part("text", value)


def as_word(part: Part) -> Part:
    return Part("text", lambda run: "true" if part.value(run) is True else "false")


def once(part: Part) -> Part:
    """The same part, computed once of each item, however many ask for it."""
    # Metadata have no value before somebody says as what they are read.
    if part.kind == "metadata":
        return part
    place = object()

    def value(run: Run) -> Value:
        if place not in run.said:
            run.said[place] = part.value(run)
        return run.said[place]

    return Part(part.kind, value)


def computed(kind: Kind, function: Callable[..., Value], parts: list[Part]) -> Part:
    """A function of parts; no value where one of them has none."""

    def value(run: Run) -> Value:
        given = [part.value(run) for part in parts]
        return None if None in given else function(*given)

    return Part(kind, value)


def search(pattern: str) -> Callable[[Run, str], bool]:
    """Compile a regular expression that cannot run for very long."""
    import regex  # type: ignore[import-untyped]  # noqa: PLC0415 - importing loads numpy only

    if len(pattern) > MAX_PATTERN_LENGTH:
        raise ValueError(
            _("a regular expression may have %(most)s characters", most=MAX_PATTERN_LENGTH)
        )
    plain = re.sub(r"\\.", "", pattern, flags=re.DOTALL)
    if "{" in _REPETITION.sub("", plain):
        raise ValueError(
            _(r"in a regular expression write \{ for a brace, and {2,5} for repetition")
        )
    # Others call a group from within itself, which takes all memory in no time.
    if _STRANGE_GROUP.search(plain):
        raise ValueError(
            _(
                "in a regular expression brackets may start with (?: (?= (?! (?<= (?<! (?i) or a"
                " name"
            )
        )
    # Inside one another they multiply, and so does what is compiled.
    counts = [int(low or 0) + int(high or 0) for low, high in _REPETITION.findall(plain)]
    if math.prod(max(count, 1) for count in counts) > MAX_REPETITIONS:
        raise ValueError(_("this regular expression counts too many repetitions"))
    try:
        compiled = regex.compile(pattern)
    except (regex.error, RecursionError, MemoryError, OverflowError) as error:
        raise ValueError(
            _("the regular expression cannot be read: %(reason)s", reason=str(error))
        ) from error

    def found(run: Run, text: str) -> bool:
        # The one clock of this package: it decides whether there is an answer, never which.
        started = time.monotonic()
        try:
            is_found = compiled.search(text, timeout=min(SECONDS_OF_TEXT, run.seconds_left))
        except (TimeoutError, MemoryError) as error:
            raise ValueError(
                _(
                    "the regular expression %(given)s takes too long: avoid repetitions inside"
                    " repetitions, such as (a+)+",
                    given=repr(pattern),
                )
            ) from error
        run.seconds_left = max(run.seconds_left - (time.monotonic() - started), 1e-3)
        return is_found is not None

    return found
