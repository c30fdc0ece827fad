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
class QuestionFields:
    """Fields of one question: the name without the question's number, and the whole name."""

    shown: dict[str, str] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)


def questions_of(
    shown: Collection[str],
    answers: Collection[str],
    words: Sequence[tuple[str, ...]],
    bare: Callable[[str], str],
) -> list[QuestionFields]:
    """The questions in the order of their numbers; none if there is only one.

    Each has an answer whose name holds one of each of the `words`.
    """
    numbered = [(parts, name) for name in answers if (parts := _numbered(bare(name)))]
    numbers: set[int] | None = None
    for some in words:
        with_some = {n for (n, rest), _name in numbered if any(word in rest for word in some)}
        numbers = with_some if numbers is None else numbers & with_some
    if numbers is None or len(numbers) < 2:
        return []
    questions = {number: QuestionFields() for number in sorted(numbers)}
    for (number, rest), name in numbered:
        if number in questions:
            questions[number].answers[rest] = name
    swapped = _swapped([bare(name) for name in shown], numbers)
    for name in shown:
        numbered_name = _numbered(bare(name))
        if two := _TWO.fullmatch(bare(name)):
            stem, first_number, second_number = two[1], int(two[2]), int(two[3])
            if re.fullmatch(_WORD + _GAP, stem):
                numbered_name = first_number, f"item{second_number}"
            elif swapped is None:
                continue
            else:
                number, own = (
                    (first_number, second_number) if swapped else (second_number, first_number)
                )
                numbered_name = number, f"{stem}{own}"
        if numbered_name and numbered_name[0] in questions:
            questions[numbered_name[0]].shown[numbered_name[1]] = name
    return list(questions.values())


def _numbered(name: str) -> tuple[int, str] | None:
    """The question that a name tells, and the name without it."""
    if number_match := _BEFORE.fullmatch(name):
        return int(number_match[1]), number_match[2]
    if number_match := _BEHIND.fullmatch(name) or _LAST.fullmatch(name):
        return int(number_match[2]), number_match[1]
    return None


def _swapped(names: list[str], numbers: set[int]) -> bool | None:
    """Whether the first of two numbers is that of the question; None: nothing tells."""
    pairs = [(int(two[2]), int(two[3])) for name in names if (two := _TWO.fullmatch(name))]
    first, last = (
        {first_number for first_number, _ in pairs},
        {second_number for _, second_number in pairs},
    )
    if (first == numbers) == (last == numbers):
        return None
    return first == numbers
