"""A small language of conditions on two texts and what is known of them.

    has_digit(first) and not has_digit(second)
    abs(n_words(first) - n_words(second)) > 5
    matches(second, r"\bnot\b") or domain in ("politics", "sport")

It is written like Python, parsed by Python's own parser, and evaluated here, node by node: nothing
of it is ever run as Python. What is not in the tables below is refused, with its column.

There are texts, numbers, and truths (true or false). Metadata are read as what they are compared
with: a text that holds a number is one where a number is wanted. Beside other metadata they are
numbers if both are, and texts if not; a number is neither above nor below a text. An item that
lacks one of them (it is not there, null or empty, or is no number where one is wanted) fails every
comparison that asks for it, `!=` and `not in` as well, so `not` before such a comparison holds;
how many items lack it is told.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from scoring.arrays import BoolArray
from scoring.baselines.expression_reader import Reader, at_column, indent
from scoring.baselines.expression_values import (
    FUNCTIONS,
    OPERATORS,
    Described,
    DescribedPair,
    Part,
    Run,
)
from shell.messages import message as _

__all__ = [
    "FUNCTIONS",
    "OPERATORS",
    "Condition",
    "Described",
    "DescribedPair",
    "Selected",
    "compile_condition",
]

# A condition longer than this is no condition but an attack.
MAX_EXPRESSION_LENGTH = 500


@dataclass(frozen=True, eq=False)
class Selected:
    """Which items a condition holds for.

    Parameters
    ----------
    mask : bool array, shape (n,)
    n_without : dict of int
        By name of the metadata used: items that lack it; only those that some item lacks.
    """

    mask: BoolArray
    n_without: dict[str, int]


@dataclass(frozen=True, eq=False)
class Condition:
    """A condition that was read and can be asked of items.

    Parameters
    ----------
    text : str
        As it was written.
    names : tuple of str
        The metadata that it uses, in order of appearance.
    """

    text: str
    names: tuple[str, ...]
    _part: Part

    def select(self, items: Iterable[Described]) -> Selected:
        """Say which items the condition holds for, and how many lack what it asks for.

        Raises
        ------
        ValueError
            If a regular expression takes too long.
        """
        run = Run()
        n_without: Counter[str] = Counter()
        mask = []
        for item in items:
            run.item, run.lacking, run.said = item, set(), {}
            mask.append(self._part.value(run) is True)
            n_without.update(run.lacking)
        in_order = {name: n_without[name] for name in self.names if n_without[name]}
        return Selected(np.array(mask, dtype=np.bool_), in_order)

    def mask(self, items: Iterable[Described]) -> BoolArray:
        """Say which items the condition holds for, shape (n,)."""
        return self.select(items).mask


def compile_condition(text: str) -> Condition:
    """Read a condition.

    Parameters
    ----------
    text : str
        See the module's head; what there is, is in `FUNCTIONS` and `OPERATORS`.

    Raises
    ------
    ValueError
        If it is too long or too deep, is not written as a condition, or uses what is not there;
        the message names the column, counted from 1.
    """
    _check_writing(text)
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError as error:
        # Python counts from 1; brackets that are never closed are found where they open.
        raise ValueError(
            _(
                "the condition cannot be read at column %(column)s: write it like has_digit(first)"
                ' and domain == "news"',
                column=indent(text) + (error.offset or 1),
            )
        ) from error
    except (RecursionError, MemoryError) as error:
        raise ValueError(_("the condition is nested too deeply: write it in parts")) from error
    reader = Reader(text)
    part = reader.part(tree.body, 0)
    if part.kind != "truth":
        reader.refuse(
            tree.body, _("this is neither true nor false: compare it with something, as in x > 3")
        )
    return Condition(text, tuple(reader.names), part)


# Everything that a condition is written with; a letter right after a number is none of it.
_TOKEN = re.compile(
    r"""\s+
    | (?P<string>[rR]?(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'))
    | (?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![^\W])
    | [^\W\d]\w*
    | ==|!=|<=|>=|[<>+\-*/(),\[\]]
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


def _check_writing(text: str) -> None:
    """Refuse what is no condition before Python's parser sees it."""
    if not text.strip():
        raise ValueError(_("the condition is empty: write one like has_digit(first)"))
    if len(text) > MAX_EXPRESSION_LENGTH:
        raise ValueError(
            _(
                "the condition has %(n)s characters, but at most %(most)s are allowed",
                n=len(text),
                most=MAX_EXPRESSION_LENGTH,
            )
        )
    place = 0
    while place < len(text):
        token = _TOKEN.match(text, place)
        if token is None:
            raise ValueError(
                _(
                    "the condition cannot be read at column %(column)s, %(given)s: use names, "
                    "numbers, texts in quotes, brackets, and %(those)s",
                    column=place + 1,
                    given=repr(text[place]),
                    those=OPERATORS,
                )
            )
        if "\n" in token[0] or "\r" in token[0]:
            raise ValueError(at_column(place + 1, _("write the condition on one line")))
        string = token["string"]
        if string and string[0] not in "rR":
            # In "\bnot\b" Python reads two backspaces, and nothing would ever match.
            for escape in _ESCAPE.finditer(string):
                if escape[1] not in "\\\"'":
                    problem = _(
                        "write r before the quotes of a text with a backslash, as in %(example)s",
                        example=rf'r"\{escape[1]}"',
                    )
                    raise ValueError(at_column(place + escape.start() + 1, problem))
        place = token.end()
