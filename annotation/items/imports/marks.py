"""Contexts in one text, in which <sent> and </sent> stand around the rated sentence."""

import re

from annotation.basics.sentences import Problem, Said
from annotation.basics.sentences import sentence as _
from annotation.items.imports.parsed import ParsedTurn
from annotation.items.imports.problems import item_text_problem

OPEN, CLOSE = "<sent>", "</sent>"
# The line ends that editors and spreadsheets write; other characters that end a line are text.
_LINE_END = re.compile(r"\r\n|\r|\n")


def marked(text: str) -> tuple[tuple[ParsedTurn, ...], int, Said]:
    """The turns of a context and the position of the rated one, or what is wrong with its marks.

    What stands before and after the sentence is one turn a line. The message leaves %(field)s
    open.
    """
    n_open, n_close = text.count(OPEN), text.count(CLOSE)
    if problem := _problem(text, n_open, n_close):
        return (), 0, problem
    before, rest = text.split(OPEN)
    sentence, after = rest.split(CLOSE)
    if not sentence.strip():
        return (
            (),
            0,
            Problem(
                "missing",
                _("%(field)s has nothing between <sent> and </sent>"),
                _("put them around the sentence"),
            ),
        )
    turns = [*_lines(before), sentence.strip()]
    position = len(turns)
    turns += _lines(after)
    problems = (problem for turn in turns if (problem := item_text_problem(turn)))
    return tuple(ParsedTurn(turn) for turn in turns), position, next(problems, "")


def _problem(text: str, n_open: int, n_close: int) -> Said:
    if not n_open and not n_close:
        return Problem(
            "missing",
            _("%(field)s has no marks"),
            _("write <sent> before and </sent> after the sentence"),
        )
    if n_open > 1 or n_close > 1:
        return Problem(
            "wrong_value",
            _("%(field)s has %(n)s marks <sent> and %(m)s marks </sent>"),
            _("mark one sentence, only once"),
        ) % {"n": n_open, "m": n_close}
    if not n_close:
        return Problem(
            "wrong_value",
            _("%(field)s has <sent> without </sent>"),
            _("write </sent> after the sentence"),
        )
    if not n_open:
        return Problem(
            "wrong_value",
            _("%(field)s has </sent> without <sent>"),
            _("write <sent> before the sentence"),
        )
    if text.index(CLOSE) < text.index(OPEN):
        return Problem(
            "wrong_value",
            _("%(field)s has </sent> before <sent>"),
            _("write <sent> before the sentence"),
        )
    return ""


def _lines(text: str) -> list[str]:
    return [line.strip() for line in _LINE_END.split(text) if line.strip()]
