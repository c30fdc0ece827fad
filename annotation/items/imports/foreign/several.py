"""Several questions of one task, such as the tuples of a HIT: which field is of which.

Names tell them by a number: best1, worst1 and q1_item1 to q1_item4 belong together.
"""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

_WORD = r"(?:q|question|task|trial|set|tuple|pair|hit|screen)"
_GAP = r"[ _.:-]*"
# q1_item2 and 1.best; item2_q1; best1 and item1_2.
_BEFORE = re.compile(rf"{_WORD}?{_GAP}(\d{{1,2}}){_GAP}(\D.*)")
_BEHIND = re.compile(rf"(.*?[^ _.:-]){_GAP}{_WORD}{_GAP}(\d{{1,2}})")
_LAST = re.compile(rf"(.*?[^ _.:-]){_GAP}(?<!\d)(\d{{1,2}})")
_TWO = re.compile(r"(.*?\D)(\d{1,2})[ _.:-]+(\d{1,2})")


@dataclass
class Named:
    """Fields of one question: their names without its number, each with the whole name."""

    shown: dict[str, str] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)


def questions_of(
    shown: Collection[str],
    said: Collection[str],
    words: Sequence[tuple[str, ...]],
    bare: Callable[[str], str],
) -> list[Named]:
    """The questions in the order of their numbers; none where there is only one.

    Each has an answer whose name holds one of each of the `words`.
    """
    numbered = [(found, name) for name in said if (found := _of(bare(name)))]
    numbers: set[int] | None = None
    for some in words:
        with_some = {n for (n, rest), _name in numbered if any(word in rest for word in some)}
        numbers = with_some if numbers is None else numbers & with_some
    if numbers is None or len(numbers) < 2:
        return []
    questions = {number: Named() for number in sorted(numbers)}
    for (number, rest), name in numbered:
        if number in questions:
            questions[number].said[rest] = name
    swapped = _swapped([bare(name) for name in shown], numbers)
    for name in shown:
        found = _of(bare(name))
        if two := _TWO.fullmatch(bare(name)):
            stem, one, other = two[1], int(two[2]), int(two[3])
            if re.fullmatch(_WORD + _GAP, stem):
                found = one, f"item{other}"
            elif swapped is None:
                continue
            else:
                found = (one, f"{stem}{other}") if swapped else (other, f"{stem}{one}")
        if found and found[0] in questions:
            questions[found[0]].shown[found[1]] = name
    return list(questions.values())


def _of(name: str) -> tuple[int, str] | None:
    """The question that a name tells, and the name without it."""
    if found := _BEFORE.fullmatch(name):
        return int(found[1]), found[2]
    if found := _BEHIND.fullmatch(name) or _LAST.fullmatch(name):
        return int(found[2]), found[1]
    return None


def _swapped(names: list[str], numbers: set[int]) -> bool | None:
    """Whether the first of two numbers is that of the question; None: nothing tells."""
    pairs = [(int(two[2]), int(two[3])) for name in names if (two := _TWO.fullmatch(name))]
    first, last = {one for one, _other in pairs}, {other for _one, other in pairs}
    if (first == numbers) == (last == numbers):
        return None
    return first == numbers
