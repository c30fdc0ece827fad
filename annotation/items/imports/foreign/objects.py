"""Objects of a JSON file one after the other: of a list, one a line, or spread over lines."""

import re
from collections.abc import Iterator
from json import JSONDecoder
from typing import Any

from annotation.basics.sentences import Problem, Said
from annotation.basics.sentences import sentence as _
from annotation.items.imports import json_lines
from annotation.items.imports.json_lines import decode, end_of_values, n_values
from annotation.items.imports.lines import Lines
from annotation.items.imports.problems import Problems, shape_problem

_decoder = JSONDecoder()
_SPACE = " \t\r\n"
_SPACES = re.compile(f"[{_SPACE}]*")
# Characters that may stand before the next object.
_KEPT = 2**20
# Characters among which the end of an object is looked for at first.
_TRIED = 2**14


def read_objects(lines: Lines, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Objects with their lines or, in a list, with their places in it; one at a time is held.

    What is not an object, or no JSON, is a problem.
    """
    for number, text in lines:
        if not text.strip():
            continue
        if text.lstrip()[0] == "[":
            yield from _Listed(text, lines, problems)
            return
        if text.strip() == "{":
            yield from _Spread(number, text, lines, problems)
            return
        yield from _one(number, text, problems)
        for later, line in lines:
            if line.strip():
                yield from _one(later, line, problems)


def _one(number: int, text: str, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    value, problem = decode(number, text, problems)
    if not problem and not isinstance(value, dict):
        problem = Problem(
            "unreadable", _("this is not a JSON object"), _("write one whole object on each line")
        )
    problem = problem or _problem_of(value)
    if problem:
        problems.add(number, problem)
    else:
        yield number, value


def _problem_of(value: dict[str, Any]) -> Said:
    """Whoever reads a task goes down to its last value, and shows its names."""
    problem = shape_problem(value)
    return problem % {"field": _("the task")} if problem else ""


def _after_spaces(text: str, place: int) -> int:
    spaces = _SPACES.match(text, place)
    return spaces.end() if spaces else place


class _Values:
    """JSON values of a text that is read line by line; what has been read is let go."""

    def __init__(self, text: str, lines: Lines) -> None:
        self._lines = lines
        self._text, self._place = text, 0
        # Whole lines before the place up to which they were counted.
        self._n_lines = self._counted = 0

    def next_sign(self) -> str:
        """The next character that is no space; empty at the end of the file."""
        while True:
            self._place = _after_spaces(self._text, self._place)
            if self._place < len(self._text):
                return self._text[self._place]
            following = next(self._lines, None)
            if following is None:
                return ""
            self._let_go()
            self._text = following[1]

    def skip_sign(self) -> None:
        self._place += 1

    def n_lines_before(self) -> int:
        """Whole lines before the next sign."""
        self._n_lines += self._text.count("\n", self._counted, self._place)
        self._counted = self._place
        return self._n_lines

    def rest(self) -> str:
        return self._text[self._place :]

    def value(self, number: int, problems: Problems) -> tuple[Any, bool]:
        """The value that begins here, and whether there is a whole one.

        No more is decoded than one object may have. Raises ImportProblemsError if it has more.
        """
        if self._place > max(_KEPT, len(self._text) // 2):
            self._let_go()
        wanted = 0
        while True:
            is_all = self._fill(wanted)
            longest = min(max(wanted, _TRIED), json_lines.MAX_OBJECT_LENGTH + 1)
            until = min(self._place + longest, len(self._text))
            end = end_of_values(self._text, self._place, until)
            try:
                value, length = _decoder.raw_decode(self._text[self._place : end])
            except (ValueError, RecursionError):
                if end < until:
                    json_lines.refuse_values(number, problems)
                if is_all and until == len(self._text):
                    return None, False
                if until - self._place > json_lines.MAX_OBJECT_LENGTH:
                    json_lines.refuse_length(number, problems)
            else:
                n = n_values(self._text, self._place, self._place + length)
                problems.count_values(number, n)
                self._place += length
                return value, True
            # Tried again with twice as much: each try begins from the start.
            wanted = 2 * (until - self._place)

    def _fill(self, wanted: int) -> bool:
        """Read on until so many characters are there; whether the file has ended before."""
        # Lines that have not been joined to the text yet: joining each would take ever longer.
        more: list[str] = []
        n_there = len(self._text) - self._place
        is_all = False
        while n_there < wanted and not is_all:
            following = next(self._lines, None)
            if following is None:
                is_all = True
            else:
                more.append(following[1])
                n_there += len(following[1])
        if more:
            self._text = "".join([self._text, *more])
        return is_all

    def _let_go(self) -> None:
        self.n_lines_before()
        self._text, self._place, self._counted = self._text[self._place :], 0, 0


class _Spread:
    """Objects one behind the other, each indented: a file, or several that were joined."""

    def __init__(self, first: int, text: str, lines: Lines, problems: Problems) -> None:
        self._first, self._problems = first, problems
        self._values = _Values(text, lines)

    def __iter__(self) -> Iterator[tuple[int, dict[str, Any]]]:
        while self._values.next_sign():
            number = self._first + self._values.n_lines_before()
            value, is_whole = self._values.value(number, self._problems)
            if not is_whole:
                self._problems.add(
                    number,
                    Problem(
                        "unreadable",
                        _("the object that begins here is broken JSON"),
                        _("use the file as the tool wrote it"),
                    ),
                )
                return
            if not isinstance(value, dict):
                self._problems.add(
                    number,
                    Problem(
                        "unreadable",
                        _("this is not a JSON object"),
                        _("use the file as the tool wrote it"),
                    ),
                )
            elif problem := _problem_of(value):
                self._problems.add(number, problem)
            else:
                yield number, value


class _Listed:
    """Members of a list, which may be spread over lines or all stand in one."""

    def __init__(self, text: str, lines: Lines, problems: Problems) -> None:
        self._lines, self._problems = lines, problems
        self._values = _Values(text[text.index("[") + 1 :], lines)

    def __iter__(self) -> Iterator[tuple[int, dict[str, Any]]]:
        values, number = self._values, 1
        sign = values.next_sign()
        while sign and sign != "]":
            value, is_whole = values.value(number, self._problems)
            if not is_whole:
                self._problems.add(
                    number,
                    Problem(
                        "unreadable",
                        _("the task that begins here is broken JSON"),
                        _("export the file again"),
                    ),
                )
                return
            if not isinstance(value, dict):
                self._problems.add(
                    number,
                    Problem(
                        "unreadable", _("this is not a JSON object"), _("export the file again")
                    ),
                )
            elif problem := _problem_of(value):
                self._problems.add(number, problem)
            else:
                yield number, value
            number += 1
            sign = values.next_sign()
            if sign == ",":
                values.skip_sign()
                sign = values.next_sign()
            elif sign and sign != "]":
                self._problems.add(number, _("broken JSON: a comma is missing between two tasks"))
                return
        if sign:
            self._refuse_more()
        else:
            self._problems.add(
                number,
                Problem(
                    "unreadable", _("the list of the file is not closed"), _("export it again")
                ),
            )

    def _refuse_more(self) -> None:
        if self._values.rest()[1:].strip() or any(text.strip() for _line, text in self._lines):
            self._problems.add(
                None,
                Problem(
                    "unreadable",
                    _("there is more text after the end of the list"),
                    _("remove it"),
                ),
            )
