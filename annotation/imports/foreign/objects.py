"""Objects of a JSON file one after the other: of a list, one a line, or spread over lines."""

from collections.abc import Iterator
from json import JSONDecoder
from typing import Any

from annotation.imports.json_lines import decoded
from annotation.imports.lines import Lines
from annotation.imports.problems import Problems, shape_problem
from annotation.sentences import Said
from annotation.sentences import sentence as _

_decoder = JSONDecoder()
_SPACE = " \t\r\n"
# Characters that may stand before the next object.
_KEPT = 2**20


def read_objects(lines: Lines, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Objects with their lines or, in a list, with their places in it; one at a time is held.

    What is not an object, or no JSON, is a problem.
    """
    for number, text in lines:
        if not text.strip():
            continue
        if text.lstrip()[0] == "[":
            yield from _Listed(text, lines, problems)
        elif text.strip() == "{":
            yield from _spread(number, text, lines, problems)
        else:
            yield from _one(number, text, problems)
            for later, line in lines:
                if line.strip():
                    yield from _one(later, line, problems)


def _one(number: int, text: str, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    value, problem = decoded(text)
    if not problem and not isinstance(value, dict):
        problem = _("this is no JSON object; write one whole object on each line")
    problem = problem or _problem_of(value)
    if problem:
        problems.add(number, problem)
    else:
        yield number, value


def _problem_of(value: dict[str, Any]) -> Said:
    """Whoever reads a task goes down to its last value, and shows its names."""
    problem = shape_problem(value)
    return problem % {"field": _("the task")} if problem else ""


def _spread(
    first: int, text: str, lines: Lines, problems: Problems
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Objects one behind the other, each indented: a file, or several that were joined."""
    text = "".join([text, *(line for _number, line in lines)])
    end = 0
    while (start := end + len(text[end:]) - len(text[end:].lstrip(_SPACE))) < len(text):
        number = first + text.count("\n", 0, start)
        try:
            value, end = _decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            problems.add(
                number,
                _("the object that begins here is broken JSON; take the file as it was written"),
            )
            return
        if not isinstance(value, dict):
            problems.add(number, _("this is no JSON object; take the file as it was written"))
        elif problem := _problem_of(value):
            problems.add(number, problem)
        else:
            yield number, value


class _Listed:
    """Members of a list, which may be spread over lines or all stand in one."""

    def __init__(self, text: str, lines: Lines, problems: Problems) -> None:
        self._lines, self._problems = lines, problems
        self._text, self._place = text, text.index("[") + 1
        # Of the member that begins at the place.
        self._number = 1

    def __iter__(self) -> Iterator[tuple[int, dict[str, Any]]]:
        sign = self._next_sign()
        while sign and sign != "]":
            number = self._number
            value, is_whole = self._value()
            if not is_whole:
                return
            if not isinstance(value, dict):
                self._problems.add(number, _("this is no JSON object; export the file again"))
            elif problem := _problem_of(value):
                self._problems.add(number, problem)
            else:
                yield number, value
            sign = self._next_sign()
            if sign == ",":
                self._place += 1
                sign = self._next_sign()
            elif sign and sign != "]":
                self._problems.add(
                    self._number, _("broken JSON: a comma is missing between two tasks")
                )
                self._pass()
                return
        if sign:
            self._refuse_more()
        else:
            self._problems.add(
                self._number, _("the list of the file is not closed; export it again")
            )

    def _next_sign(self) -> str:
        """The next character that is no space; empty at the end of the file."""
        while True:
            while self._place < len(self._text) and self._text[self._place] in _SPACE:
                self._place += 1
            if self._place < len(self._text):
                return self._text[self._place]
            following = next(self._lines, None)
            if following is None:
                return ""
            self._text, self._place = following[1], 0

    def _value(self) -> tuple[Any, bool]:
        """The value that begins here, and whether there is a whole one."""
        # What has been read is let go.
        if self._place > _KEPT:
            self._text, self._place = self._text[self._place :], 0
        wanted, is_all = 0, False
        while True:
            if is_all or len(self._text) >= wanted:
                try:
                    value, end = _decoder.raw_decode(self._text, self._place)
                except (ValueError, RecursionError):
                    if is_all:
                        self._problems.add(
                            self._number,
                            _("the task that begins here is broken JSON; export the file again"),
                        )
                        return None, False
                else:
                    self._place = end
                    self._number += 1
                    return value, True
                # Tried again when there is twice as much: each try begins from the start.
                wanted = 2 * len(self._text) - self._place
            following = next(self._lines, None)
            if following is None:
                is_all = True
            else:
                self._text += following[1]

    def _refuse_more(self) -> None:
        said = _("the list of the file has ended, and more follows; remove it")
        if self._text[self._place + 1 :].strip() or any(
            text.strip() for _line, text in self._lines
        ):
            self._problems.add(None, said)
        self._pass()

    def _pass(self) -> None:
        for _line in self._lines:
            pass
